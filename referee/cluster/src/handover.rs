//! How a worker brings a result: in which order it does what, and what it does when the server does not
//! answer. A pure state machine, for workers and for simulations of them.

use std::time::Duration;

use crate::error::ClusterError;

/// How long a worker waits before it offers its result again to a server that did not answer.
const AGAIN: Duration = Duration::from_millis(300);
/// How often an acknowledgement is tried. The result is stored by then: whoever gets the job again finds
/// that out.
const ACKNOWLEDGEMENTS: u32 = 3;

/// What became of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finished {
    /// It is stored.
    Stored,
    /// There was a result of this job already, perhaps this very one.
    Before,
    /// The tournament has ended.
    Over,
}

/// What a worker does next with a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Store it.
    Store,
    /// Wait so long, and then store it.
    StoreAfter(Duration),
    /// Tell the coordinator that there is something to be read.
    Tell,
    /// Acknowledge the job, and wait until the server has noted that.
    Acknowledge,
    /// Take the next job.
    Done(Finished),
}

/// A result on its way. Nothing follows from an acknowledgement, because servers accept late ones: so the
/// result is stored first.
#[derive(Clone, Copy, Debug)]
pub struct Handover {
    finished: Finished,
    attempts: u32,
}

impl Handover {
    /// It begins with [`Step::Store`].
    pub fn new() -> Self {
        Handover {
            finished: Finished::Stored,
            attempts: 0,
        }
    }

    /// The server has answered whether it stored the result (false: it has one already), or not at all.
    ///
    /// # Errors
    /// If the server will never take it.
    pub fn stored(&mut self, answer: Result<bool, ClusterError>) -> Result<Step, ClusterError> {
        self.finished = match answer {
            Ok(true) => Finished::Stored,
            Ok(false) => Finished::Before,
            Err(ClusterError::Unknown) => Finished::Over,
            Err(error) if error.is_passing() => return Ok(Step::StoreAfter(AGAIN)),
            Err(error) => return Err(error),
        };
        Ok(Step::Tell)
    }

    /// The coordinator was told, or cannot be.
    pub fn told(&self) -> Step {
        Step::Acknowledge
    }

    /// The server has noted the acknowledgement (or has no such queue any more), or has not answered.
    pub fn acknowledged(&mut self, is_noted: bool) -> Step {
        self.attempts += 1;
        if is_noted || self.attempts >= ACKNOWLEDGEMENTS {
            Step::Done(self.finished)
        } else {
            Step::Acknowledge
        }
    }
}

impl Default for Handover {
    fn default() -> Self {
        Handover::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_offered_until_the_server_takes_it_and_acknowledged_three_times_at_most() {
        let mut handover = Handover::new();
        let silent = || Err(ClusterError::Unanswered("x".to_owned()));
        for _ in 0..100 {
            assert_eq!(handover.stored(silent()), Ok(Step::StoreAfter(AGAIN)));
        }
        assert_eq!(handover.stored(Ok(false)), Ok(Step::Tell));
        assert_eq!(handover.told(), Step::Acknowledge);
        assert_eq!(handover.acknowledged(false), Step::Acknowledge);
        assert_eq!(handover.acknowledged(false), Step::Acknowledge);
        assert_eq!(handover.acknowledged(false), Step::Done(Finished::Before));
        let mut handover = Handover::new();
        assert_eq!(handover.stored(Err(ClusterError::Unknown)), Ok(Step::Tell));
        assert_eq!(handover.acknowledged(true), Step::Done(Finished::Over));
        let never = ClusterError::TooLarge { bytes: 2, most: 1 };
        assert_eq!(Handover::new().stored(Err(never.clone())), Err(never));
    }
}
