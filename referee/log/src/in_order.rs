//! Work on all cores whose results are taken in order.

use std::collections::VecDeque;
use std::io;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, Scope, ScopedJoinHandle};

/// Batches that a helper has at a time, so that it need not wait for the next one.
const AHEAD: usize = 2;

/// Fills batches, works on them on all cores, and takes them in the order in which they were filled, until
/// there are no more or something fails; what was filled before that is still taken. This thread fills and
/// takes, and works as well while there is nothing to take. A batch goes back to the thread that worked on
/// it: memory is freed most quickly where it was allocated.
///
/// `source` is what `fill` and `take` share; `fill` returns false if there are no more; `work` has a memo,
/// which each thread keeps.
pub(super) fn in_order<S, B: Default + Send, M: Default, E>(
    source: &mut S,
    fill: impl FnMut(&mut S, &mut B) -> Result<bool, E>,
    work: impl Fn(&mut B, &mut M) + Sync,
    take: impl FnMut(&mut S, &mut B) -> Result<(), E>,
) -> Result<(), E> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    on_cores(cores, source, fill, &work, take)
}

fn on_cores<S, B: Default + Send, M: Default, E>(
    cores: usize,
    source: &mut S,
    fill: impl FnMut(&mut S, &mut B) -> Result<bool, E>,
    work: &(impl Fn(&mut B, &mut M) + Sync),
    mut take: impl FnMut(&mut S, &mut B) -> Result<(), E>,
) -> Result<(), E> {
    thread::scope(|scope| {
        let (mut helpers, mut order, mut spare) = (Vec::new(), VecDeque::new(), Vec::new());
        let mut filler = Filler {
            source,
            fill,
            end: None,
        };
        let mut memo = M::default();
        for given in 0..AHEAD * (cores - 1) {
            let Some(mut batch) = filler.next(B::default()) else {
                break;
            };
            let helper = given % (cores - 1);
            if helper == helpers.len() {
                let Ok(helper) = Helper::start(scope, work) else {
                    // The machine has no more threads: those that run do the work.
                    work(&mut batch, &mut memo);
                    order.push_back(Slot::Done(batch));
                    break;
                };
                helpers.push(helper);
            }
            helpers[helper].give(batch);
            order.push_back(Slot::With(helper));
        }
        loop {
            let is_done = match order.front() {
                Some(Slot::Done(_)) => true,
                Some(Slot::With(helper)) => helpers[*helper].is_done(),
                None => false,
            };
            // As many here as there, if the first one takes long.
            if !is_done
                && order.len() < 2 * AHEAD * cores
                && let Some(mut batch) = filler.next(spare.pop().unwrap_or_default())
            {
                work(&mut batch, &mut memo);
                order.push_back(Slot::Done(batch));
                continue;
            }
            match order.pop_front() {
                None => return filler.end.unwrap_or(Ok(())),
                Some(Slot::Done(mut batch)) => {
                    take(filler.source, &mut batch)?;
                    spare.push(batch);
                }
                Some(Slot::With(helper)) => {
                    let mut batch = helpers[helper].finished();
                    take(filler.source, &mut batch)?;
                    if let Some(batch) = filler.next(batch) {
                        helpers[helper].give(batch);
                        order.push_back(Slot::With(helper));
                    }
                }
            }
        }
    })
}

/// A batch on its way.
enum Slot<B> {
    /// This thread has worked on it.
    Done(B),
    /// The helper with this number has it.
    With(usize),
}

/// Where batches come from.
struct Filler<'s, S, F, E> {
    source: &'s mut S,
    fill: F,
    /// How it ended.
    end: Option<Result<(), E>>,
}

impl<S, F, E> Filler<'_, S, F, E> {
    /// The next batch, unless the end is reached.
    fn next<B>(&mut self, mut batch: B) -> Option<B>
    where
        F: FnMut(&mut S, &mut B) -> Result<bool, E>,
    {
        if self.end.is_none() {
            match (self.fill)(self.source, &mut batch) {
                Ok(true) => return Some(batch),
                Ok(false) => self.end = Some(Ok(())),
                Err(error) => self.end = Some(Err(error)),
            }
        }
        None
    }
}

/// A thread that works on the batches that it is given, one after another, until this is dropped.
struct Helper<'scope, B> {
    todo: Sender<B>,
    done: Receiver<B>,
    /// The next one of `done`, if it was looked for and is there.
    next: Option<B>,
    /// `None` once it has panicked.
    thread: Option<ScopedJoinHandle<'scope, ()>>,
}

impl<'scope, B: Send + 'scope> Helper<'scope, B> {
    fn start<'env, M: Default>(
        scope: &'scope Scope<'scope, 'env>,
        work: &'scope (impl Fn(&mut B, &mut M) + Sync),
    ) -> io::Result<Self> {
        let ((todo, given), (made, done)) = (channel::<B>(), channel());
        let thread = thread::Builder::new().spawn_scoped(scope, move || {
            let mut memo = M::default();
            for mut batch in given {
                work(&mut batch, &mut memo);
                // Nobody takes it after an error.
                let _ = made.send(batch);
            }
        })?;
        Ok(Helper {
            todo,
            done,
            next: None,
            thread: Some(thread),
        })
    }

    fn give(&self, batch: B) {
        // One that has panicked says so when a batch is expected of it.
        let _ = self.todo.send(batch);
    }

    /// True if the first of its batches is finished.
    fn is_done(&mut self) -> bool {
        if self.next.is_none() {
            self.next = self.done.try_recv().ok();
        }
        self.next.is_some()
    }

    /// Waits for the first of its batches. Panics as the helper did, which ends by itself in no other way.
    fn finished(&mut self) -> B {
        if let Some(batch) = self.next.take() {
            return batch;
        }
        self.done.recv().unwrap_or_else(|_| {
            let panic = self.thread.take().map(ScopedJoinHandle::join);
            match panic {
                Some(Err(panic)) => resume_unwind(panic),
                _ => unreachable!("it waits for batches"),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No number.
    const NONE: usize = usize::MAX;

    /// What happens at which number.
    struct Plan {
        last: usize,
        /// The last one fails.
        fails: bool,
        refused: usize,
        panics: usize,
    }

    /// Fills batches with 0, 1, … up to the last number. Returns what was taken, and how it ended.
    fn run(cores: usize, plan: &Plan) -> (Vec<usize>, Result<(), usize>) {
        let mut source = (0, Vec::new());
        let result = on_cores(
            cores,
            &mut source,
            |(next, _): &mut (usize, Vec<usize>), batch: &mut [usize; 2]| {
                batch[0] = *next;
                *next += 1;
                match batch[0] == plan.last {
                    true if plan.fails => Err(plan.last),
                    is_last => Ok(!is_last),
                }
            },
            &|batch: &mut [usize; 2], memo: &mut usize| {
                *memo += 1;
                assert_ne!(batch[0], plan.panics, "as planned");
                // Some take longer than others.
                thread::sleep(std::time::Duration::from_micros((batch[0] % 7) as u64 * 50));
                batch[1] = 2 * batch[0];
            },
            |(_, taken), batch| {
                taken.push(batch[1]);
                match batch[0] == plan.refused {
                    true => Err(plan.refused),
                    false => Ok(()),
                }
            },
        );
        (source.1, result)
    }

    fn plan(last: usize) -> Plan {
        Plan {
            last,
            fails: false,
            refused: NONE,
            panics: NONE,
        }
    }

    fn doubles(count: usize) -> Vec<usize> {
        (0..count).map(|number| 2 * number).collect()
    }

    const CORES: [usize; 3] = [1, 2, 8];

    #[test]
    fn all_are_taken_in_order() {
        for cores in CORES {
            for count in [0, 1, 2, 3, 200] {
                assert_eq!(run(cores, &plan(count)), (doubles(count), Ok(())));
            }
        }
    }

    #[test]
    fn what_was_before_an_error_is_taken() {
        for cores in CORES {
            for count in [0, 1, 50] {
                let fails = true;
                let failed = run(
                    cores,
                    &Plan {
                        fails,
                        ..plan(count)
                    },
                );
                assert_eq!(failed, (doubles(count), Err(count)));
            }
            let refused = 30;
            let taken = run(
                cores,
                &Plan {
                    refused,
                    ..plan(100)
                },
            );
            assert_eq!(taken, (doubles(31), Err(30)));
        }
    }

    #[test]
    fn a_panic_of_any_thread_is_that_of_the_caller() {
        for cores in CORES {
            for panics in [0, 1, 20] {
                let plan = Plan { panics, ..plan(50) };
                let caught = std::panic::catch_unwind(|| run(cores, &plan)).unwrap_err();
                let text = caught.downcast_ref::<String>().expect("of an assertion");
                assert!(text.contains("as planned"), "{text}");
            }
        }
    }
}
