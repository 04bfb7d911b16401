//! The registry of all games, by id. A new game takes one line at the end of this file.

use std::sync::Arc;

use serde_json::Value;

use crate::game::Game;
use crate::kit::info::Info;
use crate::kit::options::OptionError;
use crate::session::{Rules, configure};

/// A game of the registry.
pub struct Entry {
    /// What the game says about itself.
    pub info: &'static Info,
    /// Its rules for people, as Markdown. Blocks of code are named `board`, `legal`, `illegal` and
    /// `state`; behind the name of a `board` stands the position that it shows, as JSON.
    pub guide: &'static str,
    configure: fn(&Value) -> Result<Arc<dyn Rules>, OptionError>,
}

impl Entry {
    const fn of<G: Game>() -> Self {
        Entry {
            info: const { &G::INFO },
            guide: G::GUIDE,
            configure: configure::<G>,
        }
    }

    /// The rules under these options: an object, or `null` for the defaults.
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

/// A generic function over games, to be called by [`visit`] with the type that belongs to an id.
pub trait Visitor {
    /// The result of [`Visitor::visit`].
    type Output;
    /// Called with the type of the game.
    fn visit<G: Game>(self) -> Self::Output;
}

macro_rules! games {
    ($($game:ty,)*) => {
        /// All games, in the order of listings.
        pub static GAMES: &[Entry] = &[$(Entry::of::<$game>()),*];

        /// Calls the visitor with the type of the game with this id; `None` if there is no such game.
        pub fn visit<V: Visitor>(id: &str, visitor: V) -> Option<V::Output> {
            $(if id == <$game as Game>::INFO.id {
                return Some(visitor.visit::<$game>());
            })*
            None
        }
    };
}

games![
    crate::rules::amazons::Amazons,
    crate::rules::amazon_penguins::AmazonPenguins,
    crate::rules::elephant_run::ElephantRun,
    crate::rules::giantslayer::Giantslayer,
    crate::rules::paper_penguins::PaperPenguins,
    crate::rules::penguins::Penguins,
    crate::rules::run::Run,
    crate::rules::siam::Siam,
];
