//! Which groups are one job: several if they are short, since the messages of a job take longer than playing
//! such a group.

use std::collections::HashMap;
use std::time::Duration;

use protocol::Record;
use schedule::ScheduledGroup;

/// The most groups of a job.
pub(crate) const MOST_GROUPS: usize = 32;
/// The groups of a job take about this long together.
const TOGETHER: Duration = Duration::from_millis(40);
/// A match that is longer than what is known of a bot counts for half of that from then on, any other for an
/// eighth.
const LONGER: u32 = 2;
const OTHER: u32 = 8;

/// How long matches take, by what workers say.
#[derive(Debug)]
pub(super) struct Together {
    /// What each bot takes for a match of each game: its moves, and its share of all that is not a move, such
    /// as starts of bots.
    by_bot: HashMap<(usize, usize), Duration>,
    /// The most groups of a job at present.
    most: usize,
}

impl Default for Together {
    fn default() -> Self {
        Together {
            by_bot: HashMap::new(),
            most: MOST_GROUPS,
        }
    }
}

impl Together {
    /// Notes how long the matches of a group took.
    pub(super) fn note(&mut self, group: &ScheduledGroup, records: &[Record]) {
        for (scheduled, record) in group.matches.iter().zip(records) {
            let all = record.moves.iter().map(|played| played.ms.0);
            let moves = all.fold(Duration::ZERO, Duration::saturating_add);
            let seats = u32::try_from(scheduled.seats.len().max(1)).unwrap_or(u32::MAX);
            let besides = record.duration_ms.0.saturating_sub(moves) / seats;
            for (seat, &bot) in scheduled.seats.iter().enumerate() {
                let own = record.moves.iter().filter(|it| it.seat == Some(seat));
                let own = own.map(|played| played.ms.0);
                let took = own.fold(besides, Duration::saturating_add);
                let known = self.by_bot.entry((scheduled.game, bot)).or_insert(took);
                let part = if took > *known { LONGER } else { OTHER };
                *known = known.saturating_mul(part - 1).saturating_add(took) / part;
            }
        }
    }

    /// About how long a group takes; `None` with a bot that has not played the game yet.
    fn time_of(&self, group: &ScheduledGroup) -> Option<Duration> {
        let mut seats = group.matches.iter().flat_map(|scheduled| {
            let game = scheduled.game;
            scheduled.seats.iter().map(move |&bot| (game, bot))
        });
        seats.try_fold(Duration::ZERO, |sum, seat| {
            Some(sum.saturating_add(*self.by_bot.get(&seat)?))
        })
    }

    /// What a job can take that begins with this group.
    pub(super) fn begin(&self, group: &ScheduledGroup) -> Room {
        match self.time_of(group) {
            Some(time) => Room {
                groups: self.most - 1,
                time: Some(TOGETHER.saturating_sub(time)),
            },
            None => Room::NONE,
        }
    }

    /// True if a job with this room takes this group as well, which then has less.
    pub(super) fn add(&self, room: &mut Room, group: &ScheduledGroup) -> bool {
        let fits = match &mut room.time {
            _ if room.groups == 0 => false,
            None => true,
            Some(left) => match self.time_of(group) {
                Some(time) if time <= *left => {
                    *left -= time;
                    true
                }
                _ => false,
            },
        };
        room.groups -= usize::from(fits);
        fits
    }

    /// A job of several groups could not be done, perhaps for the size of its result: the next ones have at
    /// most half as many.
    pub(super) fn be_careful(&mut self) {
        self.most = (self.most / 2).max(1);
    }
}

/// What a job can take besides what it has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    groups: usize,
    /// `None` if it does not matter.
    time: Option<Duration>,
}

impl Room {
    /// Nothing.
    pub(super) const NONE: Room = Room {
        groups: 0,
        time: None,
    };
    /// All that may be in a result that is there.
    pub(super) const OF_A_RESULT: Room = Room {
        groups: MOST_GROUPS - 1,
        time: None,
    };
}
