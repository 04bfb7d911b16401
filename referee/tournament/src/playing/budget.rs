//! Budgets of bots that ask language models: whose budget is used up begins no new match.

use std::path::Path;

use config::{Budget, Config};
use log::{ModelUse, Remarks, each_summary, models_of};
use protocol::{Record, shown};

use crate::playing::queue::Queue;

/// What each bot has used so far.
pub(crate) struct Budgets<'a> {
    config: &'a Config,
    /// By bot.
    used: Vec<ModelUse>,
    is_used_up: Vec<bool>,
}

impl<'a> Budgets<'a> {
    /// The budgets of a tournament in this folder, with what its log has.
    pub(crate) fn new(config: &'a Config, folder: &Path) -> Self {
        let mut budgets = Budgets {
            config,
            used: vec![ModelUse::default(); config.bots.len()],
            is_used_up: vec![false; config.bots.len()],
        };
        if config.budget.is_some() {
            let mut remarks = Remarks::default();
            // The tournament itself reports what cannot be read.
            let _ = each_summary(
                folder,
                |_| {},
                |counted| {
                    counted.add_remarks_to(&mut remarks);
                },
            );
            let (_, models) = remarks.into_lists();
            models.into_iter().for_each(|used| budgets.add(used));
        }
        budgets
    }

    fn add(&mut self, more: ModelUse) {
        let bot = self.config.bots.iter().position(|bot| bot.name == more.bot);
        if let Some(bot) = bot {
            self.used[bot].add(more);
        }
    }

    /// Counts a match.
    pub(crate) fn note(&mut self, record: &Record) {
        if self.config.budget.is_some() {
            models_of(record)
                .into_iter()
                .flatten()
                .for_each(|used| self.add(used));
        }
    }

    /// Has no more matches begin with bots that have used up their budget. Returns a sentence for each of
    /// them, once.
    pub(crate) fn apply(&mut self, queue: &Queue) -> Vec<String> {
        let Some(budget) = self.config.budget else {
            return Vec::new();
        };
        let mut sentences = Vec::new();
        for (bot, used) in self.used.iter().enumerate() {
            if let Some(what) = excess(budget, used)
                && !self.is_used_up[bot]
            {
                self.is_used_up[bot] = true;
                queue.leave_out(bot);
                sentences.push(format!(
                    "`{}` has used up its budget: {what}; no new match with it begins (with a larger \
                     `budget`, --resume goes on)",
                    shown(&self.config.bots[bot].name)
                ));
            }
        }
        sentences
    }
}

/// What is used up, if anything is.
fn excess(budget: Budget, used: &ModelUse) -> Option<String> {
    let tokens = used.tokens_in.saturating_add(used.tokens_out);
    let of = |used: u64, most: Option<u64>, what: &str| {
        let most = most.filter(|most| used >= *most)?;
        Some(format!("{used} {what} of {most}"))
    };
    of(tokens, budget.tokens, "tokens").or_else(|| of(used.calls, budget.calls, "calls"))
}
