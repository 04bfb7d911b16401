//! Shortlists of moves of two halves, a slide and a shot: the best slides first, then the best
//! moves that begin with one of these.

use games::Game;
use games::board::CellId;

/// Up to so many moves are all looked at.
const FEW: u64 = 64;
/// Slides that are followed up.
const SLIDES: usize = 10;
/// Moves that are kept where the search goes on deeper than one ply.
const MOVES: usize = 36;

/// The first half of a move: where a piece goes from, and to.
pub(super) type Slide = (CellId, CellId);

/// Lists the moves of a position that look best, unless there are few anyway. `slides` and
/// `after` list the first halves and the moves that begin with one; the other two judge them.
pub(super) fn shortlist<G: Game, F>(
    features: &mut F,
    (game, position): (&G, &G::Position),
    depth: i32,
    halves: &Halves<G, F>,
    moves: &mut Vec<G::Move>,
) -> bool {
    if game.count_legal(position) <= FEW {
        return false;
    }
    let mut slides = Vec::with_capacity(128);
    (halves.slides)(game, position, &mut slides);
    let mut judged: Vec<(f32, Slide)> = slides
        .iter()
        .map(|&slide| ((halves.judge_slide)(features, game, position, slide), slide))
        .collect();
    judged.sort_by(|a, b| b.0.total_cmp(&a.0));
    moves.clear();
    for &(_, slide) in judged.iter().take(SLIDES) {
        (halves.after)(game, position, slide, moves);
    }
    if depth > 1 && moves.len() > MOVES {
        let mut judged: Vec<(f32, G::Move)> = moves
            .iter()
            .map(|&mv| ((halves.judge)(features, game, position, mv), mv))
            .collect();
        judged.sort_by(|a, b| b.0.total_cmp(&a.0));
        moves.clear();
        moves.extend(judged.iter().take(MOVES).map(|(_, mv)| *mv));
    }
    true
}

/// Lists the slides of a position.
type ListSlides<G> = fn(&G, &<G as Game>::Position, &mut Vec<Slide>);
/// Appends the moves that begin with a slide.
type ListMoves<G> = fn(&G, &<G as Game>::Position, Slide, &mut Vec<<G as Game>::Move>);
/// How good a slide or a move looks to the seat that makes it.
type Judge<G, F, M> = fn(&mut F, &G, &<G as Game>::Position, M) -> f32;

/// The halves of a game's moves.
pub(super) struct Halves<G: Game, F> {
    pub(super) slides: ListSlides<G>,
    pub(super) after: ListMoves<G>,
    pub(super) judge_slide: Judge<G, F, Slide>,
    pub(super) judge: Judge<G, F, G::Move>,
}
