//! What was said between the referee and a bot in a match, for reports of failures.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::os::unix::fs::FileExt;
use std::time::Duration;

use serde::Serialize;
use tempfile::tempfile;
use tokio::time::Instant;

use super::trace::{Line, Said, Trace};

/// Up to here a transcript is kept in memory; what is longer goes to a temporary file.
const IN_MEMORY: usize = 4 << 10;
/// So much of the temporary file is kept from one match to the next.
const KEPT_ON_DISK: u64 = 1 << 20;
/// So much of what a bot prints from one turn to the next is kept, apart from its last line.
const KEPT_A_TURN: usize = 256 << 10;
/// So much of a line is kept that is too long to be one.
const KEPT_OF_A_PIECE: usize = 4 << 10;

/// The lines of one match, both ways, with their times.
#[derive(Debug)]
pub(super) struct Transcript {
    began: Instant,
    /// The last frames: see [`Transcript::push`].
    frames: Vec<u8>,
    /// For those before them, if there are too many; it stays for other matches.
    file: Option<File>,
    /// How much of it is of this match.
    spilled: u64,
    /// How much the bot printed since it was last asked.
    heard: usize,
    /// What of that was left out since the last frame: lines.
    skipped: u32,
    /// It could not be written, or read again.
    broken: bool,
    /// Where all of it goes at once, over all matches.
    trace: Option<Trace>,
}

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Kind {
    ToBot = 0,
    FromBot = 1,
    /// What nobody read as a line.
    Unread = 2,
    /// Not a text but a number: of lines that were left out.
    Skipped = 3,
}

/// A line of the report.
#[derive(Debug, Default, Serialize)]
struct Entry<'a> {
    /// Since the beginning of the match.
    ms: f64,
    #[serde(flatten)]
    line: Line<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines_left_out: Option<u32>,
}

impl Transcript {
    /// Nothing was said yet.
    pub(super) fn new() -> Self {
        Transcript {
            began: Instant::now(),
            frames: Vec::new(),
            file: None,
            spilled: 0,
            heard: 0,
            skipped: 0,
            broken: false,
            trace: None,
        }
    }

    /// Nothing was said yet; all that is goes to this trace, too.
    pub(super) fn traced(trace: Option<Trace>) -> Self {
        Transcript {
            trace,
            ..Transcript::new()
        }
    }

    /// Something happened to the process.
    pub(super) fn happened(&mut self, what: &str) {
        self.trace(Said::Event(what));
    }

    fn trace(&mut self, said: Said<'_>) {
        if let Some(trace) = &mut self.trace {
            trace.write(said);
        }
    }

    /// Another match begins.
    pub(super) fn begin(&mut self, now: Instant) {
        self.frames.clear();
        // To write over what is there costs less than to cut it off, as long as it is small.
        let large = self.spilled > KEPT_ON_DISK;
        self.file
            .take_if(|file| large && file.set_len(KEPT_ON_DISK).is_err());
        self.spilled = 0;
        self.broken = false;
        self.began = now;
        self.heard = 0;
        self.skipped = 0;
    }

    /// A line is sent; with its end.
    pub(super) fn sent(&mut self, line: &[u8], now: Instant) {
        self.trace(Said::ToBot(line));
        self.heard = 0;
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        self.push(Kind::ToBot, text, now);
    }

    /// A line came; without its end.
    pub(super) fn came(&mut self, line: &[u8], now: Instant) {
        self.trace(Said::FromBot(line));
        self.heard += line.len() + 1;
        match self.heard > KEPT_A_TURN {
            true => self.skipped += 1,
            false => self.push(Kind::FromBot, line, now),
        }
    }

    /// This came, too, but was not read any more, or is no whole line.
    pub(super) fn unread(&mut self, piece: &[u8]) {
        if !piece.is_empty() {
            self.trace(Said::Unread(piece));
            let piece = &piece[..piece.len().min(KEPT_OF_A_PIECE)];
            self.push(Kind::Unread, piece, Instant::now());
        }
    }

    /// Appends how many lines were left out, if any were.
    fn note_skipped(&mut self, now: Instant) {
        if self.skipped > 0 {
            let skipped = std::mem::take(&mut self.skipped);
            self.push(Kind::Skipped, &skipped.to_le_bytes(), now);
        }
    }

    /// Appends a frame: nanoseconds, kind, length, bytes; numbers in little-endian.
    fn push(&mut self, kind: Kind, text: &[u8], now: Instant) {
        self.note_skipped(now);
        if self.frames.len() + text.len() > IN_MEMORY {
            self.broken |= self.spill().is_err();
        }
        let at = now.saturating_duration_since(self.began).as_nanos() as u64;
        self.frames.extend_from_slice(&at.to_le_bytes());
        self.frames.push(kind as u8);
        let length = text.len() as u32;
        self.frames.extend_from_slice(&length.to_le_bytes());
        self.frames.extend_from_slice(text);
    }

    /// Makes room by writing what is there to the file.
    fn spill(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile()?),
        };
        let written = file.write_all_at(&self.frames, self.spilled);
        // What could not be written is left out as a whole: the rest stays readable.
        if written.is_ok() {
            self.spilled += self.frames.len() as u64;
        }
        self.frames.clear();
        self.frames.shrink_to(IN_MEMORY);
        written
    }

    /// Writes it as JSON, an entry a line.
    ///
    /// # Errors
    /// If it cannot be written, or was not kept whole.
    pub(super) fn write(mut self, mut out: impl Write) -> io::Result<()> {
        self.note_skipped(Instant::now());
        let mut first: Box<dyn Read> = match self.file.take() {
            Some(mut file) => {
                file.rewind()?;
                Box::new(BufReader::new(file.take(self.spilled)))
            }
            None => Box::new(io::empty()),
        };
        let mut frames = first.by_ref().chain(&*self.frames);
        let mut head = [0; 13];
        let mut text = Vec::new();
        while frames.read_exact(&mut head).is_ok() {
            let number = |bytes: &[u8]| {
                bytes
                    .iter()
                    .rev()
                    .fold(0u64, |sum, byte| sum << 8 | u64::from(*byte))
            };
            text.resize(number(&head[9..]) as usize, 0);
            frames.read_exact(&mut text)?;
            let line = entry(Duration::from_nanos(number(&head[..8])), head[8], &text)?;
            writeln!(out, "{line}")?;
        }
        out.flush()?;
        match self.broken {
            true => Err(io::Error::other("the lines could not be kept whole")),
            false => Ok(()),
        }
    }
}

fn entry(at: Duration, kind: u8, text: &[u8]) -> io::Result<String> {
    let lossy = String::from_utf8_lossy(text);
    let mut entry = Entry {
        ms: at.as_micros() as f64 / 1e3,
        ..Entry::default()
    };
    match kind {
        k if k == Kind::ToBot as u8 => entry.line.to_bot = Some(&lossy),
        k if k == Kind::FromBot as u8 => entry.line.from_bot = Some(&lossy),
        k if k == Kind::Unread as u8 => entry.line.from_bot_unread = Some(&lossy),
        _ => {
            let skipped = text.try_into().map(u32::from_le_bytes);
            entry.lines_left_out = Some(skipped.unwrap_or_default());
        }
    }
    Ok(serde_json::to_string(&entry)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn lines(transcript: Transcript) -> Vec<Value> {
        let mut text = Vec::new();
        transcript.write(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    #[test]
    fn everything_that_was_said_is_there() {
        let mut transcript = Transcript::new();
        transcript.sent(b"forgotten\n", Instant::now());
        transcript.begin(Instant::now());
        transcript.sent(b"{\"type\":\"quit\"}\n", Instant::now());
        transcript.came(b"caf\xe9", Instant::now());
        transcript.unread(b"half a li");
        let long = "x".repeat(100_000);
        for _ in 0..2 {
            transcript.sent(long.as_bytes(), Instant::now());
        }
        let lines = lines(transcript);
        assert_eq!(lines[0]["to_bot"], "{\"type\":\"quit\"}");
        assert_eq!(lines[1]["from_bot"], "caf\u{fffd}");
        assert_eq!(lines[2]["from_bot_unread"], "half a li");
        assert_eq!((lines.len(), &lines[4]["to_bot"]), (5, &Value::from(long)));
        assert!(
            lines
                .windows(2)
                .all(|w| w[0]["ms"].as_f64() <= w[1]["ms"].as_f64())
        );
    }

    #[test]
    fn nothing_of_an_earlier_match_is_left() {
        let mut transcript = Transcript::new();
        for (match_id, lines_of_it) in [("first", 500), ("huge", 2), ("last", 7)] {
            transcript.begin(Instant::now());
            for _ in 0..lines_of_it {
                let length = if match_id == "huge" { 1 << 20 } else { 1 << 10 };
                let line = match_id.repeat(length / match_id.len());
                transcript.sent(line.as_bytes(), Instant::now());
            }
        }
        let lines = lines(transcript);
        let of_the_last = |line: &Value| line["to_bot"].as_str().unwrap().starts_with("last");
        assert_eq!(lines.len(), 7);
        assert!(lines.iter().all(of_the_last));
    }

    #[test]
    fn a_flood_is_counted_but_not_kept() {
        let mut transcript = Transcript::new();
        let line = [b'x'; 1023];
        for _ in 0..300 {
            transcript.came(&line, Instant::now());
        }
        transcript.sent(b"next", Instant::now());
        transcript.came(&line, Instant::now());
        let lines = lines(transcript);
        assert_eq!(lines.len(), 256 + 3);
        assert_eq!(lines[256]["lines_left_out"], 44);
        assert!(lines[258]["from_bot"].is_string());
        let mut transcript = Transcript::new();
        for _ in 0..300 {
            transcript.came(&line, Instant::now());
        }
        let at_the_end = self::lines(transcript);
        assert_eq!(
            (at_the_end.len(), &at_the_end[256]["lines_left_out"]),
            (257, &Value::from(44))
        );
    }
}
