//! Staged moves: shortlists of moves that have two stages, a slide and a shot. The best slides are
//! chosen first, then the best moves that begin with one of them.

use games::Game;
use games::kit::board::CellId;

use crate::order::{rank, sort_best_first};

/// Positions with at most this many moves have no shortlist.
const FEW: u64 = 64;
/// The number of slides that are followed up.
const SLIDES: usize = 10;
/// The number of moves on the shortlist of a search that is deeper than one ply.
const MOVES: usize = 36;

/// The first stage of a move: the cell that a piece leaves, and the one that it goes to.
pub(crate) type Slide = (CellId, CellId);

/// Lists the moves of a position that look best and returns true, or returns false if there are few
/// moves anyway.
pub(crate) fn shortlist<G: Game, F>(
    features: &mut F,
    (game, position): (&G, &G::Position),
    depth: i32,
    stages: &StagedMoves<G, F>,
    moves: &mut Vec<G::Move>,
) -> bool {
    if game.count_legal(position) <= FEW {
        return false;
    }
    let mut slides = Vec::with_capacity(128);
    (stages.slides)(game, position, &mut slides);
    let mut rated: Vec<(f32, Slide)> = slides
        .iter()
        .map(|&slide| ((stages.rate_slide)(features, game, position, slide), slide))
        .collect();
    sort_best_first(&mut rated, |(rating, _)| rank(*rating));
    moves.clear();
    for &(_, slide) in rated.iter().take(SLIDES) {
        (stages.moves_after)(game, position, slide, moves);
    }
    if depth > 1 && moves.len() > MOVES {
        let mut rated: Vec<(f32, G::Move)> = moves
            .iter()
            .map(|&mv| ((stages.rate_move)(features, game, position, mv), mv))
            .collect();
        sort_best_first(&mut rated, |(rating, _)| rank(*rating));
        moves.clear();
        moves.extend(rated.iter().take(MOVES).map(|(_, mv)| *mv));
    }
    true
}

type ListSlides<G> = fn(&G, &<G as Game>::Position, &mut Vec<Slide>);
/// Appends the moves that begin with a slide.
type ListMoves<G> = fn(&G, &<G as Game>::Position, Slide, &mut Vec<<G as Game>::Move>);
/// Rates a slide or a move for the seat that makes it.
type Rate<G, F, M> = fn(&mut F, &G, &<G as Game>::Position, M) -> f32;

/// The two stages of a game's moves, as functions.
pub(crate) struct StagedMoves<G: Game, F> {
    pub(crate) slides: ListSlides<G>,
    pub(crate) moves_after: ListMoves<G>,
    pub(crate) rate_slide: Rate<G, F, Slide>,
    pub(crate) rate_move: Rate<G, F, G::Move>,
}
