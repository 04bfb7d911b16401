//! The requests to a player in one match, one after another and in the background, so that the match
//! continues while a player thinks about a step in which it has a single move.

use std::time::Duration;

use config::settings::ggp::Address;
use protocol::{Failure, FaultCode, in_words};
use supervisor::{BotSpec, GgpPlayer};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, timeout};

use crate::ggp::client::{self, NoAnswer};
use crate::ggp::message::{self, Request, quoted};
use crate::ggp::seats::{self, Seat};

/// Limit of an answer to `INFO`, which older players do not know.
const INFO_LIMIT: Duration = Duration::from_secs(2);
/// Limit of an answer to `STOP` or `ABORT` before the player may play its next match.
const LAST_LIMIT: Duration = Duration::from_secs(5);
/// A player that says `busy` is asked this often to leave its match.
const BUSY_ATTEMPTS: u32 = 3;
/// The pause between these attempts.
const BUSY_PAUSE: Duration = Duration::from_millis(300);
/// The pause before an unreachable player is tried again. It doubles each time.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// A player that is ready for its match and plays no other.
pub struct Arrival {
    seat: Seat,
    wire: Wire,
    /// The player's description of itself, if it has one.
    ///
    /// # Errors
    /// Why it cannot play.
    pub introduction: Result<Option<String>, Failure>,
}

/// The address of requests.
#[derive(Clone, Debug)]
struct Wire {
    address: Address,
    /// The player's name in this match.
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

    /// Sends a request whose answer does not matter. Returns true if there was one.
    async fn notify(&self, request: &Request) -> bool {
        matches!(timeout(LAST_LIMIT, self.post(request)).await, Ok(Ok(_)))
    }
}

impl Arrival {
    /// Waits until the player is free, and asks for its description unless that is known.
    ///
    /// # Panics
    /// If the address is invalid. Configurations are validated.
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

    /// The conversation of a match, and the task that runs it to its end.
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

/// Asks for the player's description. A player need not answer, but it must be reachable.
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

/// The purpose of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    Ready,
    /// To move in a step with a single legal move. As the clock does not run, there is a limit.
    Forced {
        only: String,
        limit: Duration,
    },
    /// To move where there is a choice.
    Move {
        ply: u32,
    },
}

/// The answer to a request.
#[derive(Debug)]
pub struct Reply {
    pub purpose: Purpose,
    /// # Errors
    ///
    /// The fault of a player that did not answer.
    pub answer: Result<String, Failure>,
    /// When the answer arrived.
    pub at: Instant,
}

/// The state of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// The match goes on.
    Open,
    /// Only the pending requests are sent.
    Finished,
    /// The match is aborted: a pending answer is irrelevant.
    Aborted,
}

/// The match's end of a conversation. Dropping it aborts the match.
#[derive(Debug)]
pub struct Conversation {
    jobs: mpsc::UnboundedSender<(Request, Option<Purpose>)>,
    /// The answers, in the order of the requests.
    pub replies: mpsc::UnboundedReceiver<Reply>,
    ending: watch::Sender<Ending>,
}

impl Conversation {
    /// Queues a request.
    pub fn ask(&self, request: Request, purpose: Purpose) {
        // The task ends only after this.
        let _ = self.jobs.send((request, Some(purpose)));
    }

    /// Queues the end of the match.
    pub fn finish(self, stop: Request) {
        let _ = self.jobs.send((stop, None));
        self.ending.send_replace(Ending::Finished);
    }

    pub fn abort(self) {
        self.ending.send_replace(Ending::Aborted);
    }
}

/// The player's end of a conversation.
struct Task {
    seat: Seat,
    wire: Wire,
    id: String,
    inbox: mpsc::UnboundedReceiver<(Request, Option<Purpose>)>,
    outbox: mpsc::UnboundedSender<Reply>,
    ending: watch::Receiver<Ending>,
}

impl Task {
    async fn run(mut self) {
        let mut ending = self.ending.clone();
        let is_over = tokio::select! {
            biased;
            () = aborted(&mut ending) => false,
            is_over = self.talk() => is_over,
        };
        if !is_over && self.seat.unfinished.is_some() {
            let id = self.id.clone();
            if self.wire.notify(&Request::Abort { id }).await {
                self.seat.unfinished = None;
            }
        }
    }

    /// Sends the queued requests. Returns true if the match came to its end.
    async fn talk(&mut self) -> bool {
        while let Some((request, purpose)) = self.inbox.recv().await {
            let Some(purpose) = purpose else {
                if self.wire.notify(&request).await {
                    self.seat.unfinished = None;
                }
                return true;
            };
            let answer = match &purpose {
                Purpose::Ready => self.start(&request).await,
                Purpose::Forced { limit, .. } => self.forced(&request, *limit).await,
                Purpose::Move { .. } => self.wire.post(&request).await.map_err(no_answer),
            };
            let (is_lost, at) = (answer.is_err(), Instant::now());
            let reply = Reply {
                purpose,
                answer,
                at,
            };
            // If the match is over, nobody receives replies, but the remaining requests are sent.
            let _ = self.outbox.send(reply);
            if is_lost && *self.ending.borrow() == Ending::Open {
                return false;
            }
        }
        false
    }

    /// Starts the match. A player that is still in another one is asked to leave it.
    async fn start(&mut self, request: &Request) -> Result<String, Failure> {
        let before = self.seat.unfinished.replace(self.id.clone());
        for _ in 0..BUSY_ATTEMPTS {
            let answer = self.wire.post(request).await.map_err(no_answer)?;
            if !answer.trim().eq_ignore_ascii_case("busy") {
                return Ok(answer);
            }
            for id in before.iter().chain([&self.id]) {
                self.wire.notify(&Request::Abort { id: id.clone() }).await;
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

/// Returns once the match is aborted; never if it finishes.
async fn aborted(ending: &mut watch::Receiver<Ending>) {
    let is_settled = ending
        .wait_for(|ending| *ending == Ending::Aborted)
        .await
        .is_ok();
    if !is_settled && *ending.borrow() == Ending::Finished {
        std::future::pending().await
    }
}

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

/// The fault of a player that answers `START` with anything but `ready`.
pub(crate) fn not_ready(answer: &str) -> Failure {
    let message = format!("answered `START` with {}, not with `ready`", quoted(answer));
    Failure::new(FaultCode::Protocol, message)
}
