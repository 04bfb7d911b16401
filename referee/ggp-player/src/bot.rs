//! The bot of a match with a game manager, supervised like any other.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use protocol::{
    BotMove, ClockState, End, FromBot, Limits, MatchResult, Millis, MoveList, Opponent, Start,
    StateJson, TimeControl, ToBot, Turn, faults, in_words,
};
use supervisor::{BotFactory, BotProcess, BotSpec, Pool};
use tokio::time::{Instant, timeout_at};

use super::game::{ID, Position, Snapshot};

/// A bot may take this long to read a message that needs no answer.
const NOTICE_LIMIT: Duration = Duration::from_millis(200);
/// The name of other players, which game managers do not send.
const OTHER: &str = "opponent";

/// A bot in one match. If it fails, a new process continues from the next step.
pub(super) struct Bot {
    spec: Arc<BotSpec>,
    pool: Pool,
    process: Option<Box<BotProcess>>,
    match_id: String,
    /// The numbers of plies and of steps that were sent to the process.
    sent: (usize, usize),
}

impl Bot {
    /// Does not start a process yet.
    ///
    /// # Errors
    /// If this machine cannot start it.
    pub(super) fn new(
        offered: &BotSpec,
        game: &Snapshot,
        match_id: &str,
        per_move: Duration,
        startup: Duration,
    ) -> Result<Self, String> {
        let mut spec = offered.clone();
        spec.time = TimeControl {
            per_move: Some(Millis(per_move)),
            startup: Millis(startup),
            ..TimeControl::default()
        };
        game.set.equip(&mut spec);
        let spec = Arc::new(spec);
        let factory = BotFactory::new(std::slice::from_ref(&spec), &[], None);
        let factory = factory.map_err(|error| error.to_string())?;
        Ok(Bot {
            pool: Pool::new(Arc::new(factory)),
            spec,
            process: None,
            match_id: match_id.to_owned(),
            sent: (0, 0),
        })
    }

    pub(super) fn per_move(&self) -> Duration {
        self.spec
            .time
            .per_move
            .map_or(Duration::ZERO, |time| time.0)
    }

    /// Starts a process, unless there is one, and sends it the current position.
    ///
    /// # Errors
    /// The reason why it cannot play, as a sentence.
    pub(super) async fn get_ready(
        &mut self,
        game: &Snapshot,
        deadline: Instant,
    ) -> Result<(), String> {
        if self.process.is_some() {
            return Ok(());
        }
        let start = self.start(game)?;
        let readied = timeout_at(deadline, async {
            let mut started = self.pool.take(std::slice::from_ref(&self.spec)).await;
            let mut process = started
                .remove(0)
                .map_err(|not| format!("the bot {}", not.failure.message))?;
            let now = Instant::now();
            let sent = process.send(&start, self.spec.time.startup.0, now).await;
            sent.map_err(|failure| format!("the bot {}", failure.message))?;
            let ready = next(&mut process).await;
            match ready.map_err(|why| format!("the bot {why}"))? {
                FromBot::Ready {} => Ok(process),
                _ => Err("the bot did not answer `start` with `ready`".to_owned()),
            }
        });
        let late = |_| "the bot did not get ready in time".to_owned();
        self.process = Some(readied.await.map_err(late)??);
        self.sent = (game.plies.len(), game.turn);
        Ok(())
    }

    fn start(&self, game: &Snapshot) -> Result<ToBot, String> {
        let roles = game.rules.roles();
        let players = roles.iter().enumerate().map(|(seat, role)| Opponent {
            name: if seat == game.seat {
                self.spec.name.clone()
            } else {
                OTHER.to_owned()
            },
            role: role.clone(),
        });
        let (state, observation) = split(game.position.clone()?);
        Ok(ToBot::Start(Box::new(Start {
            match_id: self.match_id.clone(),
            game: ID.to_owned(),
            options: game.rules.options().to_json(),
            seat: game.seat,
            role: roles[game.seat].clone(),
            players: players.collect(),
            state,
            observation,
            time: self.spec.time.clone(),
            limits: Limits {
                max_plies: None,
                repetition: None,
            },
            offers: false,
        })))
    }

    /// The bot's move, one of the legal ones.
    ///
    /// # Errors
    /// The other end of the turn, as part of a sentence. The bot's process is ended.
    pub(super) async fn choose(
        &mut self,
        game: &Snapshot,
        legal: &[String],
        deadline: Instant,
    ) -> Result<String, String> {
        if let Err(why) = self.get_ready(game, deadline).await {
            return Err(format!("is not there: {why}"));
        }
        let turn = self.turn(game, legal)?;
        self.sent = (game.plies.len(), game.turn);
        let Some(mut process) = self.process.take() else {
            return Err("is not there".to_owned());
        };
        // The process ends if this is dropped or the bot fails.
        let asked = timeout_at(deadline, async {
            let sent = process.send(&turn, self.per_move(), Instant::now()).await;
            sent.map_err(|failure| failure.message)?;
            answer(&mut process, game.ply).await
        });
        let late = |_| format!("did not move within {}", in_words(self.per_move()));
        let chosen = asked.await.map_err(late).flatten().and_then(|mv| {
            let canonical = gdl::canonical(&mv);
            let mut legal = legal.iter();
            let found =
                legal.find(|other| canonical.is_some() && gdl::canonical(other) == canonical);
            found.cloned().ok_or_else(|| {
                let mv = games::kit::text::shown(&mv);
                format!("answered `{mv}`, which is not legal")
            })
        });
        match &chosen {
            Ok(_) => self.process = Some(process),
            Err(_) => drop(self.pool.dismiss(process)),
        }
        chosen
    }

    fn turn(&self, game: &Snapshot, legal: &[String]) -> Result<ToBot, String> {
        let (plies, steps) = self.sent;
        let (state, observation) = split(game.position.clone()?);
        let mut list = MoveList::default();
        legal.iter().for_each(|mv| list.push(mv));
        Ok(ToBot::Turn(Box::new(Turn {
            ply: game.ply,
            moves: game.plies[plies..].to_vec(),
            sees: game.sees_from(steps),
            state: state.map(StateJson::from),
            observation,
            legal: Some(list),
            clock: ClockState {
                move_ms: Some(Millis(self.per_move())),
                ..ClockState::default()
            },
            offers: Vec::new(),
            lines: None,
        })))
    }

    /// Sends the result to the bot, if it is known.
    pub(super) async fn send_end(&mut self, game: &Snapshot) {
        let (Some(process), Some(end)) = (&mut self.process, game.end.clone()) else {
            return;
        };
        let message = ToBot::End(Box::new(End {
            moves: game.plies[self.sent.0..].to_vec(),
            result: MatchResult {
                scores: end.tally.scores,
                outcome: end.tally.outcome,
                reason: end.reason,
                faults: Vec::new(),
            },
        }));
        // The process may have ended; nothing depends on it.
        let _ = process.send(&message, NOTICE_LIMIT, Instant::now()).await;
    }

    /// Ends the process and waits for it.
    pub(super) async fn end(mut self) {
        if let Some(process) = self.process.take() {
            self.pool.dismiss(process);
        }
        self.pool.end().await;
    }
}

fn split(position: Position) -> (Option<serde_json::Value>, Option<serde_json::Value>) {
    match position {
        Position::State(state) => (Some(state), None),
        Position::Observation(observation) => (None, Some(observation)),
    }
}

/// The next message of a bot.
async fn next(process: &mut BotProcess) -> Result<FromBot, String> {
    loop {
        let line = poll_fn(|cx| process.poll_line(cx)).await;
        line.map_err(|failure| failure.message)?;
        match FromBot::from_line(process.line()) {
            Ok(FromBot::Info(_) | FromBot::Offer(_)) => {}
            Ok(message) => return Ok(message),
            Err(bad) => return Err(faults::bad_line(&bad).message),
        }
    }
}

/// The move that answers a turn.
async fn answer(process: &mut BotProcess, ply: u32) -> Result<String, String> {
    loop {
        match next(process).await? {
            FromBot::Move(BotMove { mv, ply: named, .. }) if named.is_none_or(|p| p == ply) => {
                return Ok(mv.to_string());
            }
            FromBot::Move(_) | FromBot::Info(_) | FromBot::Offer(_) => {}
            FromBot::Resign {} => {
                return Err("resigned, for which the protocol has no word".to_owned());
            }
            FromBot::Fault(fault) => {
                return Err(faults::no_move(fault.message.as_deref()).message);
            }
            FromBot::Ready {} | FromBot::Hello(_) => {
                return Err("did not answer `turn` with `move`".to_owned());
            }
        }
    }
}
