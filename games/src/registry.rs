//! All games, by id. A new game is one line at the end of this file.

use std::sync::Arc;

use serde_json::Value;

use crate::game::{Game, Info};
use crate::options::OptionError;
use crate::session::{Rules, configure};

/// A game of the registry.
pub struct Entry {
    /// Its description.
    pub info: &'static Info,
    configure: fn(&Value) -> Result<Arc<dyn Rules>, OptionError>,
}

impl Entry {
    const fn of<G: Game>() -> Self {
        Entry {
            info: const { &G::INFO },
            configure: configure::<G>,
        }
    }

    /// The rules under these options (an object; `null` for the defaults).
    ///
    /// # Errors
    /// If an option is unknown, of a wrong type or out of range.
    pub fn configure(&self, options: &Value) -> Result<Arc<dyn Rules>, OptionError> {
        (self.configure)(options)
    }
}

/// The game with this id.
///
/// ```
/// let rules = games::find("amazons").unwrap().configure(&serde_json::json!({"size": 6})).unwrap();
/// assert_eq!(rules.start(0).perft(1), 544);
/// ```
pub fn find(id: &str) -> Option<&'static Entry> {
    GAMES.iter().find(|entry| entry.info.id == id)
}

/// Something to be done with a game whose type is known only to the registry.
pub trait Visitor {
    /// What it gives.
    type Output;
    /// Does it.
    fn visit<G: Game>(self) -> Self::Output;
}

macro_rules! games {
    ($($game:ty,)*) => {
        /// All games, in the order in which they are listed to people.
        pub static GAMES: &[Entry] = &[$(Entry::of::<$game>()),*];

        /// Calls the visitor with the type of the game that has this id; `None` if none has.
        pub fn visit<V: Visitor>(id: &str, visitor: V) -> Option<V::Output> {
            $(if id == <$game as Game>::INFO.id {
                return Some(visitor.visit::<$game>());
            })*
            None
        }
    };
}

games![
    crate::amazons::Amazons,
    crate::amazon_penguins::AmazonPenguins,
    crate::elephant_run::ElephantRun,
    crate::giantslayer::Giantslayer,
    crate::paper_penguins::PaperPenguins,
    crate::penguins::Penguins,
    crate::run::Run,
    crate::siam::Siam,
];
