//! The protocol on stdin and stdout. A line that is no message is answered as such, and the next one is
//! read; the SDK's own transport is silent about some, and ends the connection for others.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::{
    ClientJsonRpcMessage, ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
    ServerResult,
};
use rmcp::service::ServerInitializeError;
use rmcp::transport::Transport;
use rmcp::{RoleServer, ServiceExt as _};
use serde_json::Value;
use serde_json::error::Category;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::{MOST_TO_END, Server, ServerError};

/// The longest message of a client, in bytes.
pub(crate) const MOST_LINE: usize = 4 << 20;
/// Answers that wait to be written; after that, no more messages are read.
const MOST_WAITING: usize = 64;

/// Serves one client until it closes stdin, at which `gone` is cancelled.
pub(crate) async fn serve(server: Arc<Server>, gone: CancellationToken) -> Result<(), ServerError> {
    let (lines, written) = Lines::new(tokio::io::stdin(), tokio::io::stdout(), gone);
    let served = match Client::new(server, Arc::default()).serve(lines).await {
        Ok(service) => service.waiting().await.map(drop).map_err(io::Error::other),
        // It went away before it had said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => return Err(ServerError::Begin(error.to_string())),
    };
    // The last answers are on their way, unless nobody takes them.
    let _ = timeout(MOST_TO_END, written).await;
    Ok(served?)
}

/// Messages as lines.
pub(crate) struct Lines<R> {
    input: BufReader<R>,
    /// The line so far.
    line: Vec<u8>,
    /// The line is too long: what follows of it is dropped.
    is_too_long: bool,
    output: mpsc::Sender<Vec<u8>>,
    /// The connection has begun: before, only requests are expected.
    has_begun: Arc<AtomicBool>,
    gone: CancellationToken,
}

impl<R: AsyncRead + Unpin + Send> Lines<R> {
    /// The connection, and the task that writes its answers.
    pub(crate) fn new(
        input: R,
        output: impl AsyncWrite + Unpin + Send + 'static,
        gone: CancellationToken,
    ) -> (Self, JoinHandle<()>) {
        let (sender, receiver) = mpsc::channel(MOST_WAITING);
        let written = tokio::spawn(write(receiver, output));
        let lines = Lines {
            input: BufReader::new(input),
            line: Vec::new(),
            is_too_long: false,
            output: sender,
            has_begun: Arc::default(),
            gone,
        };
        (lines, written)
    }

    /// Reads up to the end of the line; false at the end of the input. Cancel-safe: what was read stays.
    async fn read_line(&mut self) -> io::Result<bool> {
        loop {
            let read = self.input.fill_buf().await?;
            if read.is_empty() {
                return Ok(false);
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let part = &read[..end.unwrap_or(read.len())];
            if self.line.len() + part.len() > MOST_LINE {
                self.is_too_long = true;
                self.line = Vec::new();
            }
            if !self.is_too_long {
                self.line.extend_from_slice(part);
            }
            let consumed = part.len() + usize::from(end.is_some());
            self.input.consume(consumed);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// The message in the line, or the answer to what is none. `None` if there is nothing to say.
    fn message(&self) -> Result<Option<ClientJsonRpcMessage>, Box<ServerJsonRpcMessage>> {
        if self.is_too_long {
            let why = "the message is longer than 4 MiB";
            return Err(wrong(ErrorCode::INVALID_REQUEST, why, None));
        }
        if self.line.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        let message = match serde_json::from_slice::<ClientJsonRpcMessage>(&self.line) {
            Ok(message) => message,
            Err(error) => return Err(self.no_message(&error)),
        };
        let may_be_first = matches!(message, JsonRpcMessage::Request(_));
        Ok((may_be_first || self.has_begun.load(Ordering::Relaxed)).then_some(message))
    }

    fn no_message(&self, error: &serde_json::Error) -> Box<ServerJsonRpcMessage> {
        let is_json = !matches!(error.classify(), Category::Syntax | Category::Eof);
        let value = serde_json::from_slice::<Value>(&self.line).ok();
        match value.filter(|_| is_json) {
            None => wrong(ErrorCode::PARSE_ERROR, "the line is not JSON", None),
            Some(value) => {
                let id = value.get("id").cloned();
                let id = id.and_then(|id| serde_json::from_value::<RequestId>(id).ok());
                wrong(
                    ErrorCode::INVALID_REQUEST,
                    "this is no message of the protocol",
                    id,
                )
            }
        }
    }
}

fn wrong(code: ErrorCode, why: &'static str, id: Option<RequestId>) -> Box<ServerJsonRpcMessage> {
    Box::new(ServerJsonRpcMessage::error(
        ErrorData::new(code, why, None),
        id,
    ))
}

fn encoded(message: &ServerJsonRpcMessage) -> Vec<u8> {
    let mut line = serde_json::to_vec(message).unwrap_or_default();
    line.push(b'\n');
    line
}

/// Writes answers until the other side takes none any more.
async fn write(mut answers: mpsc::Receiver<Vec<u8>>, mut output: impl AsyncWrite + Unpin) {
    while let Some(line) = answers.recv().await {
        if output.write_all(&line).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}

impl<R: AsyncRead + Unpin + Send> Transport<RoleServer> for Lines<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        if let JsonRpcMessage::Response(response) = &message {
            let is_bootstrap = matches!(
                response.result,
                ServerResult::EmptyResult(_) | ServerResult::DiscoverResult(_)
            );
            self.has_begun.fetch_or(!is_bootstrap, Ordering::Relaxed);
        }
        let output = self.output.clone();
        async move {
            let sent = output.send(encoded(&message)).await;
            sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // Nothing is read that could not be answered, and an answer is not cut off in the middle.
            let answer = self.output.clone().reserve_owned().await.ok()?;
            if !self.read_line().await.unwrap_or(false) {
                self.gone.cancel();
                return None;
            }
            let message = self.message();
            self.line.clear();
            self.is_too_long = false;
            match message {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(wrong) => drop(answer.send(encoded(&wrong))),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}
