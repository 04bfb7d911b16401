//! Playouts: random games in which all legal moves are equally likely.

use serde::{Deserialize, Serialize};

use super::errors::BrokenRules;
use crate::budget;
use crate::game::Game;
use crate::kit::outcome::{Outcome, rank};
use crate::kit::rng::Rng;

/// Random games to play from a position, all legal moves equally likely.
#[derive(Clone, Copy, Debug)]
pub struct PlayoutRequest {
    /// The number of games; with `by_move`, the number of games after each move.
    pub count: u32,
    /// The seed of everything that is drawn.
    pub seed: u64,
    /// A game stops when its ply reaches this; `None` to play to the end.
    pub max_plies: Option<u32>,
    /// Play after each legal move of the seat or chance that acts alone, and list the moves.
    pub by_move: bool,
}

impl PlayoutRequest {
    /// Games from the position itself, each to its end.
    pub fn new(count: u32, seed: u64) -> Self {
        PlayoutRequest {
            count,
            seed,
            max_plies: None,
            by_move: false,
        }
    }
}

/// When to stop before all games of a [`PlayoutRequest`] are played.
pub enum PlayoutBudget<'a> {
    /// All games must fit into this many plies, otherwise there is no result.
    Plies(u64),
    /// Called with the plies of each game; `false` ends the series.
    ///
    /// With `by_move`, rounds of one game a move are played, each in the same random order. Without it,
    /// at least one game is played, unless the [`Budget`](crate::budget::Budget) of the thread is spent
    /// before that game ends: then the position is scored as it stands.
    While(&'a mut dyn FnMut(u64) -> bool),
}

impl PlayoutBudget<'_> {
    /// Plays every game.
    pub const UNLIMITED: Self = PlayoutBudget::Plies(u64::MAX);
}

/// Means over random games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayoutMeans {
    /// The mean outcome, one entry a seat.
    pub outcome: Vec<f64>,
    /// The mean number of plies until the end.
    pub plies: f64,
}

/// The result of a [`PlayoutRequest`].
#[derive(Clone, Debug, PartialEq)]
pub struct PlayoutResults {
    /// Means over all games.
    pub means: PlayoutMeans,
    /// The number of games; with `by_move`, the number of complete rounds.
    pub count: u32,
    /// With `by_move`, every move in the order of [`Session::legal`](crate::Session::legal); `None` for
    /// moves without a game.
    pub moves: Vec<(String, Option<PlayoutMeans>)>,
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
    fn new(seats: usize) -> Self {
        Total {
            outcome: vec![0.0; seats],
            plies: 0,
            games: 0,
        }
    }

    /// Adds a game.
    pub fn add(&mut self, plies: u32, outcome: &[f64]) {
        self.plies += u64::from(plies);
        self.games += 1;
        for (sum, value) in self.outcome.iter_mut().zip(outcome) {
            *sum += value;
        }
    }

    /// All 0 if there was no game.
    fn means(&self) -> PlayoutMeans {
        let games = f64::from(self.games.max(1));
        PlayoutMeans {
            outcome: self.outcome.iter().map(|sum| sum / games).collect(),
            plies: self.plies as f64 / games,
        }
    }

    fn merge(&mut self, other: &Total) {
        self.plies += other.plies;
        self.games += other.games;
        for (sum, value) in self.outcome.iter_mut().zip(&other.outcome) {
            *sum += value;
        }
    }
}

impl PlayoutResults {
    /// Of games from the position itself.
    pub fn of(means: PlayoutMeans, count: u32) -> Self {
        PlayoutResults {
            means,
            count,
            moves: Vec::new(),
        }
    }

    fn by_move(seats: usize, moves: impl Iterator<Item = (String, Total)>) -> Self {
        let (mut all, mut rounds) = (Total::new(seats), None);
        let moves = moves.map(|(text, total)| {
            all.merge(&total);
            rounds = Some(rounds.map_or(total.games, |least: u32| least.min(total.games)));
            (text, (total.games > 0).then(|| total.means()))
        });
        let moves = moves.collect();
        PlayoutResults {
            moves,
            ..Self::of(all.means(), rounds.unwrap_or(0))
        }
    }
}

/// Moves, each with the start of the games after it.
pub type Children<From> = Vec<(String, From)>;

/// Plays random games. Implementations play one game; series of games are the same for all rules.
pub trait RandomGames {
    /// The start of a game.
    type From;

    /// The number of seats.
    fn seats(&self) -> usize;

    /// The source of all chance.
    fn rng(&mut self) -> &mut Rng;

    /// Plays a game and adds it to the total. Returns its plies, but at least 1, since a game that is
    /// over from the start takes time, too. A game of more than `most` plies may be cut off; the total
    /// is not used then.
    ///
    /// # Errors
    /// If rules from outside do not work, or the [`Budget`](crate::budget::Budget) is spent before the
    /// game is over.
    fn play(&mut self, from: &Self::From, most: u64, total: &mut Total)
    -> Result<u64, BrokenRules>;

    /// Plays this many games at once, if that is faster, and adds them to the total in the order in which they
    /// began. `go_on` is called with the plies of each, as [`RandomGames::play`] returns them, and ends the
    /// series by `false`. Returns `false` if it is not faster, and nothing was played.
    ///
    /// # Errors
    /// As of [`RandomGames::play`].
    fn play_many(
        &mut self,
        _from: &Self::From,
        _count: u32,
        _total: &mut Total,
        _go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<bool, BrokenRules> {
        Ok(false)
    }

    /// The outcome for each seat if play stops in this position.
    ///
    /// # Errors
    /// If rules from outside do not work, or the budget is spent.
    fn as_it_stands(&mut self, from: &Self::From) -> Result<Vec<f64>, BrokenRules>;
}

/// Plays what is requested; `None` if that takes more plies than the budget has. `children` lists the
/// positions after the moves and is called only for requests by move.
///
/// # Errors
/// If rules from outside do not work.
pub fn run<R: RandomGames>(
    games: &mut R,
    here: &R::From,
    children: impl FnOnce() -> Result<Children<R::From>, BrokenRules>,
    request: &PlayoutRequest,
    budget: PlayoutBudget<'_>,
) -> Result<Option<PlayoutResults>, BrokenRules> {
    let count = request.count;
    match (request.by_move, budget) {
        (false, PlayoutBudget::Plies(mut left)) => {
            let total = play_within(games, here, count, &mut left)?;
            Ok(total.map(|total| PlayoutResults::of(total.means(), total.games)))
        }
        (false, PlayoutBudget::While(go_on)) => play_while(games, here, count, go_on).map(Some),
        (true, PlayoutBudget::Plies(left)) => by_move_within(games, children()?, count, left),
        (true, PlayoutBudget::While(go_on)) => {
            by_move_while(games, children()?, count, go_on).map(Some)
        }
    }
}

fn play_within<R: RandomGames>(
    games: &mut R,
    from: &R::From,
    count: u32,
    left: &mut u64,
) -> Result<Option<Total>, BrokenRules> {
    let mut total = Total::new(games.seats());
    let mut fits = true;
    let at_once = games.play_many(from, count, &mut total, &mut |plies| {
        fits = plies <= *left;
        *left = left.saturating_sub(plies);
        fits
    })?;
    if at_once {
        return Ok(fits.then_some(total));
    }
    for _ in 0..count {
        let plies = games.play(from, *left, &mut total)?;
        let Some(rest) = left.checked_sub(plies) else {
            return Ok(None);
        };
        *left = rest;
    }
    Ok(Some(total))
}

fn play_while<R: RandomGames>(
    games: &mut R,
    from: &R::From,
    count: u32,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<PlayoutResults, BrokenRules> {
    let mut total = Total::new(games.seats());
    match play_until(games, from, count, &mut total, go_on) {
        Err(broken) if !broken.is_given_up() => return Err(broken),
        _ => {}
    }
    let mut means = total.means();
    if total.games == 0 {
        means.outcome = match games.as_it_stands(from) {
            // There is no time for that either, and nothing is known.
            Err(broken) if broken.is_given_up() => rank(&vec![0; games.seats()]),
            outcome => outcome?,
        };
    }
    Ok(PlayoutResults::of(means, total.games))
}

/// The games that a series begins with that are played at once.
const FIRST_AT_ONCE: u32 = 64;

fn play_until<R: RandomGames>(
    games: &mut R,
    from: &R::From,
    count: u32,
    total: &mut Total,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<(), BrokenRules> {
    let mut goes_on = true;
    let mut watch = |plies| {
        goes_on = go_on(plies);
        goes_on
    };
    // Few at first: many at once take long until any of them is over.
    let first = count.min(FIRST_AT_ONCE);
    if games.play_many(from, first, total, &mut watch)? {
        if goes_on && first < count {
            games.play_many(from, count - first, total, go_on)?;
        }
        return Ok(());
    }
    loop {
        let plies = games.play(from, u64::MAX, total)?;
        if total.games >= count || !go_on(plies) {
            return Ok(());
        }
    }
}

fn by_move_within<R: RandomGames>(
    games: &mut R,
    children: Children<R::From>,
    count: u32,
    mut left: u64,
) -> Result<Option<PlayoutResults>, BrokenRules> {
    let mut by_move = Vec::with_capacity(children.len());
    for (text, child) in children {
        match play_within(games, &child, count, &mut left)? {
            Some(total) => by_move.push((text, total)),
            None => return Ok(None),
        }
    }
    let by_move = by_move.into_iter();
    Ok(Some(PlayoutResults::by_move(games.seats(), by_move)))
}

fn by_move_while<R: RandomGames>(
    games: &mut R,
    children: Children<R::From>,
    count: u32,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<PlayoutResults, BrokenRules> {
    let mut totals = vec![Total::new(games.seats()); children.len()];
    let mut order: Vec<usize> = (0..children.len()).collect();
    games.rng().shuffle(&mut order);
    'rounds: for _ in 0..if order.is_empty() { 0 } else { count } {
        for &index in &order {
            let played = games.play(&children[index].1, u64::MAX, &mut totals[index]);
            let plies = match played {
                Err(broken) if broken.is_given_up() => break 'rounds,
                played => played?,
            };
            if !go_on(plies) {
                break 'rounds;
            }
        }
    }
    let texts = children.into_iter().map(|(text, _)| text);
    Ok(PlayoutResults::by_move(games.seats(), texts.zip(totals)))
}

pub(super) const UNFINISHED: &str = "a random game was not finished in the time that it had";
/// A game that is compiled in checks the budget once in this many plies.
const CHECK_INTERVAL: u32 = 1_000;

/// Random games of a game that is compiled in.
pub(super) struct TypedGames<'a, G: Game> {
    game: &'a G,
    max_plies: Option<u32>,
    scratch: Vec<G::Move>,
    rng: Rng,
}

impl<'a, G: Game> TypedGames<'a, G> {
    pub(super) fn new(game: &'a G, request: &PlayoutRequest) -> Self {
        TypedGames {
            game,
            max_plies: request.max_plies,
            scratch: Vec::new(),
            rng: Rng::new(request.seed),
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
            let until = most.min(here.saturating_add(CHECK_INTERVAL));
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

    use super::{CHECK_INTERVAL, PlayoutBudget, PlayoutRequest};
    use crate::Session;
    use crate::budget::Budget;

    fn small_amazons() -> Box<dyn Session> {
        let rules = crate::find("amazons").unwrap();
        rules
            .configure(&json!({"size": 5}))
            .unwrap()
            .start(1)
            .unwrap()
    }

    fn games(count: u32) -> PlayoutRequest {
        PlayoutRequest::new(count, 1)
    }

    fn by_move(count: u32, max_plies: u32) -> PlayoutRequest {
        PlayoutRequest {
            max_plies: Some(max_plies),
            by_move: true,
            ..games(count)
        }
    }

    fn always(_plies: u64) -> bool {
        true
    }

    #[test]
    fn games_are_played_as_long_as_they_may_go_on() {
        let session = small_amazons();
        let play_while = |count, go_on: &mut dyn FnMut(u64) -> bool| {
            let played = session.playouts(&games(count), PlayoutBudget::While(go_on));
            played.unwrap().unwrap()
        };
        let whole = play_while(20, &mut always);
        assert_eq!(whole.means, session.playout_means(&games(20)).unwrap());
        assert_eq!(whole.count, 20);
        let first = play_while(20, &mut |_| false);
        assert_eq!(first.count, 1, "one is always played");
        let mut plies_left = 100u64;
        let played = play_while(u32::MAX, &mut |plies| {
            plies_left = plies_left.saturating_sub(plies);
            plies_left > 0
        });
        assert!(played.means.plies * f64::from(played.count) >= 100.0);
    }

    #[test]
    fn games_that_nobody_has_time_for_are_not_played() {
        let spent = || Budget::default().until(Instant::now());
        for id in ["amazons", "penguins"] {
            let rules = crate::find(id).unwrap();
            let mut session = rules.configure(&json!({})).unwrap().start(1).unwrap();
            let play_while = |request: &PlayoutRequest| {
                let budget = PlayoutBudget::While(&mut always);
                let played = spent().run(|| session.playouts(request, budget));
                played.unwrap().unwrap()
            };
            let played = play_while(&games(20));
            assert_eq!((played.count, played.means.plies), (0, 0.0));
            assert_eq!(
                played.means.outcome,
                session.tally().unwrap().outcome,
                "as it stands"
            );
            let moves = play_while(&by_move(2, u32::MAX)).moves;
            assert!(moves.iter().all(|(_, means)| means.is_none()));
            let within = spent().run(|| session.playouts(&games(1), PlayoutBudget::Plies(1 << 20)));
            assert!(within.unwrap_err().is_given_up());
            assert_eq!(moves.len(), session.legal().unwrap().len());
        }
    }

    #[test]
    fn checking_the_clock_changes_no_game() {
        let rules = crate::find("siam").unwrap();
        let session = rules.configure(&json!({})).unwrap().start(1).unwrap();
        let free = session.playout_means(&games(10)).unwrap();
        let watched = Budget::default().lasting(Duration::from_secs(3600));
        let watched = watched.run(|| session.playout_means(&games(10))).unwrap();
        assert_eq!(watched, free);
        assert!(free.plies > f64::from(CHECK_INTERVAL) / 20.0, "long games");
    }

    #[test]
    fn every_move_has_the_same_number_of_games() {
        let mut session = small_amazons();
        let legal = session.legal().unwrap();
        let play_while = |go_on: &mut dyn FnMut(u64) -> bool| {
            let played = session.playouts(&by_move(3, 9), PlayoutBudget::While(go_on));
            played.unwrap().unwrap()
        };
        let whole = play_while(&mut always);
        let moves: Vec<&String> = whole.moves.iter().map(|(mv, _)| mv).collect();
        assert!(moves.into_iter().eq(&legal));
        assert!(whole.moves.iter().all(|(_, means)| means.is_some()));
        assert_eq!(whole.count, 3);
        let mut games = 0;
        let part = play_while(&mut |_| {
            games += 1;
            games < 100
        });
        let played = part.moves.iter().filter(|(_, means)| means.is_some());
        assert_eq!((played.count(), part.count), (100, 0));
    }

    /// A series that ends with the last game of a round has completed that round.
    #[test]
    fn the_last_round_counts_if_it_is_complete() {
        let mut session = small_amazons();
        let mut left = session.legal().unwrap().len();
        let mut go_on = |_| {
            left -= 1;
            left > 0
        };
        let played = session.playouts(&by_move(3, 9), PlayoutBudget::While(&mut go_on));
        assert_eq!(played.unwrap().unwrap().count, 1);
    }

    #[test]
    fn what_would_be_too_much_is_given_up() {
        let session = small_amazons();
        let within = |request: &PlayoutRequest, plies| {
            let played = session.playouts(request, PlayoutBudget::Plies(plies));
            played.unwrap()
        };
        let whole = session.playout_means(&games(20)).unwrap();
        let plies = (20.0 * whole.plies).round() as u64;
        assert_eq!(within(&games(20), plies).unwrap().means, whole);
        assert_eq!(within(&games(20), plies - 1), None);
        // Two more plies after each move.
        let by_move = by_move(1, 3);
        let all = session.playouts(&by_move, PlayoutBudget::UNLIMITED);
        assert_eq!(within(&by_move, 520), all.unwrap());
        assert_eq!(within(&by_move, 519), None);
        let over = PlayoutRequest {
            max_plies: Some(0),
            ..games(7)
        };
        assert_eq!(within(&over, 6), None, "of no plies");
    }
}
