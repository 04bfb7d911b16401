//! Checkpoints: what a search has found, as bytes.
//!
//! A line of JSON that says what is searched, the counts, the entries of the table, and a checksum. A
//! table of another size takes the entries as well, as far as there is room.

use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::playable::Playable;
use crate::solve::Solver;
use crate::table::{ENTRY, Entry};

/// The first bytes of every checkpoint.
const MAGIC: &[u8; 16] = b"referee solve 2\n";
/// Offset of the version number.
const VERSION: usize = 14;
/// The most bytes of the line of JSON.
const MOST_JSON: u64 = 1 << 24;

/// The reason why a checkpoint cannot be used.
#[derive(Debug, Error)]
pub enum CheckpointError {
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is no checkpoint.
    #[error("it is not a checkpoint of `referee solve`")]
    Magic,
    /// It is of another version, whose searches distinguished positions in another way.
    #[error(
        "it was written by another version of `referee solve`, which this one cannot go on from; without \
         --resume, a new search begins"
    )]
    Version,
    /// It was cut off or changed.
    #[error("it is damaged or cut off")]
    Damaged,
    #[error("it is of another {what}: {there}, where the command line says {here}")]
    Other {
        what: String,
        there: String,
        here: String,
    },
}

#[derive(Serialize, Deserialize)]
struct Head {
    /// The caller's description of the position to search.
    about: serde_json::Map<String, Value>,
    positions: u64,
    bounds: (i32, i32),
    last: Option<bool>,
    entries: u64,
}

/// A reader or writer with a running checksum.
struct Summed<T> {
    inner: T,
    sum: u64,
}

impl<T> Summed<T> {
    fn new(inner: T) -> Self {
        Summed { inner, sum: 0 }
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.sum = (self.sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

impl<T: Write> Summed<T> {
    fn put(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        self.add(bytes);
        Ok(self.inner.write_all(bytes)?)
    }

    fn put_json(&mut self, value: &impl Serialize) -> Result<(), CheckpointError> {
        let text = serde_json::to_vec(value).map_err(io::Error::other)?;
        self.put(&(text.len() as u64).to_le_bytes())?;
        self.put(&text)
    }

    /// Writes the checksum.
    fn end(mut self) -> Result<(), CheckpointError> {
        let sum = self.sum;
        self.put(&sum.to_le_bytes())?;
        Ok(self.inner.flush()?)
    }
}

impl<T: Read> Summed<T> {
    fn take(&mut self, bytes: &mut [u8]) -> Result<(), CheckpointError> {
        let read = self.inner.read_exact(bytes);
        read.map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => CheckpointError::Damaged,
            _ => CheckpointError::Io(error),
        })?;
        self.add(bytes);
        Ok(())
    }

    fn number(&mut self) -> Result<u64, CheckpointError> {
        let mut bytes = [0; 8];
        self.take(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn json<V: DeserializeOwned>(&mut self) -> Result<V, CheckpointError> {
        let length = self.number()?;
        if length > MOST_JSON {
            return Err(CheckpointError::Damaged);
        }
        let mut text = vec![0; length as usize];
        self.take(&mut text)?;
        serde_json::from_slice(&text).map_err(|_| CheckpointError::Damaged)
    }

    /// Checks the first bytes.
    fn magic(&mut self, expected: &[u8; 16]) -> Result<(), CheckpointError> {
        let mut magic = [0; 16];
        match self.take(&mut magic) {
            Ok(()) if magic == *expected => Ok(()),
            Ok(()) if magic[..VERSION] == expected[..VERSION] => Err(CheckpointError::Version),
            Err(CheckpointError::Io(error)) => Err(CheckpointError::Io(error)),
            _ => Err(CheckpointError::Magic),
        }
    }

    fn check_end(mut self) -> Result<(), CheckpointError> {
        let sum = self.sum;
        if self.number()? == sum {
            Ok(())
        } else {
            Err(CheckpointError::Damaged)
        }
    }
}

/// Writes a checkpoint that is one value: `about` says what of, and [`restore_value`] must be given the same.
pub(crate) fn save_value(
    magic: &[u8; 16],
    about: &serde_json::Map<String, Value>,
    value: &(impl Serialize + ?Sized),
    out: impl Write,
) -> Result<(), CheckpointError> {
    let mut out = Summed::new(out);
    out.put(magic)?;
    out.put_json(&(about, value))?;
    out.end()
}

/// Reads what [`save_value`] wrote.
pub(crate) fn restore_value<V: DeserializeOwned>(
    magic: &[u8; 16],
    about: &serde_json::Map<String, Value>,
    from: impl Read,
) -> Result<V, CheckpointError> {
    let mut from = Summed::new(from);
    from.magic(magic)?;
    let (there, value): (serde_json::Map<String, Value>, V) = from.json()?;
    compare(&there, about)?;
    from.check_end()?;
    Ok(value)
}

impl Entry {
    fn to_bytes(self) -> [u8; ENTRY] {
        let mut bytes = [0; ENTRY];
        bytes[..16].copy_from_slice(&self.key.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.first.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.second.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.work.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; ENTRY]) -> Self {
        let number = |at: usize| {
            let part = bytes[at..at + 4].iter().rev();
            part.fold(0, |number, byte| number << 8 | u32::from(*byte))
        };
        let key = bytes[..16].iter().rev();
        Entry {
            key: key.fold(0, |key, byte| key << 8 | u128::from(*byte)),
            first: number(16),
            second: number(20),
            work: number(24),
        }
    }
}

impl<G: Playable> Solver<'_, G> {
    /// Writes all that has been found. `about` says what is searched; [`Solver::restore`] must be given
    /// the same.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(
        &self,
        about: &serde_json::Map<String, Value>,
        out: impl Write,
    ) -> Result<(), CheckpointError> {
        let state = self.engine.state();
        let table = &state.table;
        let head = Head {
            about: about.clone(),
            positions: state.progress.positions,
            bounds: state.progress.bounds,
            last: self.last,
            entries: table.used() as u64,
        };
        let mut out = Summed::new(out);
        out.put(MAGIC)?;
        out.put_json(&head)?;
        for entry in table.iter() {
            out.put(&entry.to_bytes())?;
        }
        out.end()
    }

    /// Reads what [`Solver::save`] wrote, to go on from there.
    ///
    /// # Errors
    /// If it cannot be read, or is about something else; the solver is then of no use.
    pub fn restore(
        &mut self,
        about: &serde_json::Map<String, Value>,
        from: impl Read,
    ) -> Result<(), CheckpointError> {
        let mut from = Summed::new(from);
        from.magic(MAGIC)?;
        let head: Head = from.json()?;
        compare(&head.about, about)?;
        let state = self.engine.state_mut();
        for _ in 0..head.entries {
            let mut bytes = [0; ENTRY];
            from.take(&mut bytes)?;
            state.table.put(Entry::from_bytes(&bytes));
        }
        from.check_end()?;
        state.progress.positions = head.positions;
        state.progress.bounds = head.bounds;
        self.last = head.last;
        Ok(())
    }
}

/// An error that names the first thing that differs.
fn compare(
    there: &serde_json::Map<String, Value>,
    here: &serde_json::Map<String, Value>,
) -> Result<(), CheckpointError> {
    // Files of 0.1.0 name the version of the program, which says nothing of what was searched: the
    // format has a number of its own.
    let keys = here
        .keys()
        .chain(there.keys())
        .filter(|key| *key != "version");
    let value =
        |map: &serde_json::Map<String, Value>, key| map.get(key).cloned().unwrap_or_default();
    for key in keys {
        let (there, here) = (value(there, key), value(here, key));
        if there != here {
            return Err(CheckpointError::Other {
                what: key.clone(),
                there: there.to_string(),
                here: here.to_string(),
            });
        }
    }
    Ok(())
}
