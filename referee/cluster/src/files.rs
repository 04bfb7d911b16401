//! Files that workers need, as messages of one stream for each tournament: a piece is a message, and the
//! last message of a file says how long it is. A file is there when that message is.

use std::io::{self, Read, Write};

use async_nats::HeaderMap;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::api;
use crate::connection::Connection;
use crate::coordinator::{one_for_each, open_stream};
use crate::error::ClusterError;
use crate::names::TournamentId;
use crate::patience::Patience;

/// How many bytes a piece has. The server's own default for a message is 1 MiB.
const PIECE: usize = 128 << 10;
/// What stands in place of a piece's number in the last message of a file.
const END: &str = "end";
/// What servers say whose disk or quota is full. They call that passing, but it does not pass by itself.
const FULL: &str = "insufficient resources";

/// The last message of a file.
#[derive(Debug, Serialize, Deserialize)]
struct End {
    pieces: u64,
    bytes: u64,
}

/// Why a file is not on the server, or does not come from there.
#[derive(Debug, Error)]
pub enum FileError {
    /// The server.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// The server has no room for it.
    #[error(
        "the NATS server has no room for it (`max_file_store` in its configuration, or its disk)"
    )]
    Full,
    /// The server does not have it, or not all of it.
    #[error("the NATS server does not have all of it")]
    Missing,
    /// It is longer than the reader takes.
    #[error("it has {bytes} bytes, and at most {most} are taken")]
    TooLong {
        /// How long it is.
        bytes: u64,
        /// How long it may be.
        most: u64,
    },
    /// It cannot be read or written here.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl FileError {
    /// Whether the same may well succeed later: nobody has answered, or not everything was there.
    pub fn is_passing(&self) -> bool {
        match self {
            FileError::Cluster(error) => error.is_passing(),
            FileError::Missing => true,
            FileError::Full | FileError::TooLong { .. } | FileError::Io(_) => false,
        }
    }
}

/// Stores a file under a name, which is a word, unless it is there. What is stored already of it is taken
/// for the same: the name has to be made from what is in it.
///
/// # Errors
/// If it cannot be read, or the server does not take it.
pub async fn put_file(
    connection: &Connection,
    tournament: &TournamentId,
    name: &str,
    mut from: impl Read,
) -> Result<(), FileError> {
    let stream = tournament.files();
    let config = one_for_each(&tournament.file("*", "*"), "limits");
    let end = tournament.file(name, END);
    let patience = Patience::new();
    let found = loop {
        let found = match open_stream(connection, &stream, &config).await {
            Ok(()) => api::first_from(connection, &stream, 1, &end).await,
            Err(error) => Err(error),
        };
        match found {
            Err(error) if patience.bears(&error).await => {}
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
    let patience = Patience::new();
    loop {
        let (subject, bytes) = (subject.clone(), bytes.clone());
        match api::store(connection, subject, HeaderMap::new(), bytes).await {
            // It may have been there before.
            Ok(_) => return Ok(()),
            Err(ClusterError::Unanswered(why)) if why.contains(FULL) => {
                return Err(FileError::Full);
            }
            Err(error) if patience.bears(&error).await => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Writes a file that has this name to `to`; not more than `most` bytes, whatever the server has.
///
/// # Errors
/// If it is not there, or not whole, or longer; or cannot be written.
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
        // Whoever can write there can write anything; an empty piece would go on for ever.
        if written > most || piece.is_empty() {
            return Err(too_long(written));
        }
        to.write_all(&piece)?;
    }
    to.flush()?;
    Ok(())
}

/// What the message of a subject has.
async fn piece(
    connection: &Connection,
    tournament: &TournamentId,
    subject: String,
) -> Result<Vec<u8>, FileError> {
    let stream = tournament.files();
    let mut found = api::last_of(connection, &stream, &subject).await;
    // Not for long: servers do not answer either where there is no such stream any more.
    if found.as_ref().is_err_and(ClusterError::is_passing) {
        found = api::last_of(connection, &stream, &subject).await;
    }
    match found {
        Ok(Some(payload)) => Ok(payload),
        Ok(None) | Err(ClusterError::Unknown) => Err(FileError::Missing),
        Err(error) => Err(error.into()),
    }
}
