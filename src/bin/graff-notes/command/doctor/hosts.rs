//! Whether the agents' hooks are installed, and whether a call of ours answers as they would call it.

use std::process::{Command, Stdio};

use camino::Utf8PathBuf;

use super::Finding;
use crate::command::hooks::{Installed, Standing, standings};

/// Says how each agent stands to us.
pub(super) fn all(root: Utf8PathBuf) -> Vec<Finding> {
    match standings(root, None) {
        Ok(standings) => standings.iter().map(one).collect(),
        Err(why) => vec![Finding::warning("hooks", why.to_string(), "`graff-notes hooks status`")],
    }
}

fn one(standing: &Standing) -> Finding {
    const CHECK: &str = "hooks";
    let Standing { host, scope, settings, .. } = standing;
    let advice = format!("graff-notes hooks install {host}");
    match &standing.installed {
        Installed::No => return Finding::ok(CHECK, format!("{host}: not installed")),
        Installed::Partly { missing } => {
            let detail = format!("{host}, {scope}: without {}", missing.join(", "));
            return Finding::failure(CHECK, detail, advice);
        }
        Installed::Unreadable { why } => {
            return Finding::failure(
                CHECK,
                format!("{host}, {scope}: {why}"),
                format!("mend {settings}"),
            );
        }
        Installed::Yes => {}
    }
    let Some(program) = &standing.reachable else {
        let detail = format!("{host}, {scope}: no folder in PATH has graff-notes");
        return Finding::failure(CHECK, detail, "put the program into a folder of PATH");
    };
    if standing.trusted == Some(false) {
        let detail = format!("{host}, {scope}: installed, and not trusted");
        return Finding::warning(CHECK, detail, "trust the hooks with /hooks in codex");
    }
    // As the agent calls it, on an event that says nothing.
    let mut call = Command::new(program);
    call.args(["hook", host]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match call.status() {
        Ok(status) if status.success() => {
            Finding::ok(CHECK, format!("{host}, {scope}: installed, and answers"))
        }
        Ok(status) => Finding::failure(
            CHECK,
            format!("{host}, {scope}: {program} ended with {status}"),
            advice,
        ),
        Err(e) => Finding::failure(
            CHECK,
            format!("{host}, {scope}: {program}: {e}"),
            "check that it can be run",
        ),
    }
}
