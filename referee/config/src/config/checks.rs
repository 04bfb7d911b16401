//! Checks and warnings of a configuration as a whole.

use ::machine::{cores, identity};
use protocol::ClockKind;
use supervisor::system::process_tree::measures_cpu_time;

use crate::Config;
use crate::error::Diagnostic;
use crate::settings::format;
use crate::tables::Affinity;

impl Config {
    pub(super) fn check(&self) -> Result<(), Diagnostic> {
        let require = |holds: bool, key: &str, message: &str| {
            if holds {
                Ok(())
            } else {
                Err(Diagnostic::value(key, message))
            }
        };
        let name = "a tournament needs a name of at least one character";
        require(!self.name.trim().is_empty(), "name", name)?;
        let games = "at least one game is needed, as in [\"siam\"]";
        require(!self.games.is_empty(), "games", games)?;
        let margin = self.openings.balanced.unwrap_or(0.5);
        require(
            margin > 0.0 && margin <= 0.5,
            "opening.balanced",
            &format!("{margin} is not a distance from one half above 0 and at most 0.5"),
        )?;
        let by_cpu = self.time.clock == ClockKind::Cpu;
        require(
            !by_cpu || measures_cpu_time(),
            "clock",
            "this machine does not report the CPU time of processes; only \"wall\" is possible",
        )?;
        require(
            self.machine.affinity != Affinity::Cores || cores::CAN_CHOOSE,
            "affinity",
            "this system does not let processes choose their cores; only \"off\" is possible",
        )?;
        format::check(&self.shape(), &self.games)?;
        let met = self.check_participation();
        met.map_err(|message| Diagnostic::value("games", message))
    }

    /// Warnings about settings that are allowed, but hardly intended.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.left_unplayed();
        let cores = identity::cores() as usize;
        let by_wall = self
            .bots
            .iter()
            .any(|bot| bot.time.clock == ClockKind::Wall);
        if by_wall && !self.machine.concurrency_auto && self.machine.concurrency > cores {
            let s = if cores == 1 { "" } else { "s" };
            warnings.push(format!(
                "`concurrency = {}` is more than the {cores} core{s} of this machine, and clocks run by wall-clock time: \
                 bots will lose on time because of each other; use `concurrency = \"auto\"` or `clock = \"cpu\"`",
                self.machine.concurrency
            ));
        }
        let book = &self.openings.book;
        if !book.is_empty() && book.iter().all(Vec::is_empty) {
            warnings.push(
                "`opening.book`: the book has no line for any game that is played, so no match begins with it"
                    .to_owned(),
            );
        }
        warnings
    }
}
