//! Whether the agents' hooks are installed, and whether a call of ours answers as they would call it.

use std::{
    io,
    process::{Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::host::hook::Host;

use super::Finding;
use crate::command::{
    hook::goose_reads,
    hooks::{Installed, Standing, after_install, standings},
};

const CHECK: &str = "hooks";

/// How long a call may take: a hook of ours ends within two seconds.
const LIMIT: Duration = Duration::from_secs(5);

/// How often is looked whether it has ended.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Says how each agent stands to us.
pub(super) fn all(root: Utf8PathBuf) -> Vec<Finding> {
    standings(root, None).iter().map(one).collect()
}

fn one(standing: &Standing) -> Finding {
    let Standing { host, scope, settings, .. } = standing;
    match &standing.installed {
        Installed::No => Finding::ok(CHECK, format!("{host}: not installed")),
        Installed::Partly { missing } => {
            let detail = format!("{host}, {scope}: without {}", missing.join(", "));
            Finding::failure(CHECK, detail, install(host))
        }
        Installed::Unreadable { why } => {
            let detail = format!("{host}, {scope}: {why}");
            Finding::failure(CHECK, detail, format!("mend {settings}"))
        }
        Installed::Yes => reached(standing).unwrap_or_else(|finding| finding),
    }
}

/// Says whether hooks that are in the settings come to us, and what of us comes to the agent.
fn reached(standing: &Standing) -> Result<Finding, Finding> {
    let Standing { host, scope, .. } = standing;
    let installed = |what: &str| format!("{host}, {scope}: installed, and {what}");
    let Some(program) = &standing.reachable else {
        let detail = format!("{host}, {scope}: no folder in PATH has graff-notes");
        return Err(Finding::failure(CHECK, detail, "put the program into a folder of PATH"));
    };
    if let Some(why) = &standing.untold {
        let advice = why.advice().unwrap_or_default();
        return Err(Finding::warning(CHECK, installed(&why.to_string()), advice));
    }
    if standing.trusted == Some(false) {
        let advice = "trust the hooks with /hooks in codex";
        return Err(Finding::warning(CHECK, installed("not trusted"), advice));
    }
    answers(program, host).map_err(|(what, advice)| {
        Finding::failure(CHECK, format!("{host}, {scope}: {program} {what}"), advice)
    })?;
    if *host == Host::Goose.as_str() && goose_reads().is_none() {
        let detail = installed("goose is told of no file: GOOSE_MOIM_MESSAGE_FILE isn't set here");
        return Err(Finding::warning(CHECK, detail, after_install(Host::Goose)));
    }
    Ok(Finding::ok(CHECK, installed("answers")))
}

/// Calls the hook as the agent does, on an event that says nothing; returns what is wrong with the
/// program, and what to do.
fn answers(program: &Utf8Path, host: &str) -> Result<(), (String, String)> {
    let mut call = Command::new(program);
    call.args(["hook", host]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match ended(&mut call) {
        Ok(Some(status)) if status.success() => Ok(()),
        Ok(Some(status)) => Err((format!("ended with {status}"), install(host))),
        Ok(None) => Err((format!("had not ended after {} s", LIMIT.as_secs()), install(host))),
        Err(e) => Err((format!("cannot be run: {e}"), "check its rights".to_owned())),
    }
}

fn install(host: &str) -> String {
    format!("graff-notes hooks install {host}")
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
