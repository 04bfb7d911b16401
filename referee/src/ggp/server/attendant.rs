//! Takes requests one by one, and looks after the match and its bot.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::bot::Bot;
use super::game::{Game, Task};
use super::offer::{Asked, Offer};
use crate::ggp::message::{LastStep, Request, Start};

/// What is said of a match that is not the one which is played.
const BUSY: &str = "busy";

/// Who answers game managers.
pub(super) struct Attendant {
    offer: Offer,
    is_busy: Arc<AtomicBool>,
    log: fn(&str),
    playing: Option<Match>,
}

/// A match that is played.
struct Match {
    id: String,
    game: Game,
    bot: Bot,
}

impl Attendant {
    pub(super) fn new(offer: Offer, is_busy: Arc<AtomicBool>, log: fn(&str)) -> Self {
        Attendant {
            offer,
            is_busy,
            log,
            playing: None,
        }
    }

    /// Answers until `stop` turns true or nobody can ask any more, and ends the bot.
    pub(super) async fn run(
        mut self,
        mut inbox: mpsc::Receiver<Asked>,
        stop: &mut watch::Receiver<bool>,
    ) {
        loop {
            let asked = tokio::select! {
                _ = stop.wait_for(|stop| *stop) => break,
                asked = inbox.recv() => asked,
            };
            let Some(asked) = asked else { break };
            tokio::select! {
                _ = stop.wait_for(|stop| *stop) => break,
                () = self.answer(asked, &mut inbox) => {}
            }
        }
        self.leave().await;
    }

    /// Ends the match that is played, if there is one.
    async fn leave(&mut self) {
        if let Some(playing) = self.playing.take() {
            playing.bot.end().await;
        }
        self.is_busy.store(false, Ordering::Relaxed);
    }

    fn is_playing(&self, id: &str) -> bool {
        let playing = self.playing.as_ref();
        playing.is_some_and(|playing| playing.id.eq_ignore_ascii_case(id))
    }

    async fn answer(&mut self, (request, answer): Asked, inbox: &mut mpsc::Receiver<Asked>) {
        let said = match request {
            Request::Info => None,
            Request::Start(start) if self.playing.is_some() && !self.is_playing(&start.id) => {
                Some(BUSY.to_owned())
            }
            Request::Start(start) => {
                self.leave().await;
                self.start(&start).await.map(str::to_owned)
            }
            Request::Play { id, .. } | Request::Stop { id, .. } | Request::Abort { id }
                if !self.is_playing(&id) =>
            {
                Some(BUSY.to_owned())
            }
            Request::Play { last, .. } => self.play(&last, inbox).await,
            Request::Stop { last, .. } => {
                self.stop(&last).await;
                Some("done".to_owned())
            }
            Request::Abort { .. } => {
                self.leave().await;
                Some("aborted".to_owned())
            }
        };
        if let Some(said) = said {
            // Whoever asked may have lost patience.
            let _ = answer.send(said);
        }
    }

    /// Begins a match; `None` if it cannot be played, for which the protocol has no word.
    async fn start(&mut self, start: &Start) -> Option<&'static str> {
        self.is_busy.store(true, Ordering::Relaxed);
        let deadline = Instant::now() + self.within(start.start_clock);
        match self.begin(start, deadline).await {
            Ok(playing) => {
                self.playing = Some(playing);
                Some("ready")
            }
            Err(why) => {
                (self.log)(&format!("the match {} cannot be played: {why}", start.id));
                self.is_busy.store(false, Ordering::Relaxed);
                None
            }
        }
    }

    async fn begin(&self, start: &Start, deadline: Instant) -> Result<Match, String> {
        let per_move = self.within(start.play_clock);
        let (sheet, role) = (start.sheet.clone(), start.role.clone());
        // Large sheets take seconds.
        let read = tokio::task::spawn_blocking(move || Game::read(&sheet, &role));
        let game = read.await.map_err(|error| error.to_string())??;
        let mut bot = Bot::new(&self.offer.spec, &game, &start.id, per_move, deadline)?;
        bot.get_ready(&game, deadline).await?;
        Ok(Match {
            id: start.id.clone(),
            game,
            bot,
        })
    }

    /// What is left of a clock of this many seconds.
    fn within(&self, seconds: u64) -> Duration {
        let clock = Duration::from_secs(seconds);
        clock.saturating_sub(self.offer.reserve).max(clock / 2)
    }

    /// Moves; `None` if the bot does not, or the game manager tells what cannot be.
    async fn play(&mut self, last: &LastStep, inbox: &mut mpsc::Receiver<Asked>) -> Option<String> {
        let playing = self.playing.as_mut()?;
        let task = match playing.game.take(last) {
            Ok(task) => task,
            Err(why) => {
                (self.log)(&format!("match {}: {why}", playing.id));
                return None;
            }
        };
        let choices = match task {
            Task::Only(mv) => return Some(mv),
            Task::Over => return None,
            Task::Choice(choices) => choices,
        };
        let deadline = Instant::now() + playing.bot.per_move();
        let interrupted = tokio::select! {
            moved = playing.bot.choose(&playing.game, &choices, deadline) => {
                return match moved {
                    Ok(mv) => Some(mv),
                    Err(why) => {
                        (self.log)(&format!("match {}: the bot {why}", playing.id));
                        None
                    }
                };
            }
            interrupted = interruption(&playing.id, inbox) => interrupted,
        };
        // The match is over, or given up: nobody waits for the move.
        Box::pin(self.answer(interrupted, inbox)).await;
        None
    }

    async fn stop(&mut self, last: &LastStep) {
        if let Some(playing) = &mut self.playing {
            match playing.game.take(last) {
                Ok(_) => playing.bot.say_end(&playing.game).await,
                Err(why) => (self.log)(&format!("match {}: {why}", playing.id)),
            }
        }
        self.leave().await;
    }
}

/// Answers what others ask while the bot thinks, until the match is over, or there is its next request.
async fn interruption(id: &str, inbox: &mut mpsc::Receiver<Asked>) -> Asked {
    loop {
        let Some((request, answer)) = inbox.recv().await else {
            return std::future::pending().await;
        };
        let is_ours = match &request {
            Request::Info => false,
            Request::Start(start) => start.id.eq_ignore_ascii_case(id),
            Request::Play { id: other, .. }
            | Request::Stop { id: other, .. }
            | Request::Abort { id: other } => other.eq_ignore_ascii_case(id),
        };
        if is_ours {
            return (request, answer);
        }
        let _ = answer.send(BUSY.to_owned());
    }
}
