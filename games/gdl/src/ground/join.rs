//! Joins: finds the instances of a rule, step by step of its plan.

use super::database::{self, AtomId};
use super::plan::{KeyPart, Plan, Step, Taken};
use super::{Grounder, Ungroundable};
use crate::read::{Literal, Pattern, Rule};
use crate::terms::Term;

/// A join in progress. Instances are added as they are found: all of them together may be far more
/// than the atoms that they derive.
pub(super) struct Join<'g> {
    pub(super) grounder: &'g mut Grounder,
    pub(super) plan: &'g Plan,
    pub(super) rule: &'g Rule,
    pub(super) begun: Option<AtomId>,
    pub(super) bindings: Vec<Term>,
    pub(super) key: Vec<u32>,
}

impl Join<'_> {
    /// Matches the atom that begins the join; false if it does not fit.
    pub(super) fn begin(&mut self) -> bool {
        let (Some((_, trigger)), Some(atom)) = (&self.plan.trigger, self.begun) else {
            return true;
        };
        self.grounder.candidates += 1;
        let (terms, database) = (&self.grounder.sheet.terms, &self.grounder.database);
        let constants =
            |(path, term): &(database::Path, Term)| database.at(terms, atom, path) == Some(*term);
        database.has_shape(terms, atom, &trigger.shapes)
            && trigger.constants.iter().all(constants)
            && self.take(atom, &trigger.taken)
    }

    /// Binds the variables that an atom decides; false if it does not fit.
    fn take(&mut self, atom: AtomId, taken: &Taken) -> bool {
        let (terms, database) = (&self.grounder.sheet.terms, &self.grounder.database);
        for (path, variable) in &taken.binds {
            match database.at(terms, atom, path) {
                Some(term) => self.bindings[*variable as usize] = term,
                None => return false,
            }
        }
        taken.repeats.iter().all(|(path, variable)| {
            database.at(terms, atom, path) == Some(self.bindings[*variable as usize])
        })
    }

    /// Counts an atom that is looked at.
    fn count(&mut self) -> Result<(), Ungroundable> {
        let most = self.grounder.limits.candidates;
        if self.grounder.candidates >= most {
            return Err(Ungroundable::Candidates(most));
        }
        self.grounder.candidates += 1;
        Ok(self.grounder.ticks.tick()?)
    }

    /// Does the rest of the join from a step on.
    pub(super) fn step(&mut self, number: usize) -> Result<(), Ungroundable> {
        let plan = self.plan;
        let Some(step) = plan.steps.get(number) else {
            return self.grounder.instance(plan.rule, &self.bindings);
        };
        let (at, index, key, taken) = match step {
            Step::Test(at) if self.holds(*at) => return self.step(number + 1),
            Step::Test(_) => return Ok(()),
            Step::Join(at, index, key, taken) => (*at, *index, key, taken),
        };
        self.key.clear();
        for part in key {
            self.key.push(match part {
                KeyPart::Term(term) => term.0,
                KeyPart::Var(variable) => self.bindings[*variable as usize].0,
            });
        }
        let Some(list) = self.grounder.database.find(index, &self.key) else {
            return Ok(());
        };
        let earlier = plan.trigger.as_ref().is_some_and(|(begun, _)| at < *begun);
        for place in 0.. {
            let Some(atom) = self.grounder.database.listed(index, list, place) else {
                break;
            };
            self.count()?;
            // Each instance is found once: from the first of its newest atoms.
            if earlier && Some(atom) == self.begun {
                continue;
            }
            if self.take(atom, taken) {
                self.step(number + 1)?;
            }
        }
        Ok(())
    }

    /// True if a literal that is no join holds. What depends on the position may always hold.
    fn holds(&self, at: usize) -> bool {
        match &self.rule.body[at] {
            Literal::Positive(_) => true,
            Literal::Distinct(one, other, _) => !self.equal(one, other),
            Literal::Same(one, other, _) => self.equal(one, other),
            Literal::Negative(atom) => {
                if !self.grounder.is_static[atom.pred.0 as usize] {
                    return true;
                }
                let args = atom.args.iter().map(|pattern| self.known(pattern));
                let Some(args) = args.collect::<Option<Vec<Term>>>() else {
                    return true;
                };
                let database = &self.grounder.database;
                let found = database.find_atom(atom.pred, &args);
                !found.is_some_and(|atom| database.is_derived(atom))
            }
        }
    }

    /// The term that a pattern is with the variables that are bound, if that term is there.
    fn known(&self, pattern: &Pattern) -> Option<Term> {
        match pattern {
            Pattern::Term(term) => Some(*term),
            Pattern::Var(variable) => Some(self.bindings[*variable as usize]),
            Pattern::Compound(symbol, arguments) => {
                let arguments = arguments.iter().map(|argument| self.known(argument));
                let arguments: Vec<Term> = arguments.collect::<Option<_>>()?;
                self.grounder.sheet.terms.find(*symbol, &arguments)
            }
        }
    }

    /// True if two patterns are the same term, which may be one that nothing else has.
    fn equal(&self, one: &Pattern, other: &Pattern) -> bool {
        match (one, other) {
            (Pattern::Compound(a, xs), Pattern::Compound(b, ys)) => {
                a == b
                    && xs.len() == ys.len()
                    && xs.iter().zip(ys.iter()).all(|(x, y)| self.equal(x, y))
            }
            _ => match (self.known(one), self.known(other)) {
                (Some(one), Some(other)) => one == other,
                _ => false,
            },
        }
    }
}
