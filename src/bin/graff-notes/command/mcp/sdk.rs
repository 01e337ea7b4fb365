//! The SDK at work: it is handed one message at a time and gives back its answer.
//!
//! Since the next message is read only when the last one is answered, answers stand in the order of
//! what was asked, at most one message stands in either channel, and one id does for all.

use std::future::Future;

use rmcp::{
    ErrorData, RoleServer,
    model::{
        ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, JsonRpcMessage,
        NumberOrString, ServerJsonRpcMessage, ServerResult,
    },
    service::{RunningService, serve_directly},
    transport::Transport,
};
use tokio::sync::mpsc::{Receiver, Sender, channel, error::SendError};

use super::server::Server;

/// What every request is called here.
const ID: NumberOrString = NumberOrString::Number(0);

/// The SDK at work in a task of its own.
#[derive(Debug)]
pub(super) struct Sdk {
    messages: Sender<ClientJsonRpcMessage>,
    answers: Receiver<ServerJsonRpcMessage>,
    task: RunningService<RoleServer, Server>,
}

/// The SDK's end of it.
struct Link {
    messages: Receiver<ClientJsonRpcMessage>,
    answers: Sender<ServerJsonRpcMessage>,
}

impl Sdk {
    /// Sets it to work, on the runtime that runs this. No handshake is waited for: a client makes
    /// one, makes none, or asks at once, as it likes.
    pub(super) fn at_work(server: Server) -> Self {
        let (messages, incoming) = channel(1);
        let (outgoing, answers) = channel(1);
        let task = serve_directly(server, Link { messages: incoming, answers: outgoing }, None);
        Self { messages, answers, task }
    }

    /// Tells it something.
    pub(super) async fn tell(&self, notification: ClientNotification) {
        // Only one that has ended doesn't hear it.
        let _ = self.messages.send(ClientJsonRpcMessage::notification(notification)).await;
    }

    /// Asks it something.
    pub(super) async fn ask(&mut self, request: ClientRequest) -> Result<ServerResult, ErrorData> {
        // One that has ended doesn't answer, either.
        let _ = self.messages.send(ClientJsonRpcMessage::request(request, ID)).await;
        match self.answers.recv().await {
            Some(JsonRpcMessage::Response(answer)) => Ok(answer.result),
            Some(JsonRpcMessage::Error(refusal)) => Err(in_words(refusal.error)),
            _ => Err(ErrorData::internal_error("the server gave no answer", None)),
        }
    }

    /// Returns once it has ended.
    pub(super) async fn end(self) {
        drop(self.messages);
        let _ = self.task.waiting().await;
    }
}

/// Returns a refusal in words: of a method that is not served the SDK says its bare name.
fn in_words(mut refusal: ErrorData) -> ErrorData {
    if refusal.code == ErrorCode::METHOD_NOT_FOUND && !refusal.message.contains(' ') {
        refusal.message = format!("there is no method {}", refusal.message).into();
    }
    refusal
}

impl Transport<RoleServer> for Link {
    type Error = SendError<ServerJsonRpcMessage>;

    fn send(
        &mut self,
        answer: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answers = self.answers.clone();
        async move { answers.send(answer).await }
    }

    fn receive(&mut self) -> impl Future<Output = Option<ClientJsonRpcMessage>> + Send {
        self.messages.recv()
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.messages.close();
        Ok(())
    }
}
