//! Traces for debugging a bot: every line in both directions, with its time, written at once.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime};

use serde::Serialize;
use thiserror::Error;

use crate::spec::file_name;

#[derive(Debug, Error)]
#[error("--trace: `{}` cannot be written: {error}", path.display())]
pub struct TraceError {
    pub path: PathBuf,
    pub error: io::Error,
}

/// The destination of traces.
#[derive(Clone, Debug)]
pub enum Tracer {
    /// A file for each process.
    Folder(PathBuf),
    /// One file for all.
    File(Arc<Mutex<File>>),
}

impl Tracer {
    /// Traces go to a file if the path is one or has an extension, otherwise to a folder.
    ///
    /// # Errors
    /// If the file or folder cannot be created.
    pub fn new(path: &Path) -> Result<Self, TraceError> {
        let wrong = |error| TraceError {
            path: path.to_owned(),
            error,
        };
        if path.is_file() || (path.extension().is_some() && !path.is_dir()) {
            check_before(path).map_err(wrong)?;
            let file = File::create(path).map_err(wrong)?;
            return Ok(Tracer::File(Arc::new(Mutex::new(file))));
        }
        fs::create_dir_all(path).map_err(wrong)?;
        Ok(Tracer::Folder(path.to_owned()))
    }

    /// The trace of a bot's process with this number.
    pub(crate) fn process(&self, bot: &str, number: usize) -> Option<Trace> {
        let out = match self {
            Tracer::File(file) => file.clone(),
            Tracer::Folder(folder) => {
                let path = folder.join(format!("{}.{number}.jsonl", file_name(bot)));
                match File::create(&path) {
                    Ok(file) => Arc::new(Mutex::new(file)),
                    Err(error) => {
                        tracing::warn!("{} cannot be written: {error}", path.display());
                        return None;
                    }
                }
            }
        };
        Some(Trace {
            out,
            bot: bot.to_owned(),
            process: number,
            began: Instant::now(),
            broken: false,
        })
    }
}

/// Refuses to replace a file that is not a trace.
fn check_before(path: &Path) -> io::Result<()> {
    // A FIFO or a device has no text that could be lost.
    if !path.metadata().is_ok_and(|about| about.is_file()) {
        return Ok(());
    }
    let mut begin = Vec::new();
    let begins = BEGIN.len() as u64;
    File::open(path)?.take(begins).read_to_end(&mut begin)?;
    if begin.is_empty() || begin == BEGIN {
        return Ok(());
    }
    let message = "it is no trace, so it is not replaced; choose another name, or remove it";
    Err(io::Error::new(io::ErrorKind::AlreadyExists, message))
}

/// The prefix of each line of a trace.
const BEGIN: &[u8] = b"{\"at\":\"";

/// An entry of a trace, before it is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Traced<'a> {
    ToBot(&'a [u8]),
    FromBot(&'a [u8]),
    /// Output of the bot that was not read as a line.
    Unread(&'a [u8]),
    /// A change in the state of the process.
    Event(&'a str),
}

/// The trace of one process. Each line is written at once, so that none is lost in a crash.
#[derive(Debug)]
pub(crate) struct Trace {
    out: Arc<Mutex<File>>,
    bot: String,
    process: usize,
    began: Instant,
    /// It could not be written, and the user was warned.
    broken: bool,
}

/// A line of a trace.
#[derive(Debug, Default, Serialize)]
struct TraceEntry<'a> {
    at: String,
    /// Milliseconds since the process was started.
    ms: f64,
    bot: &'a str,
    process: usize,
    #[serde(flatten)]
    line: SpokenLine<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<&'a str>,
}

/// A line by its direction, as it is written in traces and transcripts.
#[derive(Debug, Default, Serialize)]
pub(crate) struct SpokenLine<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) to_bot: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) from_bot: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) from_bot_unread: Option<&'a str>,
}

impl Trace {
    /// Writes an entry with the present time.
    pub(crate) fn write(&mut self, traced: Traced<'_>) {
        if self.broken {
            return;
        }
        let mut entry = TraceEntry {
            at: protocol::timestamp(SystemTime::now(), 6),
            ms: self.began.elapsed().as_micros() as f64 / 1e3,
            bot: &self.bot,
            process: self.process,
            ..TraceEntry::default()
        };
        let text;
        match traced {
            Traced::ToBot(line) => {
                text = String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(line));
                entry.line.to_bot = Some(&text);
            }
            Traced::FromBot(line) => {
                text = String::from_utf8_lossy(line);
                entry.line.from_bot = Some(&text);
            }
            Traced::Unread(piece) => {
                text = String::from_utf8_lossy(piece);
                entry.line.from_bot_unread = Some(&text);
            }
            Traced::Event(what) => entry.event = Some(what),
        }
        if let Err(error) = append(&self.out, &entry) {
            tracing::warn!("the trace of {} cannot be written: {error}", self.bot);
            self.broken = true;
        }
    }
}

/// Appends in one write, so that processes that share a file never mix their lines.
fn append(out: &Mutex<File>, entry: &TraceEntry<'_>) -> io::Result<()> {
    let line = serde_json::to_string(entry)? + "\n";
    let mut file = out.lock().unwrap_or_else(PoisonError::into_inner);
    file.write_all(line.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn lines(path: &Path) -> Vec<Value> {
        let text = fs::read_to_string(path).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    #[test]
    fn everything_is_written_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("traces");
        let tracer = Tracer::new(&path).unwrap();
        let mut trace = tracer.process("my bot", 7).unwrap();
        trace.write(Traced::ToBot(b"{\"type\":\"quit\"}\n"));
        trace.write(Traced::FromBot(b"caf\xe9"));
        trace.write(Traced::Unread(b"half a"));
        trace.write(Traced::Event("exited with code 0"));
        let lines = lines(&path.join("my_bot.7.jsonl"));
        assert_eq!(lines[0]["to_bot"], "{\"type\":\"quit\"}");
        assert_eq!(lines[1]["from_bot"], "caf\u{fffd}");
        assert_eq!(lines[2]["from_bot_unread"], "half a");
        assert_eq!(lines[3]["event"], "exited with code 0");
        assert!(lines.iter().all(|line| line["process"] == 7));
        assert!(lines[0]["ms"].as_f64() <= lines[3]["ms"].as_f64());
    }

    #[test]
    fn processes_can_share_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("all.jsonl");
        let tracer = Tracer::new(&path).unwrap();
        for bot in ["one", "two"] {
            tracer.process(bot, 1).unwrap().write(Traced::FromBot(b"x"));
        }
        let bots: Vec<Value> = lines(&path)
            .iter()
            .map(|line| line["bot"].clone())
            .collect();
        assert_eq!(bots, ["one", "two"]);
        let error = Tracer::new(&path.join("below.jsonl")).unwrap_err();
        assert!(error.to_string().contains("--trace: "), "{error}");
    }
}
