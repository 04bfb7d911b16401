//! A folder of pages: those of the server, with its answers as files. It works from disk and from any
//! web server.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use protocol::Record;
use serde::Serialize;
use serde_json::json;

use crate::frame::{FILES, files_of_folder};
use crate::matches::analyses;
use crate::matches::match_list::{self, MatchRow};
use crate::matches::match_page::Replay;
use crate::state::reader::Reader;
use crate::state::site::Site;
use crate::words::encoded;

/// The folder of the answers.
const DATA: &str = "data";

pub(crate) struct PageFolder {
    folder: PathBuf,
    site: Arc<Site>,
    rows: Vec<MatchRow>,
    /// The file of each answer.
    files: BTreeMap<String, String>,
}

impl PageFolder {
    /// Begins a folder with the overview of this log.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub(crate) fn begin(folder: &Path, log: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder.join(DATA))?;
        for (name, text) in files_of_folder() {
            fs::write(folder.join(name), text)?;
        }
        let site = Arc::new(Site::new(vec![crate::state::follow::log_path(log)], None));
        let mut reader = Reader::new(site.clone());
        reader.poll();
        let overview = reader.overview();
        let mut pages = PageFolder {
            folder: folder.to_owned(),
            site,
            rows: Vec::new(),
            files: BTreeMap::new(),
        };
        pages.answer("/api/overview", &overview)?;
        Ok(pages)
    }

    /// Adds a match. Returns a sentence if the match cannot be shown.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub(crate) fn add(&mut self, mut record: Record) -> io::Result<Option<String>> {
        let id = record.match_id.clone();
        let row = match_list::row(&self.site, 0, record.to_line().as_bytes());
        analyses::add(&self.site, 0, &mut record);
        let page = Replay::of(&self.site, 0, record);
        match page.and_then(|replay| replay.page(&self.site, &id, "")) {
            Ok(page) => self.answer(&format!("/api/match/{}", encoded(&id)), &page)?,
            Err(refusal) => return Ok(Some(refusal.to_string())),
        }
        self.rows.extend(row);
        Ok(None)
    }

    /// Adds an answer of the server.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub(crate) fn answer(&mut self, path: &str, what: &impl Serialize) -> io::Result<()> {
        let file = format!("{DATA}/{}.js", self.files.len() + 1);
        let (key, what) = (serde_json::to_string(path)?, serde_json::to_string(what)?);
        fs::write(
            self.folder.join(&file),
            format!("refereeTakes({key},{what});\n"),
        )?;
        self.files.insert(path.to_owned(), file);
        Ok(())
    }

    /// Completes the folder.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub(crate) fn end(mut self) -> io::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        self.answer(
            "/api/matches",
            &json!({"total": rows.len(), "matches": rows}),
        )?;
        let files = serde_json::to_string(&self.files)?;
        fs::write(
            self.folder.join(FILES),
            format!("var refereeFiles = {files};\n"),
        )
    }
}
