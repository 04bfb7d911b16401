//! Move strings, in every game and many positions: a byte for the set of options, one for the
//! position, then the string.

use std::sync::LazyLock;

use games::registry::{Visitor, visit};
use games::{Game, Options, Rng};

use crate::sets;

/// Consecutive positions of a set's random game that are kept.
const POSITIONS: usize = 120;

/// The positions of one set of any game.
trait Table: Send + Sync {
    /// Tries a string in a position; false if it is no legal move.
    fn try_text(&self, position: usize, text: &str) -> bool;
    /// Some legal moves of a position.
    fn texts(&self, position: usize, rng: &mut Rng) -> Vec<String>;
}

struct Positions<G: Game> {
    game: G,
    positions: Vec<G::Position>,
}

impl<G: Game> Positions<G> {
    fn at(&self, position: usize) -> &G::Position {
        &self.positions[position % self.positions.len()]
    }

    fn legal(&self, position: &G::Position) -> Vec<G::Move> {
        let mut moves = Vec::new();
        if self.game.to_move(position).is_some() {
            self.game.legal(position, &mut moves);
        }
        moves
    }

    fn text(&self, mv: G::Move) -> String {
        let mut text = String::new();
        self.game.write_move(mv, &mut text);
        text
    }
}

impl<G: Game> Table for Positions<G> {
    fn try_text(&self, position: usize, text: &str) -> bool {
        let position = self.at(position);
        let Ok(mv) = self.game.parse_move(text) else {
            return false;
        };
        assert_eq!(self.text(mv), text, "a move has one text");
        let legal = self.game.is_legal(position, mv);
        if self.game.to_move(position).is_none() {
            return true;
        }
        let listed = self.legal(position).contains(&mv);
        let state = self.game.save(position);
        assert_eq!(legal, listed, "`{text}`: accepted, listed; {state}");
        if legal {
            let mut next = *position;
            self.game.play_unchecked(&mut next, mv);
            let state = self.game.save(&next);
            assert_eq!(self.game.load(&state), Ok(next), "{state}");
        }
        true
    }

    fn texts(&self, position: usize, rng: &mut Rng) -> Vec<String> {
        let mut moves = self.legal(self.at(position));
        rng.shuffle(&mut moves);
        moves.truncate(4);
        moves.into_iter().map(|mv| self.text(mv)).collect()
    }
}

/// Plays a random game.
struct Fill<'a>(&'a sets::Set);

impl Visitor for Fill<'_> {
    type Output = Box<dyn Table>;

    fn visit<G: Game>(self) -> Box<dyn Table> {
        let options = Options::of::<G>(&self.0.options).expect("options of a set");
        let game = G::new(&options).expect("options of a set");
        let mut rng = Rng::new(7);
        let mut positions = vec![game.start(&mut rng)];
        let mut scratch = Vec::new();
        while let Some(&(mut position)) = positions.last() {
            if positions.len() == POSITIONS || game.to_move(&position).is_none() {
                break;
            }
            let mv = game.random_move(&position, &mut rng, &mut scratch);
            game.play_unchecked(&mut position, mv);
            positions.push(position);
        }
        Box::new(Positions { game, positions })
    }
}

static TABLES: LazyLock<Vec<Box<dyn Table>>> = LazyLock::new(|| {
    let table =
        |set: &sets::Set| visit(set.game, &set.options, Fill(set)).expect("a game of the registry");
    sets::all().iter().map(table).collect()
});

pub(crate) fn seeds(rng: &mut Rng) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (index, table) in TABLES.iter().enumerate() {
        for position in (0..POSITIONS as u8).step_by(5) {
            for text in table.texts(position as usize, rng) {
                let mut seed = vec![sets::byte(index), position];
                seed.extend(text.bytes());
                seeds.push(seed);
            }
        }
    }
    seeds
}

pub(crate) fn run(input: &[u8]) -> bool {
    let [set, position, text @ ..] = input else {
        return false;
    };
    let table = &TABLES[*set as usize % TABLES.len()];
    // Strings from outside are Unicode: the JSON that they come in sees to that.
    table.try_text(*position as usize, &String::from_utf8_lossy(text))
}
