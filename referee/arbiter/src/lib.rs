//! One match as a pure state machine: events in, actions out.
//!
//! The [`Arbiter`] reads no clock and does no input or output. Its driver reports what happened and
//! when ([`Event`]), and carries out the [`Action`]s that the arbiter returns. It reports the time
//! ([`Event::Tick`]) by [`Arbiter::deadline`] at the latest.
//!
//! ```
//! use arbiter::{Action, Arbiter, Event, SeatSetup, Setup};
//! use games::Limits;
//! use protocol::{FaultCode, TimeControl};
//!
//! let rules = games::find("amazons").unwrap().configure(&serde_json::json!({})).unwrap();
//! let seat = |name: &str| SeatSetup {
//!     name: name.to_owned(),
//!     time: TimeControl::default(),
//!     cpu_time: None,
//!     info_bytes: 0,
//! };
//! let mut arbiter = Arbiter::new(Setup {
//!     match_id: "m-1".to_owned(),
//!     start: rules.start(0).unwrap(),
//!     opening: Vec::new(),
//!     seed: 0,
//!     deal: None,
//!     recorded: Vec::new(),
//!     limits: Limits::NONE,
//!     seats: vec![seat("one"), seat("two")],
//!     early_ends: arbiter::early_end::EarlyEnds::default(),
//!     cores: 1,
//!     rules,
//! }).unwrap();
//! for seat in 0..2 {
//!     let message = "there is no such program".to_owned();
//!     let code = FaultCode::Startup;
//!     let actions = arbiter.handle(Event::Failed { seat, code, message });
//!     assert!(actions.iter().all(|action| matches!(action, Action::Send { .. } | Action::Dismiss { .. })));
//! }
//! assert_eq!(arbiter.result().unwrap().outcome, [0.5, 0.5]);
//! ```

#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

pub mod adjudication;
mod arbiter;
pub mod chance;
pub mod clock;
pub mod early_end;
mod events;
mod setup;

pub use arbiter::{Arbiter, FinishedMatch, info_size};
pub use events::{Action, Actions, At, Event, Reading};
pub use setup::{SeatSetup, Setup, wire_limits};
