//! Machine-dependent settings: time limits scaled by speed, and matches that do not count on a busy
//! machine.

use std::time::Duration;

use protocol::{Load, Millis, TimeControl};

use crate::error::Diagnostic;
use crate::tables::{MachineTable, TimeScaling, TimeTable, WorkersTable};

/// Default attempts at a match until one counts.
const ATTEMPTS: u32 = 3;
/// Default share of groups of deterministic bots that a second worker plays again.
const RECHECK: f64 = 0.01;
/// No two machines of one tournament differ by a larger factor: then the reference or the
/// measurement is wrong, or a program was built without optimisation.
const MOST_FACTOR: f64 = 20.0;

/// Time limits that depend on the speed of the machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeScale {
    /// The yardstick speed at which the configured limits hold.
    pub reference: f64,
}

impl TimeScale {
    /// `None` if no scale is configured.
    pub(crate) fn of(table: &TimeTable) -> Result<Option<Self>, Diagnostic> {
        let wrong = |message: &str| Err(Diagnostic::value("time.reference", message));
        match (table.scale.unwrap_or_default(), table.reference) {
            (TimeScaling::None, None) => Ok(None),
            (TimeScaling::None, Some(_)) => wrong("needs `scale = \"yardstick\"`"),
            (TimeScaling::Yardstick, None) => Err(Diagnostic::value(
                "time.scale",
                "needs `reference`, the speed of the machine that the limits are meant for; `referee \
                 doctor` prints it there",
            )),
            (TimeScaling::Yardstick, Some(reference))
                if reference.is_finite() && reference > 0.0 =>
            {
                Ok(Some(TimeScale { reference }))
            }
            (TimeScaling::Yardstick, Some(reference)) => {
                wrong(&format!("{reference} is not a speed above 0"))
            }
        }
    }

    /// The factor for limits on a machine of this speed.
    ///
    /// # Errors
    /// If machines do not differ like that, as a sentence.
    pub(crate) fn factor(self, speed: f64) -> Result<f64, String> {
        let factor = self.reference / speed;
        if (1.0 / MOST_FACTOR..=MOST_FACTOR).contains(&factor) {
            return Ok(factor);
        }
        Err(format!(
            "`time.reference` is {}, but the speed of this machine is {speed:.1}: that is no difference \
             between machines; measure the reference by `referee doctor` with a program that was built in \
             the same way",
            self.reference
        ))
    }
}

/// A time control with multiplied limits; starts and margins stay the same.
pub(crate) fn scaled(time: &TimeControl, factor: f64) -> TimeControl {
    let scaled = |limit: Option<Millis>| {
        limit.map(|Millis(limit)| {
            let micros = limit.as_micros() as f64 * factor;
            Millis(Duration::from_micros(micros.round().max(1.0) as u64))
        })
    };
    TimeControl {
        per_move: scaled(time.per_move),
        base: scaled(time.base),
        increment: scaled(time.increment),
        wall: scaled(time.wall),
        ..time.clone()
    }
}

fn check_share(key: &str, share: Option<f64>) -> Result<(), Diagnostic> {
    match share.filter(|share| !(0.0..=1.0).contains(share)) {
        None => Ok(()),
        Some(share) => {
            let message = format!("{share} is not a share from 0 to 1");
            Err(Diagnostic::value(key, message))
        }
    }
}

/// The share of groups that a second worker plays again.
pub(crate) fn recheck(table: &WorkersTable) -> Result<f64, Diagnostic> {
    check_share("workers.recheck", table.recheck)?;
    Ok(table.recheck.unwrap_or(RECHECK))
}

/// Limits of load beyond which a match does not count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseLimits {
    /// The share of the cores' time that a virtual machine's host may take away.
    pub stolen: Option<f64>,
    /// The share of the time in which some process may wait for a core.
    pub waiting: Option<f64>,
    /// Attempts at a match until one counts.
    pub attempts: u32,
}

impl NoiseLimits {
    pub(crate) fn of(table: &MachineTable) -> Result<Self, Diagnostic> {
        for (key, share) in [
            ("machine.max_stolen", table.max_stolen),
            ("machine.max_waiting", table.max_waiting),
        ] {
            check_share(key, share)?;
        }
        Ok(NoiseLimits {
            stolen: table.max_stolen,
            waiting: table.max_waiting,
            attempts: table.attempts.unwrap_or(ATTEMPTS),
        })
    }

    /// The reason why a match under this load does not count, as a sentence; `None` if it counts.
    pub fn exceeded(&self, load: Option<&Load>) -> Option<String> {
        let above = |limit: Option<f64>, share: Option<f64>| {
            let (limit, share) = limit.zip(share)?;
            (share > limit).then(|| [share, limit].map(|share| format!("{:.1} %", 100.0 * share)))
        };
        let load = load?;
        if let Some([share, limit]) = above(self.stolen, load.stolen) {
            return Some(format!(
                "the host of this virtual machine gave {share} of the cores' time to others \
                 (`machine.max_stolen` is {limit})"
            ));
        }
        let [share, limit] = above(self.waiting, load.waiting)?;
        Some(format!(
            "processes waited for a core in {share} of the time (`machine.max_waiting` is {limit})"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_machines_have_more_time() {
        let millis = |ms| Some(Millis(Duration::from_millis(ms)));
        let time = TimeControl {
            per_move: millis(100),
            base: millis(10_000),
            increment: millis(7),
            startup: Millis(Duration::from_secs(10)),
            margin: Millis(Duration::from_millis(50)),
            wall: None,
            ..TimeControl::default()
        };
        let scale = TimeScale { reference: 300.0 };
        assert_eq!(scale.factor(300.0), Ok(1.0));
        let slow = scaled(&time, scale.factor(200.0).expect("a factor"));
        let expected = TimeControl {
            per_move: millis(150),
            base: millis(15_000),
            increment: Some(Millis(Duration::from_micros(10_500))),
            ..time.clone()
        };
        assert_eq!(slow, expected);
        assert_eq!(scaled(&time, 0.5).per_move, millis(50));
        let error = scale.factor(3.0).expect_err("a factor of 100");
        assert!(
            error.contains("the speed of this machine is 3.0"),
            "{error}"
        );
    }

    #[test]
    fn what_disturbs_a_match_is_named() {
        let limits = NoiseLimits {
            stolen: Some(0.05),
            waiting: Some(0.3),
            attempts: 3,
        };
        let exceeded = |waiting, stolen| limits.exceeded(Some(&Load { waiting, stolen }));
        assert_eq!(exceeded(Some(0.3), Some(0.05)), None);
        assert_eq!(exceeded(None, None), None);
        assert_eq!(limits.exceeded(None), None);
        let found = exceeded(Some(0.312), Some(0.0)).expect("a reason");
        assert!(
            found.contains("31.2 % of the time (`machine.max_waiting` is 30.0 %)"),
            "{found}"
        );
        let found = exceeded(Some(0.9), Some(0.06)).expect("a reason");
        assert!(
            found.starts_with("the host of this virtual machine gave 6.0 %"),
            "{found}"
        );
        let none = NoiseLimits {
            stolen: None,
            waiting: None,
            attempts: 3,
        };
        assert_eq!(
            none.exceeded(Some(&Load {
                waiting: Some(1.0),
                stolen: Some(1.0)
            })),
            None
        );
    }
}
