//! Markdown as text for a terminal: as much of it as the rules of the games and `PROTOCOL.md` use.
//!
//! Paragraphs and lists are wrapped to the width. A table becomes a list of its rows, with the last
//! column indented below the others. Blocks of code stay as they are; in the rules, those named
//! `legal` and `illegal` are lists of moves, and `state` is JSON that may be broken after commas.

/// Columns by which whatever is not running text is indented.
const INDENT: usize = 2;
/// The narrowest width for which text is laid out; below it, the terminal has to break lines.
const NARROWEST: usize = 30;

/// The widest text that reads well.
const WIDEST: usize = 100;
/// The width where there is no terminal.
const USUAL: usize = 80;

/// Lays out Markdown for the terminal on stdout.
pub(crate) fn for_terminal(markdown: &str) -> String {
    let columns = terminal_size::terminal_size().map(|(columns, _)| usize::from(columns.0));
    render(markdown, columns.unwrap_or(USUAL).min(WIDEST))
}

/// Lays out Markdown for a terminal with this many columns.
pub(crate) fn render(markdown: &str, width: usize) -> String {
    let mut page = Page {
        text: String::new(),
        width: width.max(NARROWEST),
    };
    let mut lines = markdown.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("```") {
            let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            page.fenced(name.split(' ').next().unwrap_or_default(), &inside);
        } else if let Some(code) = line.strip_prefix("    ") {
            page.code(code);
        } else if line.starts_with('|') {
            let mut rows = vec![line];
            while let Some(row) = lines.next_if(|line| line.starts_with('|')) {
                rows.push(row);
            }
            page.table(&rows);
        } else if line.is_empty() {
            page.text.push('\n');
        } else if let Some(heading) = line.strip_prefix('#') {
            page.heading(heading.trim_start_matches('#').trim());
        } else {
            let mut paragraph = line.to_owned();
            while let Some(more) = lines.next_if(|line| continues(line)) {
                paragraph.push(' ');
                paragraph.push_str(more.trim_start());
            }
            page.paragraph(&paragraph);
        }
    }
    page.text
}

/// Whether a line goes on with the paragraph or the list item before it.
fn continues(line: &str) -> bool {
    let begins = ["#", "|", "```", "    "]
        .iter()
        .any(|b| line.starts_with(b));
    !(line.is_empty() || begins || bullet(line).is_some())
}

/// The bullet or the number with which an item of a list begins.
fn bullet(line: &str) -> Option<&str> {
    let mark = line.split(' ').next()?;
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    (mark == "-" || mark.strip_suffix('.').is_some_and(is_number)).then_some(mark)
}

/// What is laid out so far.
struct Page {
    text: String,
    width: usize,
}

impl Page {
    fn heading(&mut self, heading: &str) {
        // What is in backquotes stays as it is typed.
        let parts = plain(heading);
        let parts = parts.split('`').enumerate();
        let shouted: Vec<String> = parts
            .map(|(i, part)| {
                if i % 2 == 0 {
                    part.to_uppercase()
                } else {
                    part.to_owned()
                }
            })
            .collect();
        self.line(&shouted.join("`"));
    }

    fn paragraph(&mut self, text: &str) {
        let text = plain(text);
        match bullet(&text) {
            Some(bullet) => {
                let rest = text[bullet.len()..].trim_start();
                let first = format!("{:INDENT$}{bullet} ", "");
                self.wrapped(&first, first.len(), rest);
            }
            None => self.wrapped("", 0, &text),
        }
    }

    fn fenced(&mut self, name: &str, lines: &[&str]) {
        match name {
            "legal" => self.moves("Legal here:", lines),
            "illegal" => self.moves("Not legal:", lines),
            "state" => {
                let json = lines.concat().replace(',', ", ");
                self.wrapped("  ", INDENT, &json);
            }
            _ => lines.iter().for_each(|line| self.code(line)),
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

    fn table(&mut self, rows: &[&str]) {
        // The names of the columns and the rule below them say nothing that the rows do not.
        for row in rows.iter().skip(2) {
            let cells = row.trim_matches('|').split('|').map(plain);
            let mut cells: Vec<String> = cells.map(|cell| cell.trim().to_owned()).collect();
            let last = cells.pop().unwrap_or_default();
            cells.retain(|cell| !cell.is_empty());
            self.wrapped("  ", INDENT, &cells.join(", "));
            self.wrapped("      ", 3 * INDENT, &last);
        }
    }

    /// A line that is broken only where it is too long, as code.
    fn code(&mut self, line: &str) {
        let line = format!("{:INDENT$}{line}", "");
        self.line(line.trim_end());
    }

    /// Words in lines of the page's width, the first after `first`, all others after `hang` blanks.
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

/// A text without the marks for bold type and without the addresses of links.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, label, after)) = next_link(rest) {
        plain.push_str(before);
        plain.push_str(label);
        rest = after;
    }
    plain.push_str(rest);
    plain.replace("**", "")
}

/// The text before the first link, its label, and the text after it.
fn next_link(text: &str) -> Option<(&str, &str, &str)> {
    let middle = text.find("](")?;
    let open = text[..middle].rfind('[')?;
    let close = middle + text[middle..].find(')')?;
    Some((&text[..open], &text[open + 1..middle], &text[close + 1..]))
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
