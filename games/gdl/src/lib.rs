//! Games whose rules are sheets in the Game Description Language (GDL and GDL-II).
//!
//! A sheet is read and checked ([`Sheet`]), grounded, and made a propositional network; sheets that do
//! not ground within limits are interpreted. Either way it plays through the traits
//! [`games::Rules`] and [`games::Session`].
//!
//! ```
//! let sheet = "(role me) (init (left 2)) (succ 0 1) (succ 1 2)
//!     (<= (legal me take) (true (left ?n)) (distinct ?n 0)) (legal me pass)
//!     (<= (next (left ?m)) (does me take) (true (left ?n)) (succ ?m ?n))
//!     (<= (next (left ?n)) (does me pass) (true (left ?n)))
//!     (<= terminal (true (left 0))) (<= (goal me 100) (true (left 0)))";
//! let names = gdl::Names { id: "take", own_id: "take" };
//! let game = gdl::SheetGame::new(&names, sheet).unwrap();
//! let mut session = game.rules.start(0).unwrap();
//! session.play("TAKE").unwrap();
//! session.play("(take)").unwrap();
//! assert_eq!(session.end().unwrap().tally.scores, [100]);
//! ```

mod components;
mod engine;
mod error;
mod game;
mod ground;
mod histories;
mod interpreter;
mod kif;
mod knowledge;
mod limits;
mod network;
mod perft;
mod play;
mod random_games;
mod read;
mod rules;
mod script;
mod session;
mod shared;
mod steps;
mod terms;
mod view;

pub use error::{Place, SheetError};
pub use game::{Names, Report, SheetGame};
pub use ground::Ungroundable;
pub use kif::Kif;
pub use limits::GroundLimits;
pub use network::Sizes;
pub use read::{Sheet, canonical};
pub use script::Script;
pub use steps::{StepError, Steps};
