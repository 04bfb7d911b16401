//! Rechecks, against workers that lie: another worker plays a group again, to compare. If all bots of a group always play alike, both
//! results must have the same matches. This finds workers that invent results and bots that depend on the
//! machine. The first result counts; the second one is only evidence.

use std::collections::BTreeMap;
use std::time::Duration;

use games::Rng;
use protocol::{Record, excerpt};
use schedule::ScheduledGroup;

/// The offset of a recheck's job number. No match has such a number.
const SECOND: u64 = 1 << 40;
/// The most rechecks at a time.
const MOST: usize = 32;
/// The end of a tournament waits this long for rechecks without news.
const SILENCE_LIMIT: Duration = Duration::from_secs(5);
/// The end of a tournament waits this long at most.
const LONGEST: Duration = Duration::from_secs(60);
/// Characters shown of a move.
const SHOWN: usize = 40;

/// All rechecks.
pub(super) struct Rechecks {
    /// The share of groups that are rechecked, from 0 to 1.
    share: f64,
    /// By bot, in the order of the configuration: true if it always plays alike.
    deterministic: Vec<bool>,
    /// Selects the groups, so that no worker can predict it.
    secret: [u64; 2],
    open: BTreeMap<u64, Recheck>,
    /// The time of the last news about any of them.
    last_news: Duration,
    /// Since when rechecks are all that is left.
    last: Option<Duration>,
}

/// A recheck of a group.
pub(super) struct Recheck {
    pub(super) group: ScheduledGroup,
    /// The worker of the first result.
    pub(super) worker: String,
    records: Vec<Record>,
    has_begun: bool,
    /// True while the second result is being examined.
    has_result: bool,
}

impl Rechecks {
    pub(super) fn new(share: f64, deterministic: Vec<bool>, secret: [u64; 2]) -> Self {
        Rechecks {
            share,
            deterministic,
            secret,
            open: BTreeMap::new(),
            last_news: Duration::ZERO,
            last: None,
        }
    }

    /// True for the job of a recheck.
    pub(super) fn is_second(job: u64) -> bool {
        job >= SECOND
    }

    /// True if this group should be rechecked.
    pub(super) fn wants(&self, group: &ScheduledGroup) -> bool {
        let mut seats = group.matches.iter().flat_map(|scheduled| &scheduled.seats);
        if self.open.len() >= MOST || !seats.all(|&bot| self.deterministic[bot]) {
            return false;
        }
        let [one, two] = self.secret;
        self.share > 0.0 && Rng::from_parts(&[one, two, group.number as u64]).unit() < self.share
    }

    /// Rechecks a group that this worker has played. Returns the new job.
    pub(super) fn add(
        &mut self,
        now: Duration,
        group: ScheduledGroup,
        worker: String,
        records: Vec<Record>,
    ) -> u64 {
        let job = group.number as u64 + SECOND;
        let recheck = Recheck {
            group,
            worker,
            records,
            has_begun: false,
            has_result: false,
        };
        self.open.insert(job, recheck);
        self.last_news = now;
        job
    }

    pub(super) fn get(&self, job: u64) -> Option<&Recheck> {
        self.open.get(&job)
    }

    /// The jobs without a result.
    pub(super) fn without_result(&self) -> impl Iterator<Item = u64> {
        let open = self.open.iter().filter(|(_, recheck)| !recheck.has_result);
        open.map(|(job, _)| *job)
    }

    /// True if a job is open and has no result.
    pub(super) fn awaits_result(&self, job: u64) -> bool {
        self.open
            .get(&job)
            .is_some_and(|recheck| !recheck.has_result)
    }

    /// Notes that a worker begins a job.
    pub(super) fn begins(&mut self, now: Duration, job: u64) {
        if let Some(recheck) = self.open.get_mut(&job) {
            recheck.has_begun = true;
            self.last_news = now;
        }
    }

    /// Notes a result; false if none is expected, or one is being examined.
    pub(super) fn note_result(&mut self, job: u64) -> bool {
        let recheck = self.open.get_mut(&job);
        recheck.is_some_and(|recheck| !std::mem::replace(&mut recheck.has_result, true))
    }

    /// Ends a recheck.
    pub(super) fn remove(&mut self, now: Duration, job: u64) -> Option<Recheck> {
        self.last_news = now;
        self.open.remove(&job)
    }

    /// Nothing else is left to be played: wait for rechecks, but not long.
    pub(super) fn are_last(&mut self, now: Duration) {
        self.last.get_or_insert(now);
    }

    /// Whether nothing else is left to be played, and no second result is worth waiting for.
    pub(super) fn are_over(&self, now: Duration) -> bool {
        let Some(since) = self.last else { return false };
        let is_heard = || now.saturating_sub(self.last_news) < SILENCE_LIMIT;
        let any_begun = || self.open.values().any(|recheck| recheck.has_begun);
        self.open.is_empty() || now.saturating_sub(since) >= LONGEST || !(any_begun() || is_heard())
    }

    /// Whether only second results are waited for.
    pub(super) fn is_last(&self) -> bool {
        self.last.is_some()
    }
}

impl Recheck {
    /// What differs between the matches of the two results, in words; `None` if nothing does that the bots
    /// decide.
    pub(super) fn difference(&self, worker: &str, records: &[Record]) -> Option<String> {
        let mut pairs = self.records.iter().zip(records);
        let (first, second, what) =
            pairs.find_map(|(first, second)| Some((first, second, difference(first, second)?)))?;
        Some(format!(
            "the match `{}` was played by {} and again by {}, and they differ: {what}; the first one \
             counts. Either a bot does not always play alike, or one of the two is wrong",
            first.match_id,
            machine(&self.worker, first),
            machine(worker, second),
        ))
    }
}

/// A worker, and the machine that it says it is.
fn machine(worker: &str, record: &Record) -> String {
    match &record.machine {
        Some(machine) if machine.name != worker => {
            let name = excerpt(machine.name.as_bytes(), SHOWN);
            format!("the worker `{worker}` on `{name}`")
        }
        _ => format!("the worker `{worker}`"),
    }
}

fn difference(first: &Record, second: &Record) -> Option<String> {
    let moves = first.moves.iter().zip(&second.moves);
    let other = moves
        .enumerate()
        .find(|(_, (one, two))| one.seat != two.seat || *one.mv != *two.mv);
    if let Some((ply, (one, two))) = other {
        let [one, two] = [one, two].map(|played| excerpt(played.mv.as_bytes(), SHOWN));
        return Some(format!("at ply {ply} `{one}` and `{two}`"));
    }
    let [one, two] = [first, second].map(|record| record.moves.len());
    if one != two {
        return Some(format!("{one} and {two} plies"));
    }
    (first.result.outcome != second.result.outcome)
        .then(|| "the same moves, another end".to_owned())
}
