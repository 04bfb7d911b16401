//! Matches as tables for spreadsheets, with a row for each match or for each move.

use protocol::{Millis, Record};

use super::sheet::csv_text as text;

/// Matches have columns for at least this many seats, so that usual logs have the same columns.
const USUAL_SEATS: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// A match, with columns for four seats, or more if a match has more.
    Matches { seats: usize },
    /// A move.
    Moves,
}

pub fn header(rows: Rows) -> Vec<String> {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    match rows {
        Rows::Matches { seats } => {
            let mut header: Vec<String> = names(&[
                "match",
                "game",
                "options",
                "seed",
                "started",
                "duration_ms",
                "opening",
                "plies",
                "reason",
            ]);
            for seat in 0..seats.max(USUAL_SEATS) {
                let columns = ["bot", "role", "outcome", "score", "fault", "fault_ply"];
                header.extend(columns.map(|column| format!("{column}_{seat}")));
            }
            header
        }
        Rows::Moves => names(&[
            "match", "game", "ply", "seat", "role", "bot", "by", "move", "ms", "cpu_ms",
        ]),
    }
}

pub fn of(record: &Record, rows: Rows) -> Vec<Vec<String>> {
    match rows {
        Rows::Matches { seats } => vec![one(record, seats)],
        Rows::Moves => moves(record),
    }
}

fn one(record: &Record, seats: usize) -> Vec<String> {
    let result = &record.result;
    let mut row = vec![
        text(&record.match_id),
        text(&record.game),
        record.options.to_string(),
        record.seed.to_string(),
        text(&record.started),
        millis(record.duration_ms),
        record.opening.to_string(),
        record.moves.len().to_string(),
        text(&result.reason),
    ];
    for seat in 0..seats.max(USUAL_SEATS) {
        let player = record.players.get(seat);
        let fault = result.faults.iter().find(|fault| fault.seat == seat);
        let number =
            |number: Option<String>| number.filter(|_| player.is_some()).unwrap_or_default();
        row.push(player.map_or(String::new(), |player| text(&player.name)));
        row.push(player.map_or(String::new(), |player| text(&player.role)));
        row.push(number(result.outcome.get(seat).map(f64::to_string)));
        row.push(number(result.scores.get(seat).map(i64::to_string)));
        row.push(number(fault.map(|fault| fault.code.as_str().to_owned())));
        row.push(number(fault.map(|fault| fault.ply.to_string())));
    }
    row
}

fn moves(record: &Record) -> Vec<Vec<String>> {
    let row = |(ply, made): (usize, &protocol::LoggedMove)| {
        let player = made.seat.and_then(|seat| record.players.get(seat));
        let by = match made.seat {
            None => "chance",
            _ if made.forced => "forced",
            _ if ply < record.opening as usize => "opening",
            _ => "bot",
        };
        vec![
            text(&record.match_id),
            text(&record.game),
            (ply + 1).to_string(),
            made.seat.map_or(String::new(), |seat| seat.to_string()),
            player.map_or(String::new(), |player| text(&player.role)),
            player.map_or(String::new(), |player| text(&player.name)),
            by.to_owned(),
            text(&made.mv),
            millis(made.ms),
            made.cpu_ms.map_or(String::new(), millis),
        ]
    };
    record.moves.iter().enumerate().map(row).collect()
}

/// Milliseconds with at most three decimals, as in the log.
fn millis(millis: Millis) -> String {
    let micros = millis.0.as_micros();
    match micros % 1000 {
        0 => (micros / 1000).to_string(),
        rest => format!("{}.{rest:03}", micros / 1000)
            .trim_end_matches('0')
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn record() -> Record {
        serde_json::from_value(json!({
            "format": 1, "match": "m-7", "game": "siam", "options": {"size": 5}, "seed": 3,
            "start": {}, "players": [
                {"name": "=a", "role": "elephants", "command": []},
                {"name": "b", "role": "rhinos", "command": []}],
            "time": {"startup_ms": 1, "margin_ms": 1}, "limits": {}, "opening": 1,
            "moves": [
                {"seat": 0, "move": "x"}, {"seat": 1, "move": "y", "ms": 12.5, "cpu_ms": 3},
                {"seat": null, "move": "6"}],
            "result": {"scores": [1, -1], "outcome": [1.0, 0.0], "reason": "forfeit",
                "faults": [{"seat": 1, "code": "timeout", "ply": 3, "message": "late"}]},
            "started": "2026-01-02T03:04:05Z", "duration_ms": 20, "referee": "referee"
        }))
        .expect("a match")
    }

    #[test]
    fn a_match_is_one_row_and_a_move_too() {
        let usual = Rows::Matches { seats: 2 };
        let rows = of(&record(), usual);
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].len(), header(usual).len());
        let wide = Rows::Matches { seats: 6 };
        assert_eq!(header(wide).len(), header(usual).len() + 12);
        assert_eq!(header(wide).last().map(String::as_str), Some("fault_ply_5"));
        assert_eq!(of(&record(), wide)[0].len(), header(wide).len());
        let cells: Vec<&str> = rows[0].iter().map(String::as_str).collect();
        let expected = [
            "m-7",
            "siam",
            r#"{"size":5}"#,
            "3",
            "2026-01-02T03:04:05Z",
            "20",
            "1",
            "3",
            "forfeit",
            "'=a",
            "elephants",
            "1",
            "1",
            "",
            "",
            "b",
            "rhinos",
            "0",
            "-1",
            "timeout",
            "3",
            "",
        ];
        assert_eq!(cells[..expected.len()], expected);
        let rows = of(&record(), Rows::Moves);
        assert_eq!(rows.len(), 3);
        assert_eq!(rows[0][6], "opening");
        assert_eq!(
            rows[1][2..],
            ["2", "1", "rhinos", "b", "bot", "y", "12.5", "3"]
        );
        assert_eq!(rows[2][3..8], ["", "", "", "chance", "6"]);
        assert!(
            rows.iter()
                .all(|row| row.len() == header(Rows::Moves).len())
        );
    }
}
