//! Streamable HTTP, for programs on this machine alone: pages in a browser and foreign names that resolve
//! to this server get nothing.

use std::io;
use std::sync::Arc;

use axum::Router;
use http::Limits;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use crate::client::Client;
use crate::stdio::MOST_LINE;
use crate::{Server, ServerError};

/// Clients at a time.
const MOST_CLIENTS: usize = 64;

/// Answers for ever.
pub(crate) async fn serve(server: Arc<Server>, listener: TcpListener) -> Result<(), ServerError> {
    let port = listener.local_addr()?.port();
    let own = ["127.0.0.1", "localhost", "[::1]"].map(|host| format!("http://{host}:{port}"));
    let config = StreamableHttpServerConfig::default()
        .with_allowed_origins(own)
        .with_cancellation_token(server.ended.clone())
        .with_max_request_body_bytes(MOST_LINE);
    let mut sessions = SessionConfig::default();
    sessions.keep_alive = Some(server.settings.idle);
    let mut manager = LocalSessionManager::default();
    manager.session_config = sessions;
    let open = Arc::new(());
    let client = move || match Arc::strong_count(&open) {
        count if count > MOST_CLIENTS => Err(io::Error::other("too many clients are connected")),
        _ => Ok(Client::new(server.clone(), open.clone())),
    };
    let service = StreamableHttpService::new(client, Arc::new(manager), config);
    let router = Router::new().fallback_service(service);
    match http::serve(listener, router, Limits::DEFAULT).await {}
}
