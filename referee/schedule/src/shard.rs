//! Shards: parts of a schedule for independent machines.

use std::fmt;
use std::str::FromStr;

use games::Rng;
use thiserror::Error;

/// Separates the dealing of units from other streams of the tournament's seed.
const DEAL: u64 = 7;

/// One of several parts of a schedule, written `3/8`. A part has whole groups: all seat orders of one
/// start, so that the speed of a machine cancels within each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    part: u32,
    of: u32,
}

/// A text that is no shard.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a part of a schedule, as in `3/8`: the third of 8, of at most {max}", max = Shard::MAX)]
pub struct ShardError(String);

impl Shard {
    /// A schedule has at most this many parts.
    pub const MAX: u32 = 10_000;

    /// Part `part` of `of`, from 1; `None` if there is no such part.
    pub fn new(part: u32, of: u32) -> Option<Self> {
        let exists = (1..=of).contains(&part) && of <= Self::MAX;
        exists.then_some(Shard { part, of })
    }

    /// The number of this part, from 1.
    pub fn part(self) -> u32 {
        self.part
    }

    pub fn of(self) -> u32 {
        self.of
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let shard = text.split_once('/').and_then(|(part, of)| {
            let (part, of) = (part.parse().ok()?, of.parse().ok()?);
            Shard::new(part, of)
        });
        shard.ok_or_else(|| ShardError(text.to_owned()))
    }
}

/// Deals the units of a schedule to the parts, one to each in turn, in a random order, so that periodic
/// units (games, bots) are not always dealt to the same part.
pub(super) struct Deal {
    shard: Shard,
    seed: u64,
    dealt: u64,
    /// The order of the parts in this turn.
    order: Vec<u32>,
}

impl Deal {
    pub(super) fn of(shard: Shard, seed: u64) -> Self {
        Deal {
            shard,
            seed,
            dealt: 0,
            order: (1..=shard.of).collect(),
        }
    }

    /// True if the next unit belongs to this part.
    pub(super) fn is_next_mine(&mut self) -> bool {
        let of = u64::from(self.shard.of);
        let (turn, place) = (self.dealt / of, self.dealt % of);
        if place == 0 {
            self.order.sort_unstable();
            Rng::from_parts(&[self.seed, DEAL, turn]).shuffle(&mut self.order);
        }
        self.dealt += 1;
        self.order[place as usize] == self.shard.part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_written_as_fractions() {
        for text in ["1/1", "3/8", "10000/10000"] {
            assert_eq!(text.parse::<Shard>().unwrap().to_string(), text);
        }
        for text in [
            "0/8", "9/8", "1/10001", "1/0", "-1/8", "3", "3/", "a/b", "1/2/3", "",
        ] {
            let error = text.parse::<Shard>().unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("`{text}` is not a part")),
                "{error}"
            );
        }
    }

    #[test]
    fn each_unit_is_dealt_to_one_part_and_all_parts_get_as_many() {
        for of in [1, 2, 3, 8, 100] {
            let mut deals: Vec<Deal> = (1..=of)
                .map(|part| Deal::of(Shard::new(part, of).unwrap(), 5))
                .collect();
            let mut got = vec![0; of as usize];
            for unit in 1..=1000 {
                let mine: Vec<bool> = deals.iter_mut().map(Deal::is_next_mine).collect();
                assert_eq!(mine.iter().filter(|mine| **mine).count(), 1);
                got.iter_mut()
                    .zip(mine)
                    .for_each(|(got, mine)| *got += u32::from(mine));
                let (least, most) = (got.iter().min(), got.iter().max());
                assert!(most.unwrap() - least.unwrap() <= 1, "{unit} of {of}");
            }
        }
    }

    #[test]
    fn what_repeats_itself_is_dealt_to_all() {
        // Every fourth unit is of the same game, and there are four parts.
        let mut deal = Deal::of(Shard::new(2, 4).unwrap(), 1);
        let mine: Vec<usize> = (0..400).filter(|_| deal.is_next_mine()).collect();
        for game in 0..4 {
            let of_game = mine.iter().filter(|unit| *unit % 4 == game).count();
            assert!((10..=40).contains(&of_game), "{of_game} of game {game}");
        }
    }
}
