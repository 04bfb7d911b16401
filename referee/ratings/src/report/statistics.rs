//! The report: all statistics of some logs as plain data, so that displays compute nothing.

use serde::Serialize;
use thiserror::Error;

use super::fitness::{Fitness, fitness};
use super::fixed_order::{FixedOrder, fixed_orders};
use super::goals::{GoalReport, goals};
use super::machines::{MachineReport, machines};
use super::nash::{NashRating, nash};
use super::openings::{OpeningReport, openings};
use super::ratings::{Across, Fitted, Ratings, Resampling, rate};
use super::seat_table::SeatTable;
use super::sprt_report::{SprtReport, SprtRequest, sprt_report};
use crate::model::Anchor;
use crate::results::{Meeting, Selection, SwappedPairs};
use crate::sprt;
use crate::standings::Totals;
use crate::store::{Adjudications, FAULT_CODES, MatchStore, Noise, TimeUse};

/// The most bots times games for ratings by game.
const MOST_BY_GAME: usize = 4_000_000;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    pub resampling: Resampling,
    /// Bots with given ratings: the scale is shifted so that their mean is right. Without anchors, the mean
    /// of all bots is 0.
    pub anchors: Vec<(String, f64)>,
    /// The weight of a match for ratings, by the game's label or id. The default is 1; 0 leaves it out.
    pub weights: Vec<(String, f64)>,
    /// Leave matches that were lost by a fault out of ratings.
    pub without_forfeits: bool,
    /// Rate this game only, by its label.
    pub game: Option<String>,
    /// Run a test between two bots.
    pub sprt: Option<SprtRequest>,
    /// Include results by opening, of which there may be as many as matches.
    pub openings: bool,
    /// Include goals by bot and game.
    pub goals: bool,
}

/// The request does not fit the log.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RequestError {
    #[error("no bot is called `{name}`; there are {}", .known.join(", "))]
    UnknownBot { name: String, known: Vec<String> },
    #[error("no match of `{label}` was played; there are {}", .known.join(", "))]
    UnknownGame { label: String, known: Vec<String> },
    #[error("`{0}` is an anchor twice; once is enough")]
    SameAnchor(String),
    /// Too many bots and games for ratings by game.
    #[error(
        "ratings of each of {games} games alone are too many for {bots} bots; choose one with `--game`"
    )]
    TooMany { games: usize, bots: usize },
    #[error("a test needs two bots, not `{0}` twice")]
    SameBot(String),
}

/// The statistics of a log. Bots and games are given by index.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    pub bots: Vec<BotReport>,
    /// The indices of the bots, the best first: groups by size, then by rating.
    pub ranking: Vec<usize>,
    /// The games by label.
    pub games: Vec<GameReport>,
    pub ratings: Ratings,
    pub anchor: Option<Anchor>,
    /// The zero of the scale, if not the mean.
    pub anchors: Vec<Anchor>,
    /// By game: the weight of a match for ratings.
    pub weights: Vec<f64>,
    /// Matches lost by a fault that ratings leave out; `None` if they count.
    pub forfeits: Option<u64>,
    pub fitness: Fitness,
    /// The only rated game, if not all are.
    pub rated_game: Option<usize>,
    pub resampling: Resampling,
    /// Head-to-head results by game.
    pub meetings: Vec<Meeting>,
    /// Bots that sat in one cyclic order only: their strengths cannot be separated from those of their places.
    pub fixed_orders: Vec<FixedOrder>,
    /// Ratings with intervals for games that were not played; `None` with fewer than three games.
    pub across_games: Option<Across>,
    /// A second opinion: the Nash rating of each bot of the largest group; `None` for the others.
    pub nash: Vec<Option<NashRating>>,
    /// The requested test.
    pub sprt: Option<SprtReport>,
    /// The openings, if requested: by game, then in the order of their first matches.
    pub openings: Option<Vec<OpeningReport>>,
    /// The goals, if requested: by game, then by the mean, the best first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goals: Option<Vec<GoalReport>>,
    pub logs: usize,
    /// Including duplicates.
    pub matches: u64,
    /// Matches that no bot was ready for: no bot gets a point, and ratings leave them out.
    #[serde(skip_serializing_if = "is_none")]
    pub unstarted: u64,
    /// Units: pairings (or groups) at one start.
    pub units: u64,
    /// Clusters of units that depend on each other: with matches that repeat one another, or of one
    /// opening. Intervals are computed from them.
    pub clusters: u64,
    /// Matches that repeat another one: same seats, start and moves. They count like all others.
    pub duplicates: u64,
    /// Matches whose outcome and players disagree.
    pub unusable: u64,
    /// Doubts about losses on time.
    pub noise: Noise,
    pub adjudications: Adjudications,
    /// The machines that matches were played on.
    pub machines: Vec<MachineReport>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BotReport {
    pub name: String,
    pub results: Totals,
    /// Faults by code, in the order of [`FAULT_CODES`], including resigning.
    pub faults: [u64; FAULT_CODES.len()],
    pub time: TimeUse,
    /// Matches in which its CPU time was limited but only estimated.
    pub cpu_estimated: u64,
    /// Those of them of a bot of the referee, which hides no CPU time.
    pub cpu_estimated_of_own: u64,
}

/// A game with certain options.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GameReport {
    /// The game with its options that differ from the defaults.
    pub label: String,
    /// The seats' names.
    pub roles: Vec<String>,
    /// By seat, all bots together.
    pub seats: Vec<Totals>,
    /// By bot and seat.
    pub bots: SeatTable,
    /// True if the game's own scores say more than the winner.
    pub own_scores: bool,
}

impl MatchStore {
    /// The statistics of all matches.
    ///
    /// # Errors
    /// If the request does not fit the matches.
    pub fn report(&self, request: &Request) -> Result<Report, RequestError> {
        let pairs = SwappedPairs::new(self);
        let find_bot = |name: &String| self.find_bot(&pairs, name);
        let anchors = self.anchors(&pairs, request)?;
        let find_game = |label: &String| {
            let found = pairs.labels.iter().position(|known| known == label);
            found.ok_or_else(|| unknown_game(label, &pairs))
        };
        let rated_game = request.game.as_ref().map(find_game).transpose()?;
        let choice = Selection {
            game: rated_game,
            ..self.choice(&pairs, request)?
        };
        let test = |asked: &SprtRequest| {
            if asked.bots[0] == asked.bots[1] {
                return Err(RequestError::SameBot(asked.bots[0].clone()));
            }
            let bots = [find_bot(&asked.bots[0])?, find_bot(&asked.bots[1])?];
            Ok(sprt_report(&pairs, bots, &asked.hypotheses))
        };
        let sprt = request.sprt.as_ref().map(test).transpose()?;
        let (fitted, (meetings, fixed_orders, (units, duplicates))) = rayon::join(
            || Fitted::new(&pairs.evidence(&choice)),
            || (pairs.meetings(), fixed_orders(&pairs), counts(&pairs)),
        );
        let ratings = fitted.ratings(anchors.iter().copied());
        let (fitness, across_games) = rayon::join(
            || fitness(&pairs, &fitted, &|entry| entry.is_in(&choice)),
            || Across::new(&fitted, &ratings, &anchors),
        );
        let bots = self.bots(&pairs);
        let openings = request.openings.then(|| openings(&pairs));
        let uses = self.names().zip(self.conduct.iter().map(|bot| &bot.time));
        Ok(Report {
            ranking: ranking(&ratings, &bots),
            bots,
            games: self.games(&pairs),
            anchor: anchors.first().copied(),
            anchors,
            forfeits: request.without_forfeits.then(|| forfeits(&pairs)),
            fitness,
            weights: choice.weights,
            rated_game,
            resampling: request.resampling,
            fixed_orders,
            nash: second_opinion(&ratings, &meetings),
            across_games,
            meetings,
            ratings,
            sprt,
            openings,
            goals: request.goals.then(|| goals(&pairs)),
            logs: self.logs(),
            matches: self.stored.len() as u64 + self.unstarted,
            unstarted: self.unstarted,
            units,
            clusters: pairs.clusters(),
            duplicates,
            unusable: self.unusable,
            noise: Noise::new(uses, self.machine),
            adjudications: self.adjudications,
            machines: machines(&self.machines, &pairs.bots),
        })
    }

    /// Ratings by the matches of each game alone, in the order of [`Report::games`].
    ///
    /// # Errors
    /// If the request does not fit the matches.
    pub fn ratings_by_game(&self, request: &Request) -> Result<Vec<Ratings>, RequestError> {
        let pairs = SwappedPairs::new(self);
        let anchors = self.anchors(&pairs, request)?;
        let (bots, games) = (pairs.bots.len(), pairs.games.len());
        if bots * games > MOST_BY_GAME {
            return Err(RequestError::TooMany { games, bots });
        }
        let choice = Selection {
            // Weights only matter between games.
            weights: vec![1.0; pairs.games.len()],
            ..self.choice(&pairs, request)?
        };
        let games = 0..pairs.games.len();
        let ratings = games.map(|game| {
            let game = Some(game);
            let evidence = pairs.evidence(&Selection {
                game,
                ..choice.clone()
            });
            rate(&evidence, anchors.iter().copied())
        });
        Ok(ratings.collect())
    }

    fn find_bot(&self, pairs: &SwappedPairs<'_>, name: &str) -> Result<usize, RequestError> {
        let names = || {
            pairs
                .bots
                .iter()
                .map(|bot| &self.standings.bots()[*bot].name)
        };
        let found = names().position(|known| known == name);
        found.ok_or_else(|| RequestError::UnknownBot {
            name: name.to_owned(),
            known: names().cloned().collect(),
        })
    }

    fn anchors(
        &self,
        pairs: &SwappedPairs<'_>,
        request: &Request,
    ) -> Result<Vec<Anchor>, RequestError> {
        let mut anchors: Vec<Anchor> = Vec::new();
        for (name, elo) in &request.anchors {
            let bot = self.find_bot(pairs, name)?;
            if anchors.iter().any(|anchor| anchor.bot == bot) {
                return Err(RequestError::SameAnchor(name.clone()));
            }
            anchors.push(Anchor { bot, elo: *elo });
        }
        Ok(anchors)
    }

    fn choice(
        &self,
        pairs: &SwappedPairs<'_>,
        request: &Request,
    ) -> Result<Selection, RequestError> {
        let mut weights = vec![1.0; pairs.games.len()];
        for (name, weight) in &request.weights {
            let called = |game: &usize| {
                let id = &self.standings.games()[pairs.games[*game]].id;
                pairs.labels[*game] == *name || id == name
            };
            let found: Vec<usize> = (0..pairs.games.len()).filter(called).collect();
            if found.is_empty() {
                return Err(unknown_game(name, pairs));
            }
            for game in found {
                weights[game] = *weight;
            }
        }
        Ok(Selection {
            weights,
            without_forfeits: request.without_forfeits,
            ..Selection::default()
        })
    }

    fn games(&self, pairs: &SwappedPairs<'_>) -> Vec<GameReport> {
        let game = |(game, label): (&usize, &String)| {
            let game = &self.standings.games()[*game];
            let rows = game.bots.iter().filter_map(|(bot, seats)| {
                let place = pairs.place_of(*bot)?;
                Some((place, seats.clone()))
            });
            GameReport {
                label: label.clone(),
                roles: game.roles.clone(),
                seats: game.seats(),
                bots: SeatTable::new(
                    rows.collect(),
                    game.roles.len(),
                    pairs.bots.len(),
                    pairs.games.len(),
                ),
                own_scores: game.own_scores,
            }
        };
        pairs.games.iter().zip(&pairs.labels).map(game).collect()
    }

    fn bots(&self, pairs: &SwappedPairs<'_>) -> Vec<BotReport> {
        let report = |bot: &usize| {
            let (standing, conduct) = (&self.standings.bots()[*bot], &self.conduct[*bot]);
            BotReport {
                name: standing.name.clone(),
                results: standing.totals,
                faults: conduct.faults,
                time: conduct.time.clone(),
                cpu_estimated: conduct.cpu_estimated,
                cpu_estimated_of_own: conduct.cpu_estimated_of_own,
            }
        };
        pairs.bots.iter().map(report).collect()
    }
}

/// The numbers of units and of duplicates.
fn counts(pairs: &SwappedPairs<'_>) -> (u64, u64) {
    let (mut units, mut duplicates) = (0, 0);
    for unit in pairs.units() {
        units += 1;
        duplicates += unit.iter().filter(|entry| entry.duplicate).count() as u64;
    }
    (units, duplicates)
}

/// True if a count is left out, for compatibility with older reports.
fn is_none(matches: &u64) -> bool {
    *matches == 0
}

fn unknown_game(label: &str, pairs: &SwappedPairs<'_>) -> RequestError {
    RequestError::UnknownGame {
        label: label.to_owned(),
        known: pairs.labels.clone(),
    }
}

/// Nash ratings from complete pairs of all games, within the largest group. Half a win and half a
/// loss more keep a few matches from looking certain; bots that never met are taken at the
/// difference of their ratings.
fn second_opinion(ratings: &Ratings, meetings: &[Meeting]) -> Vec<Option<NashRating>> {
    /// The computation takes long for more bots.
    const MOST_BOTS: usize = 100;
    let bots = ratings.bots.len();
    let sizes = sizes(ratings);
    let groups = ratings.groups.iter().copied();
    let largest = groups.max_by_key(|it| (sizes[*it], usize::MAX - *it));
    let rated = |bot: &usize| ratings.bots[*bot].is_some() && Some(ratings.groups[*bot]) == largest;
    let members: Vec<usize> = (0..bots).filter(rated).collect();
    let mut found = vec![None; bots];
    if members.len() > MOST_BOTS {
        return found;
    }
    let mut places = vec![None; bots];
    for (place, bot) in members.iter().enumerate() {
        places[*bot] = Some(place);
    }
    let mut sums = vec![vec![[0.0; 2]; members.len()]; members.len()];
    for met in meetings.iter().filter(|met| met.pairs > 0) {
        let [Some(bot), Some(other)] = met.bots.map(|bot| places[bot]) else {
            continue;
        };
        let pairs = met.pairs as f64;
        let matches = met.matches as f64;
        let points = matches * met.pair_points / pairs;
        for (row, column, points) in [(bot, other, points), (other, bot, matches - points)] {
            sums[row][column][0] += points;
            sums[row][column][1] += matches;
        }
    }
    let elo = |place: usize| ratings.bots[members[place]].map_or(0.0, |rating| rating.elo);
    let score = |bot: usize, other: usize| match sums[bot][other] {
        [_, 0.0] => sprt::expected(elo(bot) - elo(other)),
        [points, matches] => (points + 0.5) / (matches + 1.0),
    };
    let row = |bot: usize| (0..members.len()).map(|other| score(bot, other)).collect();
    let scores: Vec<Vec<f64>> = (0..members.len()).map(row).collect();
    for (bot, rating) in members.iter().zip(nash(&scores)) {
        found[*bot] = Some(rating);
    }
    found
}

/// Number of matches lost by a fault.
fn forfeits(pairs: &SwappedPairs<'_>) -> u64 {
    let entries = pairs.units().flatten();
    entries.filter(|entry| entry.stored.at_fault != 0).count() as u64
}

fn sizes(ratings: &Ratings) -> Vec<usize> {
    let mut sizes = vec![0; ratings.groups.len()];
    for &group in &ratings.groups {
        sizes[group] += 1;
    }
    sizes
}

/// The bots, the best first. Small groups come after large ones, and bots without a rated match last, by
/// their points.
fn ranking(ratings: &Ratings, bots: &[BotReport]) -> Vec<usize> {
    let sizes = sizes(ratings);
    let mut ranking: Vec<usize> = (0..ratings.bots.len()).collect();
    let elo = |bot: usize| ratings.bots[bot].map_or(f64::NEG_INFINITY, |rating| rating.elo);
    let share = |bot: usize| bots[bot].results.share().unwrap_or(0.0);
    let rated = |bot: usize| ratings.bots[bot].is_some();
    ranking.sort_by(|&a, &b| match [rated(a), rated(b)] {
        [true, true] => {
            let [one, other] = [a, b].map(|bot| ratings.groups[bot]);
            let groups = (sizes[other], one).cmp(&(sizes[one], other));
            groups.then(elo(b).total_cmp(&elo(a)))
        }
        [false, false] => share(b).total_cmp(&share(a)),
        [one, other] => other.cmp(&one),
    });
    ranking
}
