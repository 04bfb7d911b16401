//! A quicker way to read what statistics need of a line, without building anything of what they do
//! not need. It knows lines as referees write them. Whatever is unusual in a line (escapes, other
//! letters than ASCII, exponents, a field that is missing or there twice, …) it leaves to serde,
//! and so everything that is wrong, too: a line that it takes is one that serde reads as the same.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use protocol::{Millis, TimeControl};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, F64Deserializer};
use serde_json::Value;

use super::fingerprint::Fingerprint;
use super::lean::{Ended, Match, Plies, Ply, Seated, text_hash};

/// Values of more levels are left to serde.
const DEEPEST: usize = 32;
/// Up to here, all integers are numbers of 64-bit floating point.
const EXACT: u64 = 1 << 53;
/// Powers of ten that are exact.
const POWERS: [f64; 17] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
];
/// How many texts are remembered with what they mean.
const MEMORY: usize = 256;

/// What was read before: the same starts, options and time controls come again and again.
#[derive(Default)]
pub struct ScanMemo {
    times: HashMap<Box<[u8]>, TimeControl>,
    options: HashMap<Box<[u8]>, Value>,
    starts: HashMap<Box<[u8]>, Fingerprint>,
}

/// What a text means, from memory if it was there before.
fn remember<T: Clone + for<'de> Deserialize<'de>>(
    memory: &mut HashMap<Box<[u8]>, T>,
    text: &[u8],
) -> Option<T> {
    if let Some(known) = memory.get(text) {
        return Some(known.clone());
    }
    let read: T = serde_json::from_slice(text).ok()?;
    if memory.len() >= MEMORY {
        memory.clear();
    }
    memory.insert(text.into(), read.clone());
    Some(read)
}

impl Match {
    /// Reads a line that is as referees write them; `None` if it has to be read by serde.
    pub fn scan(line: &[u8], memo: &mut ScanMemo) -> Option<Match> {
        let mut scan = Scan { text: line, at: 0 };
        let read = scan.record(memo)?;
        scan.space();
        (scan.at == line.len()).then_some(read)
    }
}

/// A place in a text. All methods give `None` for what they do not know.
struct Scan<'a> {
    text: &'a [u8],
    at: usize,
}

/// Sets a field that must not be set yet.
fn once<T>(field: &mut Option<T>, value: T) -> Option<()> {
    field.replace(value).is_none().then_some(())
}

impl<'a> Scan<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// The next byte that is no space.
    fn next(&mut self) -> Option<u8> {
        self.space();
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.text[self.at..].starts_with(word.as_bytes()).then(|| {
            self.at += word.len();
        })
    }

    /// The inside of a string of plain ASCII.
    fn string(&mut self) -> Option<&'a str> {
        self.expect(b'"')?;
        let rest = &self.text[self.at..];
        let plain = |byte: &u8| matches!(byte, b' '..=b'~') && *byte != b'"' && *byte != b'\\';
        let end = rest.iter().position(|byte| !plain(byte))?;
        self.at += end + 1;
        (rest[end] == b'"').then(|| std::str::from_utf8(&rest[..end]).ok())?
    }

    /// Digits as a number: at least one, and how many there were.
    fn digits(&mut self, mut number: u64) -> Option<(u64, usize)> {
        let start = self.at;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            number = number
                .checked_mul(10)?
                .checked_add(u64::from(digit - b'0'))?;
            self.at += 1;
        }
        (self.at > start).then_some((number, self.at - start))
    }

    /// A whole number that is not negative.
    fn natural(&mut self) -> Option<u64> {
        self.space();
        let start = self.at;
        let (number, digits) = self.digits(0)?;
        let plain = digits == 1 || self.text[start] != b'0';
        (plain && !matches!(self.peek(), Some(b'.' | b'e' | b'E'))).then_some(number)
    }

    /// A number that is not negative.
    fn number(&mut self) -> Option<f64> {
        self.space();
        let start = self.at;
        let (mut number, digits) = self.digits(0)?;
        if digits > 1 && self.text[start] == b'0' {
            return None;
        }
        let mut scale = 1.0;
        if self.peek() == Some(b'.') {
            self.at += 1;
            let (all, places) = self.digits(number)?;
            number = all;
            scale = *POWERS.get(places)?;
        }
        // A quotient of two exact numbers is the nearest one there is.
        let plain = number <= EXACT && !matches!(self.peek(), Some(b'e' | b'E'));
        plain.then(|| number as f64 / scale)
    }

    fn millis(&mut self) -> Option<Millis> {
        let number: F64Deserializer<Error> = self.number()?.into_deserializer();
        Millis::deserialize(number).ok()
    }

    /// Whether `null` is next, which is passed then.
    fn null(&mut self) -> bool {
        self.space();
        self.word("null").is_some()
    }

    fn flag(&mut self) -> Option<bool> {
        self.space();
        let flag = self.peek()? == b't';
        self.word(if flag { "true" } else { "false" })?;
        Some(flag)
    }

    /// A value that is not looked into; gives its text.
    fn skip(&mut self) -> Option<&'a [u8]> {
        self.space();
        let start = self.at;
        self.pass(DEEPEST)?;
        Some(&self.text[start..self.at])
    }

    fn pass(&mut self, deepest: usize) -> Option<()> {
        self.space();
        match self.peek()? {
            b'"' => self.string().map(|_| ()),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            b'[' => self.list(|scan| scan.pass(deepest.checked_sub(1)?)),
            b'{' => self.object(|scan, _| scan.pass(deepest.checked_sub(1)?)),
            b'-' => {
                self.at += 1;
                self.peek()?.is_ascii_digit().then_some(())?;
                self.number().map(|_| ())
            }
            _ => self.number().map(|_| ()),
        }
    }

    fn list(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.expect(b'[')?;
        self.space();
        if self.peek()? == b']' {
            self.at += 1;
            return Some(());
        }
        loop {
            item(self)?;
            match self.next()? {
                b',' => {}
                b']' => return Some(()),
                _ => return None,
            }
        }
    }

    fn object(&mut self, mut field: impl FnMut(&mut Self, &str) -> Option<()>) -> Option<()> {
        self.expect(b'{')?;
        self.space();
        if self.peek()? == b'}' {
            self.at += 1;
            return Some(());
        }
        loop {
            let key = self.string()?;
            self.expect(b':')?;
            field(self, key)?;
            match self.next()? {
                b',' => {}
                b'}' => return Some(()),
                _ => return None,
            }
        }
    }

    fn record(&mut self, memo: &mut ScanMemo) -> Option<Match> {
        let (mut format, mut match_id, mut game, mut options) = (None, None, None, None);
        let (mut seed, mut start, mut players, mut time) = (None, None, None, None);
        let (mut load, mut opening, mut moves, mut result) = (None, None, None, None);
        self.object(|scan, key| match key {
            "format" => once(&mut format, scan.natural()?.try_into().ok()?),
            "match" => once(&mut match_id, scan.string()?.to_owned()),
            "game" => once(&mut game, scan.string()?.to_owned()),
            "options" => once(&mut options, remember(&mut memo.options, scan.skip()?)?),
            "seed" => once(&mut seed, scan.natural()?),
            "start" => once(&mut start, remember(&mut memo.starts, scan.skip()?)?),
            "players" => once(&mut players, scan.players(memo)?),
            "time" => once(&mut time, remember(&mut memo.times, scan.skip()?)?),
            "load" => once(&mut load, serde_json::from_slice(scan.skip()?).ok()?),
            "opening" => once(&mut opening, scan.natural()?.try_into().ok()?),
            "moves" => once(&mut moves, scan.plies()?),
            "result" => once(&mut result, scan.ended()?),
            _ => scan.skip().map(|_| ()),
        })?;
        Some(Match {
            format: format?,
            match_id: match_id?,
            game: game?,
            options: options?,
            seed: seed?,
            start: start?,
            players: players?,
            time: time?,
            load: load.unwrap_or_default(),
            opening: opening?,
            moves: moves?,
            result: result?,
        })
    }

    fn players(&mut self, memo: &mut ScanMemo) -> Option<Vec<Seated>> {
        let mut players = Vec::with_capacity(2);
        self.list(|scan| {
            let (mut name, mut role, mut time) = (None, None, None);
            scan.object(|scan, key| match key {
                "name" => once(&mut name, scan.string()?.to_owned()),
                "role" => once(&mut role, scan.string()?.to_owned()),
                "time" if scan.null() => once(&mut time, None),
                "time" => once(&mut time, Some(remember(&mut memo.times, scan.skip()?)?)),
                _ => scan.skip().map(|_| ()),
            })?;
            players.push(Seated {
                name: name?,
                role: role?,
                time: time.flatten(),
            });
            Some(())
        })?;
        Some(players)
    }

    fn plies(&mut self) -> Option<Plies> {
        let mut hasher = DefaultHasher::new();
        let mut list = Vec::with_capacity(32);
        self.list(|scan| {
            let ply = scan.ply()?;
            ply.hash.hash(&mut hasher);
            list.push(ply);
            Some(())
        })?;
        let hash = Fingerprint(hasher.finish());
        Some(Plies { hash, list })
    }

    fn ply(&mut self) -> Option<Ply> {
        let (mut seat, mut hash, mut ms, mut cpu_ms) = (None, None, None, None);
        let (mut told, mut forced) = (None, None);
        self.object(|scan, key| match key {
            "seat" => once(&mut seat, scan.natural()?.try_into().ok()?),
            "move" => once(&mut hash, text_hash(scan.string()?)),
            "ms" => once(&mut ms, scan.millis()?),
            "cpu_ms" if scan.null() => once(&mut cpu_ms, None),
            "cpu_ms" => once(&mut cpu_ms, Some(scan.millis()?)),
            "info" => once(&mut told, scan.told()?),
            "forced" => once(&mut forced, scan.flag()?),
            _ => scan.skip().map(|_| ()),
        })?;
        let (depth, nodes) = told.unwrap_or_default();
        Some(Ply {
            seat: seat?,
            hash: hash?,
            ms: ms.unwrap_or_default(),
            cpu_ms: cpu_ms.flatten(),
            depth,
            nodes,
            forced: forced.unwrap_or_default(),
        })
    }

    /// Depth and nodes of what a bot told; of fields that are there twice, the last one counts.
    fn told(&mut self) -> Option<(Option<f64>, Option<f64>)> {
        self.space();
        let (mut depth, mut nodes) = (None, None);
        if self.peek()? != b'{' {
            self.skip()?;
            return Some((None, None));
        }
        self.object(|scan, key| {
            match key {
                "depth" => depth = scan.told_number()?,
                "nodes" => nodes = scan.told_number()?,
                _ => {
                    scan.skip()?;
                }
            }
            Some(())
        })?;
        Some((depth, nodes))
    }

    fn told_number(&mut self) -> Option<Option<f64>> {
        self.space();
        match self.peek()? {
            b'0'..=b'9' => Some(Some(self.number()?)),
            // Rare enough for serde.
            b'-' => None,
            _ => self.skip().map(|_| None),
        }
    }

    fn ended(&mut self) -> Option<Ended> {
        let (mut scores, mut outcome, mut faults) = (None, None, None);
        self.object(|scan, key| match key {
            "scores" => once(&mut scores, scan.scores()?),
            "outcome" => once(&mut outcome, scan.outcome()?),
            "faults" => {
                let list = match scan.skip()? {
                    b"[]" => Vec::new(),
                    text => serde_json::from_slice(text).ok()?,
                };
                once(&mut faults, list)
            }
            _ => scan.skip().map(|_| ()),
        })?;
        Some(Ended {
            scores: scores?,
            outcome: outcome?,
            faults: faults?,
        })
    }

    fn scores(&mut self) -> Option<Vec<i64>> {
        let mut scores = Vec::with_capacity(2);
        self.list(|scan| {
            scan.space();
            let negative = scan.peek()? == b'-';
            scan.at += usize::from(negative);
            // Digits follow a sign at once; −0 is none that serde takes.
            (!negative || matches!(scan.peek()?, b'1'..=b'9')).then_some(())?;
            let size = i64::try_from(scan.natural()?).ok()?;
            scores.push(if negative { -size } else { size });
            Some(())
        })?;
        Some(scores)
    }

    fn outcome(&mut self) -> Option<Vec<f64>> {
        let mut outcome = Vec::with_capacity(2);
        self.list(|scan| {
            outcome.push(scan.number()?);
            Some(())
        })?;
        Some(outcome)
    }
}
