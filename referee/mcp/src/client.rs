//! One client: the protocol's side of the tools.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use protocol::shown_lines;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    InitializeRequestParams, InitializeResult, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;

use crate::Server;
use crate::answer::{Answer, Refusal};
use crate::tools::{self, TOOLS};

const INSTRUCTIONS: &str = include_str!("instructions.txt");

/// A connection, or a single request of a client that keeps none.
pub(crate) struct Client {
    server: Arc<Server>,
    id: u64,
    /// It has begun with a handshake, so that it ends when its client goes away.
    is_session: AtomicBool,
    _counted: Arc<()>,
}

/// Whoever calls a tool.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(crate) server: Arc<Server>,
    /// The connection whose end ends the matches that it began.
    pub(crate) session: Option<u64>,
}

impl Client {
    /// A new client, which holds `counted` as long as it lives, so that clients can be counted.
    pub(crate) fn new(server: Arc<Server>, counted: Arc<()>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Client {
            server,
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            is_session: AtomicBool::new(false),
            _counted: counted,
        }
    }

    fn caller(&self) -> Caller {
        let is_session = self.is_session.load(Ordering::Relaxed);
        Caller {
            server: self.server.clone(),
            session: is_session.then_some(self.id),
        }
    }

    async fn call(&self, request: CallToolRequestParams) -> Answer<Value> {
        let tool = tools::find(&request.name)?;
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        tool.call(self.caller(), arguments).await
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if self.is_session.load(Ordering::Relaxed) {
            self.server.matches.end_of(self.id);
        }
    }
}

impl ServerHandler for Client {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let version = env!("CARGO_PKG_VERSION");
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("referee", version))
            .with_instructions(INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.is_session.store(true, Ordering::Relaxed);
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = TOOLS.iter().map(tools::Tool::describe);
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::find(name).ok().map(tools::Tool::describe)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let answer = tokio::select! {
            answer = self.call(request) => answer,
            () = context.ct.cancelled() => Err(Refusal::new("the request was cancelled")),
        };
        let result = match answer {
            Ok(value) => CallToolResult::structured(value),
            // It may quote what came from outside.
            Err(Refusal(why)) => CallToolResult::error(vec![ContentBlock::text(shown_lines(&why))]),
        };
        Ok(result.into())
    }
}
