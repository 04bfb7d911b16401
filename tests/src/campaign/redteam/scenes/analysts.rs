//! Bots in an analysis: they hang, flood, multiply, lie, and look around.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::super::judge::Verdict;
use super::super::options::{Tier, User};
use super::super::site::{Site, as_user};
use super::scene::{Scene, Stage, Tiers};
use crate::Ran;
use crate::traces::{MARK, marked};

pub(super) const SCENES: &[Scene] = &[
    Scene {
        name: "analysed-bots",
        by: "a bot in `analyse`",
        cannot: "hang it, break it, outlive it, or have it print what is no text",
        tiers: Tiers::Each,
        promised: |tier, user| {
            tier >= Tier::Restricted || tier == Tier::Limits && user == User::Root
        },
        play: misbehave,
    },
    Scene {
        name: "analysed-files",
        by: "a bot in `analyse`",
        cannot: "read or write the files of who analyses",
        tiers: Tiers::Each,
        promised: |tier, _| tier >= Tier::Restricted,
        play: look_around,
    },
];

/// Ways to spoil an analysis, from the first turn on.
const WAYS: [&str; 14] = [
    "deaf",
    "exit-at-start",
    "no-ready",
    "giant-version",
    "hangs-at-once",
    "floods-at-once",
    "forks-at-once",
    "daemon-at-once",
    "reports-nonsense",
    "reports-no-json",
    "illegal-at-once",
    "ignores-term",
    "reports-and-crashes",
    "reports-lines",
];
/// Slow or expensive ones.
const SLOW: [&str; 4] = ["deaf", "no-ready", "floods-at-once", "forks-at-once"];
/// Limit for an analysis of a second: a bot has ten seconds to start, and the machine is busy.
const MOST: Duration = Duration::from_secs(90);

fn analysis(stage: &Stage, site: &Site, bot: &str) -> Command {
    let mut command = as_user(stage.user, &stage.programs.referee());
    command.args([
        "analyse",
        "amazons",
        "--options",
        "{\"size\":5}",
        "--time",
        "1s",
    ]);
    command.args(["--sandbox", stage.tier.name(), "--bot", bot]);
    command.current_dir(site.arena.path("attacker"));
    command.env("TMPDIR", "/tmp").stdin(Stdio::null());
    command
}

fn misbehave(stage: &Stage) -> Verdict {
    let mut verdict = Verdict::default();
    let site = Site::new(stage.programs, stage.user, None);
    let mut ways = WAYS.to_vec();
    if stage.short {
        ways.retain(|way| !SLOW.contains(way));
    }
    if stage.tier < Tier::Limits {
        // The machine is not ours.
        ways.retain(|way| *way != "forks-at-once");
    }
    for way in ways {
        let mark = format!("analyse-{}-{way}", site.arena.path("").display());
        let bot = format!("'{}' {way}", stage.programs.hostile().display());
        let mut command = analysis(stage, &site, &bot);
        command.env(MARK, &mark).args(["--format", "json"]);
        let begun = Instant::now();
        let ran: Ran = command.output().expect("referee runs").into();
        if ran.code == Some(2) && ran.stderr.contains("sandbox") {
            verdict.refused = Some(ran.stderr.trim().to_owned());
            return verdict;
        }
        let took = begun.elapsed();
        let well = ran.code == Some(0) && took < MOST;
        let what = format!("{way}: {:?} in {took:.1?}: {}", ran.code, ran.stderr.trim());
        verdict.tried(what, !well);
        let printed = ran.stdout.clone() + &ran.stderr;
        let odd = printed.find(|c: char| c.is_control() && c != '\n');
        let odd = odd.map(|at| printed[at..].chars().take(20).collect::<String>());
        verdict.tried(
            format!("{way}: print what is no text {odd:?}"),
            odd.is_some(),
        );
        let mut lines = ran.stdout.lines();
        let broken = lines.find(|line| serde_json::from_str::<Value>(line).is_err());
        verdict.tried(
            format!("{way}: print what is no JSON {broken:?}"),
            broken.is_some(),
        );
        let length = ran.stdout.len() + ran.stderr.len();
        verdict.tried(format!("{way}: {length} bytes"), length > 100_000);
        let left = marked(&mark);
        verdict.tried(format!("{way}: leave {left:?} behind"), !left.is_empty());
    }
    verdict
}

/// The bot writes and reads before it plays; its value shows whether it could read.
fn look_around(stage: &Stage) -> Verdict {
    let mut verdict = Verdict::default();
    let site = Site::new(stage.programs, stage.user, None);
    let own = site.arena.path("attacker/bot");
    fs::copy(stage.programs.hostile(), own).expect("a copy of the misbehaving bot");
    let private = site.arena.path("private");
    let private = private.display();
    site.give_away();
    let script = format!(
        "echo x >{private}/written; if cat {private}/secret >/dev/null; \
         then exec ./bot reports-a-value; else exec ./bot plays; fi"
    );
    let bot = shell_words::join(["sh", "-c", &script]);
    let mut command = analysis(stage, &site, &bot);
    let ran: Ran = command
        .args(["--format", "json"])
        .output()
        .expect("referee runs")
        .into();
    let answer: Value = serde_json::from_str(ran.stdout.trim()).unwrap_or_default();
    if ran.code == Some(2) {
        verdict.refused = Some(ran.stderr.trim().to_owned());
        return verdict;
    }
    if !answer["move"].is_string() {
        verdict
            .unknown
            .push(format!("no move: {}{}", ran.stdout, ran.stderr));
    }
    verdict.tried("read a secret", answer["value"].is_number());
    let written = fs::metadata(site.arena.path("private/written")).is_ok();
    verdict.tried("write a file", written);
    verdict
}
