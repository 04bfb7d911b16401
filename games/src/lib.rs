//! The rules of the games.
//!
//! Every game implements [`Game`]: positions and moves are plain `Copy` data, and playing does not
//! allocate. [`registry`] finds the rules of a game by its id; [`session`] offers the same with moves
//! as text and states as JSON, for callers that do not know which game they hold. [`rules`] has the
//! games, [`kit`] what they are made of, and [`mod@conformance`] the tests that they share.
//!
//! ```
//! use games::{Game, Options, Rng};
//! use games::rules::amazons::Amazons;
//!
//! let game = Amazons::new(&Options::defaults_of::<Amazons>()).unwrap();
//! let mut position = game.start(&mut Rng::new(1));
//! let mut moves = Vec::new();
//! game.legal(&position, &mut moves);
//! assert_eq!(moves.len(), 2176);
//! game.play(&mut position, moves[0]).unwrap();
//! assert_eq!(game.to_move(&position), Some(1));
//! ```

pub mod budget;
mod catalog;
pub mod conformance;
mod game;
pub mod kit;
pub mod learning;
pub mod registry;
pub mod rules;
pub mod session;
pub mod settlement;
#[doc(hidden)]
pub mod test_games;
pub mod values;

pub use catalog::{Catalog, TakenId, UnknownGame};
pub use game::{Game, IllegalMove, ParseError};
pub use kit::info::{Info, Limits, StaticInfo};
pub use kit::options::{OptionError, Options};
pub use kit::outcome::{MAX_SEATS, Outcome, Scores, Seat, rank};
pub use kit::rng::{Rng, hash_text};
pub use kit::state::StateError;
pub use kit::to_move::{Actor, ToMove};
pub use kit::view::View;
pub use registry::{ConfigureError, Entry, GAMES, find};
pub use session::{BrokenRules, Rules, Session, perft, playout};
