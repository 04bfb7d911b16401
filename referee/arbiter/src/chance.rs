//! What chance brings in a match: it follows from the match's seed and the number of the event, so that
//! the matches of a pairing, which share their seed, get the same draws.

use games::session::draw;
use games::{BrokenRules, Rng, Session};

/// Separates the events of chance from other streams of the match's seed.
const CHANCE_EVENTS: u64 = 6;

/// The events of chance in one match.
#[derive(Clone, Debug)]
pub struct Chance {
    seed: u64,
    /// How many there were.
    events: u64,
}

impl Chance {
    /// No event yet, in a match with this seed.
    pub fn of(seed: u64) -> Self {
        Chance { seed, events: 0 }
    }

    /// What the next event brings.
    ///
    /// # Errors
    /// If the rules say that chance is to move, but not what it may bring.
    pub fn draw(&mut self, session: &dyn Session) -> Result<String, BrokenRules> {
        let mut rng = Rng::from_parts(&[self.seed, CHANCE_EVENTS, self.events]);
        self.skip();
        draw(session.chances(), &mut rng).ok_or_else(|| {
            BrokenRules::new("the rules say that chance is to move, but list no outcome")
        })
    }

    /// Counts an event that was not drawn: openings may say what chance brings.
    pub fn skip(&mut self) {
        self.events += 1;
    }
}
