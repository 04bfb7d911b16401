//! A player over HTTP, which is queried at every step of a sheet.

#[cfg(test)]
mod tests;

use std::task::{Context, Poll, ready};
use std::time::Duration;

use arbiter::Arbiter;
use games::{BrokenRules, Rng, Rules, Session};
use gdl::Script;
use protocol::{
    BadMessage, BotHello, BotMove, Failure, FaultCode, FromBot, MoveText, TimeControl, ToBot, Wants,
};
use supervisor::BotSpec;
use tokio::time::Instant;

use super::{Player, PlayerEvent, StallReason, insider};
use crate::ggp::conversation::{Purpose, Reply, not_ready};
use crate::ggp::follower::Follower;
use crate::ggp::message::{LastStep, Request, Start, quoted};
use crate::ggp::{Arrival, Conversation};

/// Separates the names of scrambled sheets from other streams of a match's seed.
const SCRAMBLED_NAMES: u64 = 0x0067_6770;
/// The limit of a move for players that have none.
const UNTIMED: Duration = Duration::from_secs(60);

/// A GGP player in a match.
pub struct Ggp {
    name: String,
    introduction: Result<Option<String>, Failure>,
    /// `None` once there is nothing more to send.
    conversation: Option<Conversation>,
    match_id: String,
    time: TimeControl,
    script: Script,
    follower: Follower,
    /// Plies of the match that the follower has processed.
    known: usize,
    /// Pending answers to steps with a single move.
    forced: usize,
    /// Received but not taken yet.
    message: Option<FromBot>,
    /// A fault that the match does not know yet.
    failure: Option<Failure>,
}

pub struct GgpMatch<'m> {
    pub id: &'m str,
    pub rules: &'m dyn Rules,
    pub start: &'m dyn Session,
    pub opening: &'m [String],
    pub seed: u64,
}

impl Ggp {
    /// Puts an arrived player into a seat. Also returns the task that runs the conversation.
    ///
    /// # Errors
    /// If the rules do not work.
    ///
    /// # Panics
    /// If the rules are not a sheet. Configurations are validated.
    pub fn new(
        spec: &BotSpec,
        arrival: Arrival,
        seat: usize,
        played: &GgpMatch<'_>,
    ) -> Result<(Self, impl Future<Output = ()> + Send + 'static), BrokenRules> {
        let mut start = played.start.fork();
        let opened = games::session::PlyByPly::default().add_all(&mut *start, played.opening);
        opened.map_err(|error| BrokenRules::new(format!("an opening of theirs: {error}")))?;
        let followed = Follower::new(played.rules, &*start, seat);
        let (follower, script) = followed.expect("rules that are a sheet")?;
        let scramble = spec.ggp.as_ref().is_some_and(|player| player.scramble);
        let script = if scramble {
            let parts = [played.seed, SCRAMBLED_NAMES, seat as u64];
            script.scrambled(Rng::from_parts(&parts).next_u64())
        } else {
            script
        };
        let introduction = arrival.introduction.clone();
        let (conversation, task) = arrival.talk(played.id);
        let player = Ggp {
            name: spec.name.clone(),
            introduction,
            conversation: Some(conversation),
            match_id: played.id.to_owned(),
            time: spec.time.clone(),
            script,
            follower,
            known: played.opening.len(),
            forced: 0,
            message: None,
            failure: None,
        };
        Ok((player, task))
    }

    /// The player's description of itself.
    pub fn version(&self) -> Option<&str> {
        self.introduction.as_ref().ok()?.as_deref()
    }

    fn ask(&self, request: Request, purpose: Purpose) {
        if let Some(conversation) = &self.conversation {
            conversation.ask(request, purpose);
        }
    }

    fn start(&self) -> Request {
        let role = self.follower.role();
        let seconds = |time: Duration| time.as_secs().max(1);
        Request::Start(Box::new(Start {
            id: self.match_id.clone(),
            role: self.script.sent(role).unwrap_or_else(|| role.to_owned()),
            sheet: self.script.text(),
            start_clock: seconds(self.time.startup.0),
            play_clock: seconds(self.per_move()),
        }))
    }

    fn per_move(&self) -> Duration {
        self.time.per_move.map_or(UNTIMED, |time| time.0)
    }

    fn play(&self, last: &LastStep) -> Request {
        Request::Play {
            id: self.match_id.clone(),
            last: last.sent(&self.script),
        }
    }

    /// Processes a reply. Returns an event if the match needs one.
    fn take(&mut self, reply: Reply) -> Option<PlayerEvent> {
        let Reply {
            purpose,
            answer,
            at,
        } = reply;
        if let Purpose::Forced { .. } = purpose {
            self.forced -= 1;
        }
        let judged = answer.and_then(|answer| self.judge(&purpose, &answer));
        match judged {
            Ok(message) => {
                self.message = message;
                self.message.is_some().then_some(PlayerEvent::Message(at))
            }
            Err(failure) => {
                self.failure = Some(failure);
                None
            }
        }
    }

    /// Interprets an answer; `None` for the only move of a step, which is no ply of the match.
    ///
    /// # Errors
    /// If it is no valid answer.
    fn judge(&self, purpose: &Purpose, answer: &str) -> Result<Option<FromBot>, Failure> {
        if *purpose == Purpose::Ready {
            return if answer.trim().eq_ignore_ascii_case("ready") {
                Ok(Some(FromBot::Ready {}))
            } else {
                Err(not_ready(answer))
            };
        }
        let said = || format!("answered `PLAY` with {}", quoted(answer));
        let received = self.script.received(answer);
        let Some(received) = received.and_then(|mv| gdl::canonical(&mv)) else {
            let message = said() + ", which is no term of this sheet";
            return Err(Failure::new(FaultCode::Protocol, message));
        };
        let illegal = |why: String| Failure::new(FaultCode::IllegalMove, said() + &why);
        let Purpose::Move { ply } = purpose else {
            return self.check_forced(purpose, &received).map_err(illegal);
        };
        let mv = self.follower.find(&received);
        let mv = mv.ok_or_else(|| illegal(", which is not legal here".to_owned()))?;
        Ok(Some(FromBot::Move(BotMove {
            mv: MoveText::from(mv),
            ply: Some(*ply),
            info: None,
        })))
    }

    /// Checks an answer, in its canonical form, in a step with a single move.
    fn check_forced(&self, purpose: &Purpose, received: &str) -> Result<Option<FromBot>, String> {
        let Purpose::Forced { only, .. } = purpose else {
            return Ok(None);
        };
        if gdl::canonical(only).as_deref() == Some(received) {
            return Ok(None);
        }
        let sent = self.script.sent(only).unwrap_or_else(|| only.clone());
        Err(format!(
            " in a step in which `{sent}` is its only legal move"
        ))
    }

    fn abort(&mut self) {
        if let Some(conversation) = self.conversation.take() {
            conversation.abort();
        }
    }
}

impl Player for Ggp {
    fn join(&mut self) -> Result<Box<BotHello>, Failure> {
        let version = self.introduction.clone()?;
        let wants = Wants {
            state: false,
            legal: false,
        };
        let mut hello = insider(&self.name, wants);
        hello.version = version;
        Ok(hello)
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<PlayerEvent> {
        loop {
            if let Some(failure) = self.failure.take() {
                self.abort();
                return Poll::Ready(PlayerEvent::Failed(failure));
            }
            let Some(conversation) = &mut self.conversation else {
                return Poll::Pending;
            };
            let Some(reply) = ready!(conversation.replies.poll_recv(cx)) else {
                return Poll::Pending;
            };
            if let Some(event) = self.take(reply) {
                return Poll::Ready(event);
            }
        }
    }

    fn message(&mut self) -> Result<FromBot, BadMessage> {
        Ok(self.message.take().expect("a message has just arrived"))
    }

    async fn send(
        &mut self,
        message: &ToBot,
        _limit: Duration,
        _now: Instant,
    ) -> Result<(), Failure> {
        match message {
            ToBot::Start(_) => self.ask(self.start(), Purpose::Ready),
            ToBot::Turn(turn) => {
                if let Some(failure) = self.failure.take() {
                    self.abort();
                    return Err(failure);
                }
                let play = self.play(self.follower.last());
                self.ask(play, Purpose::Move { ply: turn.ply });
            }
            ToBot::End(_) if self.follower.is_over() => {
                let stop = Request::Stop {
                    id: self.match_id.clone(),
                    last: self.follower.last().sent(&self.script),
                };
                if let Some(conversation) = self.conversation.take() {
                    conversation.finish(stop);
                }
            }
            ToBot::End(_) => self.abort(),
            ToBot::Hello { .. } | ToBot::Error { .. } | ToBot::Quit => {}
        }
        Ok(())
    }

    /// Steps with a single move are no plies of the match, but the player is asked in them as well. It
    /// is asked at once, as others may think longer.
    fn observe(&mut self, arbiter: &Arbiter) {
        if self.conversation.is_none() || !(arbiter.is_in_play() || arbiter.is_over()) {
            return;
        }
        let plies = &arbiter.moves()[self.known..];
        let begun = self.follower.follow(plies.iter().map(|ply| &*ply.mv));
        self.known = arbiter.moves().len();
        let begun = match begun {
            Ok(begun) => begun,
            Err(error) => {
                let message = format!("cannot be told what happened: {error}");
                self.failure = Some(Failure::new(FaultCode::Crash, message));
                return;
            }
        };
        // A match that ends before its game is aborted; no step begins.
        if arbiter.is_over() && !self.follower.is_over() {
            return;
        }
        let limit = self.per_move() + self.time.margin.0;
        for step in begun {
            if let Some(only) = step.forced {
                self.forced += 1;
                self.ask(self.play(&step.last), Purpose::Forced { only, limit });
            }
        }
    }

    async fn catch_up(&mut self) {
        while self.forced > 0
            && self.failure.is_none()
            && let Some(conversation) = &mut self.conversation
            && let Some(reply) = conversation.replies.recv().await
        {
            let event = self.take(reply);
            debug_assert!(event.is_none(), "only steps with one move were asked for");
        }
    }

    fn stall(&self) -> StallReason {
        Box::pin(std::future::ready(Some(
            "it has not answered over HTTP".to_owned(),
        )))
    }

    fn dismiss(&mut self) {
        self.abort();
    }
}
