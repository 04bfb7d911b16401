//! The report of `referee solve elephant-run --starting-tiles`, as Markdown and as JSON.

use std::fmt::Write as _;
use std::time::Duration;

use bytesize::ByteSize;
use serde_json::{Value, json};
use solver::elephant_run::{StartingTile, board};

const INTRODUCTION: &str = "\
# Elephant Run: how far the elephant gets

The elephant takes a starting tile, then the farmers are placed, then the elephant moves. Each of its
moves is worth a point. The table says how many points it gets if both play best, which is the largest
`target` that it reaches; other starting tiles are mirror images of these. It gets these points against
every placement of the farmers, and no more against those that hold it best.

";

/// The search for one number of points.
pub struct Decided {
    pub points: u32,
    /// The tiles that it was about.
    pub from: Vec<u8>,
    /// Those from which the elephant gets the points against every placement.
    pub reached: Vec<u8>,
    pub positions: u64,
    pub memory: ByteSize,
    pub took: Duration,
}

/// What is printed.
pub struct Report<'r> {
    pub farmers: u32,
    pub ranged_jumps: bool,
    /// The number of placements of each tile that a second search has checked.
    pub verified: Option<u64>,
    pub tiles: &'r [StartingTile],
    /// Best play from each of the tiles.
    pub lines: &'r [Vec<String>],
    pub decided: &'r [Decided],
}

/// The names of a set of cells.
pub fn names(set: u32) -> Vec<String> {
    let board = board();
    let inside = board.cells().filter(|cell| set >> cell & 1 != 0);
    inside.map(|cell| board.name(cell).to_owned()).collect()
}

pub fn as_json(tiles: &[StartingTile], lines: &[Vec<String>]) -> Value {
    let board = board();
    let tile = |(tile, line): (&StartingTile, &Vec<String>)| {
        json!({
            "tile": board.name(tile.tile),
            "at_least": tile.at_least,
            "at_most": tile.at_most,
            "solved": tile.is_solved(),
            "holding": tile.at_most.map(|_| names(tile.holding)),
            "placements_that_hold": tile.at_most.map(|_| tile.holds),
            "line": line,
        })
    };
    tiles.iter().zip(lines).map(tile).collect()
}

pub fn report(report: &Report<'_>) -> String {
    let board = board();
    let of = |tiles: &[u8]| {
        let names: Vec<&str> = tiles.iter().map(|tile| board.name(*tile)).collect();
        names.join(" ")
    };
    let (farmers, ranged) = (report.farmers, report.ranged_jumps);
    let mut text = INTRODUCTION.to_owned();
    let _ = writeln!(text, "{farmers} farmers, `ranged_jumps` {ranged}.\n");
    text +=
        "| tile | points of best play | placements that hold it to that | the nearest of them |\n";
    text += "|---|---|---|---|\n";
    for tile in report.tiles {
        let name = board.name(tile.tile);
        let _ = match tile.at_most {
            Some(most) => {
                let holding = names(tile.holding).join(" ");
                writeln!(text, "| {name} | **{most}** | {} | {holding} |", tile.holds)
            }
            None => writeln!(text, "| {name} | at least {} | | |", tile.at_least),
        };
    }
    text += "\nBest play against these farmers, replayed by the rules:\n\n";
    for (tile, line) in report.tiles.iter().zip(report.lines) {
        let moves = match (tile.at_most, &line[..]) {
            (None, _) => "not known yet".to_owned(),
            (Some(_), []) => "none: the elephant cannot move".to_owned(),
            (Some(_), moves) => moves.join(" "),
        };
        let _ = writeln!(text, "- {}: {moves}", board.name(tile.tile));
    }
    text += &checked(report);
    if !report.decided.is_empty() {
        text += "\n| points | from | reached from | positions | memory | time |\n|---|---|---|---|---|---|\n";
    }
    for decided in report.decided {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {:.0} s |",
            decided.points,
            of(&decided.from),
            of(&decided.reached),
            decided.positions,
            decided.memory,
            decided.took.as_secs_f64()
        );
    }
    text
}

/// What a second search has confirmed.
fn checked(report: &Report<'_>) -> String {
    let holds = "that these farmers allow no more".to_owned();
    let holds = report
        .tiles
        .iter()
        .any(StartingTile::is_solved)
        .then_some(holds);
    let allow = report.verified.map(|placements| {
        format!("that {placements} placements, drawn by lot for each tile, allow as much")
    });
    let checks: Vec<String> = holds.into_iter().chain(allow).collect();
    match &checks[..] {
        [] => String::new(),
        checks => format!(
            "\nA second search, of one placement after the other, agrees {}.\n",
            checks.join(", and\n")
        ),
    }
}
