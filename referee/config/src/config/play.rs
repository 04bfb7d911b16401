//! A configuration as tournaments play it: schedule, deals, time, conditions.

use std::path::Path;
use std::sync::Arc;

use deals::Deals;
use protocol::{Conditions, Machine, TimeControl};
use schedule::{Shape, Version};
use supervisor::spec::Tier;
use supervisor::{BotFactory, Idle};

use crate::Config;
use crate::settings::machine::{self, TimeScale};
use crate::tables::Affinity;

impl Config {
    /// `None` if time limits are not scaled.
    pub fn scale_here(&self) -> Option<TimeScale> {
        self.machine.time_scale.filter(|_| !self.by_workers)
    }

    /// Scales a time control for a machine that a worker names.
    ///
    /// # Errors
    /// Why no limits can be scaled by what it says of the machine.
    pub fn time_on(
        &self,
        machine: Option<&Machine>,
        time: &TimeControl,
    ) -> Result<TimeControl, String> {
        let Some(scale) = self.machine.time_scale else {
            return Ok(time.clone());
        };
        let speed = machine.and_then(|machine| machine.speed);
        let speed = speed.ok_or("no speed of its machine, by which time limits are scaled")?;
        Ok(machine::scaled(time, scale.factor(speed)?))
    }

    /// Multiplies the time limits of all bots by the factor for a machine of this speed, and
    /// returns the factor.
    ///
    /// # Errors
    /// If machines do not differ like that, as a sentence.
    pub fn scale_time(&mut self, scale: TimeScale, speed: f64) -> Result<f64, String> {
        let factor = scale.factor(speed)?;
        self.time = machine::scaled(&self.time, factor);
        for bot in &mut self.bots {
            let bot = Arc::make_mut(bot);
            bot.time = machine::scaled(&bot.time, factor);
        }
        Ok(factor)
    }

    /// The folder of the bundles that bots are played from, if any.
    pub fn bundle_folder(&self) -> Option<&Path> {
        self.places.bundles()?.folder.as_deref()
    }

    /// The input of a new tournament's schedule.
    pub fn shape(&self) -> Shape {
        Shape {
            format: self.schedule.format.clone(),
            games: self.game_shapes(),
            bots: self.bots.len(),
            rounds: self.schedule.rounds,
            orders: self.schedule.seat_orders,
            seed: self.seed,
            version: Version::NEWEST,
            shard: self.schedule.shard,
        }
    }

    pub fn has_deals(&self) -> bool {
        self.games.iter().any(|game| game.rules.info().has_deals())
    }

    /// True for a shard whose deals the other shards could not know.
    pub fn lacks_shared_secret(&self) -> bool {
        self.schedule.shard.is_some() && self.secret.is_none() && self.has_deals()
    }

    pub fn deals(&self) -> &Deals {
        self.deals.get().unwrap_or(&Deals::BySeed)
    }

    /// Can be set only once.
    pub fn deal_from(&self, deals: Deals) {
        let known = self.deals.get_or_init(|| deals.clone());
        debug_assert!(*known == deals, "a tournament deals from one secret");
    }

    /// True if no bot can reach the tournament's folder.
    pub fn all_strict(&self) -> bool {
        let mut bots = self.bots.iter();
        bots.all(|bot| bot.wanted.tier == Tier::Strict && !bot.wanted.best_effort)
    }

    /// From here on, output and messages of rules programs are recorded like those of these bots.
    pub fn share_records(&self, bots: &BotFactory) {
        for game in &self.games {
            ::rules::share_records(&*game.rules, bots);
        }
    }

    /// The conditions of matches, for the log.
    pub fn conditions(&self) -> Conditions {
        let frozen = self.bots.iter().map(|bot| bot.idle == Idle::Freeze);
        let frozen: Vec<bool> = frozen.collect();
        Conditions {
            idle: match &frozen[..] {
                [.., false] if !frozen.contains(&true) => "run",
                all if !all.contains(&false) => "freeze",
                _ => "mixed",
            }
            .to_owned(),
            affinity: match self.machine.affinity {
                Affinity::Auto | Affinity::Off => "off",
                Affinity::Cores => "cores",
            }
            .to_owned(),
            concurrency: u32::try_from(self.machine.concurrency).unwrap_or(u32::MAX),
        }
    }
}
