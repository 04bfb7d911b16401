//! The schedule, shared by the slots. A slot without a match waits for results.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use schedule::{Next, NextGroup, Schedule, Scheduled, ScheduledGroup};
use tokio::sync::watch;

pub struct Queue {
    schedule: Mutex<Schedule>,
    left_out: Mutex<LeftOutBots>,
    /// Changes with each result.
    results: watch::Sender<()>,
}

/// The bots that begin no more matches. Locked after the schedule.
#[derive(Default)]
struct LeftOutBots {
    bots: HashSet<usize>,
    /// True if a match was left out for them, so that the schedule will not be over by itself.
    any_match: bool,
}

impl Queue {
    pub fn new(schedule: Schedule) -> Self {
        Queue {
            schedule: Mutex::new(schedule),
            left_out: Mutex::default(),
            results: watch::Sender::new(()),
        }
    }

    /// `None` when no more matches start.
    pub async fn next(&self) -> Option<Scheduled> {
        // From here on, no result is missed.
        let mut results = self.results.subscribe();
        loop {
            // On a line of its own: the schedule must not stay locked while we wait.
            let next = self.take();
            match next {
                Next::Match(scheduled) => return Some(scheduled),
                Next::Over => return None,
                // The queue itself owns the sender.
                Next::Wait => results.changed().await.ok()?,
            }
        }
    }

    /// Waits until the result of a match is recorded.
    pub(crate) async fn finished(&self, number: usize) {
        let mut results = self.results.subscribe();
        while !self.schedule().is_finished(number) {
            // The queue itself owns the sender.
            if results.changed().await.is_err() {
                return;
            }
        }
    }

    /// No more matches with this bot begin. Only for formats whose matches do not depend on results.
    pub(crate) fn leave_out(&self, bot: usize) {
        self.left_out().bots.insert(bot);
    }

    /// True if matches were left out, so that the tournament ends without them.
    pub(crate) fn leaves_out(&self) -> bool {
        self.left_out().any_match
    }

    fn left_out(&self) -> MutexGuard<'_, LeftOutBots> {
        self.left_out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Next {
        let mut schedule = self.schedule();
        let mut left_out = self.left_out();
        loop {
            match schedule.take() {
                Next::Match(next) if left_out.concern(&next) => left_out.any_match = true,
                Next::Wait if left_out.any_match => return Next::Over,
                next => return next,
            }
        }
    }

    fn take_group(&self) -> NextGroup {
        let mut schedule = self.schedule();
        let mut left_out = self.left_out();
        loop {
            match schedule.take_group() {
                NextGroup::Group(next)
                    if next.matches.iter().any(|next| left_out.concern(next)) =>
                {
                    left_out.any_match = true;
                }
                NextGroup::Wait if left_out.any_match => return NextGroup::Over,
                next => return next,
            }
        }
    }

    /// Waits for a group, and takes as many as there are then, at most this many (at least one); none when no
    /// more matches start. Cancel-safe.
    pub async fn next_groups(&self, most: usize) -> Vec<ScheduledGroup> {
        let mut results = self.results.subscribe();
        let mut groups = Vec::new();
        loop {
            match self.take_group() {
                NextGroup::Group(group) => groups.push(group),
                NextGroup::Over => return groups,
                NextGroup::Wait if groups.is_empty() => {
                    if results.changed().await.is_err() {
                        return groups;
                    }
                }
                NextGroup::Wait => return groups,
            }
            if groups.len() >= most {
                return groups;
            }
        }
    }

    /// Records a result, see [`Schedule::finish_match`].
    pub fn finish(&self, number: usize, outcome: &[f64], repetition: impl FnOnce() -> Option<u64>) {
        self.schedule().finish_match(number, outcome, repetition);
        self.results.send_replace(());
    }

    /// Locks the schedule. Do not wait for anything while you hold it.
    pub fn schedule(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LeftOutBots {
    fn concern(&self, next: &Scheduled) -> bool {
        next.seats.iter().any(|bot| self.bots.contains(bot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use schedule::{Format, Shape};

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.unwrap().block_on(future)
    }

    #[test]
    fn who_waits_is_woken_by_the_result_that_matters() {
        let shape = Shape {
            format: Format::Swiss,
            ..Shape::round_robin(&[2], 2, 2)
        };
        let queue = Arc::new(Queue::new(Schedule::new(&shape)));
        let first = [block_on(queue.next()), block_on(queue.next())];
        let (sender, taken) = std::sync::mpsc::channel();
        for _ in 0..3 {
            let (queue, sender) = (queue.clone(), sender.clone());
            std::thread::spawn(move || {
                let next = block_on(queue.next());
                sender.send(next.map(|next| next.number)).unwrap();
            });
        }
        for scheduled in first.into_iter().flatten() {
            queue.finish(scheduled.number, &[0.5, 0.5], || None);
        }
        let mut numbers = [taken.recv().unwrap(), taken.recv().unwrap()];
        numbers.sort_unstable();
        assert_eq!(numbers, [Some(3), Some(4)]);
        for number in [3, 4] {
            queue.finish(number, &[0.5, 0.5], || None);
        }
        assert_eq!(taken.recv().unwrap(), None);
        assert_eq!(block_on(queue.next()), None);
    }

    #[test]
    fn bots_that_are_left_out_begin_no_more_matches() {
        let shape = Shape::round_robin(&[2], 3, 2);
        let queue = Queue::new(Schedule::new(&shape));
        let all = shape.count().most;
        let first = block_on(queue.next()).unwrap();
        queue.leave_out(2);
        let mut others = 0;
        while let Some(next) = block_on(queue.next()) {
            assert!(!next.seats.contains(&2), "{next:?}");
            others += 1;
        }
        assert_eq!((others, all), (3, 12));
        assert!(queue.leaves_out());
        assert!(!first.seats.contains(&2), "{first:?}");
    }
}
