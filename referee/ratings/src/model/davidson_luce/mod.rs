//! The Davidson-Luce model: Bradley-Terry with Davidson's draws for two seats, Plackett-Luce with ties
//! for more.
//!
//! A result is a sequence of choices: from the choice set of the seats that are left, a subset S is
//! chosen, all with the same rank. Its probability is proportional to δ(|S|) · (∏ λ)^(1/|S|), the
//! product over the seats of S, where ln λ is the bot's strength plus the seat's strength in this game,
//! δ(1) = 1, and δ(2), δ(3), … are the propensities for ties of two, three, … in this game (Firth,
//! Kosmidis and Turner 2019, "Davidson-Luce model for multi-item choice with ties"). With two seats this
//! is Davidson's model (1970), and without ties Bradley-Terry and Plackett-Luce. Its logarithm is
//! concave in all parameters, so that there is one maximum.
//!
//! If the openings of a game of two seats favour one seat or the other, the seat's strength is a random
//! effect of the unit, with a fitted spread (see [`opening_spread`]). Otherwise bots would seem closer
//! together than they are.
//!
//! A size of ties that never occurred in a game is left out: its δ is 0, the exact maximum. A weak prior
//! keeps other parameters finite: each bot has half a win and half a loss against an imaginary average
//! bot, each seat has the same against the first seat, and each game has half a first place that is not
//! shared among equals.

mod chances;
mod choice_set;
mod crowding;
mod game_params;
mod jumps;
mod local_slopes;
mod observations;
mod opening_spread;
mod prior;

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::iter::ParallelIterator;
use rayon::slice::ParallelSlice;

use crate::evidence::{Evidence, Placing, RATED_SEATS};
use crate::model::linear::{FEW, Pattern};
use choice_set::{ChoiceSet, Local, choices};
use game_params::NONE;
use observations::Observations;

pub(super) use chances::expected;
pub(super) use choice_set::{Slopes, Want};
pub(crate) use game_params::GameParams;
pub(super) use local_slopes::LocalSlopes;
pub(super) use observations::{ClusterKind, UnitKind};
pub(crate) use prior::PRIOR;

/// Parts into which observations are split to run in parallel.
const PARTS: usize = 4;
/// Observations of a part at least, unless there are fewer.
const SMALLEST_PART: usize = 1 << 14;
/// The most cells of a dense table of games and parameters.
const MOST_CELLS: usize = 1 << 22;

/// The size of the parts into which this many observations are split. It depends on their number alone, and
/// parts are added in order, which makes sums the same on any number of cores.
pub(super) fn part_size(observations: usize) -> usize {
    observations.div_ceil(PARTS).max(SMALLEST_PART)
}

#[derive(Clone, Debug)]
pub(crate) struct DavidsonLuce {
    pub(crate) bots: usize,
    pub(crate) games: Vec<GameParams>,
    /// The number of parameters. Those of bots come first.
    pub(crate) params: usize,
    /// The pairs of parameters with second derivatives.
    pub(super) pattern: Arc<Pattern>,
    data: Arc<Observations>,
    /// The choice sets that occurred, each with its weight.
    choice_sets: Arc<Vec<(ChoiceSet, f64)>>,
    /// By game: the sums of observed features by parameter; empty if the spread of its openings is fitted.
    observed: Vec<Vec<(u32, f64)>>,
    /// By parameter: the number of matches that count as one, because they depend on each other. It scales
    /// the prior, so that copies of all matches change nothing.
    crowding: Vec<f64>,
}

impl DavidsonLuce {
    pub(crate) fn new(evidence: &Evidence) -> Self {
        let (games, params) = layout(evidence);
        let mut model = DavidsonLuce {
            bots: evidence.bots,
            games,
            params,
            pattern: Arc::new(Pattern::new(0, [])),
            data: Arc::new(Observations::new(evidence)),
            choice_sets: Arc::default(),
            observed: Vec::new(),
            crowding: Vec::new(),
        };
        model.find_choice_sets();
        model.count();
        model
    }

    /// The same without the matches of a game, whose parameters stay but no longer move.
    pub(crate) fn without(&self, game: usize) -> Self {
        let mut model = self.clone();
        model.games[game].weight = 0.0;
        model.observed[game].clear();
        model
    }

    pub(crate) fn units(&self) -> &[UnitKind] {
        &self.data.units
    }

    pub(crate) fn clusters(&self) -> &[ClusterKind] {
        &self.data.clusters
    }

    /// The units of a cluster, each with its count.
    pub(crate) fn members(&self, cluster: &ClusterKind) -> &[(u32, u32)] {
        &self.data.members[cluster.start as usize..][..cluster.len as usize]
    }

    pub(crate) fn placings(&self, unit: &UnitKind) -> &[Placing] {
        &self.data.placings[unit.start as usize..][..unit.len as usize]
    }

    fn find_choice_sets(&mut self) {
        let mut places: Vec<(Placing, u8)> = Vec::new();
        let mut most = 1 << 16;
        for placing in &self.data.placings {
            let seats = self.games[placing.game as usize].seats;
            places.extend(choices(placing, seats).map(|(left, _)| (place(placing), left)));
            // Bounds the list while there are many.
            if places.len() > most {
                places.sort_unstable();
                places.dedup();
                most = most.max(2 * places.len());
            }
        }
        places.sort_unstable();
        places.dedup();
        let mut met = vec![0.0; places.len()];
        for unit in self.units() {
            for placing in self.placings(unit) {
                let game = &self.games[placing.game as usize];
                for (left, _) in choices(placing, game.seats) {
                    if let Ok(index) = places.binary_search(&(place(placing), left)) {
                        met[index] += game.weight * f64::from(unit.count);
                    }
                }
            }
        }
        let sets = places.iter().zip(met);
        let sets = sets
            .map(|((placing, left), met)| (ChoiceSet::new(placing, *left, &self.games), met))
            .collect();
        self.choice_sets = Arc::new(sets);
        self.pattern = Arc::new(self.find_pattern());
    }

    /// Second derivatives exist between the parameters of a choice set, between the ties of a game, and
    /// between the spread of its openings and the parameters of its matches.
    fn find_pattern(&self) -> Pattern {
        let known = |params: &[u32]| params.iter().copied().filter(|p| *p != NONE).collect();
        let ties = self.games.iter().map(|game| known(&game.tie));
        let sets = self.choice_sets.iter().map(|(set, _)| {
            let len = usize::from(set.len);
            let game = &self.games[set.game as usize];
            let of_game = [&game.tie[2..=len], &[game.spread]].concat();
            known(&[&set.bots[..len], &set.seats[..len], &of_game].concat())
        });
        let mut cliques: Vec<Vec<u32>> = sets.chain(ties).collect();
        for clique in &mut cliques {
            clique.sort_unstable();
        }
        // Choice sets also differ by who sits where.
        cliques.sort_unstable();
        cliques.dedup();
        Pattern::new(self.params, cliques)
    }

    /// Sums up the observed features.
    fn count(&mut self) {
        let games = self.games.len();
        let observed = if games * self.params <= MOST_CELLS {
            let mut sums = vec![vec![0.0; self.params]; games];
            self.observe(|game, param, value| sums[game][param as usize] += value);
            let rows = sums.into_iter().map(|sums| {
                let sums = (0..).zip(sums);
                sums.filter(|(_, sum)| *sum != 0.0).collect()
            });
            rows.collect()
        } else {
            let mut sums = vec![BTreeMap::new(); games];
            self.observe(|game, param, value| *sums[game].entry(param).or_default() += value);
            sums.into_iter()
                .map(|sums| sums.into_iter().collect())
                .collect()
        };
        self.observed = observed;
    }

    /// Calls `add` with each observed feature: its game, its parameter and its value.
    fn observe(&self, mut add: impl FnMut(usize, u32, f64)) {
        for unit in self.units() {
            let Some(game) = self.game_of(unit).filter(|game| game.spread().is_none()) else {
                continue;
            };
            let weight = game.weight * f64::from(unit.count);
            for placing in self.placings(unit) {
                for (_, chosen) in choices(placing, game.seats) {
                    features(placing, game, chosen, |param, value| {
                        add(placing.game.into(), param, weight * value);
                    });
                }
            }
        }
    }

    pub(crate) fn game_of(&self, unit: &UnitKind) -> Option<&GameParams> {
        let placing = self.placings(unit).first()?;
        Some(&self.games[placing.game as usize])
    }

    /// By bot: its points against all others of its matches, and the number of points played for,
    /// which is 1 per match for any number of seats.
    pub(crate) fn points(&self) -> Vec<[f64; 2]> {
        let mut all = vec![[0.0; 2]; self.bots];
        for unit in self.units() {
            for placing in self.placings(unit) {
                let seats = self.games[placing.game as usize].seats;
                let part = f64::from(unit.count) / (seats - 1) as f64;
                for seat in 0..seats {
                    for other in (0..seats).filter(|other| *other != seat) {
                        let (mine, theirs) = (placing.ranks[seat], placing.ranks[other]);
                        let [points, matches] = &mut all[placing.bots[seat] as usize];
                        *points += 0.5 * part * f64::from(1 + theirs.cmp(&mine) as i8);
                        *matches += part;
                    }
                }
            }
        }
        all
    }

    /// By bot and game: true if the bot played it.
    pub(crate) fn played(&self) -> Vec<Vec<bool>> {
        let mut played = vec![vec![false; self.games.len()]; self.bots];
        for placing in &self.data.placings {
            let game = placing.game as usize;
            for &bot in &placing.bots[..self.games[game].seats] {
                played[bot as usize][game] = true;
            }
        }
        played
    }

    /// By game of two seats: the mean absolute lead in strength, with matches weighted by their information
    /// about the share of draws.
    pub(crate) fn usual_leads(&self, at: &[f64]) -> Vec<f64> {
        let mut sums = vec![[0.0; 2]; self.games.len()];
        for unit in self.units() {
            for placing in self.placings(unit) {
                let game = &self.games[placing.game as usize];
                if game.seats != 2 || game.tie(2).is_none() {
                    continue;
                }
                let worth = game.seat(1).map_or(0.0, |param| at[param]);
                let [first, second, ..] = placing.bots;
                let lead = at[first as usize] - at[second as usize] - worth;
                let [_, draw, _] = self.pair_chances(placing, [0, 1], at);
                let says = f64::from(unit.count) * draw * (1.0 - draw);
                let [sum, weight] = &mut sums[placing.game as usize];
                *sum += says * lead.abs();
                *weight += says;
            }
        }
        let mean = |[sum, weight]: [f64; 2]| if weight > 0.0 { sum / weight } else { 0.0 };
        sums.into_iter().map(mean).collect()
    }

    /// Adds parameters for the spread of openings of these games of two seats.
    pub(crate) fn fit_spreads(&mut self, games: &[usize]) {
        for &game in games {
            self.games[game].spread = self.params as u32;
            self.params += 1;
        }
        self.pattern = Arc::new(self.find_pattern());
        self.count();
    }

    /// About the number of operations to compute the likelihood once.
    pub(crate) fn cost(&self) -> usize {
        let units = self.games.iter().any(|game| game.spread().is_some());
        let units = if units { self.units().len() } else { 0 };
        8 * self.choice_sets.len() + 100 * units
    }

    /// The logarithm of likelihood and prior at `at`, with the wanted derivatives. The returned value is
    /// meaningless if only slopes are wanted.
    pub(crate) fn evaluate(&self, at: &[f64], want: Want, slopes: &mut Slopes) -> f64 {
        self.evaluate_matches(at, want, slopes) + self.evaluate_prior(at, want, slopes)
    }

    /// [`DavidsonLuce::evaluate`] without the prior.
    pub(crate) fn evaluate_matches(&self, at: &[f64], want: Want, slopes: &mut Slopes) -> f64 {
        slopes.gradient.fill(0.0);
        for (param, observed) in self.observed.iter().flatten() {
            slopes.gradient[*param as usize] += observed;
        }
        if want == Want::Curvature {
            slopes.curvature.clear();
        }
        let mut value: f64 = at.iter().zip(&slopes.gradient).map(|(a, o)| a * o).sum();
        let mut local = Local::new();
        for (set, met) in self.choice_sets.iter() {
            let game = &self.games[set.game as usize];
            if *met > 0.0 && game.weight > 0.0 && game.spread().is_none() {
                local.prepare(set, game, at);
                value -= met * local.compute(want);
                local.scatter(*met, want, slopes);
            }
        }
        if self.games.iter().any(|game| game.spread().is_some()) {
            value += self.evaluate_spread(at, want, slopes);
        }
        value
    }

    /// The part of units of games whose openings differ.
    fn evaluate_spread(&self, at: &[f64], want: Want, slopes: &mut Slopes) -> f64 {
        let add = |units: &[UnitKind], slopes: &mut Slopes| {
            let mut sum = 0.0;
            for kind in units {
                let Some(game) = self.game_of(kind) else {
                    continue;
                };
                if game.spread().is_some() && game.weight > 0.0 {
                    let weight = game.weight * f64::from(kind.count);
                    sum += opening_spread::add(self.placings(kind), game, at, weight, want, slopes);
                }
            }
            sum
        };
        let size = part_size(self.units().len());
        if self.params > FEW || self.units().len() <= size {
            return add(self.units(), slopes);
        }
        let parts = self.units().par_chunks(size);
        let parts: Vec<(f64, Slopes)> = parts
            .map(|units| {
                let mut slopes = Slopes::zero(&self.pattern);
                (add(units, &mut slopes), slopes)
            })
            .collect();
        let mut sum = 0.0;
        for (value, part) in &parts {
            sum += value;
            slopes.join(part, want);
        }
        sum
    }

    /// A score test for differing openings of a game of two seats, given a fit without them: the
    /// correlation of the matches of a unit by seat, in standard errors. Negative if they correlate by bot
    /// instead.
    pub(crate) fn evidence_of_spread(&self, game: usize, at: &[f64]) -> f64 {
        let params = &self.games[game];
        let (mut sum, mut squares) = (0.0, 0.0);
        for cluster in self.clusters() {
            let mut scores = 0.0;
            for (unit, times) in self.members(cluster) {
                let placings = self.placings(&self.units()[*unit as usize]);
                if placings.len() > 1 && usize::from(placings[0].game) == game {
                    scores += f64::from(*times) * opening_spread::evidence(placings, params, at);
                }
            }
            let count = f64::from(cluster.count);
            sum += count * scores;
            squares += count * scores * scores;
        }
        if squares > 0.0 {
            sum / squares.sqrt()
        } else {
            f64::NEG_INFINITY
        }
    }

    /// The probabilities that one seat of a match is ahead of another one, equal to it, and behind it.
    pub(crate) fn pair_chances(
        &self,
        placing: &Placing,
        [seat, other]: [usize; 2],
        at: &[f64],
    ) -> [f64; 3] {
        let game = &self.games[placing.game as usize];
        let worth = |seat: usize| game.seat(seat).map_or(0.0, |param| at[param]);
        let strength = |seat: usize| at[placing.bots[seat] as usize] + worth(seat);
        if game.seats == 2 {
            let lead = strength(seat) - strength(other);
            let tie = game.tie(2).map_or(f64::NEG_INFINITY, |param| at[param]);
            return match game.spread() {
                Some(spread) => opening_spread::chances(lead, tie, at[spread]),
                None => opening_spread::even_chances(lead, tie),
            };
        }
        let mut strengths = vec![strength(seat), strength(other)];
        let others = (0..game.seats).filter(|it| *it != seat && *it != other);
        strengths.extend(others.map(strength));
        let most = strengths.iter().copied().fold(f64::MIN, f64::max);
        for strength in &mut strengths {
            *strength -= most;
        }
        chances::chances(game, at, &strengths)
    }

    /// The log-likelihood of a unit's results.
    pub(crate) fn log_chance(&self, unit: &UnitKind, at: &[f64]) -> f64 {
        let Some(game) = self.game_of(unit) else {
            return 0.0;
        };
        if game.spread().is_some() {
            return opening_spread::log_chance(self.placings(unit), game, at);
        }
        let mut local = Local::new();
        let mut sum = 0.0;
        for placing in self.placings(unit) {
            for (left, chosen) in choices(placing, game.seats) {
                features(placing, game, chosen, |param, value| {
                    sum += value * at[param as usize];
                });
                local.prepare(&ChoiceSet::new(placing, left, &self.games), game, at);
                sum -= local.compute(Want::Value);
            }
        }
        sum
    }

    /// Adds slope and curvature of one unit, times `times`, to `into`.
    pub(crate) fn unit_slopes(
        &self,
        unit: &UnitKind,
        at: &[f64],
        times: f64,
        into: &mut LocalSlopes,
    ) {
        let Some(game) = self.game_of(unit) else {
            return;
        };
        let weight = times * game.weight;
        if game.spread().is_some() {
            opening_spread::unit_slopes(self.placings(unit), game, at, weight, into);
            return;
        }
        let mut local = Local::new();
        for placing in self.placings(unit) {
            for (left, chosen) in choices(placing, game.seats) {
                features(placing, game, chosen, |param, value| {
                    into.slope(param, weight * value);
                });
                local.prepare(&ChoiceSet::new(placing, left, &self.games), game, at);
                local.compute(Want::Curvature);
                local.collect(weight, into);
            }
        }
    }
}

/// Calls `add` with the observed features of a choice.
fn features(placing: &Placing, game: &GameParams, chosen: u8, mut add: impl FnMut(u32, f64)) {
    let size = chosen.count_ones() as usize;
    for seat in (0..game.seats).filter(|seat| chosen >> seat & 1 == 1) {
        add(placing.bots[seat].into(), 1.0 / size as f64);
        if game.seat[seat] != NONE {
            add(game.seat[seat], 1.0 / size as f64);
        }
    }
    if game.tie[size] != NONE {
        add(game.tie[size], 1.0);
    }
}

/// The seating of a placing, without its ranks.
fn place(placing: &Placing) -> Placing {
    Placing {
        ranks: [0; RATED_SEATS],
        ..*placing
    }
}

/// Numbers the parameters: bots, then for each game its seats and ties.
fn layout(evidence: &Evidence) -> (Vec<GameParams>, usize) {
    let mut ties = vec![[false; RATED_SEATS + 1]; evidence.games.len()];
    for placing in evidence.units().flat_map(|(unit, _)| unit) {
        let seats = evidence.games[placing.game as usize];
        for (_, chosen) in choices(placing, seats) {
            ties[placing.game as usize][chosen.count_ones() as usize] = true;
        }
    }
    let mut params = evidence.bots;
    let mut next = || {
        params += 1;
        (params - 1) as u32
    };
    let mut games = Vec::new();
    for ((&seats, &weight), ties) in evidence.games.iter().zip(&evidence.weights).zip(ties) {
        let mut game = GameParams {
            seats,
            weight,
            seat: [NONE; RATED_SEATS],
            tie: [NONE; RATED_SEATS + 1],
            spread: NONE,
        };
        game.seat[1..seats].fill_with(&mut next);
        for (tie, occurred) in game.tie.iter_mut().zip(ties).skip(2) {
            if occurred {
                *tie = next();
            }
        }
        games.push(game);
    }
    (games, params)
}
