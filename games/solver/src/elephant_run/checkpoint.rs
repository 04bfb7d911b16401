//! Checkpoints: what is known about each starting tile after the last number of points.

use std::io::{Read, Write};

use games::rules::elephant_run::board::ALL;
use serde_json::{Map, Value};

use super::tiles::{MOST_POINTS, StartingTile, starting_tiles};
use crate::checkpoint::{CheckpointError, restore_value, save_value};

/// The first bytes of every such checkpoint.
const MAGIC: &[u8; 16] = b"elephant tiles2\n";

/// Writes what is known about the tiles.
///
/// # Errors
/// If it cannot be written.
pub fn save(
    about: &Map<String, Value>,
    tiles: &[StartingTile],
    out: impl Write,
) -> Result<(), CheckpointError> {
    save_value(MAGIC, about, tiles, out)
}

/// Reads what [`save`] wrote.
///
/// # Errors
/// If it cannot be read or is about something else.
pub fn restore(
    about: &Map<String, Value>,
    from: impl Read,
) -> Result<Vec<StartingTile>, CheckpointError> {
    let tiles: Vec<StartingTile> = restore_value(MAGIC, about, from)?;
    let is_whole = tiles.iter().map(|tile| tile.tile).eq(starting_tiles());
    let is_possible = |tile: &StartingTile| {
        tile.at_least <= MOST_POINTS && tile.holding & !(ALL & !(1 << tile.tile)) == 0
    };
    if is_whole && tiles.iter().all(is_possible) {
        Ok(tiles)
    } else {
        Err(CheckpointError::Damaged)
    }
}
