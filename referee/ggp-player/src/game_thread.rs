//! The thread that follows the game of a match. Sheets can make a single step last for minutes; requests
//! are answered meanwhile, and what nobody wants any more is given up.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use games::budget::{Budget, Cancel};
use play::ggp::message::{LastStep, Start};
use tokio::sync::oneshot;

use super::game::{Game, Seen, Task};

/// What is done with the game, once it was read and the steps before were made.
type Job = Box<dyn FnOnce(&mut Game) + Send>;
/// What is known at the start, once the sheet was read.
pub(super) type Read = Result<Seen, String>;
/// What came of a step: what is to be done now, and what is known of the position.
pub(super) type Taken = Result<(Task, Seen), String>;

/// The game of a match, in a thread that ends with this.
pub(super) struct GameThread {
    jobs: mpsc::Sender<Job>,
    cancel: Cancel,
}

impl GameThread {
    /// Begins to read the sheet of a match; it is grounded no longer than this. The receiver
    /// gets what is known at the start.
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
            let _ = sender.send(Ok(game.seen()));
            for job in inbox {
                job(&mut game);
            }
        };
        let named = thread::Builder::new().name("game".to_owned());
        named.spawn(move || budget.run(work))?;
        Ok((GameThread { jobs, cancel }, ready))
    }

    /// Makes a step after all that were asked for before, whether or not somebody waits for it.
    pub(super) fn take(&self, last: LastStep) -> oneshot::Receiver<Taken> {
        let (sender, taken) = oneshot::channel();
        let job = move |game: &mut Game| {
            let task = game.take(&last);
            let _ = sender.send(task.map(|task| (task, game.seen())));
        };
        // If the sheet could not be read, nobody answers.
        let _ = self.jobs.send(Box::new(job));
        taken
    }
}

impl Drop for GameThread {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}
