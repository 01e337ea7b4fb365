//! Whether the agents' hooks are installed, and whether a call of ours answers as they would call it.

use std::{
    io,
    process::{Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use camino::Utf8PathBuf;

use super::Finding;
use crate::command::hooks::{Installed, Standing, standings};

/// How long a call may take: a hook of ours ends within two seconds.
const LIMIT: Duration = Duration::from_secs(5);

/// How often is looked whether it has ended.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Says how each agent stands to us.
pub(super) fn all(root: Utf8PathBuf) -> Vec<Finding> {
    standings(root, None).iter().map(one).collect()
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
    if let Some(why) = &standing.untold {
        let detail = format!("{host}, {scope}: installed, and {why}");
        return Finding::warning(CHECK, detail, why.advice().unwrap_or_default());
    }
    if standing.trusted == Some(false) {
        let detail = format!("{host}, {scope}: installed, and not trusted");
        return Finding::warning(CHECK, detail, "trust the hooks with /hooks in codex");
    }
    // As the agent calls it, on an event that says nothing.
    let mut call = Command::new(program);
    call.args(["hook", host]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match ended(&mut call) {
        Ok(None) => Finding::failure(
            CHECK,
            format!("{host}, {scope}: {program} had not ended after {} s", LIMIT.as_secs()),
            advice,
        ),
        Ok(Some(status)) if status.success() => {
            Finding::ok(CHECK, format!("{host}, {scope}: installed, and answers"))
        }
        Ok(Some(status)) => Finding::failure(
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

/// Runs a program to its end, or ends it where it overruns the limit.
fn ended(call: &mut Command) -> io::Result<Option<ExitStatus>> {
    let (mut child, begun) = (call.spawn()?, Instant::now());
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begun.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(LOOK_EVERY);
    }
}
