//! The report of `referee solve elephant-run --starting-tiles`, as Markdown and as JSON.

use std::fmt::{Display, Write as _};

use serde_json::{Value, json};
use solver::elephant_run::{StartingTile, board};

const INTRODUCTION: &str = "\
# Elephant Run: how far the elephant gets

The elephant takes a starting tile, then the farmers are placed, then the elephant moves. Each of its
moves is worth a point. The table says how many points it gets if both play best, which is the largest
`target` that it reaches; other starting tiles are mirror images of these. A lower bound holds against
every placement of the farmers; an upper bound is shown by one placement.

";

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
            "line": line,
            "positions": tile.positions,
            "seconds": tile.millis as f64 / 1000.0,
        })
    };
    tiles.iter().zip(lines).map(tile).collect()
}

/// `memory` is the size of the solver's table.
pub fn report(
    farmers: u32,
    ranged_jumps: bool,
    memory: impl Display,
    tiles: &[StartingTile],
    lines: &[Vec<String>],
) -> String {
    let board = board();
    let mut text = INTRODUCTION.to_owned();
    let _ = writeln!(
        text,
        "{farmers} farmers, `ranged_jumps` {ranged_jumps}; table of {memory}.\n"
    );
    text += "| tile | points of best play | proven by | farmers that hold it best | positions | time |\n";
    text += "|---|---|---|---|---|---|\n";
    for tile in tiles {
        let points = match (tile.at_least, tile.at_most) {
            (least, Some(most)) if least == most => format!("**{least}**"),
            (least, Some(most)) => format!("{least} to {most}"),
            (least, None) => format!(
                "at least {least} ({} against the placements tried last)",
                tile.tried_for
            ),
        };
        let all = format!("all {} placements", tile.placements().len());
        let proven = match (tile.at_least, tile.at_most) {
            (0, None) => "nothing yet".to_owned(),
            (0, Some(_)) => "one placement".to_owned(),
            (_, None) => all,
            (_, Some(_)) => format!("{all}, and one"),
        };
        let _ = writeln!(
            text,
            "| {} | {points} | {proven} | {} | {} | {:.1} s |",
            board.name(tile.tile),
            names(tile.holding).join(" "),
            tile.positions,
            tile.millis as f64 / 1000.0
        );
    }
    text += "\nBest play against these farmers, replayed by the rules:\n\n";
    for (tile, line) in tiles.iter().zip(lines) {
        let moves = match (tile.at_most, &line[..]) {
            (None, _) => "not known yet".to_owned(),
            (Some(_), []) => "none: the elephant cannot move".to_owned(),
            (Some(_), moves) => moves.join(" "),
        };
        let _ = writeln!(text, "- {}: {moves}", board.name(tile.tile));
    }
    text
}
