//! Time control: the tables of a configuration, and the flags of a command line.

use std::time::Duration;

use protocol::{ClockKind, Millis, TimeControl};

use crate::error::KeyProblem;
use crate::tables::{Time, TimeTable};

/// The limit on a move if the configuration limits nothing.
const DEFAULT_PER_MOVE: Duration = Duration::from_secs(1);
const DEFAULT_STARTUP: Duration = Duration::from_secs(10);
const DEFAULT_MARGIN: Duration = Duration::from_millis(50);

/// The time control of a table, over another one or over the defaults. An error is about a value
/// that does not fit the others.
pub(crate) fn time_control(
    table: &TimeTable,
    clock: ClockKind,
    over: Option<&TimeControl>,
) -> Result<TimeControl, KeyProblem> {
    let wrong = |key, message: &str| Err(KeyProblem::new(key, message));
    let millis = |given: Option<Time>| given.map(|time| Millis(time.0));
    let base = over.cloned().unwrap_or(TimeControl {
        startup: Millis(DEFAULT_STARTUP),
        margin: Millis(DEFAULT_MARGIN),
        ..TimeControl::default()
    });
    let mut control = TimeControl {
        per_move: millis(table.per_move).or(base.per_move),
        base: millis(table.base).or(base.base),
        increment: millis(table.increment).or(base.increment),
        startup: millis(table.startup).unwrap_or(base.startup),
        margin: millis(table.margin).unwrap_or(base.margin),
        clock,
        wall: millis(table.wall).or(base.wall),
    };
    if over.is_some() && (table.scale.is_some() || table.reference.is_some()) {
        let key = table.scale.map_or("reference", |_| "scale");
        return wrong(
            key,
            "belongs to the tournament's own `[time]`: there is no scale of a single bot",
        );
    }
    if control.wall.is_some() && clock == ClockKind::Wall {
        let message = "needs `clock = \"cpu\"`: it backs a limit on CPU time";
        return wrong("wall", message);
    }
    if control.increment.is_some() && control.base.is_none() {
        return wrong("increment", "needs a `base` that it is added to");
    }
    for (key, time) in [
        ("per_move", control.per_move),
        ("base", control.base),
        ("wall", control.wall),
    ] {
        if time.is_some_and(|time| time.0.is_zero()) {
            return wrong(key, "must be longer than zero");
        }
    }
    if control.per_move.is_none() && control.base.is_none() {
        control.per_move = Some(Millis(DEFAULT_PER_MOVE));
    }
    Ok(control)
}

/// The time control of a command line.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeFlags {
    /// For each move.
    pub per_move: Option<Time>,
    /// For all moves together.
    pub base: Option<Time>,
    /// Added to `base` after each move.
    pub increment: Option<Time>,
}

impl TimeFlags {
    /// Checks the flags, with the defaults of configurations.
    ///
    /// # Errors
    /// If the flags do not go together.
    pub fn control(self) -> Result<TimeControl, String> {
        let table = TimeTable {
            per_move: self.per_move,
            base: self.base,
            increment: self.increment,
            ..TimeTable::default()
        };
        let control = time_control(&table, ClockKind::Wall, None);
        control.map_err(|KeyProblem { key, message }| {
            format!("--{}: {message}", key.replace('_', "-"))
        })
    }
}
