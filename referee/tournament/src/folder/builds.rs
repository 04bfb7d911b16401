//! Fingerprints of bots: warnings about bots that have changed since they played, and about
//! identical bots.

use std::collections::BTreeMap;
use std::sync::Arc;

use games::kit::text::count;
use protocol::Record;
use supervisor::BotSpec;
use supervisor::bot::files::{self, Build};

/// The files of the bots of a tournament, in the order of the configuration.
pub(crate) struct Builds<'a> {
    bots: Vec<(&'a BotSpec, Build)>,
}

impl<'a> Builds<'a> {
    pub(crate) fn read(bots: &'a [Arc<BotSpec>]) -> Self {
        let read = bots.iter().map(|bot| (&**bot, files::build(bot)));
        Builds {
            bots: read.collect(),
        }
    }

    /// A warning for each group of identical bots: same files, command, variables and time.
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

    /// A warning for each bot whose files have changed since its last match.
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

/// True if two bots differ only in their names and the names of their files.
fn is_copy((one, build): &(&BotSpec, Build), (other, others): &(&BotSpec, Build)) -> bool {
    build.likeness.is_some() && build.likeness == others.likeness && one.time == other.time
}

/// The builds with which the bots of a log played.
#[derive(Debug, Default)]
pub(crate) struct PlayedBuilds {
    /// By the bot's name: its last build, and its number of matches with a build.
    last: BTreeMap<String, (String, u64)>,
}

impl PlayedBuilds {
    /// Records a match. Logs of older versions have no builds.
    pub(crate) fn add(&mut self, record: &Record) {
        for player in &record.players {
            let Some(build) = &player.build else { continue };
            let (last, matches) = self.last.entry(player.name.clone()).or_default();
            last.clone_from(build);
            *matches += 1;
        }
    }
}
