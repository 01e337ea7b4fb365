//! `hooks`: puts our hook into an agent's settings, takes it out, and says whether it works.

mod codex;
mod copies;
pub(in crate::command) mod draft;
mod file;
pub(in crate::command) mod held;
mod made;
mod place;
mod setting;
mod status;

pub(super) use {
    place::GOOSE_STEP,
    status::{Installed, Standing, standings},
};

use camino::{Utf8Path, Utf8PathBuf};
use clap::{Args, Subcommand};
use graff_notes::host::hook::Host;
use serde::Serialize;

use self::{
    file::PersonsFile,
    place::{Scope, places},
    setting::Setting,
    status::Status,
};
use crate::{
    command::hook,
    context::Context,
    exit::Exit,
    failure::{Failure, Stop},
    output::{Cell, Form, Table},
};

const EXAMPLES: &str = "\
Examples:
  graff-notes hooks install claude-code
  graff-notes hooks status
  graff-notes hooks remove claude-code";

const INSTALL: &str = "\
Examples:
  graff-notes hooks install claude-code
  graff-notes hooks install codex --project";

const REMOVE: &str = "\
Examples:
  graff-notes hooks remove claude-code
  graff-notes hooks remove codex --project";

const STATUS: &str = "\
Examples:
  graff-notes hooks status
  graff-notes hooks status codex --json

In a pipe it prints: host, user or project, whether the hooks are in, whether Codex has trust
on record for them, where in PATH the program is that the host will find, when the host last called
and on which event, the settings. Without a host it
has a line for each of them, and one more where a project has hooks of its own.

Exit status: 1 where settings cannot be read, else 0. Without HOME only a project has settings.";

/// Sets up an agent to call graff-notes by itself, and takes that back
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Hooks {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Puts the hooks into the agent's settings, beside what is there
    #[command(after_help = INSTALL)]
    Install(Where),
    /// Says which agents have the hooks, and when they last called
    #[command(after_help = STATUS)]
    Status(Status),
    /// Takes the hooks out again
    #[command(after_help = REMOVE)]
    Remove(Where),
}

/// Which settings are meant.
#[derive(Args, Debug)]
struct Where {
    /// Agent: claude-code (or claude), codex, gemini, opencode or goose
    #[arg(value_name = "HOST")]
    host: Host,
    /// In the project's own settings instead of the user's
    #[arg(long)]
    project: bool,
}

/// What became of the settings.
#[derive(Default, Serialize)]
struct Done {
    host: &'static str,
    changed: Vec<Utf8PathBuf>,
    unchanged: Vec<Utf8PathBuf>,
    backups: Vec<Utf8PathBuf>,
    /// The copies before the last one.
    older_backups: Vec<Utf8PathBuf>,
    /// Texts of others that a run which was killed had left, and which may be nowhere else.
    rescued: Vec<Utf8PathBuf>,
    /// What the user must do now.
    next: String,
}

impl Hooks {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        match self.action {
            Action::Install(place) => place.install(cx),
            Action::Remove(place) => place.remove(cx),
            Action::Status(status) => status.run(cx),
        }
    }
}

impl Done {
    /// Names the copies that are left beside a file: the one that was made of what went, else the
    /// newest, unless the file is as it was; and those before it.
    fn name_copies(&mut self, file: &PersonsFile, made: Option<Utf8PathBuf>, is_back: bool) {
        let mut left: Vec<_> =
            file.copies().filter(|copy| Some(&copy.path) != made.as_ref()).collect();
        left.sort_by_key(|copy| copy.at);
        let newest =
            if made.is_some() || is_back { None } else { left.pop().map(|copy| copy.path) };
        self.backups.extend(made.or(newest));
        self.older_backups.extend(left.into_iter().map(|copy| copy.path));
    }
}

impl Where {
    fn install(self, cx: &mut Context) -> Result<Exit, Stop> {
        let scope = self.scope(cx)?;
        let mut done = self.done();
        for (path, setting) in places(self.host, &scope)? {
            let mut file = scope.hold(path, setting)?;
            done.rescued.extend_from_slice(file.rescued());
            let before = file.text().map(str::to_owned);
            let after = setting.installed(before.as_deref()).map_err(|why| file.left_alone(why))?;
            if before.as_deref() == Some(after.as_str()) {
                done.unchanged.push(file.into_path());
                continue;
            }
            if before.is_some() {
                done.backups.push(file.back_up()?);
            }
            file.replace(&after)?;
            done.changed.push(file.into_path());
        }
        done.next = self.after_install(&scope);
        answer(cx, &done, "installed")
    }

    fn remove(self, cx: &mut Context) -> Result<Exit, Stop> {
        let scope = self.scope(cx)?;
        let mut done = self.done();
        for (path, setting) in places(self.host, &scope)? {
            let has_folder = path.parent().is_none_or(Utf8Path::is_dir);
            if scope.open(path.clone())?.text().is_none() && !has_folder {
                done.unchanged.push(path);
                continue;
            }
            // A run that was killed may have left something in the folder alone.
            self.remove_from(scope.hold(path, setting)?, setting, &scope, &mut done)?;
        }
        let left = status::standings(cx.root()?.path, Some(self.host));
        let are_all_out = left.iter().all(|it| matches!(it.installed, Installed::No));
        let forgotten = are_all_out.then(|| hook::forget(self.host)).transpose();
        let next = match &forgotten {
            Ok(Some(files)) => {
                done.changed.extend_from_slice(files);
                place::after_removal(self.host)
            }
            _ => place::AFTER_REMOVAL,
        };
        done.next.push_str(next);
        if !done.older_backups.is_empty() {
            done.next.push_str(" Older copies stay; look into them before you delete any.");
        }
        let exit = answer(cx, &done, "removed from")?;
        Ok(forgotten.map(|_| exit)?)
    }

    fn remove_from(
        &self,
        mut file: PersonsFile,
        setting: Setting,
        scope: &Scope,
        done: &mut Done,
    ) -> Result<(), Failure> {
        done.rescued.extend_from_slice(file.rescued());
        let copies: Vec<_> = file.copies().collect();
        let Some(before) = file.text().map(str::to_owned).filter(|it| setting.has_ours(it)) else {
            if file.text().is_some() {
                file.forget_copy_of_it()?; // of a run that was killed
            } else {
                file.remove_empty_folders(&place::roof(self.host, scope)?); // likewise
            }
            done.unchanged.push(file.into_path());
            return Ok(());
        };
        let texts: Vec<_> = copies.iter().map(|copy| copy.text.as_str()).collect();
        let after = setting.removed(&before, &texts).map_err(|why| file.left_alone(why))?;
        let backup =
            if setting.is_as_installed(&before, &texts) { None } else { Some(file.back_up()?) };
        match after {
            Some(after) => file.replace(&after)?,
            None => file.delete()?,
        }
        let is_back = file.forget_copy_of_it()?;
        done.name_copies(&file, backup, is_back);
        if file.text().is_none() {
            file.remove_empty_folders(&place::roof(self.host, scope)?);
        }
        done.changed.push(file.into_path());
        Ok(())
    }

    fn done(&self) -> Done {
        Done { host: self.host.as_str(), ..Done::default() }
    }

    /// Returns what the user does next, once the hooks are in.
    fn after_install(&self, scope: &Scope) -> String {
        let mut steps = status::obstacles(self.host, scope);
        let then = match place::own_step(self.host) {
            Some(step) => step,
            None if steps.is_empty() => {
                "It works from the next session on; `graff-notes hooks status` says when it was last \
                 called."
            }
            None => "Then it works from the next session on.",
        };
        steps.push(then.to_owned());
        steps.join(" ")
    }

    fn scope(&self, cx: &Context) -> Result<Scope, Failure> {
        Ok(if self.project { Scope::Project(cx.root()?.path) } else { Scope::User })
    }
}

fn answer(cx: &mut Context, done: &Done, changed: &'static str) -> Result<Exit, Stop> {
    if cx.out.form() == Form::Json {
        cx.out.json(done)?;
        return Ok(Exit::Done);
    }
    let mut table = Table::uncut(&[]);
    let rows = done.changed.iter().map(|path| (changed, path));
    let rows = rows.chain(done.unchanged.iter().map(|path| ("as it was", path)));
    let rows = rows.chain(done.backups.iter().map(|path| ("before that", path)));
    let rows = rows.chain(done.older_backups.iter().map(|path| ("older copy", path)));
    for (what, path) in rows.chain(done.rescued.iter().map(|path| ("rescued", path))) {
        table.row(&mut cx.out, vec![Cell::dim(what), Cell::text(path.as_str())])?;
    }
    table.end(&mut cx.out)?;
    cx.out.line(&done.next)?;
    Ok(Exit::Done)
}
