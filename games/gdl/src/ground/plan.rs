//! Join order for the literals of a rule.

use super::database::{Database, IndexId, IndexSpec, Path};
use crate::read::{Atom, Literal, Pattern, PredId, Rule};
use crate::terms::{Symbol, Term, Terms};

#[derive(Clone, Copy, Debug)]
pub(super) enum KeyPart {
    Term(Term),
    Var(u16),
}

/// The parts of an atom.
#[derive(Clone, Debug, Default)]
pub(super) struct Taken {
    /// Parts that bind variables.
    pub(super) binds: Vec<(Path, u16)>,
    /// Parts that are bound by the same atom already, and must be equal.
    pub(super) repeats: Vec<(Path, u16)>,
}

#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Tries all atoms that fit; the number is that of the literal in the body.
    Join(usize, IndexId, Vec<KeyPart>, Taken),
    /// Checks a comparison or a negated literal, all of whose variables are bound.
    Test(usize),
}

/// The match of an atom that was just derived with a literal.
#[derive(Clone, Debug)]
pub(super) struct Trigger {
    pub(super) shapes: Vec<(Path, Symbol, usize)>,
    pub(super) constants: Vec<(Path, Term)>,
    pub(super) taken: Taken,
}

#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) rule: usize,
    /// The literal that a new atom is matched with; `None` to join all atoms.
    pub(super) trigger: Option<(usize, Trigger)>,
    pub(super) steps: Vec<Step>,
}

/// A pattern taken apart, when some variables are bound.
struct Parts {
    shapes: Vec<(Path, Symbol, usize)>,
    keys: Vec<(Path, KeyPart)>,
    taken: Taken,
}

fn parts(atom: &Atom, bound: &[bool]) -> Parts {
    let mut parts = Parts {
        shapes: Vec::new(),
        keys: Vec::new(),
        taken: Taken::default(),
    };
    for (index, argument) in atom.args.iter().enumerate() {
        parts.add(argument, bound, &mut vec![index as u16]);
    }
    parts
}

impl Parts {
    fn add(&mut self, pattern: &Pattern, bound: &[bool], path: &mut Vec<u16>) {
        match pattern {
            Pattern::Term(term) => self.keys.push((path[..].into(), KeyPart::Term(*term))),
            Pattern::Var(variable) if bound[*variable as usize] => {
                self.keys.push((path[..].into(), KeyPart::Var(*variable)));
            }
            Pattern::Var(variable) => {
                let again = self.taken.binds.iter().any(|(_, other)| other == variable);
                let list = if again {
                    &mut self.taken.repeats
                } else {
                    &mut self.taken.binds
                };
                list.push((path[..].into(), *variable));
            }
            Pattern::Compound(symbol, arguments) => {
                self.shapes
                    .push((path[..].into(), *symbol, arguments.len()));
                for (index, argument) in arguments.iter().enumerate() {
                    path.push(index as u16);
                    self.add(argument, bound, path);
                    path.pop();
                }
            }
        }
    }
}

/// Plans the join of a rule, begun by an atom that fits one literal.
pub(super) fn plan(
    terms: &Terms,
    database: &mut Database,
    (number, rule): (usize, &Rule),
    trigger: Option<usize>,
    size: &dyn Fn(PredId) -> usize,
) -> Plan {
    let mut bound = vec![false; rule.variables.len()];
    let mut left: Vec<usize> = (0..rule.body.len()).collect();
    let trigger = trigger.map(|at| {
        left.retain(|other| *other != at);
        let Literal::Positive(atom) = &rule.body[at] else {
            unreachable!("only atoms that hold begin a join");
        };
        let parts = parts(atom, &bound);
        for (_, variable) in &parts.taken.binds {
            bound[*variable as usize] = true;
        }
        let constant = |(path, key)| match key {
            KeyPart::Term(term) => (path, term),
            KeyPart::Var(_) => unreachable!("nothing was bound"),
        };
        (
            at,
            Trigger {
                shapes: parts.shapes,
                constants: parts.keys.into_iter().map(constant).collect(),
                taken: parts.taken,
            },
        )
    });
    let mut steps = Vec::new();
    while !left.is_empty() {
        let at = next(rule, &left, &bound, size);
        left.retain(|other| *other != at);
        let Literal::Positive(atom) = &rule.body[at] else {
            steps.push(Step::Test(at));
            continue;
        };
        let parts = parts(atom, &bound);
        for (_, variable) in &parts.taken.binds {
            bound[*variable as usize] = true;
        }
        let (keys, key): (Vec<Path>, Vec<KeyPart>) = parts.keys.into_iter().unzip();
        let spec = IndexSpec {
            pred: atom.pred,
            shapes: parts.shapes,
            keys,
        };
        let index = database.index(terms, spec);
        steps.push(Step::Join(at, index, key, parts.taken));
    }
    Plan {
        rule: number,
        trigger,
        steps,
    }
}

/// The literal to join next: tests as soon as they can be made, then what leaves the fewest choices.
fn next(rule: &Rule, left: &[usize], bound: &[bool], size: &dyn Fn(PredId) -> usize) -> usize {
    let cost = |at: usize| match &rule.body[at] {
        Literal::Positive(atom) => {
            let parts = parts(atom, bound);
            if parts.taken.binds.is_empty() {
                return 0.5;
            }
            let known = (parts.keys.len() as i32).min(12);
            1.0 + size(atom.pred) as f64 / 6f64.powi(known)
        }
        Literal::Negative(atom) => {
            let args: Vec<&Pattern> = atom.args.iter().collect();
            test(&args, bound)
        }
        Literal::Distinct(one, other, _) | Literal::Same(one, other, _) => {
            test(&[one, other], bound)
        }
    };
    let cheapest = left.iter().min_by(|a, b| cost(**a).total_cmp(&cost(**b)));
    *cheapest.expect("something is left")
}

fn test(patterns: &[&Pattern], bound: &[bool]) -> f64 {
    if patterns.iter().all(|pattern| pattern.is_bound(bound)) {
        0.0
    } else {
        f64::INFINITY
    }
}
