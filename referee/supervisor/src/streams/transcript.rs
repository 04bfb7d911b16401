//! The lines between the referee and a bot in the current match, for reports of failures.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::os::unix::fs::FileExt;
use std::time::Duration;

use serde::Serialize;
use tempfile::tempfile;
use tokio::time::Instant;

use super::trace::{SpokenLine, Trace, Traced};

/// The size of a transcript in memory, in bytes; a longer one goes to a temporary file.
const MAX_IN_MEMORY: usize = 4 << 10;
/// A temporary file is truncated to this size for the next match, in bytes.
const MAX_REUSED: u64 = 1 << 20;
/// At most this many bytes of a bot's output are recorded from one turn to the next.
const MAX_PER_TURN: usize = 256 << 10;
/// At most this many bytes are recorded of output that was not read as a line.
const MAX_UNREAD: usize = 4 << 10;

/// The lines of one match, in both directions, with their times.
#[derive(Debug)]
pub(crate) struct Transcript {
    began: Instant,
    /// The last frames, in the format of [`Transcript::push`].
    frames: Vec<u8>,
    /// Earlier frames, if there are too many for the memory; it is reused for later matches.
    file: Option<File>,
    /// The bytes of it that belong to this match.
    spilled: u64,
    /// The bytes that the bot has printed since the last message to it.
    printed: usize,
    /// The number of its lines that were left out since the last frame.
    skipped: u32,
    /// A part could not be written.
    broken: bool,
    /// Receives everything at once, in all matches.
    trace: Option<Trace>,
}

/// The content of a frame. Its byte is written with the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum FrameKind {
    ToBot = 0,
    FromBot = 1,
    /// Output that was not read as a line.
    Unread = 2,
    /// The number of lines that were left out, not a text.
    Skipped = 3,
}

impl FrameKind {
    fn of_byte(byte: u8) -> Option<Self> {
        let all = [Self::ToBot, Self::FromBot, Self::Unread, Self::Skipped];
        all.into_iter().find(|kind| *kind as u8 == byte)
    }
}

/// A line of the report.
#[derive(Debug, Default, Serialize)]
struct TranscriptEntry<'a> {
    /// Milliseconds since the match began.
    ms: f64,
    #[serde(flatten)]
    line: SpokenLine<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines_left_out: Option<u32>,
}

impl Transcript {
    pub(crate) fn new() -> Self {
        Transcript {
            began: Instant::now(),
            frames: Vec::new(),
            file: None,
            spilled: 0,
            printed: 0,
            skipped: 0,
            broken: false,
            trace: None,
        }
    }

    /// An empty transcript that copies everything to this trace.
    pub(crate) fn traced(trace: Option<Trace>) -> Self {
        Transcript {
            trace,
            ..Transcript::new()
        }
    }

    /// Traces a change in the state of the process.
    pub(crate) fn event(&mut self, what: &str) {
        self.trace(Traced::Event(what));
    }

    fn trace(&mut self, entry: Traced<'_>) {
        if let Some(trace) = &mut self.trace {
            trace.write(entry);
        }
    }

    /// Begins a match: earlier lines are forgotten.
    pub(crate) fn begin(&mut self, now: Instant) {
        self.frames.clear();
        // Overwriting a small file costs less than truncating it.
        let large = self.spilled > MAX_REUSED;
        self.file
            .take_if(|file| large && file.set_len(MAX_REUSED).is_err());
        self.spilled = 0;
        self.broken = false;
        self.began = now;
        self.printed = 0;
        self.skipped = 0;
    }

    /// Adds a line to the bot; `line` includes its line end.
    pub(crate) fn sent(&mut self, line: &[u8], now: Instant) {
        self.trace(Traced::ToBot(line));
        self.printed = 0;
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        self.push(FrameKind::ToBot, text, now);
    }

    /// Adds a line of the bot, without its line end.
    pub(crate) fn received(&mut self, line: &[u8], now: Instant) {
        self.trace(Traced::FromBot(line));
        self.printed += line.len() + 1;
        if self.printed > MAX_PER_TURN {
            self.skipped += 1;
        } else {
            self.push(FrameKind::FromBot, line, now);
        }
    }

    /// Adds output that was not read as a line.
    pub(crate) fn unread(&mut self, piece: &[u8]) {
        if !piece.is_empty() {
            self.trace(Traced::Unread(piece));
            let piece = &piece[..piece.len().min(MAX_UNREAD)];
            self.push(FrameKind::Unread, piece, Instant::now());
        }
    }

    /// Adds the number of lines that were left out, unless it is 0.
    fn note_skipped(&mut self, now: Instant) {
        if self.skipped > 0 {
            let skipped = std::mem::take(&mut self.skipped);
            self.push(FrameKind::Skipped, &skipped.to_le_bytes(), now);
        }
    }

    /// Appends a frame: nanoseconds (8 bytes), kind (1), length (4), text; numbers are
    /// little-endian.
    fn push(&mut self, kind: FrameKind, text: &[u8], now: Instant) {
        self.note_skipped(now);
        if self.frames.len() + text.len() > MAX_IN_MEMORY {
            self.broken |= self.spill().is_err();
        }
        let at = now.saturating_duration_since(self.began).as_nanos() as u64;
        self.frames.extend_from_slice(&at.to_le_bytes());
        self.frames.push(kind as u8);
        let length = text.len() as u32;
        self.frames.extend_from_slice(&length.to_le_bytes());
        self.frames.extend_from_slice(text);
    }

    /// Moves the frames from memory to the file.
    fn spill(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile()?),
        };
        let written = file.write_all_at(&self.frames, self.spilled);
        // If that fails, these frames are lost as a whole, and the rest stays readable.
        if written.is_ok() {
            self.spilled += self.frames.len() as u64;
        }
        self.frames.clear();
        self.frames.shrink_to(MAX_IN_MEMORY);
        written
    }

    /// Writes the transcript as JSON, one entry per line.
    ///
    /// # Errors
    /// If the output cannot be written, or a part of the transcript was lost.
    pub(crate) fn write(mut self, mut out: impl Write) -> io::Result<()> {
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
            let kind = FrameKind::of_byte(head[8]).ok_or(io::ErrorKind::InvalidData)?;
            let line = entry(Duration::from_nanos(number(&head[..8])), kind, &text)?;
            writeln!(out, "{line}")?;
        }
        out.flush()?;
        if self.broken {
            return Err(io::Error::other("the lines could not be kept whole"));
        }
        Ok(())
    }
}

fn entry(at: Duration, kind: FrameKind, text: &[u8]) -> io::Result<String> {
    let lossy = String::from_utf8_lossy(text);
    let mut entry = TranscriptEntry {
        ms: at.as_micros() as f64 / 1e3,
        ..TranscriptEntry::default()
    };
    match kind {
        FrameKind::ToBot => entry.line.to_bot = Some(&lossy),
        FrameKind::FromBot => entry.line.from_bot = Some(&lossy),
        FrameKind::Unread => entry.line.from_bot_unread = Some(&lossy),
        FrameKind::Skipped => {
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
    fn all_lines_are_there() {
        let mut transcript = Transcript::new();
        transcript.sent(b"forgotten\n", Instant::now());
        transcript.begin(Instant::now());
        transcript.sent(b"{\"type\":\"quit\"}\n", Instant::now());
        transcript.received(b"caf\xe9", Instant::now());
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
    fn a_flood_is_counted_but_not_recorded() {
        let mut transcript = Transcript::new();
        let line = [b'x'; 1023];
        for _ in 0..300 {
            transcript.received(&line, Instant::now());
        }
        transcript.sent(b"next", Instant::now());
        transcript.received(&line, Instant::now());
        let lines = lines(transcript);
        assert_eq!(lines.len(), 256 + 3);
        assert_eq!(lines[256]["lines_left_out"], 44);
        assert!(lines[258]["from_bot"].is_string());
        let mut transcript = Transcript::new();
        for _ in 0..300 {
            transcript.received(&line, Instant::now());
        }
        let at_the_end = self::lines(transcript);
        assert_eq!(
            (at_the_end.len(), &at_the_end[256]["lines_left_out"]),
            (257, &Value::from(44))
        );
    }
}
