//! `referee solve elephant-run --starting-tiles`: a report on how far the elephant gets from each
//! starting tile.

use std::cell::{Cell, RefCell};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use bytesize::ByteSize;
use games::Session;
use report::solutions::elephant_run::{as_json, names, report};
use serde_json::{Map, Value};
use solver::elephant_run::{Bound, ChaseSolver, StartingTile, Stopped, board, starting_tiles};

use super::AT_LIMIT;
use super::checkpoint;
use super::watch::{Progress, StopSignal};
use crate::cli::common::format::print_json;
use crate::cli::{CliError, print};

/// Positions a tile's turn.
const SLICE: u64 = 1_000_000;

/// The relevant options of the game.
struct Options {
    farmers: u32,
    ranged_jumps: bool,
}

impl Options {
    fn of(options: &Value) -> Self {
        let farmers = options["farmers"].as_u64().unwrap_or(6);
        Options {
            farmers: farmers as u32,
            ranged_jumps: options["ranged_jumps"].as_bool().unwrap_or(false),
        }
    }

    fn about(&self) -> Map<String, Value> {
        let mut about = Map::new();
        about.insert("version".into(), env!("CARGO_PKG_VERSION").into());
        about.insert("farmers".into(), self.farmers.into());
        about.insert("ranged_jumps".into(), self.ranged_jumps.into());
        about
    }
}

/// The search behind the report.
pub(super) struct Report {
    pub(super) options: Value,
    pub(super) memory: ByteSize,
    pub(super) positions: Option<u64>,
    pub(super) checkpoint: Option<PathBuf>,
    pub(super) resume: bool,
    pub(super) tiles: Vec<String>,
    pub(super) json: bool,
}

impl Report {
    /// Searches, and prints the report.
    pub(super) fn run(&self, start: &dyn Session, stop: &StopSignal) -> Result<(), CliError> {
        let options = Options::of(&self.options);
        let about = options.about();
        let progress = Progress::new(stop.clone());
        let bytes = usize::try_from(self.memory.as_u64()).unwrap_or(usize::MAX);
        let note = RefCell::new(String::new());
        let slice = Cell::new(u64::MAX);
        let limit = Cell::new(self.positions.unwrap_or(u64::MAX));
        let watch = |positions: u64, filled: f64| {
            let go_on = progress.tick(|seconds| {
            let rate = positions as f64 / seconds.max(1e-3);
            let note = note.borrow();
            format!(
                "{seconds:.0} s: {positions} positions ({rate:.0}/s), table {:.0} % full, {note}",
                filled * 100.0
            )
        });
            go_on && positions <= limit.get() && positions <= slice.get()
        };
        let mut solver = ChaseSolver::new(options.ranged_jumps, bytes, Box::new(watch));
        let mut tiles: Vec<StartingTile> = match &self.checkpoint {
            Some(file) if self.resume => {
                let mut tiles = Vec::new();
                checkpoint::read(file, |from| {
                    tiles = solver.restore(&about, from)?;
                    Ok(())
                })?;
                tiles
            }
            _ => {
                let new = |tile| StartingTile::new(tile, options.farmers);
                starting_tiles().into_iter().map(new).collect()
            }
        };
        let wanted = wanted(&self.tiles)?;
        // The tiles take turns, and so do their two bounds.
        let mut ended = Err(Stopped);
        'all: while ended.is_err() {
            ended = Ok(());
            for bound in [Bound::Upper, Bound::Lower] {
                for at in 0..tiles.len() {
                    if tiles[at].is_solved() || !wanted.contains(&tiles[at].tile) {
                        continue;
                    }
                    slice.set(solver.positions + SLICE);
                    if take_turn(&mut solver, &mut tiles[at], bound, &note).is_err() {
                        ended = Err(Stopped);
                    }
                    if stop.is_set() || solver.positions > limit.get() {
                        break 'all;
                    }
                    if progress.save_is_due() {
                        save(self.checkpoint.as_deref(), &solver, &about, &tiles)?;
                        progress.saved();
                    }
                }
            }
        }
        progress.finish();
        save(self.checkpoint.as_deref(), &solver, &about, &tiles)?;
        if stop.is_set() {
            return Err(CliError::Interrupted);
        }
        // The lines of play are found again in the transposition table.
        slice.set(u64::MAX);
        limit.set(u64::MAX);
        tiles.retain(|tile| wanted.contains(&tile.tile));
        let mut lines = Vec::new();
        for tile in &tiles {
            lines.push(line(&mut solver, tile, start)?);
        }
        if self.json {
            print_json(&as_json(&tiles, &lines))?;
        } else {
            print(&report(
                options.farmers,
                options.ranged_jumps,
                self.memory,
                &tiles,
                &lines,
            ))?;
        }
        if tiles.iter().all(StartingTile::is_solved) {
            Ok(())
        } else {
            Err(CliError::Unsolved(AT_LIMIT))
        }
    }
}

/// The requested tiles, by default all.
fn wanted(names: &[String]) -> Result<Vec<u8>, CliError> {
    let board = board();
    let all = starting_tiles();
    if names.is_empty() {
        return Ok(all);
    }
    let known: Vec<&str> = all.iter().map(|tile| board.name(*tile)).collect();
    let find = |name: &String| {
        let tile = board.find(name).filter(|tile| all.contains(tile));
        tile.ok_or_else(|| {
            CliError::Usage(format!(
                "--tiles: `{name}` is none of {}; others are mirror images of these",
                known.join(", ")
            ))
        })
    };
    names.iter().map(find).collect()
}

/// Searches one of the tiles for a while.
fn take_turn(
    solver: &mut ChaseSolver<'_>,
    tile: &mut StartingTile,
    bound: Bound,
    note: &RefCell<String>,
) -> Result<(), Stopped> {
    let board = board();
    let placements = tile.placements().len();
    let began = Instant::now();
    let ended = tile.run(solver, bound, |tile| {
        let name = board.name(tile.tile);
        let most = tile.at_most.map_or("?".to_owned(), |most| most.to_string());
        let mut note = note.borrow_mut();
        note.clear();
        let _ = write!(
            note,
            "{name}: {} to {most} points, {} of {placements} placements done for {}",
            tile.at_least,
            tile.done,
            tile.at_least + 1
        );
    });
    tile.millis += began.elapsed().as_millis() as u64;
    ended
}

fn save(
    file: Option<&Path>,
    solver: &ChaseSolver<'_>,
    about: &Map<String, Value>,
    tiles: &[StartingTile],
) -> Result<(), CliError> {
    match file {
        Some(file) => checkpoint::write(file, |out| solver.save(about, tiles, out)),
        None => Ok(()),
    }
}

/// Best play against the placement that restrains the elephant most, replayed by the rules; empty
/// if the upper bound is unknown or the search was stopped.
fn line(
    solver: &mut ChaseSolver<'_>,
    tile: &StartingTile,
    start: &dyn Session,
) -> Result<Vec<String>, CliError> {
    let Some(points) = tile.at_most else {
        return Ok(Vec::new());
    };
    let Ok(moves) = solver.line(tile.start(tile.holding), points) else {
        return Ok(Vec::new());
    };
    let mut session = start.fork();
    let placing = names(1 << tile.tile).into_iter().chain(names(tile.holding));
    for mv in placing.chain(moves.iter().cloned()) {
        session.play(&mv).map_err(|error| {
            CliError::Verify(format!("the line of play is wrong at `{mv}`: {error}"))
        })?;
    }
    let tally = session.tally()?;
    let farmers_gone = session.reason().as_deref() == Some("farmers_gone");
    if session.end().is_none() || (tally.scores[0] != i64::from(points) && !farmers_gone) {
        let message = format!(
            "the line of play ends with {} points, not {points}",
            tally.scores[0]
        );
        return Err(CliError::Verify(message));
    }
    Ok(moves)
}
