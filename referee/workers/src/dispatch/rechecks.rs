//! Groups that are played again by another worker, to compare: if all bots of a group always play alike,
//! both have to bring the same matches. A worker that makes results up, or a bot that does depend on the
//! machine, is found like this. The first result counts; the second one only says something about it.

use std::collections::BTreeMap;
use std::time::Duration;

use games::Rng;
use protocol::{Record, excerpt};
use schedule::ScheduledGroup;

/// What is added to the number of a group's job for that of its second one. No match has this number.
const SECOND: u64 = 1 << 40;
/// At most this many groups are being played again at a time.
const MOST: usize = 32;
/// For how long the end of a tournament waits for second results of which nothing is heard.
const UNHEARD: Duration = Duration::from_secs(5);
/// For how long it waits at most.
const LONGEST: Duration = Duration::from_secs(60);
/// How many characters of a move are shown.
const SHOWN: usize = 40;

/// What is played again.
pub(super) struct Rechecks {
    /// The share of groups, from 0 to 1.
    share: f64,
    /// Whether a bot always plays alike, in the order of the configuration.
    deterministic: Vec<bool>,
    /// Decides which ones: no worker can know it before.
    secret: [u64; 2],
    open: BTreeMap<u64, Recheck>,
    /// When something was last heard of any of them, in time since the coordinator began.
    heard: Duration,
    /// Since when nothing else is left to be played.
    last: Option<Duration>,
}

/// A group that is played again.
pub(super) struct Recheck {
    pub(super) group: ScheduledGroup,
    /// The worker that has played it.
    pub(super) worker: String,
    records: Vec<Record>,
    has_begun: bool,
    /// Whether its second result is being examined.
    has_result: bool,
}

impl Rechecks {
    pub(super) fn new(share: f64, deterministic: Vec<bool>, secret: [u64; 2]) -> Self {
        Rechecks {
            share,
            deterministic,
            secret,
            open: BTreeMap::new(),
            heard: Duration::ZERO,
            last: None,
        }
    }

    /// Whether a job is the second one of a group.
    pub(super) fn is_second(job: u64) -> bool {
        job >= SECOND
    }

    /// Whether this group should be played again.
    pub(super) fn wants(&self, group: &ScheduledGroup) -> bool {
        let mut seats = group.matches.iter().flat_map(|scheduled| &scheduled.seats);
        if self.open.len() >= MOST || !seats.all(|&bot| self.deterministic[bot]) {
            return false;
        }
        let [one, two] = self.secret;
        self.share > 0.0 && Rng::from_parts(&[one, two, group.number as u64]).unit() < self.share
    }

    /// A group that this worker has played is played again; gives the number of the job.
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
        self.heard = now;
        job
    }

    pub(super) fn get(&self, job: u64) -> Option<&Recheck> {
        self.open.get(&job)
    }

    /// The jobs whose results are not here.
    pub(super) fn without_result(&self) -> impl Iterator<Item = u64> {
        let open = self.open.iter().filter(|(_, recheck)| !recheck.has_result);
        open.map(|(job, _)| *job)
    }

    /// Whether a job is open and has no result.
    pub(super) fn awaits_result(&self, job: u64) -> bool {
        self.open
            .get(&job)
            .is_some_and(|recheck| !recheck.has_result)
    }

    /// A worker begins with a job.
    pub(super) fn begins(&mut self, now: Duration, job: u64) {
        if let Some(recheck) = self.open.get_mut(&job) {
            recheck.has_begun = true;
            self.heard = now;
        }
    }

    /// A result is here; false if none is expected, or one is being examined.
    pub(super) fn note_result(&mut self, job: u64) -> bool {
        let recheck = self.open.get_mut(&job);
        recheck.is_some_and(|recheck| !std::mem::replace(&mut recheck.has_result, true))
    }

    /// There is nothing more to be found out about a group.
    pub(super) fn remove(&mut self, now: Duration, job: u64) -> Option<Recheck> {
        self.heard = now;
        self.open.remove(&job)
    }

    /// Nothing else is left to be played. From then on second results are waited for, but not long.
    pub(super) fn are_last(&mut self, now: Duration) {
        self.last.get_or_insert(now);
    }

    /// Whether nothing else is left to be played, and no second result is worth waiting for.
    pub(super) fn are_over(&self, now: Duration) -> bool {
        let Some(since) = self.last else { return false };
        let is_heard = || now.saturating_sub(self.heard) < UNHEARD;
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
