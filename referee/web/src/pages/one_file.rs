//! A tournament, or some matches, as one HTML file: the pages with the server's answers. It loads
//! nothing, and works from disk.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use protocol::Record;
use rules::RulesSet;
use serde_json::{Value, json};

use crate::frame::{page, within_script};
use crate::matches::analyses;
use crate::matches::match_list::{self, MatchRow};
use crate::matches::match_page::Replay;
use crate::pages::json_change::change;
use crate::state::reader::Reader;
use crate::state::site::Site;
use crate::words::encoded;

/// A file being written, to which matches can be added.
pub struct OneFile<W> {
    out: W,
    site: Arc<Site>,
    rows: Vec<MatchRow>,
    is_first: bool,
}

impl<W: Write> OneFile<W> {
    /// Begins a file with matches of this log. A report of the whole log includes the overview.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn begin(
        mut out: W,
        log: &Path,
        rules: Option<RulesSet>,
        is_report: bool,
    ) -> io::Result<Self> {
        let log = crate::state::follow::log_path(log);
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
            reader.poll();
            let overview = reader.overview();
            file.answer("/api/overview", &overview)?;
        }
        Ok(file)
    }

    /// Adds a match, and its positions if asked to. Returns a sentence if the match cannot be shown.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, mut record: Record, positions: bool) -> io::Result<Option<String>> {
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
        self.answer(&format!("/api/match/{}", encoded(&id)), &page)?;
        if positions {
            self.add_positions(
                &replay,
                &format!("/api/match/{}/position", encoded(&id)),
                plies,
            )?;
        }
        self.rows.extend(row);
        Ok(None)
    }

    /// Adds the positions of a match: the first state, then changes. A principal variation begins with
    /// the board that the match has.
    fn add_positions(&mut self, replay: &Replay, path: &str, plies: usize) -> io::Result<()> {
        let mut before = Value::Null;
        for ply in 0..=plies {
            let Ok(mut position) = replay.position(ply, "") else {
                return Ok(());
            };
            let state = position["state"].take();
            let pv = position["pv"].as_array_mut().map(std::mem::take);
            let pv: Vec<Value> = pv.into_iter().flatten().skip(1).collect();
            let answer = if ply == 0 {
                json!({"state": state, "pv": pv})
            } else {
                json!({"change": change(&before, &state), "pv": pv})
            };
            self.answer(&format!("{path}/{ply}"), &answer)?;
            before = state;
        }
        Ok(())
    }

    /// Completes the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn end(mut self) -> io::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        let list = json!({"total": rows.len(), "matches": rows});
        self.answer("/api/matches", &list)?;
        let (_, tail) = page();
        self.out.write_all(tail.as_bytes())?;
        self.out.flush()
    }

    /// Writes an answer of the server.
    fn answer(&mut self, path: &str, what: &impl serde::Serialize) -> io::Result<()> {
        let begin = if self.is_first { "{" } else { ",\n" };
        self.is_first = false;
        let path = serde_json::to_string(path)?;
        let what = serde_json::to_string(what)?;
        let text = format!("{path}:{what}");
        write!(self.out, "{begin}{}", within_script(&text))
    }
}
