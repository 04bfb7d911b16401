//! Gates that are false where one certain move is not made.
//!
//! Of all moves that there are, few are made in a step, even in hundreds of lanes. So these gates are
//! evaluated only for moves that somebody makes, and alternatives of them get what is true from them, in
//! place of asking all.

use std::ops::Range;

use super::{Code, Gate};

const NONE: u32 = u32::MAX;
/// Code with fewer inputs is faster as a whole: what a step needs of it is spread over it. Tests have small
/// sheets, which should go this way, too.
const LEAST_INPUTS: usize = if cfg!(test) { 500 } else { 20_000 };

/// A gate that waits for its move, or the move itself.
#[derive(Clone, Debug)]
pub(super) struct Guarded {
    /// `None` for the move.
    pub(super) gate: Option<Gate>,
    pub(super) slot: u32,
    /// The slot of another move that it waits for as well, or else of the same one. Few pairs are made in the
    /// same lane, and joint moves have a gate for each pair.
    pub(super) with: u32,
    /// The alternatives of which it is a part, as slots.
    pub(super) readers: Range<u32>,
    /// True if other gates ask for it, so that it has to be false when the move is not made.
    pub(super) is_asked: bool,
}

impl Guarded {
    fn mv(slot: usize) -> Self {
        Guarded {
            gate: None,
            slot: slot as u32,
            with: slot as u32,
            readers: 0..0,
            is_asked: false,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Sparse {
    /// For each move: itself and the gates that wait for it, in order.
    pub(super) groups: Vec<Vec<Guarded>>,
    /// The slots of alternatives.
    pub(super) readers: Vec<u32>,
    /// The alternatives, which begin as false.
    pub(super) alternatives: Vec<u32>,
    /// The inputs of the gates.
    pub(super) code: Code,
}

impl Sparse {
    /// Takes the gates that wait for a move out of the code. `does` are the slots of moves, and `asked` those
    /// that others than gates ask for.
    pub(super) fn take(
        code: &mut Code,
        does: &Range<usize>,
        asked: impl Iterator<Item = usize>,
    ) -> Self {
        let slots = code.gates.iter().map(|gate| gate.slot as usize + 1).max();
        let slots = slots.unwrap_or(0).max(does.end);
        if code.inputs.len() < LEAST_INPUTS {
            return Sparse {
                groups: does.clone().map(|slot| vec![Guarded::mv(slot)]).collect(),
                ..Sparse::default()
            };
        }
        // The move that each slot waits for, and whether the code computes it.
        let mut waits_for = vec![NONE; slots];
        let mut is_moved = vec![false; slots];
        for (number, slot) in does.clone().enumerate() {
            waits_for[slot] = number as u32;
        }
        for gate in &code.gates {
            is_moved[gate.slot as usize] = true;
        }
        let in_circles = in_circles(code);
        let mut waiting = Vec::new();
        let mut others = Vec::new();
        for (at, gate) in code.gates.iter().enumerate() {
            let plain = &code.inputs[gate.first as usize..gate.negated as usize];
            let all = &code.inputs[gate.first as usize..gate.end as usize];
            let moves = plain.iter().map(|input| waits_for[*input as usize]);
            let found = moves.clone().find(|number| *number != NONE);
            let is_there = |number: u32, input: &u32| {
                let other = waits_for[*input as usize];
                !is_moved[*input as usize] || other == number
            };
            match found {
                Some(number)
                    if !gate.turned
                        && !in_circles[at]
                        && all.iter().all(|input| is_there(number, input)) =>
                {
                    waits_for[gate.slot as usize] = number;
                    waiting.push((number, *gate));
                }
                _ => others.push((at, *gate)),
            }
        }
        let mut taken = Taken::new(does, &waiting, &code.inputs, slots);
        for slot in asked {
            if let Some(asked) = taken.asked.get_mut(slot) {
                *asked = true;
            }
        }
        let rest = taken.rest(code, (&others, &in_circles), &waits_for);
        let sparse = taken.finish();
        *code = rest;
        sparse
    }
}

/// What waits for moves, while the alternatives of it are looked for.
struct Taken {
    sparse: Sparse,
    /// By slot: the alternatives of which it is a part.
    readers: Vec<Vec<u32>>,
    asked: Vec<bool>,
}

impl Taken {
    fn new(does: &Range<usize>, waiting: &[(u32, Gate)], inputs: &[u32], slots: usize) -> Self {
        let mut asked = vec![false; slots];
        let mut sparse = Sparse {
            groups: does.clone().map(|slot| vec![Guarded::mv(slot)]).collect(),
            ..Sparse::default()
        };
        for (number, gate) in waiting {
            let gate = copied(gate, inputs, &mut sparse.code, None, |_| true);
            let own = (does.start + *number as usize) as u32;
            let all = &sparse.code.inputs[gate.first as usize..gate.end as usize];
            all.iter().for_each(|input| asked[*input as usize] = true);
            let plain = &sparse.code.inputs[gate.first as usize..gate.negated as usize];
            let is_other = |input: &&u32| **input != own && does.contains(&(**input as usize));
            sparse.groups[*number as usize].push(Guarded {
                gate: Some(gate),
                with: *plain.iter().find(is_other).unwrap_or(&own),
                ..Guarded::mv(gate.slot as usize)
            });
        }
        Taken {
            sparse,
            readers: vec![Vec::new(); slots],
            asked,
        }
    }

    /// The code without what waits for moves.
    fn rest(
        &mut self,
        code: &Code,
        (others, in_circles): (&[(usize, Gate)], &[bool]),
        waits_for: &[u32],
    ) -> Code {
        let mut rest = Code::default();
        let mut begins = vec![0; code.gates.len() + 1];
        for &(at, gate) in others {
            begins[at] = rest.gates.len();
            let waits = |input: &u32| waits_for[*input as usize] != NONE;
            let is_part = |input: &u32| gate.turned && !in_circles[at] && waits(input);
            let negated = &code.inputs[gate.negated as usize..gate.end as usize];
            let parts: Vec<u32> = negated.iter().copied().filter(is_part).collect();
            // What comes from moves is there already.
            let begun = (!parts.is_empty()).then_some(gate.slot);
            let keep = |input: &u32| !is_part(input);
            let kept = copied(&gate, &code.inputs, &mut rest, begun, keep);
            self.sparse.alternatives.extend(begun);
            for part in parts {
                self.readers[part as usize].push(gate.slot);
            }
            for input in &rest.inputs[kept.first as usize..kept.end as usize] {
                self.asked[*input as usize] = true;
            }
            rest.gates.push(kept);
        }
        for circle in &code.circles {
            let begin = begins[circle.gates.start];
            let gates = begin..begin + circle.gates.len();
            rest.circles.push(super::Circle::new(&rest, gates));
        }
        rest
    }

    fn finish(self) -> Sparse {
        let mut sparse = self.sparse;
        for guarded in sparse.groups.iter_mut().flatten() {
            let first = sparse.readers.len() as u32;
            let slot = guarded.slot as usize;
            sparse
                .readers
                .extend(self.readers.get(slot).into_iter().flatten());
            guarded.readers = first..sparse.readers.len() as u32;
            guarded.is_asked = self.asked.get(slot).copied().unwrap_or(false);
        }
        sparse
    }
}

/// For each gate, whether it is on a circle.
fn in_circles(code: &Code) -> Vec<bool> {
    let mut found = vec![false; code.gates.len()];
    for circle in &code.circles {
        found[circle.gates.clone()].fill(true);
    }
    found
}

/// Copies a gate with these of its negated inputs, and perhaps one more input, into other code.
fn copied(
    gate: &Gate,
    from: &[u32],
    into: &mut Code,
    more: Option<u32>,
    keep: impl Fn(&u32) -> bool,
) -> Gate {
    let first = into.inputs.len() as u32;
    let plain = &from[gate.first as usize..gate.negated as usize];
    into.inputs.extend_from_slice(plain);
    into.inputs.extend(more);
    let negated = into.inputs.len() as u32;
    let inputs = from[gate.negated as usize..gate.end as usize].iter();
    into.inputs.extend(inputs.filter(|input| keep(input)));
    Gate {
        first,
        negated,
        end: into.inputs.len() as u32,
        ..*gate
    }
}
