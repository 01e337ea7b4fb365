//! `mcp`: the notes as tools of an MCP server on stdin and stdout, for a model that wants to write
//! or look by itself.
//!
//! stdout carries protocol messages and nothing else; what is to be said besides goes to stderr.
//! Nothing is kept from one call to the next, and no file is held open: a store that was removed
//! meanwhile is made anew by the next note, or the call fails.
//!
//! The protocol is the official SDK's, on a runtime of one thread that no other command starts. The
//! lines are ours, since they promise more than its own: docs/design.md says what.

mod active;
mod caller;
mod rpc;
mod sdk;
mod server;
mod tools;
mod whose;

use std::io::{self, BufRead, Read};

use clap::Args;
use graff_notes::note::NoteText;
use rpc::{Answer, Message};
use sdk::Sdk;
use server::Server;

use crate::{
    context::{self, Context},
    exit::Exit,
    failure::{Failure, Stop},
};

const EXAMPLES: &str = "\
Examples:
  claude mcp add notes -- graff-notes mcp
  codex mcp add notes -- graff-notes mcp
  graff-notes mcp --session fix-parser </dev/null

It serves until its stdin ends. docs/hosts/mcp.md says how each agent is told of it.";

/// A longer message is refused, in bytes without its line break: room for a note of the largest
/// size with each byte escaped, twice over. What is made of a message can take a hundred times its
/// size.
const LINE_BYTES_MAX: usize = 1024 * 1024;

const _: () = assert!(LINE_BYTES_MAX > 2 * 6 * NoteText::BYTES_LIMIT, "six stand for one at most");

/// What whoever reads stderr is told where the answer to a call could not be handed on.
const UNHEARD: &str = "what was asked was done all the same: a note that it brought is on disk, \
                       and `graff-notes log` shows it";

/// Serves the notes as tools over MCP, on stdin and stdout
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Mcp {
    /// Session that the tools are about where a call names none; without it the host says which, or
    /// it is the one that was last active in the folder
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
}

impl Mcp {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        if let Some(name) = &self.session {
            context::session(name)?;
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let runtime = runtime.map_err(|e| Failure::system("start the server", &e))?;
        runtime.block_on(self.serve(cx))
    }

    async fn serve(self, cx: &mut Context) -> Result<Exit, Stop> {
        let mut sdk = Sdk::at_work(Server::of(cx.place(), self.session));
        let mut stdin = io::stdin().lock();
        let mut line = Vec::new();
        // It may block the thread: all that was asked so far is answered.
        while read_line(&mut stdin, &mut line)? {
            let (id, outcome) = match rpc::read(&line) {
                Message::Request(id, request) => (id, sdk.ask(*request).await),
                Message::Refused(id, refusal) => (id, Err(refusal)),
                Message::Notification(notification) => {
                    sdk.tell(notification).await;
                    continue;
                }
                Message::Silent => continue,
            };
            let said = cx.out.json(&Answer::to(&id, outcome.as_ref()));
            said.and_then(|()| cx.out.flush()).map_err(|stop| stop.advise(UNHEARD))?;
        }
        sdk.end().await;
        Ok(Exit::Done)
    }
}

/// Reads the next message into `line`, without its line break, and the first bytes of it where it
/// is too long; returns false at the end.
fn read_line(stdin: &mut impl BufRead, line: &mut Vec<u8>) -> Result<bool, Failure> {
    line.clear();
    let most = LINE_BYTES_MAX as u64 + 1;
    let read = stdin.by_ref().take(most).read_until(b'\n', line);
    let read = read.and_then(|read| {
        let ended = line.pop_if(|last| *last == b'\n').is_some();
        if !ended && line.len() > LINE_BYTES_MAX {
            stdin.skip_until(b'\n')?;
        }
        Ok(read)
    });
    read.map(|read| read > 0).map_err(|e| Failure::system("read a message from stdin", &e))
}
