//! What is said to a player in one match: one request after another, in the background, so that the
//! match goes on while a player thinks about a step in which it has one move.

use std::time::Duration;

use config::settings::ggp::Address;
use protocol::{Failure, FaultCode, in_words};
use supervisor::{BotSpec, GgpPlayer};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, timeout};

use crate::ggp::client::{self, NoAnswer};
use crate::ggp::message::{self, Request, quoted};
use crate::ggp::seats::{self, Seat};

/// How long an answer to `INFO` is waited for. Older players do not know it.
const INFO_LIMIT: Duration = Duration::from_secs(2);
/// How long an answer to `STOP` or `ABORT` is waited for before the player may play its next match.
const LAST_LIMIT: Duration = Duration::from_secs(5);
/// How often a player that says `busy` is told to leave its match.
const BUSY_ATTEMPTS: u32 = 3;
/// How long such a player is left alone then.
const BUSY_PAUSE: Duration = Duration::from_millis(300);
/// The pause before a player that is not there is looked for again; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// A player that waits for its match, and plays no other.
pub struct Arrival {
    seat: Seat,
    wire: Wire,
    /// What it says about itself, if it says anything.
    ///
    /// # Errors
    /// Why it cannot play.
    pub introduction: Result<Option<String>, Failure>,
}

/// Where requests go.
#[derive(Clone, Debug)]
struct Wire {
    address: Address,
    /// The player's name here.
    receiver: String,
}

impl Wire {
    async fn post(&self, request: &Request) -> Result<String, NoAnswer> {
        client::post(
            &self.address,
            &self.receiver,
            request.name(),
            request.text(),
        )
        .await
    }

    /// Says something to which no answer matters. Gives whether there was one.
    async fn tell(&self, request: &Request) -> bool {
        matches!(timeout(LAST_LIMIT, self.post(request)).await, Ok(Ok(_)))
    }
}

impl Arrival {
    /// Waits until the player is free, and asks it who it is, if that is not known.
    ///
    /// # Panics
    /// If the address is none: configurations are checked.
    pub async fn of(spec: &BotSpec, player: &GgpPlayer) -> Self {
        let url = format!("http://{}", player.address);
        let wire = Wire {
            address: Address::parse(&url).expect("an address that was checked"),
            receiver: spec.name.clone(),
        };
        let mut seat = seats::take(&player.address).await;
        let attempts = if seat.is_missing {
            1
        } else {
            spec.start_attempts
        };
        let introduction = match &seat.introduction {
            Some(known) => Ok(known.clone()),
            None => introduce(&wire, attempts).await,
        };
        seat.is_missing = introduction.is_err();
        seat.introduction = introduction.as_ref().ok().cloned();
        Arrival {
            seat,
            wire,
            introduction,
        }
    }

    /// The conversation of a match, and the task that carries it on to its end.
    pub fn talk(self, match_id: &str) -> (Conversation, impl Future<Output = ()> + Send + 'static) {
        let (jobs, inbox) = mpsc::unbounded_channel();
        let (outbox, replies) = mpsc::unbounded_channel();
        let (ending, watched) = watch::channel(Ending::Open);
        let task = Task {
            seat: self.seat,
            wire: self.wire,
            id: match_id.to_owned(),
            inbox,
            outbox,
            ending: watched,
        };
        let conversation = Conversation {
            jobs,
            replies,
            ending,
        };
        (conversation, task.run())
    }
}

/// Asks a player who it is. Silence is no failure, but nobody at that address is.
async fn introduce(wire: &Wire, attempts: u32) -> Result<Option<String>, Failure> {
    let mut pause = FIRST_PAUSE;
    for attempt in 1.. {
        let error = match timeout(INFO_LIMIT, wire.post(&Request::Info)).await {
            Ok(Ok(answer)) => return Ok(message::introduction(&answer)),
            Ok(Err(error @ NoAnswer::Unreachable { .. })) => error,
            Ok(Err(_)) | Err(_) => return Ok(None),
        };
        if attempt >= attempts {
            return Err(Failure::new(FaultCode::Startup, error.to_string()));
        }
        sleep(pause).await;
        pause *= 2;
    }
    unreachable!("there is a last attempt")
}

/// What an answer is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// To get ready.
    Ready,
    /// To move in a step in which it has only this move. The clock does not run, so there is a limit.
    Forced {
        /// Its move.
        only: String,
        /// How long it may take.
        limit: Duration,
    },
    /// To move where it has a choice, at this ply.
    Move {
        /// The ply.
        ply: u32,
    },
}

/// What came of a request.
#[derive(Debug)]
pub struct Reply {
    /// What was asked.
    pub asked: Asked,
    /// What was answered.
    ///
    /// # Errors
    /// The fault of a player that did not answer.
    pub answer: Result<String, Failure>,
    /// When the answer was there.
    pub at: Instant,
}

/// How far a conversation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// The match goes on.
    Open,
    /// Nothing is said after what is being said.
    Finished,
    /// The match is given up: whatever is being said does not matter any more.
    GivenUp,
}

/// The match's end of a conversation. If it is dropped, the match is given up.
#[derive(Debug)]
pub struct Conversation {
    jobs: mpsc::UnboundedSender<(Request, Option<Asked>)>,
    /// What came of the requests, in their order.
    pub replies: mpsc::UnboundedReceiver<Reply>,
    ending: watch::Sender<Ending>,
}

impl Conversation {
    /// Asks something, after what was asked before.
    pub fn ask(&self, request: Request, asked: Asked) {
        // The task ends only after this.
        let _ = self.jobs.send((request, Some(asked)));
    }

    /// Says that the match is over, after what was asked before.
    pub fn finish(self, stop: Request) {
        let _ = self.jobs.send((stop, None));
        self.ending.send_replace(Ending::Finished);
    }

    /// Gives the match up at once.
    pub fn give_up(self) {
        self.ending.send_replace(Ending::GivenUp);
    }
}

/// The player's end of a conversation.
struct Task {
    seat: Seat,
    wire: Wire,
    id: String,
    inbox: mpsc::UnboundedReceiver<(Request, Option<Asked>)>,
    outbox: mpsc::UnboundedSender<Reply>,
    ending: watch::Receiver<Ending>,
}

impl Task {
    async fn run(mut self) {
        let mut ending = self.ending.clone();
        let is_over = tokio::select! {
            biased;
            () = given_up(&mut ending) => false,
            is_over = self.talk() => is_over,
        };
        if !is_over && self.seat.unfinished.is_some() {
            let id = self.id.clone();
            if self.wire.tell(&Request::Abort { id }).await {
                self.seat.unfinished = None;
            }
        }
    }

    /// Says one thing after another. Gives whether the match has come to its end.
    async fn talk(&mut self) -> bool {
        while let Some((request, asked)) = self.inbox.recv().await {
            let Some(asked) = asked else {
                if self.wire.tell(&request).await {
                    self.seat.unfinished = None;
                }
                return true;
            };
            let answer = match &asked {
                Asked::Ready => self.start(&request).await,
                Asked::Forced { limit, .. } => self.forced(&request, *limit).await,
                Asked::Move { .. } => self.wire.post(&request).await.map_err(no_answer),
            };
            let (is_lost, at) = (answer.is_err(), Instant::now());
            let reply = Reply { asked, answer, at };
            // Nobody listens any more if the match is over: what is left to be said is.
            let _ = self.outbox.send(reply);
            if is_lost && *self.ending.borrow() == Ending::Open {
                return false;
            }
        }
        false
    }

    /// Begins the match. A player that believes that another one goes on is told that it does not.
    async fn start(&mut self, request: &Request) -> Result<String, Failure> {
        let before = self.seat.unfinished.replace(self.id.clone());
        for _ in 0..BUSY_ATTEMPTS {
            let answer = self.wire.post(request).await.map_err(no_answer)?;
            if !answer.trim().eq_ignore_ascii_case("busy") {
                return Ok(answer);
            }
            for id in before.iter().chain([&self.id]) {
                self.wire.tell(&Request::Abort { id: id.clone() }).await;
            }
            sleep(BUSY_PAUSE).await;
        }
        let message = "is busy with another match, and stays so after `ABORT`";
        Err(Failure::new(FaultCode::Startup, message))
    }

    async fn forced(&self, request: &Request, limit: Duration) -> Result<String, Failure> {
        match timeout(limit, self.wire.post(request)).await {
            Ok(answer) => answer.map_err(no_answer),
            Err(_) => {
                let message = format!(
                    "did not answer `PLAY` of a step in which it has one move within {}",
                    in_words(limit)
                );
                Err(Failure::new(FaultCode::Timeout, message))
            }
        }
    }
}

/// Returns when the match is given up; never if it is finished.
async fn given_up(ending: &mut watch::Receiver<Ending>) {
    let is_told = ending
        .wait_for(|ending| *ending == Ending::GivenUp)
        .await
        .is_ok();
    if !is_told && *ending.borrow() == Ending::Finished {
        std::future::pending().await
    }
}

/// The fault of a player without an answer.
fn no_answer(error: NoAnswer) -> Failure {
    let code = match error {
        NoAnswer::Unreachable { .. } | NoAnswer::Closed(_) | NoAnswer::ClosedHalfWay(_) => {
            FaultCode::Crash
        }
        NoAnswer::NotHttp { .. } | NoAnswer::Status { .. } | NoAnswer::TooLong(_) => {
            FaultCode::Protocol
        }
    };
    Failure::new(code, error.to_string())
}

/// The fault of a player that answers `START` with something else than `ready`.
pub(crate) fn not_ready(answer: &str) -> Failure {
    let message = format!("answered `START` with {}, not with `ready`", quoted(answer));
    Failure::new(FaultCode::Protocol, message)
}
