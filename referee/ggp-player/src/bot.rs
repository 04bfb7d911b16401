//! The bot that plays for a game manager, supervised like any other.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use protocol::{
    BotMove, ClockState, End, FromBot, Limits, MatchResult, Millis, MoveList, Opponent, Start,
    StateJson, TimeControl, ToBot, Turn, faults, in_words,
};
use supervisor::{BotFactory, BotProcess, BotSpec, Pool};
use tokio::time::{Instant, timeout_at};

use super::game::{ID, Position, Seen};

/// How long a bot may take to read what asks for nothing.
const NOTICE_LIMIT: Duration = Duration::from_millis(200);
/// What the others are called: game managers do not tell.
const OTHER: &str = "opponent";

/// A bot in one match. If it fails, another process of it plays on from the next step.
pub(super) struct Bot {
    spec: Arc<BotSpec>,
    pool: Pool,
    process: Option<Box<BotProcess>>,
    match_id: String,
    /// How many plies, and how many steps, the process was told.
    told: (usize, usize),
}

impl Bot {
    /// A bot that is not started yet.
    ///
    /// # Errors
    /// If this machine cannot start it.
    pub(super) fn new(
        offered: &BotSpec,
        game: &Seen,
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
            told: (0, 0),
        })
    }

    /// How long a move may take.
    pub(super) fn per_move(&self) -> Duration {
        self.spec
            .time
            .per_move
            .map_or(Duration::ZERO, |time| time.0)
    }

    /// Starts a process, unless there is one, and tells it where the game is.
    ///
    /// # Errors
    /// Why it cannot play, as a sentence.
    pub(super) async fn get_ready(&mut self, game: &Seen, deadline: Instant) -> Result<(), String> {
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
        self.told = (game.plies.len(), game.turn);
        Ok(())
    }

    fn start(&self, game: &Seen) -> Result<ToBot, String> {
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

    /// The move of the bot, one of the legal ones.
    ///
    /// # Errors
    /// What the bot did instead, as part of a sentence. It is ended then.
    pub(super) async fn choose(
        &mut self,
        game: &Seen,
        legal: &[String],
        deadline: Instant,
    ) -> Result<String, String> {
        if let Err(why) = self.get_ready(game, deadline).await {
            return Err(format!("is not there: {why}"));
        }
        let turn = self.turn(game, legal)?;
        self.told = (game.plies.len(), game.turn);
        let Some(mut process) = self.process.take() else {
            return Err("is not there".to_owned());
        };
        // If this is dropped, or the bot fails, the process is gone with it.
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

    fn turn(&self, game: &Seen, legal: &[String]) -> Result<ToBot, String> {
        let (plies, steps) = self.told;
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

    /// Tells the bot how the game ended, if that is known.
    pub(super) async fn say_end(&mut self, game: &Seen) {
        let (Some(process), Some(end)) = (&mut self.process, game.end.clone()) else {
            return;
        };
        let message = ToBot::End(Box::new(End {
            moves: game.plies[self.told.0..].to_vec(),
            result: MatchResult {
                scores: end.tally.scores,
                outcome: end.tally.outcome,
                reason: end.reason,
                faults: Vec::new(),
            },
        }));
        // It may be gone; nothing depends on it any more.
        let _ = process.send(&message, NOTICE_LIMIT, Instant::now()).await;
    }

    /// Ends the process, and waits for that.
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
        let heard = poll_fn(|cx| process.poll_line(cx)).await;
        heard.map_err(|failure| failure.message)?;
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
            FromBot::Ready {} | FromBot::Hello(_) => {
                return Err("did not answer `turn` with `move`".to_owned());
            }
        }
    }
}
