//! What bots are made of: warnings about bots that have changed since they played, and about bots
//! that are the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use games::kit::text::count;
use protocol::Record;
use supervisor::BotSpec;
use supervisor::bot::files::{self, Build};

/// What the bots of a tournament are made of now, in the order of the configuration.
pub(crate) struct Builds<'a> {
    bots: Vec<(&'a BotSpec, Build)>,
}

impl<'a> Builds<'a> {
    /// Reads the files of all bots.
    pub(crate) fn read(bots: &'a [Arc<BotSpec>]) -> Self {
        let read = bots.iter().map(|bot| (&**bot, files::build(bot)));
        Builds {
            bots: read.collect(),
        }
    }

    /// A warning for each group of bots that are the same: files, command, variables and time.
    pub(crate) fn identical(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let mut named = vec![false; self.bots.len()];
        for (at, one) in self.bots.iter().enumerate() {
            let same = |number: &usize| is_copy(one, &self.bots[*number]);
            let copies: Vec<usize> = (at + 1..named.len()).filter(same).collect();
            if copies.is_empty() || named[at] {
                continue;
            }
            let group = [at].into_iter().chain(copies);
            let names = group.map(|number| {
                named[number] = true;
                format!("`{}`", self.bots[number].0.name)
            });
            let names = names.collect::<Vec<_>>().join(", ");
            warnings.push(format!(
                "the bots {names} are identical: they have the same files and are started in the \
                 same way"
            ));
        }
        warnings
    }

    /// A warning for each bot whose files are not those with which it played last.
    pub(crate) fn changed(&self, played: &PlayedBuilds) -> Vec<String> {
        let changed = self.bots.iter().filter_map(|(bot, build)| {
            let (last, matches) = played.last.get(&bot.name)?;
            (build.hash.as_ref() != Some(last)).then(|| {
                let name = &bot.name;
                format!(
                    "the bot `{name}` has changed since it played its {} in the log; \
                     `--replay-bot {name}` plays them again",
                    count(*matches, "match", "matches")
                )
            })
        });
        changed.collect()
    }
}

/// Whether two bots differ in nothing but their names and those of their files.
fn is_copy((one, build): &(&BotSpec, Build), (other, others): &(&BotSpec, Build)) -> bool {
    build.likeness.is_some() && build.likeness == others.likeness && one.time == other.time
}

/// With which files the bots of a log played.
#[derive(Debug, Default)]
pub(crate) struct PlayedBuilds {
    /// By the bot's name: its last build, and how many matches it played.
    last: BTreeMap<String, (String, u64)>,
}

impl PlayedBuilds {
    /// Takes a match in. Logs of older versions do not say what bots were made of.
    pub(crate) fn add(&mut self, record: &Record) {
        for player in &record.players {
            let Some(build) = &player.build else { continue };
            let (last, matches) = self.last.entry(player.name.clone()).or_default();
            last.clone_from(build);
            *matches += 1;
        }
    }
}
