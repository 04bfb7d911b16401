//! A report as text tables, for terminals.

use super::{Part, Sheet};
use crate::report::tables::table;

/// The most bots that have a column each.
const ROOM: usize = 12;

/// All that is shown, as text.
pub(super) fn write(sheet: &Sheet) -> String {
    let mut text = String::new();
    for part in sheet.parts(ROOM) {
        match part {
            Part::Heading(heading) if text.is_empty() => text += &format!("{heading}\n"),
            Part::Heading(heading) => text += &format!("\n{heading}\n"),
            Part::Note(note) => text += &format!("{note}\n"),
            Part::Table(grid) => {
                let table = table(grid.header, grid.rows.into_iter(), grid.names);
                text += &format!("\n{table}\n");
            }
        }
    }
    text
}
