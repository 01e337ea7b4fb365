//! What `hooks install` and `hooks remove` have done, and what they left to the user.

use camino::Utf8PathBuf;
use graff_notes::host::{
    hook::Host,
    settings::{Found, Sort},
};
use serde::Serialize;

use super::{file::PersonsFile, setting::Setting};
use crate::{
    context::Context,
    exit::Exit,
    failure::{Stop, heard_or_not},
    output::{Cell, Form, Table},
};

/// What became of the settings.
#[derive(Default, Serialize)]
pub(super) struct Done {
    host: &'static str,
    pub(super) changed: Vec<Utf8PathBuf>,
    pub(super) unchanged: Vec<Utf8PathBuf>,
    pub(super) backups: Vec<Utf8PathBuf>,
    /// The copies before the last one.
    pub(super) older_backups: Vec<Utf8PathBuf>,
    /// Texts of others that a run which was killed had left, and which may be nowhere else.
    pub(super) rescued: Vec<Utf8PathBuf>,
    /// Lines that call us, and that no run of ours wrote.
    own_lines: Vec<OwnLine>,
    /// The same, of which nothing comes.
    trials: Vec<OwnLine>,
    /// The same, which a matcher keeps from a part of their event.
    narrow: Vec<OwnLine>,
    /// What the user must do now.
    pub(super) next: String,
}

/// A line that a person wrote.
#[derive(Serialize)]
struct OwnLine {
    path: Utf8PathBuf,
    line: usize,
    event: String,
}

impl Done {
    pub(super) fn of(host: Host) -> Self {
        Self { host: host.as_str(), ..Self::default() }
    }

    /// Names the copies that are left beside a file: the one that was made of what went, else the
    /// newest, unless the file is as it was; and those before it.
    pub(super) fn name_copies(
        &mut self,
        file: &PersonsFile,
        made: Option<Utf8PathBuf>,
        is_back: bool,
    ) {
        let mut left: Vec<_> =
            file.copies().filter(|copy| Some(&copy.path) != made.as_ref()).collect();
        left.sort_by_key(|copy| copy.at);
        let newest =
            if made.is_some() || is_back { None } else { left.pop().map(|copy| copy.path) };
        self.backups.extend(made.or(newest));
        self.older_backups.extend(left.into_iter().map(|copy| copy.path));
    }

    /// Names the lines in `text`, which is what stands in a file now, that a person wrote.
    pub(super) fn name_own_lines(&mut self, file: &PersonsFile, setting: Setting, text: &str) {
        for found in setting.own_lines(text) {
            let Found { line, event, sort, only, .. } = found;
            let alike = match (sort, only) {
                (Sort::Trial, _) => &mut self.trials,
                (_, Some(_)) => &mut self.narrow,
                (_, None) => &mut self.own_lines,
            };
            alike.push(OwnLine { path: file.path().to_owned(), line, event });
        }
    }

    /// Returns what the lines of the user's own mean where hooks were put in.
    pub(super) fn own_lines_stand(&self) -> String {
        let mut said = String::new();
        if !self.own_lines.is_empty() {
            said += " On an event that a line of yours answers, no second one was put in.";
        }
        if !self.trials.is_empty() {
            said += " A line of yours with --dry-run is a trial: it keeps nothing and doesn't count; \
                     take it out, since what it says is heard beside the answer.";
        }
        if !self.narrow.is_empty() {
            said += " A line whose matcher keeps a part of its event from it doesn't count: one that \
                     answers all of it stands beside it now.";
        }
        said
    }

    /// Returns what they mean where hooks were taken out.
    pub(super) fn own_lines_stay(&self) -> &'static str {
        if [&self.own_lines, &self.trials, &self.narrow].iter().all(|lines| lines.is_empty()) {
            return "";
        }
        " Lines that you wrote or changed stay: take them out by hand, if you no longer want them."
    }

    /// Prints it; `changed` says what was done to a file that was changed.
    pub(super) fn answer(&self, cx: &mut Context, changed: &'static str) -> Result<Exit, Stop> {
        let said = match cx.out.form() {
            Form::Json => cx.out.json(self),
            Form::Plain | Form::Terminal => self.show(cx, changed),
        };
        // What fails now is told with what was done.
        heard_or_not(said.and_then(|()| cx.out.flush()))?;
        Ok(Exit::Done)
    }

    fn show(&self, cx: &mut Context, changed: &'static str) -> Result<(), Stop> {
        let mut table = Table::uncut(&[]);
        for (what, paths) in [
            (changed, &self.changed),
            ("as it was", &self.unchanged),
            ("before that", &self.backups),
            ("older copy", &self.older_backups),
            ("rescued", &self.rescued),
        ] {
            for path in paths {
                table.row(&mut cx.out, vec![Cell::dim(what), Cell::text(path.as_str())])?;
            }
        }
        for (what, lines) in [
            ("your line", &self.own_lines),
            ("a trial", &self.trials),
            ("a part only", &self.narrow),
        ] {
            for OwnLine { path, line, event } in lines {
                let place = format!("{path}, line {line} ({event})");
                table.row(&mut cx.out, vec![Cell::dim(what), Cell::text(place)])?;
            }
        }
        table.end(&mut cx.out)?;
        cx.out.line(&self.next)
    }
}
