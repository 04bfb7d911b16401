//! Moves of the Amazons kind: slide, then shoot from there. Shared by the games that have them.

use arrayvec::ArrayVec;

use crate::board::{Board, CellId};
use crate::lines::{Lines, Occupancy};
use crate::rng::Rng;

/// A slide and a shot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shot {
    /// Where the piece stood.
    pub from: CellId,
    /// Where it went.
    pub to: CellId,
    /// Where it shot.
    pub target: CellId,
}

/// More pairs of piece and destination than there can be: eight directions lead from each of
/// at most 121 cells to at most one piece.
const MOST_SLIDES: usize = 8 * 121;

/// Whether any piece can move; a piece that moves can always shoot back to where it was.
#[inline]
pub fn any<const K: usize, const L: usize>(
    lines: &Lines<K, L>,
    occupied: &Occupancy<L>,
    mut pieces: impl Iterator<Item = CellId>,
) -> bool {
    pieces.any(|from| lines.any(occupied, from))
}

/// How many moves these pieces have.
pub fn count<const K: usize, const L: usize>(
    lines: &Lines<K, L>,
    occupied: &Occupancy<L>,
    pieces: impl Iterator<Item = CellId>,
) -> u64 {
    let mut occupied = *occupied;
    let mut sum = 0u64;
    for from in pieces {
        lines.toggle(&mut occupied, from);
        lines.each(&occupied, from, |to| {
            sum += u64::from(lines.count(&occupied, to));
        });
        lines.toggle(&mut occupied, from);
    }
    sum
}

/// Calls `visit` with each move of these pieces.
pub fn each<const K: usize, const L: usize>(
    lines: &Lines<K, L>,
    occupied: &Occupancy<L>,
    pieces: impl Iterator<Item = CellId>,
    mut visit: impl FnMut(Shot),
) {
    let mut occupied = *occupied;
    for from in pieces {
        lines.toggle(&mut occupied, from);
        lines.each(&occupied, from, |to| {
            lines.each(&occupied, to, |target| visit(Shot { from, to, target }));
        });
        lines.toggle(&mut occupied, from);
    }
}

/// Appends the moves of these pieces.
pub fn list<const K: usize, const L: usize>(
    lines: &Lines<K, L>,
    occupied: &Occupancy<L>,
    pieces: impl Iterator<Item = CellId>,
    moves: &mut Vec<Shot>,
) {
    each(lines, occupied, pieces, |shot| moves.push(shot));
}

/// One move of these pieces, each equally likely: slides are weighed by their number of shots,
/// so no move is listed but the one that is drawn.
///
/// # Panics
/// If there is none.
pub fn random<const K: usize, const L: usize>(
    lines: &Lines<K, L>,
    occupied: &Occupancy<L>,
    pieces: impl Iterator<Item = CellId>,
    rng: &mut Rng,
) -> Shot {
    let mut occupied = *occupied;
    let mut slides: ArrayVec<(CellId, CellId, u32), MOST_SLIDES> = ArrayVec::new();
    let mut sum = 0;
    for from in pieces {
        lines.toggle(&mut occupied, from);
        lines.each(&occupied, from, |to| {
            sum += lines.count(&occupied, to);
            slides.push((from, to, sum));
        });
        lines.toggle(&mut occupied, from);
    }
    let drawn = rng.below(u64::from(sum)) as u32;
    let slide = slides.partition_point(|(.., sum)| *sum <= drawn);
    let (from, to, sum) = slides[slide];
    lines.toggle(&mut occupied, from);
    // Counted from the slide's last shot backwards, which spares a look at the slide before.
    let target = lines.nth(&occupied, to, sum - 1 - drawn);
    Shot { from, to, target }
}

/// Whether a piece that stands on `from` can make this move.
pub fn is_legal<const K: usize, const L: usize>(
    lines: &Lines<K, L>,
    occupied: &Occupancy<L>,
    mv: Shot,
) -> bool {
    let mut occupied = *occupied;
    if !lines.blocked(&occupied, mv.from) {
        return false;
    }
    lines.toggle(&mut occupied, mv.from);
    lines.reaches(&occupied, mv.from, mv.to) && lines.reaches(&occupied, mv.to, mv.target)
}

/// Reads `FROM-TO/TARGET`.
pub fn parse(board: &Board, text: &str) -> Option<Shot> {
    let (from, rest) = text.split_once('-')?;
    let (to, target) = rest.split_once('/')?;
    Some(Shot {
        from: board.find(from)?,
        to: board.find(to)?,
        target: board.find(target)?,
    })
}

/// Appends `FROM-TO/TARGET`.
pub fn write(board: &Board, mv: Shot, out: &mut String) {
    out.push_str(board.name(mv.from));
    out.push('-');
    out.push_str(board.name(mv.to));
    out.push('/');
    out.push_str(board.name(mv.target));
}
