//! The game's own rules, for games without faster ones.

use games::kit::board::Board;
use games::settlement::Budget;
use games::{Game, Seat};

use super::{FromGame, Keyed, POINT, SearchRules};
use crate::keys::Keys;
use crate::search::Stopped;

/// At most this many positions are counted to settle one: if that does not do, the search goes on.
const MOST_COUNTED: u32 = 500;

pub(crate) struct GenericRules<'w, G> {
    game: &'w G,
    keys: Keys,
}

impl<'w, G: Game> GenericRules<'w, G> {
    pub(crate) fn new(game: &'w G, board: &Board) -> Self {
        GenericRules {
            game,
            keys: Keys::new(board),
        }
    }
}

impl<G: Game> SearchRules for GenericRules<'_, G> {
    type Position = G::Position;

    fn mover(&self, position: &G::Position) -> Seat {
        self.game.to_move(position).unwrap_or_default()
    }

    fn margin(&self, position: &G::Position) -> i32 {
        self.game.margin(position)
    }

    fn quick_bounds(&self, position: &G::Position) -> (i32, i32) {
        match self.game.to_move(position) {
            None => {
                let margin = self.margin(position);
                (margin, margin)
            }
            Some(_) => self.game.margin_bounds(position),
        }
    }

    fn counted_bounds(&mut self, position: &G::Position, _need: i32) -> (i32, i32) {
        let mut budget = Budget::in_all(MOST_COUNTED);
        match self.game.settled(position, &mut budget) {
            Some(scores) => (scores[0] - scores[1], scores[0] - scores[1]),
            None => (i32::MIN, i32::MAX),
        }
    }

    fn mobility(&self, position: &G::Position) -> u32 {
        u32::try_from(self.game.count_legal(position)).unwrap_or(u32::MAX)
    }

    /// Points, and the moves of the seat to move.
    fn outlook(&self, position: &G::Position) -> i32 {
        let moves = match self.game.to_move(position) {
            None => 0,
            Some(0) => self.game.count_legal(position) as i32,
            Some(_) => -(self.game.count_legal(position) as i32),
        };
        POINT * self.margin(position) + moves
    }

    fn key(&self, position: &G::Position) -> u128 {
        self.keys.key(self.game, position)
    }

    fn successors(
        &self,
        position: &G::Position,
        out: &mut Vec<Keyed<G::Position>>,
    ) -> Result<(), Stopped> {
        let mut moves = Vec::new();
        self.game.legal(position, &mut moves);
        out.extend(moves.into_iter().map(|mv| {
            let mut position = *position;
            self.game.play_unchecked(&mut position, mv);
            let key = self.key(&position);
            Keyed { position, key }
        }));
        Ok(())
    }
}

impl<G: Game> FromGame<G> for GenericRules<'_, G> {
    fn position(&self, _game: &G, position: &G::Position) -> G::Position {
        *position
    }
}
