//! Playouts: random games in which all legal moves are equally likely.

use serde::{Deserialize, Serialize};

use crate::budget;
use crate::game::Game;
use crate::kit::outcome::{Outcome, rank};
use crate::kit::rng::Rng;
use crate::session::BrokenRules;

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
pub struct Total {
    outcome: Vec<f64>,
    plies: u64,
    games: u32,
}

impl Total {
    /// Of no games, with this many seats.
    pub fn new(seats: usize) -> Self {
        Total {
            outcome: vec![0.0; seats],
            plies: 0,
            games: 0,
        }
    }

    /// Adds a game: how many plies were played, and its outcome.
    pub fn add(&mut self, plies: u32, outcome: &[f64]) {
        self.plies += u64::from(plies);
        self.games += 1;
        for (sum, value) in self.outcome.iter_mut().zip(outcome) {
            *sum += value;
        }
    }

    /// The means, which are all 0 if there was no game.
    fn means(&self) -> Playouts {
        let games = f64::from(self.games.max(1));
        Playouts {
            outcome: self.outcome.iter().map(|sum| sum / games).collect(),
            plies: self.plies as f64 / games,
        }
    }
}

/// What random games after each move gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayoutsByMove {
    /// Every legal move with the means of its games, or `None` if it had no game.
    pub moves: Vec<(String, Option<Playouts>)>,
    /// How many rounds were completed.
    pub rounds: u32,
}

impl PlayoutsByMove {
    /// The means of what was played after each move.
    fn of(moves: impl Iterator<Item = (String, Total)>) -> Self {
        let mut rounds = u32::MAX;
        let means = moves.map(|(text, total)| {
            rounds = rounds.min(total.games);
            (text, (total.games > 0).then(|| total.means()))
        });
        let moves: Vec<_> = means.collect();
        PlayoutsByMove {
            rounds: if moves.is_empty() { 0 } else { rounds },
            moves,
        }
    }
}

/// Moves, with what random games after them begin from.
pub type Children<From> = Vec<(String, From)>;

/// Plays random games. Rules say how one game goes; what is done with many is the same for all of
/// them, see the methods of [`Session`](crate::Session) with the same names.
pub trait RandomGames {
    /// What a game begins from.
    type From;

    /// How many seats play.
    fn seats(&self) -> usize;

    /// Where all chance comes from.
    fn rng(&mut self) -> &mut Rng;

    /// Plays a game and adds it to the total. Returns what it took: its plies, but at least one, since
    /// a game that is over from the start takes time, too. What takes more than `most` may be broken
    /// off; the total is not used then.
    ///
    /// # Errors
    /// If rules from outside do not work, or the [`Budget`](crate::budget::Budget) is spent before the
    /// game is over.
    fn play(&mut self, from: &Self::From, most: u64, total: &mut Total)
    -> Result<u64, BrokenRules>;

    /// What a position is worth to each seat if play stops there.
    ///
    /// # Errors
    /// If rules from outside do not work, or the budget is spent.
    fn as_it_stands(&mut self, from: &Self::From) -> Result<Vec<f64>, BrokenRules>;

    /// Plays `count` games, or returns `None` if they take more than `left` plies in all. What is not
    /// used up stays in `left`.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn play_within(
        &mut self,
        from: &Self::From,
        count: u32,
        left: &mut u64,
    ) -> Result<Option<Playouts>, BrokenRules> {
        let mut total = Total::new(self.seats());
        for _ in 0..count {
            let plies = self.play(from, *left, &mut total)?;
            let Some(rest) = left.checked_sub(plies) else {
                return Ok(None);
            };
            *left = rest;
        }
        Ok(Some(total.means()))
    }

    /// Plays games as long as `go_on`, which gets the plies of each, says so, and at most `count`, but
    /// at least one, unless the budget is spent in the middle of that: then the position counts as it
    /// stands. Returns how many there were, too.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn play_while(
        &mut self,
        from: &Self::From,
        count: u32,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(Playouts, u32), BrokenRules> {
        let mut total = Total::new(self.seats());
        loop {
            let plies = match self.play(from, u64::MAX, &mut total) {
                Err(broken) if broken.is_given_up() => break,
                played => played?,
            };
            if total.games >= count || !go_on(plies) {
                return Ok((total.means(), total.games));
            }
        }
        let mut means = total.means();
        if total.games == 0 {
            means.outcome = match self.as_it_stands(from) {
                // There is no time for that either, and nothing is known.
                Err(broken) if broken.is_given_up() => rank(&vec![0; self.seats()]),
                outcome => outcome?,
            };
        }
        Ok((means, total.games))
    }

    /// Plays `count` games after each move, or returns `None` if they take more than `most` plies in
    /// all.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn by_move_within(
        &mut self,
        children: Children<Self::From>,
        count: u32,
        mut most: u64,
    ) -> Result<Option<Vec<(String, Playouts)>>, BrokenRules> {
        let mut by_move = Vec::with_capacity(children.len());
        for (text, child) in children {
            match self.play_within(&child, count, &mut most)? {
                Some(playouts) => by_move.push((text, playouts)),
                None => return Ok(None),
            }
        }
        Ok(Some(by_move))
    }

    /// Plays rounds of one game after each move, in a random order, as long as `go_on` says so, and at
    /// most `count` rounds.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn by_move_while(
        &mut self,
        children: Children<Self::From>,
        count: u32,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<PlayoutsByMove, BrokenRules> {
        let mut totals = vec![Total::new(self.seats()); children.len()];
        let mut order: Vec<usize> = (0..children.len()).collect();
        self.rng().shuffle(&mut order);
        let mut rounds = 0;
        'rounds: while rounds < count && !order.is_empty() {
            for &index in &order {
                let played = self.play(&children[index].1, u64::MAX, &mut totals[index]);
                let plies = match played {
                    Err(broken) if broken.is_given_up() => break 'rounds,
                    played => played?,
                };
                if !go_on(plies) {
                    break 'rounds;
                }
            }
            rounds += 1;
        }
        let texts = children.into_iter().map(|(text, _)| text);
        Ok(PlayoutsByMove::of(texts.zip(totals)))
    }
}

/// Why there is no random game.
pub(crate) const UNFINISHED: &str = "a random game was not finished in the time that it had";
/// How many plies of a game that is compiled in are played between two looks at the budget.
const BETWEEN_LOOKS: u32 = 1_000;

/// Random games of a game that is compiled in.
pub(crate) struct TypedGames<'a, G: Game> {
    game: &'a G,
    max_plies: Option<u32>,
    scratch: Vec<G::Move>,
    rng: Rng,
}

impl<'a, G: Game> TypedGames<'a, G> {
    pub(crate) fn new(game: &'a G, seed: u64, max_plies: Option<u32>) -> Self {
        TypedGames {
            game,
            max_plies,
            scratch: Vec::new(),
            rng: Rng::new(seed),
        }
    }
}

impl<G: Game> RandomGames for TypedGames<'_, G> {
    type From = G::Position;

    fn seats(&self) -> usize {
        self.game.seats()
    }

    fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    fn play(
        &mut self,
        from: &G::Position,
        most: u64,
        total: &mut Total,
    ) -> Result<u64, BrokenRules> {
        let mut position = *from;
        // One ply more than is left shows that the limit is exceeded.
        let most = u32::try_from(most.saturating_add(1)).unwrap_or(u32::MAX);
        let most = self.game.ply(from).saturating_add(most);
        let most = self.max_plies.map_or(most, |max| max.min(most));
        let (rng, scratch) = (&mut self.rng, &mut self.scratch);
        let mut plies = 0;
        loop {
            budget::check().map_err(|spent| BrokenRules::given_up(UNFINISHED, spent))?;
            let here = self.game.ply(&position);
            let until = most.min(here.saturating_add(BETWEEN_LOOKS));
            let (more, outcome) = playout(self.game, &mut position, Some(until), rng, scratch);
            plies += more;
            if until == most || self.game.to_move(&position).is_none() {
                total.add(plies, &outcome);
                return Ok(u64::from(plies.max(1)));
            }
        }
    }

    fn as_it_stands(&mut self, from: &G::Position) -> Result<Vec<f64>, BrokenRules> {
        Ok(self.game.outcome(from).to_vec())
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use serde_json::json;

    use crate::budget::Budget;

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
    fn games_that_nobody_has_time_for_are_not_played() {
        let spent = || Budget::default().until(Instant::now());
        for id in ["amazons", "penguins"] {
            let rules = crate::find(id).unwrap();
            let mut session = rules.configure(&json!({})).unwrap().start(1).unwrap();
            let played = spent().run(|| session.playouts_while(20, 1, None, &mut |_| true));
            let (means, games) = played.unwrap();
            assert_eq!((games, means.plies), (0, 0.0));
            assert_eq!(
                means.outcome,
                session.tally().unwrap().outcome,
                "as it stands"
            );
            let by_move = spent().run(|| session.playouts_by_move_while(2, 1, None, &mut |_| true));
            let by_move = by_move.unwrap();
            assert!(by_move.moves.iter().all(|(_, means)| means.is_none()));
            assert_eq!(by_move.moves.len(), session.legal().unwrap().len());
            let within = spent().run(|| session.playouts_within(1, 1, None, 1 << 20));
            assert!(within.unwrap_err().is_given_up());
        }
    }

    #[test]
    fn looks_at_the_clock_change_no_game() {
        let rules = crate::find("siam").unwrap();
        let session = rules.configure(&json!({})).unwrap().start(1).unwrap();
        let free = session.playouts(10, 1, None).unwrap();
        let watched = Budget::default().lasting(Duration::from_secs(3600));
        let watched = watched.run(|| session.playouts(10, 1, None)).unwrap();
        assert_eq!(watched, free);
        assert!(
            free.plies > f64::from(super::BETWEEN_LOOKS) / 20.0,
            "long games"
        );
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
        assert!(moves.into_iter().eq(&session.legal().unwrap()));
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
