//! The workers as the coordinator sees them: who is there, who brought what cannot be believed, and who
//! cannot play with which bot.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use cluster::{HEARTBEAT, Presence};

/// How often a worker may be wrong before its results are not looked at any more.
const MOST_WRONG: u32 = 3;
/// A worker that was not heard for so long is gone.
const GONE: Duration = HEARTBEAT.saturating_mul(5);
/// So many workers are kept in mind.
const MOST_WORKERS: usize = 10_000;

/// All workers.
#[derive(Debug, Default)]
pub(super) struct Seen(HashMap<String, Known>);

/// What is known about a worker.
#[derive(Debug, Default)]
struct Known {
    /// Its heartbeat, and when that came, in time since the coordinator began.
    last: Option<(Presence, Duration)>,
    /// How often its results were wrong.
    wrong: u32,
    /// The bots that it cannot play with, and why.
    refused: BTreeMap<String, String>,
    /// Why it plays no matches of this tournament, if it said so last.
    declined: Option<String>,
}

impl Known {
    fn is_there(&self, now: Duration) -> bool {
        let heard = self.last.as_ref().map(|(_, when)| *when);
        heard.is_some_and(|when| now.saturating_sub(when) < GONE)
    }
}

impl Seen {
    fn known(&mut self, now: Duration, worker: &str) -> Option<&mut Known> {
        if self.0.len() >= MOST_WORKERS && !self.0.contains_key(worker) {
            // Workers that come and go have other names each time.
            self.0
                .retain(|_, known| known.wrong > 0 || known.is_there(now));
            if self.0.len() >= MOST_WORKERS {
                return None;
            }
        }
        Some(self.0.entry(worker.to_owned()).or_default())
    }

    /// A heartbeat has come.
    pub(super) fn heard(&mut self, now: Duration, mut presence: Presence, tournament: &str) {
        // Nothing else of it is asked for, and it may be long.
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

    /// Who is there.
    fn there(&self, now: Duration) -> impl Iterator<Item = (&Known, &Presence)> {
        self.0.values().filter_map(move |known| {
            let (presence, _) = known.last.as_ref()?;
            known.is_there(now).then_some((known, presence))
        })
    }

    /// How many workers there are, and slots of them.
    pub(super) fn count(&self, now: Duration) -> (usize, u32) {
        let slots = self.there(now).map(|(_, presence)| presence.slots);
        slots.fold((0, 0_u32), |(workers, sum), slots| {
            (workers + 1, sum.saturating_add(slots))
        })
    }

    /// Whether another worker than this one plays for this tournament.
    pub(super) fn is_another(&self, now: Duration, tournament: &str, worker: &str) -> bool {
        let mut others = self.there(now).map(|(_, presence)| presence);
        others.any(|presence| presence.name != worker && serves(presence, tournament))
    }

    /// Whether there are workers that play for this tournament, and none of them has anything to do.
    pub(super) fn all_idle(&self, now: Duration, tournament: &str) -> bool {
        let mut serving = self
            .there(now)
            .map(|(_, presence)| presence)
            .filter(|presence| serves(presence, tournament))
            .peekable();
        serving.peek().is_some() && serving.all(|presence| presence.busy == 0)
    }

    /// A worker's result was wrong. Says what follows.
    pub(super) fn was_wrong(&mut self, now: Duration, worker: &str) -> &'static str {
        let Some(known) = self.known(now, worker) else {
            return "the group is played again";
        };
        known.wrong += 1;
        match known.wrong {
            MOST_WRONG => "the group is played again, and this worker is ignored from here on",
            _ => "the group is played again",
        }
    }

    /// Whether a worker was wrong too often.
    pub(super) fn is_ignored(&self, worker: &str) -> bool {
        self.0
            .get(worker)
            .is_some_and(|known| known.wrong >= MOST_WRONG)
    }

    /// A worker cannot play with a bot; false if that was known.
    pub(super) fn refuses(&mut self, now: Duration, worker: &str, bot: &str, why: &str) -> bool {
        let known = self.known(now, worker);
        known.is_some_and(|known| {
            known
                .refused
                .insert(bot.to_owned(), why.to_owned())
                .is_none()
        })
    }

    /// A worker plays no matches of this tournament; false if it has said so before.
    pub(super) fn declines(&mut self, now: Duration, worker: &str, why: &str) -> bool {
        let known = self.known(now, worker);
        known.is_some_and(|known| known.declined.replace(why.to_owned()).as_deref() != Some(why))
    }

    /// Why none of the workers that are there plays matches of this tournament; `None` if one may, or nobody
    /// is there.
    pub(super) fn nobody_serves(&self, now: Duration) -> Option<String> {
        let mut why = None;
        for (known, _) in self.there(now) {
            why = Some(known.declined.clone()?);
        }
        why
    }

    /// Why none of the workers that are there can play with a bot; `None` if one may, or nobody is there.
    pub(super) fn nobody_plays(&self, now: Duration, bot: &str) -> Option<String> {
        let mut why = None;
        for (known, _) in self.there(now) {
            why = Some(known.refused.get(bot)?.clone());
        }
        why
    }
}

/// Whether a worker plays matches of this tournament.
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
        let mut seen = Seen::default();
        for last in [false, false, true] {
            assert!(!seen.is_ignored("a"));
            assert_eq!(seen.was_wrong(NOW, "a").contains("ignored"), last);
        }
        assert!(seen.is_ignored("a") && !seen.is_ignored("b"));
    }

    #[test]
    fn workers_are_idle_if_all_who_serve_have_nothing_to_do() {
        let id = "t";
        let mut seen = Seen::default();
        let mut heard = |name: &str, busy, serves: bool| {
            seen.heard(
                NOW,
                Presence {
                    busy,
                    tournaments: serves.then(|| id.to_string()).into_iter().collect(),
                    ..presence(name)
                },
                id,
            );
            seen.all_idle(NOW, id)
        };
        assert!(!heard("other", 0, false));
        assert!(heard("a", 0, true));
        assert!(heard("other", 2, false));
        assert!(!heard("b", 1, true));
        assert!(heard("b", 0, true));
    }

    #[test]
    fn a_bot_is_lost_only_if_nobody_there_can_play_with_it() {
        let mut seen = Seen::default();
        assert!(seen.refuses(NOW, "gone", "x", "not here"));
        assert_eq!(seen.nobody_plays(NOW, "x"), None);
        seen.heard(NOW, presence("a"), "t");
        seen.heard(NOW, presence("b"), "t");
        assert_eq!(seen.count(NOW), (2, 4));
        assert!(seen.refuses(NOW, "a", "x", "no Python") && !seen.refuses(NOW, "a", "x", "again"));
        assert_eq!(seen.nobody_plays(NOW, "x"), None);
        seen.refuses(NOW, "b", "x", "no Java");
        assert!(seen.nobody_plays(NOW, "x").is_some());
        assert_eq!(seen.count(NOW + GONE), (0, 0));
        assert_eq!(seen.nobody_plays(NOW + GONE, "x"), None);
        assert_eq!(seen.nobody_plays(NOW, "y"), None);
    }

    #[test]
    fn workers_that_are_gone_make_room_for_others_but_liars_are_remembered() {
        let mut seen = Seen::default();
        seen.was_wrong(NOW, "liar");
        for number in 1..MOST_WORKERS {
            seen.heard(NOW, presence(&format!("{number}")), "t");
        }
        seen.heard(NOW, presence("one too many"), "t");
        assert_eq!(seen.count(NOW).0, MOST_WORKERS - 1);
        let later = NOW + GONE;
        seen.heard(later, presence("another"), "t");
        assert_eq!(seen.count(later).0, 1);
        assert_eq!(seen.0.len(), 2);
    }

    #[test]
    fn a_tournament_is_declined_only_if_all_who_are_there_decline_it() {
        let mut seen = Seen::default();
        assert_eq!(seen.nobody_serves(NOW), None);
        seen.heard(NOW, presence("a"), "t");
        seen.heard(NOW, presence("b"), "t");
        assert!(seen.declines(NOW, "a", "no") && !seen.declines(NOW, "a", "no"));
        assert_eq!(seen.nobody_serves(NOW), None);
        assert!(seen.declines(NOW, "b", "no"));
        assert!(seen.declines(NOW, "b", "another reason"));
        assert!(seen.nobody_serves(NOW).is_some());
        // A worker that plays all the same takes it back, even if another one said it in its name.
        let plays = Presence {
            tournaments: vec!["other".to_owned(), "t".to_owned()],
            ..presence("b")
        };
        seen.heard(NOW, plays, "t");
        assert_eq!(seen.nobody_serves(NOW), None);
    }
}
