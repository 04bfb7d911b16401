//! JetStream as far as tournaments rely on it: a work queue with leases, and streams that take one message a
//! subject. What tests have seen of servers 2.9 to 2.11 is the law here.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;

use cluster::{MOST_LEASED, MOST_WAITING};

use super::parts::Sent;
use super::time::Time;

/// Jobs or results that a power failure may lose, at most.
const MOST_FORGOTTEN: usize = 50;

/// The streams of one tournament.
pub(super) struct Server {
    pub(super) lease: Time,
    jobs: BTreeMap<u64, Job>,
    job_of: HashMap<u64, u64>,
    last_job: u64,
    /// The jobs that were removed last, for a server that forgets that.
    removed: VecDeque<(u64, Job)>,
    /// The first job that was never delivered.
    next_job: u64,
    /// Jobs that were delivered and not acknowledged.
    pending: HashMap<u64, Pending>,
    redeliver: VecDeque<u64>,
    /// Workers that wait for a job, by when they asked.
    pulls: VecDeque<Sent>,
    results: BTreeMap<u64, StoredResult>,
    result_of: HashMap<u64, u64>,
    pub(super) last_result: u64,
    pub(super) announced: Option<Vec<u8>>,
    /// True while there is a consumer of jobs.
    pub(super) has_queue: bool,
    /// Counts how often the consumer was made.
    pub(super) consumer: u32,
    /// Counts starts of the server.
    pub(super) epoch: u32,
    pub(super) up_at: Time,
    pub(super) is_closed: bool,
    /// Jobs in the queue when it was purged, at most.
    pub(super) left: usize,
    pub(super) most: Most,
}

/// The most that the server had at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Most {
    /// Jobs in the queue.
    pub jobs: usize,
    /// Jobs in the hands of workers.
    pub leased: usize,
    /// Slots that wait for a job.
    pub waiting: usize,
    /// Results, each of which is a subject.
    pub results: usize,
}

#[derive(Clone)]
struct Job {
    number: u64,
    payload: Rc<[u8]>,
}

struct Pending {
    deadline: Time,
    deliveries: u64,
    waits_for_redelivery: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Right,
    Wrong,
    /// Why it cannot be done.
    Dead,
}

#[derive(Clone)]
pub(super) struct StoredResult {
    pub(super) job: u64,
    pub(super) worker: Rc<str>,
    pub(super) content: Content,
}

/// A job on its way to a slot.
pub(super) struct Delivery {
    pub(super) pull: Sent,
    pub(super) sequence: u64,
    pub(super) job: u64,
    pub(super) payload: Rc<[u8]>,
}

/// State that a server loses when it restarts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Forgets {
    Nothing,
    /// The newest entries, as after a power failure.
    Stored,
    /// That jobs were removed, but not that they were acknowledged (seen with 2.9).
    Removed,
}

impl Server {
    pub(super) fn new(lease: Time) -> Self {
        Server {
            lease,
            jobs: BTreeMap::new(),
            job_of: HashMap::new(),
            last_job: 0,
            removed: VecDeque::new(),
            next_job: 1,
            pending: HashMap::new(),
            redeliver: VecDeque::new(),
            pulls: VecDeque::new(),
            results: BTreeMap::new(),
            result_of: HashMap::new(),
            last_result: 0,
            announced: None,
            has_queue: false,
            consumer: 0,
            epoch: 0,
            up_at: 0,
            is_closed: false,
            left: 0,
            most: Most::default(),
        }
    }

    /// False if there is one of this number.
    pub(super) fn publish(&mut self, number: u64, payload: &[u8]) -> bool {
        if self.job_of.contains_key(&number) {
            return false;
        }
        self.last_job += 1;
        let payload = payload.into();
        self.jobs.insert(self.last_job, Job { number, payload });
        self.job_of.insert(number, self.last_job);
        self.most.jobs = self.most.jobs.max(self.jobs.len());
        true
    }

    pub(super) fn queued(&self) -> impl Iterator<Item = u64> {
        self.job_of.keys().copied()
    }

    /// Messages that the consumer still owes, and messages in the stream.
    pub(super) fn counts(&self) -> (u64, u64) {
        let undelivered = self.jobs.range(self.next_job..).count();
        let owed = undelivered + self.pending.len();
        (owed as u64, self.jobs.len() as u64)
    }

    /// Creates the consumer, unless it exists.
    pub(super) fn create_queue(&mut self) {
        if !std::mem::replace(&mut self.has_queue, true) {
            self.consumer += 1;
        }
    }

    /// Removes the consumer. The next one begins with the first job.
    pub(super) fn remove_queue(&mut self) {
        self.has_queue = false;
        self.next_job = 1;
        self.pending.clear();
        self.redeliver.clear();
    }

    /// Removes a job, wherever it is.
    pub(super) fn remove(&mut self, number: u64) {
        if let Some(sequence) = self.job_of.remove(&number) {
            self.jobs.remove(&sequence);
            self.pending.remove(&sequence);
        }
    }

    pub(super) fn purge(&mut self) {
        self.left = self.left.max(self.jobs.len());
        self.jobs.clear();
        self.job_of.clear();
        self.pending.clear();
        self.redeliver.clear();
        self.removed.clear();
        self.next_job = self.last_job + 1;
    }

    /// False if too many wait.
    pub(super) fn wait(&mut self, pull: Sent) -> bool {
        if self.pulls.len() >= MOST_WAITING as usize {
            return false;
        }
        self.pulls.push_back(pull);
        self.most.waiting = self.most.waiting.max(self.pulls.len());
        true
    }

    /// Ends the waiting of a pull, if it waits.
    pub(super) fn end_wait(&mut self, slot: usize, sent: Time) -> Option<Sent> {
        // Those that end are among the oldest.
        let mut pulls = self.pulls.iter();
        let at = pulls.position(|pull| pull.slot == slot && pull.at == sent);
        self.pulls.remove(at?)
    }

    pub(super) fn take_pulls(&mut self) -> Vec<Sent> {
        self.pulls.drain(..).collect()
    }

    /// The next job for a slot that waits, if there is one of each. `is_there` says whether a slot is still
    /// connected: the server knows.
    pub(super) fn deliver(
        &mut self,
        now: Time,
        mut is_there: impl FnMut(&Sent) -> bool,
    ) -> Option<Delivery> {
        while self.pulls.front().is_some_and(|pull| !is_there(pull)) {
            self.pulls.pop_front();
        }
        self.pulls.front()?;
        if !self.has_queue {
            return None;
        }
        let sequence = self.next_to_deliver()?;
        let pull = self.pulls.pop_front()?;
        let job = self.jobs[&sequence].clone();
        let pending = self.pending.entry(sequence).or_insert(Pending {
            deadline: 0,
            deliveries: 0,
            waits_for_redelivery: false,
        });
        pending.deadline = now + self.lease;
        pending.deliveries += 1;
        pending.waits_for_redelivery = false;
        self.most.leased = self.most.leased.max(self.pending.len());
        Some(Delivery {
            pull,
            sequence,
            job: job.number,
            payload: job.payload,
        })
    }

    fn next_to_deliver(&mut self) -> Option<u64> {
        while let Some(sequence) = self.redeliver.pop_front() {
            let waits = |pending: &Pending| pending.waits_for_redelivery;
            if self.pending.get(&sequence).is_some_and(waits) && self.jobs.contains_key(&sequence) {
                return Some(sequence);
            }
        }
        if self.pending.len() >= MOST_LEASED as usize {
            return None;
        }
        let (&sequence, _) = self.jobs.range(self.next_job..).next()?;
        self.next_job = sequence + 1;
        Some(sequence)
    }

    /// The lease of a job may be over; returns when to check again, if it is not.
    pub(super) fn lease_ends(&mut self, now: Time, sequence: u64) -> Option<Time> {
        let pending = self.pending.get_mut(&sequence)?;
        if pending.waits_for_redelivery {
            return None;
        }
        if pending.deadline > now {
            return Some(pending.deadline);
        }
        pending.waits_for_redelivery = true;
        self.redeliver.push_back(sequence);
        None
    }

    /// From any worker: the server does not ask which.
    pub(super) fn renew(&mut self, now: Time, sequence: u64) {
        if let Some(pending) = self.pending.get_mut(&sequence) {
            pending.deadline = now + self.lease;
        }
    }

    /// Whenever it comes, and from whom.
    pub(super) fn acknowledge(&mut self, sequence: u64) {
        if sequence >= self.next_job {
            return;
        }
        self.pending.remove(&sequence);
        if let Some(job) = self.jobs.remove(&sequence) {
            self.job_of.remove(&job.number);
            self.removed.push_back((sequence, job));
            if self.removed.len() > MOST_FORGOTTEN {
                self.removed.pop_front();
            }
        }
    }

    /// True if the job is to be given to others after the pause.
    pub(super) fn give_back(&mut self, sequence: u64) -> bool {
        let Some(pending) = self.pending.get_mut(&sequence) else {
            return false;
        };
        // Nothing but the end of the pause makes it available.
        pending.deadline = Time::MAX;
        true
    }

    pub(super) fn pause_ends(&mut self, sequence: u64) {
        if let Some(pending) = self.pending.get_mut(&sequence)
            && pending.deadline == Time::MAX
        {
            pending.waits_for_redelivery = true;
            self.redeliver.push_back(sequence);
        }
    }

    /// False if there is a result of this job.
    pub(super) fn store(&mut self, result: StoredResult) -> bool {
        if self.result_of.contains_key(&result.job) {
            return false;
        }
        self.last_result += 1;
        self.result_of.insert(result.job, self.last_result);
        self.results.insert(self.last_result, result);
        self.most.results = self.most.results.max(self.results.len());
        true
    }

    pub(super) fn result_from(&self, sequence: u64) -> Option<(u64, StoredResult)> {
        let (&sequence, result) = self.results.range(sequence..).next()?;
        Some((sequence, result.clone()))
    }

    pub(super) fn result_of(&self, job: u64) -> Option<(u64, StoredResult)> {
        self.result_from(*self.result_of.get(&job)?)
    }

    pub(super) fn refuse(&mut self, sequence: u64) {
        if let Some(result) = self.results.remove(&sequence) {
            self.result_of.remove(&result.job);
        }
    }

    /// Starts again after it was killed. Who waits has to ask once more. `share` of what it may forget is
    /// forgotten.
    pub(super) fn start_again(&mut self, forgets: Forgets, share: f64) {
        self.epoch += 1;
        let count = (MOST_FORGOTTEN as f64 * share) as usize;
        match forgets {
            Forgets::Nothing => {}
            Forgets::Stored => self.forget_stored(count),
            Forgets::Removed => {
                for _ in 0..count {
                    let Some((sequence, job)) = self.removed.pop_back() else {
                        break;
                    };
                    if let Entry::Vacant(vacant) = self.job_of.entry(job.number) {
                        vacant.insert(sequence);
                        self.jobs.insert(sequence, job);
                    }
                }
            }
        }
        self.removed.clear();
    }

    fn forget_stored(&mut self, count: usize) {
        for _ in 0..count {
            let Some((_, result)) = self.results.pop_last() else {
                break;
            };
            self.result_of.remove(&result.job);
        }
        let last = self.results.last_key_value();
        self.last_result = last.map_or(0, |(sequence, _)| *sequence);
        for _ in 0..count {
            let Some((sequence, job)) = self.jobs.pop_last() else {
                break;
            };
            self.job_of.remove(&job.number);
            self.pending.remove(&sequence);
        }
        let last = self.jobs.last_key_value();
        self.last_job = last.map_or(0, |(sequence, _)| *sequence);
        // What comes next gets the places of what was lost, so that late acknowledgements hit other jobs.
        self.next_job = self.next_job.min(self.last_job + 1);
    }

    /// Everything is removed.
    pub(super) fn close(&mut self) {
        self.purge();
        self.results.clear();
        self.result_of.clear();
        self.announced = None;
        self.is_closed = true;
    }
}
