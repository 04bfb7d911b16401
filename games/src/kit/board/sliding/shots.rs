//! Moves as in the Game of the Amazons: a slide, then a shot from there, for the games that have them.

use arrayvec::ArrayVec;

use crate::kit::board::sliding::lines::{Gap, Lines, Occupancy};
use crate::kit::board::sliding::slide_moves::{self, Slide, Slider, of_slide};
use crate::kit::board::{Board, CellId};
use crate::kit::rng::Rng;

/// A slide and a shot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shot {
    /// Start of the move.
    pub from: CellId,
    /// End of the move.
    pub to: CellId,
    /// Target of the shot.
    pub target: CellId,
}

/// More pieces than fit on a board with room to move.
const MOST_PIECES: usize = 144;

/// More pairs of piece and destination than there can be: eight directions lead from each of
/// at most 144 cells to at most one piece.
const MOST_SLIDES: usize = 8 * 144;

/// There is one try without counting for this many slides: counting them takes about as long.
const SLIDES_A_TRY: u32 = 4;

/// The number of moves that these pieces have.
pub fn count<const K: usize, const L: usize>(
    lines: &Lines<K, L>,
    occupied: &Occupancy<L>,
    pieces: impl Iterator<Item = CellId>,
) -> u64 {
    let mut sum = 0u64;
    for from in pieces {
        lines.each(occupied, from, Gap::NONE, |to, gap| {
            sum += u64::from(lines.count(occupied, to, gap));
        });
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
    for from in pieces {
        lines.each(occupied, from, Gap::NONE, |to, gap| {
            lines.each(occupied, to, gap, |target, _| {
                visit(Shot { from, to, target })
            });
        });
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

/// A random move of these pieces, all equally likely.
///
/// Counting the shots of every slide would take most of the time. So a slide and the number of a shot
/// are drawn first, as if every slide had as many shots as any slide can have, and drawn again if that
/// slide has fewer. All moves are equally likely in each try, so the distribution does not depend on
/// when the tries end and the shots are counted after all: the fewer slides, the sooner, since tries
/// then mostly fail and counting is cheap.
///
/// # Panics
/// If they have no move.
pub fn random<const K: usize, const L: usize>(
    lines: &Lines<K, L>,
    occupied: &Occupancy<L>,
    pieces: impl Iterator<Item = CellId>,
    rng: &mut Rng,
) -> Shot {
    let mut sliders: ArrayVec<Slider<K>, MOST_PIECES> = ArrayVec::new();
    let mut slides = 0;
    for from in pieces {
        let reach = lines.reach(occupied, from, Gap::NONE);
        slides += reach.count();
        sliders.push(Slider { reach, end: slides });
    }
    let most = lines.most();
    for _ in 0..slides / SLIDES_A_TRY {
        let drawn = rng.below(u64::from(slides * most)) as u32;
        let (slide, shot) = (drawn / most, drawn % most);
        let Slider { reach, end } = of_slide(&sliders, slide);
        // Counted from the piece's last slide backwards.
        let (to, gap) = lines.nth(reach, end - 1 - slide);
        let shots = lines.reach(occupied, to, gap);
        if shot < shots.count() {
            let (target, _) = lines.nth(&shots, shot);
            return Shot {
                from: reach.from(),
                to,
                target,
            };
        }
    }
    random_by_counting(lines, occupied, &sliders, rng)
}

/// The same, with each slide weighted by its number of shots.
fn random_by_counting<const K: usize, const L: usize>(
    lines: &Lines<K, L>,
    occupied: &Occupancy<L>,
    sliders: &[Slider<K>],
    rng: &mut Rng,
) -> Shot {
    // No slide has more shots than 44, so all of them are fewer than 2^16.
    let mut sums: ArrayVec<u16, MOST_SLIDES> = ArrayVec::new();
    let mut sum = 0;
    for Slider { reach, .. } in sliders {
        for slide in 0..reach.count() {
            let (to, gap) = lines.nth(reach, slide);
            sum += lines.count(occupied, to, gap) as u16;
            sums.push(sum);
        }
    }
    let drawn = rng.below(u64::from(sum)) as u16;
    let slide = sums.iter().map(|sum| u32::from(*sum <= drawn)).sum::<u32>();
    let Slider { reach, end } = of_slide(sliders, slide);
    let (to, gap) = lines.nth(reach, slide + reach.count() - end);
    let shots = lines.reach(occupied, to, gap);
    let (target, _) = lines.nth(&shots, u32::from(sums[slide as usize] - 1 - drawn));
    Shot {
        from: reach.from(),
        to,
        target,
    }
}

/// True if a piece on `from` can make this move.
pub fn is_legal<const K: usize, const L: usize>(
    lines: &Lines<K, L>,
    occupied: &Occupancy<L>,
    mv: Shot,
) -> bool {
    lines.blocked(occupied, mv.from)
        && lines
            .reaches(occupied, mv.from, Gap::NONE, mv.to)
            .is_some_and(|gap| lines.reaches(occupied, mv.to, gap, mv.target).is_some())
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

/// Every move on a board, whatever stands on it: by slide, then along the lines from its end.
pub fn every(board: &Board) -> impl Iterator<Item = Shot> + '_ {
    slide_moves::every(board).flat_map(|Slide { from, to }| {
        board
            .lines_from(to)
            .map(move |target| Shot { from, to, target })
    })
}

/// Places of each move in two tables: that of its slide, and that of the shot from its end. In the order
/// of [`every`], all slides that end on a cell have the same shots.
#[inline]
pub fn places(shot: Shot) -> [usize; 2] {
    let Shot { from, to, target } = shot;
    let shot = Slide {
        from: to,
        to: target,
    };
    [
        slide_moves::place(Slide { from, to }),
        slide_moves::place(shot),
    ]
}
