//! A report as Markdown.

use crate::sheet::parts::{Grid, Part};
use crate::sheet::sections;
use crate::sheet::statistics::Sheet;

/// The most bots that have a column each.
const ROOM: usize = 12;

pub(super) fn write(sheet: &Sheet) -> String {
    parts(sections::all(sheet, ROOM))
}

pub fn parts(parts: Vec<Part>) -> String {
    let parts = parts.into_iter().map(|part| match part {
        Part::Heading(heading) => format!("## {}\n", escape(&heading)),
        // Notes are ours and quote names themselves.
        Part::Note(note) => format!("{note}\n"),
        Part::Table(grid) => table(&grid),
        // Indented: no line of it can end the block.
        Part::Code(code) => code.lines().map(|line| format!("    {line}\n")).collect(),
        Part::Fold { .. } => String::new(),
    });
    parts.collect::<Vec<_>>().join("\n")
}

fn table(grid: &Grid) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let columns = 0..grid.header.len();
    let rule = columns.map(|i| if i == grid.names { "---" } else { "--:" });
    let rule: Vec<&str> = rule.collect();
    let mut text = line(&grid.header) + &format!("|{}|\n", rule.join("|"));
    for row in &grid.rows {
        text += &line(row);
    }
    text
}

/// Escapes all markup.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '|' | '\\' | '`' | '*' | '_' | '<' | '[' | ']') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
