//! A match as text that people read: headers in brackets as in chess notation, then a numbered line per
//! ply with its time and the bot's information.

use std::fmt::Write as _;

use protocol::{ClockKind, LoggedMove, Millis, Record, TimeControl, shown};
use serde_json::Value;

use super::points;
use super::sheet::count;
use games::kit::to_move::CHANCE;
use ratings::game_label;

pub fn text(record: &Record) -> String {
    let mut text = headers(record);
    text.push('\n');
    let digits = record.moves.len().to_string().len();
    let role = |seat: Option<usize>| match seat {
        Some(seat) => record.players.get(seat).map_or("?", |player| &*player.role),
        None => CHANCE,
    };
    let roles = record.players.iter().map(|it| it.role.chars().count());
    let roles = roles.max().unwrap_or(0);
    let moves = record.moves.iter().map(|it| it.mv.chars().count());
    let moves = moves.max().unwrap_or(0);
    for (ply, logged) in record.moves.iter().enumerate() {
        let number = ply + 1;
        let opening = ply < record.opening as usize;
        let line = format!(
            "{number:digits$}. {:roles$}  {:moves$}  {}",
            role(logged.seat),
            logged.mv,
            remarks(logged, opening)
        );
        text += &format!("{}\n", shown(&line));
    }
    let _ = writeln!(text, "{} {}", outcome(record), record.result.reason);
    text
}

fn headers(record: &Record) -> String {
    let mut text = String::new();
    let mut add = |name: &str, value: &str| {
        let value = shown(value).replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "[{name} \"{value}\"]");
    };
    add("Match", &record.match_id);
    add("Game", &game_label(&record.game, &record.options));
    add("Options", &record.options.to_string());
    add("Date", &record.started);
    for player in &record.players {
        let version = player.version.iter().map(|version| format!(" {version}"));
        let name = format!("{}{}", player.name, version.collect::<String>());
        add("Player", &format!("{}: {name}", player.role));
    }
    add("Result", &outcome(record));
    let scores = record.result.scores.iter().map(i64::to_string);
    add("Scores", &scores.collect::<Vec<_>>().join(" "));
    add("Reason", &record.result.reason);
    for fault in &record.result.faults {
        let role = record.players.get(fault.seat).map_or("?", |it| &*it.role);
        let (code, ply, message) = (fault.code, fault.ply, &fault.message);
        add(
            "Fault",
            &format!(
                "{role}: {code} after {}: {message}",
                count(ply.into(), "ply", "plies")
            ),
        );
    }
    add("TimeControl", &time(&record.time));
    for player in &record.players {
        if let Some(own) = &player.time {
            add("TimeControl", &format!("{}: {}", player.role, time(own)));
        }
    }
    add("Plies", &record.moves.len().to_string());
    add("Opening", &record.opening.to_string());
    add("Seed", &record.seed.to_string());
    add("Start", &record.start.to_string());
    add("Referee", &record.referee);
    text
}

fn outcome(record: &Record) -> String {
    let outcome: Vec<String> = record.result.outcome.iter().map(|o| points(*o)).collect();
    outcome.join("–")
}

fn ms(time: Millis) -> String {
    let ms = time.0.as_secs_f64() * 1e3;
    format!("{ms:.1} ms")
}

/// `100 ms a move, 10 s a match and 50 ms more a move, of CPU time`.
fn time(time: &TimeControl) -> String {
    let length = |time: Millis| humantime::format_duration(time.0).to_string();
    let mut parts = Vec::new();
    if let Some(per_move) = time.per_move {
        parts.push(format!("{} a move", length(per_move)));
    }
    if let Some(base) = time.base {
        parts.push(format!("{} a match", length(base)));
    }
    if let Some(increment) = time.increment {
        parts.push(format!("{} more after each move", length(increment)));
    }
    parts.push(format!("margin {}", length(time.margin)));
    if time.clock == ClockKind::Cpu {
        parts.push("of CPU time".to_owned());
    }
    parts.join(", ")
}

/// The time of a ply, or its maker if it was not the bot, and the bot's information.
fn remarks(logged: &LoggedMove, opening: bool) -> String {
    let mut remarks = match (opening, logged.forced) {
        (true, _) => "opening".to_owned(),
        (_, true) => "forced".to_owned(),
        _ => format!("{:>10}", ms(logged.ms)),
    };
    if let (false, Some(cpu)) = (opening, logged.cpu_ms) {
        remarks += &format!(", CPU {}", ms(cpu));
    }
    let reported = logged.info.iter().filter_map(Value::as_object).flatten();
    for (name, value) in
        reported.filter(|(name, _)| ["depth", "nodes", "value"].contains(&&***name))
    {
        if value.is_number() {
            remarks += &format!(", {name} {value}");
        }
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_match_is_told_from_its_headers_to_its_end() {
        let record: Record = serde_json::from_value(json!({
            "format": 1, "match": "m-000007", "game": "siam", "options": {}, "seed": 5,
            "start": {"ply": 0},
            "players": [{"name": "a \"b\"\u{1b}", "role": "elephants", "version": "2", "command": []},
                {"name": "c", "role": "rhinos", "command": [],
                 "time": {"base_ms": 1000, "increment_ms": 50, "startup_ms": 1, "margin_ms": 0}}],
            "time": {"per_move_ms": 100, "startup_ms": 1, "margin_ms": 20, "clock": "cpu"},
            "limits": {"max_plies": null, "repetition": null}, "opening": 1,
            "moves": [{"seat": 0, "move": "a1"},
                {"seat": 1, "move": "b2-b3", "ms": 12.34, "cpu_ms": 3,
                 "info": {"depth": 4, "nodes": 9, "pv": ["x"]}}],
            "result": {"scores": [1, 0], "outcome": [0.5, 0.5], "reason": "forfeit",
                "faults": [{"seat": 1, "code": "crash", "ply": 2, "message": "gone"}]},
            "started": "2026-01-01T00:00:00Z", "duration_ms": 1, "referee": "referee 0.1.0"
        }))
        .expect("a record");
        let expected = "\
[Match \"m-000007\"]
[Game \"siam\"]
[Options \"{}\"]
[Date \"2026-01-01T00:00:00Z\"]
[Player \"elephants: a \\\"b\\\"\\\\u001b 2\"]
[Player \"rhinos: c\"]
[Result \"½–½\"]
[Scores \"1 0\"]
[Reason \"forfeit\"]
[Fault \"rhinos: crash after 2 plies: gone\"]
[TimeControl \"100ms a move, margin 20ms, of CPU time\"]
[TimeControl \"rhinos: 1s a match, 50ms more after each move, margin 0s\"]
[Plies \"2\"]
[Opening \"1\"]
[Seed \"5\"]
[Start \"{\\\"ply\\\":0}\"]
[Referee \"referee 0.1.0\"]

1. elephants  a1     opening
2. rhinos     b2-b3     12.3 ms, CPU 3.0 ms, depth 4, nodes 9
½–½ forfeit
";
        assert_eq!(text(&record), expected);
    }
}
