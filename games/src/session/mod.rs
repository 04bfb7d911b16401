//! Every game behind one interface that does not depend on its type: moves as text, states as JSON.

mod errors;
mod typed;

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::kit::info::Info;
use crate::kit::options::Options;
use crate::kit::outcome::Seat;
use crate::kit::rng::Rng;
use crate::kit::to_move::{Actor, ToMove};
use crate::kit::view::View;
use crate::playout::{Playouts, PlayoutsByMove, RandomGames as _};
use crate::settlement::{Budget, Settlement};

pub use errors::{BrokenRules, LoadError, MoveError, UndoError, wrong_count};
pub(crate) use typed::configure;
pub use typed::typed;

/// Where rules from outside come from, for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// What the rules call themselves.
    pub name: String,
    /// The version that they give.
    pub version: Option<String>,
    /// The SHA-256 of what they are made of, as 64 hexadecimal digits.
    pub sha256: String,
}

/// The rules of some game under fixed options.
pub trait Rules: Send + Sync {
    /// What the game says about itself.
    fn info(&self) -> &Info;
    /// Itself, for code that knows its kind of rules.
    fn as_any(&self) -> &dyn Any;
    /// The id that the rules give themselves, where the configuration puts a prefix before it. Seeds
    /// are made from it, so that a prefix does not change what is played.
    fn own_id(&self) -> &str {
        &self.info().id
    }
    /// The options, with the defaults filled in.
    fn options(&self) -> &Options;
    /// Whether [`Session::settlement`] ever proves anything in this game.
    fn settles(&self) -> bool {
        false
    }
    /// The names of the seats, in seat order.
    fn roles(&self) -> &[String];
    /// How many seats play.
    fn seats(&self) -> usize {
        self.roles().len()
    }
    /// Where they come from; `None` for rules that are compiled in.
    fn origin(&self) -> Option<&Origin> {
        None
    }
    /// A new game; the seed decides the start if that is random.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn start(&self, seed: u64) -> Result<Box<dyn Session>, BrokenRules>;
    /// A game that goes on from a given state.
    ///
    /// # Errors
    /// If the state breaks the rules, or rules from outside do not work.
    fn load(&self, state: &Value) -> Result<Box<dyn Session>, LoadError>;
    /// Checks that the state of a session of these rules, loaded again, is the very same position. The
    /// games that are compiled in are tested for it, so that there is nothing to check in a match.
    ///
    /// # Errors
    /// If rules from outside do not work, or give another position.
    fn comes_back(&self, _session: &dyn Session) -> Result<(), BrokenRules> {
        Ok(())
    }
    /// At most `count` states that a seat which knows this much cannot tell from the real one; empty
    /// if the rules cannot draw any.
    ///
    /// # Errors
    /// If nobody can know this, or rules from outside do not work.
    fn sample(
        &self,
        _observation: &Value,
        _seat: Seat,
        _seed: u64,
        _count: u32,
    ) -> Result<Vec<Value>, LoadError> {
        Ok(Vec::new())
    }
}

/// A game in progress: a position, and those before it so that moves can be taken back.
///
/// Who acts, what chance may bring and how the game ended are known once a position is there. Making
/// steps and asking for more can fail if the rules come from outside.
pub trait Session: Send + Sync {
    /// How many seats play.
    fn seats(&self) -> usize;
    /// How many plies were made since the start of the game: moves of seats and outcomes of chance.
    fn ply(&self) -> u32;
    /// Who acts in the next step.
    fn to_move(&self) -> ToMove;
    /// Calls `take` with each legal move of a seat. There is at least one if the seat acts, and none
    /// otherwise.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn each_legal(&mut self, seat: Seat, take: &mut dyn FnMut(&str)) -> Result<(), BrokenRules>;
    /// What chance may bring, with the probabilities; empty if it takes no part in the step.
    fn chances(&self) -> Vec<(String, f64)> {
        Vec::new()
    }
    /// All legal moves of the seat that acts alone, or the outcomes if chance does; empty if the game
    /// is over or several act at once.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn legal(&mut self) -> Result<Vec<String>, BrokenRules> {
        if self.to_move() == ToMove::CHANCE {
            let chances = self.chances().into_iter();
            return Ok(chances.map(|(outcome, _)| outcome).collect());
        }
        match self.to_move().alone() {
            Some(seat) => self.legal_of(seat),
            None => Ok(Vec::new()),
        }
    }
    /// All legal moves of a seat; empty if it does not act.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn legal_of(&mut self, seat: Seat) -> Result<Vec<String>, BrokenRules> {
        let mut moves = Vec::new();
        self.each_legal(seat, &mut |mv| moves.push(mv.to_owned()))?;
        Ok(moves)
    }
    /// Appends everything that is legal as JSON, in the form of the forward model: a list for one
    /// seat, an object by seat for several, outcomes with their probabilities for chance.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn write_legal(&mut self, out: &mut String) -> Result<(), BrokenRules> {
        generic::write_legal(self, out)
    }
    /// A random legal move of a seat, all equally likely; `None` if the seat does not act.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn random_move(&mut self, seat: Seat, rng: &mut Rng) -> Result<Option<String>, BrokenRules> {
        let mut moves = self.legal_of(seat)?;
        Ok((!moves.is_empty()).then(|| moves.swap_remove(rng.index(moves.len()))))
    }
    /// Whether a seat that acts may make this move now.
    ///
    /// # Errors
    /// If not, why.
    fn check_move(&mut self, seat: Seat, text: &str) -> Result<(), MoveError>;
    /// Makes a step, given the choices of all who act: seats in ascending order, then chance.
    ///
    /// # Errors
    /// If one of them is not legal, or rules from outside do not work; the position is then as it was.
    fn play_step(&mut self, choices: &[&str]) -> Result<(), MoveError>;
    /// Makes a step in which one seat or chance acts alone.
    ///
    /// # Errors
    /// See [`Session::play_step`].
    fn play(&mut self, text: &str) -> Result<(), MoveError> {
        self.play_step(&[text])
    }
    /// How many steps can be taken back: those made since the session was opened.
    fn played(&self) -> usize;
    /// Takes `count` steps back.
    ///
    /// # Errors
    /// If fewer were made, or rules from outside do not work; the position is then as it was.
    fn undo(&mut self, count: usize) -> Result<(), UndoError>;
    /// The state as JSON.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn state(&self) -> Result<Value, BrokenRules>;
    /// The state as JSON on one line, where rules from outside said it so: it can be passed on without
    /// making a tree of it. `None` if there is no such text.
    ///
    /// # Errors
    /// If the rules do not work.
    fn state_text(&self) -> Result<Option<Arc<str>>, BrokenRules> {
        Ok(None)
    }
    /// All that a seat knows now: the state, unless the game has hidden information.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn observation(&self, _seat: Seat) -> Result<Value, BrokenRules> {
        self.state()
    }
    /// What each seat perceived of the last step, in games with hidden information.
    fn sees(&self) -> &[Vec<Value>] {
        &[]
    }
    /// The points so far and what they are worth if play ends in this position.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn tally(&self) -> Result<Tally, BrokenRules>;
    /// The result of best play, where the seats are separate from each other and looking at as many
    /// positions as the budget allows proves it. `None` in a finished game.
    fn settlement(&self, _budget: &mut Budget) -> Option<Settlement> {
        None
    }
    /// The result; `None` while the game goes on.
    fn end(&self) -> Option<End>;
    /// Whether the game is over, and why.
    fn reason(&self) -> Option<Cow<'_, str>>;
    /// A text that is the same for two positions exactly if all further play is the same.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn identity(&self) -> Result<String, BrokenRules>;
    /// The board as a picture shows it; `None` for rules that draw none.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn view(&self) -> Result<Option<View>, BrokenRules>;
    /// A copy of the session, which goes on independently.
    fn fork(&self) -> Box<dyn Session>;
    /// Itself, for [`typed`].
    fn as_any(&self) -> &dyn Any;

    /// Calls `take` with each possible step (the choices as for [`Session::play_step`]) and a session
    /// of the position after it, in which it cannot be taken back.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn each_child(
        &self,
        take: &mut dyn FnMut(&[&str], &mut dyn Session),
    ) -> Result<(), BrokenRules> {
        generic::each_child(&*self.fork(), take)
    }
    /// The number of paths of exactly `depth` steps.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn perft(&self, depth: u32) -> Result<u64, BrokenRules> {
        let all = self.perft_within(depth, u64::MAX)?;
        Ok(all.expect("u64::MAX is no limit"))
    }
    /// The same, or `None` if it takes the legal moves of more than `most` positions.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn perft_within(&self, depth: u32, most: u64) -> Result<Option<u64>, BrokenRules> {
        generic::perft_within(&mut *self.fork(), depth, most)
    }
    /// [`Session::perft`] split by the first step, which counts as one of the `depth`. Empty for depth
    /// 0.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn divide(&self, depth: u32) -> Result<Vec<(String, u64)>, BrokenRules> {
        generic::divide(&mut *self.fork(), depth)
    }
    /// Plays random games from here, each until it ends or its ply reaches `max_plies`.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn playouts(
        &self,
        count: u32,
        seed: u64,
        max_plies: Option<u32>,
    ) -> Result<Playouts, BrokenRules> {
        let all = self.playouts_within(count, seed, max_plies, u64::MAX)?;
        Ok(all.expect("u64::MAX is no limit"))
    }
    /// The same, or `None` if it takes more than `most` plies in all.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn playouts_within(
        &self,
        count: u32,
        seed: u64,
        max_plies: Option<u32>,
        most: u64,
    ) -> Result<Option<Playouts>, BrokenRules> {
        playouts_by_steps(self.fork(), count, seed, max_plies, most)
    }
    /// Plays `count` random games after each legal move of the seat or chance that acts alone.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn playouts_by_move(
        &self,
        count: u32,
        seed: u64,
        max_plies: Option<u32>,
    ) -> Result<Vec<(String, Playouts)>, BrokenRules> {
        let all = self.playouts_by_move_within(count, seed, max_plies, u64::MAX)?;
        Ok(all.expect("u64::MAX is no limit"))
    }
    /// The same, or `None` if it takes more than `most` plies in all.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn playouts_by_move_within(
        &self,
        count: u32,
        seed: u64,
        max_plies: Option<u32>,
        most: u64,
    ) -> Result<Option<Vec<(String, Playouts)>>, BrokenRules> {
        let mut games = generic::AnyGames::new(self.seats(), seed, max_plies);
        games.by_move_within(generic::children(&mut *self.fork())?, count, most)
    }
    /// Plays random games from here, one after another, as long as `go_on` says so and at most
    /// `count`, but at least one. If the [`Budget`](crate::budget::Budget) is spent before one of them
    /// is over, the position counts as it stands.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn playouts_while(
        &self,
        count: u32,
        seed: u64,
        max_plies: Option<u32>,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(Playouts, u32), BrokenRules> {
        let mut games = generic::AnyGames::new(self.seats(), seed, max_plies);
        games.play_while(&self.fork(), count, go_on)
    }
    /// Plays random games after each legal move, in rounds of one game a move, as long as `go_on` says
    /// so and at most `count` rounds. The moves come in the order of [`Session::legal`], those that no
    /// game was played for without a mean; a round takes them in a random order.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn playouts_by_move_while(
        &self,
        count: u32,
        seed: u64,
        max_plies: Option<u32>,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<PlayoutsByMove, BrokenRules> {
        let mut games = generic::AnyGames::new(self.seats(), seed, max_plies);
        games.by_move_while(generic::children(&mut *self.fork())?, count, go_on)
    }
}

/// A random step: every seat's legal moves are equally likely, chance draws by its probabilities.
/// `None` when the game is over.
///
/// # Errors
/// If rules from outside do not work.
pub fn random_step(
    session: &mut (impl Session + ?Sized),
    rng: &mut Rng,
) -> Result<Option<Vec<String>>, BrokenRules> {
    let mut choices = Vec::new();
    for actor in session.to_move().actors() {
        let choice = match actor {
            Actor::Seat(seat) => session.random_move(seat, rng)?,
            Actor::Chance => draw(session.chances(), rng),
        };
        choices.extend(choice);
    }
    Ok((!choices.is_empty()).then_some(choices))
}

/// One of these outcomes, drawn by their probabilities; `None` if there are none.
pub fn draw(chances: Vec<(String, f64)>, rng: &mut Rng) -> Option<String> {
    let all: f64 = chances.iter().map(|(_, probability)| probability).sum();
    let mut left = rng.unit() * all;
    let mut drawn = None;
    for (outcome, probability) in chances {
        // The last possible one, should rounding leave a rest.
        if probability > 0.0 {
            drawn = Some(outcome);
            left -= probability;
        }
        if left < 0.0 {
            break;
        }
    }
    drawn
}

/// Makes steps of plies that come one by one, as logs and books have them.
#[derive(Clone, Debug, Default)]
pub struct PlyByPly {
    /// The choices of a step that is not complete.
    choices: Vec<String>,
}

impl PlyByPly {
    /// Who makes the next ply; `None` when the game is over.
    pub fn next(&self, session: &dyn Session) -> Option<Actor> {
        session.to_move().actors().nth(self.choices.len())
    }

    /// Whether the last step is complete.
    pub fn is_whole(&self) -> bool {
        self.choices.is_empty()
    }

    /// Adds a ply. With the last one of a step, the step is made.
    ///
    /// # Errors
    /// If the ply is not legal, or rules from outside do not work; the session is then as it was.
    pub fn add(&mut self, session: &mut dyn Session, text: &str) -> Result<(), MoveError> {
        let to_move = session.to_move();
        if to_move.count() <= 1 {
            return session.play(text);
        }
        if let Some(Actor::Seat(seat)) = self.next(session) {
            session.check_move(seat, text)?;
        }
        self.choices.push(text.to_owned());
        if self.choices.len() < to_move.count() {
            return Ok(());
        }
        let choices = std::mem::take(&mut self.choices);
        session.play_step(&as_strs(&choices))
    }

    /// Adds plies, all of them.
    ///
    /// # Errors
    /// See [`PlyByPly::add`].
    pub fn add_all(
        &mut self,
        session: &mut dyn Session,
        plies: &[impl AsRef<str>],
    ) -> Result<(), MoveError> {
        plies
            .iter()
            .try_for_each(|text| self.add(session, text.as_ref()))
    }
}

/// A step's choices as [`Session::play_step`] takes them.
pub fn as_strs(choices: &[String]) -> Vec<&str> {
    choices.iter().map(String::as_str).collect()
}

/// Points, and what they are worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Points, one entry a seat.
    pub scores: Vec<i64>,
    /// What the points are worth, in [0, 1], one entry a seat.
    pub outcome: Vec<f64>,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct End {
    /// The points at the end.
    #[serde(flatten)]
    pub tally: Tally,
    /// Why the game is over, as the log names it.
    pub reason: String,
}

/// What [`Session::playouts_within`] does for sessions that have no faster way: step by step.
///
/// # Errors
/// If rules from outside do not work.
pub fn playouts_by_steps(
    from: Box<dyn Session>,
    count: u32,
    seed: u64,
    max_plies: Option<u32>,
    most: u64,
) -> Result<Option<Playouts>, BrokenRules> {
    let mut games = generic::AnyGames::new(from.seats(), seed, max_plies);
    games.play_within(&from, count, &mut { most })
}

/// What every session can do with its moves alone: perft, random games, listing positions. Slow, but
/// the same for all rules. In this file, since it and the trait need each other.
mod generic {
    use std::fmt::Write as _;

    use itertools::Itertools;
    use serde_json::{Map, Value};

    use super::{BrokenRules, MoveError, Session, UndoError, as_strs, random_step};
    use crate::budget;
    use crate::kit::rng::Rng;
    use crate::kit::to_move::{Actor, CHANCE};
    use crate::playout::{Children, RandomGames, Total, UNFINISHED};

    /// How steps of several are written where a line has to do.
    const BETWEEN_CHOICES: &str = " + ";

    /// The failure of rules that refuse a step which they have listed.
    fn refused(choices: &[String], error: MoveError) -> BrokenRules {
        match error {
            MoveError::Broken(broken) => broken,
            other => BrokenRules::new(format!(
                "the rules refuse a step that they list, {}: {other}",
                choices.join(BETWEEN_CHOICES)
            )),
        }
    }

    /// Makes a step that is known to be legal.
    fn make(session: &mut dyn Session, choices: &[String]) -> Result<(), BrokenRules> {
        let played = session.play_step(&as_strs(choices));
        played.map_err(|error| refused(choices, error))
    }

    /// Takes back the step that was just made.
    fn take_back(session: &mut dyn Session) -> Result<(), BrokenRules> {
        session.undo(1).map_err(|error| match error {
            UndoError::Broken(broken) => broken,
            UndoError::TooMany { .. } => unreachable!("a step was just made"),
        })
    }

    /// What each of those who act can choose, in the order of a step's choices.
    fn choices(session: &mut (impl Session + ?Sized)) -> Result<Vec<Vec<String>>, BrokenRules> {
        let actors = session.to_move().actors();
        let lists = actors.map(|actor| match actor {
            Actor::Seat(seat) => session.legal_of(seat),
            Actor::Chance => {
                let chances = session.chances().into_iter();
                Ok(chances.map(|(text, _)| text).collect())
            }
        });
        lists.collect()
    }

    /// All possible steps.
    fn steps(session: &mut dyn Session) -> Result<Vec<Vec<String>>, BrokenRules> {
        let lists = choices(session)?;
        if lists.is_empty() {
            return Ok(Vec::new());
        }
        Ok(lists.into_iter().multi_cartesian_product().collect())
    }

    /// See [`Session::write_legal`].
    pub(super) fn write_legal(
        session: &mut (impl Session + ?Sized),
        out: &mut String,
    ) -> Result<(), BrokenRules> {
        let to_move = session.to_move();
        let chances: Map<String, Value> = session
            .chances()
            .into_iter()
            .map(|(outcome, probability)| (outcome, probability.into()))
            .collect();
        let legal = match to_move.alone() {
            Some(_) => Value::from(session.legal()?),
            None if to_move.is_over() => Value::Array(Vec::new()),
            None if to_move.seats().next().is_none() => Value::Object(chances),
            None => {
                let lists = choices(session)?;
                let actors = to_move.actors().zip(lists);
                let by_actor = actors.map(|(actor, list)| match actor {
                    Actor::Seat(seat) => (seat.to_string(), Value::from(list)),
                    Actor::Chance => (CHANCE.to_owned(), Value::Object(chances.clone())),
                });
                Value::Object(by_actor.collect())
            }
        };
        let _ = write!(out, "{legal}");
        Ok(())
    }

    /// See [`Session::each_child`].
    pub(super) fn each_child(
        session: &dyn Session,
        take: &mut dyn FnMut(&[&str], &mut dyn Session),
    ) -> Result<(), BrokenRules> {
        for step in steps(&mut *session.fork())? {
            let mut child = session.fork();
            make(&mut *child, &step)?;
            take(&as_strs(&step), &mut *child);
        }
        Ok(())
    }

    /// See [`Session::perft_within`]; the session comes back as it was.
    pub(super) fn perft_within(
        session: &mut dyn Session,
        depth: u32,
        most: u64,
    ) -> Result<Option<u64>, BrokenRules> {
        // One more, so that 0 means that the limit was exceeded.
        let mut left = most.saturating_add(1);
        let nodes = perft(session, depth, &mut left)?;
        Ok((left > 0).then_some(nodes))
    }

    fn perft(session: &mut dyn Session, depth: u32, left: &mut u64) -> Result<u64, BrokenRules> {
        if depth == 0 {
            return Ok(1);
        }
        *left = left.saturating_sub(1);
        if depth == 1 {
            let lists = choices(session)?;
            let counts = lists.iter().map(|list| list.len() as u64);
            return Ok(if lists.is_empty() {
                0
            } else {
                counts.product()
            });
        }
        let mut nodes = 0;
        for step in steps(session)? {
            if *left == 0 {
                break;
            }
            make(session, &step)?;
            nodes += perft(session, depth - 1, left)?;
            take_back(session)?;
        }
        Ok(nodes)
    }

    /// See [`Session::divide`].
    pub(super) fn divide(
        session: &mut dyn Session,
        depth: u32,
    ) -> Result<Vec<(String, u64)>, BrokenRules> {
        let Some(rest) = depth.checked_sub(1) else {
            return Ok(Vec::new());
        };
        let divided = steps(session)?.into_iter().map(|step| {
            make(session, &step)?;
            let nodes = perft(session, rest, &mut { u64::MAX })?;
            take_back(session)?;
            Ok((step.join(BETWEEN_CHOICES), nodes))
        });
        divided.collect()
    }

    /// Random games of any session.
    pub(super) struct AnyGames {
        seats: usize,
        rng: Rng,
        max_plies: Option<u32>,
    }

    impl AnyGames {
        pub(super) fn new(seats: usize, seed: u64, max_plies: Option<u32>) -> Self {
            AnyGames {
                seats,
                rng: Rng::new(seed),
                max_plies,
            }
        }
    }

    impl RandomGames for AnyGames {
        type From = Box<dyn Session>;

        fn seats(&self) -> usize {
            self.seats
        }

        fn rng(&mut self) -> &mut Rng {
            &mut self.rng
        }

        fn play(
            &mut self,
            from: &Box<dyn Session>,
            _most: u64,
            total: &mut Total,
        ) -> Result<u64, BrokenRules> {
            let mut game = from.fork();
            let most = self.max_plies.unwrap_or(u32::MAX);
            while game.ply() < most {
                budget::check().map_err(|spent| BrokenRules::given_up(UNFINISHED, spent))?;
                let Some(step) = random_step(&mut *game, &mut self.rng)? else {
                    break;
                };
                make(&mut *game, &step)?;
            }
            let plies = game.ply().saturating_sub(from.ply());
            total.add(plies, &self.as_it_stands(&game)?);
            Ok(u64::from(plies.max(1)))
        }

        fn as_it_stands(&mut self, game: &Box<dyn Session>) -> Result<Vec<f64>, BrokenRules> {
            match game.end() {
                Some(end) => Ok(end.tally.outcome),
                None => Ok(game.tally()?.outcome),
            }
        }
    }

    /// The position after each move of the one who acts alone.
    pub(super) fn children(
        session: &mut dyn Session,
    ) -> Result<Children<Box<dyn Session>>, BrokenRules> {
        let children = session.legal()?.into_iter().map(|mv| {
            let mut child = session.fork();
            make(&mut *child, std::slice::from_ref(&mv))?;
            Ok((mv, child))
        });
        children.collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn errors_about_moves_are_short_and_cannot_steer_terminals() {
        let rules = crate::find("amazons").unwrap();
        let mut session = rules
            .configure(&json!({"size": 5}))
            .unwrap()
            .start(0)
            .unwrap();
        let mut rng = crate::Rng::new(1);
        let text = format!("\u{1b}[2J\n{}", "x".repeat(10_000));
        let check = |session: &mut dyn crate::Session| {
            let error = session.play(&text).unwrap_err().to_string();
            assert!(
                error.len() < 200 && !error.contains(char::is_control),
                "{error}"
            );
        };
        check(&mut *session);
        while let Some(step) = super::random_step(&mut *session, &mut rng).unwrap() {
            session.play(&step[0]).unwrap();
        }
        check(&mut *session);
    }
}
