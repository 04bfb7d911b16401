//! One table as text, within the width of a terminal: columns that do not fit are shortened or
//! continued below.

use std::ops::Range;

use comfy_table::{CellAlignment, LineStyle, Table as ComfyTable, TableStyle};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Names and headings of figures keep at least this many columns.
const LEAST_NAME: usize = 10;
/// Spaces around each cell and between cells.
const PADDING: usize = 3;
/// The padding that is used where it makes the table fit.
const TIGHT: usize = 2;

/// A table: some columns say what a row is about, the others have figures.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// The index of the column with names, which is aligned to the left.
    pub names: usize,
    /// The number of leading columns that say what a row is about. They are repeated where the table is
    /// continued below.
    pub keys: usize,
}

impl Table {
    /// The table as lines of at most this many columns.
    pub fn within(mut self, width: Option<usize>) -> String {
        let all = 0..self.header.len();
        let Some(width) = width.filter(|width| self.width(PADDING) > *width) else {
            return self.draw(all, PADDING);
        };
        let surplus = self.width(TIGHT).saturating_sub(width);
        let longest = self.column_width(self.names);
        if surplus == 0 || longest >= LEAST_NAME + surplus {
            self.shorten(self.names, longest - surplus);
            return self.draw(all, TIGHT);
        }
        for column in 0..self.keys {
            self.shorten(column, LEAST_NAME.max(width / (2 * self.keys)));
        }
        for column in self.keys..self.header.len() {
            let cells = self.rows.iter().map(|row| row[column].width());
            let most = cells.max().unwrap_or(0).max(LEAST_NAME);
            self.header[column] = cut(&self.header[column], most);
        }
        self.in_parts(width)
    }

    /// Parts below each other, each with as many columns as fit.
    fn in_parts(&mut self, width: usize) -> String {
        let keys: usize = (0..self.keys).map(|column| self.padded(column)).sum();
        let room = (width + 1).saturating_sub(keys).max(PADDING + 1);
        let mut parts: Vec<Range<usize>> = Vec::new();
        let mut start = self.keys;
        while start < self.header.len() {
            self.shorten(start, room - PADDING);
            let mut end = start + 1;
            let mut taken = self.padded(start);
            while end < self.header.len() && taken + self.padded(end) <= room {
                taken += self.padded(end);
                end += 1;
            }
            parts.push(start..end);
            start = end;
        }
        // A column alone looks forgotten.
        if let [.., before, last] = &mut parts[..]
            && last.len() == 1
            && before.len() > 2
        {
            before.end -= 1;
            last.start -= 1;
            let fits = last
                .clone()
                .map(|column| self.padded(column))
                .sum::<usize>()
                <= room;
            if !fits {
                before.end += 1;
                last.start += 1;
            }
        }
        let parts = parts.into_iter();
        let drawn: Vec<String> = parts.map(|part| self.draw(part, PADDING)).collect();
        drawn.join("\n\n")
    }

    /// Columns that the table takes.
    fn width(&self, padding: usize) -> usize {
        let columns = 0..self.header.len();
        let padded: usize = columns
            .map(|column| self.column_width(column) + padding)
            .sum();
        // Nothing follows the last one.
        padded.saturating_sub(1)
    }

    /// The width if names took at most this many columns.
    pub(crate) fn width_with_names(&self, most: usize) -> usize {
        self.width(TIGHT) - self.column_width(self.names).saturating_sub(most)
    }

    /// Removes the columns with these headings.
    pub fn remove(&mut self, headings: &[&str]) {
        let stays: Vec<bool> = self
            .header
            .iter()
            .map(|heading| !headings.contains(&&**heading))
            .collect();
        for row in self.rows.iter_mut().chain([&mut self.header]) {
            let mut stays = stays.iter();
            row.retain(|_| stays.next() == Some(&true));
        }
    }

    fn padded(&self, column: usize) -> usize {
        self.column_width(column) + PADDING
    }

    fn column_width(&self, column: usize) -> usize {
        let cells = self.rows.iter().map(|row| row[column].width());
        cells
            .chain([self.header[column].width()])
            .max()
            .unwrap_or(0)
    }

    fn shorten(&mut self, column: usize, most: usize) {
        for row in self.rows.iter_mut().chain([&mut self.header]) {
            row[column] = cut(&row[column], most);
        }
    }

    /// The key columns and a range of the others.
    fn draw(&self, columns: Range<usize>, padding: usize) -> String {
        let chosen = (0..self.keys).chain(columns.start.max(self.keys)..columns.end);
        let chosen: Vec<usize> = chosen.collect();
        let pick = |row: &Vec<String>| -> Vec<String> {
            chosen.iter().map(|column| row[*column].clone()).collect()
        };
        let mut table = ComfyTable::new();
        table.load_style(
            TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─')),
        );
        table.set_header(pick(&self.header));
        table.add_rows(self.rows.iter().map(pick));
        for (i, column) in table.column_iter_mut().enumerate() {
            if padding == TIGHT {
                column.set_padding((1, 0));
            }
            if chosen[i] != self.names {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table.trim_fmt()
    }
}

/// At most `most` columns of a text; `…` marks the rest.
pub fn cut(text: &str, most: usize) -> String {
    if text.width() <= most {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut width = 1;
    for c in text.chars() {
        width += c.width().unwrap_or(0);
        if width > most {
            break;
        }
        short.push(c);
    }
    short.truncate(short.trim_end().len());
    short + "…"
}

/// A paragraph as lines of at most this many columns. Longer words get a line of their own.
pub fn wrapped(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else {
        return text.to_owned();
    };
    let mut lines = String::with_capacity(text.len());
    let mut taken = 0;
    for word in text.split(' ') {
        let long = word.width();
        if taken > 0 && taken + 1 + long > width {
            lines.push('\n');
            taken = 0;
        } else if taken > 0 {
            lines.push(' ');
            taken += 1;
        }
        lines.push_str(word);
        taken += long;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(bots: usize) -> Table {
        let names: Vec<String> = (0..bots)
            .map(|n| format!("a bot with number {n}"))
            .collect();
        let row = |(place, name): (usize, &String)| {
            let mut row = vec![(place + 1).to_string(), name.clone()];
            row.extend(names.iter().map(|_| "79 (60–91) ▲".to_owned()));
            row
        };
        let header = ["#", "bot"].map(str::to_owned).into_iter();
        let against = names.iter().map(|name| format!("against {name}"));
        Table {
            header: header.chain(against).collect(),
            rows: names.iter().enumerate().map(row).collect(),
            names: 1,
            keys: 2,
        }
    }

    #[test]
    fn tables_fit_and_lose_no_figure() {
        for bots in [1, 2, 5, 12] {
            for width in [40, 60, 80, 200, 1000] {
                let text = table(bots).within(Some(width));
                let widest = text.lines().map(UnicodeWidthStr::width).max();
                assert!(widest <= Some(width), "{width}:\n{text}");
                let figures = text.matches("79 (60–91) ▲").count();
                assert_eq!(figures, bots * bots, "{width}:\n{text}");
            }
        }
        let whole = table(12).within(None);
        assert_eq!(whole, table(12).within(Some(1000)));
        assert_eq!(whole.lines().count(), 14);
    }

    #[test]
    fn names_are_cut_before_tables_are() {
        let mut table = table(1);
        table.header.truncate(2);
        table.rows[0].truncate(2);
        let text = table.within(Some(21));
        assert!(text.ends_with(" 1  a bot with numbe…"), "{text}");
    }

    fn figures(columns: usize) -> Table {
        let cells = |first: [&str; 2], cell: &str| -> Vec<String> {
            let others = (0..columns).map(|n| format!("{cell}{n}"));
            first.into_iter().map(str::to_owned).chain(others).collect()
        };
        Table {
            header: cells(["#", "bot"], "figures"),
            rows: vec![cells(["1", "alphabeta"], "1234567")],
            names: 1,
            keys: 2,
        }
    }

    #[test]
    fn a_table_is_drawn_closer_before_it_is_parted() {
        let whole = figures(5).within(None);
        let width = whole.lines().map(UnicodeWidthStr::width).max();
        let closer = figures(5).within(width.map(|width| width - 3));
        assert_eq!(closer.lines().count(), 3, "{closer}");
    }

    #[test]
    fn no_column_stands_alone_below_the_others() {
        // In less room, each part has only two.
        for width in 50..110 {
            let text = figures(9).within(Some(width));
            let last = text.rsplit("\n\n").next().unwrap_or_default();
            assert!(last.contains("figures7"), "{width}:\n{text}");
        }
    }

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(cut("漢字漢字", 8), "漢字漢字");
        assert_eq!(cut("漢字漢字", 7), "漢字漢…");
        assert_eq!(cut("漢字漢字", 6), "漢字…");
    }

    #[test]
    fn paragraphs_are_wrapped_between_words() {
        let text = "one two three four-and-twenty five";
        let lines = wrapped(text, Some(9));
        assert_eq!(lines, "one two\nthree\nfour-and-twenty\nfive");
        assert_eq!(wrapped(text, None), text);
    }
}
