//! Whether the agents' hooks are installed, and whether a call of ours answers as they would call it.

use graff_notes::{host::hook::Host, store::Store};

use super::{Finding, call::answers};
use crate::{
    command::{
        hook::goose_reads,
        hooks::{GOOSE_STEP, Installed, Standing, standings},
    },
    signals::Held,
};

const CHECK: &str = "hooks";

/// Says how each agent stands to us.
pub(super) fn all(store: &Store, held: &Held) -> Vec<Finding> {
    let standings = standings(store.root().to_owned(), None);
    let wanted = standings.iter().take_while(|_| !held.have_come());
    wanted.map(|standing| one(standing, store, held)).collect()
}

fn one(standing: &Standing, store: &Store, held: &Held) -> Finding {
    let Standing { host, scope, .. } = standing;
    match &standing.installed {
        Installed::No => Finding::ok(CHECK, format!("{host}: not installed")),
        Installed::Partly { missing } => {
            let detail = format!("{host}, {scope}: without {}", missing.join(", "));
            Finding::failure(CHECK, detail, install(host))
        }
        Installed::Unreadable { why } => {
            let detail = format!("{host}, {scope}: {why}");
            Finding::failure(CHECK, detail, standing.mending())
        }
        Installed::Yes => reached(standing, store, held).unwrap_or_else(|finding| finding),
    }
}

/// Says whether hooks that are in the settings come to us, and what of us comes to the agent.
fn reached(standing: &Standing, store: &Store, held: &Held) -> Result<Finding, Finding> {
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
    if let Some(key) = standing.switched_off {
        let advice = format!("take `{key}` out of the settings of {host}");
        return Err(Finding::warning(
            CHECK,
            installed(&format!("switched off by `{key}`")),
            advice,
        ));
    }
    if standing.trusted == Some(false) {
        let advice = "trust the hooks with /hooks in codex";
        return Err(Finding::warning(CHECK, installed("not trusted"), advice));
    }
    answers(program, host, store, held).map_err(|wrong| {
        let detail = format!("{host}, {scope}: {program} {wrong}");
        Finding::failure(CHECK, detail, wrong.advice())
    })?;
    if *host == Host::Goose.as_str() && goose_reads().is_none() {
        let detail = installed("goose is told of no file: GOOSE_MOIM_MESSAGE_FILE isn't set here");
        return Err(Finding::warning(CHECK, detail, GOOSE_STEP));
    }
    Ok(Finding::ok(CHECK, installed("answers")))
}

fn install(host: &str) -> String {
    format!("graff-notes hooks install {host}")
}
