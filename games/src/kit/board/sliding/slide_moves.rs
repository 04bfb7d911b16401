//! Moves that slide along a line as far as it is free, for the games that have them.

use arrayvec::ArrayVec;

use crate::kit::board::sliding::lines::{Gap, Lines, Occupancy, Reach};
use crate::kit::board::{Board, CellId, NO_CELL};
use crate::kit::rng::Rng;

/// A move of a piece from one cell to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slide {
    /// Start of the move.
    pub from: CellId,
    /// End of the move.
    pub to: CellId,
}

/// The most sliding pieces of a seat.
const MOST_PIECES: usize = 4;

/// The number of moves that these pieces have.
#[inline]
pub fn count<const K: usize, const L: usize>(
    lines: &Lines<K, L>,
    occupied: &Occupancy<L>,
    pieces: impl Iterator<Item = CellId>,
) -> u64 {
    pieces
        .map(|from| u64::from(lines.count(occupied, from, Gap::NONE)))
        .sum()
}

/// Calls `visit` with each move of these pieces.
pub fn each<const K: usize, const L: usize>(
    lines: &Lines<K, L>,
    occupied: &Occupancy<L>,
    pieces: impl Iterator<Item = CellId>,
    mut visit: impl FnMut(Slide),
) {
    for from in pieces {
        lines.each(occupied, from, Gap::NONE, |to, _| visit(Slide { from, to }));
    }
}

/// A random move of these pieces (at most four), all equally likely.
///
/// # Panics
/// If they have no move.
#[inline]
pub fn random<const K: usize, const L: usize>(
    lines: &Lines<K, L>,
    occupied: &Occupancy<L>,
    pieces: impl Iterator<Item = CellId>,
    rng: &mut Rng,
) -> Slide {
    let mut sliders: ArrayVec<Slider<K>, MOST_PIECES> = ArrayVec::new();
    let mut end = 0;
    for from in pieces {
        let reach = lines.reach(occupied, from, Gap::NONE);
        end += reach.count();
        sliders.push(Slider { reach, end });
    }
    let drawn = rng.below(u64::from(end)) as u32;
    let Slider { reach, end } = of_slide(&sliders, drawn);
    // Counted from the piece's last move backwards.
    let (to, _) = lines.nth(reach, end - 1 - drawn);
    Slide {
        from: reach.from(),
        to,
    }
}

/// A piece with its slides.
pub(super) struct Slider<const K: usize> {
    pub(super) reach: Reach<K>,
    /// The number of slides of all pieces up to this one.
    pub(super) end: u32,
}

/// The piece that has the slide with this number, of those of all pieces.
#[inline]
pub(super) fn of_slide<const K: usize>(sliders: &[Slider<K>], slide: u32) -> &Slider<K> {
    let passed = sliders
        .iter()
        .map(|slider| usize::from(slider.end <= slide));
    &sliders[passed.sum::<usize>()]
}

/// Reads `FROM-TO`.
pub fn parse(board: &Board, text: &str) -> Option<Slide> {
    let (from, to) = text.split_once('-')?;
    Some(Slide {
        from: board.find(from)?,
        to: board.find(to)?,
    })
}

/// Appends `FROM-TO`.
pub fn write(board: &Board, mv: Slide, out: &mut String) {
    out.push_str(board.name(mv.from));
    out.push('-');
    out.push_str(board.name(mv.to));
}

/// Every move on a board, whatever stands on it: by start, then along the lines from there.
pub fn every(board: &Board) -> impl Iterator<Item = Slide> + '_ {
    let from_cell = |from| board.lines_from(from).map(move |to| Slide { from, to });
    board.cells().flat_map(from_cell)
}

/// A place for each move in tables.
#[inline]
pub fn place(slide: Slide) -> usize {
    slide.from as usize * NO_CELL as usize + slide.to as usize
}
