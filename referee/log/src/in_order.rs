//! Work on all cores whose results are taken in order.

use std::collections::VecDeque;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, ScopedJoinHandle};

/// Batches that a worker has at a time, so that it need not wait for the next one.
const AHEAD: usize = 2;

/// A batch on its way.
struct Slot<B> {
    /// Its worker; `None` for this thread.
    worker: Option<usize>,
    /// `None` until it is taken from its worker.
    batch: Option<B>,
}

/// The next batch, unless the end is reached.
fn next<S, B, E>(
    (source, mut batch): (&mut S, B),
    mut fill: impl FnMut(&mut S, &mut B) -> Result<bool, E>,
    end: &mut Option<Result<(), E>>,
) -> Option<B> {
    if end.is_none() {
        match fill(source, &mut batch) {
            Ok(true) => return Some(batch),
            Ok(false) => *end = Some(Ok(())),
            Err(error) => *end = Some(Err(error)),
        }
    }
    None
}

/// Fills batches, works on them on all cores, and takes them in the order in which they were filled, until
/// there are no more or something fails; what was filled before that is still taken. This thread fills and
/// takes, and works as well while there is nothing to take. A batch goes back to the thread that worked on
/// it: memory is freed most quickly where it was allocated.
///
/// `source` is what `fill` and `take` share; `fill` returns false if there are no more; `work` has a memo,
/// which each thread keeps.
pub(super) fn in_order<S, B: Default + Send, M: Default, E>(
    source: &mut S,
    mut fill: impl FnMut(&mut S, &mut B) -> Result<bool, E>,
    work: impl Fn(&mut B, &mut M) + Sync,
    mut take: impl FnMut(&mut S, &mut B) -> Result<(), E>,
) -> Result<(), E> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let helpers = cores - 1;
    let is_over = AtomicBool::new(false);
    let help = |todo: Receiver<B>, done: Sender<B>| {
        let mut memo = M::default();
        for mut batch in todo {
            if is_over.load(Relaxed) {
                return;
            }
            work(&mut batch, &mut memo);
            // Nobody takes it after an error.
            let _ = done.send(batch);
        }
    };
    let help = &help;
    thread::scope(|scope| {
        let mut workers = Vec::new();
        let mut all = || {
            let mut end = None;
            let mut order = VecDeque::new();
            for given in 0..AHEAD * helpers {
                let Some(batch) = next((source, B::default()), &mut fill, &mut end) else {
                    break;
                };
                if given < helpers {
                    let ((todo, theirs), (done, made)) = (channel(), channel());
                    let thread = scope.spawn(move || help(theirs, done));
                    workers.push((todo, made, thread));
                }
                let worker = given % helpers;
                let _ = workers[worker].0.send(batch);
                order.push_back(Slot {
                    worker: Some(worker),
                    batch: None,
                });
            }
            let (mut memo, mut spare) = (M::default(), Vec::new());
            loop {
                if let Some(Slot {
                    worker: Some(worker),
                    batch: batch @ None,
                }) = order.front_mut()
                {
                    *batch = workers[*worker].1.try_recv().ok();
                }
                let is_done = order.front().is_some_and(|slot| slot.batch.is_some());
                // As many here as there, if the first one takes long.
                if !is_done && end.is_none() && order.len() < 2 * AHEAD * cores {
                    let batch = spare.pop().unwrap_or_default();
                    if let Some(mut batch) = next((source, batch), &mut fill, &mut end) {
                        work(&mut batch, &mut memo);
                        order.push_back(Slot {
                            worker: None,
                            batch: Some(batch),
                        });
                    }
                    continue;
                }
                let Some(Slot { worker, batch }) = order.pop_front() else {
                    return end.unwrap_or(Ok(()));
                };
                let mut batch = match (batch, worker) {
                    (Some(batch), _) => batch,
                    (None, worker) => {
                        let worker = worker.unwrap_or_default();
                        match workers[worker].1.recv() {
                            Ok(batch) => batch,
                            Err(_) => give_up(workers.swap_remove(worker).2),
                        }
                    }
                };
                take(source, &mut batch)?;
                let Some(worker) = worker else {
                    spare.push(batch);
                    continue;
                };
                if let Some(batch) = next((source, batch), &mut fill, &mut end) {
                    let _ = workers[worker].0.send(batch);
                    order.push_back(Slot {
                        worker: Some(worker),
                        batch: None,
                    });
                }
            }
        };
        let done = all();
        is_over.store(true, Relaxed);
        done
    })
}

/// Panics as a worker did, which ends by itself in no other way.
fn give_up<T>(worker: ScopedJoinHandle<'_, ()>) -> T {
    match worker.join() {
        Err(panic) => resume_unwind(panic),
        Ok(()) => unreachable!("it waits for batches"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fills batches with 0, 1, … up to `last`; fails there, or at a number that is taken.
    fn run(last: usize, fails: bool, refused: usize) -> (Vec<usize>, Result<(), usize>) {
        let mut source = (0, Vec::new());
        let result = in_order(
            &mut source,
            |(next, _): &mut (usize, Vec<usize>), batch: &mut [usize; 2]| {
                batch[0] = *next;
                *next += 1;
                match batch[0] == last {
                    true if fails => Err(last),
                    is_last => Ok(!is_last),
                }
            },
            |batch, memo: &mut usize| {
                *memo += 1;
                // Some take longer than others.
                thread::sleep(std::time::Duration::from_micros((batch[0] % 7) as u64 * 50));
                batch[1] = 2 * batch[0];
            },
            |(_, taken), batch| {
                taken.push(batch[1]);
                if batch[0] == refused {
                    return Err(refused);
                }
                Ok(())
            },
        );
        (source.1, result)
    }

    fn doubles(count: usize) -> Vec<usize> {
        (0..count).map(|number| 2 * number).collect()
    }

    #[test]
    fn all_are_taken_in_order() {
        for count in [0, 1, 2, 3, 200] {
            assert_eq!(run(count, false, usize::MAX), (doubles(count), Ok(())));
        }
    }

    #[test]
    fn what_was_before_an_error_is_taken() {
        for count in [0, 1, 50] {
            assert_eq!(run(count, true, usize::MAX), (doubles(count), Err(count)));
        }
        assert_eq!(run(100, false, 30), (doubles(31), Err(30)));
    }
}
