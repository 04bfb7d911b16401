//! One interface to the searches of all rules: it takes positions of the game.

use games::Game;
use games::kit::solving::{Movement, Solvable};

use crate::rules::FromGame;
use crate::rules::amazons::AmazonsRules;
use crate::rules::generic::GenericRules;
use crate::rules::penguins::PenguinsRules;
use crate::search::{Method, Search, State, Stopped};

/// The most cells of a board whose sets are one integer.
const MOST_CELLS: usize = 64;

pub(crate) trait Engine<'w, G: Game> {
    /// The findings and limits.
    fn state(&self) -> &State<'w>;

    fn state_mut(&mut self) -> &mut State<'w>;

    /// A bound on the final margin of best play: at least `need` and a lower bound, or below it and an upper
    /// bound.
    fn bound(&mut self, position: &G::Position, need: i32, method: Method) -> Result<i32, Stopped>;

    /// True if the final margin is at least `need`, if no search is needed to know that.
    fn known(&mut self, position: &G::Position, need: i32, method: Method) -> Option<bool>;

    /// The positions that were searched for what is known of this one; 0 if that is forgotten.
    fn work(&self, position: &G::Position, need: i32) -> u32;
}

/// The fastest search for a game.
pub(crate) fn for_game<'w, G: Game>(
    game: &'w G,
    about: &Solvable<'_>,
    state: State<'w>,
) -> Box<dyn Engine<'w, G> + 'w> {
    let board = about.board;
    match about.movement.filter(|_| board.len() <= MOST_CELLS) {
        Some(Movement::SlideAndShoot) => Asked::boxed(game, AmazonsRules::new(board), state),
        Some(Movement::SlideAndTake {
            pieces,
            start_on_ones,
        }) => {
            let rules = PenguinsRules::new(board, pieces, start_on_ones);
            Asked::boxed(game, rules, state)
        }
        None => generic(game, about, state),
    }
}

/// A search by the game's own rules, which every game has.
pub(crate) fn generic<'w, G: Game>(
    game: &'w G,
    about: &Solvable<'_>,
    state: State<'w>,
) -> Box<dyn Engine<'w, G> + 'w> {
    Asked::boxed(game, GenericRules::new(game, about.board), state)
}

/// A search and the game of the positions that it takes.
struct Asked<'w, G, R> {
    game: &'w G,
    search: Search<'w, R>,
}

impl<'w, G: Game, R: FromGame<G> + 'w> Asked<'w, G, R> {
    fn boxed(game: &'w G, rules: R, state: State<'w>) -> Box<dyn Engine<'w, G> + 'w> {
        let search = Search { rules, state };
        Box::new(Asked { game, search })
    }

    fn position(&self, position: &G::Position) -> R::Position {
        self.search.rules.position(self.game, position)
    }
}

impl<'w, G: Game, R: FromGame<G> + 'w> Engine<'w, G> for Asked<'w, G, R> {
    fn state(&self) -> &State<'w> {
        &self.search.state
    }

    fn state_mut(&mut self) -> &mut State<'w> {
        &mut self.search.state
    }

    fn bound(&mut self, position: &G::Position, need: i32, method: Method) -> Result<i32, Stopped> {
        let position = self.position(position);
        self.search.state.progress.decided = Default::default();
        match method {
            Method::AlphaBeta => self.search.reach(&position, need),
            Method::ProofNumber if self.search.prove(&position, need)? => Ok(need),
            Method::ProofNumber => Ok(need - 1),
        }
    }

    fn known(&mut self, position: &G::Position, need: i32, method: Method) -> Option<bool> {
        let position = self.position(position);
        match method {
            Method::ProofNumber => self.search.known_answer(&position, need),
            Method::AlphaBeta => self.search.known_bound(&position, need),
        }
    }

    fn work(&self, position: &G::Position, need: i32) -> u32 {
        let position = self.position(position);
        self.search.work(&position, need)
    }
}
