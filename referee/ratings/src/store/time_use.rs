//! The bots' use of time, and doubts about losses on time.

use std::time::Duration;

use arbiter::clock::{Clock, Overrun, Used};
use serde::Serialize;

use super::machine_load::{MachineLoad, is_busy};
use crate::matches::{FaultSummary, MatchSummary, Ply};

/// The upper ends, in ms, of the classes of [`TimeUse::overshoot`]; the last class has none.
pub const OVERSHOOT_MS: [u64; 8] = [1, 2, 5, 10, 20, 50, 100, 200];
/// The upper ends of the classes of [`TimeUse::shares`]; in the last one are moves beyond their
/// limit that the margin forgave.
pub const SHARES: [f64; 6] = [0.1, 0.25, 0.5, 0.75, 0.9, 1.0];
/// A time-out is narrow if the answer came within this after the limit, or within a tenth of the limit.
const NEAR: Duration = Duration::from_millis(50);
/// From this share on, a move has used up its time.
const FULL: f64 = 0.9;
/// A bot that never used more than this share of its limit, yet lost on time, did so suddenly.
const LITTLE: f64 = 0.5;
/// Overshoots up to the end of this class of [`OVERSHOOT_MS`] (5 ms) are normal.
const EVERYDAY: usize = 2;
/// A bot with at least this share of its limit as CPU time was not slowed down.
const SERVED: f64 = 0.8;
/// From this share on, narrow time-outs are suspect.
const MANY: f64 = 0.2;

/// The use of time of one bot, over all its own plies.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TimeUse {
    pub plies: u64,
    /// Their time, in µs.
    pub micros: u64,
    /// Plies with a known CPU time.
    pub cpu_plies: u64,
    /// Their CPU time, in µs.
    pub cpu_micros: u64,
    /// Plies with a limit.
    pub limited: u64,
    /// The sum of the shares of their limits that they used.
    pub share_sum: f64,
    /// The largest share; above 1 if within the margin.
    pub worst_share: f64,
    /// Plies that used nine tenths of their limit or more.
    pub full: u64,
    /// Plies by the share of the limit that they used: see [`SHARES`].
    pub shares: [u64; SHARES.len() + 1],
    /// Plies answered beyond the limit but within the margin.
    pub forgiven: u64,
    /// Answers beyond the limit, within the margin or not, by overshoot: see [`OVERSHOOT_MS`].
    pub overshoot: [u64; OVERSHOOT_MS.len() + 1],
    pub timeouts: u64,
    /// Those with an answer by the time they were called; the referee does not wait for others.
    pub answered_late: u64,
    /// Those of them that were narrow.
    pub near: u64,
    /// Losses on time on a busy machine, by a bot with less CPU time than its limit.
    pub deprived: u64,
    pub depth: Reported,
    pub nodes: Reported,
}

/// A figure that bots may report with their moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Reported {
    pub count: u64,
    pub sum: f64,
}

impl Reported {
    fn add(&mut self, value: Option<f64>) {
        if let Some(value) = value {
            self.count += 1;
            self.sum += value;
        }
    }

    fn merge(&mut self, other: Reported) {
        self.count += other.count;
        self.sum += other.sum;
    }

    /// The mean; `None` if it was never reported.
    pub fn mean(&self) -> Option<f64> {
        mean(self.sum, self.count)
    }
}

/// In 64 bits, which hold any time of a match.
fn micros(time: Duration) -> u64 {
    time.as_secs()
        .saturating_mul(1_000_000)
        .saturating_add(time.subsec_micros().into())
}

fn mean(sum: f64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum / count as f64)
}

impl TimeUse {
    /// The mean time of a move in ms.
    pub fn mean_ms(&self) -> Option<f64> {
        mean(self.micros as f64 / 1e3, self.plies)
    }

    /// The mean CPU time of a move in ms, where known.
    pub fn mean_cpu_ms(&self) -> Option<f64> {
        mean(self.cpu_micros as f64 / 1e3, self.cpu_plies)
    }

    /// The mean share of the limit that a move used.
    pub fn mean_share(&self) -> Option<f64> {
        mean(self.share_sum, self.limited)
    }

    pub(crate) fn merge(&mut self, other: &TimeUse) {
        self.plies += other.plies;
        self.micros += other.micros;
        self.cpu_plies += other.cpu_plies;
        self.cpu_micros += other.cpu_micros;
        self.limited += other.limited;
        self.share_sum += other.share_sum;
        self.worst_share = self.worst_share.max(other.worst_share);
        self.full += other.full;
        let classes = self.shares.iter_mut().zip(other.shares);
        classes.for_each(|(mine, others)| *mine += others);
        self.forgiven += other.forgiven;
        let classes = self.overshoot.iter_mut().zip(other.overshoot);
        classes.for_each(|(mine, others)| *mine += others);
        self.timeouts += other.timeouts;
        self.answered_late += other.answered_late;
        self.near += other.near;
        self.deprived += other.deprived;
        self.depth.merge(other.depth);
        self.nodes.merge(other.nodes);
    }

    /// Adds a ply that used this much of its limit.
    fn ply(&mut self, ply: &Ply, used: Duration, limit: Option<Duration>) {
        self.plies += 1;
        self.micros += micros(ply.ms.0);
        if let Some(cpu) = ply.cpu_ms {
            self.cpu_plies += 1;
            self.cpu_micros += micros(cpu.0);
        }
        self.depth.add(ply.info.depth);
        self.nodes.add(ply.info.nodes);
        let Some(limit) = limit else {
            return;
        };

        // With an expired game clock, the share is undefined.
        if limit > Duration::ZERO {
            let share = micros(used) as f64 / micros(limit).max(1) as f64;
            self.limited += 1;
            self.share_sum += share;
            self.worst_share = self.worst_share.max(share);
            self.full += u64::from(share >= FULL);
            let class = SHARES.iter().position(|end| share <= *end);
            self.shares[class.unwrap_or(SHARES.len())] += 1;
        }
        self.forgiven += u64::from(used > limit);
        self.over(used, limit);
    }

    fn over(&mut self, used: Duration, limit: Duration) {
        if used > limit {
            let beyond = used - limit;
            let class = OVERSHOOT_MS
                .iter()
                .position(|end| beyond <= Duration::from_millis(*end));
            self.overshoot[class.unwrap_or(OVERSHOOT_MS.len())] += 1;
        }
    }

    /// Adds a loss on time by this clock.
    fn timeout(&mut self, fault: &FaultSummary, clock: &Clock, busy: bool) {
        self.timeouts += 1;
        let (cpu, answered) = (fault.cpu_ms.map(|cpu| cpu.0), fault.answered);
        let used = fault
            .ms
            .filter(|_| answered)
            .map(|wall| Used { wall: wall.0, cpu });
        if let Some(Overrun { used, allowed, .. }) = used.and_then(|used| clock.overrun(used)) {
            self.answered_late += 1;
            let beyond = used.saturating_sub(allowed);
            self.near += u64::from(beyond <= NEAR.max(allowed / 10));
            self.over(used, allowed);
        }
        // Without a known CPU time, the bot may have been slowed down.
        let enough = clock.limit().map(|limit| limit.mul_f64(SERVED));
        let served = cpu.zip(enough).is_some_and(|(cpu, enough)| cpu >= enough);
        self.deprived += u64::from(busy && !served);
    }
}

/// Adds the use of time in a match; `bots` has its bots in seat order.
pub(crate) fn account(played: &MatchSummary, bots: &[usize], uses: &mut [TimeUse]) {
    let mut clocks: Vec<Clock> = played
        .players
        .iter()
        .map(|player| Clock::new(player.time.as_ref().unwrap_or(&played.time).clone()))
        .collect();
    let own = played.moves.list.iter().skip(played.opening as usize);
    for ply in own.filter(|ply| !ply.forced) {
        // Chance has no clock.
        let Some(seat) = ply.seat.map(usize::from) else {
            continue;
        };
        let (Some(clock), Some(&bot)) = (clocks.get_mut(seat), bots.get(seat)) else {
            continue;
        };
        let used = Used {
            wall: ply.ms.0,
            cpu: ply.cpu_ms.map(|cpu| cpu.0),
        };
        uses[bot].ply(ply, clock.cost(used), clock.limit());
        clock.charge(used);
    }
    let busy = played.load.as_ref().is_some_and(is_busy);
    for fault in &played.result.faults {
        let timeout = fault.code == protocol::FaultCode::Timeout;
        if let (true, Some(&bot)) = (timeout, bots.get(fault.seat)) {
            uses[bot].timeout(fault, &clocks[fault.seat], busy);
        }
    }
}

/// Evidence that losses on time are caused by the machine, not by the bots.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Noise {
    /// Losses on time, of all bots.
    pub timeouts: u64,
    /// Those with an answer by the time they were called; the referee does not wait for others.
    pub answered_late: u64,
    /// Those of them within 50 ms, or a tenth of the limit, after the limit.
    pub near: u64,
    /// Losses on time on a busy machine, by bots with less CPU time than their limits.
    pub deprived: u64,
    /// Plies with a limit, by the share of it that they used: see [`SHARES`].
    pub shares: [u64; SHARES.len() + 1],
    /// Plies answered beyond the limit but within the margin.
    pub forgiven: u64,
    /// Answers beyond the limit, within the margin or not, by overshoot: see [`OVERSHOOT_MS`].
    pub overshoot: [u64; OVERSHOOT_MS.len() + 1],
    /// The load of the machine.
    pub machine: MachineLoad,
    /// The reasons to suspect losses on time.
    pub suspicions: Vec<Suspicion>,
}

/// A reason to suspect losses on time.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Suspicion {
    /// Many time-outs were narrow: on a slightly quieter machine they would have been moves.
    Narrow {
        near: u64,
        /// Those with a known overshoot.
        of: u64,
    },
    /// A bot lost on time although its slowest move took at most half of its limit: it was stopped rather than
    /// slow.
    Sudden {
        bot: String,
        timeouts: u64,
        /// The largest share of its limit that any of its moves used.
        worst_share: f64,
    },
    /// Losses on time on a busy machine, by bots with less CPU time than their limits.
    Busy { timeouts: u64 },
    /// Losses on time, and several bots with overshoots above 5 ms: a common cause is the machine.
    Common { bots: usize, moves: u64 },
}

impl Noise {
    /// Sums up the bots' use of time.
    pub fn new<'a>(
        uses: impl IntoIterator<Item = (&'a str, &'a TimeUse)>,
        machine: MachineLoad,
    ) -> Self {
        let mut noise = Noise {
            machine,
            ..Noise::default()
        };
        let (mut overshooting, mut moves) = (0, 0);
        for (name, usage) in uses {
            noise.timeouts += usage.timeouts;
            noise.answered_late += usage.answered_late;
            noise.near += usage.near;
            noise.deprived += usage.deprived;
            noise.forgiven += usage.forgiven;
            add(&mut noise.shares, &usage.shares);
            add(&mut noise.overshoot, &usage.overshoot);
            let late: u64 = usage.overshoot[EVERYDAY + 1..].iter().sum();
            overshooting += usize::from(late > 0);
            moves += late;
            if usage.timeouts > 0 && usage.limited > 0 && usage.worst_share <= LITTLE {
                noise.suspicions.push(Suspicion::Sudden {
                    bot: name.to_owned(),
                    timeouts: usage.timeouts,
                    worst_share: usage.worst_share,
                });
            }
        }
        if noise.near > 0 && noise.near as f64 >= MANY * noise.answered_late as f64 {
            noise.suspicions.push(Suspicion::Narrow {
                near: noise.near,
                of: noise.answered_late,
            });
        }
        if noise.deprived > 0 {
            let timeouts = noise.deprived;
            noise.suspicions.push(Suspicion::Busy { timeouts });
        }
        if noise.timeouts > 0 && overshooting > 1 {
            noise.suspicions.push(Suspicion::Common {
                bots: overshooting,
                moves,
            });
        }
        noise
    }

    /// True if losses on time are suspect.
    pub fn suspect(&self) -> bool {
        !self.suspicions.is_empty()
    }
}

fn add(sums: &mut [u64], counts: &[u64]) {
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn played(time: Value, moves: Value, faults: Value) -> MatchSummary {
        let text = json!({
            "format": 1, "match": "m-1", "game": "siam", "options": {}, "seed": 7, "start": {},
            "players": [{"name": "a", "role": "x"}, {"name": "b", "role": "y"}],
            "time": time, "opening": 1, "moves": moves,
            "result": {"scores": [0, 0], "outcome": [1.0, 0.0], "faults": faults}
        });
        serde_json::from_value(text).expect("a match")
    }

    fn uses(matches: &[MatchSummary]) -> Vec<TimeUse> {
        let mut uses = vec![TimeUse::default(); 2];
        for played in matches {
            account(played, &[0, 1], &mut uses);
        }
        uses
    }

    fn per_move(ms: u64) -> Value {
        json!({"per_move_ms": ms, "startup_ms": 1, "margin_ms": 20})
    }

    #[test]
    fn shares_are_of_the_limit_that_applied() {
        let moves = json!([
            {"seat": 0, "move": "opening", "ms": 0},
            {"seat": 1, "move": "a", "ms": 50, "info": {"depth": 4, "nodes": 100}},
            {"seat": 0, "move": "b", "ms": 95, "cpu_ms": 40},
            {"seat": 1, "move": "c", "ms": 103, "info": {"nodes": 300}},
            {"seat": 0, "move": "d", "forced": true}
        ]);
        let uses = uses(&[played(per_move(100), moves, json!([]))]);
        assert_eq!((uses[0].plies, uses[1].plies), (1, 2));
        assert!((uses[1].mean_share().unwrap() - 0.765).abs() < 1e-12);
        assert_eq!(uses[1].worst_share, 1.03);
        assert_eq!((uses[0].full, uses[1].full), (1, 1));
        assert_eq!(uses[0].shares, [0, 0, 0, 0, 0, 1, 0]);
        assert_eq!(uses[1].shares, [0, 0, 1, 0, 0, 0, 1]);
        assert_eq!((uses[0].forgiven, uses[1].forgiven), (0, 1));
        assert_eq!(uses[1].overshoot, [0, 0, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(uses[1].mean_ms(), Some(76.5));
        assert_eq!(
            (uses[0].mean_cpu_ms(), uses[1].mean_cpu_ms()),
            (Some(40.0), None)
        );
        assert_eq!(
            (uses[1].depth.mean(), uses[1].nodes.mean()),
            (Some(4.0), Some(200.0))
        );
        assert_eq!(uses[0].depth.mean(), None);
    }

    #[test]
    fn game_clocks_run_down() {
        let time = json!({"base_ms": 100, "increment_ms": 10, "startup_ms": 1, "margin_ms": 5});
        let moves = json!([
            {"seat": 0, "move": "opening", "ms": 0},
            {"seat": 1, "move": "a", "ms": 60},
            {"seat": 1, "move": "b", "ms": 25}
        ]);
        let uses = uses(&[played(time, moves, json!([]))]);
        // 60 of 100, then 25 of 100 - 60 + 10.
        assert!((uses[1].share_sum - 1.1).abs() < 1e-12);
    }

    /// A loss on time, with an answer that came so late, or none.
    fn timeout(ms: Option<u64>) -> Value {
        match ms {
            Some(ms) => json!([{"seat": 1, "code": "timeout", "ms": ms, "answered": true}]),
            None => json!([{"seat": 1, "code": "timeout", "ms": 1020}]),
        }
    }

    fn quiet(ms: u64) -> Value {
        json!([{"seat": 0, "move": "o", "ms": 0}, {"seat": 1, "move": "a", "ms": ms}])
    }

    fn noise(matches: &[MatchSummary]) -> Noise {
        let uses = uses(matches);
        let mut machine = MachineLoad::default();
        for load in matches.iter().filter_map(|played| played.load.as_ref()) {
            machine.add(load);
        }
        Noise::new([("a", &uses[0]), ("b", &uses[1])], machine)
    }

    #[test]
    fn narrow_misses_are_suspect() {
        let near = noise(&[played(per_move(1000), quiet(900), timeout(Some(1090)))]);
        assert_eq!((near.timeouts, near.answered_late, near.near), (1, 1, 1));
        assert_eq!(near.overshoot, [0, 0, 0, 0, 0, 0, 1, 0, 0]);
        assert_eq!(near.suspicions, [Suspicion::Narrow { near: 1, of: 1 }]);
        let far = noise(&[played(per_move(1000), quiet(900), timeout(Some(1900)))]);
        assert!(!far.suspect() && far.answered_late == 1);
        let unknown = noise(&[played(per_move(1000), quiet(900), timeout(None))]);
        assert!(!unknown.suspect() && unknown.timeouts == 1);
    }

    #[test]
    fn sudden_losses_are_suspect() {
        let sudden = noise(&[played(per_move(1000), quiet(80), timeout(None))]);
        let expected = Suspicion::Sudden {
            bot: "b".to_owned(),
            timeouts: 1,
            worst_share: 0.08,
        };
        assert_eq!(sudden.suspicions, [expected]);
        assert!(!noise(&[played(per_move(1000), quiet(80), json!([]))]).suspect());
    }

    /// A loss on time after so much processor time, on a machine that was so busy.
    fn called(time: Value, cpu: Option<u64>, waiting: f64) -> Noise {
        let fault = json!([{"seat": 1, "code": "timeout", "ms": 1020, "cpu_ms": cpu}]);
        let mut played = played(time, quiet(900), fault);
        played.load = Some(protocol::Load {
            waiting: Some(waiting),
            stolen: Some(0.0),
        });
        noise(&[played])
    }

    #[test]
    fn losses_on_a_busy_machine_are_suspect_unless_the_bot_had_its_time() {
        let busy = called(per_move(1000), Some(300), 0.9);
        assert_eq!((busy.deprived, busy.machine.busy), (1, 1));
        assert_eq!(busy.suspicions, [Suspicion::Busy { timeouts: 1 }]);
        assert!(called(per_move(1000), None, 0.9).suspect(), "unknown");
        assert!(!called(per_move(1000), Some(950), 0.9).suspect());
        let quiet = called(per_move(1000), Some(300), 0.1);
        assert!(!quiet.suspect() && quiet.machine.waiting.worst == 0.1);
    }

    #[test]
    fn late_answers_are_measured_by_what_the_limit_is_of() {
        let mut time = per_move(1000);
        time["clock"] = json!("cpu");
        let fault = json!([{
            "seat": 1, "code": "timeout", "ms": 3000, "cpu_ms": 1025, "answered": true
        }]);
        let noise = noise(&[played(time, quiet(900), fault)]);
        assert_eq!((noise.answered_late, noise.near), (1, 1));
        assert_eq!(noise.overshoot, [0, 0, 0, 0, 0, 1, 0, 0, 0]);
    }

    #[test]
    fn what_several_bots_suffer_is_the_machine() {
        let both = json!([
            {"seat": 0, "move": "o", "ms": 0},
            {"seat": 0, "move": "a", "ms": 1012},
            {"seat": 1, "move": "b", "ms": 1006}
        ]);
        let calm = noise(&[played(per_move(1000), both.clone(), json!([]))]);
        assert!(!calm.suspect(), "nobody lost by it");
        let loud = noise(&[played(per_move(1000), both, timeout(None))]);
        assert_eq!(loud.suspicions, [Suspicion::Common { bots: 2, moves: 2 }]);
    }
}
