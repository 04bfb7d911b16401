//! A bot's process from a pool.

use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use protocol::{BadMessage, BotHello, Failure, FromBot, ToBot, faults};
use supervisor::{BotProcess, BotSpec, Evidence, Leaving, NotStarted, Pool};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::{Player, PlayerEvent, StallReason};

pub struct Process<'p> {
    spec: &'p Arc<BotSpec>,
    pool: &'p Pool,
    state: ProcessState,
}

enum ProcessState {
    Running {
        bot: Box<BotProcess>,
        /// No more output can come from it.
        silent: bool,
    },
    /// A replacement is being started.
    Restarting(JoinSet<Started>),
    Absent {
        /// Why it did not start; taken when the match learns of it.
        failure: Option<Failure>,
        evidence: Option<Box<Evidence>>,
    },
    Dismissed(Leaving),
}

/// A started process, or why there is none.
pub type Started = Result<Box<BotProcess>, NotStarted>;

/// A bot's state after a match.
pub enum After {
    /// Able to play on.
    Fit(Box<BotProcess>),
    /// At fault; the pool ends it.
    Leaving(Leaving),
    /// Not started; possibly with an explanation.
    Absent(Option<Box<Evidence>>),
}

impl From<Started> for ProcessState {
    fn from(started: Started) -> Self {
        match started {
            Ok(bot) => ProcessState::Running { bot, silent: false },
            Err(not) => ProcessState::Absent {
                failure: Some(not.failure),
                evidence: not.evidence,
            },
        }
    }
}

impl<'p> Process<'p> {
    /// A process from the pool, or the reason why there is none.
    pub fn new(started: Started, spec: &'p Arc<BotSpec>, pool: &'p Pool) -> Self {
        Process {
            spec,
            pool,
            state: started.into(),
        }
    }

    /// `None` unless the process is running.
    pub fn bot(&self) -> Option<&BotProcess> {
        match &self.state {
            ProcessState::Running { bot, .. } => Some(bot),
            _ => None,
        }
    }

    fn bot_mut(&mut self) -> Option<&mut BotProcess> {
        match &mut self.state {
            ProcessState::Running { bot, .. } => Some(bot),
            _ => None,
        }
    }

    fn leave(&mut self) -> ProcessState {
        let nobody = ProcessState::Absent {
            failure: None,
            evidence: None,
        };
        std::mem::replace(&mut self.state, nobody)
    }

    pub fn after(self) -> After {
        match self.state {
            ProcessState::Running { bot, silent: false } => After::Fit(bot),
            ProcessState::Running { bot, silent: true } => After::Leaving(self.pool.dismiss(bot)),
            ProcessState::Restarting(_) => After::Absent(None),
            ProcessState::Absent { evidence, .. } => After::Absent(evidence),
            ProcessState::Dismissed(leaving) => After::Leaving(leaving),
        }
    }
}

impl Player for Process<'_> {
    fn join(&mut self) -> Result<Box<BotHello>, Failure> {
        match &mut self.state {
            ProcessState::Running { bot, .. } => Ok(Box::new(bot.hello().clone())),
            ProcessState::Absent { failure, .. } => {
                Err(failure.take().unwrap_or_else(faults::not_there))
            }
            ProcessState::Restarting(_) | ProcessState::Dismissed(_) => Err(faults::not_there()),
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<PlayerEvent> {
        match &mut self.state {
            ProcessState::Running { bot, silent } if !*silent => {
                let came = ready!(bot.poll_line(cx));
                *silent = came.is_err();
                Poll::Ready(came.map_or_else(PlayerEvent::Failed, PlayerEvent::Message))
            }
            ProcessState::Restarting(starting) => {
                let Some(started) = ready!(starting.poll_join_next(cx)) else {
                    return Poll::Pending;
                };
                self.state = match started {
                    Ok(started) => started.into(),
                    Err(error) => std::panic::resume_unwind(error.into_panic()),
                };
                Poll::Ready(PlayerEvent::Arrived)
            }
            _ => Poll::Pending,
        }
    }

    fn message(&mut self) -> Result<FromBot, BadMessage> {
        FromBot::from_line(self.bot().map_or(&[][..], BotProcess::line))
    }

    async fn send(
        &mut self,
        message: &ToBot,
        limit: Duration,
        now: Instant,
    ) -> Result<(), Failure> {
        match self.bot_mut() {
            Some(bot) => bot.send(message, limit, now).await,
            None => Ok(()),
        }
    }

    fn cpu(&mut self, now: Instant) -> Option<Duration> {
        self.bot_mut()?.cpu(now)
    }

    async fn rest(&mut self) {
        if let Some(bot) = self.bot_mut() {
            bot.rest().await;
        }
    }

    async fn wake(&mut self) {
        if let Some(bot) = self.bot_mut() {
            bot.wake().await;
        }
    }

    fn stall(&self) -> StallReason {
        let stall = self.bot().map(BotProcess::stall);
        Box::pin(async move { Some(stall?.await?.to_string()) })
    }

    async fn exit(&mut self) -> Option<String> {
        Some(self.bot_mut()?.exit_with_stderr().await)
    }

    /// Only a process that has played before may have exited between two matches. Whether that is
    /// noticed before the next one begins is a race.
    fn replace(&mut self) -> bool {
        if !self.bot().is_some_and(BotProcess::has_played) {
            return false;
        }
        self.dismiss();
        let mut starting = JoinSet::new();
        starting.spawn(self.pool.start(self.spec.clone()));
        self.state = ProcessState::Restarting(starting);
        true
    }

    fn dismiss(&mut self) {
        self.state = match self.leave() {
            ProcessState::Running { bot, .. } => ProcessState::Dismissed(self.pool.dismiss(bot)),
            gone => gone,
        };
    }
}
