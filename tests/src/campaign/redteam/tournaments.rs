//! The tournaments of one tier and user: self-reporting tricks, all at once; those against time,
//! one match after another; those against the CPU clock.

use std::time::Instant;

use super::judge::{Verdict, Verdicts, faults_of, moves_of, promise_of};
use super::options::{Options, Tier, User};
use super::scenes;
use super::site::{Played, Programs, Site};
use crate::campaign::Findings;

/// Promises that are judged by how time passes.
const TIMED: [&str; 2] = ["cpu-share", "freezing"];
const LOG: &str = "log";
/// The bot beside which nothing is tried.
const HONEST: &str = "honest";
/// Attempts at a trick that depends on timing, at most.
const TRIES: u32 = 3;
/// A bot that uses more than this share of a core in the middle of its rests does not rest.
const AT_REST: f64 = 0.1;
/// Work of which less than this part is counted was lost.
const COUNTED: f64 = 0.7;

/// Plays the requested ones.
pub(super) fn run(
    programs: &Programs,
    tier: Tier,
    user: User,
    options: &Options,
    findings: &mut Findings,
) -> Verdicts {
    let mut tricks = programs.tricks();
    if let Some(only) = &options.trick {
        tricks.retain(|trick| trick == only || promise_of(trick) == only);
        let known = !tricks.is_empty() || scenes::exists(only);
        findings.wrong_unless(known, || format!("`{only}` is no trick and no scene"));
    }
    if let Some(except) = &options.except {
        let before = tricks.len();
        tricks.retain(|trick| promise_of(trick) != except);
        findings.wrong_unless(tricks.len() < before, || {
            format!("no trick is against `{except}`")
        });
    }
    let (timed, others): (Vec<String>, Vec<String>) = tricks
        .into_iter()
        .partition(|trick| TIMED.contains(&promise_of(trick)));
    let (clock, reporting): (Vec<String>, Vec<String>) = others
        .into_iter()
        .partition(|trick| promise_of(trick) == "cpu-clock");
    let mut all = All {
        programs,
        tier,
        user,
        short: options.short,
        verdicts: Verdicts::default(),
        findings,
    };
    all.reporting(&reporting);
    // Rests are looked at in their middle, so they have one.
    for (promise, time) in [("cpu-share", "100ms"), ("freezing", "600ms")] {
        let mut tricks = timed.clone();
        tricks.retain(|trick| promise_of(trick) == promise);
        all.timed(&tricks, time);
    }
    all.clock(&clock);
    all.verdicts
}

struct All<'a> {
    programs: &'a Programs,
    tier: Tier,
    user: User,
    short: bool,
    verdicts: Verdicts,
    findings: &'a mut Findings,
}

impl All<'_> {
    /// Tricks whose bots report successes.
    fn reporting(&mut self, tricks: &[String]) {
        if tricks.is_empty() {
            return;
        }
        let site = Site::new(self.programs, self.user, Some(1));
        let mut bots = site.bot("witness", "['./script']", "opponent", "");
        for trick in tricks {
            bots += &site.attacker(trick, "");
        }
        let top = "format = \"gauntlet\"\nchallengers = [\"witness\"]\nconcurrency = 3\n";
        let limits = "[limits]\nmax_plies = 4\n[time]\nper_move = \"60s\"\nstartup = \"60s\"\n";
        let played = self.play(&site, top, limits, &bots);
        if is_log_lost(&played) && tricks.iter().any(|trick| promise_of(trick) == LOG) {
            self.forged(&played, tricks);
        } else if self.is_played(&played, tricks) {
            self.verdicts.take_reports(&played, tricks);
            self.verdicts.take_effects(&site, &played);
        }
    }

    /// The log and its copy were forged, so this tournament cannot judge other tricks: repeat them
    /// without those against the log.
    fn forged(&mut self, played: &Played, tricks: &[String]) {
        self.none_is_left(played);
        let verdict = self.verdicts.of(LOG);
        let what = played.ran.stderr.trim().to_owned();
        verdict.attempts.push(what.clone());
        verdict.successes.push(what);
        let mut others = tricks.to_vec();
        others.retain(|trick| promise_of(trick) != LOG);
        self.reporting(&others);
    }

    /// Tricks against the time of `mcts`, which uses this much for a move. Something that succeeds
    /// only once was another program on the machine: it is repeated.
    fn timed(&mut self, tricks: &[String], time: &str) {
        if tricks.is_empty() {
            return;
        }
        let promise = promise_of(&tricks[0]);
        for _ in 0..TRIES {
            let site = Site::new(self.programs, self.user, Some(1));
            let played = self.play_timed(&site, tricks, time);
            if !self.is_played(&played, tricks) {
                return;
            }
            let mut verdict = Verdict::default();
            for trick in tricks {
                judge_time(&played, trick, &mut verdict);
                if promise == "freezing" {
                    judge_rests(&played, trick, &mut verdict);
                }
            }
            let done = verdict.is_quiet();
            *self.verdicts.of(promise) = verdict;
            if done {
                return;
            }
        }
    }

    fn play_timed(&mut self, site: &Site, tricks: &[String], time: &str) -> Played {
        let mcts = "[\"referee\", \"bot\", \"mcts\"]";
        let time = format!("time = {{ per_move = \"{time}\" }}");
        let mut bots = site.bot("mcts", mcts, "opponent", &time);
        if promise_of(&tricks[0]) == "cpu-share" {
            let honest = format!("['{}', 'plays']", self.programs.hostile().display());
            bots += &site.bot(HONEST, &honest, "attacker", "");
        }
        for trick in tricks {
            bots += &site.attacker(trick, "");
        }
        let plies = if self.short { 6 } else { 20 };
        let top = "format = \"gauntlet\"\nchallengers = [\"mcts\"]\nconcurrency = 1\n";
        let limits = format!(
            "[limits]\nmax_plies = {plies}\n[time]\nper_move = \"20s\"\nstartup = \"60s\"\n"
        );
        self.play(site, top, &limits, &bots)
    }

    /// Tricks against the clock of CPU time.
    fn clock(&mut self, tricks: &[String]) {
        if tricks.is_empty() {
            return;
        }
        let site = Site::new(self.programs, self.user, Some(1));
        let honest = format!("['{}', 'plays']", self.programs.hostile().display());
        let mut bots = site.bot("honest", &honest, "opponent", "");
        for trick in tricks {
            bots += &site.attacker(trick, "");
        }
        let top =
            "format = \"gauntlet\"\nchallengers = [\"honest\"]\nconcurrency = 1\nclock = \"cpu\"\n";
        let limits = "[limits]\nmax_plies = 2\n[time]\nper_move = \"60s\"\nstartup = \"60s\"\n";
        let played = self.play(&site, top, limits, &bots);
        if !self.is_played(&played, tricks) {
            return;
        }
        for trick in tricks {
            let verdict = self.verdicts.of(promise_of(trick));
            let mut any = false;
            for mv in moves_of(&played, trick) {
                let Some(used) = mv["info"]["used_us"].as_f64().filter(|used| *used > 0.0) else {
                    continue;
                };
                any = true;
                let used = used / 1000.0;
                let counted = mv["cpu_ms"].as_f64().unwrap_or_default();
                let text = format!("{trick}: {counted:.0} ms of {used:.0} ms were counted");
                if counted < COUNTED * used {
                    verdict.successes.push(text.clone());
                }
                verdict.attempts.push(text);
            }
            if !any {
                let faults = faults_of(&played, trick);
                verdict
                    .unknown
                    .push(format!("{trick}: no work; {faults:?}"));
            }
        }
    }

    fn play(&mut self, site: &Site, top: &str, limits: &str, bots: &str) -> Played {
        let configuration = format!(
            "name = \"redteam\"\nseed = 1\nsandbox = \"{}\"\n{top}\
             games = [{{ id = \"amazons\", options = {{ size = 5 }} }}]\n{limits}{}{bots}",
            self.tier.name(),
            Site::resources(self.tier),
        );
        let begun = Instant::now();
        let played = site.play(&configuration);
        self.findings.figure(format!(
            "{}, {}: {} matches in {:.1} s",
            self.tier.name(),
            self.user.name(),
            played.records.len(),
            begun.elapsed().as_secs_f64()
        ));
        played
    }

    fn place(&self) -> String {
        format!("{}, {}", self.tier.name(), self.user.name())
    }

    fn none_is_left(&mut self, played: &Played) {
        let (place, left) = (self.place(), &played.left);
        self.findings.wrong_unless(left.is_empty(), || {
            format!("{place}: processes are left: {left:?}")
        });
    }

    /// False if there is nothing to judge.
    fn is_played(&mut self, played: &Played, tricks: &[String]) -> bool {
        let place = self.place();
        self.none_is_left(played);
        match played.ran.code {
            Some(0) => return true,
            Some(2) => {
                let why = played.ran.stderr.trim();
                self.findings.figure(format!("{place}: refused: {why}"));
                for trick in tricks {
                    self.verdicts.of(promise_of(trick)).refused = Some(why.to_owned());
                }
            }
            code => {
                let stderr = played.ran.stderr.trim();
                let sentence = format!("{place}: the referee ended with {code:?}: {stderr}");
                self.findings.wrong.push(sentence);
            }
        }
        false
    }
}

/// True if the referee ended because log and copy had changed.
fn is_log_lost(played: &Played) -> bool {
    let said = "neither the log nor the referee's copy";
    played.ran.code == Some(4) && played.ran.stderr.contains(said)
}

/// True if `mcts` lost on time.
fn judge_time(played: &Played, trick: &str, verdict: &mut Verdict) {
    let lost = lost_on_time(played, trick);
    // A machine that is busy with something else is nobody's fault.
    let busy = lost_on_time(played, HONEST);
    let what = format!("{trick}: mcts lost {lost} matches on time, and {busy} without it");
    verdict.attempts.push(what.clone());
    match (lost, busy) {
        (0, _) if moves_of(played, trick).len() < 2 => {
            let faults = faults_of(played, trick);
            let few = format!("{trick}: too few moves; {faults:?}");
            verdict.unknown.push(few);
        }
        (0, _) => {}
        (_, 0) => verdict.successes.push(what),
        _ => verdict.unknown.push(what),
    }
}

/// True if a bot rested.
fn judge_rests(played: &Played, trick: &str, verdict: &mut Verdict) {
    let rates = rates(played, trick);
    let total: f64 = rates.iter().map(|(_, rate)| rate).sum();
    let ways = rates.iter();
    let ways = ways.map(|(way, rate)| format!("{way} {:.0} %", 100.0 * rate));
    let ways: Vec<String> = ways.collect();
    if ways.is_empty() {
        let faults = faults_of(played, trick);
        verdict
            .unknown
            .push(format!("{trick}: no rests; {faults:?}"));
        return;
    }
    let text = format!("{trick}: of a core in rests, {}", ways.join(", "));
    if total > AT_REST {
        verdict.successes.push(text.clone());
    }
    verdict.attempts.push(text);
}

/// Matches that the opponent lost on time.
fn lost_on_time(played: &Played, bot: &str) -> usize {
    let matches = played.records.iter().filter_map(|record| {
        let seat = super::judge::seat_of(record, bot)?;
        Some((seat, record["result"]["faults"].as_array()?))
    });
    let lost = matches.filter(|(seat, faults)| {
        let mut faults = faults.iter();
        faults.any(|fault| fault["seat"] != *seat && fault["code"] == "timeout")
    });
    lost.count()
}

/// CPU share of a bot in its rests, by way: 1 is one core all the time.
fn rates(played: &Played, trick: &str) -> Vec<(String, f64)> {
    let mut rests = 0.0;
    let mut used: Vec<(String, f64)> = Vec::new();
    for mv in moves_of(played, trick) {
        let Some(rest) = mv["info"]["rest_us"].as_f64() else {
            continue;
        };
        rests += rest;
        for (way, time) in mv["info"].as_object().into_iter().flatten() {
            let time = time.as_f64().unwrap_or_default();
            match used.iter_mut().find(|(known, _)| known == way) {
                Some((_, sum)) => *sum += time,
                None if way != "rest_us" => used.push((way.clone(), time)),
                None => {}
            }
        }
    }
    for (_, time) in &mut used {
        *time /= f64::max(rests, 1.0);
    }
    used
}
