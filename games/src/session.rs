//! Every game behind one interface that does not depend on its type: moves as text, states as JSON.

use std::any::Any;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use thiserror::Error;

use crate::game::{Game, IllegalMove, ParseError};
use crate::kit::info::Info;
use crate::kit::options::{OptionError, Options};
use crate::kit::outcome::{Outcome, Scores, Seat};
use crate::kit::rng::Rng;
use crate::kit::state::StateError;
use crate::kit::text::shown;
use crate::kit::view::View;
use crate::perft;
use crate::playout::{Player, Playouts, Total, playouts_within};

/// The rules of some game under fixed options.
pub trait Rules: Send + Sync {
    /// What the game says about itself.
    fn info(&self) -> &'static Info;
    /// The options, with the defaults filled in.
    fn options(&self) -> &Options;
    /// How many seats play.
    fn seats(&self) -> usize;
    /// The names of the seats, in seat order.
    fn roles(&self) -> &'static [&'static str] {
        &self.info().roles[..self.seats()]
    }
    /// A new game; the seed decides the start if that is random.
    fn start(&self, seed: u64) -> Box<dyn Session>;
    /// A game that goes on from a given state.
    ///
    /// # Errors
    /// If the state breaks the rules.
    fn load(&self, state: &Value) -> Result<Box<dyn Session>, StateError>;
}

/// A game in progress: a position, and those before it so that moves can be taken back.
pub trait Session: Send + Sync {
    /// How many seats play.
    fn seats(&self) -> usize;
    /// How many moves were made since the start of the game.
    fn ply(&self) -> u32;
    /// The seat to move; `None` when the game is over.
    fn to_move(&self) -> Option<Seat>;
    /// Calls `take` with each legal move. There is at least one unless the game is over.
    fn each_legal(&mut self, take: &mut dyn FnMut(&str));
    /// All legal moves; empty only when the game is over.
    fn legal(&mut self) -> Vec<String> {
        let mut moves = Vec::new();
        self.each_legal(&mut |mv| moves.push(mv.to_owned()));
        moves
    }
    /// Appends all legal moves as a JSON list. This is faster than [`Session::legal`], because no move
    /// becomes a `String` of its own.
    fn write_legal(&mut self, out: &mut String);
    /// Calls `take` with each legal move and a session of the position after it, in which no move can
    /// be taken back.
    fn each_child(&self, take: &mut dyn FnMut(&str, &mut dyn Session));
    /// A random legal move, all equally likely; `None` when the game is over.
    fn random_move(&mut self, rng: &mut Rng) -> Option<String>;
    /// Plays a move.
    ///
    /// # Errors
    /// If it is not a legal move; the position is then as it was.
    fn play(&mut self, text: &str) -> Result<(), MoveError>;
    /// How many moves can be taken back: those played since the session was opened.
    fn played(&self) -> usize;
    /// Takes `count` moves back.
    ///
    /// # Errors
    /// If fewer were played; the position is then as it was.
    fn undo(&mut self, count: usize) -> Result<(), UndoError>;
    /// The state as JSON.
    fn state(&self) -> Value;
    /// The points so far, one entry a seat.
    fn scores(&self) -> Scores;
    /// The outcome if play ends in this position, one entry a seat.
    fn outcome(&self) -> Outcome;
    /// Why the game is over; `None` while it goes on.
    fn reason(&self) -> Option<&'static str>;
    /// A text that is the same for two positions exactly if all further play is the same.
    fn identity(&self) -> String;
    /// The board as a picture shows it.
    fn view(&self) -> View;
    /// The number of paths of exactly `depth` plies.
    fn perft(&self, depth: u32) -> u64 {
        let all = self.perft_within(depth, u64::MAX);
        all.expect("u64::MAX is no limit")
    }
    /// The same, or `None` if it takes the legal moves of more than `most` positions.
    fn perft_within(&self, depth: u32, most: u64) -> Option<u64>;
    /// [`Session::perft`] split by the first move, which counts as one of the `depth` plies. Empty for
    /// depth 0.
    fn divide(&self, depth: u32) -> Vec<(String, u64)>;
    /// Plays random games from here, each until it ends or its ply reaches `max_plies`.
    fn playouts(&self, count: u32, seed: u64, max_plies: Option<u32>) -> Playouts {
        let all = self.playouts_within(count, seed, max_plies, u64::MAX);
        all.expect("u64::MAX is no limit")
    }
    /// The same, or `None` if it takes more than `most` plies in all.
    fn playouts_within(
        &self,
        count: u32,
        seed: u64,
        max_plies: Option<u32>,
        most: u64,
    ) -> Option<Playouts>;
    /// Plays `count` random games after each legal move.
    fn playouts_by_move(
        &self,
        count: u32,
        seed: u64,
        max_plies: Option<u32>,
    ) -> Vec<(String, Playouts)> {
        let all = self.playouts_by_move_within(count, seed, max_plies, u64::MAX);
        all.expect("u64::MAX is no limit")
    }
    /// The same, or `None` if it takes more than `most` plies in all.
    fn playouts_by_move_within(
        &self,
        count: u32,
        seed: u64,
        max_plies: Option<u32>,
        most: u64,
    ) -> Option<Vec<(String, Playouts)>>;
    /// Plays random games from here, one after another, as long as `go_on` says so and at most
    /// `count`, but at least one.
    fn playouts_while(
        &self,
        count: u32,
        seed: u64,
        max_plies: Option<u32>,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> (Playouts, u32);
    /// Plays random games after each legal move, in rounds of one game a move, as long as `go_on` says
    /// so and at most `count` rounds. The moves come in the order of [`Session::legal`], those that no
    /// game was played for without a mean; a round takes them in a random order.
    fn playouts_by_move_while(
        &self,
        count: u32,
        seed: u64,
        max_plies: Option<u32>,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> PlayoutsByMove;
    /// A copy of the session, which goes on independently.
    fn fork(&self) -> Box<dyn Session>;
    /// Itself, for [`typed`].
    fn as_any(&self) -> &dyn Any;

    /// The result; `None` while the game goes on.
    fn end(&self) -> Option<End> {
        self.reason().map(|reason| End {
            scores: self.scores(),
            outcome: self.outcome(),
            reason,
        })
    }
}

/// The rules and the position of a session, for code that knows its game; `None` if it is another one.
pub fn typed<G: Game>(session: &dyn Session) -> Option<(&G, &G::Position)> {
    let typed: &Typed<G> = session.as_any().downcast_ref()?;
    Some((&typed.game, &typed.position))
}

/// What random games after each move gave.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayoutsByMove {
    /// Every legal move with the means of its games, or `None` if it had no game.
    pub moves: Vec<(String, Option<Playouts>)>,
    /// How many rounds were completed.
    pub rounds: u32,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct End {
    /// Points, one entry a seat.
    pub scores: Scores,
    /// What the points are worth, in [0, 1], one entry a seat.
    pub outcome: Outcome,
    /// Why the game is over, as the log names it.
    pub reason: &'static str,
}

/// A move that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MoveError {
    /// The text is not a move in any position.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// The move is not legal in this position.
    #[error("`{text}` is not legal here for {role} (seat {seat}), who has {legal} legal moves")]
    Illegal {
        /// The move as it was given.
        text: String,
        /// The seat to move.
        seat: Seat,
        /// The name of that seat.
        role: &'static str,
        /// The number of legal moves.
        legal: u64,
    },
    /// The game is over.
    #[error("`{text}` cannot be played: the game is over")]
    Over {
        /// The move as it was given, cut and escaped for a terminal.
        text: String,
    },
}

/// The attempt to take back more moves than were played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{count} moves cannot be taken back: {played} were played since the position was set up")]
pub struct UndoError {
    /// The number of moves to take back.
    pub count: usize,
    /// The number of moves that were played.
    pub played: usize,
}

/// The rules of a game under these options.
pub(crate) fn configure<G: Game>(options: &Value) -> Result<Arc<dyn Rules>, OptionError> {
    let options = Options::read(&G::INFO, options)?;
    let game = Arc::new(G::new(&options)?);
    Ok(Arc::new(Configured { game, options }))
}

struct Configured<G> {
    game: Arc<G>,
    options: Options,
}

impl<G: Game> Configured<G> {
    fn session(&self, position: G::Position) -> Box<dyn Session> {
        Box::new(Typed {
            game: self.game.clone(),
            position,
            history: Vec::new(),
            moves: Vec::new(),
        })
    }
}

impl<G: Game> Rules for Configured<G> {
    fn info(&self) -> &'static Info {
        const { &G::INFO }
    }

    fn options(&self) -> &Options {
        &self.options
    }

    fn seats(&self) -> usize {
        self.game.seats()
    }

    fn start(&self, seed: u64) -> Box<dyn Session> {
        self.session(self.game.start(&mut Rng::new(seed)))
    }

    fn load(&self, state: &Value) -> Result<Box<dyn Session>, StateError> {
        Ok(self.session(self.game.load(state)?))
    }
}

struct Typed<G: Game> {
    game: Arc<G>,
    position: G::Position,
    /// The position before each move that was played.
    history: Vec<G::Position>,
    /// A list of moves, kept to be reused.
    moves: Vec<G::Move>,
}

impl<G: Game> Typed<G> {
    fn text(&self, mv: G::Move) -> String {
        let mut text = String::new();
        self.game.write_move(mv, &mut text);
        text
    }

    /// Each legal move with the position after it.
    fn children(&self) -> impl Iterator<Item = (String, G::Position)> + '_ {
        let mut moves = Vec::new();
        if self.to_move().is_some() {
            self.game.legal(&self.position, &mut moves);
        }
        moves.into_iter().map(|mv| {
            let mut next = self.position;
            self.game.play_unchecked(&mut next, mv);
            (self.text(mv), next)
        })
    }
}

impl<G: Game> Session for Typed<G> {
    fn seats(&self) -> usize {
        self.game.seats()
    }

    fn ply(&self) -> u32 {
        self.game.ply(&self.position)
    }

    fn to_move(&self) -> Option<Seat> {
        self.game.to_move(&self.position)
    }

    fn each_legal(&mut self, take: &mut dyn FnMut(&str)) {
        self.game.legal(&self.position, &mut self.moves);
        let mut text = String::new();
        for &mv in &self.moves {
            text.clear();
            self.game.write_move(mv, &mut text);
            take(&text);
        }
    }

    fn each_child(&self, take: &mut dyn FnMut(&str, &mut dyn Session)) {
        let mut child = Typed {
            game: self.game.clone(),
            position: self.position,
            history: Vec::new(),
            moves: Vec::new(),
        };
        for (text, next) in self.children() {
            child.position = next;
            take(&text, &mut child);
            child.history.clear();
        }
    }

    fn write_legal(&mut self, out: &mut String) {
        self.game.legal(&self.position, &mut self.moves);
        out.push('[');
        for (i, &mv) in self.moves.iter().enumerate() {
            // Moves are plain ASCII without quotes, which the conformance suite checks.
            out.push_str(if i == 0 { "\"" } else { ",\"" });
            self.game.write_move(mv, out);
            out.push('"');
        }
        out.push(']');
    }

    fn random_move(&mut self, rng: &mut Rng) -> Option<String> {
        self.to_move()?;
        let mv = self.game.random_move(&self.position, rng, &mut self.moves);
        Some(self.text(mv))
    }

    fn play(&mut self, text: &str) -> Result<(), MoveError> {
        let Some(seat) = self.to_move() else {
            return Err(MoveError::Over { text: shown(text) });
        };
        let mv = self.game.parse_move(text)?;
        let before = self.position;
        self.game
            .play(&mut self.position, mv)
            .map_err(|IllegalMove| MoveError::Illegal {
                text: text.to_owned(),
                seat,
                role: self.game.role(seat),
                legal: self.game.count_legal(&before),
            })?;
        self.history.push(before);
        Ok(())
    }

    fn played(&self) -> usize {
        self.history.len()
    }

    fn undo(&mut self, count: usize) -> Result<(), UndoError> {
        let played = self.played();
        let keep = played
            .checked_sub(count)
            .ok_or(UndoError { count, played })?;
        if let Some(&position) = self.history.get(keep) {
            self.position = position;
            self.history.truncate(keep);
        }
        Ok(())
    }

    fn state(&self) -> Value {
        self.game.save(&self.position)
    }

    fn scores(&self) -> Scores {
        self.game.scores(&self.position)
    }

    fn outcome(&self) -> Outcome {
        self.game.outcome(&self.position)
    }

    fn reason(&self) -> Option<&'static str> {
        self.game.reason(&self.position)
    }

    fn identity(&self) -> String {
        let mut text = String::new();
        self.game.write_identity(&self.position, &mut text);
        text
    }

    fn view(&self) -> View {
        self.game.view(&self.position)
    }

    fn perft_within(&self, depth: u32, most: u64) -> Option<u64> {
        perft::perft_within(&*self.game, &self.position, depth, &mut { most })
    }

    fn divide(&self, depth: u32) -> Vec<(String, u64)> {
        let Some(rest) = depth.checked_sub(1) else {
            return Vec::new();
        };
        self.children()
            .map(|(text, next)| (text, perft::perft(&*self.game, &next, rest)))
            .collect()
    }

    fn playouts_within(
        &self,
        count: u32,
        seed: u64,
        max_plies: Option<u32>,
        mut most: u64,
    ) -> Option<Playouts> {
        let (mut rng, left) = (Rng::new(seed), &mut most);
        playouts_within(
            &*self.game,
            &self.position,
            max_plies,
            count,
            &mut rng,
            left,
        )
    }

    fn playouts_by_move_within(
        &self,
        count: u32,
        seed: u64,
        max_plies: Option<u32>,
        mut most: u64,
    ) -> Option<Vec<(String, Playouts)>> {
        let (game, mut rng) = (&*self.game, Rng::new(seed));
        self.children()
            .map(|(text, next)| {
                let of_move = playouts_within(game, &next, max_plies, count, &mut rng, &mut most)?;
                Some((text, of_move))
            })
            .collect()
    }

    fn playouts_while(
        &self,
        count: u32,
        seed: u64,
        max_plies: Option<u32>,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> (Playouts, u32) {
        let mut total = Total::new(self.game.seats());
        let mut player = Player::new(&*self.game, seed, max_plies);
        loop {
            let plies = player.play(&self.position, &mut total);
            if total.games() >= count || !go_on(plies) {
                return (total.means(), total.games());
            }
        }
    }

    fn playouts_by_move_while(
        &self,
        count: u32,
        seed: u64,
        max_plies: Option<u32>,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> PlayoutsByMove {
        let mut player = Player::new(&*self.game, seed, max_plies);
        let mut children: Vec<_> = self
            .children()
            .map(|(text, next)| (text, next, Total::new(self.game.seats())))
            .collect();
        let mut order: Vec<usize> = (0..children.len()).collect();
        player.rng.shuffle(&mut order);
        let mut rounds = 0;
        'rounds: while rounds < count && !order.is_empty() {
            for &index in &order {
                let (_, next, total) = &mut children[index];
                let plies = player.play(next, total);
                if !go_on(plies) {
                    break 'rounds;
                }
            }
            rounds += 1;
        }
        let least = children.iter().map(|(.., total)| total.games()).min();
        PlayoutsByMove {
            rounds: least.unwrap_or(0),
            moves: children
                .into_iter()
                .map(|(text, _, total)| (text, (total.games() > 0).then(|| total.means())))
                .collect(),
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn fork(&self) -> Box<dyn Session> {
        Box::new(Typed {
            game: self.game.clone(),
            position: self.position,
            history: self.history.clone(),
            moves: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn errors_about_moves_are_short_and_cannot_steer_terminals() {
        let rules = crate::find("amazons").unwrap();
        let mut session = rules.configure(&json!({"size": 5})).unwrap().start(0);
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
        while let Some(mv) = session.random_move(&mut rng) {
            session.play(&mv).unwrap();
        }
        check(&mut *session);
    }
}
