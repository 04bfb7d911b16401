//! Two tournaments on one machine at the same time, with the same bots.

use std::thread;

use serde_json::Value;

use super::super::judge::Verdict;
use super::super::options::Tier;
use super::super::site::{Played, Site, as_user};
use super::scene::{Scene, Stage, Tiers};
use crate::Ran;

pub(super) const SCENES: &[Scene] = &[Scene {
    name: "two-tournaments",
    by: "another tournament on the machine",
    cannot: "harm this one, or write into its folder",
    tiers: Tiers::Each,
    promised: |_, _| true,
    play: two_at_once,
}];

/// Two folders, and a second referee in each of them.
fn two_at_once(stage: &Stage) -> Verdict {
    let mut verdict = Verdict::default();
    let sites = [0, 1].map(|_| Site::new(stage.programs, stage.user, None));
    let hostile = stage.programs.hostile().display().to_string();
    // The bots are the same, in one folder.
    let dir = sites[0].arena.path("attacker").display().to_string();
    let configurations = sites
        .each_ref()
        .map(|site| configuration(site, stage, &hostile, &dir));
    sites.iter().for_each(Site::give_away);
    let played = thread::scope(|scope| {
        let [(one, first), (other, second)] = [0, 1].map(|at| (&sites[at], &configurations[at]));
        let played = [
            scope.spawn(|| one.play(first)),
            scope.spawn(|| other.play(second)),
        ];
        for site in &sites {
            intrude(site, stage, &mut verdict);
        }
        played.map(|played| played.join().expect("a tournament that was played"))
    });
    for (site, played) in sites.iter().zip(&played) {
        let is_built = !played.ran.stderr.contains("its build");
        if played.ran.code == Some(2) && is_built {
            verdict.refused = Some(played.ran.stderr.trim().to_owned());
            continue;
        }
        judge(site, stage, played, &mut verdict);
    }
    verdict
}

/// The build of each bot; two at once would disturb each other.
const BUILD: &str = "build = [\"sh\", \"-c\", \"mkdir lock && sleep 0.3 && rmdir lock\"]";

fn configuration(site: &Site, stage: &Stage, hostile: &str, dir: &str) -> String {
    let bots = ["one", "two"].map(|name| {
        let command = format!("['{hostile}', 'plays']");
        site.bot(name, &command, dir, BUILD)
    });
    let rounds = if stage.short { 5 } else { 20 };
    let affinity = match stage.tier {
        Tier::Strict => "affinity = \"cores\"\n",
        _ => "",
    };
    format!(
        "name = \"neighbours\"\nseed = 1\nrounds = {rounds}\nsandbox = \"{}\"\nconcurrency = 2\n{affinity}\
         restart = \"each-match\"\ngames = [{{ id = \"amazons\", options = {{ size = 5 }} }}]\n\
         [limits]\nmax_plies = 6\n[time]\nper_move = \"60s\"\nstartup = \"60s\"\n{}{}",
        stage.tier.name(),
        Site::resources(stage.tier),
        bots.concat(),
    )
}

/// Other referees want to write into the folder of a tournament that has begun.
fn intrude(site: &Site, stage: &Stage, verdict: &mut Verdict) {
    let log = site.arena.path("out/games.jsonl");
    for _ in 0..3000 {
        if std::fs::metadata(&log).is_ok_and(|about| about.len() > 0) {
            break;
        }
        thread::sleep(std::time::Duration::from_millis(10));
    }
    for how in [&[][..], &["--resume"], &["--extend"]] {
        let mut command = as_user(stage.user, &stage.programs.referee());
        command
            .args(site.arena.tournament())
            .arg("--quiet")
            .args(how);
        command.env("TMPDIR", site.arena.path("tmp"));
        let ran: Ran = command.output().expect("a second referee").into();
        let refused = [Some(2), Some(4)].contains(&ran.code);
        // It may be over by then; nothing is left to be played.
        let was_over = ran.code == Some(0) && ran.stderr.contains("were played already");
        let what = format!(
            "a second referee {how:?}: {:?}: {}",
            ran.code,
            ran.stderr.trim()
        );
        verdict.tried(what, !refused && !was_over);
    }
}

fn judge(site: &Site, stage: &Stage, played: &Played, verdict: &mut Verdict) {
    let code = played.ran.code;
    let stderr = played.ran.stderr.trim();
    verdict.tried(
        format!("end the referee: {code:?}: {stderr}"),
        code != Some(0),
    );
    let left = &played.left;
    verdict.tried(
        format!("leave processes behind: {left:?}"),
        !left.is_empty(),
    );
    let faults = played.records.iter();
    let faults =
        faults.flat_map(|record| record["result"]["faults"].as_array().into_iter().flatten());
    let faults: Vec<&Value> = faults.collect();
    verdict.tried(
        format!("make a bot lose by a fault: {faults:?}"),
        !faults.is_empty(),
    );
    let rounds = if stage.short { 5 } else { 20 };
    let count = played.records.len();
    verdict.tried(
        format!("lose or double a match: {count}"),
        count != 2 * rounds,
    );
    let ran = crate::verify(site.arena.path("out"));
    verdict.tried(
        format!("spoil the log: {}", ran.stdout.trim()),
        ran.code != Some(0),
    );
}
