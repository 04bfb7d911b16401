//! The model of results: Davidson-Luce, which is Bradley-Terry with Davidson's draws for two seats,
//! and Plackett-Luce with ties for more.
//!
//! A result is a sequence of stages: of the seats that are left, a set S comes next, all of it on
//! the same rank. Its chance is proportional to δ(|S|) · (∏ λ)^(1/|S|), the product over the seats
//! of S, where ln λ is the bot's strength plus what the seat is worth in this game, δ(1) = 1, and
//! δ(2), δ(3), … say how often so many tie in this game (Firth, Kosmidis and Turner 2019,
//! "Davidson-Luce model for multi-item choice with ties"). With two seats that is Davidson's model
//! (1970), and without ties Bradley-Terry and Plackett-Luce. Its logarithm is concave in all
//! parameters, so that there is one maximum.
//!
//! A size of ties that a game never had is left out of the game's model: its δ is 0, the exact
//! maximum. What would be infinite otherwise is held by a weak prior: each bot has half a win and
//! half a loss against an imaginary bot of the field's level, and so has each seat against the
//! first seat, and each game half a first place that is not shared among equals.

use std::ops::Range;

use games::MAX_SEATS;

use super::evidence::{Evidence, Placing};
use super::stage::{Local, NONE, Slopes, Stage, Want};

/// How much of a win and of a loss the prior holds.
pub(crate) const PRIOR: f64 = 0.5;

/// The parameters of a game.
#[derive(Clone, Debug)]
pub(crate) struct GameParams {
    pub(crate) seats: usize,
    /// What a seat is worth beyond the first one; the first seat has none.
    pub(super) seat: [u32; MAX_SEATS],
    /// ln δ by size of the tie, for sizes that occurred.
    pub(super) tie: [u32; MAX_SEATS + 1],
}

impl GameParams {
    /// The index of a seat's parameter; the first seat has none, it is the measure of the others.
    pub(crate) fn seat(&self, seat: usize) -> Option<usize> {
        let index = self.seat[seat];
        (index != NONE).then_some(index as usize)
    }

    /// The index of the parameter for ties of a size, if such occurred.
    pub(crate) fn tie(&self, size: usize) -> Option<usize> {
        let index = self.tie[size];
        (index != NONE).then_some(index as usize)
    }
}

/// A kind of unit, with what it adds to the sufficient statistics.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    /// How often it occurred.
    pub(crate) count: u32,
    /// How much it counts each time.
    weight: f64,
    stages: Range<usize>,
    features: Range<usize>,
}

/// The model of some evidence.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) bots: usize,
    pub(crate) games: Vec<GameParams>,
    /// How many parameters there are: bots first.
    pub(crate) params: usize,
    /// How much a match of each game counts.
    weights: Vec<f64>,
    stages: Vec<Stage>,
    pub(crate) kinds: Vec<Kind>,
    /// Which stages the kinds have.
    hits: Vec<u32>,
    /// What the kinds add to the observed features, by parameter.
    features: Vec<(u32, f64)>,
}

/// The sufficient statistics of a weighting of the units.
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    /// The observed features, by parameter.
    observed: Vec<f64>,
    /// How often each stage was met.
    met: Vec<f64>,
    /// The prior's wins and losses: bots, then seats, in the order of parameters; 0 for ties.
    pub(crate) prior: Vec<[f64; 2]>,
    /// The prior's first places that are not shared, by game.
    pub(crate) unshared: Vec<f64>,
}

impl Model {
    pub(crate) fn new(evidence: &Evidence) -> Self {
        let (games, params) = layout(evidence);
        let mut model = Model {
            bots: evidence.bots,
            games,
            params,
            weights: evidence.weights.clone(),
            stages: Vec::new(),
            kinds: Vec::new(),
            hits: Vec::new(),
            features: Vec::new(),
        };
        let mut places: Vec<(Placing, u8)> = Vec::new();
        for (unit, _) in evidence.units() {
            for placing in unit {
                let seats = evidence.games[placing.game as usize];
                places.extend(stages_of(placing, seats).map(|(left, _)| (place(placing), left)));
            }
            // Keeps the list short while there are many units.
            if places.len() > 1 << 20 {
                places.sort_unstable();
                places.dedup();
            }
        }
        places.sort_unstable();
        places.dedup();
        model.stages = places.iter().map(|place| model.stage(place)).collect();
        for (unit, count) in evidence.units() {
            model.add_kind(unit, count, &places);
        }
        model
    }

    fn stage(&self, (placing, left): &(Placing, u8)) -> Stage {
        let game = &self.games[placing.game as usize];
        let mut stage = Stage {
            game: placing.game,
            len: 0,
            bots: [0; MAX_SEATS],
            seats: [NONE; MAX_SEATS],
        };
        for seat in (0..game.seats).filter(|seat| left >> seat & 1 == 1) {
            let at = usize::from(stage.len);
            stage.bots[at] = placing.bots[seat];
            stage.seats[at] = game.seat[seat];
            stage.len += 1;
        }
        stage
    }

    fn add_kind(&mut self, unit: &[Placing], count: u32, places: &[(Placing, u8)]) {
        let (hits, features) = (self.hits.len(), self.features.len());
        for placing in unit {
            let game = &self.games[placing.game as usize];
            for (left, chosen) in stages_of(placing, game.seats) {
                let found = places.binary_search(&(place(placing), left));
                self.hits.extend(found.ok().map(|index| index as u32));
                let size = chosen.count_ones() as usize;
                let own = &mut self.features;
                let mut add = |param: u32, value: f64| {
                    if param == NONE {
                        return;
                    }
                    match own[features..].iter_mut().find(|(p, _)| *p == param) {
                        Some((_, sum)) => *sum += value,
                        None => own.push((param, value)),
                    }
                };
                for seat in (0..game.seats).filter(|seat| chosen >> seat & 1 == 1) {
                    add(placing.bots[seat], 1.0 / size as f64);
                    add(game.seat[seat], 1.0 / size as f64);
                }
                add(game.tie[size], 1.0);
            }
        }
        // All matches of a unit are of one game.
        let game = unit.first().map(|placing| placing.game as usize);
        self.kinds.push(Kind {
            count,
            weight: game.map_or(1.0, |game| self.weights[game]),
            stages: hits..self.hits.len(),
            features: features..self.features.len(),
        });
    }

    /// No units, no prior.
    pub(crate) fn nothing(&self) -> Weights {
        Weights {
            observed: vec![0.0; self.params],
            met: vec![0.0; self.stages.len()],
            prior: vec![[0.0; 2]; self.params],
            unshared: vec![0.0; self.games.len()],
        }
    }

    /// Every unit as often as it occurred, and the prior.
    pub(crate) fn full(&self) -> Weights {
        let mut weights = self.nothing();
        for kind in &self.kinds {
            self.weigh(kind, f64::from(kind.count), &mut weights);
        }
        for param in self.held() {
            weights.prior[param] = [PRIOR; 2];
        }
        weights.unshared.fill(PRIOR);
        weights
    }

    /// The parameters that the prior holds by wins and losses.
    pub(crate) fn held(&self) -> impl Iterator<Item = usize> {
        let seats = self.games.iter().flat_map(|game| &game.seat);
        let seats = seats.filter(|param| **param != NONE);
        (0..self.bots).chain(seats.map(|param| *param as usize))
    }

    /// Counts a kind so often.
    #[inline]
    pub(crate) fn weigh(&self, kind: &Kind, count: f64, weights: &mut Weights) {
        let weight = count * kind.weight;
        for &stage in &self.hits[kind.stages.clone()] {
            weights.met[stage as usize] += weight;
        }
        for &(param, value) in &self.features[kind.features.clone()] {
            weights.observed[param as usize] += weight * value;
        }
    }

    /// How much there is to do for a resample, roughly: what is added up, and the stages, each of
    /// which is met in several steps.
    pub(crate) fn work(&self) -> usize {
        let sets: usize = self.stages.iter().map(|stage| 1 << stage.len).sum();
        self.hits.len() + self.features.len() + 3 * sets
    }

    /// The bots of a kind of unit, each once, for counting units a bot.
    pub(crate) fn bots_of(&self, kind: &Kind) -> Vec<usize> {
        let stages = self.hits[kind.stages.clone()].iter();
        let mut bots: Vec<usize> = stages
            .map(|stage| &self.stages[*stage as usize])
            .flat_map(|stage| &stage.bots[..usize::from(stage.len)])
            .map(|bot| *bot as usize)
            .collect();
        bots.sort_unstable();
        bots.dedup();
        bots
    }

    /// The games of a kind of unit (usually one), each once.
    pub(crate) fn games_of(&self, kind: &Kind) -> Vec<usize> {
        let stages = self.hits[kind.stages.clone()].iter();
        let mut games: Vec<usize> = stages
            .map(|stage| self.stages[*stage as usize].game as usize)
            .collect();
        games.sort_unstable();
        games.dedup();
        games
    }

    /// Computes the logarithm of the likelihood (and prior) at `at`, with the derivatives that
    /// are wanted. If that is the slope alone, what is given back means nothing.
    pub(crate) fn evaluate(
        &self,
        at: &[f64],
        weights: &Weights,
        want: Want,
        slopes: &mut Slopes,
    ) -> f64 {
        slopes.gradient.copy_from_slice(&weights.observed);
        if want == Want::Curvature {
            slopes.curvature.clear();
        }
        let mut value: f64 = at.iter().zip(&weights.observed).map(|(a, o)| a * o).sum();
        let mut local = Local::new();
        for (stage, &met) in self.stages.iter().zip(&weights.met) {
            if met > 0.0 {
                local.prepare(stage, &self.games[stage.game as usize], at);
                value -= met * local.compute(want);
                local.scatter(met, want, slopes);
            }
        }
        for (param, &[wins, losses]) in weights.prior.iter().enumerate() {
            if wins + losses > 0.0 {
                let chance = 1.0 / (1.0 + (-at[param]).exp());
                value += wins * -softplus(-at[param]) + losses * -softplus(at[param]);
                slopes.gradient[param] += wins * (1.0 - chance) - losses * chance;
                let bend = (wins + losses) * chance * (1.0 - chance);
                slopes.curvature.add(param, param, bend);
            }
        }
        for (game, &weight) in self.games.iter().zip(&weights.unshared) {
            if weight > 0.0 && local.prepare_equals(game) {
                // Among equals, the chance of a set depends on its size only.
                for size in 2..=game.seats {
                    let value = game.tie(size).map_or(f64::NEG_INFINITY, |param| at[param]);
                    local.set_tie(size, value);
                }
                value -= weight * local.compute(want);
                local.scatter(weight, want, slopes);
            }
        }
        value
    }
}

/// ln(1 + eˣ).
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// A placing without its result: who sat where.
fn place(placing: &Placing) -> Placing {
    Placing {
        ranks: [0; MAX_SEATS],
        ..*placing
    }
}

/// The stages of a result: the seats that are left, and those of them that come next, as sets of
/// bits. A seat that is left alone is no stage.
fn stages_of(placing: &Placing, seats: usize) -> impl Iterator<Item = (u8, u8)> {
    let ranks = placing.ranks;
    let set = move |wanted: &dyn Fn(u8) -> bool| -> u8 {
        let seats = (0..seats).filter(|&seat| wanted(ranks[seat]));
        seats.map(|seat| 1 << seat).sum()
    };
    (0..seats as u8)
        .map(move |rank| (set(&|r| r >= rank), set(&|r| r == rank)))
        .filter(|(left, _)| left.count_ones() > 1)
}

/// Numbers the parameters: bots, then for each game its seats and ties.
fn layout(evidence: &Evidence) -> (Vec<GameParams>, usize) {
    let mut ties = vec![[false; MAX_SEATS + 1]; evidence.games.len()];
    for (unit, _) in evidence.units() {
        for placing in unit {
            let seats = evidence.games[placing.game as usize];
            for (_, chosen) in stages_of(placing, seats) {
                ties[placing.game as usize][chosen.count_ones() as usize] = true;
            }
        }
    }
    let mut params = evidence.bots;
    let mut next = || {
        params += 1;
        (params - 1) as u32
    };
    let mut games = Vec::new();
    for (&seats, ties) in evidence.games.iter().zip(ties) {
        let mut game = GameParams {
            seats,
            seat: [NONE; MAX_SEATS],
            tie: [NONE; MAX_SEATS + 1],
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
