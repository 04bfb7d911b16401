//! Match logs: any bytes as a log file; parsed matches are verified and summarised.

use std::fs;

use arbiter::adjudication::{LimitWatch, forfeit_outcome};
use games::{Catalog, Limits, Rng};
use protocol::Record;
use ratings::report::Resampling;
use ratings::{MatchStore, MatchSummary, Request, Standings};
use referee::log::{LogFile, Versions, verify};
use report::sheet::{By, Sheet, SheetFormat, plot};
use report::standings_tables::report as standings_table;
use report::summary;
use report::transcript::text as transcript;
use serde_json::{Value, json};

use crate::sets;

/// Plies that the referee plays at the start of a match.
const OPENING: usize = 2;

/// Logs of three matches each: as played, with a fault, and cut off.
pub(crate) fn seeds(rng: &mut Rng) -> Vec<Vec<u8>> {
    let mut logs = Vec::new();
    for set in sets::all() {
        let played = record(set, rng);
        let mut lost = record(set, rng);
        give_up(&mut lost, set);
        let mut log = format!("{played}\n{lost}\n\n{played}").into_bytes();
        if rng.below(2) == 0 {
            log.push(b'\n');
        }
        logs.push(log);
        logs.push(format!("{lost}\r\n").into_bytes());
    }
    logs
}

/// A random match, as the log has it.
fn record(set: &sets::Set, rng: &mut Rng) -> Value {
    let seed = rng.below(1000);
    let mut session = set.rules.start(seed).unwrap();
    let start = session.state().unwrap();
    let limits = Limits {
        max_plies: Some(80),
        repetition: Some(3),
    };
    let mut watch = LimitWatch::new(limits);
    let mut stopped = watch.see(&*session).unwrap();
    let mut moves = Vec::new();
    while let (Some(seat), None) = (session.to_move().alone(), stopped) {
        let Some(mv) = session.random_move(seat, rng).unwrap() else {
            break;
        };
        session.play(&mv).expect("a move that was drawn is legal");
        moves.push(match moves.len() {
            ..OPENING => json!({"seat": seat, "move": mv, "ms": 0}),
            _ => json!({"seat": seat, "move": mv, "ms": 1.5, "info": {"depth": 1}}),
        });
        stopped = watch.see(&*session).unwrap();
    }
    let tally = session.tally().unwrap();
    let roles = set.rules.roles().iter();
    let players = roles.map(|role| json!({"name": format!("the {role}"), "role": role, "version": "1", "command": ["referee"]}));
    json!({
        "format": 1, "match": "m-000017", "game": set.game, "options": set.options, "seed": seed,
        "start": start, "players": players.collect::<Vec<_>>(),
        "time": {"per_move_ms": 100, "startup_ms": 10000, "margin_ms": 50},
        "limits": limits, "opening": moves.len().min(OPENING), "moves": moves,
        "result": {"scores": tally.scores, "outcome": tally.outcome,
                   "reason": session.reason().as_deref().or(stopped), "faults": []},
        "machine": {"name": "box", "cpu": "x", "cores": 2, "speed": 12.5},
        "load": {"waiting": 0.25, "stolen": 0},
        "started": "2026-01-02T03:04:05.678Z", "duration_ms": 2345.6, "referee": "referee 0.1.0"
    })
}

/// Makes the first seat resign at the start of a match, which ends a match of two seats; with more,
/// the seat's moves become forced.
fn give_up(record: &mut Value, set: &sets::Set) {
    let seats = set.rules.seats();
    let mut at_fault = vec![false; seats];
    at_fault[0] = true;
    record["opening"] = json!(0);
    if seats == 2 {
        record["moves"] = json!([]);
        record["result"]["scores"] = json!([0, 0]);
    }
    for played in record["moves"].as_array_mut().into_iter().flatten() {
        if played["seat"] == 0 {
            *played = json!({"seat": 0, "move": played["move"], "ms": 0, "forced": true});
        }
    }
    let result = &mut record["result"];
    let outcome: Vec<f64> = serde_json::from_value(result["outcome"].take()).expect("an outcome");
    result["outcome"] = json!(forfeit_outcome(&outcome, &at_fault));
    result["reason"] = json!("forfeit");
    result["faults"] = json!([{"seat": 0, "code": "resign", "ply": 0, "message": "gave up"}]);
}

pub(crate) fn run(input: &[u8]) -> bool {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    fs::write(file.path(), input).expect("a file that can be written");
    let mut standings = Standings::new(["known"]);
    let mut matches = MatchStore::new().by_machine();
    let mut verified = false;
    let mut log = LogFile::open(file.path()).expect("a file that can be read");
    for read in &mut log {
        match read {
            Ok(record) => {
                verified |= check(&record);
                standings.add_record(&record);
                matches.add(&MatchSummary::from(&record));
            }
            Err(error) => assert!(error.to_string().len() < 100_000, "{error}"),
        }
    }
    if let Some(cut) = log.cut() {
        assert!(cut.bytes > 0 && !input.ends_with(b"\n"));
    }
    assert!(standings_table(&standings, None, Some(60)).starts_with("Standings"));
    check_sheets(&matches);
    verified
}

/// All reports about any matches can be written, and contain no terminal controls.
fn check_sheets(matches: &MatchStore) {
    let request = Request {
        resampling: Resampling {
            resamples: Some(2),
            seed: 1,
        },
        ..Request::default()
    };
    for by in [
        None,
        Some(By::Game),
        Some(By::Seat),
        Some(By::Opening),
        Some(By::Goal),
        Some(By::Machine),
    ] {
        let sheet = Sheet::new(matches, &request, by).expect("a request that names nothing");
        assert!(plot(&sheet.report).ends_with("</svg>\n"));
        for format in [
            SheetFormat::Text,
            SheetFormat::Markdown,
            SheetFormat::Html,
            SheetFormat::Json,
        ] {
            let text = sheet.write(format, None);
            assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
        }
        assert!(!sheet.write(SheetFormat::Csv, None).is_empty());
    }
}

/// Checks a match that was read; true if it could have happened.
fn check(record: &Record) -> bool {
    let line = record.to_line();
    assert!(line.ends_with('\n') && line.lines().count() == 1);
    let again: Record = serde_json::from_str(&line).expect("a record is JSON");
    assert_eq!(again.to_line(), line);
    assert!(!summary(record).is_empty());
    let steers = |c: char| c.is_control() && c != '\n';
    assert!(!transcript(record).contains(steers));
    let catalog = Catalog::built_in();
    let verify = |record| verify(record, &catalog, Versions::Recorded);
    let fits = verify(record);
    assert_eq!(verify(&again).is_ok(), fits.is_ok());
    if let Err(mismatch) = &fits {
        assert!(!mismatch.to_string().is_empty());
    }
    fits.is_ok()
}
