//! Judges promises by the logs of a tournament.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::site::{FORGED, Played, Site};

/// The outcome of all tricks against one promise.
#[derive(Clone, Debug, Default)]
pub(super) struct Verdict {
    pub(super) attempts: Vec<String>,
    pub(super) successes: Vec<String>,
    pub(super) unknown: Vec<String>,
    /// The reason why it could not be tried: the program refuses to play like that.
    pub(super) refused: Option<String>,
}

impl Verdict {
    /// True if nothing contradicts the promise.
    pub(super) fn is_quiet(&self) -> bool {
        self.successes.is_empty() && self.unknown.is_empty()
    }
}

#[derive(Debug, Default)]
pub(super) struct Verdicts {
    verdicts: BTreeMap<String, Verdict>,
}

impl Verdicts {
    pub(super) fn of(&mut self, promise: &str) -> &mut Verdict {
        self.verdicts.entry(promise.to_owned()).or_default()
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &Verdict)> {
        self.verdicts
            .iter()
            .map(|(promise, verdict)| (promise.as_str(), verdict))
    }

    pub(super) fn get(&self, promise: &str) -> Option<&Verdict> {
        self.verdicts.get(promise)
    }

    /// The promises with successful attacks.
    pub(super) fn succeeded(&self) -> impl Iterator<Item = String> {
        let all = self.verdicts.iter();
        all.filter(|(_, verdict)| !verdict.successes.is_empty())
            .map(|(promise, _)| promise.clone())
    }

    /// Takes the reports of the bots with these tricks.
    pub(super) fn take_reports(&mut self, played: &Played, tricks: &[String]) {
        for trick in tricks {
            let moves = moves_of(played, trick);
            let faults = faults_of(played, trick);
            let verdict = self.of(promise_of(trick));
            let reports: Vec<&Value> = moves.iter().map(|mv| &mv["info"]).collect();
            let attempts = reports.iter().filter_map(|info| info.as_object()).flatten();
            let mut any = false;
            for (name, attempt) in attempts {
                any = true;
                let Some(succeeded) = attempt["succeeded"].as_bool() else {
                    continue;
                };
                let how = attempt["how"].as_str().unwrap_or_default();
                let text = format!("{trick}: {name} ({how})");
                if succeeded {
                    verdict.successes.push(text.clone());
                }
                let mark = if succeeded { "YES" } else { "no" };
                verdict.attempts.push(format!("{mark} {text}"));
            }
            for fault in &faults {
                verdict.attempts.push(format!("fault of {trick}: {fault}"));
            }
            if trick == "memory.idle-forks" {
                // They use nothing that is too much.
                verdict.successes.extend(faults);
            } else if !any && !faults.iter().any(|fault| is_a_limit(fault)) {
                verdict
                    .unknown
                    .push(format!("{trick}: no report; {faults:?}"));
            }
        }
    }

    /// Takes effects that only show outside.
    pub(super) fn take_effects(&mut self, site: &Site, played: &Played) {
        for received in played.report["received"].as_array().into_iter().flatten() {
            let network = self.of("network");
            network
                .successes
                .push(format!("{received} was received outside"));
        }
        let users = played.report["users"].as_object().into_iter().flatten();
        for (trick, user) in users {
            let privileges = self.of("privileges");
            privileges
                .attempts
                .push(format!("{trick}: the user {user} outside"));
            if *user == 0 {
                let how = format!("{trick}: is root outside");
                privileges.successes.push(how);
            }
        }
        let mut forged = Vec::new();
        find_forged(&site.arena.path("out"), &mut forged);
        find_forged(&site.arena.path("trace"), &mut forged);
        for path in forged {
            self.of("log")
                .successes
                .push(format!("a forgery is in {path}"));
        }
        let script = fs::read_to_string(site.arena.path("opponent/script"));
        if script.is_ok_and(|script| script.contains("# replaced")) {
            let files = self.of("opponent-files");
            files
                .successes
                .push("the opponent's script is another one".to_owned());
        }
    }
}

/// True if the fault shows that a limit held.
fn is_a_limit(fault: &str) -> bool {
    ["memory", "processes", "file size"]
        .iter()
        .any(|word| fault.contains(word))
}

fn find_forged(path: &Path, forged: &mut Vec<String>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            find_forged(&entry.path(), forged);
        }
    } else if fs::read_to_string(path).is_ok_and(|text| text.contains(FORGED)) {
        forged.push(path.display().to_string());
    }
}

/// The promise that a trick attacks.
pub(super) fn promise_of(trick: &str) -> &str {
    trick.split_once('.').map_or(trick, |(promise, _)| promise)
}

/// The moves that a bot made itself, in all its matches.
pub(super) fn moves_of<'a>(played: &'a Played, bot: &str) -> Vec<&'a Value> {
    let mut moves = Vec::new();
    for record in &played.records {
        let Some(seat) = seat_of(record, bot) else {
            continue;
        };
        let made = record["moves"].as_array().into_iter().flatten();
        moves.extend(made.filter(|mv| mv["seat"] == seat));
    }
    moves
}

/// A bot's fault in words.
pub(super) fn faults_of(played: &Played, bot: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for record in &played.records {
        let Some(seat) = seat_of(record, bot) else {
            continue;
        };
        let all = record["result"]["faults"].as_array().into_iter().flatten();
        let own = all.filter(|fault| fault["seat"] == seat);
        faults.extend(own.map(|fault| format!("{}: {}", fault["code"], fault["message"])));
    }
    faults
}

pub(super) fn seat_of(record: &Value, bot: &str) -> Option<usize> {
    let players = record["players"].as_array()?;
    players.iter().position(|player| player["name"] == bot)
}
