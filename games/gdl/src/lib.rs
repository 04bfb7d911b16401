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
#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

mod engine;
mod error;
mod game;
mod ggp;
mod ground;
mod interpreter;
mod limits;
mod network;
mod play;
mod read;
mod terms;

pub use error::{Place, SheetError};
pub use game::{Names, Report, SheetGame};
pub use ggp::kif::Kif;
pub use ggp::script::Script;
pub use ggp::steps::{StepError, Steps};
pub use ground::Ungroundable;
pub use limits::GroundLimits;
pub use network::Sizes;
pub use read::{Sheet, canonical};
