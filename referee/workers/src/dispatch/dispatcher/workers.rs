//! News and heartbeats of workers, and tournaments that no worker plays.

use std::collections::BTreeMap;
use std::time::Duration;

use cluster::WorkerMessage;
use protocol::excerpt;
use tournament::WorkersSeen;

use super::super::Action;
use super::{Dispatcher, REFUSAL_LIMIT, SHOWN, stuck};
use crate::error::Stuck;
use crate::wire::WorkerNews;

impl Dispatcher {
    pub(super) fn receive_message(&mut self, now: Duration, message: WorkerMessage) {
        let (worker, about) = match message {
            WorkerMessage::Heartbeat(presence) => {
                return self.roster.heartbeat(now, presence, &self.setup.tournament);
            }
            WorkerMessage::News { worker, about } => (worker, about),
        };
        if about.is_empty() {
            self.has_unread = true;
            return;
        }
        let Ok(news) = serde_json::from_slice::<WorkerNews>(&about) else {
            return;
        };
        let shown = |what: &str| excerpt(what.as_bytes(), SHOWN);
        match news {
            WorkerNews::Begins { job, number, first } => {
                self.rechecks.begins(now, job);
                self.begins(job, number, first);
                self.unless_hopeless(job);
            }
            WorkerNews::CannotPlay { bot, why } => {
                let why = shown(&why);
                let is_known = self.setup.bots.contains(&bot);
                if is_known && self.roster.refuses(now, &worker, &bot, &why) {
                    self.report(format!(
                        "the worker `{worker}` cannot play with `{bot}`: {why}"
                    ));
                }
            }
            WorkerNews::CannotServe { why } => {
                let why = shown(&why);
                if self.roster.declines(now, &worker, &why) {
                    self.report(format!("the worker `{worker}` plays no matches: {why}"));
                }
            }
            WorkerNews::Warning { what } => {
                let what = shown(&what);
                self.report(format!("the worker `{worker}`: {what}"));
            }
        }
    }

    /// Gives up on a job that workers take again and again: it may be what ends them.
    pub(super) fn unless_hopeless(&mut self, job: u64) {
        if self.open.is_hopeless(job) {
            let id = self
                .open
                .last_begun(job)
                .unwrap_or_else(|| self.first_match(job));
            self.end(stuck(Stuck::NeverFinished { id }));
        }
    }

    /// Reports the number of workers when it changes.
    pub(super) fn show_workers(&mut self, now: Duration) {
        let (workers, slots) = self.roster.count(now);
        let lost = self.open.lost;
        let seen = WorkersSeen {
            workers,
            slots,
            lost,
        };
        if seen != self.shown {
            self.shown = seen;
            self.actions.push_back(Action::Workers(seen));
        }
    }

    /// Ends the tournament if there are workers, but none has played its matches for long.
    pub(super) fn unless_declined_by_all(&mut self, now: Duration) {
        let Some(why) = self.roster.nobody_serves(now) else {
            self.declined = None;
            return;
        };
        let since = *self.declined.get_or_insert(now);
        if self.open.groups_open() > 0 && now.saturating_sub(since) >= REFUSAL_LIMIT {
            self.end(stuck(Stuck::Declined { why }));
        }
    }

    /// Ends the tournament if there are workers, but none has been able to play with a bot for long.
    pub(super) fn unless_refused_by_all(&mut self, now: Duration) {
        let mut refused = BTreeMap::new();
        for (bot, name) in self.setup.bots.iter().enumerate() {
            let Some(why) = self.roster.nobody_plays(now, name) else {
                continue;
            };
            if !self.open.need(bot) {
                continue;
            }
            let since = self.refused.get(name).copied().unwrap_or(now);
            if now.saturating_sub(since) >= REFUSAL_LIMIT {
                let bot = name.clone();
                return self.end(stuck(Stuck::BotRefused { bot, why }));
            }
            refused.insert(name.clone(), since);
        }
        self.refused = refused;
    }
}
