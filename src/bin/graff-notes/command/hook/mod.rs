//! Answers a hook of an agent: reads what the host says on stdin, does what there is to do, and
//! prints the one object that the host takes, or nothing.
//!
//! The agent's user waits meanwhile, and must never be bothered with our troubles: so it ends with
//! status 0 within two seconds whatever happens, and what is to be said goes to stderr.

mod active;
mod called;
mod came;
mod compaction;
mod files;
#[cfg(feature = "mcp")]
mod generation;
mod input;
mod lineage;
mod moim;
mod nonce;
mod splicing;
mod turn;
mod visit;

use std::{
    env::{self, VarError},
    io, panic, process, thread,
    time::Duration,
};

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use graff_notes::{
    host::hook::{Agent, Call, Event, Host, Task, read},
    session::SessionName,
};

use self::{
    came::{Came, Idle},
    input::{Input, read_object},
    visit::Visit,
};
use crate::{context::Context, exit::Exit, failure::Failure, output::Notices};

#[cfg(feature = "mcp")]
pub(crate) use active::{at_work, ended_at, folder as active_folder, real};
#[cfg(feature = "mcp")]
pub(crate) use generation::generation_now;
#[cfg(feature = "mcp")]
pub(crate) use splicing::WHOLE;
pub(crate) use {called::last_called, moim::named as goose_reads, visit::PERCENT_DEFAULT};

/// How long a hook takes at most, from its start to its end: far less than the shortest limit of
/// any host.
pub(crate) const LONGEST: Duration = Duration::from_secs(2);

/// When an answer is given up, so that it has ended by then.
const DEADLINE: Duration = Duration::from_millis(1800);

const _: () = assert!(DEADLINE.as_millis() < LONGEST.as_millis());

const EXAMPLES: &str = "\
Examples:
  graff-notes hook claude-code < payload.json
  graff-notes hook codex --dry-run < payload.json";

/// Answers a hook of an agent: its payload on stdin, the host's own form on stdout
///
/// `graff-notes hooks install HOST` sets it up. It always ends with status 0.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Hook {
    /// Agent that calls: claude-code (or claude), codex, gemini, opencode or goose
    #[arg(value_name = "HOST")]
    host: Host,
    /// Size of the model's context window; without it what the host or the transcript says, else
    /// 200000 (gemini: 1048576)
    #[arg(long, value_name = "N")]
    window_tokens: Option<u64>,
    /// Share of the window at which the agent is asked for its note, in percent, 1 to 100; without
    /// it 75
    #[arg(long, value_name = "N")]
    percent: Option<u64>,
    /// Most model calls of the session, of which a share is held back; without it no limit
    #[arg(long, value_name = "N")]
    calls_cap: Option<u64>,
    /// Shows what would be sent, or says on stderr why nothing would be, and writes nothing
    #[arg(long)]
    dry_run: bool,
}

/// Forgets that a host has called, and takes the note out of the file that it reads; returns the
/// files that it was in.
pub(crate) fn forget(host: Host) -> Result<Vec<Utf8PathBuf>, Failure> {
    let cleared = if host == Host::Goose { moim::clear() } else { Ok(Vec::new()) };
    called::forget(host);
    cleared
}

/// Forgets what hooks have told elsewhere of a session that was at work below `root`: that it was,
/// and the note in the file that goose reads.
pub(crate) fn forget_session(session: &SessionName, root: &Utf8Path) -> Result<(), Failure> {
    active::forget(session, root);
    moim::forget(session)
}

impl Hook {
    /// Answers the call within the deadline.
    pub(crate) fn run(self, cx: &Context) -> Exit {
        panic::set_hook(Box::new(|trouble| {
            Notices::at_once().warn(format_args!("gave up: {trouble}"));
            process::exit(0);
        }));
        // The other thread has the clock and this one the work, which then waits for nobody.
        if let Err(e) = thread::Builder::new().spawn(give_up_in_time) {
            Notices::at_once().warn(format_args!("could not start: {e}"));
        } else {
            match attend(&self, cx.root_flag()) {
                Ok(Came::ToNothing(why)) if self.dry_run => {
                    Notices::at_once().warn(format_args!("nothing to do: {why}"));
                }
                Ok(_) => {}
                Err(failure) => _ = Notices::at_once().failure(&failure),
            }
        }
        Exit::Done
    }
}

/// Ends the program at the deadline, whatever it is doing.
fn give_up_in_time() {
    thread::sleep(DEADLINE);
    let seconds = DEADLINE.as_secs_f32();
    Notices::at_once().warn(format_args!("gave up after {seconds} seconds"));
    process::exit(0);
}

fn attend(hook: &Hook, root: Option<&Utf8Path>) -> Result<Came, Failure> {
    let payload = match read_object(io::stdin().lock()) {
        Input::Object(payload) => payload,
        Input::Nothing => return Ok(Idle::NoPayload.into()),
        Input::Unusable(why) => {
            return Err(Failure::input(format_args!("read the host's payload: {why}")));
        }
    };
    let call = read(hook.host, &payload).map_err(Failure::input)?;
    tell_unusable(hook.host);
    if !hook.dry_run {
        called::remember(&call);
    }
    let visit = || Visit::new(hook, root, &call);
    match call.task() {
        Task::Nothing => Ok(idle(&call).into()),
        Task::SignOff => Ok(sign_off(hook, &call)),
        Task::Splice => splicing::splice(&visit()?),
        Task::Show => splicing::show(&visit()?),
        Task::Patch => splicing::patch(&visit()?),
        Task::Refresh => splicing::refresh(&visit()?),
        Task::AskAgent => turn::ask(&visit()?),
        Task::TakeReply => turn::take_reply(&visit()?),
        Task::Salvage => compaction::salvage(&visit()?),
        Task::AskSummariser => compaction::ask_summariser(&visit()?),
        Task::TakeSummary => compaction::take_summary(&visit()?),
    }
}

/// Returns why there is nothing to do on a call that has no task.
fn idle(call: &Call) -> Idle {
    match (call.agent, &call.event) {
        (Agent::Worker, _) => Idle::Worker,
        (Agent::Root, Event::OfAnother) => Idle::NoEvent(call.host, call.name.clone()),
        (Agent::Root, _) => Idle::Event(call.name.clone()),
    }
}

fn sign_off(hook: &Hook, call: &Call) -> Came {
    if hook.dry_run {
        let what = format_args!("would leave word that session {} has ended", call.session);
        Notices::at_once().warn(what);
    } else {
        active::end(&call.session);
    }
    Came::ToSomething
}

/// Says which of the variables that a call of `host` looks at are passed over.
fn tell_unusable(host: Host) {
    let of_host = [host.project_variable(), host.window_variable()].into_iter().flatten();
    let of_goose = (host == Host::Goose).then_some(moim::VARIABLE);
    for name in called::VARIABLES.into_iter().chain(of_host).chain(of_goose) {
        if let Err(VarError::NotUnicode(_)) = env::var(name) {
            Notices::at_once().warn(format_args!("passed over {name}: it is not UTF-8"));
        }
    }
}
