//! What `mcp` takes, and how it serves.

use std::io;

use clap::Args;

use super::{
    line::read_line,
    rpc::{self, Answer, Message},
    sdk::Sdk,
    server::Server,
};
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
