//! The streams of tournaments on a server.

use serde_json::Value;

use crate::api;
use crate::connection::Connection;
use crate::error::ClusterError;
use crate::names::TOURNAMENTS;

/// All streams of tournaments as `NAME: MESSAGES`; none when all tournaments are over.
///
/// # Errors
/// If the server does not answer.
pub async fn streams(connection: &Connection) -> Result<Vec<String>, ClusterError> {
    let list = api::ask(connection, "STREAM.LIST", &Value::Null).await?;
    let streams = list["streams"].as_array().into_iter().flatten();
    let described = streams.filter_map(|stream| {
        let name = stream["config"]["name"].as_str()?;
        let messages = stream["state"]["messages"].as_u64()?;
        // The stream of announcements stays.
        let is_ours = name.starts_with("referee-") && (name != TOURNAMENTS || messages > 0);
        is_ours.then(|| format!("{name}: {messages}"))
    });
    Ok(described.collect())
}
