//! Perft: counts of positions, the standard check of move generators.

use crate::game::Game;

/// A count of paths.
#[derive(Clone, Copy, Debug)]
pub struct PerftRequest {
    /// Count the paths of exactly this many steps. Games that end earlier do not count.
    pub depth: u32,
    /// There is no result if it takes the legal moves of more positions than this.
    pub max_positions: u64,
    /// List the paths by their first step, too.
    pub divide: bool,
}

impl PerftRequest {
    /// Counts the paths of `depth` steps, however many positions that takes.
    pub fn new(depth: u32) -> Self {
        PerftRequest {
            depth,
            max_positions: u64::MAX,
            divide: false,
        }
    }
}

/// The result of a [`PerftRequest`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Perft {
    /// The number of paths.
    pub nodes: u64,
    /// If the request says `divide`, each possible first step with the number of paths that begin with
    /// it. Empty for depth 0.
    pub moves: Vec<(String, u64)>,
}

impl Perft {
    /// Not divided.
    pub fn of(nodes: u64) -> Self {
        Perft {
            nodes,
            moves: Vec::new(),
        }
    }

    /// Divided by the first step.
    pub fn divided(moves: Vec<(String, u64)>) -> Self {
        Perft {
            nodes: moves.iter().map(|(_, nodes)| nodes).sum(),
            moves,
        }
    }
}

/// Counts down the positions that a [`PerftRequest`] allows.
pub struct PositionsLeft(u64);

impl PositionsLeft {
    /// All of them.
    pub fn of(request: &PerftRequest) -> Self {
        // One more, so that 0 means that the limit was exceeded.
        PositionsLeft(request.max_positions.saturating_add(1))
    }

    /// Takes one.
    pub fn take(&mut self) {
        self.0 = self.0.saturating_sub(1);
    }

    /// True once more positions were taken than the request allows.
    pub fn is_exceeded(&self) -> bool {
        self.0 == 0
    }

    /// The result, if the limit was not exceeded.
    pub fn allow<T>(&self, result: T) -> Option<T> {
        (!self.is_exceeded()).then_some(result)
    }
}

/// The number of paths of exactly `depth` plies.
pub fn perft<G: Game>(game: &G, position: &G::Position, depth: u32) -> u64 {
    let left = &mut PositionsLeft::of(&PerftRequest::new(depth));
    count(game, position, depth, left, &mut Vec::new())
}

/// The answer to a request. `children` lists the legal moves as text with the positions after them.
pub(super) fn answer<G: Game, C: Iterator<Item = (String, G::Position)>>(
    game: &G,
    position: &G::Position,
    children: impl FnOnce() -> C,
    request: &PerftRequest,
) -> Option<Perft> {
    let mut left = PositionsLeft::of(request);
    let spare = &mut Vec::new();
    let perft = match request.depth.checked_sub(1) {
        Some(rest) if request.divide => {
            left.take();
            let counted =
                children().map(|(text, next)| (text, count(game, &next, rest, &mut left, spare)));
            Perft::divided(counted.collect())
        }
        _ => Perft::of(count(game, position, request.depth, &mut left, spare)),
    };
    left.allow(perft)
}

/// `spare` has lists of moves to reuse. It grows only with the plies that are played, since `depth` may
/// be far greater than the length of any game.
fn count<G: Game>(
    game: &G,
    position: &G::Position,
    depth: u32,
    left: &mut PositionsLeft,
    spare: &mut Vec<Vec<G::Move>>,
) -> u64 {
    if depth == 0 {
        return 1;
    }
    left.take();
    match depth {
        1 => game.count_legal(position),
        _ => {
            let mut moves = spare.pop().unwrap_or_default();
            game.legal(position, &mut moves);
            let mut nodes = 0;
            for &mv in &moves {
                if left.is_exceeded() {
                    break;
                }
                let mut next = *position;
                game.play_unchecked(&mut next, mv);
                nodes += count(game, &next, depth - 1, left, spare);
            }
            spare.push(moves);
            nodes
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Perft, PerftRequest};
    use crate::session::random_step;

    #[test]
    fn what_would_be_too_much_is_given_up() {
        let rules = crate::find("amazons").unwrap();
        let session = rules
            .configure(&json!({"size": 5}))
            .unwrap()
            .start(1)
            .unwrap();
        // The start, and the positions after its 260 moves.
        let after_two = session.perft_nodes(2).unwrap();
        let within = |depth, max_positions| {
            let request = PerftRequest {
                max_positions,
                ..PerftRequest::new(depth)
            };
            session
                .perft(&request)
                .unwrap()
                .map(|counted| counted.nodes)
        };
        assert_eq!(within(2, 261), Some(after_two));
        assert_eq!(within(2, 260), None);
        assert_eq!(within(1, 1), Some(260));
        assert_eq!(within(1, 0), None);
        assert_eq!(within(0, 0), Some(1));
        assert_eq!(within(1000, 1000), None);
    }

    /// No memory is reserved for plies that are never played.
    #[test]
    fn a_huge_depth_costs_nothing_where_the_game_ends_before() {
        let rules = crate::find("paper-penguins").unwrap();
        let rules = rules.configure(&json!({"size": 4})).unwrap();
        let mut session = rules.start(1).unwrap();
        let mut rng = crate::Rng::new(1);
        while session.ply() < 8 {
            match random_step(&mut *session, &mut rng).unwrap() {
                Some(step) => session.play(&step[0]).unwrap(),
                None => break,
            }
        }
        assert_eq!(session.perft_nodes(u32::MAX).unwrap(), 0);
        let divide = PerftRequest {
            divide: true,
            ..PerftRequest::new(0)
        };
        assert_eq!(session.perft(&divide).unwrap(), Some(Perft::of(1)));
    }
}
