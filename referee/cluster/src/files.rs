//! Files for workers, in one stream per tournament. Each piece of a file is a message, and its last message
//! has the length. A file is complete when that message is there.

use std::io::{self, Read, Write};

use async_nats::HeaderMap;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::api;
use crate::connection::Connection;
use crate::coordinator::{one_for_each, open_stream};
use crate::error::ClusterError;
use crate::names::TournamentId;
use crate::retry::Retry;

/// Bytes of a piece. The server's default limit of a message is 1 MiB.
const PIECE: usize = 128 << 10;
/// The last message of a file has this in place of a piece's number.
const END: &str = "end";

/// The last message of a file.
#[derive(Debug, Serialize, Deserialize)]
struct End {
    pieces: u64,
    bytes: u64,
}

/// A file cannot be stored on the server, or fetched from it.
#[derive(Debug, Error)]
pub enum FileError {
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// The server's disk or quota is full.
    #[error(
        "the NATS server has no room for it (`max_file_store` in its configuration, or its disk)"
    )]
    Full,
    /// The server has no such file, or not all of it.
    #[error("the NATS server does not have all of it")]
    Missing,
    /// The file is longer than the reader allows.
    #[error("it has {bytes} bytes, and at most {most} are taken")]
    TooLong {
        /// Its length.
        bytes: u64,
        /// The limit.
        most: u64,
    },
    /// A local error.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl FileError {
    /// True if a retry may succeed.
    pub fn is_passing(&self) -> bool {
        match self {
            FileError::Cluster(error) => error.is_passing(),
            FileError::Missing => true,
            FileError::Full | FileError::TooLong { .. } | FileError::Io(_) => false,
        }
    }
}

/// Stores a file under a one-word name, unless it is there. The name must identify the content: pieces
/// that are already stored are not compared.
///
/// # Errors
/// If it cannot be read, or the server refuses it.
pub async fn put_file(
    connection: &Connection,
    tournament: &TournamentId,
    name: &str,
    mut from: impl Read,
) -> Result<(), FileError> {
    let stream = tournament.files();
    let config = one_for_each(&tournament.file("*", "*"), "limits");
    let end = tournament.file(name, END);
    let retry = Retry::new();
    let found = loop {
        let found = match open_stream(connection, &stream, &config).await {
            Ok(()) => api::first_from(connection, &stream, 1, &end).await,
            Err(error) => Err(error),
        };
        match found {
            Err(error) if retry.after(&error).await => {}
            done => break done?,
        }
    };
    if found.is_some() {
        return Ok(());
    }
    let (mut pieces, mut bytes) = (0, 0);
    loop {
        let mut piece = Vec::with_capacity(PIECE);
        from.by_ref().take(PIECE as u64).read_to_end(&mut piece)?;
        if piece.is_empty() {
            break;
        }
        bytes += piece.len() as u64;
        store(connection, tournament.file(name, pieces), piece).await?;
        pieces += 1;
    }
    let last = serde_json::to_vec(&End { pieces, bytes }).map_err(io::Error::from)?;
    store(connection, end, last).await
}

async fn store(connection: &Connection, subject: String, bytes: Vec<u8>) -> Result<(), FileError> {
    let retry = Retry::new();
    loop {
        let (subject, bytes) = (subject.clone(), bytes.clone());
        match api::store(connection, subject, HeaderMap::new(), bytes).await {
            // True or false: it may have been there before.
            Ok(_) => return Ok(()),
            Err(ClusterError::Full(_)) => return Err(FileError::Full),
            Err(error) if retry.after(&error).await => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Writes the file with this name to `to`, at most `most` bytes.
///
/// # Errors
/// If it is missing, incomplete or longer, or cannot be written.
pub async fn get_file(
    connection: &Connection,
    tournament: &TournamentId,
    name: &str,
    most: u64,
    mut to: impl Write,
) -> Result<(), FileError> {
    let end = piece(connection, tournament, tournament.file(name, END)).await?;
    let End { pieces, bytes } = serde_json::from_slice(&end).map_err(io::Error::from)?;
    let too_long = |bytes| FileError::TooLong { bytes, most };
    if bytes > most {
        return Err(too_long(bytes));
    }
    let mut written = 0;
    for number in 0..pieces {
        let piece = piece(connection, tournament, tournament.file(name, number)).await?;
        written += piece.len() as u64;
        // The content is not trusted; empty pieces could go on forever.
        if written > most || piece.is_empty() {
            return Err(too_long(written));
        }
        to.write_all(&piece)?;
    }
    to.flush()?;
    Ok(())
}

/// The payload of a subject's message.
async fn piece(
    connection: &Connection,
    tournament: &TournamentId,
    subject: String,
) -> Result<Vec<u8>, FileError> {
    let stream = tournament.files();
    let mut found = api::last_of(connection, &stream, &subject).await;
    // One retry only: servers do not answer either if the stream is gone.
    if found.as_ref().is_err_and(ClusterError::is_passing) {
        found = api::last_of(connection, &stream, &subject).await;
    }
    match found {
        Ok(Some(payload)) => Ok(payload),
        Ok(None) | Err(ClusterError::Unknown) => Err(FileError::Missing),
        Err(error) => Err(error.into()),
    }
}
