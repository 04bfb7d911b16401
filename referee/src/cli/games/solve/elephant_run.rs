//! `referee solve elephant-run --starting-tiles`: a report on how far the elephant gets from each
//! starting tile.

use std::path::PathBuf;
use std::time::Instant;

use bytesize::ByteSize;
use games::{Rng, Session};
use report::solutions::elephant_run::{Decided, Report as Printed, as_json, names, report};
use serde_json::{Map, Value};
use solver::elephant_run::{
    Chase, ChaseSolver, Goal, GoalSearch, MOST_POINTS, StartingTile, board, placements, restore,
    save, starting_tiles,
};

use super::checkpoint;
use super::watch::{Progress, StopSignal};
use super::{AT_LIMIT, NO_MEMORY};
use crate::cli::common::format::print_json;
use crate::cli::{CliError, print};

/// The search behind the report.
pub(super) struct Report {
    pub(super) options: Value,
    pub(super) memory: ByteSize,
    pub(super) positions: Option<u64>,
    pub(super) checkpoint: Option<PathBuf>,
    pub(super) resume: bool,
    pub(super) tiles: Vec<String>,
    pub(super) verify: Option<u64>,
    pub(super) json: bool,
}

impl Report {
    fn farmers(&self) -> u32 {
        self.options["farmers"].as_u64().unwrap_or(6) as u32
    }

    fn ranged_jumps(&self) -> bool {
        self.options["ranged_jumps"].as_bool().unwrap_or(false)
    }

    fn about(&self) -> Map<String, Value> {
        let mut about = Map::new();
        about.insert("version".into(), env!("CARGO_PKG_VERSION").into());
        about.insert("farmers".into(), self.farmers().into());
        about.insert("ranged_jumps".into(), self.ranged_jumps().into());
        about
    }

    /// Searches, and prints the report.
    pub(super) fn run(&self, start: &dyn Session, stop: &StopSignal) -> Result<(), CliError> {
        let about = self.about();
        let mut tiles: Vec<StartingTile> = match &self.checkpoint {
            Some(file) if self.resume => {
                let mut tiles = Vec::new();
                checkpoint::read(file, |from| {
                    tiles = restore(&about, from)?;
                    Ok(())
                })?;
                tiles
            }
            _ => starting_tiles()
                .into_iter()
                .map(StartingTile::new)
                .collect(),
        };
        let wanted = wanted(&self.tiles)?;
        let mut decided = Vec::new();
        let ended = loop {
            let open = tiles.iter_mut();
            let open = open.filter(|tile| wanted.contains(&tile.tile) && !tile.is_solved());
            let mut open: Vec<&mut StartingTile> = open.collect();
            let next = open.iter().map(|tile| tile.at_least + 1).min();
            let Some(points) = next.filter(|points| *points <= MOST_POINTS) else {
                break Ok(());
            };
            open.retain(|tile| tile.at_least + 1 == points);
            match self.decide(points, &mut open, &mut decided, stop) {
                Ok(()) => {}
                Err(CliError::Unsolved(why)) => break Err(CliError::Unsolved(why)),
                Err(error) => return Err(error),
            }
            if let Some(file) = &self.checkpoint {
                checkpoint::write(file, |out| save(&about, &tiles, out))?;
            }
        };
        tiles.retain(|tile| wanted.contains(&tile.tile));
        let mut second = SecondSearch::new(self, stop);
        let mut lines = Vec::new();
        for tile in &tiles {
            second.check(tile)?;
            lines.push(second.line(tile, start)?);
        }
        if self.json {
            print_json(&as_json(&tiles, &lines))?;
        } else {
            print(&report(&Printed {
                farmers: self.farmers(),
                ranged_jumps: self.ranged_jumps(),
                verified: self.verify.map(|most| most.min(second.placements() as u64)),
                tiles: &tiles,
                lines: &lines,
                decided: &decided,
            }))?;
        }
        ended
    }

    /// Decides whether the elephant gets this many points from these tiles.
    fn decide(
        &self,
        points: u32,
        tiles: &mut [&mut StartingTile],
        decided: &mut Vec<Decided>,
        stop: &StopSignal,
    ) -> Result<(), CliError> {
        let began = Instant::now();
        let goal = Goal {
            farmers: self.farmers(),
            ranged_jumps: self.ranged_jumps(),
            points,
        };
        let starts: Vec<_> = tiles.iter().map(|tile| tile.tile).collect();
        let stopped = || stop.is_set();
        let search = GoalSearch::new(goal, &starts, &stopped).ok_or(CliError::Interrupted)?;
        let before: u64 = decided.iter().map(|before| before.positions).sum();
        let positions = search.positions();
        if before + positions > self.positions.unwrap_or(u64::MAX) {
            return Err(CliError::Unsolved(AT_LIMIT));
        }
        if search.bytes() > self.memory.as_u64() {
            return Err(CliError::Unsolved(NO_MEMORY));
        }
        let progress = Progress::new(stop.clone());
        let denied = search.run(&stopped, |stage| {
            progress.tick(|seconds| {
                format!(
                    "{seconds:.0} s: {points} points, from {positions} positions, {} of {} sets of {} holes done",
                    stage.done, stage.of, stage.holes
                )
            });
        });
        progress.finish();
        let denied = denied.ok_or(CliError::Interrupted)?;
        tiles.iter_mut().for_each(|tile| tile.learn(&denied));
        let is_reached = |tile: &&&mut StartingTile| !tile.is_solved();
        decided.push(Decided {
            points,
            from: starts,
            reached: tiles
                .iter()
                .filter(is_reached)
                .map(|tile| tile.tile)
                .collect(),
            positions,
            memory: ByteSize(search.bytes()),
            took: began.elapsed(),
        });
        Ok(())
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

/// Another search, of one placement after the other, which checks the first one and finds lines of play.
struct SecondSearch<'r> {
    report: &'r Report,
    solver: ChaseSolver<'r>,
}

impl<'r> SecondSearch<'r> {
    fn new(report: &'r Report, stop: &'r StopSignal) -> Self {
        let progress = Progress::new(stop.clone());
        let watch = move |positions: u64, _: f64| {
            progress.tick(|seconds| {
                format!("{seconds:.0} s: {positions} positions for lines and checks")
            });
            !stop.is_set()
        };
        let bytes = usize::try_from(report.memory.as_u64()).unwrap_or(usize::MAX);
        SecondSearch {
            report,
            solver: ChaseSolver::new(report.ranged_jumps(), bytes, Box::new(watch)),
        }
    }

    /// The number of placements around one tile.
    fn placements(&self) -> usize {
        placements(0, self.report.farmers()).len()
    }

    /// Checks that the elephant gets its points, and no more against the placement that holds it best.
    fn check(&mut self, tile: &StartingTile) -> Result<(), CliError> {
        let mut compare = |placement, points: u32, expected| {
            let start = Chase::start(tile.tile, placement);
            let gets = self.solver.elephant_gets(start, points as u8);
            if gets.map_err(|_| CliError::Interrupted)? == expected {
                return Ok(());
            }
            let name = names(1 << tile.tile).join("");
            Err(CliError::Verify(format!(
                "the two searches differ about {points} points from {name} against {}",
                names(placement).join(" ")
            )))
        };
        if let Some(most) = tile.at_most {
            compare(tile.holding, most + 1, false)?;
        }
        let mut all = placements(tile.tile, self.report.farmers());
        Rng::from_parts(&[u64::from(tile.tile)]).shuffle(&mut all);
        let most = self.report.verify.unwrap_or(0);
        let some = all
            .into_iter()
            .take(usize::try_from(most).unwrap_or(usize::MAX));
        for placement in some {
            compare(placement, tile.at_least, true)?;
        }
        Ok(())
    }

    /// Best play against the placement that holds the elephant best, replayed by the rules; empty if
    /// there is none yet.
    fn line(&mut self, tile: &StartingTile, start: &dyn Session) -> Result<Vec<String>, CliError> {
        let Some(points) = tile.at_most else {
            return Ok(Vec::new());
        };
        let chase = Chase::start(tile.tile, tile.holding);
        let line = self.solver.line(chase, points as u8);
        let line = line.map_err(|_| CliError::Interrupted)?;
        let mut session = start.fork();
        let placing = names(1 << tile.tile).into_iter().chain(names(tile.holding));
        for mv in placing.chain(line.iter().cloned()) {
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
        Ok(line)
    }
}
