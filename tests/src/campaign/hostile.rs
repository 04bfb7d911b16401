//! A tournament with hostile bots as half of the entrants.

use std::collections::BTreeMap;

use serde_json::Value;

use super::modes::{ENDS, Mode, PLAYS, STARTS, TAKES, WAITS, find};
use super::{Findings, play};
use crate::traces::MARK;
use crate::{Arena, hostile};

/// For bots that never move.
const SHORT: &str = "time = { per_move = \"150ms\", margin = \"50ms\" }";
/// For bots that never say `hello` or `ready`.
const SHORT_START: &str = "time = { startup = \"1s\" }";
/// Their time limit, in milliseconds.
const DEADLINE: f64 = 200.0;
/// Longest delay of a verdict, in milliseconds.
const LATENESS: f64 = 50.0;

/// An entrant that misbehaves in one of these ways in each match.
struct Entrant {
    name: String,
    modes: Vec<Mode>,
    more: &'static str,
}

/// Plays at least this many matches.
pub fn run(matches: usize, seed: usize) -> Findings {
    let mark = format!("hostile-{}-{seed}", std::process::id());
    let half = (1..).find(|half| 2 * half * (2 * half - 1) >= matches);
    let half = half.unwrap_or(1).max(5);
    let arena = Arena::new(&configuration(&entrants(half, seed), &mark, seed));
    let mut findings = Findings::default();
    let count = 2 * half * (2 * half - 1);
    let records = play(&arena, &mark, count, &mut findings);
    judge(&records, &mut findings);
    findings
}

fn entrants(half: usize, seed: usize) -> Vec<Entrant> {
    let groups: [(&[Mode], &str); 4] = [
        (&WAITS, SHORT),
        (&ENDS, ""),
        (
            &TAKES,
            "resources = { memory = \"64MiB\", processes = 20, file_size = \"1MiB\", open_files = 100 }",
        ),
        (&PLAYS, "restart = \"on-fault\""),
    ];
    let mut entrants = Vec::new();
    // Entrants of their own get what is left after two of each group.
    let own = half.saturating_sub(2 * groups.len()).clamp(1, STARTS.len());
    for number in 0..own {
        let mode = STARTS[(number + seed) % STARTS.len()];
        entrants.push(Entrant {
            name: mode.how.to_owned(),
            modes: vec![mode],
            more: match mode.how {
                "no-hello" | "deaf" | "no-ready" => SHORT_START,
                _ => "",
            },
        });
    }
    for number in 0..half - own {
        let (modes, more) = groups[number % groups.len()];
        entrants.push(Entrant {
            name: format!("hostile {number}"),
            modes: modes.to_vec(),
            more,
        });
    }
    entrants
}

fn configuration(entrants: &[Entrant], mark: &str, seed: usize) -> String {
    let mut text = format!(
        "name = \"hostile\"\nseed = {seed}\nrestart = \"each-match\"\n\
         games = [{{ id = \"amazons\", options = {{ size = 5 }} }}]\n\
         [limits]\nmax_plies = 10\n[time]\nper_move = \"60s\"\nstartup = \"60s\"\n"
    );
    for (number, entrant) in entrants.iter().enumerate() {
        let Entrant { name, modes, more } = entrant;
        let how: Vec<&str> = modes.iter().map(|mode| mode.how).collect();
        text.push_str(&format!(
            "[[bots]]\nname = \"{name}\"\ncommand = ['{}', '{}']\ngames = [\"amazons\"]\nenv = {{ {MARK} = '{mark}' }}\n{more}\n\
             [[bots]]\nname = \"honest {number}\"\ncommand = \"referee bot random --seed {number}\"\n\
             env = {{ {MARK} = '{mark}' }}\nrestart = \"on-fault\"\n",
            hostile().display(),
            how.join(","),
        ));
    }
    text
}

/// A player's misbehaviour, from its version or its name; `None` for honest ones.
fn mode(player: &Value) -> Option<Mode> {
    let name = player["name"].as_str().unwrap_or_default();
    if name.starts_with("honest") {
        return None;
    }
    let stated = player["version"].as_str().and_then(find);
    stated.or_else(|| find(name))
}

/// Checks each result against how the players misbehaved.
fn judge(records: &[Value], findings: &mut Findings) {
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    let mut codes: BTreeMap<&str, u32> = BTreeMap::new();
    let mut late = Vec::new();
    for record in records {
        let players = record["players"].as_array().map_or(&[][..], Vec::as_slice);
        let modes: Vec<Option<Mode>> = players.iter().map(mode).collect();
        for mode in modes.iter().flatten() {
            *seen.entry(mode.how).or_default() += 1;
        }
        if let Some(wrong) = wrong(record, &modes) {
            findings.wrong.push(format!("{}: {wrong}", record["match"]));
        }
        for fault in record["result"]["faults"].as_array().into_iter().flatten() {
            let code = fault["code"].as_str().unwrap_or_default();
            *codes.entry(code).or_default() += 1;
            late.extend(lateness(fault));
        }
    }
    let list = |counts: &BTreeMap<&str, u32>| {
        let each = counts.iter().map(|(what, count)| format!("{what} {count}"));
        each.collect::<Vec<_>>().join(", ")
    };
    findings.figure(format!("faults: {}", list(&codes)));
    findings.figure(format!("{} ways to misbehave: {}", seen.len(), list(&seen)));
    tell_lateness(late, findings);
    tell_longest(records, findings);
}

/// The first problem of a match.
fn wrong(record: &Value, modes: &[Option<Mode>]) -> Option<String> {
    let result = &record["result"];
    let faults = result["faults"].as_array()?;
    if faults.is_empty() {
        let must = modes.iter().flatten().find(|mode| !mode.may_play_on)?;
        return Some(format!("`{}` is not at fault", must.how));
    }
    for fault in faults {
        let seat = fault["seat"].as_u64()? as usize;
        let Some(mode) = modes[seat] else {
            return Some(format!("who is honest or unknown is at fault: {fault}"));
        };
        let ply = match mode.turn {
            0 => 0,
            turn => seat as u64 + 2 * u64::from(turn - 1),
        };
        let stated = fault["ply"].as_u64()?;
        // A machine that is too busy makes bots with little time late before they misbehave.
        let early = fault["code"] == "timeout" && stated < ply;
        let right_ply = mode.may_play_on || stated == ply || early;
        // Only before the first turn there may be more than one.
        let right = right_ply && (faults.len() == 1 || ply == 0);
        if !right || !mode.codes.contains(&fault["code"].as_str()?) {
            return Some(format!("`{}`: {fault}", mode.how));
        }
    }
    let lost = |seat: usize| faults.iter().any(|fault| fault["seat"] == seat);
    let outcome = match (lost(0), lost(1)) {
        (true, true) => [0.5, 0.5],
        (true, false) => [0.0, 1.0],
        (false, _) => [1.0, 0.0],
    };
    let right = result["outcome"] == serde_json::json!(outcome) && result["reason"] == "forfeit";
    (!right).then(|| format!("{result}"))
}

/// Milliseconds from the deadline to the verdict.
fn lateness(fault: &Value) -> Option<f64> {
    let message = fault["message"].as_str()?;
    let rest = message.strip_prefix("no move after ")?;
    let used: f64 = rest
        .strip_suffix(" ms")
        .or_else(|| rest.split_once(" ms").map(|(ms, _)| ms))?
        .parse()
        .ok()?;
    Some(used - DEADLINE)
}

/// The matches that took longest.
fn tell_longest(records: &[Value], findings: &mut Findings) {
    let time = |record: &Value| record["duration_ms"].as_f64().unwrap_or(0.0);
    let mut records: Vec<&Value> = records.iter().collect();
    records.sort_by(|a, b| time(b).total_cmp(&time(a)));
    for record in records.into_iter().take(5) {
        let players = record["players"].as_array().map_or(&[][..], Vec::as_slice);
        let how = players
            .iter()
            .map(|player| mode(player).map_or("honest", |mode| mode.how));
        let how: Vec<&str> = how.collect();
        findings.figure(format!("{:.0} ms: {}", time(record), how.join(" against ")));
    }
}

fn tell_lateness(mut late: Vec<f64>, findings: &mut Findings) {
    late.sort_by(f64::total_cmp);
    let (Some(most), Some(median)) = (late.last(), late.get(late.len() / 2)) else {
        return;
    };
    let in_time = late.iter().filter(|late| **late <= LATENESS).count();
    findings.figure(format!(
        "{} verdicts about hanging bots after the deadline: median {median:.0} ms, at most {most:.0} ms; \
         {in_time} within {LATENESS:.0} ms",
        late.len()
    ));
    if in_time < late.len() {
        let slow = format!(
            "{} verdicts came more than {LATENESS:.0} ms late",
            late.len() - in_time
        );
        findings.slow.push(slow);
    }
}
