//! A report as text tables, for terminals.

use crate::sheet::parts::Part;
use crate::sheet::sections;
use crate::sheet::statistics::Sheet;
use crate::table::{Table, wrapped};

/// The most bots that have a column each.
const ROOM: usize = 12;

/// Wider lines of prose are hard to read.
const WIDEST: usize = 100;

pub(super) fn write(sheet: &Sheet, width: Option<usize>) -> String {
    parts(sections::all(sheet, ROOM), width)
}

/// At most `width` columns wide.
pub fn parts(parts: Vec<Part>, width: Option<usize>) -> String {
    let wrapped = |text: &str| wrapped(text, width.map(|width| width.min(WIDEST)));
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Heading(heading) if text.is_empty() => {
                text += &format!("{}\n", wrapped(&heading))
            }
            Part::Heading(heading) => text += &format!("\n{}\n", wrapped(&heading)),
            Part::Note(note) => text += &format!("{}\n", wrapped(&note)),
            Part::Table(grid) => {
                let table = Table {
                    header: grid.header,
                    rows: grid.rows,
                    names: grid.names,
                    keys: grid.keys,
                };
                let table = table.within(width);
                text += &format!("\n{table}\n");
            }
            // Not wrapped, as it is meant to be copied.
            Part::Code(code) => text.extend(code.lines().map(|line| format!("    {line}\n"))),
            Part::Fold { .. } => {}
        }
    }
    text
}
