//! Takes requests one by one, and looks after the match and its bot.
//!
//! Nothing is computed here: whatever a sheet takes, a request is answered when its clock says so, and
//! a manager that gives a match up is answered at once.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use play::ggp::message::{LastStep, Request, Start};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::bot::Bot;
use super::game::{Seen, Task};
use super::game_thread::{GameThread, Taken};
use super::offer::{Asked, Offer};

/// What is said of a match that is not the one which is played.
const BUSY: &str = "busy";
/// A part of the start clock is for grounding: the bot needs as much for that again, and both may have
/// to look at the first position.
const GROUNDING_SHARE: u32 = 4;
/// It takes no less than the one and no more than the other.
const LEAST_GROUNDING: Duration = Duration::from_millis(200);
const MOST_GROUNDING: Duration = Duration::from_secs(20);
/// How many play clocks, after the start clock, a bot may take to get ready.
const LATE_STARTS: u32 = 3;

/// Who answers game managers.
pub(super) struct Attendant {
    offer: Offer,
    is_busy: Arc<AtomicBool>,
    log: fn(&str),
    playing: Option<Match>,
    /// Bots of matches before, which are ending.
    leaving: JoinSet<()>,
}

/// A match that is played.
struct Match {
    id: String,
    per_move: Duration,
    /// Steps that happened before there was a game to make them in.
    missed: Vec<LastStep>,
    stage: Stage,
}

/// How far a match is.
enum Stage {
    /// The sheet is read, or the bot is started.
    Preparing(Pin<Box<dyn Future<Output = Result<Playing, String>> + Send>>),
    Playing(Box<Playing>),
    /// It cannot be played.
    Failed,
}

/// What a match is played with.
struct Playing {
    thread: GameThread,
    bot: Bot,
}

impl Attendant {
    pub(super) fn new(offer: Offer, is_busy: Arc<AtomicBool>, log: fn(&str)) -> Self {
        Attendant {
            offer,
            is_busy,
            log,
            playing: None,
            leaving: JoinSet::new(),
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
        self.leave();
        while self.leaving.join_next().await.is_some() {}
    }

    /// Gives up the match that is played, if there is one. Its bot ends meanwhile.
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
            // The manager may not be waiting any more.
            let _ = answer.send(said);
        }
    }

    /// Begins a match; `None` if it cannot be played, for which the protocol has no word. If that takes
    /// longer than the start clock, the match begins all the same: the first move may be there in time.
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

    /// Reads the sheet and starts the bot.
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
            let seen = read?;
            let mut bot = Bot::new(&spec, &seen, &id, per_move, startup)?;
            bot.get_ready(&seen, Instant::now() + startup).await?;
            Ok(Playing { thread, bot })
        })
    }

    /// What is left of a clock of this many seconds.
    fn within(&self, seconds: u64) -> Duration {
        let clock = Duration::from_secs(seconds.min(MOST_CLOCK));
        clock.saturating_sub(self.offer.reserve).max(clock / 2)
    }

    /// Moves; `None` if the bot does not, or the game manager tells what cannot be.
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
        // The match is over, or given up: nobody waits for the move.
        Box::pin(self.answer(interrupted, inbox)).await;
        None
    }

    async fn stop(&mut self, last: LastStep) {
        if let Some(playing) = &mut self.playing {
            playing.missed.push(last);
            let deadline = Instant::now() + playing.per_move;
            if let Err(why) = playing.say_end(deadline).await {
                (self.log)(&format!("match {}: {why}", playing.id));
            }
        }
        self.leave();
    }
}

/// The longest clock that is believed, in seconds: a year.
const MOST_CLOCK: u64 = 366 * 24 * 3600;

impl Match {
    /// Waits until the match is prepared, and makes the steps that happened. Gives what came of the last
    /// one, which may be a while in coming.
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

    /// What is to be done after the steps that happened, and what is known then.
    async fn catch_up(&mut self) -> Result<(&mut Playing, Task, Seen), String> {
        let (playing, taken) = self.take().await?;
        let taken = taken.await.map_err(|_| "the game was given up")?;
        let (task, seen) = taken?;
        Ok((playing, task, seen))
    }

    /// The move to make; none if the game is over.
    async fn choose(&mut self, deadline: Instant) -> Result<Option<String>, String> {
        let late = |_| "there was no time to find out what can be done".to_owned();
        let caught_up = timeout_at(deadline, self.catch_up()).await.map_err(late)?;
        let (playing, task, seen) = caught_up?;
        let choices = match task {
            Task::Only(mv) => return Ok(Some(mv)),
            Task::Over => return Ok(None),
            Task::Choice(choices) => choices,
        };
        let chosen = playing.bot.choose(&seen, &choices, deadline).await;
        chosen.map(Some).map_err(|why| format!("the bot {why}"))
    }

    /// Tells the bot how the match ended, if that is found out in time.
    async fn say_end(&mut self, deadline: Instant) -> Result<(), String> {
        let Ok(caught_up) = timeout_at(deadline, self.catch_up()).await else {
            return Ok(());
        };
        let (playing, _, seen) = caught_up?;
        playing.bot.say_end(&seen).await;
        Ok(())
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
