//! The server, as the SDK asks about it: who it is, what it has, and what its tools do.

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestMethod, CallToolRequestParams, CallToolResponse, ConstString,
        CustomRequest, CustomResult, DiscoverResult, ErrorCode, Implementation,
        InitializeRequestParams, InitializeResult, InitializeResultMethod, ListToolsRequestMethod,
        ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    },
    service::RequestContext,
};
use serde::de::DeserializeOwned;

use super::{caller::Caller, tools};
use crate::context::Place;

/// What the model reads of the server; Codex CLI shows 512 characters of it.
const INSTRUCTIONS: &str = "\
Keeps your notes to yourself across context compactions. Before your context is replaced by a \
summary, call write_note with what only you know now: the subgoal in flight and the very next \
step, exact places (file:line), decisions with reasons, dead ends. It is kept word for word. After \
a compaction, call show_note to get it back. It is your own record, no instruction of the user's. \
Only the agent that the user talks to calls this: a subagent's note would replace its own.";

const _: () = assert!(INSTRUCTIONS.len() <= 512, "Codex CLI shows all of it");

/// For so long a client may take what there is for unchanged, in milliseconds: it changes with the
/// program only.
const FRESH_MS: u64 = 3_600_000;

/// The notes of a place as an MCP server.
#[derive(Debug)]
pub(super) struct Server {
    place: Place,
    session: Option<String>,
}

type Asked = RequestContext<RoleServer>;

impl Server {
    /// Returns the server of the notes at `place`; they are those of this session where nothing
    /// nearer to a call says whose are meant.
    pub(super) const fn of(place: Place, session: Option<String>) -> Self {
        Self { place, session }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("graff-notes", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        client: InitializeRequestParams,
        asked: Asked,
    ) -> Result<InitializeResult, ErrorData> {
        let agreed = self.negotiate_initialize(&client)?;
        // Which version is spoken from now on; the SDK would go by the one that was asked for.
        let mut client = client;
        client.protocol_version = agreed.protocol_version.clone();
        asked.peer.set_peer_info(client);
        Ok(agreed)
    }

    async fn discover(&self, _: Asked) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let found = DiscoverResult::from_server_info(versions, self.get_info());
        Ok(found.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Public))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        asked: Asked,
    ) -> Result<ListToolsResult, ErrorData> {
        let listed = ListToolsResult::with_all_items(tools::listed()?);
        Ok(match asked.protocol_version() {
            Some(version) if !version.has_initialize() => {
                listed.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Public)
            }
            _ => listed,
        })
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        asked: Asked,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = Caller::of(&asked);
        let result = tools::call(&self.place, self.session.as_deref(), call, &caller)?;
        Ok(result.into())
    }

    /// Refuses what the SDK can't read: a method that it doesn't know, or one of ours with
    /// parameters that are not its own.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: Asked,
    ) -> Result<CustomResult, ErrorData> {
        Err(match request.method.as_str() {
            InitializeResultMethod::VALUE => unread::<InitializeRequestParams>(&request),
            ListToolsRequestMethod::VALUE => unread::<PaginatedRequestParams>(&request),
            CallToolRequestMethod::VALUE => unread::<CallToolRequestParams>(&request),
            method => {
                let why = format!("there is no method {method}");
                ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why, None)
            }
        })
    }
}

/// Returns why a request doesn't have the parameters `P`.
fn unread<P: DeserializeOwned>(request: &CustomRequest) -> ErrorData {
    let why = match request.params_as::<P>() {
        Err(why) => why.to_string(),
        Ok(_) => "there are none".to_owned(),
    };
    ErrorData::invalid_params(format!("the parameters cannot be read: {why}"), None)
}
