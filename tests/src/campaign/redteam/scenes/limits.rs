//! Bots that use as much as they can get, all in one tournament beside an honest one, in each
//! sandbox that limits them.

use std::collections::BTreeSet;

use super::super::judge::{Verdict, seat_of};
use super::super::options::{Tier, User};
use super::super::site::{Played, Site};
use super::scene::{Scene, Stage, Tiers};

pub(super) const SCENES: &[Scene] = &[Scene {
    name: "limits-in-depth",
    by: "a bot that multiplies, allocates and leaves processes behind",
    cannot: "harm the tournament or its opponent, or outlive its match",
    tiers: Tiers::Each,
    // Where the number of processes is: elsewhere a fork bomb may leave none for the referee.
    promised: |tier, user| tier == Tier::Strict || tier >= Tier::Limits && user == User::Root,
    play: in_depth,
}];

/// Ways to use too much, and to be there afterwards.
const WAYS: [&str; 13] = [
    "fork-bomb",
    "many-children",
    "children",
    "daemons",
    "closed-daemons",
    "ignores-term",
    "kills-its-group",
    "stops-its-group",
    "stops-itself",
    "opens-files",
    "spins-in-child",
    "allocates",
    "allocates-in-child",
];
/// On a machine without control groups, only large excesses are noticed.
const MEMORY: [&str; 2] = ["allocates", "allocates-in-child"];

fn in_depth(stage: &Stage) -> Verdict {
    let mut verdict = Verdict::default();
    if stage.tier == Tier::None {
        // Nothing is limited, and the machine is not ours.
        let why = "nothing limits them there";
        verdict.attempts.push(why.to_owned());
        verdict.successes.push(why.to_owned());
        return verdict;
    }
    let mut ways = WAYS.to_vec();
    if stage.user == User::Ordinary {
        ways.retain(|way| !MEMORY.contains(way));
    }
    let site = Site::new(stage.programs, stage.user, None);
    let hostile = stage.programs.hostile().display().to_string();
    let mut bots = site.bot("honest", &format!("['{hostile}', 'plays']"), "opponent", "");
    for way in &ways {
        bots += &site.bot(way, &format!("['{hostile}', '{way}']"), "attacker", "");
    }
    let played = site.play(&format!(
        "name = \"limits\"\nseed = 1\nsandbox = \"{}\"\nformat = \"gauntlet\"\n\
         challengers = [\"honest\"]\nconcurrency = 2\nrestart = \"each-match\"\n\
         games = [{{ id = \"amazons\", options = {{ size = 5 }} }}]\n[limits]\nmax_plies = 6\n\
         [time]\nper_move = \"2s\"\nstartup = \"60s\"\n{}{bots}",
        stage.tier.name(),
        Site::resources(stage.tier),
    ));
    judge(&played, &ways, &mut verdict);
    verdict
}

fn judge(played: &Played, ways: &[&str], verdict: &mut Verdict) {
    match played.ran.code {
        Some(0) => {}
        Some(2) => {
            verdict.refused = Some(played.ran.stderr.trim().to_owned());
            return;
        }
        code => {
            let what = format!(
                "the referee ended with {code:?}: {}",
                played.ran.stderr.trim()
            );
            verdict.tried(what, true);
            return;
        }
    }
    let left = &played.left;
    verdict.tried(
        format!("leave processes behind: {left:?}"),
        !left.is_empty(),
    );
    let matches: BTreeSet<&str> = ways.iter().copied().collect();
    for way in matches {
        let mut records = played
            .records
            .iter()
            .filter(|record| seat_of(record, way).is_some());
        let harmed = records.clone().find_map(|record| {
            let honest = seat_of(record, "honest")?;
            let mut faults = record["result"]["faults"].as_array()?.iter();
            faults
                .find(|fault| fault["seat"] == honest)
                .map(ToString::to_string)
        });
        if records.next().is_none() {
            verdict.unknown.push(format!("{way}: no match"));
        }
        let what = format!("{way}: make its opponent lose by a fault {harmed:?}");
        verdict.tried(what, harmed.is_some());
    }
}
