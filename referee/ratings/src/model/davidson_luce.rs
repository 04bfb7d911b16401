//! The model of results: Davidson-Luce, which is Bradley-Terry with Davidson's draws for two seats,
//! and Plackett-Luce with ties for more.
//!
//! A result is a sequence of stages: of the seats that are left, a set S comes next, all of it on
//! the same rank. Its chance is proportional to δ(|S|) · (∏ λ)^(1/|S|), the product over the seats
//! of S, where ln λ is the bot's strength plus what the seat is worth in this game, δ(1) = 1, and
//! δ(2), δ(3), … say how often two, three, … tie in this game (Firth, Kosmidis and Turner 2019,
//! "Davidson-Luce model for multi-item choice with ties"). With two seats that is Davidson's model
//! (1970), and without ties Bradley-Terry and Plackett-Luce. Its logarithm is concave in all
//! parameters, so that there is one maximum.
//!
//! Where the openings of a game of two seats favour one seat or the other, what the seat is worth is
//! drawn anew for each unit, with a spread that is fitted (see [`crate::model::opening_spread`]). Otherwise
//! bots would seem closer together than they are.
//!
//! A size of ties that a game never had is left out of the game's model: its δ is 0, the exact
//! maximum. What would be infinite otherwise is held by a weak prior: each bot has half a win and
//! half a loss against an imaginary bot of the field's level, and so has each seat against the
//! first seat, and each game half a first place that is not shared among equals.

use std::collections::BTreeMap;
use std::sync::Arc;

use games::MAX_SEATS;

use super::choice_set::{ChoiceSet, Local, Slopes, Want};
use super::game_params::{GameParams, NONE};
use super::local_slopes::LocalSlopes;
use super::pattern::Pattern;
use super::{chances, opening_spread};
use crate::results::{Evidence, Placing};

/// How much of a win and of a loss the prior holds.
pub(crate) const PRIOR: f64 = 0.5;

/// Tables of games and parameters are whole up to this many cells.
const MOST_CELLS: usize = 1 << 22;

/// A unit that occurred, and how often in all.
#[derive(Clone, Debug)]
pub(crate) struct UnitKind {
    pub(crate) count: u32,
    /// Where its matches begin, and how many there are.
    start: u32,
    len: u32,
}

/// A cluster that occurred: which units it has, and how often.
#[derive(Clone, Debug)]
pub(crate) struct ClusterKind {
    pub(crate) count: u32,
    /// Where its units begin, and how many there are.
    start: u32,
    len: u32,
}

/// How much matches that are decided instead of drawn change the slope along a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jumps {
    /// All matches together.
    pub(crate) all: f64,
    /// One of them, by what they say on the average.
    pub(crate) usual: f64,
}

impl Jumps {
    /// How much results vary at least that are off by so much: those of a binomial distribution.
    pub(crate) fn least(&self, off: f64) -> f64 {
        if self.all > off {
            self.usual * off * (1.0 - off / self.all)
        } else {
            0.0
        }
    }
}

/// The results themselves, which models of fewer games share.
#[derive(Debug, Default)]
struct Data {
    units: Vec<UnitKind>,
    placings: Vec<Placing>,
    clusters: Vec<ClusterKind>,
    /// The units of clusters, each with how often it is there.
    members: Vec<(u32, u32)>,
}

impl Data {
    fn new(evidence: &Evidence) -> Self {
        let mut data = Data::default();
        for (unit, count) in evidence.singles() {
            let kind = data.add_unit(unit, count);
            data.add_cluster([(kind, 1)], count);
        }
        for (cluster, count) in evidence.clusters() {
            let units: Vec<(u32, u32)> = cluster
                .iter()
                .map(|(unit, times)| (data.add_unit(unit, times * count), *times))
                .collect();
            data.add_cluster(units, count);
        }
        data
    }

    fn add_unit(&mut self, unit: &[Placing], count: u32) -> u32 {
        self.units.push(UnitKind {
            count,
            start: self.placings.len() as u32,
            len: unit.len() as u32,
        });
        self.placings.extend(unit);
        (self.units.len() - 1) as u32
    }

    fn add_cluster(&mut self, units: impl IntoIterator<Item = (u32, u32)>, count: u32) {
        let start = self.members.len();
        self.members.extend(units);
        self.clusters.push(ClusterKind {
            count,
            start: start as u32,
            len: (self.members.len() - start) as u32,
        });
    }
}

/// The model of some evidence.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) bots: usize,
    pub(crate) games: Vec<GameParams>,
    /// How many parameters there are: bots first.
    pub(crate) params: usize,
    /// Which parameters have second derivatives with each other.
    pub(super) pattern: Arc<Pattern>,
    data: Arc<Data>,
    /// The stages that were met, and how often.
    stages: Arc<Vec<(ChoiceSet, f64)>>,
    /// The observed features of each game by parameter, but for games whose openings are fitted.
    observed: Vec<Vec<(u32, f64)>>,
    /// By parameter: how many matches count as one, because they depend on each other. The prior
    /// counts as many matches more, so that copies of all matches change nothing.
    crowding: Vec<f64>,
}

impl Model {
    pub(crate) fn new(evidence: &Evidence) -> Self {
        let (games, params) = layout(evidence);
        let mut model = Model {
            bots: evidence.bots,
            games,
            params,
            pattern: Arc::new(Pattern::new(0, [])),
            data: Arc::new(Data::new(evidence)),
            stages: Arc::default(),
            observed: Vec::new(),
            crowding: Vec::new(),
        };
        model.find_stages();
        model.count();
        model
    }

    /// The same without the matches of a game. Its parameters stay, and stand still.
    pub(crate) fn without(&self, game: usize) -> Self {
        let mut model = self.clone();
        model.games[game].weight = 0.0;
        model.observed[game].clear();
        model
    }

    /// The units that occurred.
    pub(crate) fn units(&self) -> &[UnitKind] {
        &self.data.units
    }

    /// The clusters that occurred.
    pub(crate) fn clusters(&self) -> &[ClusterKind] {
        &self.data.clusters
    }

    /// The units of a cluster, each with how often it is there.
    pub(crate) fn members(&self, cluster: &ClusterKind) -> &[(u32, u32)] {
        &self.data.members[cluster.start as usize..][..cluster.len as usize]
    }

    /// The matches of a unit.
    pub(crate) fn placings(&self, unit: &UnitKind) -> &[Placing] {
        &self.data.placings[unit.start as usize..][..unit.len as usize]
    }

    fn find_stages(&mut self) {
        let mut places: Vec<(Placing, u8)> = Vec::new();
        let mut most = 1 << 16;
        for placing in &self.data.placings {
            let seats = self.games[placing.game as usize].seats;
            places.extend(stages_of(placing, seats).map(|(left, _)| (place(placing), left)));
            // Keeps the list short while there are many.
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
                for (left, _) in stages_of(placing, game.seats) {
                    if let Ok(index) = places.binary_search(&(place(placing), left)) {
                        met[index] += game.weight * f64::from(unit.count);
                    }
                }
            }
        }
        let stages = places.iter().zip(met);
        let stages = stages
            .map(|((placing, left), met)| (ChoiceSet::new(placing, *left, &self.games), met))
            .collect();
        self.stages = Arc::new(stages);
        self.pattern = Arc::new(self.find_pattern());
    }

    /// The parameters of a stage have second derivatives with each other, and so have the ties of a
    /// game, and the spread of its openings with what matches have.
    fn find_pattern(&self) -> Pattern {
        let known = |params: &[u32]| params.iter().copied().filter(|p| *p != NONE).collect();
        let ties = self.games.iter().map(|game| known(&game.tie));
        let stages = self.stages.iter().map(|(stage, _)| {
            let len = usize::from(stage.len);
            let game = &self.games[stage.game as usize];
            let of_game = [&game.tie[2..=len], &[game.spread]].concat();
            known(&[&stage.bots[..len], &stage.seats[..len], &of_game].concat())
        });
        let mut cliques: Vec<Vec<u32>> = stages.chain(ties).collect();
        for clique in &mut cliques {
            clique.sort_unstable();
        }
        // Stages differ by who sits where, too.
        cliques.sort_unstable();
        cliques.dedup();
        Pattern::new(self.params, cliques)
    }

    /// Adds up what was observed.
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

    /// Adds all features that were observed, by game and parameter.
    fn observe(&self, mut add: impl FnMut(usize, u32, f64)) {
        for unit in self.units() {
            let Some(game) = self.game_of(unit).filter(|game| game.spread().is_none()) else {
                continue;
            };
            let weight = game.weight * f64::from(unit.count);
            for placing in self.placings(unit) {
                for (_, chosen) in stages_of(placing, game.seats) {
                    features(placing, game, chosen, |param, value| {
                        add(placing.game.into(), param, weight * value);
                    });
                }
            }
        }
    }

    /// Says how many matches count as one, by parameter: 1 or more, but no more than a cluster has.
    pub(crate) fn set_crowding(&mut self, measured: &[f64]) {
        let sizes = self.cluster_sizes();
        let sizes = sizes.into_iter().chain(std::iter::repeat(1.0));
        let all = measured.iter().zip(sizes);
        self.crowding = all
            .map(|(measured, size)| (measured.clamp(1.0, size) * size).sqrt())
            .collect();
    }

    /// By parameter: how many units a cluster has on the average, of those that have to do with it.
    fn cluster_sizes(&self) -> Vec<f64> {
        let mut counts = vec![[0.0; 2]; self.params];
        let mut params: Vec<usize> = Vec::new();
        for cluster in self.clusters() {
            let count = f64::from(cluster.count);
            let mut touched: Vec<usize> = Vec::new();
            for &(unit, times) in self.members(cluster) {
                params.clear();
                for placing in self.placings(&self.units()[unit as usize]) {
                    let game = &self.games[placing.game as usize];
                    params.extend(placing.bots[..game.seats].iter().map(|bot| *bot as usize));
                    params.extend((1..game.seats).filter_map(|seat| game.seat(seat)));
                    params.extend((2..=game.seats).filter_map(|size| game.tie(size)));
                }
                params.sort_unstable();
                params.dedup();
                for &param in &params {
                    counts[param][0] += count * f64::from(times);
                }
                touched.extend(&params);
            }
            touched.sort_unstable();
            touched.dedup();
            for param in touched {
                counts[param][1] += count;
            }
        }
        let mean = |[units, clusters]: [f64; 2]| {
            if clusters > 0.0 {
                units / clusters
            } else {
                1.0
            }
        };
        counts.into_iter().map(mean).collect()
    }

    /// How many matches count as one, of those that have to do with a parameter.
    pub(crate) fn crowding(&self, param: usize) -> f64 {
        self.crowding.get(param).copied().unwrap_or(1.0)
    }

    /// The same, of those of a game.
    fn crowding_of(&self, game: &GameParams) -> f64 {
        game.seat(1).map_or(1.0, |seat| self.crowding(seat))
    }

    /// The game of a unit.
    pub(crate) fn game_of(&self, unit: &UnitKind) -> Option<&GameParams> {
        let placing = self.placings(unit).first()?;
        Some(&self.games[placing.game as usize])
    }

    /// The points of each bot against all others of its matches, and how many there were: 1 for each
    /// match, however many seats it has.
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

    /// Which games each bot played.
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

    /// How far the seats of each game of two are apart in strength: the mean over matches, by how much
    /// each says about the share of draws.
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

    /// Adds the parameters that say how much openings of these games of two seats differ.
    pub(crate) fn fit_spreads(&mut self, games: &[usize]) {
        for &game in games {
            self.games[game].spread = self.params as u32;
            self.params += 1;
        }
        self.pattern = Arc::new(self.find_pattern());
        self.count();
    }

    /// How results vary along a line at least that are off by so much, in games with draws. How often
    /// there are any is only known from how often there were: what is off are so many matches that
    /// were decided instead of drawn, and as many decided matches vary by no less than that.
    pub(crate) fn jumps(&self, line: &[f64]) -> Jumps {
        let (mut all, mut squares, mut cubes) = (0.0, 0.0, 0.0);
        for (stage, met) in self.stages.iter() {
            let game = &self.games[stage.game as usize];
            if game.tie(2).is_none() {
                continue;
            }
            let seats = (0..usize::from(stage.len)).map(|seat| {
                let worth = match stage.seats[seat] {
                    NONE => 0.0,
                    param => line[param as usize],
                };
                line[stage.bots[seat] as usize] + worth
            });
            let ends = seats.fold([f64::MAX, f64::MIN], |[low, high], at| {
                [low.min(at), high.max(at)]
            });
            let jump = 0.5 * (ends[1] - ends[0]);
            all += game.weight * met * jump;
            squares += game.weight * met * jump * jump;
            cubes += game.weight * met * jump * jump * jump;
        }
        Jumps {
            all,
            usual: if squares > 0.0 { cubes / squares } else { 0.0 },
        }
    }

    /// About how many steps it takes to compute the likelihood once.
    pub(crate) fn cost(&self) -> usize {
        let units = self.games.iter().any(|game| game.spread().is_some());
        let units = if units { self.units().len() } else { 0 };
        8 * self.stages.len() + 100 * units
    }

    /// The parameters that the prior holds by wins and losses.
    pub(crate) fn held(&self) -> impl Iterator<Item = usize> {
        let seats = self.games.iter().flat_map(|game| &game.seat);
        let seats = seats.filter(|param| **param != NONE);
        (0..self.bots).chain(seats.map(|param| *param as usize))
    }

    /// Computes the logarithm of the likelihood (and prior) at `at`, with the derivatives that
    /// are wanted. If that is the slope alone, what is given back means nothing.
    pub(crate) fn evaluate(&self, at: &[f64], want: Want, slopes: &mut Slopes) -> f64 {
        self.evaluate_matches(at, want, slopes) + self.evaluate_prior(at, want, slopes)
    }

    /// The same without the prior.
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
        for (stage, met) in self.stages.iter() {
            let game = &self.games[stage.game as usize];
            if *met > 0.0 && game.weight > 0.0 && game.spread().is_none() {
                local.prepare(stage, game, at);
                value -= met * local.compute(want);
                local.scatter(*met, want, slopes);
            }
        }
        if self.games.iter().any(|game| game.spread().is_some()) {
            value += self.evaluate_spread(at, want, slopes);
        }
        value
    }

    /// What the units of games add whose openings differ.
    fn evaluate_spread(&self, at: &[f64], want: Want, slopes: &mut Slopes) -> f64 {
        let mut sum = 0.0;
        for kind in self.units() {
            let Some(game) = self.game_of(kind) else {
                continue;
            };
            if game.spread().is_some() && game.weight > 0.0 {
                let weight = game.weight * f64::from(kind.count);
                sum += opening_spread::add(self.placings(kind), game, at, weight, want, slopes);
            }
        }
        sum
    }

    /// Whether the openings of a game of two seats differ, given a fit that says that they do not: how
    /// many standard errors more the matches of a unit depend on each other, seat by seat, than by
    /// chance. Negative where they rather depend on each other bot by bot.
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

    /// What the prior adds.
    pub(crate) fn evaluate_prior(&self, at: &[f64], want: Want, slopes: &mut Slopes) -> f64 {
        self.weigh_prior(at, want, slopes, |crowding| crowding)
    }

    /// Adds what the prior's slopes would vary if it were matches.
    pub(crate) fn vary_prior(&self, at: &[f64], slopes: &mut Slopes) {
        self.weigh_prior(at, Want::Curvature, slopes, |crowding| crowding * crowding);
    }

    fn weigh_prior(
        &self,
        at: &[f64],
        want: Want,
        slopes: &mut Slopes,
        weight: impl Fn(f64) -> f64,
    ) -> f64 {
        let mut value = 0.0;
        for param in self.held() {
            let prior = PRIOR * weight(self.crowding(param));
            let chance = 1.0 / (1.0 + (-at[param]).exp());
            value -= prior * (softplus(-at[param]) + softplus(at[param]));
            slopes.gradient[param] += prior * (1.0 - 2.0 * chance);
            if want == Want::Curvature {
                let bend = 2.0 * prior * chance * (1.0 - chance);
                slopes.curvature.add(param, param, bend);
            }
        }
        let mut local = Local::new();
        for game in &self.games {
            if game.weight == 0.0 {
                self.hold(game, want, slopes);
                continue;
            }
            let crowding = weight(self.crowding_of(game));
            if let Some(param) = game.spread() {
                value += opening_spread::prior(at[param], param, crowding, want, slopes);
            }
            if local.prepare_equals(game) {
                // Among equals, the chance of a set depends on its size only.
                for size in 2..=game.seats {
                    let value = game.tie(size).map_or(f64::NEG_INFINITY, |param| at[param]);
                    local.set_tie(size, value);
                }
                value -= PRIOR * crowding * local.compute(want);
                local.scatter(PRIOR * crowding, want, slopes);
            }
        }
        value
    }

    /// Keeps the parameters of a game that does not count where they are, as nothing else does.
    fn hold(&self, game: &GameParams, want: Want, slopes: &mut Slopes) {
        if want == Want::Curvature {
            let ties = (2..=game.seats).filter_map(|size| game.tie(size));
            for param in ties.chain(game.spread()) {
                slopes.curvature.add(param, param, 1.0);
            }
        }
    }

    /// The chances that one seat of a match is ahead of another one, equal to it, and behind it.
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

    /// The logarithm of the chance of a unit's results.
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
            for (left, chosen) in stages_of(placing, game.seats) {
                features(placing, game, chosen, |param, value| {
                    sum += value * at[param as usize];
                });
                local.prepare(&ChoiceSet::new(placing, left, &self.games), game, at);
                sum -= local.compute(Want::Value);
            }
        }
        sum
    }

    /// Adds the slope and curvature of one unit, counted so often, to local ones.
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
            for (left, chosen) in stages_of(placing, game.seats) {
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

/// ln(1 + eˣ).
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// What a set of seats that comes next adds to the observed features.
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
    for placing in evidence.units().flat_map(|(unit, _)| unit) {
        let seats = evidence.games[placing.game as usize];
        for (_, chosen) in stages_of(placing, seats) {
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
            seat: [NONE; MAX_SEATS],
            tie: [NONE; MAX_SEATS + 1],
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
