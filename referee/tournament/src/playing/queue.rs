//! The schedule, shared by the slots. A slot without a match waits for results.

use std::sync::{Mutex, MutexGuard, PoisonError};

use schedule::{Next, NextGroup, Schedule, Scheduled, ScheduledGroup};
use tokio::sync::watch;

pub struct Queue {
    schedule: Mutex<Schedule>,
    /// Changes with each result.
    results: watch::Sender<()>,
}

impl Queue {
    pub fn new(schedule: Schedule) -> Self {
        Queue {
            schedule: Mutex::new(schedule),
            results: watch::Sender::new(()),
        }
    }

    /// `None` when no more matches start.
    pub async fn next(&self) -> Option<Scheduled> {
        // From here on, no result is missed.
        let mut results = self.results.subscribe();
        loop {
            // On a line of its own: the schedule must not stay locked while we wait.
            let next = self.schedule().take();
            match next {
                Next::Match(scheduled) => return Some(scheduled),
                Next::Over => return None,
                // The queue itself owns the sender.
                Next::Wait => results.changed().await.ok()?,
            }
        }
    }

    /// `None` when no more matches start. Cancel-safe.
    pub async fn next_group(&self) -> Option<ScheduledGroup> {
        let mut results = self.results.subscribe();
        loop {
            let next = self.schedule().take_group();
            match next {
                NextGroup::Group(group) => return Some(group),
                NextGroup::Over => return None,
                NextGroup::Wait => results.changed().await.ok()?,
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
}
