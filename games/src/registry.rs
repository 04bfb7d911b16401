//! The registry of all games, by id. A new game takes one line at the end of this file.

use std::sync::{Arc, LazyLock};

use serde_json::Value;
use thiserror::Error;

use crate::game::Game;
use crate::kit::info::Info;
use crate::kit::options::{OptionError, Options};
use crate::learning::Learnable;
use crate::session::{BrokenRules, Rules, configure};

/// A game that can be played: one of the registry, or one whose rules come from outside.
pub struct Entry {
    /// The game's description of itself.
    pub info: Info,
    /// Its rules for people, as Markdown, perhaps empty. In the guides of the registry, blocks of code
    /// are named `board`, `legal`, `illegal` and `state`; behind the name of a `board` stands the
    /// position that it shows, as JSON.
    pub guide: String,
    /// See [`Entry::builtin`].
    builtin: Option<String>,
    configure: Box<Configure>,
}

/// Makes the rules under some options.
type Configure = dyn Fn(&Value) -> Result<Arc<dyn Rules>, ConfigureError> + Send + Sync;

/// The reason why there are no rules under some options.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConfigureError {
    /// The game does not accept one of them.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The rules come from outside and do not work.
    #[error(transparent)]
    Broken(#[from] BrokenRules),
}

impl Entry {
    /// A game whose rules `configure` makes from an options object, or from null for the defaults.
    pub fn new(
        info: Info,
        guide: String,
        configure: impl Fn(&Value) -> Result<Arc<dyn Rules>, ConfigureError> + Send + Sync + 'static,
    ) -> Self {
        Entry {
            info,
            guide,
            builtin: None,
            configure: Box::new(configure),
        }
    }

    /// A game that `G` plays, and `Other` under the options that do not fit `G`.
    fn of<G: Learnable, Other: Learnable>() -> Self {
        let configure = |options: &Value| match fits::<G>(options) {
            true => Ok(configure::<G>(options)?),
            false => Ok(configure::<Other>(options)?),
        };
        Self::new(Info::from(&G::INFO), G::GUIDE.to_owned(), configure).played_as(G::INFO.id)
    }

    /// Says that this is the game of the registry with that id, perhaps under another id and reached
    /// in another way.
    #[must_use]
    pub fn played_as(self, id: &str) -> Self {
        Entry {
            builtin: Some(id.to_owned()),
            ..self
        }
    }

    /// The id in the registry of the game that this really is, so that [`visit`] finds its type;
    /// `None` for rules from outside.
    pub fn builtin(&self) -> Option<&str> {
        self.builtin.as_deref()
    }

    /// The rules under these options: an object, or `null` for the defaults.
    ///
    /// # Errors
    /// If an option is unknown, of a wrong type or out of range, or rules from outside do not work.
    pub fn configure(&self, options: &Value) -> Result<Arc<dyn Rules>, ConfigureError> {
        (self.configure)(options)
    }
}

/// The game with this id.
///
/// ```
/// let rules = games::find("amazons").unwrap().configure(&serde_json::json!({"size": 6})).unwrap();
/// assert_eq!(rules.start(0).unwrap().perft_nodes(1).unwrap(), 544);
/// ```
pub fn find(id: &str) -> Option<&'static Entry> {
    GAMES
        .iter()
        .map(|entry| &**entry)
        .find(|entry| entry.info.id == id)
}

/// A generic function over games, to be called by [`visit`] with the type that belongs to an id.
pub trait Visitor {
    /// The result of [`Visitor::visit`].
    type Output;
    /// Called with the type of the game.
    fn visit<G: Game>(self) -> Self::Output;
}

/// False if another type plays the game under these options. Wrong ones are any type's to refuse.
fn fits<G: Game>(options: &Value) -> bool {
    Options::of::<G>(options).map_or(true, |options| G::fits(&options))
}

macro_rules! games {
    ($($game:ty $(, or $other:ty)?;)*) => {
        /// All games, in the order of listings.
        pub static GAMES: LazyLock<Vec<Arc<Entry>>> = LazyLock::new(|| {
            vec![$(Arc::new(games!(@entry $game $(, $other)?))),*]
        });

        /// Calls the visitor with the type that plays the game with this id under these options; `None`
        /// if there is no such game.
        pub fn visit<V: Visitor>(id: &str, options: &Value, visitor: V) -> Option<V::Output> {
            $(if id == <$game as Game>::INFO.id {
                $(if !fits::<$game>(options) {
                    return Some(visitor.visit::<$other>());
                })?
                return Some(visitor.visit::<$game>());
            })*
            None
        }
    };
    (@entry $game:ty) => { Entry::of::<$game, $game>() };
    (@entry $game:ty, $other:ty) => { Entry::of::<$game, $other>() };
}

games![
    crate::rules::amazons::Amazons, or crate::rules::amazons::LargeAmazons;
    crate::rules::amazon_penguins::AmazonPenguins;
    crate::rules::elephant_run::ElephantRun;
    crate::rules::giantslayer::Giantslayer;
    crate::rules::paper_penguins::PaperPenguins;
    crate::rules::penguins::Penguins;
    crate::rules::run::Run;
    crate::rules::siam::Siam;
];
