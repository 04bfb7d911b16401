//! Positions in all lanes, and a step in them.

use std::ops::Range;

use super::word::{Word, all, both, differing, either, get, is_none, lanes_of, none, set, without};
use super::{Circle, Code, Gate, Lanes, Operand, TRUE};
use crate::engine::Failure;
use crate::network::program::bit;

/// Positions in all lanes.
pub(super) struct LanePositions<'l, const N: usize> {
    lanes: &'l Lanes,
    values: Vec<Word<N>>,
    next: Vec<Word<N>>,
    /// The numbers of the moves that are made in any lane.
    made: Vec<u32>,
}

/// The legal moves of a role, in the lanes where each is legal.
#[derive(Clone, Default)]
pub(super) struct LegalLanes<const N: usize> {
    moves: Vec<(u32, Word<N>)>,
    /// The number of legal moves in each lane: the lowest bits first.
    counts: Vec<Word<N>>,
}

impl<const N: usize> LegalLanes<N> {
    /// The lanes with several legal moves.
    pub(super) fn several(&self) -> Word<N> {
        self.counts.iter().skip(1).copied().fold(none(), either)
    }
}

impl<'l, const N: usize> LanePositions<'l, N> {
    pub(super) fn new(lanes: &'l Lanes) -> Self {
        let mut values = vec![none(); lanes.slots];
        values[TRUE as usize] = all();
        LanePositions {
            lanes,
            values,
            next: vec![none(); lanes.facts],
            made: Vec::new(),
        }
    }

    /// Puts the position with these facts, as words of bits, into some lanes.
    pub(super) fn put(&mut self, facts: &[u64], into: Word<N>) {
        for fact in 0..self.lanes.facts {
            let value = &mut self.values[1 + fact];
            *value = match bit(facts, fact) {
                true => either(*value, into),
                false => without(*value, into),
            };
        }
    }

    /// The facts in a lane, as words of bits.
    pub(super) fn facts(&self, lane: usize) -> Vec<u64> {
        let mut facts = vec![0; self.lanes.facts.div_ceil(64)];
        for fact in 0..self.lanes.facts {
            facts[fact / 64] |= (get(&self.values[1 + fact], lane) as u64) << (fact % 64);
        }
        facts
    }

    #[inline]
    fn value(&self, operand: Operand) -> Word<N> {
        let stored = self.values[operand.slot()];
        match operand.is_negated() {
            true => without(all(), stored),
            false => stored,
        }
    }

    fn run(&mut self, code: &Code) {
        let mut at = 0;
        for circle in &code.circles {
            self.run_gates(code, at..circle.gates.start);
            self.run_circle(code, circle);
            at = circle.gates.end;
        }
        self.run_gates(code, at..code.gates.len());
    }

    #[inline]
    fn run_gates(&mut self, code: &Code, gates: Range<usize>) {
        for gate in &code.gates[gates] {
            self.values[gate.slot as usize] = self.conjunction(code, gate);
        }
    }

    #[inline]
    fn conjunction(&self, code: &Code, gate: &Gate) -> Word<N> {
        let mut value = all();
        for input in &code.inputs[gate.first as usize..gate.negated as usize] {
            value = both(value, self.values[*input as usize]);
        }
        for input in &code.inputs[gate.negated as usize..gate.end as usize] {
            value = without(value, self.values[*input as usize]);
        }
        value
    }

    /// Evaluates what waits for the moves that are made, and begins the alternatives of it.
    fn run_sparse(&mut self) {
        let sparse = &self.lanes.sparse;
        for slot in &sparse.alternatives {
            self.values[*slot as usize] = all();
        }
        for number in &self.made {
            let move_slot = self.lanes.does.start + *number as usize;
            let made = self.values[move_slot];
            for guarded in &sparse.groups[*number as usize] {
                if is_none(both(made, self.values[guarded.with as usize])) {
                    continue;
                }
                if let Some(gate) = &guarded.gate {
                    self.values[guarded.slot as usize] = self.conjunction(&sparse.code, gate);
                }
                let value = self.values[guarded.slot as usize];
                if is_none(value) {
                    continue;
                }
                let readers = guarded.readers.start as usize..guarded.readers.end as usize;
                for reader in &sparse.readers[readers] {
                    let stored = &mut self.values[*reader as usize];
                    *stored = without(*stored, value);
                }
            }
        }
    }

    /// What depends on itself holds as far as it follows from something else.
    fn run_circle(&mut self, code: &Code, circle: &Circle) {
        let gates = &code.gates[circle.gates.clone()];
        // Nothing holds at first.
        for gate in gates {
            self.values[gate.slot as usize] = if gate.turned { all() } else { none() };
        }
        let mut due: Vec<u32> = (0..gates.len() as u32).collect();
        let mut is_due = vec![true; gates.len()];
        let mut next = Vec::new();
        while !due.is_empty() {
            for number in due.drain(..) {
                let gate = &gates[number as usize];
                is_due[number as usize] = false;
                let value = self.conjunction(code, gate);
                if value == self.values[gate.slot as usize] {
                    continue;
                }
                self.values[gate.slot as usize] = value;
                for reader in &circle.readers[number as usize] {
                    if !std::mem::replace(&mut is_due[*reader as usize], true) {
                        next.push(*reader);
                    }
                }
            }
            std::mem::swap(&mut due, &mut next);
        }
    }

    /// Evaluates what the facts decide; this comes first in each position.
    pub(super) fn look(&mut self) {
        self.run(&self.lanes.still);
    }

    /// The lanes whose games are over.
    pub(super) fn over(&self) -> Word<N> {
        self.value(self.lanes.terminal)
    }

    /// Lists the moves of a role that are legal in any of these lanes. Returns the lanes without any.
    pub(super) fn legal(&self, role: usize, lanes: Word<N>, legal: &mut LegalLanes<N>) -> Word<N> {
        legal.moves.clear();
        legal.counts.clear();
        let mut any = none();
        for (number, mv) in self.lanes.roles[role].iter().enumerate() {
            let here = both(self.value(mv.legal), lanes);
            if is_none(here) {
                continue;
            }
            legal.moves.push((number as u32, here));
            any = either(any, here);
            let mut carry = here;
            for count in &mut legal.counts {
                let more = both(*count, carry);
                *count = differing(*count, carry);
                carry = more;
                if is_none(carry) {
                    break;
                }
            }
            if !is_none(carry) {
                legal.counts.push(carry);
            }
        }
        without(lanes, any)
    }

    /// Forgets the moves of the step before.
    pub(super) fn begin_step(&mut self) {
        for number in self.made.drain(..) {
            for guarded in &self.lanes.sparse.groups[number as usize] {
                if guarded.gate.is_none() || guarded.is_asked {
                    self.values[guarded.slot as usize] = none();
                }
            }
        }
    }

    /// Makes a role's move in each of these lanes: the one with the index that `draw` gives from the lane and
    /// the number of its legal moves, where those are several.
    pub(super) fn choose(
        &mut self,
        role: usize,
        legal: &LegalLanes<N>,
        lanes: Word<N>,
        mut draw: impl FnMut(usize, usize) -> usize,
    ) {
        let several = both(legal.several(), lanes);
        // The legal moves to pass over, in each lane: the lowest bits first.
        let mut left = vec![none::<N>(); legal.counts.len()];
        for lane in lanes_of(several) {
            let bits = legal.counts.iter().enumerate();
            let count = bits.fold(0, |count, (at, bits)| count | get(bits, lane) << at);
            let index = draw(lane, count);
            for (at, bits) in left.iter_mut().enumerate() {
                if index >> at & 1 == 1 {
                    set(bits, lane);
                }
            }
        }
        let moves = &self.lanes.roles[role];
        let mut open = lanes;
        for &(number, here) in &legal.moves {
            let here = both(here, open);
            let passes = left.iter().copied().fold(none(), either);
            let taken = without(here, passes);
            open = without(open, taken);
            if let Some(slot) = moves[number as usize].does
                && !is_none(taken)
            {
                self.values[slot as usize] = taken;
                self.made.push(slot - self.lanes.does.start as u32);
            }
            // One fewer to pass over.
            let mut borrow = both(here, passes);
            for bits in &mut left {
                if is_none(borrow) {
                    break;
                }
                let more = without(borrow, *bits);
                *bits = differing(*bits, borrow);
                borrow = more;
            }
        }
    }

    /// Makes the step of the chosen moves in these lanes. The others stay as they are.
    pub(super) fn step(&mut self, lanes: Word<N>) {
        self.run_sparse();
        self.run(&self.lanes.moved);
        for (fact, next) in self.lanes.next.iter().enumerate() {
            let stays = without(self.values[1 + fact], lanes);
            self.next[fact] = either(stays, both(self.value(*next), lanes));
        }
        self.values[1..=self.lanes.facts].copy_from_slice(&self.next);
    }

    /// Calls `take` with each of these lanes and the goals of these roles there, the largest that holds;
    /// 0 for a role that has none.
    pub(super) fn each_goal(
        &mut self,
        roles: &[usize],
        lanes: Word<N>,
        mut take: impl FnMut(usize, &[i64]),
    ) -> Result<(), Failure> {
        self.run(&self.lanes.at_end);
        let mut goals = vec![0; N * 64 * roles.len()];
        for (place, role) in roles.iter().enumerate() {
            let mut open = lanes;
            for (goal, when) in &self.lanes.goals[*role] {
                let here = both(self.value(*when), open);
                open = without(open, here);
                match goal {
                    _ if is_none(here) => {}
                    Some(goal) => {
                        for lane in lanes_of(here) {
                            goals[lane * roles.len() + place] = *goal;
                        }
                    }
                    None => return Err(Failure::GoalValue(self.lanes.names[*role].clone())),
                }
            }
        }
        for lane in lanes_of(lanes) {
            take(lane, &goals[lane * roles.len()..][..roles.len()]);
        }
        Ok(())
    }
}
