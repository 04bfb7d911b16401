//! Moves as in the Game of the Amazons, on boards of at most 64 cells.

use games::kit::board::Board;
use games::kit::board::bitboard::Grid;
use games::settlement::arrows::Arrows;
use games::settlement::{Budget, Endgame, EndgameSolver};
use games::{Game, Seat};

use super::image_keys::{ImageKeys, Images, least};
use super::slides::SlideTable;
use super::{FromGame, Keyed, SearchRules, cell_sets, cells};
use crate::search::Stopped;

/// The kind of closed cells in keys; the kinds below it are the seats.
const CLOSED: usize = 2;
/// At most this many positions are counted to find out how many moves a seat has left for itself. With 100,
/// five by five takes a twenty-fifth more.
const MOST_COUNTED: u32 = 3000;

/// This many moves of the other seat weigh as much as one cell of territory. The weights hardly matter on
/// random positions of five by five; from its start, they decide which moves are looked at first.
const OTHERS_MOVES: u32 = 4;

pub(crate) struct AmazonsRules {
    all: u64,
    grid: Grid<u64>,
    slides: SlideTable,
    keys: ImageKeys<3>,
    endgames: EndgameSolver<u64>,
}

/// What slides of a position reach.
struct Slides {
    /// From each empty cell and each piece.
    reached: [u64; 64],
    /// The number of these, of each empty cell.
    number: [u32; 64],
    /// The moves of each seat: its pieces shoot from where they slide to, also back over where they were.
    moves: [u32; 2],
}

impl Slides {
    /// The empty cells that `seat` reaches in fewer slides than the other one, less those of the other one.
    fn territory(&self, pieces: [u64; 2], seat: Seat) -> i32 {
        let mut edge = [pieces[seat], pieces[1 - seat]];
        let mut reached = [0; 2];
        let mut ahead = 0;
        while edge != [0; 2] {
            let slides =
                |from: u64| cells(from).fold(0, |all, cell| all | self.reached[cell as usize % 64]);
            // Those that the other one reached earlier are not counted again.
            let all = reached[0] | reached[1];
            edge = [0, 1].map(|side| slides(edge[side]) & !reached[side]);
            let first = edge.map(|cells| cells & !all);
            ahead += (first[0] & !first[1]).count_ones() as i32;
            ahead -= (first[1] & !first[0]).count_ones() as i32;
            reached = [0, 1].map(|side| reached[side] | edge[side]);
        }
        ahead
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pieces: [u64; 2],
    closed: u64,
    /// The seat to move or, if the game is over, the one that cannot.
    seat: u8,
}

impl Position {
    fn blocked(&self) -> u64 {
        self.pieces[0] | self.pieces[1] | self.closed
    }
}

impl AmazonsRules {
    /// For a board of at most 64 cells.
    pub(crate) fn new(board: &Board) -> Self {
        AmazonsRules {
            all: u64::MAX >> (64 - board.len()),
            grid: Grid::new(board),
            slides: SlideTable::new(board),
            keys: ImageKeys::new(board),
            endgames: EndgameSolver::default(),
        }
    }

    fn images(&self, position: &Position) -> Images {
        let Position {
            pieces: [first, second],
            closed,
            seat,
        } = *position;
        self.keys.of([first, second, closed], seat)
    }

    /// What slides from each empty cell and each piece reach.
    fn slides(&self, position: &Position) -> Slides {
        let blocked = position.blocked();
        let mut slides = Slides {
            reached: [0; 64],
            number: [0; 64],
            moves: [0; 2],
        };
        for cell in cells(self.all & !blocked) {
            let reached = self.slides.reach(cell, blocked);
            slides.reached[cell as usize] = reached;
            slides.number[cell as usize] = reached.count_ones();
        }
        for seat in [0, 1] {
            for from in cells(position.pieces[seat]) {
                let (reached, way_back) = self.slides.reach_and_way_back(from, blocked);
                slides.reached[from as usize] = reached;
                let shots = cells(reached).map(|to| slides.number[to as usize]);
                slides.moves[seat] += shots.sum::<u32>() + way_back;
            }
        }
        slides
    }

    /// True if `seat` surely has at least this many moves, in cells that the other one cannot reach.
    fn has_moves(&mut self, endgame: Endgame<u64>, moves: u32) -> bool {
        let mut budget = Budget::in_all(MOST_COUNTED);
        let arrows = Arrows(&self.grid);
        let range = self
            .endgames
            .solve(&self.grid, &arrows, endgame, &mut budget);
        range.least >= moves
    }
}

impl SearchRules for AmazonsRules {
    type Position = Position;

    fn mover(&self, position: &Position) -> Seat {
        usize::from(position.seat)
    }

    fn margin(&self, position: &Position) -> i32 {
        match self.quick_bounds(position) {
            (least, most) if least == most => least,
            _ => 0,
        }
    }

    fn quick_bounds(&self, position: &Position) -> (i32, i32) {
        let pieces = position.pieces[usize::from(position.seat)];
        match position.seat {
            _ if self.grid.around(pieces) & self.all & !position.blocked() != 0 => (-1, 1),
            0 => (-1, -1),
            _ => (1, 1),
        }
    }

    /// A seat that has more moves for itself than the other one can make at all wins, by making these and
    /// nothing else.
    ///
    /// The other one can make at most one move for each empty cell that it can reach if this one's pieces stay
    /// where they are. They need not stay: one that leaves a way open shoots back at where it was.
    fn counted_bounds(&mut self, position: &Position, _need: i32) -> (i32, i32) {
        let empty = self.all & !position.blocked();
        let reached = position
            .pieces
            .map(|own| self.grid.region(own, empty | own));
        let mover = usize::from(position.seat);
        for seat in [mover, 1 - mover] {
            let other = reached[1 - seat];
            let moves = (other & empty).count_ones() + u32::from(seat == mover);
            let open = reached[seat] & empty & !other;
            if open.count_ones() < moves {
                continue;
            }
            let pieces = position.pieces[seat];
            let guarded = pieces & self.grid.around(other | position.pieces[1 - seat]);
            let endgame = Endgame {
                pieces,
                open,
                guarded,
            };
            if self.has_moves(endgame, moves) {
                return if seat == 0 { (1, 1) } else { (-1, -1) };
            }
        }
        (-1, 1)
    }

    fn mobility(&self, position: &Position) -> u32 {
        self.slides(position).moves[usize::from(position.seat)]
    }

    /// A seat with fewer moves than the other one, and fewer cells that it reaches first, has more to show.
    fn first_numbers(&self, position: &Position) -> (u32, u32) {
        let mover = usize::from(position.seat);
        let slides = self.slides(position);
        let other = slides.moves[1 - mover] / OTHERS_MOVES;
        let territory = slides.territory(position.pieces, mover);
        let mine = (1 + other).saturating_add_signed(-territory);
        (mine.max(1), slides.moves[mover].max(1))
    }

    fn outlook(&self, position: &Position) -> i32 {
        let moves = self.mobility(position) as i32;
        if position.seat == 0 { moves } else { -moves }
    }

    fn key(&self, position: &Position) -> u128 {
        least(&self.images(position))
    }

    fn successors(
        &self,
        position: &Position,
        out: &mut Vec<Keyed<Position>>,
    ) -> Result<(), Stopped> {
        let seat = usize::from(position.seat);
        let blocked = position.blocked();
        let mut before = self.images(position);
        self.keys.turn(&mut before);
        for from in cells(position.pieces[seat]) {
            let mut left = before;
            self.keys.toggle(&mut left, seat, from);
            for to in cells(self.slides.reach(from, blocked)) {
                let mut moved = left;
                self.keys.toggle(&mut moved, seat, to);
                let mut next = *position;
                next.seat = 1 - position.seat;
                next.pieces[seat] ^= 1 << from | 1 << to;
                let free = blocked & !(1 << from);
                for target in cells(self.slides.reach(to, free)) {
                    let mut shot = moved;
                    self.keys.toggle(&mut shot, CLOSED, target);
                    let closed = position.closed | 1 << target;
                    out.push(Keyed {
                        position: Position { closed, ..next },
                        key: least(&shot),
                    });
                }
            }
        }
        Ok(())
    }
}

impl<G: Game> FromGame<G> for AmazonsRules {
    fn position(&self, game: &G, position: &G::Position) -> Position {
        let [first, second, closed] = cell_sets(game, position);
        let seat = match game.to_move(position) {
            Some(seat) => seat as u8,
            // Who won is known from the margin.
            None => u8::from(game.margin(position) > 0),
        };
        Position {
            pieces: [first, second],
            closed,
            seat,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_counted_without_listing_them() {
        let mut rng = games::Rng::new(7);
        let rules = AmazonsRules::new(&Board::square(6, 5));
        for closed in (0..20).cycle().take(2000) {
            let mut order: Vec<u32> = (0..30).collect();
            rng.shuffle(&mut order);
            let set = |cells: &[u32]| cells.iter().fold(0, |set, cell| set | 1 << cell);
            let mut position = Position {
                pieces: [set(&order[..3]), set(&order[3..5])],
                closed: set(&order[5..5 + closed]),
                seat: 0,
            };
            for seat in [0, 1] {
                position.seat = seat;
                let mut moves = Vec::new();
                rules.successors(&position, &mut moves).unwrap();
                assert_eq!(rules.mobility(&position), moves.len() as u32);
            }
        }
    }

    #[test]
    fn who_can_do_less_has_more_to_show() {
        let rules = AmazonsRules::new(&Board::square(5, 5));
        // Light is in a corner with one way out, and dark in the middle. Of 21 cells, they reach three after
        // equally many slides.
        let position = Position {
            pieces: [1, 1 << 12],
            closed: 1 << 1 | 1 << 5,
            seat: 0,
        };
        let turned = Position {
            seat: 1,
            ..position
        };
        let slides = rules.slides(&position);
        assert_eq!(slides.territory(position.pieces, 0), -18);
        assert_eq!(slides.territory(position.pieces, 1), 18);
        let ((light, many), (dark, more)) =
            (rules.first_numbers(&position), rules.first_numbers(&turned));
        assert!(light > 18 && dark == 1, "{light} and {dark}");
        assert_eq!(
            (many, more),
            (rules.mobility(&position), rules.mobility(&turned))
        );
    }
}
