//! The session with game managers: takes requests one by one, and owns the match and its bot.
//!
//! Nothing is computed here: however slow a sheet is, a request is answered within its clock, and an abort
//! at once.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use play::ggp::message::{LastStep, Request, Start};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::bot::Bot;
use super::game::{Snapshot, Task};
use super::game_thread::{GameThread, Taken};
use super::offer::{Asked, Offer};

/// The answer about another match than the one being played.
const BUSY: &str = "busy";
/// The start clock is this many times the time for grounding: the bot needs as much again, and both may
/// have to examine the first position.
const GROUNDING_SHARE: u32 = 4;
/// The limits of the time for grounding.
const LEAST_GROUNDING: Duration = Duration::from_millis(200);
const MOST_GROUNDING: Duration = Duration::from_secs(20);
/// A bot may take this many play clocks after the start clock to get ready.
const LATE_STARTS: u32 = 3;

/// Answers game managers.
pub(super) struct PlayerSession {
    offer: Offer,
    is_busy: Arc<AtomicBool>,
    log: fn(&str),
    playing: Option<Match>,
    /// Bots of earlier matches, which are ending.
    leaving: JoinSet<()>,
}

/// The current match.
struct Match {
    id: String,
    per_move: Duration,
    /// Steps from before the game was ready.
    missed: Vec<LastStep>,
    stage: Stage,
}

/// The progress of a match.
enum Stage {
    /// Reading the sheet, or starting the bot.
    Preparing(Pin<Box<dyn Future<Output = Result<Playing, String>> + Send>>),
    Playing(Box<Playing>),
    Failed,
}

struct Playing {
    thread: GameThread,
    bot: Bot,
}

impl PlayerSession {
    pub(super) fn new(offer: Offer, is_busy: Arc<AtomicBool>, log: fn(&str)) -> Self {
        PlayerSession {
            offer,
            is_busy,
            log,
            playing: None,
            leaving: JoinSet::new(),
        }
    }

    /// Answers until `stop` turns true or the channel closes, then ends the bot.
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
        self.leave();
        while self.leaving.join_next().await.is_some() {}
    }

    /// Leaves the current match, if any. Its bot ends in the background.
    fn leave(&mut self) {
        if let Some(Match {
            stage: Stage::Playing(playing),
            ..
        }) = self.playing.take()
        {
            self.leaving.spawn(playing.bot.end());
        }
        while self.leaving.try_join_next().is_some() {}
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
                self.leave();
                self.start(&start, inbox).await.map(str::to_owned)
            }
            Request::Play { id, .. } | Request::Stop { id, .. } | Request::Abort { id }
                if !self.is_playing(&id) =>
            {
                Some(BUSY.to_owned())
            }
            Request::Play { last, .. } => self.play(last, inbox).await,
            Request::Stop { last, .. } => {
                self.stop(last).await;
                Some("done".to_owned())
            }
            Request::Abort { .. } => {
                self.leave();
                Some("aborted".to_owned())
            }
        };
        if let Some(said) = said {
            // The manager may have gone.
            let _ = answer.send(said);
        }
    }

    /// Begins a match; `None` if it cannot be played, for which the protocol has no word. If preparation takes
    /// longer than the start clock, the match begins all the same: the first move may still be in time.
    async fn start(
        &mut self,
        start: &Start,
        inbox: &mut mpsc::Receiver<Asked>,
    ) -> Option<&'static str> {
        self.is_busy.store(true, Ordering::Relaxed);
        let deadline = Instant::now() + self.within(start.start_clock);
        let mut preparing = self.prepare(start);
        tokio::select! {
            prepared = &mut preparing => match prepared {
                Ok(playing) => self.begin(start, Stage::Playing(Box::new(playing))),
                Err(why) => {
                    (self.log)(&format!("the match {} cannot be played: {why}", start.id));
                    self.is_busy.store(false, Ordering::Relaxed);
                    return None;
                }
            },
            () = sleep_until(deadline) => {
                (self.log)(&format!("match {}: not prepared within the start clock", start.id));
                self.begin(start, Stage::Preparing(preparing));
            }
            interrupted = interruption(&start.id, inbox) => {
                drop(preparing);
                self.begin(start, Stage::Failed);
                Box::pin(self.answer(interrupted, inbox)).await;
                return None;
            }
        }
        Some("ready")
    }

    fn begin(&mut self, start: &Start, stage: Stage) {
        self.playing = Some(Match {
            id: start.id.clone(),
            per_move: self.within(start.play_clock),
            missed: Vec::new(),
            stage,
        });
    }

    fn prepare(
        &self,
        start: &Start,
    ) -> Pin<Box<dyn Future<Output = Result<Playing, String>> + Send>> {
        let start_clock = self.within(start.start_clock);
        let per_move = self.within(start.play_clock);
        let grounding = (start_clock / GROUNDING_SHARE).clamp(LEAST_GROUNDING, MOST_GROUNDING);
        let startup = start_clock.saturating_add(per_move.saturating_mul(LATE_STARTS));
        let (spec, id) = (self.offer.spec.clone(), start.id.clone());
        let begun = GameThread::begin(start, grounding);
        Box::pin(async move {
            let (thread, ready) = begun.map_err(|error| error.to_string())?;
            let read = ready.await.map_err(|_| "the sheet was not read")?;
            let snapshot = read?;
            let mut bot = Bot::new(&spec, &snapshot, &id, per_move, startup)?;
            bot.get_ready(&snapshot, Instant::now() + startup).await?;
            Ok(Playing { thread, bot })
        })
    }

    /// The usable part of a clock of this many seconds.
    fn within(&self, seconds: u64) -> Duration {
        let clock = Duration::from_secs(seconds.min(MOST_CLOCK));
        clock.saturating_sub(self.offer.reserve).max(clock / 2)
    }

    /// The bot's move; `None` if it makes none, or if the game manager's last step is impossible.
    async fn play(&mut self, last: LastStep, inbox: &mut mpsc::Receiver<Asked>) -> Option<String> {
        let log = self.log;
        let playing = self.playing.as_mut()?;
        playing.missed.push(last);
        let deadline = Instant::now() + playing.per_move;
        let id = playing.id.clone();
        let interrupted = tokio::select! {
            moved = playing.choose(deadline) => {
                return match moved {
                    Ok(mv) => mv,
                    Err(why) => {
                        log(&format!("match {id}: {why}"));
                        None
                    }
                };
            }
            interrupted = interruption(&id, inbox) => interrupted,
        };
        // The match is over or aborted: nobody waits for the move.
        Box::pin(self.answer(interrupted, inbox)).await;
        None
    }

    async fn stop(&mut self, last: LastStep) {
        if let Some(playing) = &mut self.playing {
            playing.missed.push(last);
            let deadline = Instant::now() + playing.per_move;
            if let Err(why) = playing.send_end(deadline).await {
                (self.log)(&format!("match {}: {why}", playing.id));
            }
        }
        self.leave();
    }
}

/// The longest clock, in seconds: a year.
const MOST_CLOCK: u64 = 366 * 24 * 3600;

impl Match {
    /// Waits until the match is prepared, then queues the missed steps. The receiver gets the result of the
    /// last one, perhaps much later.
    async fn take(&mut self) -> Result<(&mut Playing, oneshot::Receiver<Taken>), String> {
        if let Stage::Preparing(preparing) = &mut self.stage {
            self.stage = match preparing.await {
                Ok(playing) => Stage::Playing(Box::new(playing)),
                Err(why) => {
                    self.stage = Stage::Failed;
                    return Err(format!("it cannot be played: {why}"));
                }
            };
        }
        let Stage::Playing(playing) = &mut self.stage else {
            return Err("it cannot be played".to_owned());
        };
        let mut taken = None;
        for last in self.missed.drain(..) {
            taken = Some(playing.thread.take(last));
        }
        Ok((playing, taken.ok_or("there is no step to make")?))
    }

    /// Catches up with the missed steps: the next task, and the snapshot after them.
    async fn catch_up(&mut self) -> Result<(&mut Playing, Task, Snapshot), String> {
        let (playing, taken) = self.take().await?;
        let taken = taken.await.map_err(|_| "the game was given up")?;
        let (task, snapshot) = taken?;
        Ok((playing, task, snapshot))
    }

    /// The move to make; `None` if the game is over.
    async fn choose(&mut self, deadline: Instant) -> Result<Option<String>, String> {
        let late = |_| "there was no time to find out what can be done".to_owned();
        let caught_up = timeout_at(deadline, self.catch_up()).await.map_err(late)?;
        let (playing, task, snapshot) = caught_up?;
        let choices = match task {
            Task::Only(mv) => return Ok(Some(mv)),
            Task::Over => return Ok(None),
            Task::Choice(choices) => choices,
        };
        let chosen = playing.bot.choose(&snapshot, &choices, deadline).await;
        chosen.map(Some).map_err(|why| format!("the bot {why}"))
    }

    /// Sends the result to the bot, if it is known in time.
    async fn send_end(&mut self, deadline: Instant) -> Result<(), String> {
        let Ok(caught_up) = timeout_at(deadline, self.catch_up()).await else {
            return Ok(());
        };
        let (playing, _, snapshot) = caught_up?;
        playing.bot.send_end(&snapshot).await;
        Ok(())
    }
}

/// Waits for the next request about this match, and answers others with [`BUSY`].
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
