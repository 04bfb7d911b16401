//! A report as a self-contained page without scripts.

use super::markup::escape;
use super::plot::plot;
use crate::sheet::parts::{Grid, Part};
use crate::sheet::sections;
use crate::sheet::statistics::Sheet;

/// The most bots that have a column each.
const ROOM: usize = 100;

/// The style sheet of all pages.
const STYLE: &str = include_str!("style.css");
/// Follows the system, as no script could choose.
const DARK: &str = "@media (prefers-color-scheme: dark) ";

pub fn all_parts(sheet: &Sheet) -> Vec<Part> {
    sections::all(sheet, ROOM)
}

pub(super) fn write(sheet: &Sheet) -> String {
    let mut body = body(all_parts(sheet));
    // The plot follows the ranking.
    let end = "</table></div>\n";
    if let Some(at) = body.find(end) {
        let figure = format!(
            "<figure class=\"scrolls\">{}</figure>\n",
            plot(&sheet.report)
        );
        body.insert_str(at + end.len(), &figure);
    }
    page("Standings", &body)
}

pub fn body(parts: Vec<Part>) -> String {
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

/// The style sheet, with the dark theme's colours where the system is dark.
fn style() -> String {
    let dark = ":root[data-theme=\"dark\"] {";
    let Some((before, rest)) = STYLE.split_once(dark) else {
        return STYLE.to_owned();
    };
    let Some((colours, after)) = rest.split_once('}') else {
        return STYLE.to_owned();
    };
    format!("{before}{DARK}{{ :root {{{colours}}} }}{after}")
}

/// A self-contained page.
pub fn page(title: &str, body: &str) -> String {
    let title = escape(title);
    let style = style();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>\n{style}\n</style>\n</head>\n<body>\n<main class=\"plain\">\n{body}</main>\n</body>\n</html>\n"
    )
}

fn table(grid: &Grid) -> String {
    let line = |cells: &[String], tag: &str, link: Option<&String>| {
        let cells = cells.iter().enumerate().map(|(i, cell)| {
            let class = if i == grid.names {
                " class=\"text\""
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
        "<div class=\"scrolls\"><table>\n<thead>\n{head}</thead>\n<tbody>\n{rows}</tbody>\n\
         </table></div>\n"
    )
}

/// A note of ours, with its quoted `names` as code.
fn code(note: &str) -> String {
    let pieces = note.split('`').enumerate();
    let pieces = pieces.map(|(i, piece)| match i % 2 {
        0 => escape(piece),
        _ => format!("<code>{}</code>", escape(piece)),
    });
    pieces.collect()
}
