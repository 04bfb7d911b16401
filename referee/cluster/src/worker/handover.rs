//! Handing over a result: order of steps, and retries. A pure state machine, for workers and the
//! simulation.

use std::time::Duration;

use crate::error::ClusterError;

/// Before a result is stored again, if the server did not answer.
const PAUSE: Duration = Duration::from_millis(300);
/// Attempts to acknowledge. The result is already stored, so a worker that gets the job again learns that
/// it is done.
const ACKNOWLEDGEMENTS: u32 = 3;

/// The outcome of a handover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finished {
    /// The result is stored.
    Stored,
    /// The job already had a result, perhaps this one.
    Duplicate,
    /// The tournament is over.
    TournamentOver,
}

/// The next step of a handover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Store the result.
    Store,
    /// Store it after a pause.
    StoreAfter(Duration),
    /// Notify the coordinator of a new result.
    Notify,
    /// Acknowledge the job, and wait for the server's confirmation.
    Acknowledge,
    /// Finished.
    Done(Finished),
}

/// A result that is being handed over. It is stored before the job is acknowledged, because servers accept
/// late acknowledgements.
#[derive(Clone, Copy, Debug)]
pub struct Handover {
    finished: Finished,
    attempts: u32,
}

impl Handover {
    /// The first step is [`Step::Store`].
    pub fn new() -> Self {
        Handover {
            finished: Finished::Stored,
            attempts: 0,
        }
    }

    /// The server's answer: true if it stored the result, false if it already has one.
    ///
    /// # Errors
    /// If a retry cannot help.
    pub fn stored(&mut self, answer: Result<bool, ClusterError>) -> Result<Step, ClusterError> {
        self.finished = match answer {
            Ok(true) => Finished::Stored,
            Ok(false) => Finished::Duplicate,
            Err(ClusterError::Unknown) => Finished::TournamentOver,
            Err(error) if error.is_passing() => return Ok(Step::StoreAfter(PAUSE)),
            Err(error) => return Err(error),
        };
        Ok(Step::Notify)
    }

    /// The coordinator will be notified, or cannot be.
    pub fn notified(&self) -> Step {
        Step::Acknowledge
    }

    /// `is_noted` if the server confirmed the acknowledgement or the queue is gone; false if it did not answer.
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
            assert_eq!(handover.stored(silent()), Ok(Step::StoreAfter(PAUSE)));
        }
        assert_eq!(handover.stored(Ok(false)), Ok(Step::Notify));
        assert_eq!(handover.notified(), Step::Acknowledge);
        assert_eq!(handover.acknowledged(false), Step::Acknowledge);
        assert_eq!(handover.acknowledged(false), Step::Acknowledge);
        assert_eq!(
            handover.acknowledged(false),
            Step::Done(Finished::Duplicate)
        );
        let mut handover = Handover::new();
        assert_eq!(
            handover.stored(Err(ClusterError::Unknown)),
            Ok(Step::Notify)
        );
        assert_eq!(
            handover.acknowledged(true),
            Step::Done(Finished::TournamentOver)
        );
        let never = ClusterError::TooLarge { bytes: 2, most: 1 };
        assert_eq!(Handover::new().stored(Err(never.clone())), Err(never));
    }
}
