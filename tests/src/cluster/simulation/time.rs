//! Times in the simulation.

use std::time::Duration;

/// Microseconds since the tournament began.
pub(super) type Time = u64;

pub(super) const SECOND: Time = 1_000_000;
pub(super) const HOUR: f64 = 3600.0 * SECOND as f64;
/// The lease that coordinators have.
pub(super) const LEASE: Duration = Duration::from_secs(30);

pub(super) fn micros(time: Duration) -> Time {
    time.as_micros() as Time
}
