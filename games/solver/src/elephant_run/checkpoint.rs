//! Checkpoints of the search about starting tiles.

use std::io::{Read, Write};

use serde_json::{Map, Value};

use super::search::ChaseSolver;
use super::tiles::StartingTile;
use crate::checkpoint::{CheckpointError, Summed, compare};

/// The first bytes of every such checkpoint.
const MAGIC: &[u8; 16] = b"elephant tiles1\n";

impl ChaseSolver<'_> {
    /// Writes the tiles, and the table with all that was found for them.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(
        &self,
        about: &Map<String, Value>,
        tiles: &[StartingTile],
        out: impl Write,
    ) -> Result<(), CheckpointError> {
        let mut out = Summed::new(out);
        out.put(MAGIC)?;
        out.put_json(&(about, tiles))?;
        let entries = self.table.entries().iter().filter(|entry| **entry != 0);
        out.put(&(entries.clone().count() as u64).to_le_bytes())?;
        for entry in entries {
            out.put(&entry.to_le_bytes())?;
        }
        out.end()
    }

    /// Reads what [`ChaseSolver::save`] wrote.
    ///
    /// # Errors
    /// If it cannot be read or is about something else.
    pub fn restore(
        &mut self,
        about: &Map<String, Value>,
        from: impl Read,
    ) -> Result<Vec<StartingTile>, CheckpointError> {
        let mut from = Summed::new(from);
        from.magic(MAGIC)?;
        let (there, tiles): (Map<String, Value>, Vec<StartingTile>) = from.json()?;
        compare(&there, about)?;
        for _ in 0..from.number()? {
            self.table.put_entry(from.number()?);
        }
        from.check_end()?;
        Ok(tiles)
    }
}
