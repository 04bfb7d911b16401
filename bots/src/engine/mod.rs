//! The common part of the reference bots: an [`Engine`] chooses moves, and [`EngineBot`] makes a bot of it.
//!
//! The bot follows the match by the rules itself, so it asks for neither `state` nor `legal` where all
//! games are compiled in. Games whose rules come from outside are played through
//! [`SessionSearch`], and unknown games by the legal moves alone.

pub(crate) mod greedy;
pub mod level;
pub(crate) mod random;

use std::time::{Duration, Instant};

use games::registry::{self, Visitor};
use games::settlement::{Budget, Settlement};
use games::{Catalog, Entry, Game, Options, Rng, Seat};
use protocol::{BotHello, Offer, PlayedMove, Start, Turn, Wants};
use serde_json::Value;

use crate::any_game::{ByLegal, FollowedSession, SessionSearch};
use crate::sdk::{self, Bot, BotError, Choice};
use crate::turn::analysis::Analysis;
use crate::turn::clock;
pub(crate) use crate::turn::current_match::CurrentMatch;
pub use crate::turn::current_match::FollowError;
use crate::turn::offers;

pub(crate) const RANDOM: &str = "random";

/// A way to choose moves in any game.
pub trait Engine {
    /// The name of the bot, as in `hello`.
    fn name(&self) -> &'static str;

    /// Starts a search for one match.
    fn new_search<G: Game>(&self) -> Box<dyn Search<G>>;

    /// Starts a search for one match of a game that is not compiled in; `None` if the engine plays no
    /// such game.
    fn new_session_search(&self) -> Option<Box<dyn SessionSearch>>;
}

/// An engine at work on one match, with everything that it keeps from turn to turn.
pub trait Search<G: Game> {
    /// Chooses a move. There is at least one legal move.
    fn choose(&mut self, question: &Question<'_, G>, rng: &mut Rng) -> Decision<G>;

    /// The same for an audience: the `info` of the decision has several best lines, and the
    /// search reports them while it goes on. By default it does neither.
    fn analyse(
        &mut self,
        question: &Question<'_, G>,
        analysis: &mut Analysis<'_>,
        rng: &mut Rng,
    ) -> Decision<G> {
        let _ = analysis;
        self.choose(question, rng)
    }

    /// Called after every ply of the match, its own included.
    fn played(&mut self, mv: G::Move) {
        let _ = mv;
    }
}

/// A position in which a search has to find a move, and the limits that apply.
#[derive(Debug)]
pub struct Question<'a, G: Game> {
    /// The rules under the options of the match.
    pub game: &'a G,
    /// The position; it is `seat`'s turn.
    pub position: &'a G::Position,
    /// The seat that the move is for.
    pub seat: Seat,
    /// The ply at which the match is stopped, counted as the position counts; `None` for no limit.
    pub max_plies: Option<u32>,
    /// The match is stopped when a position occurs this many times; `None` for no limit.
    pub repetition: Option<u32>,
    /// The keys of the positions of the match so far, this one last; empty if there is no limit on
    /// repetition.
    pub history: &'a [u64],
    /// When to answer at the latest; `None` without a clock.
    pub deadline: Option<Instant>,
    /// True if time that is left over can be used later, because a game clock runs.
    pub can_save_time: bool,
}

impl<'a, G: Game> Question<'a, G> {
    /// A question without any limits.
    pub fn new(game: &'a G, position: &'a G::Position, seat: Seat) -> Self {
        Question {
            game,
            position,
            seat,
            max_plies: None,
            repetition: None,
            history: &[],
            deadline: None,
            can_save_time: false,
        }
    }
}

/// The decision of a search.
#[derive(Clone, Debug)]
pub struct Decision<G: Game> {
    /// The move to play.
    pub mv: G::Move,
    /// The `info` of the move, for the log.
    pub info: Option<Value>,
}

/// A bot that plays the moves of an engine.
pub struct EngineBot<E> {
    engine: E,
    seed: u64,
    catalog: Catalog,
    current: Option<Box<dyn CurrentMatch>>,
}

impl<E: Engine> EngineBot<E> {
    /// A bot for the games of a catalog. Its random choices depend on the seed, the match's id and the
    /// seat alone, not on the matches that the process played before.
    pub fn new(engine: E, seed: u64, catalog: Catalog) -> Self {
        EngineBot {
            engine,
            seed,
            catalog,
            current: None,
        }
    }

    /// True if there are games that are not compiled in.
    fn has_rules_from_outside(&self) -> bool {
        self.catalog.iter().any(|game| game.builtin().is_none())
    }

    /// `None` for all games.
    fn games(&self) -> Option<Vec<String>> {
        if !self.has_rules_from_outside() || self.engine.new_session_search().is_some() {
            return None;
        }
        let compiled_in = self.catalog.iter().filter(|game| game.builtin().is_some());
        Some(compiled_in.map(|game| game.info.id.clone()).collect())
    }

    fn open(&self, start: &Start) -> Result<Box<dyn CurrentMatch>, FollowError> {
        let entry = match self.catalog.find(&start.game) {
            Ok(entry) => entry,
            // The referee knows more games than this bot; it may list the moves.
            Err(_) if self.has_rules_from_outside() => {
                let why = format!("the game `{}` is unknown to this bot", start.game);
                return Ok(Box::new(self.by_legal(start, why)));
            }
            Err(unknown) => {
                let known: Vec<&str> = unknown.known.iter().map(String::as_str).collect();
                return Err(FollowError::UnknownGame {
                    game: start.game.clone(),
                    known: games::kit::text::quoted(&known),
                });
            }
        };
        let open = OpenMatch {
            engine: &self.engine,
            rng: self.rng(start),
            start,
        };
        let builtin = entry.builtin();
        match builtin.and_then(|id| registry::visit(id, &start.options, open)) {
            Some(opened) => opened,
            None => self.open_session(entry, start),
        }
    }

    /// Starts a match with external rules. If the rules do not work, the bot plays by the legal
    /// moves alone.
    fn open_session(
        &self,
        entry: &Entry,
        start: &Start,
    ) -> Result<Box<dyn CurrentMatch>, FollowError> {
        let rng = self.rng(start);
        let search = self.engine.new_session_search();
        let search = search.ok_or_else(|| FollowError::NotCompiledIn {
            bot: self.engine.name(),
            game: start.game.clone(),
        })?;
        let opened = entry
            .configure(&start.options)
            .map_err(FollowError::from)
            .and_then(|rules| FollowedSession::open(rules, start, search, rng));
        match opened {
            Ok(followed) => Ok(Box::new(followed)),
            Err(FollowError::Broken(broken)) => {
                eprintln!("{broken}; all moves are random");
                Ok(Box::new(self.by_legal(start, broken.to_string())))
            }
            Err(error) => Err(error),
        }
    }

    /// Random moves where a search should decide, for this reason.
    fn by_legal(&self, start: &Start, why: String) -> ByLegal {
        ByLegal {
            rng: self.rng(start),
            // Who plays at random in any case has nothing to warn of.
            why: (self.engine.name() != RANDOM).then_some(why),
        }
    }

    fn rng(&self, start: &Start) -> Rng {
        let match_hash = games::hash_text(&start.match_id);
        Rng::from_parts(&[self.seed, match_hash, start.seat as u64])
    }
}

impl<E: Engine> Bot for EngineBot<E> {
    fn hello(&self) -> BotHello {
        // `hello` goes out before the game is known.
        let outside = self.has_rules_from_outside();
        BotHello {
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            games: self.games(),
            wants: Wants {
                state: outside,
                legal: outside,
            },
            ..sdk::hello(self.engine.name())
        }
    }

    fn start(&mut self, start: &Start) -> Result<(), BotError> {
        self.current = None;
        self.current = Some(self.open(start)?);
        Ok(())
    }

    fn choose(&mut self, turn: &Turn) -> Result<Choice, BotError> {
        self.think(turn, &mut |_| {})
    }

    fn think(&mut self, turn: &Turn, report: &mut dyn FnMut(Value)) -> Result<Choice, BotError> {
        let asked = Instant::now();
        let current = self.current.as_mut().ok_or(FollowError::NoMatch)?;
        Ok(current.turn(turn, asked, report)?)
    }
}

/// Opens a match once the registry knows the type of its game.
struct OpenMatch<'a, E> {
    engine: &'a E,
    rng: Rng,
    start: &'a Start,
}

impl<E: Engine> Visitor for OpenMatch<'_, E> {
    type Output = Result<Box<dyn CurrentMatch>, FollowError>;

    fn visit<G: Game>(self) -> Self::Output {
        let start = self.start;
        let game = G::new(&Options::of::<G>(&start.options)?)?;
        let position = game.load(start.state.as_ref().unwrap_or(&Value::Null))?;
        let repetition = start.limits.repetition;
        let history = repetition.map(|_| game.key(&position));
        Ok(Box::new(FollowedMatch {
            game,
            position,
            seat: start.seat,
            max_plies: start.limits.max_plies,
            repetition,
            history: history.into_iter().collect(),
            takes_offers: start.offers,
            rng: self.rng,
            search: self.engine.new_search::<G>(),
        }))
    }
}

/// A match of a game whose type is known: the position after the plies so far, and the search.
struct FollowedMatch<G: Game> {
    game: G,
    position: G::Position,
    seat: Seat,
    /// Counted from the start of the match.
    max_plies: Option<u32>,
    repetition: Option<u32>,
    /// The keys of all positions so far, if there is a limit on repetition.
    history: Vec<u64>,
    /// True if offers can end the match.
    takes_offers: bool,
    rng: Rng,
    search: Box<dyn Search<G>>,
}

impl<G: Game> FollowedMatch<G> {
    /// Plays a ply of the match and lets the search follow it.
    fn follow(&mut self, played: &PlayedMove) -> Result<(), FollowError> {
        let mv = self.game.parse_move(&played.mv)?;
        let to_move = self.game.to_move(&self.position);
        if to_move != played.seat || self.game.play(&mut self.position, mv).is_err() {
            return Err(FollowError::Illegal {
                mv: played.mv.to_string(),
                seat: played.seat.unwrap_or_default(),
                ply: self.game.ply(&self.position),
            });
        }
        if self.repetition.is_some() {
            self.history.push(self.game.key(&self.position));
        }
        self.search.played(mv);
        Ok(())
    }

    /// The offer with a move, if that can end the match.
    fn offer(&self, turn: &Turn, info: Option<&Value>) -> Option<Offer> {
        if !self.takes_offers {
            return None;
        }
        let mut budget = Budget::in_all(offers::EFFORT);
        let proven = self.game.settled(&self.position, &mut budget);
        let expected = info.and_then(|info| info["value"].as_f64());
        offers::choose(turn, self.seat, proven.map(Settlement::from), expected)
    }

    /// The ply of the position at which the match is stopped. It differs from the limit of the match
    /// if the match started from a later position.
    fn last_ply(&self, turn: &Turn) -> Option<u32> {
        let before = self.game.ply(&self.position).saturating_sub(turn.ply);
        Some(self.max_plies?.saturating_add(before))
    }
}

impl<G: Game> CurrentMatch for FollowedMatch<G> {
    fn turn(
        &mut self,
        turn: &Turn,
        asked: Instant,
        report: &mut dyn FnMut(Value),
    ) -> Result<Choice, FollowError> {
        turn.moves.iter().try_for_each(|ply| self.follow(ply))?;
        if self.game.to_move(&self.position) != Some(self.seat) {
            return Err(FollowError::NotMyTurn {
                seat: self.seat,
                ply: turn.ply,
            });
        }
        let budget: Option<Duration> = clock::allot(&turn.clock, self.seat);
        let question = Question {
            game: &self.game,
            position: &self.position,
            seat: self.seat,
            max_plies: self.last_ply(turn),
            repetition: self.repetition,
            history: &self.history,
            deadline: budget.map(|budget| asked + budget),
            can_save_time: turn.clock.remaining_ms.is_some(),
        };
        let rng = &mut self.rng;
        let decision = match turn.lines {
            None => self.search.choose(&question, rng),
            Some(lines) => {
                let analysis = &mut Analysis::new(lines as usize, report);
                self.search.analyse(&question, analysis, rng)
            }
        };
        Ok(Choice::Move {
            mv: text(&self.game, decision.mv),
            offer: self.offer(turn, decision.info.as_ref()),
            info: decision.info,
        })
    }
}

pub(crate) fn text<G: Game>(game: &G, mv: G::Move) -> String {
    let mut text = String::new();
    game.write_move(mv, &mut text);
    text
}
