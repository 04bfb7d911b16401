//! A tournament, or some matches, as one HTML file: the pages with the answers that they would get
//! from the server. It loads nothing, and works from disk.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use protocol::Record;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::analyses;
use super::assets::{self, ASSETS};
use super::match_list::{self, MatchRow};
use super::match_page::Replay;
use super::reader::Reader;
use super::site::Site;
use crate::rules_program::RulesSet;

/// The module that begins.
const ENTRY: &str = "app.js";

/// A file that is written: its head is there, and matches can be added.
pub(crate) struct OneFile<W> {
    out: W,
    site: Arc<Site>,
    rows: Vec<MatchRow>,
    is_first: bool,
}

impl<W: Write> OneFile<W> {
    /// Begins a file with matches of this log; with the overview of all of them, if it is to be a
    /// report of the whole.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn begin(
        mut out: W,
        log: &Path,
        rules: Option<RulesSet>,
        is_report: bool,
    ) -> io::Result<Self> {
        let log = super::follow::log_path(log);
        let site = Arc::new(Site::new(vec![log], rules));
        let (head, _) = page();
        out.write_all(head.as_bytes())?;
        let mut file = OneFile {
            out,
            site,
            rows: Vec::new(),
            is_first: true,
        };
        if is_report {
            let mut reader = Reader::new(file.site.clone());
            reader.look();
            let overview = reader.overview();
            file.answer("/api/overview", &overview)?;
        }
        Ok(file)
    }

    /// Adds a match, with all that can be asked of its positions if wanted. Gives why it cannot be
    /// shown, in a sentence, if so.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn add(
        &mut self,
        mut record: Record,
        positions: bool,
    ) -> io::Result<Option<String>> {
        let id = record.match_id.clone();
        let row = match_list::row(&self.site, 0, record.to_line().as_bytes());
        let plies = record.moves.len();
        analyses::add(&self.site, 0, &mut record);
        let shown = Replay::of(&self.site, 0, record).and_then(|replay| {
            let page = replay.page(&self.site, &id, "")?;
            Ok((replay, page))
        });
        let (replay, page) = match shown {
            Ok(shown) => shown,
            Err(refusal) => return Ok(Some(refusal.to_string())),
        };
        self.answer(&format!("/api/match/{id}"), &page)?;
        for ply in 0..=plies {
            if positions && let Ok(position) = replay.position(ply, "") {
                self.answer(&format!("/api/match/{id}/position/{ply}"), &position)?;
            }
        }
        self.rows.extend(row);
        Ok(None)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn end(mut self) -> io::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        let list = json!({"total": rows.len(), "matches": rows});
        self.answer("/api/matches", &list)?;
        let (_, tail) = page();
        self.out.write_all(tail.as_bytes())?;
        self.out.flush()
    }

    /// Writes what the server would answer.
    fn answer(&mut self, path: &str, what: &impl serde::Serialize) -> io::Result<()> {
        let begin = if self.is_first { "{" } else { ",\n" };
        self.is_first = false;
        let path = serde_json::to_string(path)?;
        let what = serde_json::to_string(what)?;
        let text = format!("{path}:{what}");
        write!(self.out, "{begin}{}", within_script(&text))
    }
}

/// JSON as it may stand in a script element: nothing in it can end the element, or begin another.
fn within_script(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// The page before and after the data.
fn page() -> (String, String) {
    let text = |name: &str| assets::find(name).map_or("", |asset| asset.text);
    let (style, script) = (text("style.css"), script());
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; base-uri 'none'; \
         form-action 'none'",
        hash(&script),
        hash(style)
    );
    let mut page = text(assets::INDEX).to_owned();
    for (tag, put) in [
        (
            "<link rel=\"stylesheet\" href=\"style.css\">",
            format!("<style>{style}</style>"),
        ),
        (
            "<script type=\"module\" src=\"app.js\"></script>",
            String::new(),
        ),
        (
            "<meta charset=\"utf-8\">",
            format!(
                "<meta charset=\"utf-8\">\n\
                 <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">"
            ),
        ),
    ] {
        page = page.replacen(tag, &put, 1);
    }
    let (head, tail) = page.split_once("</body>").unwrap_or((&page, ""));
    (
        format!("{head}<script type=\"application/json\" id=\"data\">"),
        format!("}}</script>\n<script type=\"module\">{script}</script>\n</body>{tail}"),
    )
}

/// The hash of an inline script or style, as policies name it.
fn hash(text: &str) -> String {
    format!("sha256-{}", base64(&Sha256::digest(text.as_bytes())))
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let at = |index: usize| u32::from(three.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for digit in 0..4 {
            let is_there = digit <= three.len();
            let value = (bits >> (18 - 6 * digit)) as usize % 64;
            text.push(if is_there {
                char::from(DIGITS[value])
            } else {
                '='
            });
        }
    }
    text
}

/// All modules as one: each after those that it imports, without imports and exports.
fn script() -> String {
    let mut done = BTreeSet::new();
    let mut script = String::new();
    add_module(ENTRY, &mut done, &mut script);
    script
}

fn add_module(name: &str, done: &mut BTreeSet<String>, script: &mut String) {
    let Some(asset) = ASSETS.iter().find(|asset| asset.name == name) else {
        return;
    };
    if !done.insert(name.to_owned()) {
        return;
    }
    let mut own = String::new();
    for line in asset.text.lines() {
        match imported(line) {
            Some(module) => add_module(module, done, script),
            None => {
                own.push_str(line.strip_prefix("export ").unwrap_or(line));
                own.push('\n');
            }
        }
    }
    script.push_str(&own);
}

/// The module that a line imports, if it is an import.
fn imported(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("import ")?;
    let (_, name) = rest.rsplit_once(" from './")?;
    name.strip_suffix("';")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_become_one_script() {
        let script = script();
        assert!(script.contains("\nfunction route() {"));
        let mut names = BTreeSet::new();
        for line in script.lines() {
            assert!(
                !line.starts_with("import ") && !line.starts_with("export "),
                "{line}"
            );
            assert!(!line.contains("</script"), "{line}");
            let line = line.strip_prefix("async ").unwrap_or(line);
            let declared = ["function ", "class ", "const ", "let "];
            let rest = declared.iter().find_map(|word| line.strip_prefix(word));
            let Some(rest) = rest else { continue };
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
            let name = &rest[..end.unwrap_or(rest.len())];
            assert!(names.insert(name.to_owned()), "two modules have `{name}`");
        }
        assert!(names.contains("Board") && names.contains("TOKEN"));
    }

    #[test]
    fn the_page_holds_all_that_it_needs() {
        let (head, tail) = page();
        assert!(head.contains("script-src 'sha256-") && head.contains("<style>"));
        assert!(!head.contains("src=\"") && !head.contains("href=\"style.css\""));
        assert!(head.ends_with("id=\"data\">") && tail.trim_end().ends_with("</html>"));
        assert_eq!(base64(b"ab"), "YWI=");
        assert_eq!(base64(b"abc"), "YWJj");
        assert_eq!(base64(b"a"), "YQ==");
    }

    #[test]
    fn nothing_in_the_data_ends_it() {
        let text = within_script("\"</script><!--\u{2028}\"");
        assert_eq!(text, "\"\\u003c/script>\\u003c!--\\u2028\"");
    }
}
