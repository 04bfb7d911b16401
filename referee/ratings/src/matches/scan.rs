//! Reads match summaries from ordinary lines of a log without serde and without keeping the moves. A
//! line that is unusual (escapes, bytes beyond ASCII, exponents, a field that is missing or occurs
//! twice, …) or wrong is left to serde, which reads every line that is taken here as the same summary.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use protocol::{CpuTimeBy, Machine, Scanner, TimeControl};
use serde::Deserialize;
use serde_json::Value;

use super::fingerprint::{Fingerprint, hasher};
use super::match_summary::{
    Author, Info, MatchSummary, PlayerSummary, Plies, Ply, REMARKS, ResultSummary, text_hash,
};

/// Entries of each map of a [`ScanMemo`] before it is emptied.
const MAX_MEMO: usize = 256;

/// Parsed values by their text: the same starts, options and time controls recur in most lines.
#[derive(Default)]
pub struct ScanMemo {
    times: HashMap<Box<str>, TimeControl>,
    options: HashMap<Box<str>, Value>,
    starts: HashMap<Box<str>, Fingerprint>,
    machines: HashMap<Box<str>, Option<Machine>>,
    commands: HashMap<Box<str>, Author>,
    /// The memory of plies that are no longer needed.
    plies: Vec<Ply>,
}

impl ScanMemo {
    /// The next match may have the memory of these plies.
    pub fn reuse(&mut self, mut plies: Plies) {
        plies.list.clear();
        self.plies = plies.list;
    }
}

/// Parses the next value, or takes what its text meant before.
fn remember<T: Clone + for<'de> Deserialize<'de>>(
    memo: &mut HashMap<Box<str>, T>,
    scan: &mut Scanner<'_>,
) -> Option<T> {
    let text = scan.skip()?;
    if let Some(known) = memo.get(text) {
        return Some(known.clone());
    }
    let read: T = serde_json::from_str(text).ok()?;
    if memo.len() >= MAX_MEMO {
        memo.clear();
    }
    memo.insert(text.into(), read.clone());
    Some(read)
}

/// Sets a field that must not be set yet.
fn once<T>(field: &mut Option<T>, value: T) -> Option<()> {
    field.replace(value).is_none().then_some(())
}

fn skip(scan: &mut Scanner<'_>) -> Option<()> {
    scan.skip().map(drop)
}

fn with_serde<T: for<'de> Deserialize<'de>>(scan: &mut Scanner<'_>) -> Option<T> {
    serde_json::from_str(scan.skip()?).ok()
}

impl MatchSummary {
    /// Reads an ordinary line; `None` if it has to be read by serde.
    pub fn scan(line: &[u8], memo: &mut ScanMemo) -> Option<MatchSummary> {
        let mut scan = Scanner::of_line(line)?;
        let read = summary(&mut scan, memo)?;
        scan.end()?;
        Some(read)
    }
}

fn summary(scan: &mut Scanner<'_>, memo: &mut ScanMemo) -> Option<MatchSummary> {
    let (mut format, mut match_id, mut game, mut options) = (None, None, None, None);
    let (mut seed, mut start, mut players, mut time) = (None, None, None, None);
    let (mut load, mut opening, mut moves, mut result) = (None, None, None, None);
    let (mut machine, mut adjudication) = (None, None);
    scan.object(|scan, key| match key {
        "format" => once(&mut format, scan.number()?.try_into().ok()?),
        "match" => once(&mut match_id, scan.text()?.into()),
        "game" => once(&mut game, scan.text()?.into()),
        "options" => once(&mut options, remember(&mut memo.options, scan)?),
        "seed" => once(&mut seed, scan.number()?),
        "start" => once(&mut start, remember(&mut memo.starts, scan)?),
        "players" => once(&mut players, read_players(scan, memo)?),
        "time" => once(&mut time, remember(&mut memo.times, scan)?),
        "machine" => once(&mut machine, remember(&mut memo.machines, scan)?),
        "load" => once(&mut load, with_serde(scan)?),
        "adjudication" => once(&mut adjudication, with_serde(scan)?),
        "opening" => once(&mut opening, scan.number()?.try_into().ok()?),
        "moves" => once(
            &mut moves,
            read_plies(scan, std::mem::take(&mut memo.plies))?,
        ),
        "result" => once(&mut result, read_result(scan)?),
        _ => skip(scan),
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

fn read_players(scan: &mut Scanner<'_>, memo: &mut ScanMemo) -> Option<Vec<PlayerSummary>> {
    let mut players = Vec::with_capacity(2);
    scan.list(|scan| {
        let (mut name, mut role, mut version, mut time) = (None, None, None, None);
        let (mut cpu_time, mut author) = (None, None);
        scan.object(|scan, key| match key {
            "name" => once(&mut name, scan.text()?.into()),
            "role" => once(&mut role, scan.text()?.into()),
            "version" => once(
                &mut version,
                scan.nullable(|scan| Some(scan.text()?.into()))?,
            ),
            "time" => once(
                &mut time,
                scan.nullable(|scan| remember(&mut memo.times, scan))?,
            ),
            "cpu_time" => once(&mut cpu_time, scan.nullable(read_cpu_time)?),
            "command" => once(&mut author, remember(&mut memo.commands, scan)?),
            _ => skip(scan),
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

fn read_cpu_time(scan: &mut Scanner<'_>) -> Option<CpuTimeBy> {
    match scan.text()? {
        "counted" => Some(CpuTimeBy::Counted),
        "estimated" => Some(CpuTimeBy::Estimated),
        _ => None,
    }
}

/// The plies of a match, in this memory.
fn read_plies(scan: &mut Scanner<'_>, mut list: Vec<Ply>) -> Option<Plies> {
    let mut hasher = hasher();
    scan.list(|scan| {
        let ply = match scan.attempt(read_usual_ply) {
            Some(ply) => ply,
            None => read_any_ply(scan)?,
        };
        ply.hash.hash(&mut hasher);
        list.push(ply);
        Some(())
    })?;
    let hash = Fingerprint(hasher.finish());
    Some(Plies { hash, list })
}

/// A ply with its fields in the order in which referees write them, without spaces.
fn read_usual_ply(scan: &mut Scanner<'_>) -> Option<Ply> {
    scan.word("{\"seat\":")?;
    let seat = read_seat(scan)?;
    scan.word(",\"move\":")?;
    let hash = text_hash(scan.text()?);
    scan.word(",\"ms\":")?;
    let ms = scan.millis()?;
    let cpu_ms = match scan.word(",\"cpu_ms\":") {
        Some(()) => Some(scan.millis()?),
        None => None,
    };
    let info = match scan.word(",\"info\":") {
        Some(()) => read_info(scan)?,
        None => Info::default(),
    };
    scan.word("}")?;
    Some(Ply {
        seat,
        hash,
        ms,
        cpu_ms,
        info,
        forced: false,
    })
}

fn read_any_ply(scan: &mut Scanner<'_>) -> Option<Ply> {
    let (mut seat, mut hash, mut ms, mut cpu_ms) = (None, None, None, None);
    let (mut info, mut forced) = (None, None);
    scan.object(|scan, key| match key {
        "seat" => once(&mut seat, read_seat(scan)?),
        "move" => once(&mut hash, text_hash(scan.text()?)),
        "ms" => once(&mut ms, scan.millis()?),
        "cpu_ms" => once(&mut cpu_ms, scan.nullable(Scanner::millis)?),
        "info" => once(&mut info, read_info(scan)?),
        "forced" => once(&mut forced, scan.flag()?),
        _ => skip(scan),
    })?;
    Some(Ply {
        seat: seat?,
        hash: hash?,
        ms: ms.unwrap_or_default(),
        cpu_ms: cpu_ms.flatten(),
        info: info.unwrap_or_default(),
        forced: forced.unwrap_or_default(),
    })
}

/// A seat's number, or null for chance.
fn read_seat(scan: &mut Scanner<'_>) -> Option<Option<u8>> {
    scan.nullable(|scan| scan.number()?.try_into().ok())
}

/// What counts of a bot's `info`; of a field that occurs twice, the last one does.
fn read_info(scan: &mut Scanner<'_>) -> Option<Info> {
    let mut info = Info::default();
    scan.skip_space();
    if scan.peek()? != b'{' {
        skip(scan)?;
        return Some(info);
    }
    scan.fields(|scan| {
        // Most of a log is this: keys that are written as usual are taken at once.
        if scan.word("\"depth\":").is_some() {
            info.depth = read_info_number(scan)?;
            return Some(());
        }
        if scan.word("\"nodes\":").is_some() {
            info.nodes = read_info_number(scan)?;
            return Some(());
        }
        match scan.key()? {
            "depth" => info.depth = read_info_number(scan)?,
            "nodes" => info.nodes = read_info_number(scan)?,
            key => {
                info.has_remark |= REMARKS.contains(&key);
                skip(scan)?;
            }
        }
        Some(())
    })?;
    Some(info)
}

fn read_info_number(scan: &mut Scanner<'_>) -> Option<Option<f64>> {
    scan.skip_space();
    match scan.peek()? {
        b'0'..=b'9' => Some(Some(scan.float()?)),
        // Rare enough for serde.
        b'-' => None,
        _ => scan.skip().map(|_| None),
    }
}

fn read_result(scan: &mut Scanner<'_>) -> Option<ResultSummary> {
    let (mut scores, mut outcome, mut faults) = (None, None, None);
    scan.object(|scan, key| match key {
        "scores" => once(&mut scores, read_list(scan, Scanner::integer)?),
        "outcome" => once(&mut outcome, read_list(scan, Scanner::float)?),
        "faults" => {
            let list = match scan.skip()? {
                "[]" => Vec::new(),
                text => serde_json::from_str(text).ok()?,
            };
            once(&mut faults, list)
        }
        _ => skip(scan),
    })?;
    Some(ResultSummary {
        scores: scores?,
        outcome: outcome?,
        faults: faults?,
    })
}

fn read_list<'a, T>(
    scan: &mut Scanner<'a>,
    mut item: impl FnMut(&mut Scanner<'a>) -> Option<T>,
) -> Option<Vec<T>> {
    let mut list = Vec::with_capacity(2);
    scan.list(|scan| {
        list.push(item(scan)?);
        Some(())
    })?;
    Some(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::Rng;

    const LINES: [&str; 2] = [
        r#"{"format":1,"match":"m-000017","game":"siam","options":{"b":1,"a":[2,{}]},"seed":18446744073709551615,"start":{"ply":0,"cells":["a1",null,true,-1.5]},"players":[{"name":"x","role":"elephants","command":["x","-y"]},{"name":"y","role":"rhinos","version":"1","command":[],"time":{"per_move_ms":5,"startup_ms":1,"margin_ms":1}}],"time":{"base_ms":100,"startup_ms":1,"margin_ms":1},"limits":{"max_plies":null,"repetition":3},"machine":{"name":"box","cores":2,"speed":12.5},"load":{"waiting":0.25},"opening":1,"moves":[{"seat":0,"move":"a1-b2","ms":0},{"seat":1,"move":"b","ms":12.345,"cpu_ms":0.5,"info":{"depth":3,"nodes":123456,"pv":["a",[1]],"value":-0.5}},{"seat":0,"move":"d","forced":true,"info":{"depth":"deep","nodes":{"depth":1}}},{"seat":0,"move":"e","info":[1,{"depth":2}]},{"seat":0,"move":"g","ms":1,"info":{"calls":1}},{"seat":1,"move":"f","info":null,"cpu_ms":null}],"result":{"scores":[1,-10],"outcome":[1.0,0],"reason":"forfeit","faults":[{"seat":1,"code":"timeout","ply":3,"message":"late","ms":5.25}]},"adjudication":{"ply":2,"by":"settled","budget":9,"positions":8,"ms":0.25,"scores":[1,2],"outcome":[0.0,1.0],"played_out":true},"started":"2026-01-02T03:04:05.678Z","duration_ms":2345.6,"referee":"referee 0.1.0","prev":"00"}"#,
        r#" { "referee" : "r" , "result" : { "faults" : [ ] , "outcome" : [ 0.5 , 0.5 ] , "scores" : [ 0 , 0 ] } , "moves" : [ ] , "opening" : 0 , "time" : { "startup_ms" : 1 , "margin_ms" : 1 } , "players" : [ ] , "start" : "x" , "seed" : 7 , "options" : { } , "game" : "run" , "match" : "m" , "format" : 1 } "#,
    ];

    /// Checks that a line is read as by serde, if it is read at all; true if it is.
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
        assert!(taken > ROUNDS / 20, "{taken} of {ROUNDS} are too few");
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
            let mut scan = Scanner::new(&text);
            let (Some(number), Some(())) = (scan.float(), scan.end()) else {
                continue;
            };
            taken += 1;
            let read: f64 = serde_json::from_str(&text).expect("a number");
            assert_eq!(number.to_bits(), read.to_bits(), "{text}");
        }
        assert!(taken > 10_000, "{taken}");
    }
}
