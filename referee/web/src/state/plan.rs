//! Matches to come, from the configuration and the schedule in a tournament's folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use config::Config;
use ratings::report::SprtRequest;
use schedule::{Format, Schedule, Standing};
use serde::Serialize;
use tournament::resume;

/// A tournament, as described by its folder.
pub(crate) struct Plan {
    config: Config,
    schedule: Schedule,
    /// Points and matches by round and bots, in formats with rounds.
    rounds: BTreeMap<(u32, Vec<usize>), (Vec<f64>, u64)>,
    /// The numbers of the matches that were entered.
    entered: BTreeSet<u32>,
}

/// A round of a Swiss tournament, or a stage of a knockout.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct RoundView {
    /// From 1.
    round: usize,
    pairs: Vec<PairView>,
}

/// A pairing.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct PairView {
    /// Their names; a bye has one.
    bots: Vec<String>,
    /// `None` before their first match.
    points: Option<Vec<f64>>,
    /// In a knockout, the bot that advanced.
    #[serde(skip_serializing_if = "Option::is_none")]
    winner: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    third_place: bool,
}

impl Plan {
    /// `None` if the folder's configuration cannot be read.
    pub(crate) fn read(folder: &Path) -> Option<Self> {
        let (config, schedule) = resume::planned(folder).ok()?;
        Some(Plan {
            config,
            schedule,
            rounds: BTreeMap::new(),
            entered: BTreeSet::new(),
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.config.name
    }

    pub(crate) fn bots(&self) -> impl Iterator<Item = &str> {
        self.config.bots.iter().map(|bot| &*bot.name)
    }

    pub(crate) fn format(&self) -> &'static str {
        match self.config.schedule.format {
            Format::RoundRobin => "round_robin",
            Format::Gauntlet { .. } => "gauntlet",
            Format::Swiss => "swiss",
            Format::Knockout { .. } => "knockout",
            Format::Sprt { .. } => "sprt",
        }
    }

    /// `None` unless the format is a test.
    pub(crate) fn test(&self) -> Option<SprtRequest> {
        let Format::Sprt { hypotheses, .. } = &self.config.schedule.format else {
            return None;
        };
        let mut names = self.bots().map(str::to_owned);
        Some(SprtRequest {
            bots: [names.next()?, names.next()?],
            hypotheses: hypotheses.clone(),
        })
    }

    /// The number of matches, as far as it is known.
    pub(crate) fn total(&self) -> u64 {
        self.schedule.total()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.schedule.is_over()
    }

    /// The ids of the matches with the same deal as this one, including its own. Empty if unknown.
    pub(crate) fn same_deal(&self, id: &str) -> Vec<String> {
        let number = id.strip_prefix("m-").and_then(|number| number.parse().ok());
        let group = number.map_or(0..0, |number| self.schedule.group_of(number));
        let id = |number: usize| Some(self.schedule.get(number)?.id());
        group.filter_map(id).collect()
    }

    /// Enters the result of the match with this id.
    pub(crate) fn enter(&mut self, id: &str, outcome: &[f64]) {
        let number = id.strip_prefix("m-").and_then(|number| number.parse().ok());
        let Some(number) = number.filter(|number| self.schedule.get(*number).is_some()) else {
            return;
        };
        if matches!(self.config.schedule.format, Format::Swiss)
            && self.entered.insert(number as u32)
        {
            self.enter_round(number, outcome);
        }
        self.schedule.finish(number, outcome);
    }

    fn enter_round(&mut self, number: usize, outcome: &[f64]) {
        let Some(scheduled) = self.schedule.get(number) else {
            return;
        };
        let group = scheduled.group().to_vec();
        let key = (scheduled.round, group.clone());
        let empty = || (vec![0.0; group.len()], 0);
        let (points, matches) = self.rounds.entry(key).or_insert_with(empty);
        *matches += 1;
        for (bot, outcome) in scheduled.seats.iter().zip(outcome) {
            if let Some(at) = group.iter().position(|other| other == bot) {
                points[at] += outcome;
            }
        }
    }

    /// `None` in formats without rounds.
    pub(crate) fn rounds(&self) -> Option<Vec<RoundView>> {
        match self.config.schedule.format {
            Format::Swiss => Some(self.swiss()),
            Format::Knockout { .. } => self.bracket(),
            _ => None,
        }
    }

    fn name_of(&self, bot: usize) -> String {
        let spec = self.config.bots.get(bot);
        spec.map_or(String::new(), |spec| spec.name.clone())
    }

    fn swiss(&self) -> Vec<RoundView> {
        let known = self.schedule.known();
        let groups: BTreeSet<(u32, Vec<usize>)> = known
            .map(|scheduled| (scheduled.round, scheduled.group().to_vec()))
            .collect();
        let mut rounds: BTreeMap<u32, Vec<PairView>> = BTreeMap::new();
        for (round, group) in groups {
            let bots = group.iter().map(|bot| self.name_of(*bot)).collect();
            let played = self.rounds.get(&(round, group));
            rounds.entry(round).or_default().push(PairView {
                bots,
                points: played.map(|(points, _)| points.clone()),
                winner: None,
                third_place: false,
            });
        }
        let rounds = rounds.into_iter().map(|(round, pairs)| RoundView {
            round: round as usize + 1,
            pairs,
        });
        rounds.collect()
    }

    fn bracket(&self) -> Option<Vec<RoundView>> {
        let Some(Standing::Knockout(stages)) = self.schedule.standing() else {
            return None;
        };
        let stages = stages.iter().enumerate().map(|(at, duels)| {
            let pairs = duels.iter().map(|duel| PairView {
                bots: [Some(duel.first), duel.second]
                    .into_iter()
                    .flatten()
                    .map(|bot| self.name_of(bot))
                    .collect(),
                points: duel.second.map(|_| duel.points.to_vec()),
                winner: duel.winner.map(|bot| self.name_of(bot)),
                third_place: duel.third_place,
            });
            RoundView {
                round: at + 1,
                pairs: pairs.collect(),
            }
        });
        Some(stages.collect())
    }
}
