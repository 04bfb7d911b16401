//! The thread of a match's game. A sheet can make a single step last for minutes; meanwhile the session
//! answers requests, and can cancel the computation.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use games::budget::{Budget, Cancel};
use play::ggp::message::{LastStep, Start};
use tokio::sync::oneshot;

use super::game::{Game, Snapshot, Task};

/// A job for the game, after it was read and earlier steps were made.
type Job = Box<dyn FnOnce(&mut Game) + Send>;
/// The snapshot of the start.
pub(super) type Read = Result<Snapshot, String>;
/// The result of a step: the next task and a snapshot.
pub(super) type Taken = Result<(Task, Snapshot), String>;

/// The handle of the thread, which ends when this is dropped.
pub(super) struct GameThread {
    jobs: mpsc::Sender<Job>,
    cancel: Cancel,
}

impl GameThread {
    /// Starts to read the sheet of a match, with a time limit for grounding. The receiver gets the snapshot of
    /// the start.
    pub(super) fn begin(
        start: &Start,
        grounding: Duration,
    ) -> std::io::Result<(Self, oneshot::Receiver<Read>)> {
        let (jobs, inbox) = mpsc::channel::<Job>();
        let (sender, ready) = oneshot::channel();
        let cancel = Cancel::default();
        let budget = Budget::default().unless(&cancel);
        let (sheet, role) = (start.sheet.clone(), start.role.clone());
        let work = move || {
            let read = Game::read(&sheet, &role, grounding);
            let mut game = match read {
                Ok(game) => game,
                Err(why) => return drop(sender.send(Err(why))),
            };
            let _ = sender.send(Ok(game.snapshot()));
            for job in inbox {
                job(&mut game);
            }
        };
        let named = thread::Builder::new().name("game".to_owned());
        named.spawn(move || budget.run(work))?;
        Ok((GameThread { jobs, cancel }, ready))
    }

    /// Queues a step. It is made even if the receiver is dropped.
    pub(super) fn take(&self, last: LastStep) -> oneshot::Receiver<Taken> {
        let (sender, taken) = oneshot::channel();
        let job = move |game: &mut Game| {
            let task = game.take(&last);
            let _ = sender.send(task.map(|task| (task, game.snapshot())));
        };
        // If the sheet could not be read, the receiver gets an error.
        let _ = self.jobs.send(Box::new(job));
        taken
    }
}

impl Drop for GameThread {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}
