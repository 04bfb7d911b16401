//! A block of lines at the end of a terminal that is redrawn in place. The cursor rests below it, at
//! the start of a line, so that a `^C` echoed by the terminal does not move the block.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use super::table::cut;
use super::terminal::fit;

/// The lines on the screen.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// Columns of each line.
    drawn: Vec<usize>,
}

impl Block {
    /// The bytes that replace the last lines by these on a terminal of this width. Lines that are too
    /// long are cut; `above` is printed above the block and stays.
    pub(crate) fn redraw(&mut self, above: &str, lines: &[String], width: usize) -> String {
        let mut out = self.clear(width);
        out.push_str(&fit(above));
        for line in lines {
            // A terminal may wrap a line that fills all of its columns.
            let line = cut(&fit(line), width.saturating_sub(1));
            self.drawn.push(line.width());
            out.push_str(&line);
            out.push('\n');
        }
        out
    }

    /// The bytes that remove the block.
    pub(crate) fn clear(&mut self, width: usize) -> String {
        // A terminal that has become narrower has wrapped the lines.
        let rows = self.drawn.drain(..);
        let rows: usize = rows.map(|line| line.div_ceil(width.max(1)).max(1)).sum();
        let mut out = String::from("\r");
        if rows > 0 {
            let _ = write!(out, "\u{1b}[{rows}A");
        }
        out.push_str("\u{1b}[J");
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_replaces_the_one_before() {
        let mut block = Block::default();
        let first = block.redraw("", &["one".to_owned(), "a long line".to_owned()], 80);
        assert_eq!(first, "\r\u{1b}[Jone\na long line\n");
        let second = block.redraw("warning\n", &["two".to_owned()], 80);
        assert_eq!(second, "\r\u{1b}[2A\u{1b}[Jwarning\ntwo\n");
        assert_eq!(block.clear(80), "\r\u{1b}[1A\u{1b}[J");
        assert_eq!(block.clear(80), "\r\u{1b}[J");
    }

    #[test]
    fn lines_that_the_terminal_has_wrapped_are_counted() {
        let mut block = Block::default();
        block.redraw("", &["x".repeat(50), String::new(), "y".repeat(20)], 80);
        // 3 rows, 1 and 1.
        assert_eq!(block.clear(20), "\r\u{1b}[5A\u{1b}[J");
    }

    #[test]
    fn lines_are_cut() {
        let drawn = Block::default().redraw("", &["x".repeat(50)], 20);
        assert_eq!(drawn, format!("\r\u{1b}[J{}…\n", "x".repeat(18)));
    }
}
