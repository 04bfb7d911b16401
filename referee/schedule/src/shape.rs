//! The shape of a tournament, from which a schedule follows, and the number of its matches.

use games::Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::design::Design;
use super::order;
use super::seat_orders::{GameShape, SeatOrders};
use super::shard::Shard;
use super::version::Version;
use ratings::sprt::Hypotheses;

/// In gauntlets of games with many seats, which groups have a challenger is known only from the groups. With
/// more rounds than this, there are too many matches in any case, and they are not counted.
const MOST_DESIGNED: u32 = 50_000;

/// The parameters of a schedule. Bots and games are indices.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    pub format: Format,
    pub games: Vec<GameShape>,
    pub bots: usize,
    /// Ignored in `sprt`.
    pub rounds: u32,
    pub orders: SeatOrders,
    /// The seed of all draws.
    pub seed: u64,
    pub version: Version,
    /// The part of the schedule that is played; `None` for all of it. Only round robins and gauntlets
    /// have parts.
    pub shard: Option<Shard>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Format {
    /// Every group of as many bots as the game has seats.
    RoundRobin,
    /// Groups with at least one challenger.
    Gauntlet { challengers: Vec<usize> },
    /// In each round, pairings of bots with equal points that have not met yet.
    Swiss,
    /// Duels; the loser is out.
    Knockout {
        /// True if places in the bracket are drawn by lot instead of following the order of the
        /// bots.
        drawn: bool,
        /// Maximum of further swapped pairs in a tied duel.
        tie_breaks: u32,
        /// True if the losers of the semifinals play for the third place.
        third_place: bool,
    },
    /// Swapped pairs of two bots until it is clear which hypothesis holds.
    Sprt {
        /// The hypotheses, about the first bot.
        hypotheses: Hypotheses,
        /// After this many pairs it ends without a decision.
        max_pairs: u32,
    },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Format")]
pub enum FormatName {
    /// Every pairing (for games of more seats: every group).
    #[default]
    RoundRobin,
    /// Every pairing (for games of more seats: every group) that has a challenger in it.
    Gauntlet,
    /// In each round, pairings of bots with about as many points that have not met yet.
    Swiss,
    /// Duels; the loser is out.
    Knockout,
    /// Swapped pairs of two bots until it is clear which of two hypotheses holds.
    Sprt,
}

impl std::fmt::Display for FormatName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

impl Format {
    pub fn name(&self) -> FormatName {
        match self {
            Format::RoundRobin => FormatName::RoundRobin,
            Format::Gauntlet { .. } => FormatName::Gauntlet,
            Format::Swiss => FormatName::Swiss,
            Format::Knockout { .. } => FormatName::Knockout,
            Format::Sprt { .. } => FormatName::Sprt,
        }
    }

    /// True for formats of pairings, which need games of two seats.
    pub fn is_of_pairings(&self) -> bool {
        !matches!(self, Format::RoundRobin | Format::Gauntlet { .. })
    }
}

/// The number of matches; a range if it depends on results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    pub least: u64,
    pub most: u64,
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Count { least: 1, most: 1 } => write!(f, "1 match"),
            Count { least, most } if least == most => write!(f, "{most} matches"),
            Count { least, most } => write!(f, "{least} to {most} matches"),
        }
    }
}

impl Count {
    /// A number of matches that is fixed in advance.
    pub fn exactly(matches: u64) -> Self {
        Count {
            least: matches,
            most: matches,
        }
    }
}

/// A tournament that this one extends.
#[derive(Clone, Debug)]
pub struct Earlier {
    pub shape: Shape,
    /// By its bots: the index here.
    pub bots: Vec<usize>,
    /// By its games: the index here.
    pub games: Vec<usize>,
}

impl Shape {
    /// A round robin in which all games have the same weight; `games` has their numbers of seats.
    pub fn round_robin(games: &[usize], bots: usize, rounds: u32) -> Self {
        Shape {
            format: Format::RoundRobin,
            games: games.iter().map(|&seats| GameShape::of(seats)).collect(),
            bots,
            rounds,
            orders: SeatOrders::default(),
            seed: 1,
            version: Version::NEWEST,
            shard: None,
        }
    }

    /// The number of matches in all shards, without making them; [`u64::MAX`] if too many to count.
    pub fn count(&self) -> Count {
        let rounds = u64::from(self.rounds);
        let bots = self.bots as u64;
        let pair = 2_u64;
        match &self.format {
            Format::RoundRobin => {
                Count::exactly(self.each_game(|game| rounds.saturating_mul(self.groups(game, &[]))))
            }
            Format::Gauntlet { challengers } => {
                Count::exactly(self.each_game(|game| self.groups_of(challengers, game)))
            }
            Format::Swiss => {
                let a_round = (bots / 2).saturating_mul(pair * self.slots());
                Count::exactly(rounds.saturating_mul(a_round))
            }
            Format::Knockout {
                tie_breaks,
                third_place,
                ..
            } => {
                // With three bots, there is one semifinal only.
                let third = u64::from(*third_place && bots > 3);
                let duels = bots.saturating_sub(1) + third;
                let duel = rounds.saturating_mul(pair * self.slots());
                let longest = duel.saturating_add(pair * u64::from(*tie_breaks));
                Count {
                    least: duels.saturating_mul(duel),
                    most: duels.saturating_mul(longest),
                }
            }
            Format::Sprt { max_pairs, .. } => Count {
                least: pair,
                most: pair * u64::from(*max_pairs),
            },
        }
    }

    /// Matches of a pairing in a round, in each seat order.
    pub(super) fn slots(&self) -> u64 {
        self.games.iter().map(|game| u64::from(game.weight)).sum()
    }

    /// The number of matches, given the number of groups that play each game.
    fn each_game(&self, groups: impl Fn(&GameShape) -> u64) -> u64 {
        let of_game = |game: &GameShape| {
            groups(game)
                .saturating_mul(self.orders.count(game.seats))
                .saturating_mul(u64::from(game.weight))
        };
        let games = self.games.iter().map(of_game);
        games.fold(0, u64::saturating_add)
    }

    /// The number of groups in a round of a game without these bots.
    fn groups(&self, game: &GameShape, without: &[usize]) -> u64 {
        let away = without
            .iter()
            .filter(|bot| game.absent.binary_search(bot).is_err());
        let players = self.bots - game.absent.len() - away.count();
        Design::count(game.seats, players)
            .unwrap_or_else(|| order::count_groups(players, game.seats))
    }

    /// The number of groups with a challenger in all rounds of a game.
    fn groups_of(&self, challengers: &[usize], game: &GameShape) -> u64 {
        let rounds = u64::from(self.rounds);
        let Some(mut design) = Design::of(self, game) else {
            let all = self.groups(game, &[]);
            return rounds.saturating_mul(all.saturating_sub(self.groups(game, challengers)));
        };
        if self.rounds > MOST_DESIGNED {
            return u64::MAX;
        }
        let players = game.players(self.bots);
        let has_challenger =
            |group: &&Vec<usize>| group.iter().any(|it| challengers.contains(&players[*it]));
        (0..self.rounds)
            .map(|_| design.next_round().iter().filter(has_challenger).count() as u64)
            .sum()
    }

    /// The bots in random order.
    pub(super) fn lots(&self) -> Vec<usize> {
        let mut bots: Vec<usize> = (0..self.bots).collect();
        Rng::from_text(self.seed, "lots").shuffle(&mut bots);
        bots
    }
}
