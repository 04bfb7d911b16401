//! A report as a page that needs nothing but itself: no scripts, nothing from elsewhere.

use super::markup::escape;
use super::plot::plot;
use crate::report::sheet::parts::{Grid, Part};
use crate::report::sheet::sections;
use crate::report::sheet::statistics::Sheet;

/// The most bots that have a column each.
const ROOM: usize = 100;

const STYLE: &str = "\
:root { color-scheme: light dark; --back: #fff; --ink: #1b1f24; --line: #d0d4da; --soft: #5b6470; \
--band: #f5f6f8; }
@media (prefers-color-scheme: dark) { :root { --back: #14171b; --ink: #e4e8ed; --line: #3a4049; \
--soft: #9aa4b1; --band: #1c2026; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; \
background: var(--back); color: var(--ink); }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin-top: 2.5rem; }
p { color: var(--soft); max-width: 48rem; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .2rem .7rem; white-space: nowrap; }
th { border-bottom: 1px solid var(--line); font-weight: 600; }
.name { text-align: left; }
tbody tr:nth-child(even) { background: var(--band); }
svg { max-width: 100%; height: auto; }
pre { background: var(--band); padding: .5rem .8rem; overflow-x: auto; font-size: .9em; }
a { color: inherit; }";

/// All that is shown, as a page.
pub(super) fn write(sheet: &Sheet) -> String {
    let mut body = body(sections::all(sheet, ROOM));
    // The plot follows the ranking.
    let end = "</table></div>\n";
    if let Some(at) = body.find(end) {
        let figure = format!("<figure class=\"wide\">{}</figure>\n", plot(&sheet.report));
        body.insert_str(at + end.len(), &figure);
    }
    page("Standings", &body)
}

/// Parts as the body of a page.
pub(crate) fn body(parts: Vec<Part>) -> String {
    let mut body = String::new();
    let mut level = 1;
    for part in parts {
        match part {
            Part::Heading(heading) => {
                body += &format!("<h{level}>{}</h{level}>\n", escape(&heading));
                level = 2;
            }
            Part::Note(note) => body += &format!("<p>{}</p>\n", code(&note)),
            Part::Table(grid) => body += &table(&grid),
            Part::Code(code) => body += &format!("<pre>{}</pre>\n", escape(&code)),
            Part::Fold { title, text } => {
                body += &format!(
                    "<details><summary>{}</summary><pre>{}</pre></details>\n",
                    escape(&title),
                    escape(&text)
                );
            }
        }
    }
    body
}

/// A page that needs nothing but itself.
pub(crate) fn page(title: &str, body: &str) -> String {
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>\n{STYLE}\n</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

fn table(grid: &Grid) -> String {
    let line = |cells: &[String], tag: &str, link: Option<&String>| {
        let cells = cells.iter().enumerate().map(|(i, cell)| {
            let class = if i == grid.names {
                " class=\"name\""
            } else {
                ""
            };
            let text = match link.filter(|_| i == grid.names) {
                Some(link) => format!("<a href=\"{}\">{}</a>", escape(link), escape(cell)),
                None => escape(cell),
            };
            format!("<{tag}{class}>{text}</{tag}>")
        });
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let links = grid.links.iter().map(Some).chain(std::iter::repeat(None));
    let rows = grid.rows.iter().zip(links);
    let rows: String = rows.map(|(row, link)| line(row, "td", link)).collect();
    let head = line(&grid.header, "th", None);
    format!(
        "<div class=\"wide\"><table>\n<thead>\n{head}</thead>\n<tbody>\n{rows}</tbody>\n\
         </table></div>\n"
    )
}

/// A note of ours, in which `names` are code.
fn code(note: &str) -> String {
    let pieces = note.split('`').enumerate();
    let pieces = pieces.map(|(i, piece)| match i % 2 {
        0 => escape(piece),
        _ => format!("<code>{}</code>", escape(piece)),
    });
    pieces.collect()
}
