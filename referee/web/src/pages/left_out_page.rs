//! The page about a bot that was left out: the reason, and advice for its author.

use config::LeftOut;
use protocol::{shown, shown_lines};
use report::sheet::{Grid, Part, heading};

pub(crate) fn parts(left_out: &LeftOut) -> Vec<Part> {
    let mut parts = vec![
        heading(&shown(&left_out.bot)),
        Part::Note("It played no match, because it was left out:".to_owned()),
        Part::Code(shown(&left_out.why)),
    ];
    if let Some(advice) = &left_out.advice {
        parts.push(Part::Note(format!("What to do: {}.", shown(advice))));
    }
    if let Some(log) = &left_out.log {
        parts.push(Part::Note(
            "The end of what its build has printed:".to_owned(),
        ));
        parts.push(Part::Code(shown_lines(log)));
    }
    parts
}

/// All bots that were left out, with links to their pages.
pub(crate) fn table(left_out: &[LeftOut], links: Vec<String>) -> Grid {
    let mut grid = Grid::new(["bot", "why"], 0);
    grid.keys = 2;
    let rows = left_out
        .iter()
        .map(|it| vec![shown(&it.bot), shown(&it.why)]);
    grid.rows = rows.collect();
    grid.links = links;
    grid
}
