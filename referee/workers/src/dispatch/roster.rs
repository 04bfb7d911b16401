//! The coordinator's roster of workers: their heartbeats, wrong results, and the bots that they cannot play
//! with.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use cluster::{HEARTBEAT, Presence};

/// Wrong results after which a worker is ignored.
const MOST_WRONG: u32 = 3;
/// A worker without a heartbeat for this long is gone.
const GONE: Duration = HEARTBEAT.saturating_mul(5);
/// The most workers in the roster.
const MOST_WORKERS: usize = 10_000;

/// All workers, by name.
#[derive(Debug, Default)]
pub(super) struct Roster(HashMap<String, Known>);

#[derive(Debug, Default)]
struct Known {
    /// Its last heartbeat, and when that came.
    last: Option<(Presence, Duration)>,
    /// The number of wrong results.
    wrong: u32,
    /// The reasons why it cannot play with bots, by their names.
    refused: BTreeMap<String, String>,
    /// The reason why it declined this tournament, if it has.
    declined: Option<String>,
}

impl Known {
    fn is_there(&self, now: Duration) -> bool {
        let heard = self.last.as_ref().map(|(_, when)| *when);
        heard.is_some_and(|when| now.saturating_sub(when) < GONE)
    }
}

impl Roster {
    fn known(&mut self, now: Duration, worker: &str) -> Option<&mut Known> {
        if self.0.len() >= MOST_WORKERS && !self.0.contains_key(worker) {
            // Workers that come and go have new names each time.
            self.0
                .retain(|_, known| known.wrong > 0 || known.is_there(now));
            if self.0.len() >= MOST_WORKERS {
                return None;
            }
        }
        Some(self.0.entry(worker.to_owned()).or_default())
    }

    pub(super) fn heartbeat(&mut self, now: Duration, mut presence: Presence, tournament: &str) {
        // Drop what is not used; it may be long.
        presence.tournaments.retain(|id| id == tournament);
        presence.tournaments.truncate(1);
        presence.tournaments.shrink_to_fit();
        presence.since = String::new();
        let plays = !presence.tournaments.is_empty();
        if let Some(known) = self.known(now, &presence.name) {
            if plays {
                known.declined = None;
            }
            known.last = Some((presence, now));
        }
    }

    /// The present workers.
    fn there(&self, now: Duration) -> impl Iterator<Item = (&Known, &Presence)> {
        self.0.values().filter_map(move |known| {
            let (presence, _) = known.last.as_ref()?;
            known.is_there(now).then_some((known, presence))
        })
    }

    /// The numbers of present workers and of their slots.
    pub(super) fn count(&self, now: Duration) -> (usize, u32) {
        let slots = self.there(now).map(|(_, presence)| presence.slots);
        slots.fold((0, 0_u32), |(workers, sum), slots| {
            (workers + 1, sum.saturating_add(slots))
        })
    }

    /// True if another worker plays matches of this tournament.
    pub(super) fn is_another(&self, now: Duration, tournament: &str, worker: &str) -> bool {
        let mut others = self.there(now).map(|(_, presence)| presence);
        others.any(|presence| presence.name != worker && serves(presence, tournament))
    }

    /// True if workers play matches of this tournament, and all of them are idle.
    pub(super) fn all_idle(&self, now: Duration, tournament: &str) -> bool {
        let mut serving = self
            .there(now)
            .map(|(_, presence)| presence)
            .filter(|presence| serves(presence, tournament))
            .peekable();
        serving.peek().is_some() && serving.all(|presence| presence.busy == 0)
    }

    /// Counts a wrong result. Returns the consequence as part of a sentence.
    pub(super) fn note_wrong_result(&mut self, now: Duration, worker: &str) -> &'static str {
        let Some(known) = self.known(now, worker) else {
            return "its matches are played again";
        };
        known.wrong += 1;
        match known.wrong {
            MOST_WRONG => "its matches are played again, and this worker is ignored from here on",
            _ => "its matches are played again",
        }
    }

    pub(super) fn is_ignored(&self, worker: &str) -> bool {
        self.0
            .get(worker)
            .is_some_and(|known| known.wrong >= MOST_WRONG)
    }

    /// Notes that a worker cannot play with a bot; false if that was known.
    pub(super) fn refuses(&mut self, now: Duration, worker: &str, bot: &str, why: &str) -> bool {
        let known = self.known(now, worker);
        known.is_some_and(|known| {
            known
                .refused
                .insert(bot.to_owned(), why.to_owned())
                .is_none()
        })
    }

    /// Notes that a worker declines this tournament; false if it has done so before for this reason.
    pub(super) fn declines(&mut self, now: Duration, worker: &str, why: &str) -> bool {
        let known = self.known(now, worker);
        known.is_some_and(|known| known.declined.replace(why.to_owned()).as_deref() != Some(why))
    }

    /// A reason if all present workers have declined this tournament; `None` without workers.
    pub(super) fn nobody_serves(&self, now: Duration) -> Option<String> {
        let mut why = None;
        for (known, _) in self.there(now) {
            why = Some(known.declined.clone()?);
        }
        why
    }

    /// A reason if no present worker can play with a bot; `None` without workers.
    pub(super) fn nobody_plays(&self, now: Duration, bot: &str) -> Option<String> {
        let mut why = None;
        for (known, _) in self.there(now) {
            why = Some(known.refused.get(bot)?.clone());
        }
        why
    }
}

fn serves(presence: &Presence, tournament: &str) -> bool {
    presence.tournaments.iter().any(|id| id == tournament)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(100);

    fn presence(name: &str) -> Presence {
        Presence {
            name: name.to_owned(),
            slots: 2,
            busy: 0,
            matches: 0,
            since: String::new(),
            tournaments: Vec::new(),
        }
    }

    #[test]
    fn three_wrong_results_are_enough() {
        let mut roster = Roster::default();
        for last in [false, false, true] {
            assert!(!roster.is_ignored("a"));
            assert_eq!(roster.note_wrong_result(NOW, "a").contains("ignored"), last);
        }
        assert!(roster.is_ignored("a") && !roster.is_ignored("b"));
    }

    #[test]
    fn workers_are_idle_if_all_who_serve_have_nothing_to_do() {
        let id = "t";
        let mut roster = Roster::default();
        let mut heard = |name: &str, busy, serves: bool| {
            roster.heartbeat(
                NOW,
                Presence {
                    busy,
                    tournaments: serves.then(|| id.to_string()).into_iter().collect(),
                    ..presence(name)
                },
                id,
            );
            roster.all_idle(NOW, id)
        };
        assert!(!heard("other", 0, false));
        assert!(heard("a", 0, true));
        assert!(heard("other", 2, false));
        assert!(!heard("b", 1, true));
        assert!(heard("b", 0, true));
    }

    #[test]
    fn a_bot_is_lost_only_if_nobody_there_can_play_with_it() {
        let mut roster = Roster::default();
        assert!(roster.refuses(NOW, "gone", "x", "not here"));
        assert_eq!(roster.nobody_plays(NOW, "x"), None);
        roster.heartbeat(NOW, presence("a"), "t");
        roster.heartbeat(NOW, presence("b"), "t");
        assert_eq!(roster.count(NOW), (2, 4));
        assert!(
            roster.refuses(NOW, "a", "x", "no Python") && !roster.refuses(NOW, "a", "x", "again")
        );
        assert_eq!(roster.nobody_plays(NOW, "x"), None);
        roster.refuses(NOW, "b", "x", "no Java");
        assert!(roster.nobody_plays(NOW, "x").is_some());
        assert_eq!(roster.count(NOW + GONE), (0, 0));
        assert_eq!(roster.nobody_plays(NOW + GONE, "x"), None);
        assert_eq!(roster.nobody_plays(NOW, "y"), None);
    }

    #[test]
    fn workers_that_are_gone_make_room_for_others_but_liars_are_remembered() {
        let mut roster = Roster::default();
        roster.note_wrong_result(NOW, "liar");
        for number in 1..MOST_WORKERS {
            roster.heartbeat(NOW, presence(&format!("{number}")), "t");
        }
        roster.heartbeat(NOW, presence("one too many"), "t");
        assert_eq!(roster.count(NOW).0, MOST_WORKERS - 1);
        let later = NOW + GONE;
        roster.heartbeat(later, presence("another"), "t");
        assert_eq!(roster.count(later).0, 1);
        assert_eq!(roster.0.len(), 2);
    }

    #[test]
    fn a_tournament_is_declined_only_if_all_who_are_there_decline_it() {
        let mut roster = Roster::default();
        assert_eq!(roster.nobody_serves(NOW), None);
        roster.heartbeat(NOW, presence("a"), "t");
        roster.heartbeat(NOW, presence("b"), "t");
        assert!(roster.declines(NOW, "a", "no") && !roster.declines(NOW, "a", "no"));
        assert_eq!(roster.nobody_serves(NOW), None);
        assert!(roster.declines(NOW, "b", "no"));
        assert!(roster.declines(NOW, "b", "another reason"));
        assert!(roster.nobody_serves(NOW).is_some());
        // A worker that plays all the same takes it back, even if another one said it in its name.
        let plays = Presence {
            tournaments: vec!["other".to_owned(), "t".to_owned()],
            ..presence("b")
        };
        roster.heartbeat(NOW, plays, "t");
        assert_eq!(roster.nobody_serves(NOW), None);
    }
}
