//! Markdown as text for a terminal: the subset that the rules of the games and `PROTOCOL.md` use.
//!
//! Paragraphs and lists are wrapped to the width. A table becomes a list of its rows, with the last
//! column indented below the others. Blocks of code stay as they are; in the rules, those named
//! `legal` and `illegal` are lists of moves, and `state` is JSON that may be broken after commas.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// Indent of everything but running text, in columns.
const INDENT: usize = 2;
/// The narrowest layout; below it, the terminal has to break lines.
const NARROWEST: usize = 30;

/// The widest text that reads well.
const WIDEST: usize = 100;
/// The width without a terminal.
const USUAL: usize = 80;

/// Lays out Markdown for the terminal on stdout.
pub(crate) fn for_terminal(markdown: &str) -> String {
    let columns = terminal_size::terminal_size().map(|(columns, _)| usize::from(columns.0));
    render(markdown, columns.unwrap_or(USUAL).min(WIDEST))
}

/// Lays out Markdown for a terminal with this many columns.
pub(crate) fn render(markdown: &str, width: usize) -> String {
    let mut page = Page {
        markdown,
        text: String::new(),
        width: width.max(NARROWEST),
        inline: String::new(),
        in_heading: false,
        lists: Vec::new(),
        bullet: None,
        cells: Vec::new(),
        code: None,
    };
    for (event, place) in Parser::new_ext(markdown, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(tag) => page.start(tag, place.start),
            Event::End(tag) => page.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => page.add(&text),
            Event::Code(text) => page.add_code(&text),
            Event::SoftBreak | Event::HardBreak => page.add(" "),
            _ => {}
        }
    }
    page.text
}

/// The finished layout, and the block that is being read.
struct Page<'a> {
    markdown: &'a str,
    text: String,
    width: usize,
    /// The text of the current block.
    inline: String,
    in_heading: bool,
    /// The open lists, the innermost last: the number of the next item in numbered ones.
    lists: Vec<Option<u64>>,
    /// The bullet for the next paragraph, if it is the first one of an item.
    bullet: Option<String>,
    /// The cells of the current row.
    cells: Vec<String>,
    /// The name of the current block of code; empty if it has none.
    code: Option<String>,
}

impl Page<'_> {
    fn start(&mut self, tag: Tag<'_>, place: usize) {
        match tag {
            Tag::Heading { .. } => {
                self.gap(place);
                self.in_heading = true;
            }
            Tag::Paragraph if self.bullet.is_none() => self.gap(place),
            Tag::CodeBlock(kind) => {
                self.paragraph();
                self.gap(place);
                self.code = Some(match kind {
                    CodeBlockKind::Fenced(name) => {
                        name.split(' ').next().unwrap_or_default().to_owned()
                    }
                    CodeBlockKind::Indented => String::new(),
                });
            }
            Tag::Table(_) => self.gap(place),
            Tag::TableHead | Tag::TableRow => self.cells.clear(),
            Tag::List(number) => {
                self.paragraph();
                self.lists.push(number);
            }
            Tag::Item => {
                self.gap(place);
                self.bullet = Some(self.next_bullet());
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.in_heading = false;
                let heading = std::mem::take(&mut self.inline);
                self.line(&heading);
            }
            TagEnd::Paragraph | TagEnd::Item => self.paragraph(),
            TagEnd::CodeBlock => {
                let text = std::mem::take(&mut self.inline);
                let lines: Vec<&str> = text.lines().collect();
                let name = self.code.take().unwrap_or_default();
                self.block_of_code(&name, &lines);
            }
            TagEnd::TableCell => self.cells.push(std::mem::take(&mut self.inline)),
            // The names of columns add nothing to the rows.
            TagEnd::TableRow => self.row(),
            TagEnd::List(_) => {
                self.lists.pop();
            }
            _ => {}
        }
    }

    /// An empty line if there is one above this place.
    fn gap(&mut self, place: usize) {
        let above = self.markdown[..place].trim_end_matches([' ', '\t']);
        if above.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    fn add(&mut self, text: &str) {
        if self.in_heading {
            self.inline.push_str(&text.to_uppercase());
        } else {
            self.inline.push_str(text);
        }
    }

    /// Code stays in its backquotes, as it is typed.
    fn add_code(&mut self, text: &str) {
        self.inline.push('`');
        self.inline.push_str(text);
        self.inline.push('`');
    }

    fn next_bullet(&mut self) -> String {
        let indent = INDENT * self.lists.len();
        match self.lists.last_mut() {
            Some(Some(number)) => {
                let bullet = format!("{:indent$}{number}. ", "");
                *number += 1;
                bullet
            }
            _ => format!("{:indent$}- ", ""),
        }
    }

    /// Lays out the pending text, if there is any.
    fn paragraph(&mut self) {
        let text = std::mem::take(&mut self.inline);
        if text.is_empty() {
            return;
        }
        let hang = INDENT * 2 * self.lists.len();
        match self.bullet.take() {
            Some(bullet) => self.wrapped(&bullet, bullet.len(), &text),
            None => self.wrapped(&" ".repeat(hang), hang, &text),
        }
    }

    fn block_of_code(&mut self, name: &str, lines: &[&str]) {
        match name {
            "legal" => self.moves("Legal here:", lines),
            "illegal" => self.moves("Not legal:", lines),
            "state" => {
                let json = lines.concat().replace(',', ", ");
                self.wrapped("  ", INDENT, &json);
            }
            _ => lines.iter().for_each(|line| self.line_of_code(line)),
        }
    }

    /// A list of moves, each with its meaning beside it.
    fn moves(&mut self, title: &str, lines: &[&str]) {
        let pairs: Vec<(&str, &str)> = lines
            .iter()
            .map(|line| line.split_once(' ').unwrap_or((line, "")))
            .collect();
        let longest = pairs.iter().map(|(mv, _)| mv.len()).max().unwrap_or(0);
        self.line(title);
        for (mv, meaning) in pairs {
            let first = format!("{:INDENT$}{mv:longest$}  ", "");
            self.wrapped(&first, first.len(), meaning.trim());
        }
    }

    /// The cells of a row: the last one below the others.
    fn row(&mut self) {
        let mut cells = std::mem::take(&mut self.cells);
        let last = cells.pop().unwrap_or_default();
        cells.retain(|cell| !cell.is_empty());
        self.wrapped("  ", INDENT, &cells.join(", "));
        self.wrapped("      ", 3 * INDENT, &last);
    }

    /// A line of code, broken only if it is too long.
    fn line_of_code(&mut self, line: &str) {
        let line = format!("{:INDENT$}{line}", "");
        self.line(line.trim_end());
    }

    /// Wraps words to the page's width: the first line begins with `first`, the others with `hang`
    /// blanks.
    fn wrapped(&mut self, first: &str, hang: usize, text: &str) {
        let mut line = first.to_owned();
        let mut column = line.chars().count();
        let mut begun = false;
        for word in text.split_whitespace() {
            let length = word.chars().count();
            if begun && column + 1 + length > self.width {
                self.line(line.trim_end());
                line = " ".repeat(hang);
                (column, begun) = (hang, false);
            }
            if begun {
                line.push(' ');
                column += 1;
            }
            line.push_str(word);
            column += length;
            begun = true;
        }
        self.line(line.trim_end());
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_and_lists_are_wrapped() {
        let markdown = "# One `two`\n\nA paragraph that goes on\nand on and on, see [here](x.md).\n\n\
                        - an **item** that is long as two lines\n- b\n\n10. ten\n";
        assert_eq!(
            render(markdown, 30),
            "ONE `two`\n\nA paragraph that goes on and\non and on, see here.\n\n  \
             - an item that is long as\n    two lines\n  - b\n\n  10. ten\n"
        );
    }

    #[test]
    fn tables_become_lists() {
        let markdown = "| field | | meaning |\n|---|---|---|\n| `move` | required | the move, \
                        exactly as in `legal` |\n| `ply` | | what you answer |\n";
        assert_eq!(
            render(markdown, 30),
            "  `move`, required\n      the move, exactly as in\n      `legal`\n  `ply`\n      \
             what you answer\n"
        );
    }

    #[test]
    fn examples_of_the_rules_are_set_apart() {
        let markdown = "```legal\na1-b2  a step that takes a few words\na1  short\n```\n\n\
                        ```state {\"seed\":1}\n{\"ply\":0,\"to_move\":0,\n\"scores\":[0,0]}\n```\n\n\
                        ```board {}\n  a1   .\n```\n\n    code  stays\n";
        assert_eq!(
            render(markdown, 30),
            "Legal here:\n  a1-b2  a step that takes a\n         few words\n  a1     short\n\n  \
             {\"ply\":0, \"to_move\":0,\n  \"scores\":[0, 0]}\n\n    a1   .\n\n  code  stays\n"
        );
    }
}
