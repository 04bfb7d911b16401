//! The machines that matches were played on, and optionally the results on each.

use std::collections::{BTreeMap, HashMap};

use protocol::Machine;

use super::machine_load::MachineLoad;
use crate::evidence::{Ranks, outcome};
use crate::matches::{Fingerprint, MatchSummary};
use crate::standings::{Known, Totals, own_score};

/// The machines of some matches, in order of their first match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Machines {
    pub(crate) list: Vec<MachineMatches>,
    /// By name; `None` if the log does not have the machine.
    index: HashMap<Option<String>, usize>,
    /// The machine of the last match, as those of a machine are often adjacent.
    last: usize,
    /// By game and seats, in a fixed order. `None` if results are not counted.
    pub(crate) results: Option<BTreeMap<u64, Stratum>>,
}

/// The matches on a machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct MachineMatches {
    /// As in the first of its matches; `None` if the log does not have it.
    pub(crate) machine: Option<Machine>,
    pub(crate) matches: u64,
    pub(crate) load: MachineLoad,
    /// The sum of the speeds of these matches, and the number with a speed.
    pub(crate) speeds: (f64, u64),
    /// The bots' results there, in the order of the standings' bots, if counted.
    pub(crate) bots: Vec<Totals>,
}

/// The results of some bots in some seats of a game.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stratum {
    /// The bots in seat order, by their places in the standings.
    pub(crate) bots: Vec<usize>,
    pub(crate) cells: Vec<Cell>,
}

/// The count of a result on a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) machine: usize,
    /// The ranks of the seats; `None` if no bot was ready.
    pub(crate) ranks: Option<Ranks>,
    pub(crate) count: u64,
}

impl Cell {
    /// The points of a seat, from 0 to 1.
    pub(crate) fn points(&self, seat: usize) -> f64 {
        let ranks = self.ranks.as_ref();
        ranks.map_or(0.0, |ranks| outcome(ranks, seat))
    }
}

impl Machines {
    /// Also counts results.
    pub(crate) fn with_results() -> Self {
        Machines {
            results: Some(BTreeMap::new()),
            ..Machines::default()
        }
    }

    /// Adds a usable match.
    pub(crate) fn add(
        &mut self,
        played: &MatchSummary,
        known: &Known,
        ranks: &Ranks,
        is_lost_by_all: bool,
    ) {
        let at = self.place(played.machine.as_ref());
        let machine = &mut self.list[at];
        machine.matches += 1;
        if let Some(load) = &played.load {
            machine.load.add(load);
        }
        let speed = played.machine.as_ref().and_then(|machine| machine.speed);
        // Logs are not trusted.
        if let Some(speed) = speed.filter(|speed| speed.is_finite()) {
            machine.speeds.0 += speed;
            machine.speeds.1 += 1;
        }
        let Some(results) = &mut self.results else {
            return;
        };
        let most = known.bots.iter().copied().max().unwrap_or(0);
        if machine.bots.len() <= most {
            machine.bots.resize(most + 1, Totals::default());
        }
        for (seat, &bot) in known.bots.iter().enumerate() {
            let mut faults = played.result.faults.iter();
            let fault = faults.any(|fault| fault.seat == seat && fault.code.is_fault());
            let score = own_score(played, seat);
            let outcome = outcome(ranks, seat);
            let totals = &mut machine.bots[bot];
            if is_lost_by_all {
                totals.add_unstarted();
            } else {
                totals.add(outcome, score, fault);
            }
        }
        let seats = Fingerprint::of((known.game, &known.bots)).0;
        let stratum = results.entry(seats).or_insert_with(|| Stratum {
            bots: known.bots.clone(),
            cells: Vec::new(),
        });
        let ranks = (!is_lost_by_all).then_some(ranks.clone());
        let same = |cell: &&mut Cell| cell.machine == at && cell.ranks == ranks;
        match stratum.cells.iter_mut().find(same) {
            Some(cell) => cell.count += 1,
            None => stratum.cells.push(Cell {
                machine: at,
                ranks,
                count: 1,
            }),
        }
    }

    /// The index of a machine, which is added if it is new.
    fn place(&mut self, machine: Option<&Machine>) -> usize {
        let name = |machine: Option<&Machine>| machine.map(|machine| machine.name.clone());
        let last = self.list.get(self.last);
        let is_last = last.is_some_and(|last| {
            last.machine.as_ref().map(|last| &last.name) == machine.map(|machine| &machine.name)
        });
        if !is_last {
            let list = &mut self.list;
            self.last = *self.index.entry(name(machine)).or_insert_with(|| {
                list.push(MachineMatches {
                    machine: machine.cloned(),
                    ..MachineMatches::default()
                });
                list.len() - 1
            });
        }
        self.last
    }
}
