//! A folder of pages: an index with the standings, a page about each bot, all statistics, and the rules
//! of the games. Their plain HTML is for readers without scripts.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use files::output;
use files::{self, MOST_TEXT};
use games::registry::Entry;
use log::LogFile;
use protocol::shown;
use report::print_notice;
use report::sheet::{self, COUNTS, Grid, Part, counts, heading, interval, load};
use supervisor::file_name;
use thiserror::Error;
use toml_edit::{DocumentMut, Item, TableLike, Value};
use tournament::folder::CONFIG_NAME;

use crate::frame::page_of_folder;
use crate::pages::left_out_page;
use crate::pages::page::{Page, rules_of, statistics};
use crate::pages::page_folder::PageFolder;
use crate::state::played::PlayedTournament;
use crate::words::encoded;

/// The folder of the bots' pages.
const BOTS: &str = "bots";
/// The folder of the games' rules.
const RULES: &str = "rules";
/// The most matches in a folder of pages.
const MOST_MATCHES: usize = 5000;
const STATISTICS: &str = "statistics.html";

#[derive(Debug, Error)]
#[error("`{}` cannot be written: {error}", path.display())]
pub struct SiteError {
    path: PathBuf,
    pub error: io::Error,
}

/// Writes the pages of this log to a folder, and returns the path of the index.
///
/// # Errors
/// If they cannot be written.
pub fn write_site(played: &PlayedTournament, log: &Path, out: &Path) -> Result<PathBuf, SiteError> {
    let (bots, rules) = (out.join(BOTS), out.join(RULES));
    for folder in [&bots, &rules] {
        fs::create_dir_all(folder).map_err(|error| SiteError {
            path: folder.clone(),
            error,
        })?;
    }
    let broken = |error| SiteError {
        path: out.to_owned(),
        error,
    };
    let mut pages = PageFolder::begin(out, log).map_err(broken)?;
    for game in games(played) {
        let (id, page) = (&game.info.id, rules_of(game));
        pages
            .answer(&format!("/api/page/rules/{id}"), &page)
            .map_err(broken)?;
        let body = page.html.unwrap_or_default();
        let text = page_of_folder(&page.title, "../", &format!("/rules/{id}"), &body);
        write(&rules.join(format!("{id}.html")), &text)?;
    }
    let names = page_names(played);
    let bots_of = played.report().bots.iter();
    let pages_of = bots_of.map(|bot| Page::of_bot(played, &bot.name));
    let left_out = played.left_out.iter();
    let pages_of = pages_of.chain(left_out.map(|bot| Page::of_left_out(played, bot)));
    for (page, file) in pages_of.zip(&names) {
        let address = encoded(&page.title);
        pages
            .answer(&format!("/api/page/bot/{address}"), &page)
            .map_err(broken)?;
        let text = page_of_folder(
            &page.title,
            "../",
            &format!("/bot/{address}"),
            &page.plain("../"),
        );
        write(&bots.join(file), &text)?;
    }
    let page = statistics(played);
    pages
        .answer("/api/page/statistics", &page)
        .map_err(broken)?;
    let text = page_of_folder(&page.title, "", "/statistics", &page.plain(""));
    write(&out.join(STATISTICS), &text)?;
    pages
        .answer("/api/page/about", &about(played))
        .map_err(broken)?;
    add_matches(&mut pages, log).map_err(broken)?;
    pages.end().map_err(broken)?;
    let index = out.join("index.html");
    write(
        &index,
        &played.without_private_paths(&index_page(played, &names)),
    )?;
    Ok(index)
}

/// Adds the matches of a log, up to [`MOST_MATCHES`].
fn add_matches(pages: &mut PageFolder, log: &Path) -> io::Result<()> {
    let Ok(file) = LogFile::open(log) else {
        return Ok(());
    };
    for record in file.take(MOST_MATCHES).flatten() {
        if let Some(why) = pages.add(record)? {
            print_notice(format_args!("warning: {}\n", shown(&why)));
        }
    }
    Ok(())
}

/// Everything about a tournament but its matches and figures.
pub fn about(played: &PlayedTournament) -> Page {
    let link = |_: usize, bot: &str| format!("#/bot/{}", encoded(bot));
    let (title, parts) = index_parts(played, Vec::new(), link);
    Page::for_others(played, &title, parts)
}

/// The games that were played, if this referee knows them.
fn games(played: &PlayedTournament) -> Vec<&'static Entry> {
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

fn write(path: &Path, text: &str) -> Result<(), SiteError> {
    output::replace(path, text).map_err(|error| SiteError {
        path: path.to_owned(),
        error,
    })
}

/// A file name for each bot, then for each that was left out. They are unique even where case is
/// ignored.
fn page_names(played: &PlayedTournament) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let bots = played.report().bots.iter().map(|bot| &*bot.name);
    let left_out = played.left_out.iter().map(|left_out| &*left_out.bot);
    bots.chain(left_out)
        .map(|bot| {
            let name = file_name(bot);
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

fn index_page(played: &PlayedTournament, names: &[String]) -> String {
    let after = vec![Part::Table(ranking(played, names))];
    let bots = played.report().bots.len();
    let link = |at: usize, _: &str| format!("{BOTS}/{}", names[bots + at]);
    let (title, parts) = index_parts(played, after, link);
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
    page_of_folder(&title, "", "/", &(sheet::html(parts) + &more))
}

/// Title and description of a tournament, with these parts after the facts. `link` maps the number and
/// name of a bot that was left out to its page.
fn index_parts(
    played: &PlayedTournament,
    after: Vec<Part>,
    link: impl Fn(usize, &str) -> String,
) -> (String, Vec<Part>) {
    let config = files::read(&played.folder.join(CONFIG_NAME), 4 * MOST_TEXT).ok();
    let config: Option<DocumentMut> = config.and_then(|text| text.parse().ok());
    let name = config.as_ref().and_then(|it| it.get("name")?.as_str());
    let folder = played
        .folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let title = shown(name.unwrap_or(&folder));
    let mut parts = vec![heading(&title), Part::Note(facts(played))];
    parts.extend(after);
    if !played.left_out.is_empty() {
        parts.push(heading("Left out"));
        let left_out = played.left_out.iter().enumerate();
        let links = left_out.map(|(at, bot)| link(at, &bot.bot)).collect();
        parts.push(Part::Table(left_out_page::table(&played.left_out, links)));
    }
    if let Some(mut config) = config {
        hide_environments(config.as_table_mut());
        parts.push(heading("Configuration"));
        parts.push(Part::Fold {
            title: "The configuration, without the values of environment variables".to_owned(),
            text: protocol::shown_lines(&config.to_string()),
        });
    }
    (title, parts)
}

/// A time of the log in the format of the other pages, but in UTC: `2026-01-02 15:04 UTC`.
fn minute(time: &str) -> String {
    match (time.get(..10), time.get(10..11), time.get(11..16)) {
        (Some(day), Some("T"), Some(minute)) if time.ends_with('Z') => {
            format!("{day} {minute} UTC")
        }
        _ => time.to_owned(),
    }
}

/// Time, place and conditions of the tournament.
fn facts(played: &PlayedTournament) -> String {
    let mut text = String::new();
    if let Some((first, last)) = &played.began {
        text += &format!(
            "First match {}, last {}. ",
            minute(&shown(first)),
            minute(&shown(last))
        );
    }
    let referees: Vec<String> = played.referees.iter().map(|it| shown(it)).collect();
    text += &format!("Played by {}", referees.join(", "));
    let at_a_time: Vec<String> = played.at_a_time.iter().map(u32::to_string).collect();
    if !at_a_time.is_empty() {
        text += &format!(", {} at a time", at_a_time.join(" or "));
    }
    format!("{text}. {}", load(&played.report().noise.machine))
}

fn ranking(played: &PlayedTournament, names: &[String]) -> Grid {
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

/// Environment variables may hold keys and passwords, so only their names are published.
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
    fn times_are_written_as_on_the_other_pages() {
        assert_eq!(minute("2026-01-02T15:04:05.678Z"), "2026-01-02 15:04 UTC");
        assert_eq!(minute("yesterday"), "yesterday");
    }

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
