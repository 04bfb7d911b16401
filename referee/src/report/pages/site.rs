//! A folder of pages: an index with the standings, a page about each bot, all statistics, and the
//! rules of the games.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use games::registry::Entry;
use protocol::shown;
use pulldown_cmark::{Options, Parser, html};
use supervisor::file_name;
use thiserror::Error;
use toml_edit::{DocumentMut, Item, TableLike, Value};

use super::bot_page;
use super::played::Played;
use crate::files::{self, MOST_TEXT};
use crate::report::sheet::{
    self, COUNTS, Grid, Part, SheetFormat, counts, heading, interval, load,
};
use crate::tournament::folder::CONFIG_NAME;

/// The folder of the bots' pages.
const BOTS: &str = "bots";
/// The folder of the games' rules.
const RULES: &str = "rules";
/// The page of all statistics.
const STATISTICS: &str = "statistics.html";

/// A page that cannot be written.
#[derive(Debug, Error)]
#[error("`{}` cannot be written: {error}", path.display())]
pub(crate) struct SiteError {
    path: PathBuf,
    error: io::Error,
}

/// Writes the pages to a folder; gives the path of the index.
///
/// # Errors
/// If they cannot be written.
pub(crate) fn write_site(played: &Played, out: &Path) -> Result<PathBuf, SiteError> {
    let (bots, rules) = (out.join(BOTS), out.join(RULES));
    for folder in [&bots, &rules] {
        fs::create_dir_all(folder).map_err(|error| SiteError {
            path: folder.clone(),
            error,
        })?;
    }
    for game in games(played) {
        let page = rules.join(format!("{}.html", game.info.id));
        write(&page, &rules_page(game))?;
    }
    let names = page_names(played);
    for (bot, page) in played.report().bots.iter().zip(&names) {
        let body = format!(
            "<p><a href=\"../index.html\">All bots</a></p>\n{}",
            sheet::html(bot_page::parts(played, &bot.name))
        );
        write(&bots.join(page), &sheet::page(&bot.name, &body))?;
    }
    let statistics = played.sheet.write(SheetFormat::Html, None);
    write(&out.join(STATISTICS), &statistics)?;
    let index = out.join("index.html");
    write(&index, &index_page(played, &names))?;
    Ok(index)
}

/// The games that were played, as far as this referee knows them.
fn games(played: &Played) -> Vec<&'static Entry> {
    let mut found: Vec<&Entry> = Vec::new();
    for game in &played.report().games {
        // A label has the options after the id.
        let id = game.label.split(' ').next().unwrap_or_default();
        if let Some(entry) = games::find(id)
            && found.iter().all(|known| known.info.id != id)
        {
            found.push(entry);
        }
    }
    found
}

/// The rules of a game, from the text that `referee rules` prints.
fn rules_page(game: &Entry) -> String {
    let mut body = String::from("<p><a href=\"../index.html\">All bots</a></p>\n");
    html::push_html(
        &mut body,
        Parser::new_ext(&game.guide, Options::ENABLE_TABLES),
    );
    sheet::page(&game.info.title, &body)
}

fn write(path: &Path, text: &str) -> Result<(), SiteError> {
    files::write_whole(path, text.as_bytes()).map_err(|error| SiteError {
        path: path.to_owned(),
        error,
    })
}

/// A file name for each bot. No two are alike, also where upper and lower case are the same.
fn page_names(played: &Played) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let bots = played.report().bots.iter();
    bots.map(|bot| {
        let name = file_name(&bot.name);
        let mut page = format!("{name}.html");
        let mut number = 1;
        while !taken.insert(page.to_lowercase()) {
            number += 1;
            page = format!("{name}-{number}.html");
        }
        page
    })
    .collect()
}

fn index_page(played: &Played, names: &[String]) -> String {
    let config = files::read(&played.folder.join(CONFIG_NAME), 4 * MOST_TEXT).ok();
    let config: Option<DocumentMut> = config.and_then(|text| text.parse().ok());
    let name = config.as_ref().and_then(|it| it.get("name")?.as_str());
    let folder = played
        .folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let title = shown(name.unwrap_or(&folder));
    let mut parts = vec![
        heading(&title),
        Part::Note(facts(played)),
        Part::Table(ranking(played, names)),
    ];
    if !played.left_out.is_empty() {
        parts.push(heading("Left out"));
        parts.push(Part::Table(left_out(played)));
    }
    if let Some(mut config) = config {
        hide_environments(config.as_table_mut());
        parts.push(heading("Configuration"));
        parts.push(Part::Fold {
            title: "The configuration, without the values of environment variables".to_owned(),
            text: protocol::shown_lines(&config.to_string()),
        });
    }
    let rules = games(played).into_iter().map(|game| {
        let (id, title) = (&game.info.id, &game.info.title);
        format!("<a href=\"{RULES}/{id}.html\">{title}</a>")
    });
    let rules: Vec<String> = rules.collect();
    let rules = match &*rules {
        [] => String::new(),
        some => format!("<p>Rules: {}</p>\n", some.join(", ")),
    };
    let more = format!("{rules}<p><a href=\"{STATISTICS}\">All statistics</a></p>\n");
    sheet::page(&title, &(sheet::html(parts) + &more))
}

/// When, where and how it was played.
fn facts(played: &Played) -> String {
    let mut text = String::new();
    if let Some((first, last)) = &played.began {
        text += &format!("First match {}, last {}. ", shown(first), shown(last));
    }
    let referees: Vec<String> = played.referees.iter().map(|it| shown(it)).collect();
    text += &format!("Played by {}", referees.join(", "));
    let at_a_time: Vec<String> = played.at_a_time.iter().map(u32::to_string).collect();
    if !at_a_time.is_empty() {
        text += &format!(", {} at a time", at_a_time.join(" or "));
    }
    format!("{text}. {}", load(&played.report().noise.machine))
}

fn ranking(played: &Played, names: &[String]) -> Grid {
    let report = played.report();
    let mut grid = Grid::new(["#", "bot", "elo", "±"].into_iter().chain(COUNTS), 1);
    for (place, &bot) in report.ranking.iter().enumerate() {
        let mut row = vec![(place + 1).to_string(), shown(&report.bots[bot].name)];
        row.extend(interval(report.ratings.bots[bot].as_ref()));
        row.extend(counts(&report.bots[bot].results));
        grid.rows.push(row);
        grid.links.push(format!("{BOTS}/{}", names[bot]));
    }
    grid
}

/// The bots that did not play, and why.
fn left_out(played: &Played) -> Grid {
    let mut grid = Grid::new(["bot", "why"], 2);
    for left_out in &played.left_out {
        grid.rows
            .push(vec![shown(&left_out.bot), shown(&left_out.why)]);
    }
    grid
}

/// Environment variables may hold keys and passwords: only their names are published.
fn hide_environments(table: &mut dyn TableLike) {
    for (key, item) in table.iter_mut() {
        if key.get() == "env" {
            hide(item);
        } else if let Some(inner) = item.as_table_like_mut() {
            hide_environments(inner);
        } else if let Some(tables) = item.as_array_of_tables_mut() {
            tables.iter_mut().for_each(|it| hide_environments(it));
        } else if let Some(array) = item.as_array_mut() {
            let tables = array.iter_mut().filter_map(Value::as_inline_table_mut);
            tables.for_each(|it| hide_environments(it));
        }
    }
}

fn hide(item: &mut Item) {
    match item.as_table_like_mut() {
        Some(variables) => {
            for (_, value) in variables.iter_mut() {
                *value = toml_edit::value("…");
            }
        }
        None => *item = toml_edit::value("…"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environments_are_hidden_wherever_they_are() {
        let config = r#"
name = "x"
env = { A = "secret" }
bots = [{ name = "a", env = { KEY = "secret" } }]
[[bot]]
name = "env"
[bot.env]
KEY = "secret"
"#;
        let mut config: DocumentMut = config.parse().expect("TOML");
        hide_environments(config.as_table_mut());
        let text = config.to_string();
        assert!(!text.contains("secret"), "{text}");
        assert_eq!(text.matches("KEY").count(), 2, "{text}");
        assert!(text.contains("name = \"env\""), "{text}");
    }
}
