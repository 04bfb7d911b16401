//! Sessions of games that are compiled in.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::description::Description;
use super::errors::{BrokenRules, LoadError, MoveError, UndoError, wrong_count};
use super::perft::{self, Perft, PerftRequest};
use super::playout::{self, PlayoutBudget, PlayoutRequest, PlayoutResults, TypedGames};
use super::result::{End, Tally};
use super::{Rules, Session};
use crate::game::{Game, IllegalMove};
use crate::kit::info::Info;
use crate::kit::options::{OptionError, Options};
use crate::kit::outcome::Seat;
use crate::kit::rng::Rng;
use crate::kit::text::shown;
use crate::kit::to_move::ToMove;
use crate::kit::view::View;
use crate::learning::{Learnable, Learning, TypedLearning};
use crate::settlement::{Budget, Settlement};

/// The rules and the position of a session, for code that knows its game; `None` if it is another one.
pub fn typed<G: Game>(session: &dyn Session) -> Option<(&G, &G::Position)> {
    let typed: &Typed<G> = session.as_any().downcast_ref()?;
    Some((&typed.game, &typed.position))
}

/// The rules of a game under these options.
pub(crate) fn configure<G: Learnable>(options: &Value) -> Result<Arc<dyn Rules>, OptionError> {
    let info = Info::from(&G::INFO);
    let options = Options::read(&info, options)?;
    let game = Arc::new(G::new(&options)?);
    let mut description = Description::new(info, options);
    description.roles.truncate(game.seats());
    description.settles = G::SETTLES;
    let learning = TypedLearning::new(game.clone());
    Ok(Arc::new(Configured {
        game,
        description,
        learning,
    }))
}

struct Configured<G: Learnable> {
    game: Arc<G>,
    description: Description,
    learning: TypedLearning<G>,
}

impl<G: Learnable> Configured<G> {
    fn session(&self, position: G::Position) -> Box<dyn Session> {
        Box::new(Typed {
            game: self.game.clone(),
            position,
            history: Vec::new(),
            moves: Vec::new(),
        })
    }
}

impl<G: Learnable> Rules for Configured<G> {
    fn description(&self) -> &Description {
        &self.description
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn start(&self, seed: u64) -> Result<Box<dyn Session>, BrokenRules> {
        Ok(self.session(self.game.start(&mut Rng::new(seed))))
    }

    fn load(&self, state: &Value) -> Result<Box<dyn Session>, LoadError> {
        Ok(self.session(self.game.load(state)?))
    }

    fn learning(&self) -> Option<&dyn Learning> {
        Some(&self.learning)
    }
}

/// A session of a game that is compiled in.
pub(crate) struct Typed<G: Game> {
    game: Arc<G>,
    pub(crate) position: G::Position,
    /// The position before each move that was played.
    history: Vec<G::Position>,
    /// A list of moves, kept to be reused.
    pub(crate) moves: Vec<G::Move>,
}

impl<G: Game> Typed<G> {
    /// Makes a move that is legal.
    pub(crate) fn make(&mut self, mv: G::Move) {
        self.history.push(self.position);
        self.game.play_unchecked(&mut self.position, mv);
    }

    fn text(&self, mv: G::Move) -> String {
        let mut text = String::new();
        self.game.write_move(mv, &mut text);
        text
    }

    /// A session of the same game that begins with this position.
    fn at(&self, position: G::Position) -> Self {
        Typed {
            game: self.game.clone(),
            position,
            history: Vec::new(),
            moves: Vec::new(),
        }
    }

    fn points(&self) -> Tally {
        let scores = self.game.scores(&self.position);
        Tally {
            scores: scores.into_iter().map(i64::from).collect(),
            outcome: self.game.outcome(&self.position).to_vec(),
        }
    }

    /// Each legal move with the position after it.
    fn children(&self) -> impl Iterator<Item = (String, G::Position)> + '_ {
        let mut moves = Vec::new();
        if !self.to_move().is_over() {
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

    fn to_move(&self) -> ToMove {
        self.game.to_move(&self.position).into()
    }

    fn each_legal(&mut self, seat: Seat, take: &mut dyn FnMut(&str)) -> Result<(), BrokenRules> {
        if self.game.to_move(&self.position) != Some(seat) {
            return Ok(());
        }
        self.game.legal(&self.position, &mut self.moves);
        let mut text = String::new();
        for &mv in &self.moves {
            text.clear();
            self.game.write_move(mv, &mut text);
            take(&text);
        }
        Ok(())
    }

    fn each_child(
        &self,
        take: &mut dyn FnMut(&[&str], &mut dyn Session),
    ) -> Result<(), BrokenRules> {
        let mut child = self.at(self.position);
        for (text, next) in self.children() {
            child.position = next;
            take(&[&text], &mut child);
            child.history.clear();
        }
        Ok(())
    }

    fn write_legal(&mut self, out: &mut String) -> Result<(), BrokenRules> {
        self.game.legal(&self.position, &mut self.moves);
        out.push('[');
        for (i, &mv) in self.moves.iter().enumerate() {
            // Moves are plain ASCII without quotes, which the conformance suite checks.
            out.push_str(if i == 0 { "\"" } else { ",\"" });
            self.game.write_move(mv, out);
            out.push('"');
        }
        out.push(']');
        Ok(())
    }

    fn random_move(&mut self, seat: Seat, rng: &mut Rng) -> Result<Option<String>, BrokenRules> {
        if self.game.to_move(&self.position) != Some(seat) {
            return Ok(None);
        }
        let mv = self.game.random_move(&self.position, rng, &mut self.moves);
        Ok(Some(self.text(mv)))
    }

    fn check_move(&mut self, seat: Seat, text: &str) -> Result<(), MoveError> {
        if self.game.to_move(&self.position) != Some(seat) {
            return Err(MoveError::Over { text: shown(text) });
        }
        self.at(self.position).play_step(&[text])
    }

    fn play_step(&mut self, choices: &[&str]) -> Result<(), MoveError> {
        let (Some(seat), &[text]) = (self.game.to_move(&self.position), choices) else {
            return Err(wrong_count(self.to_move(), choices));
        };
        let mv = self.game.parse_move(text)?;
        let before = self.position;
        self.game
            .play(&mut self.position, mv)
            .map_err(|IllegalMove| MoveError::Illegal {
                text: text.to_owned(),
                seat,
                role: self.game.role(seat).to_owned(),
                legal: self.game.count_legal(&before),
            })?;
        self.history.push(before);
        Ok(())
    }

    fn played(&self) -> usize {
        self.history.len()
    }

    fn undo(&mut self, count: usize) -> Result<(), UndoError> {
        let keep = UndoError::remaining(self.played(), count)?;
        if let Some(&position) = self.history.get(keep) {
            self.position = position;
            self.history.truncate(keep);
        }
        Ok(())
    }

    fn state(&self) -> Result<Value, BrokenRules> {
        Ok(self.game.save(&self.position))
    }

    fn tally(&self) -> Result<Tally, BrokenRules> {
        Ok(self.points())
    }

    fn settlement(&self, budget: &mut Budget) -> Option<Settlement> {
        let scores = self.game.settled(&self.position, budget)?;
        Some(scores.into())
    }

    fn end(&self) -> Option<End> {
        self.game.reason(&self.position).map(|reason| End {
            tally: self.points(),
            reason: reason.to_owned(),
        })
    }

    fn reason(&self) -> Option<Cow<'_, str>> {
        self.game.reason(&self.position).map(Cow::Borrowed)
    }

    fn identity(&self) -> Result<String, BrokenRules> {
        let mut text = String::new();
        self.game.write_identity(&self.position, &mut text);
        Ok(text)
    }

    fn view(&self) -> Result<Option<View>, BrokenRules> {
        Ok(Some(self.game.view(&self.position)))
    }

    fn perft(&self, request: &PerftRequest) -> Result<Option<Perft>, BrokenRules> {
        let children = || self.children();
        Ok(perft::answer(
            &*self.game,
            &self.position,
            children,
            request,
        ))
    }

    fn playouts(
        &self,
        request: &PlayoutRequest,
        budget: PlayoutBudget<'_>,
    ) -> Result<Option<PlayoutResults>, BrokenRules> {
        let mut games = TypedGames::new(&*self.game, request);
        let children = || Ok(self.children().collect());
        playout::run(&mut games, &self.position, children, request, budget)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
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
