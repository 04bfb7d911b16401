//! A report as text tables, for terminals.

use crate::report::sheet::parts::Part;
use crate::report::sheet::sections;
use crate::report::sheet::statistics::Sheet;
use crate::report::tables::table;

/// The most bots that have a column each.
const ROOM: usize = 12;

/// All that is shown, as text.
pub(super) fn write(sheet: &Sheet) -> String {
    let mut text = String::new();
    for part in sections::all(sheet, ROOM) {
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
