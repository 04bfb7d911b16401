//! The random draws of a match: outcomes of chance, random moves of openings and of seats at fault.
//! They follow from the match's seed, or from a key that no bot can compute, and from the number of
//! the event, so that the matches of a pairing, which share both, get the same draws.

use std::fmt;

use games::session::draw;
use games::{BrokenRules, Rng, Session};

/// Seeds stay below this so that every reader of JSON gets them right.
const SEED_MASK: u64 = (1 << 53) - 1;
/// A stream's number has its purpose in the bits from here on, and a number within the purpose
/// below.
const PURPOSE: u32 = 48;

/// The purpose of random numbers: each has a stream of its own.
#[derive(Clone, Copy)]
enum Purpose {
    OpeningMoves = 1,
    ForcedMoves = 2,
    ChanceEvents = 6,
    Start = 7,
    Others = 8,
}

/// Separates the streams of starts and openings that are tried when the first ones are not
/// balanced, if they follow from a seed.
const OTHERS: u64 = 2;

/// At most this many random starts and openings of a pairing are judged, and the best of them is
/// taken: the first ones, and others ([`Draws::other`]) with the numbers below this.
pub const MOST_OTHERS: u64 = 50;

/// A key that the draws of a pairing follow from. Bots never learn it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DealKey([u8; 32]);

impl DealKey {
    pub fn new(bytes: [u8; 32]) -> Self {
        DealKey(bytes)
    }

    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for DealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DealKey(…)")
    }
}

/// The source of a match's draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draws {
    /// The match's seed, which anybody may compute.
    Seed(u64),
    /// A secret.
    Key(DealKey),
}

impl Draws {
    /// The key is used if there is one.
    pub fn of(seed: u64, key: Option<DealKey>) -> Self {
        key.map_or(Draws::Seed(seed), Draws::Key)
    }

    fn rng(&self, purpose: Purpose, number: u64) -> Rng {
        match (self, purpose) {
            (Draws::Key(key), purpose) => {
                Rng::from_key(key.0, ((purpose as u64) << PURPOSE) + number)
            }
            (Draws::Seed(seed), Purpose::ChanceEvents) => {
                Rng::from_parts(&[*seed, purpose as u64, number])
            }
            (Draws::Seed(seed), Purpose::Others) => Rng::from_parts(&[*seed, OTHERS, number]),
            (Draws::Seed(seed), purpose) => Rng::from_parts(&[*seed, purpose as u64]),
        }
    }

    /// The seed that the rules make the start from.
    pub fn start(&self) -> u64 {
        match self {
            Draws::Seed(seed) => *seed,
            Draws::Key(_) => self.rng(Purpose::Start, 0).next_u64() & SEED_MASK,
        }
    }

    /// The random moves of an opening.
    pub fn opening(&self) -> Rng {
        self.rng(Purpose::OpeningMoves, 0)
    }

    /// The random moves of seats at fault.
    pub fn forced(&self) -> Rng {
        self.rng(Purpose::ForcedMoves, 0)
    }

    /// The draws of another start and opening of the pairing, by a number from 1.
    pub fn other(&self, number: u64) -> Self {
        let mut rng = self.rng(Purpose::Others, number);
        match self {
            Draws::Seed(_) => Draws::Seed(rng.next_u64() & SEED_MASK),
            Draws::Key(_) => {
                let mut key = [0; 32];
                for chunk in key.chunks_exact_mut(8) {
                    chunk.copy_from_slice(&rng.next_u64().to_le_bytes());
                }
                Draws::Key(DealKey(key))
            }
        }
    }
}

/// The events of chance in one match.
#[derive(Clone, Debug)]
pub struct Chance {
    draws: Draws,
    /// The number of events so far.
    events: u64,
}

impl Chance {
    pub fn of(seed: u64) -> Self {
        Self::with(Draws::Seed(seed))
    }

    pub fn with(draws: Draws) -> Self {
        Chance { draws, events: 0 }
    }

    /// The outcome of the next event.
    ///
    /// # Errors
    /// If the rules say that chance is to move, but list no outcome.
    pub fn draw(&mut self, session: &dyn Session) -> Result<String, BrokenRules> {
        let mut rng = self.draws.rng(Purpose::ChanceEvents, self.events);
        self.skip();
        draw(session.chances(), &mut rng).ok_or_else(|| {
            BrokenRules::new("the rules say that chance is to move, but list no outcome")
        })
    }

    /// Counts an event that was not drawn: openings may contain outcomes of chance.
    pub fn skip(&mut self) {
        self.events += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards the promise that the draws of a seed never change.
    #[test]
    fn the_draws_of_a_seed_are_what_they_always_were() {
        let draws = Draws::of(5, None);
        let first = |mut rng: Rng| rng.next_u64();
        assert_eq!(draws.start(), 5);
        assert_eq!(first(draws.opening()), first(Rng::from_parts(&[5, 1])));
        assert_eq!(first(draws.forced()), first(Rng::from_parts(&[5, 2])));
        let event = draws.rng(Purpose::ChanceEvents, 3);
        assert_eq!(first(event), first(Rng::from_parts(&[5, 6, 3])));
        let other = first(Rng::from_parts(&[5, 2, 9])) & SEED_MASK;
        assert_eq!(draws.other(9), Draws::Seed(other));
    }

    #[test]
    fn a_key_has_nothing_to_do_with_the_seed_and_is_not_shown() {
        let [one, two] = [1, 2].map(|byte| Draws::of(5, Some(DealKey::new([byte; 32]))));
        assert_eq!(one, Draws::of(6, Some(DealKey::new([1; 32]))));
        assert_ne!(one.start(), two.start());
        assert_ne!(one.other(1), two.other(1));
        assert_ne!(one.other(1), one.other(2));
        let numbers = [
            one.opening().next_u64(),
            one.forced().next_u64(),
            one.rng(Purpose::ChanceEvents, 0).next_u64(),
            one.rng(Purpose::ChanceEvents, 1).next_u64(),
            two.opening().next_u64(),
        ];
        let mut different = numbers.to_vec();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), numbers.len());
        assert_eq!(format!("{one:?}"), "Key(DealKey(…))");
    }
}
