//! `mcts` at 100 ms against `greedy` beside a CPU hog and, as a control, without.

use clap::Args;
use serde_json::Value;

use super::judge::seat_of;
use super::options::{Tier, User};
use super::site::{Programs, Site};
use crate::campaign::Findings;

#[derive(Debug, Args)]
pub struct DuelOptions {
    /// At least this many matches of each bot
    #[arg(long, default_value_t = 40)]
    pub matches: u32,
    /// The sandbox of the bots
    #[arg(long, default_value = "strict")]
    pub tier: Tier,
    /// Only with the referee run by this user
    #[arg(long)]
    pub user: Option<User>,
}

/// The bots: names and tricks.
const BOTS: [(&str, &str); 3] = [
    ("burner-15", "cpu-share.15"),
    ("burner-40", "cpu-share.40"),
    ("walker", "freezing"),
];
/// Scores that differ by more standard errors than this differ.
const ERRORS: f64 = 3.0;

pub fn run(options: &DuelOptions) -> Findings {
    let programs = Programs::copy();
    let mut findings = Findings::default();
    for user in User::possible() {
        if options.user.is_none_or(|only| only == user) {
            play(
                &programs,
                options.tier,
                user,
                options.matches,
                &mut findings,
            );
        }
    }
    findings
}

fn play(programs: &Programs, tier: Tier, user: User, matches: u32, findings: &mut Findings) {
    let site = Site::new(programs, user, None);
    let mcts = "[\"referee\", \"bot\", \"mcts\"]";
    let mut bots = site.bot("mcts", mcts, "opponent", "time = { per_move = \"100ms\" }");
    // It plays as well on a busy machine as on any, and sometimes beats a busy `mcts`.
    let greedy = format!("'{}', 'bot', 'greedy'", programs.referee().display());
    bots += &site.bot("control", &format!("[{greedy}]"), "attacker", "");
    for (name, trick) in BOTS {
        let hostile = programs.hostile();
        let command = format!(
            "['{}', 'redteam-beside', '{trick}', {greedy}]",
            hostile.display()
        );
        bots += &site.bot(name, &command, "attacker", "");
    }
    let configuration = format!(
        "name = \"duels\"\nseed = 1\nsandbox = \"{}\"\nformat = \"gauntlet\"\n\
         challengers = [\"mcts\"]\nrounds = {}\nconcurrency = 1\nrestart = \"each-match\"\n\
         games = [{{ id = \"amazons\", options = {{ size = 5 }} }}]\n\
         [time]\nper_move = \"20s\"\nstartup = \"60s\"\n[opening]\nrandom_plies = 2\n{}{bots}",
        tier.name(),
        matches.div_ceil(2),
        Site::resources(tier),
    );
    let played = site.play(&configuration);
    let place = format!("{}, {}", tier.name(), user.name());
    let (code, stderr) = (played.ran.code, played.ran.stderr.trim());
    if code != Some(0) {
        findings.wrong.push(format!(
            "{place}: the referee ended with {code:?}: {stderr}"
        ));
        return;
    }
    let control = Score::of(&played.records, "control");
    findings.figure(format!("{place}: control: {control}"));
    for (name, _) in BOTS {
        let score = Score::of(&played.records, name);
        findings.figure(format!("{place}: {name}: {score}"));
        findings.wrong_unless(score.forfeits == 0, || {
            format!("{place}: {name}: mcts forfeits {} matches", score.forfeits)
        });
        findings.wrong_unless(score.matches >= matches, || {
            format!("{place}: {name}: {} matches, not {matches}", score.matches)
        });
        findings.wrong_unless(score.is_near(&control), || {
            format!("{place}: {name}: mcts scores {score}, and {control} without it")
        });
    }
    findings.wrong_unless(control.forfeits == 0, || {
        format!(
            "{place}: mcts forfeits {} matches of the control",
            control.forfeits
        )
    });
    let left = played.left;
    findings.wrong_unless(left.is_empty(), || {
        format!("{place}: processes are left: {left:?}")
    });
}

/// Results of `mcts` against one bot.
#[derive(Debug, Default)]
struct Score {
    matches: u32,
    points: f64,
    squares: f64,
    forfeits: u32,
    other_forfeits: u32,
    /// Milliseconds that `mcts` took for its moves.
    slowest: f64,
    late: u32,
    moves: u32,
    nodes: f64,
}

impl Score {
    fn of(records: &[Value], bot: &str) -> Self {
        let mut score = Score::default();
        for record in records {
            let Some(seat) = seat_of(record, bot) else {
                continue;
            };
            let mcts = 1 - seat;
            let points = record["result"]["outcome"][mcts]
                .as_f64()
                .unwrap_or_default();
            score.matches += 1;
            score.points += points;
            score.squares += points * points;
            for fault in record["result"]["faults"].as_array().into_iter().flatten() {
                if fault["seat"] == mcts {
                    score.forfeits += 1
                } else {
                    score.other_forfeits += 1
                }
            }
            let moves = record["moves"].as_array().into_iter().flatten();
            for mv in moves.filter(|mv| mv["seat"] == mcts) {
                let ms = mv["ms"].as_f64().unwrap_or_default();
                score.slowest = score.slowest.max(ms);
                score.late += u32::from(ms > 100.0);
                if let Some(nodes) = mv["info"]["nodes"].as_f64() {
                    score.nodes += nodes;
                    score.moves += 1;
                }
            }
        }
        score
    }

    fn mean(&self) -> f64 {
        self.points / f64::from(self.matches.max(1))
    }

    /// The square of the standard error of the mean, and never quite nothing.
    fn variance(&self) -> f64 {
        let matches = f64::from(self.matches.max(1));
        let spread = self.squares / matches - self.mean() * self.mean();
        (spread.max(0.0) + 1.0 / matches) / matches
    }

    fn is_near(&self, other: &Score) -> bool {
        let error = (self.variance() + other.variance()).sqrt();
        (self.mean() - other.mean()).abs() <= ERRORS * error
    }
}

impl std::fmt::Display for Score {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} of {} points, {} forfeits of mcts ({} of the other), {} of its moves over 100 ms, \
             at most {:.0} ms, {:.0} nodes a move",
            self.points,
            self.matches,
            self.forfeits,
            self.other_forfeits,
            self.late,
            self.slowest,
            self.nodes / f64::from(self.moves.max(1)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(points: u32, matches: u32) -> Score {
        Score {
            matches,
            points: points.into(),
            squares: points.into(),
            ..Score::default()
        }
    }

    #[test]
    fn scores_are_near_within_noise() {
        assert!(score(40, 40).is_near(&score(40, 40)));
        assert!(score(36, 40).is_near(&score(40, 40)));
        assert!(score(20, 40).is_near(&score(26, 40)));
        assert!(!score(20, 40).is_near(&score(40, 40)));
        assert!(!score(2, 40).is_near(&score(20, 40)));
    }
}
