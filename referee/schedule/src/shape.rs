//! What a schedule is made from, and how many matches that gives.

use games::Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::order;
use super::seats::{GameShape, SeatOrders};
use super::shard::Shard;
use super::version::Version;
use ratings::sprt::Hypotheses;

/// What a schedule is made from. Bots and games are indices.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// How bots meet.
    pub format: Format,
    /// What is played.
    pub games: Vec<GameShape>,
    /// How many bots there are.
    pub bots: usize,
    /// How often everything is played. In `sprt` it does not count.
    pub rounds: u32,
    /// In which orders the bots of a group sit.
    pub orders: SeatOrders,
    /// What lots are drawn from.
    pub seed: u64,
    /// How the schedule is made.
    pub version: Version,
    /// The part of the schedule that is played; `None` for all of it. Only round robins and gauntlets
    /// have parts.
    pub shard: Option<Shard>,
}

/// How bots meet.
#[derive(Clone, Debug, PartialEq)]
pub enum Format {
    /// Every group of as many bots as the game has seats.
    RoundRobin,
    /// Those of the same groups that have at least one challenger in them.
    Gauntlet {
        /// The challengers.
        challengers: Vec<usize>,
    },
    /// In each round, pairings of bots with equal points that have not met yet.
    Swiss,
    /// Duels, whose losers are out.
    Knockout {
        /// Whether the places in the bracket are drawn by lot, not by the order of the bots.
        drawn: bool,
        /// How many more swapped pairs are played in a duel that is tied.
        tie_breaks: u32,
        /// Whether the losers of the semifinals play for the third place.
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

/// How bots meet.
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
    /// Its name.
    pub fn name(&self) -> FormatName {
        match self {
            Format::RoundRobin => FormatName::RoundRobin,
            Format::Gauntlet { .. } => FormatName::Gauntlet,
            Format::Swiss => FormatName::Swiss,
            Format::Knockout { .. } => FormatName::Knockout,
            Format::Sprt { .. } => FormatName::Sprt,
        }
    }

    /// Whether there are pairings only, and so games of two seats only.
    pub fn is_of_pairings(&self) -> bool {
        !matches!(self, Format::RoundRobin | Format::Gauntlet { .. })
    }
}

/// How many matches there are: both the same where results decide nothing about that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// At least.
    pub least: u64,
    /// At most.
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

    /// How many matches this gives in all parts, without making them; too many to count is [`u64::MAX`].
    pub fn count(&self) -> Count {
        let rounds = u64::from(self.rounds);
        let bots = self.bots as u64;
        let pair = 2_u64;
        match &self.format {
            Format::RoundRobin => Count::exactly(self.fixed(&[])),
            Format::Gauntlet { challengers } => {
                let rest = self.fixed(challengers);
                Count::exactly(self.fixed(&[]).saturating_sub(rest))
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

    /// How many times a pairing plays in a round, in each seat order.
    pub(super) fn slots(&self) -> u64 {
        self.games.iter().map(|game| u64::from(game.weight)).sum()
    }

    /// How many matches a round robin without these bots has.
    fn fixed(&self, without: &[usize]) -> u64 {
        let of_game = |game: &GameShape| {
            let away = without
                .iter()
                .filter(|bot| game.absent.binary_search(bot).is_err());
            let players = self.bots - game.absent.len() - away.count();
            order::count_groups(players, game.seats)
                .saturating_mul(self.orders.count(game.seats))
                .saturating_mul(u64::from(game.weight))
        };
        let a_round = self.games.iter().map(of_game);
        let a_round = a_round.fold(0, u64::saturating_add);
        a_round.saturating_mul(u64::from(self.rounds))
    }

    /// The bots in an order drawn by lot.
    pub(super) fn lots(&self) -> Vec<usize> {
        let mut bots: Vec<usize> = (0..self.bots).collect();
        Rng::from_text(self.seed, "lots").shuffle(&mut bots);
        bots
    }
}
