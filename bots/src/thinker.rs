//! What the reference bots share: following the match with the rules at hand, so that a bot is
//! only a way to choose moves and wants neither `state` nor `legal`.

use std::time::{Duration, Instant};

use games::registry::{self, Visitor};
use games::{GAMES, Game, OptionError, Options, ParseError, Rng, Seat, StateError};
use protocol::{BotHello, PlayedMove, Start, Turn, Wants};
use serde_json::Value;
use thiserror::Error;

use crate::clock;
use crate::sdk::{self, Bot, BotError, Choice};

/// A way to choose moves in any game.
pub trait Thinker {
    /// The bot's name.
    fn name(&self) -> &'static str;

    /// A fresh mind for one match.
    fn mind<G: Game>(&self) -> Box<dyn Mind<G>>;
}

/// A thinker at one match of one game, with all that it remembers of it.
pub trait Mind<G: Game> {
    /// Chooses a move.
    fn choose(&mut self, question: &Question<'_, G>, rng: &mut Rng) -> Thought<G>;

    /// A ply was made, by whomever.
    fn played(&mut self, mv: G::Move) {
        let _ = mv;
    }
}

/// The position in which a mind is asked for a move.
#[derive(Debug)]
pub struct Question<'a, G: Game> {
    /// The rules.
    pub game: &'a G,
    /// The position; it is `seat`'s turn.
    pub position: &'a G::Position,
    /// Who asks.
    pub seat: Seat,
    /// When the match is stopped, as a ply of the position; `None` for never.
    pub max_plies: Option<u32>,
    /// When the match is stopped by a position that is there for so many times.
    pub repetition: Option<u32>,
    /// The keys of the positions of the match so far, this one last; empty where repetition does
    /// not matter.
    pub history: &'a [u64],
    /// When the answer should be on its way; `None` without a clock.
    pub deadline: Option<Instant>,
    /// Whether time that is left over can be used later: a game clock runs.
    pub saves: bool,
}

impl<'a, G: Game> Question<'a, G> {
    /// The question without any limit.
    pub fn new(game: &'a G, position: &'a G::Position, seat: Seat) -> Self {
        Question {
            game,
            position,
            seat,
            max_plies: None,
            repetition: None,
            history: &[],
            deadline: None,
            saves: false,
        }
    }
}

/// A chosen move.
#[derive(Clone, Debug)]
pub struct Thought<G: Game> {
    /// The move.
    pub mv: G::Move,
    /// What the log should say about it.
    pub info: Option<Value>,
}

/// Why a match cannot be followed.
#[derive(Debug, Error)]
pub enum FollowError {
    /// There is no such game here.
    #[error("the game `{game}` is unknown; there are {known}")]
    UnknownGame {
        /// The game that was asked for.
        game: String,
        /// The games that there are.
        known: String,
    },
    /// The game does not take these options.
    #[error(transparent)]
    Options(#[from] OptionError),
    /// The start breaks the rules.
    #[error(transparent)]
    State(#[from] StateError),
    /// A ply that was played is not written like a move.
    #[error(transparent)]
    Move(#[from] ParseError),
    /// A ply that was played is not legal.
    #[error("`{mv}` of seat {seat} is not legal after {ply} plies")]
    Illegal {
        /// The move.
        mv: String,
        /// Who is said to have played it.
        seat: Seat,
        /// The plies before it.
        ply: u32,
    },
    /// The bot is asked for a move when by its own account it is not its turn.
    #[error("seat {seat} is asked for a move, but it is not its turn after {ply} plies")]
    NotMyTurn {
        /// The bot's seat.
        seat: Seat,
        /// The plies that were made.
        ply: u32,
    },
    /// There was no `start`.
    #[error("a turn came before any start")]
    NoMatch,
}

/// The bot that a thinker makes.
pub struct Player<T> {
    thinker: T,
    seed: u64,
    table: Option<Box<dyn Table>>,
}

impl<T: Thinker> Player<T> {
    /// A bot whose random choices depend on the seed, the match's id and the seat, and on
    /// nothing else: not on the matches that the process played before.
    pub fn new(thinker: T, seed: u64) -> Self {
        Player {
            thinker,
            seed,
            table: None,
        }
    }
}

impl<T: Thinker> Bot for Player<T> {
    fn hello(&self) -> BotHello {
        BotHello {
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            wants: Wants {
                state: false,
                legal: false,
            },
            ..sdk::hello(self.thinker.name())
        }
    }

    fn start(&mut self, start: &Start) -> Result<(), BotError> {
        let seat = SitDown {
            thinker: &self.thinker,
            seed: self.seed,
            start,
        };
        let table = registry::visit(&start.game, seat).ok_or_else(|| {
            let known: Vec<&str> = GAMES.iter().map(|game| game.info.id).collect();
            FollowError::UnknownGame {
                game: start.game.clone(),
                known: games::options::quoted(&known),
            }
        })?;
        self.table = Some(table?);
        Ok(())
    }

    fn choose(&mut self, turn: &Turn) -> Result<Choice, BotError> {
        let asked = Instant::now();
        let table = self.table.as_mut().ok_or(FollowError::NoMatch)?;
        Ok(table.turn(turn, asked)?)
    }
}

/// A match of a game whose type only the table knows.
trait Table {
    fn turn(&mut self, turn: &Turn, asked: Instant) -> Result<Choice, FollowError>;
}

/// Sets a table up, once the type of the game is known.
struct SitDown<'a, T> {
    thinker: &'a T,
    seed: u64,
    start: &'a Start,
}

impl<T: Thinker> Visitor for SitDown<'_, T> {
    type Output = Result<Box<dyn Table>, FollowError>;

    fn visit<G: Game>(self) -> Self::Output {
        let start = self.start;
        let game = G::new(&Options::read(&G::INFO, &start.options)?)?;
        let position = game.load(&start.state)?;
        let name = games::hash_text(&start.match_id);
        let repetition = start.limits.repetition;
        let history = repetition.map(|_| game.key(&position));
        Ok(Box::new(Following {
            game,
            position,
            seat: start.seat,
            max_plies: start.limits.max_plies,
            repetition,
            history: history.into_iter().collect(),
            rng: Rng::from_parts(&[self.seed, name, start.seat as u64]),
            mind: self.thinker.mind::<G>(),
        }))
    }
}

struct Following<G: Game> {
    game: G,
    position: G::Position,
    seat: Seat,
    /// Counted from the start of the match.
    max_plies: Option<u32>,
    repetition: Option<u32>,
    /// The keys of all positions so far, if there is a limit on repetition.
    history: Vec<u64>,
    rng: Rng,
    mind: Box<dyn Mind<G>>,
}

impl<G: Game> Following<G> {
    /// Plays a ply that was made in the match.
    fn follow(&mut self, played: &PlayedMove) -> Result<(), FollowError> {
        let mv = self.game.parse_move(&played.mv)?;
        let to_move = self.game.to_move(&self.position);
        if to_move != Some(played.seat) || !self.game.is_legal(&self.position, mv) {
            return Err(FollowError::Illegal {
                mv: played.mv.to_string(),
                seat: played.seat,
                ply: self.game.ply(&self.position),
            });
        }
        self.game.play(&mut self.position, mv);
        if self.repetition.is_some() {
            self.history.push(self.game.key(&self.position));
        }
        self.mind.played(mv);
        Ok(())
    }

    /// The match's limit as a ply of the position: a match can start from a later position.
    fn last_ply(&self, turn: &Turn) -> Option<u32> {
        let before = self.game.ply(&self.position).saturating_sub(turn.ply);
        Some(self.max_plies?.saturating_add(before))
    }
}

impl<G: Game> Table for Following<G> {
    fn turn(&mut self, turn: &Turn, asked: Instant) -> Result<Choice, FollowError> {
        turn.moves.iter().try_for_each(|ply| self.follow(ply))?;
        if self.game.to_move(&self.position) != Some(self.seat) {
            return Err(FollowError::NotMyTurn {
                seat: self.seat,
                ply: turn.ply,
            });
        }
        let spend: Option<Duration> = clock::allot(&turn.clock, self.seat);
        let question = Question {
            game: &self.game,
            position: &self.position,
            seat: self.seat,
            max_plies: self.last_ply(turn),
            repetition: self.repetition,
            history: &self.history,
            deadline: spend.map(|spend| asked + spend),
            saves: turn.clock.remaining_ms.is_some(),
        };
        let thought = self.mind.choose(&question, &mut self.rng);
        Ok(Choice::Move {
            mv: text(&self.game, thought.mv),
            info: thought.info,
        })
    }
}

/// A move's text.
pub(crate) fn text<G: Game>(game: &G, mv: G::Move) -> String {
    let mut text = String::new();
    game.write_move(mv, &mut text);
    text
}
