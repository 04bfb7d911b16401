//! A quicker way to read what statistics need of a line, without building anything of what they do
//! not need. It knows lines as referees write them. Whatever is unusual in a line (escapes, other
//! letters than ASCII, exponents, a field that is missing or there twice, …) it leaves to serde,
//! and so everything that is wrong, too: a line that it takes is one that serde reads as the same.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use protocol::{CpuTimeBy, Machine, Millis, TimeControl};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, F64Deserializer};
use serde_json::Value;

use super::fingerprint::Fingerprint;
use super::match_summary::{
    Author, MatchSummary, PlayerSummary, Plies, Ply, ResultSummary, text_hash,
};

/// Values of more levels are left to serde.
const DEEPEST: usize = 32;
/// Up to here, all integers are numbers of 64-bit floating point.
const EXACT: u64 = 1 << 53;
/// Powers of ten that are exact.
const POWERS: [f64; 17] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
];
/// Bytes that a string of plain ASCII has inside.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = b' ';
    while byte <= b'~' {
        plain[byte as usize] = byte != b'"' && byte != b'\\';
        byte += 1;
    }
    plain
};
/// How many texts are remembered with what they mean.
const MEMORY: usize = 256;

/// What was read before: the same starts, options and time controls come again and again.
#[derive(Default)]
pub struct ScanMemo {
    times: HashMap<Box<[u8]>, TimeControl>,
    options: HashMap<Box<[u8]>, Value>,
    starts: HashMap<Box<[u8]>, Fingerprint>,
    machines: HashMap<Box<[u8]>, Option<Machine>>,
    commands: HashMap<Box<[u8]>, Author>,
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

impl MatchSummary {
    /// Reads a line that is as referees write them; `None` if it has to be read by serde.
    pub fn scan(line: &[u8], memo: &mut ScanMemo) -> Option<MatchSummary> {
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

/// DisjointSets a field that must not be set yet.
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
        let there = self.text[self.at..].starts_with(word.as_bytes());
        self.at += usize::from(there) * word.len();
        there.then_some(())
    }

    /// The inside of a string of plain ASCII, as text.
    fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.string()?).ok()
    }

    /// The inside of a string of plain ASCII.
    fn string(&mut self) -> Option<&'a [u8]> {
        self.expect(b'"')?;
        let rest = &self.text[self.at..];
        let end = rest.iter().position(|byte| !PLAIN[usize::from(*byte)])?;
        self.at += end + 1;
        (rest[end] == b'"').then_some(&rest[..end])
    }

    /// Digits as a number: at least one, and how many there were.
    fn digits(&mut self, mut number: u64) -> Option<(u64, usize)> {
        /// Below, one digit more is no overflow.
        const SAFE: u64 = (u64::MAX - 9) / 10;
        let mut count = 0;
        for digit in &self.text[self.at..] {
            let digit = u64::from(digit.wrapping_sub(b'0'));
            if digit > 9 {
                break;
            }
            number = if number <= SAFE {
                10 * number + digit
            } else {
                number.checked_mul(10)?.checked_add(digit)?
            };
            count += 1;
        }
        self.at += count;
        (count > 0).then_some((number, count))
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
        let start = self.at;
        let Some(usual) = self.usual_millis() else {
            self.at = start;
            return self.any_millis();
        };
        Some(usual)
    }

    /// Whole microseconds, with three places at most.
    fn usual_millis(&mut self) -> Option<Millis> {
        const MOST: u64 = 1_000_000_000;
        let start = self.at;
        let (millis, digits) = self.digits(0)?;
        if millis > MOST || digits > 1 && self.text[start] == b'0' {
            return None;
        }
        let mut micros = 1000 * millis;
        if self.peek() == Some(b'.') {
            self.at += 1;
            let (parts, places) = self.digits(0)?;
            micros += match places {
                1 => 100 * parts,
                2 => 10 * parts,
                3 => parts,
                _ => return None,
            };
        }
        let plain = !matches!(self.peek(), Some(b'e' | b'E'));
        plain.then(|| Millis(Duration::from_micros(micros)))
    }

    fn any_millis(&mut self) -> Option<Millis> {
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

    fn object(&mut self, mut field: impl FnMut(&mut Self, &[u8]) -> Option<()>) -> Option<()> {
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

    fn record(&mut self, memo: &mut ScanMemo) -> Option<MatchSummary> {
        let (mut format, mut match_id, mut game, mut options) = (None, None, None, None);
        let (mut seed, mut start, mut players, mut time) = (None, None, None, None);
        let (mut load, mut opening, mut moves, mut result) = (None, None, None, None);
        let (mut machine, mut adjudication) = (None, None);
        self.object(|scan, key| match key {
            b"format" => once(&mut format, scan.natural()?.try_into().ok()?),
            b"match" => once(&mut match_id, scan.text()?.to_owned()),
            b"game" => once(&mut game, scan.text()?.to_owned()),
            b"options" => once(&mut options, remember(&mut memo.options, scan.skip()?)?),
            b"seed" => once(&mut seed, scan.natural()?),
            b"start" => once(&mut start, remember(&mut memo.starts, scan.skip()?)?),
            b"players" => once(&mut players, scan.players(memo)?),
            b"time" => once(&mut time, remember(&mut memo.times, scan.skip()?)?),
            b"machine" => once(&mut machine, remember(&mut memo.machines, scan.skip()?)?),
            b"load" => once(&mut load, serde_json::from_slice(scan.skip()?).ok()?),
            b"adjudication" => once(
                &mut adjudication,
                serde_json::from_slice(scan.skip()?).ok()?,
            ),
            b"opening" => once(&mut opening, scan.natural()?.try_into().ok()?),
            b"moves" => once(&mut moves, scan.plies()?),
            b"result" => once(&mut result, scan.ended()?),
            _ => scan.skip().map(|_| ()),
        })?;
        Some(MatchSummary {
            format: format?,
            match_id: match_id?,
            game: game?,
            options: options?,
            seed: seed?,
            start: start?,
            players: players?,
            time: time?,
            machine: machine.flatten(),
            load: load.unwrap_or_default(),
            adjudication: adjudication.flatten(),
            opening: opening?,
            moves: moves?,
            result: result?,
        })
    }

    fn players(&mut self, memo: &mut ScanMemo) -> Option<Vec<PlayerSummary>> {
        let mut players = Vec::with_capacity(2);
        self.list(|scan| {
            let (mut name, mut role, mut version, mut time) = (None, None, None, None);
            let (mut cpu_time, mut author) = (None, None);
            scan.object(|scan, key| match key {
                b"name" => once(&mut name, scan.text()?.to_owned()),
                b"role" => once(&mut role, scan.text()?.to_owned()),
                b"version" if scan.null() => once(&mut version, None),
                b"version" => once(&mut version, Some(scan.text()?.to_owned())),
                b"time" if scan.null() => once(&mut time, None),
                b"time" => once(&mut time, Some(remember(&mut memo.times, scan.skip()?)?)),
                b"cpu_time" if scan.null() => once(&mut cpu_time, None),
                b"cpu_time" => once(&mut cpu_time, Some(cpu_time_by(scan.text()?)?)),
                b"command" => once(&mut author, remember(&mut memo.commands, scan.skip()?)?),
                _ => scan.skip().map(|_| ()),
            })?;
            players.push(PlayerSummary {
                name: name?,
                role: role?,
                version: version.flatten(),
                time: time.flatten(),
                cpu_time: cpu_time.flatten(),
                author: author.unwrap_or_default(),
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
        let start = self.at;
        let Some(usual) = self.usual_ply() else {
            self.at = start;
            return self.any_ply();
        };
        Some(usual)
    }

    /// A ply with its fields in the order in which referees write them, without spaces.
    fn usual_ply(&mut self) -> Option<Ply> {
        self.word("{\"seat\":")?;
        let seat = self.seat()?;
        self.word(",\"move\":")?;
        let hash = text_hash(self.text()?);
        self.word(",\"ms\":")?;
        let ms = self.millis()?;
        let cpu_ms = match self.word(",\"cpu_ms\":") {
            Some(()) => Some(self.millis()?),
            None => None,
        };
        let (depth, nodes) = match self.word(",\"info\":") {
            Some(()) => self.told()?,
            None => (None, None),
        };
        self.word("}")?;
        Some(Ply {
            seat,
            hash,
            ms,
            cpu_ms,
            depth,
            nodes,
            forced: false,
        })
    }

    /// A seat's number, or null for chance.
    fn seat(&mut self) -> Option<Option<u8>> {
        if self.null() {
            return Some(None);
        }
        Some(Some(self.natural()?.try_into().ok()?))
    }

    fn any_ply(&mut self) -> Option<Ply> {
        let (mut seat, mut hash, mut ms, mut cpu_ms) = (None, None, None, None);
        let (mut told, mut forced) = (None, None);
        self.object(|scan, key| match key {
            b"seat" => once(&mut seat, scan.seat()?),
            b"move" => once(&mut hash, text_hash(scan.text()?)),
            b"ms" => once(&mut ms, scan.millis()?),
            b"cpu_ms" if scan.null() => once(&mut cpu_ms, None),
            b"cpu_ms" => once(&mut cpu_ms, Some(scan.millis()?)),
            b"info" => once(&mut told, scan.told()?),
            b"forced" => once(&mut forced, scan.flag()?),
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

    /// Depth and nodes of what a bot reported; of fields that are there twice, the last one counts.
    fn told(&mut self) -> Option<(Option<f64>, Option<f64>)> {
        self.space();
        let (mut depth, mut nodes) = (None, None);
        if self.peek()? != b'{' {
            self.skip()?;
            return Some((None, None));
        }
        self.object(|scan, key| {
            match key {
                b"depth" => depth = scan.told_number()?,
                b"nodes" => nodes = scan.told_number()?,
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

    fn ended(&mut self) -> Option<ResultSummary> {
        let (mut scores, mut outcome, mut faults) = (None, None, None);
        self.object(|scan, key| match key {
            b"scores" => once(&mut scores, scan.scores()?),
            b"outcome" => once(&mut outcome, scan.outcome()?),
            b"faults" => {
                let list = match scan.skip()? {
                    b"[]" => Vec::new(),
                    text => serde_json::from_slice(text).ok()?,
                };
                once(&mut faults, list)
            }
            _ => scan.skip().map(|_| ()),
        })?;
        Some(ResultSummary {
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

fn cpu_time_by(word: &str) -> Option<CpuTimeBy> {
    match word {
        "counted" => Some(CpuTimeBy::Counted),
        "estimated" => Some(CpuTimeBy::Estimated),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::Rng;

    const LINES: [&str; 2] = [
        r#"{"format":1,"match":"m-000017","game":"siam","options":{"b":1,"a":[2,{}]},"seed":18446744073709551615,"start":{"ply":0,"cells":["a1",null,true,-1.5]},"players":[{"name":"x","role":"elephants","command":["x","-y"]},{"name":"y","role":"rhinos","version":"1","command":[],"time":{"per_move_ms":5,"startup_ms":1,"margin_ms":1}}],"time":{"base_ms":100,"startup_ms":1,"margin_ms":1},"limits":{"max_plies":null,"repetition":3},"machine":{"name":"box","cores":2,"speed":12.5},"load":{"waiting":0.25},"opening":1,"moves":[{"seat":0,"move":"a1-b2","ms":0},{"seat":1,"move":"b","ms":12.345,"cpu_ms":0.5,"info":{"depth":3,"nodes":123456,"pv":["a",[1]],"value":-0.5}},{"seat":0,"move":"d","forced":true,"info":{"depth":"deep","nodes":{"depth":1}}},{"seat":0,"move":"e","info":[1,{"depth":2}]},{"seat":1,"move":"f","info":null,"cpu_ms":null}],"result":{"scores":[1,-10],"outcome":[1.0,0],"reason":"forfeit","faults":[{"seat":1,"code":"timeout","ply":3,"message":"late","ms":5.25}]},"adjudication":{"ply":2,"by":"settled","budget":9,"positions":8,"ms":0.25,"scores":[1,2],"outcome":[0.0,1.0],"played_out":true},"started":"2026-01-02T03:04:05.678Z","duration_ms":2345.6,"referee":"referee 0.1.0","prev":"00"}"#,
        r#" { "referee" : "r" , "result" : { "faults" : [ ] , "outcome" : [ 0.5 , 0.5 ] , "scores" : [ 0 , 0 ] } , "moves" : [ ] , "opening" : 0 , "time" : { "startup_ms" : 1 , "margin_ms" : 1 } , "players" : [ ] , "start" : "x" , "seed" : 7 , "options" : { } , "game" : "run" , "match" : "m" , "format" : 1 } "#,
    ];

    /// The scanner takes what serde takes, as the same, or leaves it; gives whether it took it.
    #[track_caller]
    fn same(line: &[u8], memo: &mut ScanMemo) -> bool {
        let Some(scanned) = MatchSummary::scan(line, memo) else {
            return false;
        };
        let text = String::from_utf8_lossy(line);
        match serde_json::from_slice::<MatchSummary>(line) {
            Ok(read) => assert_eq!(scanned, read, "{text}"),
            Err(error) => panic!("{error}, but taken: {text}"),
        }
        true
    }

    #[test]
    fn ordinary_lines_are_taken() {
        let mut memo = ScanMemo::default();
        assert!(same(LINES[0].as_bytes(), &mut memo));
        // From memory, too.
        assert!(same(LINES[0].as_bytes(), &mut memo));
        assert!(same(LINES[1].as_bytes(), &mut memo));
        let exponent = LINES[1].replace("0.5 ]", "5e-1 ]");
        assert!(!same(exponent.as_bytes(), &mut memo), "left to serde");
    }

    #[test]
    fn mutated_lines_are_read_as_by_serde() {
        const ROUNDS: usize = 60_000;
        const BYTES: &[u8] = b"\"\\{}[],:.-+eE019 tfnul\n\t\x00\x1f\x7f\xc3\xa9\xff/x";
        let mut rng = Rng::new(5);
        let mut memo = ScanMemo::default();
        let mut taken = 0;
        for round in 0..ROUNDS {
            let mut line = LINES[round % 2].as_bytes().to_vec();
            for _ in 0..1 + rng.index(3) {
                let at = rng.index(line.len());
                let byte = BYTES[rng.index(BYTES.len())];
                match rng.index(5) {
                    0 => line[at] = byte,
                    1 => line.insert(at, byte),
                    2 => drop(line.remove(at)),
                    // A part that is there twice, or gone.
                    3 => {
                        let end = (at + rng.index(40)).min(line.len());
                        let part = line[at..end].to_vec();
                        let to = rng.index(line.len());
                        line.splice(to..to, part);
                    }
                    _ => {
                        let end = (at + rng.index(40)).min(line.len());
                        line.drain(at..end);
                    }
                }
                if line.is_empty() {
                    line.push(b'{');
                }
            }
            taken += usize::from(same(&line, &mut memo));
        }
        assert!(taken > ROUNDS / 20, "{taken} of {ROUNDS} tell too little");
    }

    #[test]
    fn numbers_are_read_as_by_serde() {
        let mut rng = Rng::new(6);
        let mut taken = 0;
        for _ in 0..20_000 {
            let digits = 1 + rng.index(16);
            let number = rng.below(10_u64.pow(digits as u32));
            let mut text = number.to_string();
            if rng.index(3) > 0 {
                text.insert(1 + rng.index(text.len()), '.');
            }
            if rng.index(9) == 0 {
                text.insert(rng.index(text.len() + 1), '0');
            }
            let mut scan = Scan {
                text: text.as_bytes(),
                at: 0,
            };
            let Some(number) = scan.number().filter(|_| scan.at == text.len()) else {
                continue;
            };
            taken += 1;
            let read: f64 = serde_json::from_str(&text).expect("a number");
            assert_eq!(number.to_bits(), read.to_bits(), "{text}");
        }
        assert!(taken > 10_000, "{taken}");
    }
}
