//! One interface to the searches of all rules: it takes positions of the game.

use games::Game;
use games::kit::solving::Movement;

use crate::playable::{Playable, Unsolvable};
use crate::rules::FromGame;
use crate::rules::amazons::AmazonsRules;
use crate::rules::generic::GenericRules;
use crate::rules::penguins::PenguinsRules;
use crate::search::{Method, Search, State, Stopped, Watch};

/// The most cells of a board whose sets are one integer.
const MOST_CELLS: usize = 64;

pub(crate) trait Engine<'w, G: Playable> {
    /// The findings and limits.
    fn state(&self) -> &State<'w>;

    fn state_mut(&mut self) -> &mut State<'w>;

    /// A bound on the final margin of best play: at least `need` and a lower bound, or below it and an upper
    /// bound.
    fn bound(&mut self, position: &G::Position, need: i32) -> Result<i32, Stopped>;

    /// True if the final margin is at least `need`, if no search is needed to know that.
    fn known(&mut self, position: &G::Position, need: i32) -> Option<bool>;

    /// The positions that were searched for what is known of this one; 0 if that is forgotten.
    fn work(&self, position: &G::Position, need: i32) -> u32;

    /// The moves from here to an end that a holder of this margin can force, if that is known: of two
    /// moves that hold it, the one with fewer makes progress.
    fn moves_left(&self, _position: &G::Position, _need: i32) -> Option<u32> {
        None
    }
}

/// The resources of a search.
pub(crate) struct Means<'w> {
    pub(crate) method: Method,
    /// The most bytes of what it remembers.
    pub(crate) bytes: usize,
    pub(crate) watch: Box<Watch<'w>>,
}

/// A game that has a search.
pub(crate) trait HasEngine {
    /// The fastest search for this game.
    fn engine<'w>(&'w self, means: Means<'w>) -> Result<Box<dyn Engine<'w, Self> + 'w>, Unsolvable>
    where
        Self: Playable;
}

impl<G: Game> HasEngine for G {
    fn engine<'w>(
        &'w self,
        means: Means<'w>,
    ) -> Result<Box<dyn Engine<'w, Self> + 'w>, Unsolvable> {
        let game = || G::INFO.id.to_owned();
        if means.method == Method::Retrograde {
            return Err(Unsolvable::Retrograde { game: game() });
        }
        let about = self
            .solvable()
            .ok_or_else(|| Unsolvable::Cycles { game: game() })?;
        let board = about.board;
        Ok(match about.movement.filter(|_| board.len() <= MOST_CELLS) {
            Some(Movement::SlideAndShoot) => Asked::boxed(self, AmazonsRules::new(board), means),
            Some(Movement::SlideAndTake {
                pieces,
                start_on_ones,
            }) => {
                let rules = PenguinsRules::new(board, pieces, start_on_ones);
                Asked::boxed(self, rules, means)
            }
            None => Asked::boxed(self, GenericRules::new(self, board), means),
        })
    }
}

/// A search and the game of the positions that it takes.
pub(crate) struct Asked<'w, G, R> {
    game: &'w G,
    search: Search<'w, R>,
    method: Method,
}

impl<'w, G: Playable, R: FromGame<G> + 'w> Asked<'w, G, R> {
    pub(crate) fn boxed(game: &'w G, rules: R, means: Means<'w>) -> Box<dyn Engine<'w, G> + 'w> {
        let Means {
            method,
            bytes,
            watch,
        } = means;
        let state = State::new(bytes, watch);
        Box::new(Asked {
            game,
            search: Search { rules, state },
            method,
        })
    }

    fn position(&self, position: &G::Position) -> R::Position {
        self.search.rules.position(self.game, position)
    }
}

impl<'w, G: Playable, R: FromGame<G> + 'w> Engine<'w, G> for Asked<'w, G, R> {
    fn state(&self) -> &State<'w> {
        &self.search.state
    }

    fn state_mut(&mut self) -> &mut State<'w> {
        &mut self.search.state
    }

    fn bound(&mut self, position: &G::Position, need: i32) -> Result<i32, Stopped> {
        let position = self.position(position);
        self.search.state.begin();
        match self.method {
            Method::AlphaBeta | Method::Retrograde => self.search.reach(&position, need),
            Method::ProofNumber if self.search.prove(&position, need)? => Ok(need),
            Method::ProofNumber => Ok(need - 1),
        }
    }

    fn known(&mut self, position: &G::Position, need: i32) -> Option<bool> {
        let position = self.position(position);
        match self.method {
            Method::ProofNumber => self.search.known_answer(&position, need),
            Method::AlphaBeta | Method::Retrograde => self.search.known_bound(&position, need),
        }
    }

    fn work(&self, position: &G::Position, need: i32) -> u32 {
        let position = self.position(position);
        self.search.work(&position, need)
    }
}
