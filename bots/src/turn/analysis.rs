//! Search for an audience: several best lines, and reports while the search goes on.

use std::time::{Duration, Instant};

use protocol::{SearchInfo, SearchLine};
use serde_json::Value;

/// The interval of reports from a search that does not go by depths.
const EVERY: Duration = Duration::from_secs(1);

/// The wishes of an audience, and the receiver of reports.
pub struct Analysis<'a> {
    /// The largest number of lines; at least 1.
    pub lines: usize,
    report: &'a mut dyn FnMut(Value),
    next: Instant,
}

impl<'a> Analysis<'a> {
    /// An analysis that begins now. `report` takes the `info` of each report.
    pub fn new(lines: usize, report: &'a mut dyn FnMut(Value)) -> Self {
        Analysis {
            lines: lines.max(1),
            report,
            next: Instant::now() + EVERY,
        }
    }

    /// When the next report is due.
    pub(crate) fn next(&self) -> Instant {
        self.next
    }

    /// True if the next report is due.
    pub(crate) fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    /// Reports what is known so far.
    pub(crate) fn report(&mut self, info: Option<Value>) {
        if let Some(info) = info {
            (self.report)(info);
        }
        self.next = Instant::now() + EVERY;
    }
}

/// The `info` of an analysis, the best line first; `None` if there are no lines.
pub(crate) fn info(depth: usize, nodes: u64, lines: Vec<SearchLine>) -> Option<Value> {
    let best = lines.first()?;
    let info = SearchInfo {
        depth: Some(depth as u64),
        nodes: Some(nodes),
        value: best.value,
        pv: best.pv.clone(),
        text: None,
        warning: None,
        lines,
    };
    serde_json::to_value(info).ok()
}

/// A value as it is reported, with as many digits as mean something.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
