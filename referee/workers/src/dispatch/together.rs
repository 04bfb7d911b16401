//! How many groups are one job: several if they are short, since the messages of a job take longer than
//! playing such a group.

use std::collections::VecDeque;
use std::time::Duration;

use protocol::Record;

/// The most groups of a job.
pub(crate) const MOST_GROUPS: usize = 32;
/// The groups of a job take about this long together.
const TOGETHER: Duration = Duration::from_millis(40);
/// A match takes this long besides the bots' own time.
const BESIDES: Duration = Duration::from_micros(500);
/// So many groups are remembered. Their mean says how long the next ones may take.
const REMEMBERED: usize = 16;

/// The times of the last groups, by what workers say.
#[derive(Debug, Default)]
pub(super) struct Together(VecDeque<Duration>);

impl Together {
    /// Notes how long a group took.
    pub(super) fn note(&mut self, group: &[Record]) {
        let moves = group.iter().flat_map(|record| &record.moves);
        let own = moves.fold(Duration::ZERO, |sum, played| {
            sum.saturating_add(played.ms.0)
        });
        if self.0.len() >= REMEMBERED {
            self.0.pop_front();
        }
        let besides = BESIDES * u32::try_from(group.len()).unwrap_or(u32::MAX);
        self.0.push_back(own.saturating_add(besides));
    }

    /// The number of groups for the next job.
    pub(super) fn groups(&self) -> usize {
        if self.0.len() < REMEMBERED {
            return 1;
        }
        let sum = self.0.iter().map(Duration::as_micros).sum::<u128>().max(1);
        let fit = TOGETHER.as_micros() * self.0.len() as u128 / sum;
        usize::try_from(fit).map_or(MOST_GROUPS, |fit| fit.clamp(1, MOST_GROUPS))
    }
}
