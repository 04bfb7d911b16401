//! The game of a match: its position, its moves, and what the referee draws.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use games::session::MoveError;
use games::{Actor, BrokenRules, Limits, Rng, Rules, Session};
use protocol::{BotHello, Failure, LoggedMove, Millis, MoveText, excerpt, faults};
use serde_json::Value;
use smallvec::SmallVec;

use super::turn::MadeMove;
use crate::adjudication::LimitWatch;
use crate::chance::{Chance, Draws};

/// Faults quote at most this many characters of a list that a bot has sent.
const MAX_QUOTED_LIST: usize = 200;

/// The moves of one step, each with its actor.
pub(super) type Step = SmallVec<[(Actor, MoveText); 1]>;

/// The part of a [`Setup`](crate::Setup) that concerns the game.
pub(super) struct Beginning {
    pub(super) rules: Arc<dyn Rules>,
    pub(super) start: Box<dyn Session>,
    pub(super) opening: Vec<String>,
    pub(super) limits: Limits,
    pub(super) draws: Draws,
    pub(super) recorded: Vec<Option<MoveText>>,
}

pub(super) struct Game {
    rules: Arc<dyn Rules>,
    session: Box<dyn Session>,
    moves: Vec<LoggedMove>,
    /// The observations of each seat of each step; empty unless the game has hidden information.
    observed: Vec<Vec<Vec<Value>>>,
    watch: LimitWatch,
    /// The reason, if a limit has ended the match.
    stopped: Option<&'static str>,
    /// Draws the moves of seats at fault.
    forced: Rng,
    chance: Chance,
    /// Moves that are known from a record and not drawn, by the number of the ply.
    recorded: Vec<Option<MoveText>>,
}

impl Game {
    pub(super) fn new(beginning: Beginning) -> Result<Self, BrokenRules> {
        let draws = beginning.draws;
        let mut game = Game {
            rules: beginning.rules,
            session: beginning.start,
            moves: Vec::new(),
            observed: Vec::new(),
            watch: LimitWatch::new(beginning.limits),
            stopped: None,
            forced: draws.forced(),
            chance: Chance::with(draws),
            recorded: beginning.recorded,
        };
        game.stopped = game.watch.see(&*game.session)?;
        game.play_opening(beginning.opening)?;
        Ok(game)
    }

    /// Plays the opening, which ends with a whole step.
    fn play_opening(&mut self, opening: Vec<String>) -> Result<(), BrokenRules> {
        let mut plies = opening.into_iter();
        while plies.len() > 0 {
            // In this order: `zip` takes no ply once there are no more actors.
            let actors = self.session.to_move().actors();
            let step: Step = actors.zip(plies.by_ref().map(MoveText::from)).collect();
            assert!(!step.is_empty(), "openings do not end games");
            match self.make(&step) {
                Err(MoveError::Broken(broken)) => return Err(broken),
                made => made.expect("openings are legal"),
            }
            for (actor, mv) in step {
                if actor == Actor::Chance {
                    self.chance.skip();
                }
                self.moves.push(referees_move(actor, mv));
            }
        }
        Ok(())
    }

    pub(super) fn rules(&self) -> &dyn Rules {
        &*self.rules
    }

    pub(super) fn session(&self) -> &dyn Session {
        &*self.session
    }

    pub(super) fn moves(&self) -> &[LoggedMove] {
        &self.moves
    }

    pub(super) fn into_moves(self) -> Vec<LoggedMove> {
        self.moves
    }

    pub(super) fn observed_steps(&self) -> &[Vec<Vec<Value>>] {
        &self.observed
    }

    /// True if seats do not see everything.
    pub(super) fn is_hidden(&self) -> bool {
        self.rules.info().hidden
    }

    /// True if one seat moves alone.
    pub(super) fn is_alone(&self) -> bool {
        self.session.to_move().alone().is_some()
    }

    /// The reason why the game is over, or why a limit has ended it.
    pub(super) fn ended(&self) -> Option<Cow<'_, str>> {
        self.session.reason().or(self.stopped.map(Cow::Borrowed))
    }

    /// The fault of a bot whose `hello` says that it does not play this game.
    pub(super) fn refusal(&self, hello: &BotHello) -> Option<Failure> {
        let game = &self.rules.info().id;
        let games = hello.games.as_ref()?;
        (!games.contains(game)).then(|| {
            let list = excerpt(format!("{games:?}").as_bytes(), MAX_QUOTED_LIST);
            faults::other_games(&list, game)
        })
    }

    pub(super) fn each_legal(
        &mut self,
        seat: usize,
        take: &mut dyn FnMut(&str),
    ) -> Result<(), BrokenRules> {
        self.session.each_legal(seat, take)
    }

    /// Checks a seat's move, unless it moves alone: then the move is checked when it is played,
    /// once and for all.
    pub(super) fn check(&mut self, seat: usize, mv: &str) -> Result<(), MoveError> {
        if self.is_alone() {
            Ok(())
        } else {
            self.session.check_move(seat, mv)
        }
    }

    /// The fault of a move that is not legal. It names the move that may have been meant: blanks
    /// around it and another case are the usual slips.
    pub(super) fn illegal_move(
        &mut self,
        seat: usize,
        text: &str,
        error: &MoveError,
    ) -> Result<Failure, BrokenRules> {
        let mut meant = None;
        let wanted = text.trim();
        self.session.each_legal(seat, &mut |legal| {
            if meant.is_none() && legal.eq_ignore_ascii_case(wanted) {
                meant = Some(legal.to_owned());
            }
        })?;
        Ok(match meant {
            Some(meant) => faults::illegal_move(&format!("{error}; did you mean `{meant}`?")),
            None => faults::illegal_move(error),
        })
    }

    /// Plays the step in which bots have made these moves. Seats at fault move at random, and
    /// chance draws. [`Game::record`] must follow.
    ///
    /// # Errors
    /// If one of the moves is illegal, or rules from outside do not work.
    pub(super) fn play(&mut self, moves: &[MadeMove]) -> Result<Step, MoveError> {
        let mut step = Step::new();
        for actor in self.session.to_move().actors() {
            let by_bot = |seat: usize| moves.iter().find(|made| made.seat == seat);
            let mv = if let Actor::Seat(seat) = actor
                && let Some(made) = by_bot(seat)
            {
                made.mv.clone()
            } else if let Some(recorded) = self.recorded(step.len()) {
                recorded
            } else {
                match actor {
                    Actor::Seat(seat) => self.forced_move(seat)?,
                    Actor::Chance => MoveText::from(self.chance.draw(&*self.session)?),
                }
            };
            step.push((actor, mv));
        }
        self.make(&step)?;
        Ok(step)
    }

    /// Appends a step to the moves of this match; the whole match becomes a line of the log at its end.
    pub(super) fn record(&mut self, step: Step, moves: impl IntoIterator<Item = MadeMove>) {
        let mut moves = moves.into_iter().peekable();
        for (actor, mv) in step {
            let mut logged = referees_move(actor, mv);
            if let Actor::Seat(seat) = actor {
                // Both are in the order of the seats.
                match moves.next_if(|made| made.seat == seat) {
                    None => logged.forced = true,
                    Some(made) => {
                        let suspended = made.suspended;
                        logged.ms = Millis(made.used.wall);
                        logged.cpu_ms = made.used.cpu.map(Millis);
                        logged.suspended_ms = (!suspended.is_zero()).then_some(Millis(suspended));
                        logged.info = made.info;
                        logged.offer = made.offer;
                    }
                }
            }
            self.moves.push(logged);
        }
    }

    /// Plays a step without a choice of a bot.
    pub(super) fn play_alone(&mut self) -> Result<(), BrokenRules> {
        let step = self.play(&[]).map_err(refused)?;
        self.record(step, []);
        Ok(())
    }

    /// The recorded move of the ply that comes this many after the next one.
    fn recorded(&self, ahead: usize) -> Option<MoveText> {
        self.recorded.get(self.moves.len() + ahead)?.clone()
    }

    fn forced_move(&mut self, seat: usize) -> Result<MoveText, BrokenRules> {
        let mv = self.session.random_move(seat, &mut self.forced)?;
        mv.map(MoveText::from).ok_or_else(|| {
            BrokenRules::new(format!(
                "the rules list no move for seat {seat}, which is to move"
            ))
        })
    }

    fn make(&mut self, step: &Step) -> Result<(), MoveError> {
        let choices: SmallVec<[&str; 1]> = step.iter().map(|(_, mv)| mv.as_str()).collect();
        self.session.play_step(&choices)?;
        if self.is_hidden() {
            self.observed.push(self.session.sees().to_vec());
        }
        self.stopped = self.watch.see(&*self.session)?;
        Ok(())
    }
}

/// A move without a bot: of the opening, of chance, or of a seat at fault.
fn referees_move(actor: Actor, mv: MoveText) -> LoggedMove {
    LoggedMove {
        seat: match actor {
            Actor::Seat(seat) => Some(seat),
            Actor::Chance => None,
        },
        mv,
        ms: Millis(Duration::ZERO),
        cpu_ms: None,
        suspended_ms: None,
        info: None,
        offer: None,
        forced: false,
        analysis: Box::default(),
    }
}

/// The failure of rules that refuse a step of moves which they have listed or taken before.
pub(super) fn refused(error: MoveError) -> BrokenRules {
    match error {
        MoveError::Broken(broken) => broken,
        other => BrokenRules::new(format!("the rules refuse a move that they list: {other}")),
    }
}
