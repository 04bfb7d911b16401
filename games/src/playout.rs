//! Playouts: random games in which all legal moves are equally likely.

use serde::{Deserialize, Serialize};

use crate::game::Game;
use crate::kit::outcome::Outcome;
use crate::kit::rng::Rng;

/// The results of random games from one position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Playouts {
    /// The mean outcome, one entry a seat.
    pub outcome: Vec<f64>,
    /// The mean number of plies until the end.
    pub plies: f64,
}

/// Plays one random game from `position`, in place, until it ends or its ply reaches `max_plies`.
/// Returns the number of plies played and the outcome.
pub fn playout<G: Game>(
    game: &G,
    position: &mut G::Position,
    max_plies: Option<u32>,
    rng: &mut Rng,
    scratch: &mut Vec<G::Move>,
) -> (u32, Outcome) {
    let left = max_plies.map_or(u32::MAX, |max| max.saturating_sub(game.ply(position)));
    let mut plies = 0;
    while plies < left && game.to_move(position).is_some() {
        let mv = game.random_move(position, rng, scratch);
        game.play_unchecked(position, mv);
        plies += 1;
    }
    (plies, game.outcome(position))
}

/// Sums over random games from one position.
#[derive(Clone, Debug)]
pub(crate) struct Total {
    outcome: Vec<f64>,
    plies: u64,
    games: u32,
}

impl Total {
    pub(crate) fn new(seats: usize) -> Self {
        Total {
            outcome: vec![0.0; seats],
            plies: 0,
            games: 0,
        }
    }

    pub(crate) fn add(&mut self, plies: u32, outcome: &[f64]) {
        self.plies += u64::from(plies);
        self.games += 1;
        for (sum, value) in self.outcome.iter_mut().zip(outcome) {
            *sum += value;
        }
    }

    /// How many games there were.
    pub(crate) fn games(&self) -> u32 {
        self.games
    }

    /// The means, which are all 0 if there was no game.
    pub(crate) fn means(&self) -> Playouts {
        let games = f64::from(self.games.max(1));
        Playouts {
            outcome: self.outcome.iter().map(|sum| sum / games).collect(),
            plies: self.plies as f64 / games,
        }
    }
}

/// Plays random games, and keeps what they can share.
pub(crate) struct Player<'a, G: Game> {
    game: &'a G,
    max_plies: Option<u32>,
    scratch: Vec<G::Move>,
    pub(crate) rng: Rng,
}

impl<'a, G: Game> Player<'a, G> {
    pub(crate) fn new(game: &'a G, seed: u64, max_plies: Option<u32>) -> Self {
        Player {
            game,
            max_plies,
            scratch: Vec::new(),
            rng: Rng::new(seed),
        }
    }

    /// Plays one game and adds it to the total. Returns what it took: its plies, but at least one, since
    /// a game that is over from the start takes time, too.
    pub(crate) fn play(&mut self, position: &G::Position, total: &mut Total) -> u64 {
        let mut copy = *position;
        let (plies, outcome) = playout(
            self.game,
            &mut copy,
            self.max_plies,
            &mut self.rng,
            &mut self.scratch,
        );
        total.add(plies, &outcome);
        u64::from(plies.max(1))
    }
}

/// Plays `count` random games from `position`, or returns `None` if they take more than `left` plies in
/// all. What is not used up stays in `left`.
pub fn playouts_within<G: Game>(
    game: &G,
    position: &G::Position,
    max_plies: Option<u32>,
    count: u32,
    rng: &mut Rng,
    left: &mut u64,
) -> Option<Playouts> {
    let mut total = Total::new(game.seats());
    let mut scratch = Vec::new();
    for _ in 0..count {
        let mut copy = *position;
        // One ply more than is left shows that the limit is exceeded.
        let most = u32::try_from(left.saturating_add(1)).unwrap_or(u32::MAX);
        let most = game.ply(position).saturating_add(most);
        let most = max_plies.map_or(most, |max| max.min(most));
        let (plies, outcome) = playout(game, &mut copy, Some(most), rng, &mut scratch);
        // A game that is over from the start counts as one ply: it takes time, too.
        *left = left.checked_sub(u64::from(plies.max(1)))?;
        total.add(plies, &outcome);
    }
    Some(total.means())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn games_are_played_as_long_as_they_may_go_on() {
        let rules = crate::find("amazons").unwrap();
        let session = rules
            .configure(&json!({"size": 5}))
            .unwrap()
            .start(1)
            .unwrap();
        let (playouts, games) = session.playouts_while(20, 1, None, &mut |_| true).unwrap();
        assert_eq!(
            (playouts, games),
            (session.playouts(20, 1, None).unwrap(), 20)
        );
        let (_, games) = session.playouts_while(20, 1, None, &mut |_| false).unwrap();
        assert_eq!(games, 1, "one is always played");
        let mut plies_left = 100u64;
        let mut some = |plies: u64| {
            plies_left = plies_left.saturating_sub(plies);
            plies_left > 0
        };
        let (playouts, games) = session
            .playouts_while(u32::MAX, 1, None, &mut some)
            .unwrap();
        assert!(playouts.plies * f64::from(games) >= 100.0);
    }

    #[test]
    fn rounds_give_every_move_as_many_games() {
        let rules = crate::find("amazons").unwrap();
        let mut session = rules
            .configure(&json!({"size": 5}))
            .unwrap()
            .start(1)
            .unwrap();
        let whole = session
            .playouts_by_move_while(3, 1, Some(9), &mut |_| true)
            .unwrap();
        let moves: Vec<&String> = whole.moves.iter().map(|(mv, _)| mv).collect();
        assert!(moves.into_iter().eq(&session.legal()));
        assert!(whole.moves.iter().all(|(_, means)| means.is_some()));
        assert_eq!(whole.rounds, 3);
        let mut games = 0;
        let mut some = |_| {
            games += 1;
            games < 100
        };
        let part = session
            .playouts_by_move_while(3, 1, Some(9), &mut some)
            .unwrap();
        let played = part.moves.iter().filter(|(_, means)| means.is_some());
        assert_eq!((played.count(), part.rounds), (100, 0));
    }

    #[test]
    fn what_would_be_too_much_is_given_up() {
        let rules = crate::find("amazons").unwrap();
        let session = rules
            .configure(&json!({"size": 5}))
            .unwrap()
            .start(1)
            .unwrap();
        let whole = session.playouts(20, 1, None).unwrap();
        let plies = (20.0 * whole.plies).round() as u64;
        assert_eq!(
            session.playouts_within(20, 1, None, plies).unwrap(),
            Some(whole)
        );
        assert_eq!(
            session.playouts_within(20, 1, None, plies - 1).unwrap(),
            None
        );
        let by_move = session.playouts_by_move(1, 1, Some(3)).unwrap();
        // Two more plies after each move.
        let within = |most| {
            session
                .playouts_by_move_within(1, 1, Some(3), most)
                .unwrap()
        };
        assert_eq!(within(520), Some(by_move));
        assert_eq!(within(519), None);
        assert_eq!(
            session.playouts_within(7, 1, Some(0), 6).unwrap(),
            None,
            "of no plies"
        );
    }
}
