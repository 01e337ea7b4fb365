//! What `hooks` takes, and how hooks are put in and taken out.

use camino::Utf8Path;
use clap::{Args, Subcommand};
use graff_notes::host::hook::Host;

use super::{
    advice::Change,
    done::Done,
    file::PersonsFile,
    place::{self, Scope, places},
    setting::Setting,
    standing::{self, Installed},
    status::Status,
};
use crate::{
    command::hook,
    context::Context,
    exit::Exit,
    failure::{Failure, Stop},
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

In a pipe it prints: host, user or project, whether the hooks are in (a line with --dry-run is a
trial and doesn't count, nor does one whose matcher keeps a part of its event from it; one that names
a program by a place where none is gets named, and so does what the host does not read), whether Codex has trust on record for them, where in PATH the program is
that the host will find, when the host last called and on which event, the settings. Without a host
it has a line for each of them, and one more where a project has hooks of its own.

Exit status: 1 where settings cannot be read: their row says unreadable; else 0. Without HOME only a
project has settings.";

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
    #[command(alias = "uninstall")]
    Remove(Where),
}

/// Which settings are meant.
#[derive(Args, Debug)]
struct Where {
    /// Agent whose settings are meant; claude-code goes by claude too
    #[arg(value_name = "claude-code|codex|gemini|opencode|goose")]
    host: Host,
    /// In the project's own settings instead of the user's
    #[arg(long)]
    project: bool,
}

impl Hooks {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        match self.action {
            Action::Install(place) => {
                place.install(cx).map_err(|why| Change::PutIn.advise(place.host, why))
            }
            Action::Remove(place) => {
                place.remove(cx).map_err(|why| Change::TakeOut.advise(place.host, why))
            }
            Action::Status(status) => status.run(cx),
        }
    }
}

impl Where {
    fn install(&self, cx: &mut Context) -> Result<Exit, Stop> {
        let scope = self.scope(cx)?;
        let mut done = Done::of(self.host);
        for (path, setting) in places(self.host, &scope)? {
            let mut file = scope.hold(path, setting)?;
            done.rescued.extend_from_slice(file.rescued());
            let before = file.text().map(str::to_owned);
            let after = setting.installed(before.as_deref()).map_err(|why| file.left_alone(why))?;
            done.name_own_lines(&file, setting, &after);
            if before.as_deref() == Some(after.as_str()) {
                done.unchanged.push(file.path().to_owned());
                continue;
            }
            if before.is_some() {
                done.backups.push(file.back_up()?);
            }
            file.replace(&after)?;
            done.changed.push(file.path().to_owned());
        }
        done.next = self.after_install(&scope);
        done.next += &done.own_lines_stand();
        done.answer(cx, "installed").map_err(|why| Change::PutIn.unsaid(why))
    }

    fn remove(&self, cx: &mut Context) -> Result<Exit, Stop> {
        let scope = self.scope(cx)?;
        let mut done = Done::of(self.host);
        for (path, setting) in places(self.host, &scope)? {
            let has_folder = path.parent().is_none_or(Utf8Path::is_dir);
            if scope.open(path.clone())?.text().is_none() && !has_folder {
                done.unchanged.push(path);
                continue;
            }
            // A run that was killed may have left something in the folder alone.
            self.remove_from(scope.hold(path, setting)?, setting, &scope, &mut done)?;
        }
        let left = standing::standings(cx.root()?.path, Some(self.host));
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
        done.next += done.own_lines_stay();
        if !done.older_backups.is_empty() {
            done.next.push_str(" Older copies stay; look into them before you delete any.");
        }
        let said = done.answer(cx, "removed from");
        let exit = said.map_err(|why| Change::TakeOut.unsaid(why))?;
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
            if let Some(text) = file.text() {
                done.name_own_lines(&file, setting, text);
                file.forget_copy_of_it()?; // of a run that was killed
            } else {
                file.remove_empty_folders(&place::roof(self.host, scope)?); // likewise
            }
            done.unchanged.push(file.path().to_owned());
            return Ok(());
        };
        let texts: Vec<_> = copies.iter().map(|copy| copy.text.as_str()).collect();
        let after = setting.removed(&before, &texts).map_err(|why| file.left_alone(why))?;
        let backup =
            if setting.is_as_installed(&before, &texts) { None } else { Some(file.back_up()?) };
        match &after {
            Some(after) => file.replace(after)?,
            None => file.delete()?,
        }
        done.name_own_lines(&file, setting, after.as_deref().unwrap_or_default());
        let is_back = file.forget_copy_of_it()?;
        done.name_copies(&file, backup, is_back);
        if file.text().is_none() {
            file.remove_empty_folders(&place::roof(self.host, scope)?);
        }
        done.changed.push(file.path().to_owned());
        Ok(())
    }

    /// Returns what the user does next, once the hooks are in.
    fn after_install(&self, scope: &Scope) -> String {
        let mut steps = standing::obstacles(self.host, scope);
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
