//! Slides along the lines of a board of at most 64 cells, by subtraction on whole lines.

use games::kit::board::Board;

/// The most lines through a cell.
const AXES: usize = 4;

/// A line through a cell, without the cell itself.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    /// The cells with lower numbers.
    below: u64,
    /// The cells with higher numbers.
    above: u64,
}

impl Line {
    /// The cells of the line from the nearest blocked one below (or the lowest cell of the board) up to the
    /// nearest one above (or the highest), both included.
    #[inline]
    fn reach(&self, blocked: u64) -> u64 {
        let below = self.below & blocked;
        let above = self.above & blocked;
        let first = u64::MAX << (63 - (below | 1).leading_zeros());
        let last = above & above.wrapping_neg();
        let between = last.wrapping_mul(2).wrapping_add(first);
        (self.below | self.above) & between
    }
}

#[derive(Debug)]
pub(super) struct SlideTable(Box<[[Line; AXES]; 64]>);

impl SlideTable {
    /// The lines of a board of at most 64 cells, whose numbers grow along each of them.
    pub(super) fn new(board: &Board) -> Self {
        let mut table = Box::new([[Line::default(); AXES]; 64]);
        let axes = board.directions() / 2;
        for cell in board.cells() {
            for direction in 0..board.directions() {
                let mut next = board.step(cell, direction);
                let line = &mut table[usize::from(cell)][direction % axes];
                while let Some(reached) = next {
                    let side = if reached > cell {
                        &mut line.above
                    } else {
                        &mut line.below
                    };
                    *side |= 1 << reached;
                    next = board.step(reached, direction);
                }
            }
        }
        SlideTable(table)
    }

    /// The cells that a piece reaches in one slide if these are blocked.
    #[inline]
    pub(super) fn reach(&self, cell: u32, blocked: u64) -> u64 {
        let lines = self.0[cell as usize % 64].iter();
        lines.fold(0, |reached, line| reached | line.reach(blocked)) & !blocked
    }

    /// The same, and how many cells more are reached from there, in all, once the piece has left its own: from
    /// each cell its own, and those behind it on their line.
    #[inline]
    pub(super) fn reach_and_way_back(&self, cell: u32, blocked: u64) -> (u64, u32) {
        let (mut reached, mut more) = (0, 0);
        for line in &self.0[cell as usize % 64] {
            let cells = line.reach(blocked) & !blocked;
            reached |= cells;
            let below = (cells & line.below).count_ones();
            let above = (cells & line.above).count_ones();
            more += below + above + 2 * below * above;
        }
        (reached, more)
    }
}

#[cfg(test)]
mod tests {
    use games::Rng;
    use games::kit::board::bitboard::Grid;

    use super::*;

    #[test]
    fn slides_are_those_of_the_grid() {
        let mut rng = Rng::new(3);
        let boards = (4..=8).map(|size| Board::square(size, size));
        for board in boards.chain([Board::hex60()]) {
            let (grid, table) = (Grid::<u64>::new(&board), SlideTable::new(&board));
            for density in 0..8 {
                let inside = board.cells().filter(|_| rng.below(8) < density);
                let open = inside.fold(0, |set, cell| set | 1 << cell);
                for cell in board.cells() {
                    let reached = table.reach(u32::from(cell), !(open & !(1 << cell)));
                    assert_eq!(reached, grid.slides(1 << cell, open & !(1 << cell)));
                }
            }
        }
    }
}
