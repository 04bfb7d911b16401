//! The load of the machine during matches.

use protocol::Load;
use serde::Serialize;

/// A machine is busy if processes waited for a core for more than this share of the time. Short waits are
/// normal.
pub const BUSY_WAITING: f64 = 0.5;
/// A machine is busy if its host gave more than this share of the cores' time to others.
pub const BUSY_STOLEN: f64 = 0.05;

/// True if the load may have slowed bots down.
pub fn is_busy(load: &Load) -> bool {
    let above = |share: Option<f64>, limit: f64| share.is_some_and(|share| share > limit);
    above(load.waiting, BUSY_WAITING) || above(load.stolen, BUSY_STOLEN)
}

/// The load over all matches for which the log has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MachineLoad {
    pub matches: u64,
    /// Matches on a busy machine.
    pub busy: u64,
    /// The share of the time in which a process waited for a core.
    pub waiting: Share,
    /// The share of the cores' time that went to other virtual machines.
    pub stolen: Share,
}

/// A share from 0 to 1 per match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Share {
    pub matches: u64,
    pub sum: f64,
    pub worst: f64,
}

impl MachineLoad {
    pub fn add(&mut self, load: &Load) {
        self.matches += 1;
        self.busy += u64::from(is_busy(load));
        self.waiting.add(load.waiting);
        self.stolen.add(load.stolen);
    }
}

impl Share {
    /// Ignores values that are not finite, as logs are not trusted.
    fn add(&mut self, share: Option<f64>) {
        if let Some(share) = share.filter(|share| share.is_finite()) {
            let share = share.clamp(0.0, 1.0);
            self.matches += 1;
            self.sum += share;
            self.worst = self.worst.max(share);
        }
    }

    /// The mean, where it is known.
    pub fn mean(&self) -> Option<f64> {
        (self.matches > 0).then(|| self.sum / self.matches as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(waiting: f64, stolen: Option<f64>) -> Load {
        Load {
            waiting: Some(waiting),
            stolen,
        }
    }

    #[test]
    fn means_are_over_matches_with_a_value() {
        let mut machine = MachineLoad::default();
        machine.add(&load(0.25, Some(0.01)));
        machine.add(&load(0.5, None));
        machine.add(&load(f64::NAN, None));
        machine.add(&Load {
            waiting: None,
            stolen: Some(0.07),
        });
        assert_eq!((machine.matches, machine.busy), (4, 1));
        assert_eq!(machine.waiting.mean(), Some(0.375));
        assert_eq!(machine.waiting.worst, 0.5);
        assert_eq!((machine.stolen.matches, machine.stolen.worst), (2, 0.07));
        assert_eq!(MachineLoad::default().stolen.mean(), None);
    }

    #[test]
    fn either_share_makes_a_machine_busy() {
        assert!(!is_busy(&load(BUSY_WAITING, Some(BUSY_STOLEN))));
        assert!(is_busy(&load(0.51, None)));
        assert!(is_busy(&load(0.0, Some(0.06))));
        assert!(!is_busy(&Load::default()));
    }
}
