//! The figures: ratings with intervals, differences, checks of the fit, results by game and seat.

mod fitness;
mod fixed_order;
mod goals;
mod machines;
mod nash;
mod openings;
mod ratings;
mod seat_table;
mod sprt_report;
mod statistics;

pub use crate::inference::{Bound, Estimate, FALSE_DISCOVERIES, Figure, Score};
pub use crate::model::Anchor;
pub use crate::results::Meeting;
pub use crate::standings::Totals;
pub use crate::store::{Noise, OVERSHOOT_MS, Reported, SHARES, Suspicion, TimeUse};
pub use fitness::{Drift, Fitness, Residual, Transitivity};
pub use fixed_order::FixedOrder;
pub use goals::GoalReport;
pub use machines::{Homogeneity, MachineReport, is_noisy};
pub use nash::NashRating;
pub use openings::OpeningReport;
pub(crate) use ratings::Fitted;
pub use ratings::{Across, Difference, Ratings, Resampling, rate};
pub use seat_table::SeatTable;
pub use sprt_report::{SprtReport, SprtRequest};
pub use statistics::{BotReport, GameReport, Report, Request, RequestError};
