//! The figures: ratings with intervals, differences, checks of the fit, results by game and seat.

mod across_games;
mod differences;
mod discovery;
mod estimate;
#[cfg(test)]
mod few_results_tests;
mod fitness;
#[cfg(test)]
mod fitness_tests;
mod fixed_order;
mod machines;
#[cfg(test)]
mod many_bots_tests;
mod nash;
mod openings;
mod ratings;
#[cfg(test)]
mod ratings_tests;
#[cfg(test)]
mod report_tests;
mod score;
mod seat_table;
mod sprt_report;
mod statistics;
mod student;

pub use crate::matches::{Noise, OVERSHOOT_MS, Reported, SHARES, Suspicion, TimeUse};
pub use crate::model::Anchor;
pub use crate::results::Meeting;
pub use crate::standings::Totals;
pub use across_games::Across;
pub use differences::Difference;
pub use discovery::FALSE_DISCOVERIES;
pub(crate) use discovery::rates;
pub use estimate::{Bound, Estimate, Figure};
pub use fitness::{Drift, Fitness, Residual, Transitivity};
pub use fixed_order::FixedOrder;
pub use machines::{Homogeneity, MachineReport, is_noisy};
pub use nash::NashRating;
pub use openings::OpeningReport;
pub(crate) use ratings::Fitted;
pub use ratings::{Ratings, Resampling, rate};
pub use score::Score;
pub(crate) use score::Trials;
pub use seat_table::SeatTable;
pub use sprt_report::{SprtReport, SprtRequest};
pub use statistics::{BotReport, GameReport, Report, Request, RequestError};
