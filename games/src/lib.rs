//! The rules of the games.
//!
//! Every game implements [`Game`]: plain `Copy` positions and moves, no allocation while
//! playing. [`registry`] turns a game's id into its rules; [`session`] is the same interface
//! with moves as text and states as JSON, for callers that do not know which game they hold.
//!
//! ```
//! use games::{Game, Options, Rng};
//! use games::amazons::Amazons;
//!
//! let game = Amazons::new(&Options::defaults(&Amazons::INFO)).unwrap();
//! let mut position = game.start(&mut Rng::new(1));
//! let mut moves = Vec::new();
//! game.legal(&position, &mut moves);
//! assert_eq!(moves.len(), 2176);
//! game.play_unchecked(&mut position, moves[0]);
//! assert_eq!(game.to_move(&position), Some(1));
//! ```

pub mod amazon_penguins;
pub mod amazons;
pub mod bits;
pub mod board;
pub mod conformance;
pub mod elephant_run;
pub mod fish;
mod game;
pub mod giantslayer;
pub mod lines;
pub mod options;
pub mod paper_penguins;
pub mod penguins;
pub mod perft;
pub mod playout;
pub mod registry;
mod rng;
pub mod run;
pub mod session;
pub mod shots;
pub mod siam;
pub mod slides;
pub mod state;
pub mod view;
pub mod zobrist;

pub use game::{
    Game, IllegalMove, Info, Limits, MAX_SEATS, Outcome, ParseError, Scores, Seat, rank,
};
pub use options::{OptionError, Options};
pub use registry::{GAMES, find};
pub use rng::{Rng, hash_text};
pub use session::{Rules, Session};
pub use state::StateError;
pub use view::View;
