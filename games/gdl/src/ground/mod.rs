//! Grounding: all atoms that may ever hold, and the instances of rules that may derive them.
//!
//! Static relations are evaluated and vanish from the rules. For the rest, grounding assumes that
//! any reachable fact may be true and any possible move legal at any time; the network evaluates
//! negation of what depends on the position.

pub(crate) mod components;
mod database;
mod join;
mod plan;
mod rewriting;

use std::collections::VecDeque;

use games::budget::{self, Spent, Ticks};

use crate::ground::components::components;
use crate::limits::{GroundLimits, MOST_WORDS};
use crate::read::{Literal, Pattern, PredId, Sheet, pred};
use crate::terms::{Map, Symbol, Term};
pub(crate) use database::{AtomId, Database};
use join::Join;
use plan::{Plan, plan};

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Ungroundable {
    #[error("more than {0} ground atoms")]
    Atoms(usize),
    #[error("ground rules with more than {0} literals")]
    Literals(usize),
    /// Joins take too long.
    #[error("joins of more than {0} candidates")]
    Candidates(u64),
    /// Recursion makes ever deeper terms.
    #[error("terms nested deeper than {0} times")]
    Depth(u32),
    /// Terms are too long to be written.
    #[error("terms of more than {0} words")]
    Words(u64),
    /// Gates depend on each other in too long a row.
    #[error("more than {0} gates in a row")]
    Levels(u32),
    /// There was no time for it.
    #[error("{0}")]
    Spent(#[from] Spent),
}

/// An instance of a rule: the head, and the literals that depend on the position.
#[derive(Clone, Debug)]
pub(crate) struct GroundRule {
    pub(crate) head: AtomId,
    /// The rule of the sheet, for messages.
    pub(crate) rule: u32,
    /// Atoms, each with whether it is negated.
    pub(crate) body: Box<[(AtomId, bool)]>,
}

pub(crate) struct Ground {
    pub(crate) sheet: Sheet,
    pub(crate) database: Database,
    pub(crate) rules: Vec<GroundRule>,
    /// Which relations do not depend on the position.
    is_static: Vec<bool>,
}

impl Ground {
    /// True if an atom holds in every position.
    pub(crate) fn is_certain(&self, atom: AtomId) -> bool {
        let (pred, _) = self.database.parts(atom);
        self.is_static[pred.0 as usize] && self.database.is_derived(atom)
    }

    /// Other rules that mean the same and have fewer instances; `None` if there are none.
    pub(crate) fn rewritten(sheet: &Sheet) -> Option<Sheet> {
        rewriting::rewritten(sheet)
    }

    pub(crate) fn new(sheet: Sheet, limits: &GroundLimits) -> Result<Self, Ungroundable> {
        let strata = Strata::of(&sheet);
        let mut grounder = Grounder {
            database: Database::new(sheet.preds.len()),
            sheet,
            limits: *limits,
            candidates: 0,
            literals: 0,
            ticks: Ticks::default(),
            rules: Vec::new(),
            queue: VecDeque::new(),
            triggers: Map::default(),
            is_static: strata.is_static,
        };
        for stratum in &strata.order {
            grounder.stratum(stratum)?;
        }
        Ok(Ground {
            sheet: grounder.sheet,
            database: grounder.database,
            rules: grounder.rules,
            is_static: grounder.is_static,
        })
    }
}

/// Which relations are grounded: all but `base` and `input`, if nothing reads them. They say what can be
/// derived as well, and often more than that.
fn needed(sheet: &Sheet) -> Vec<bool> {
    let name = |pred: usize| sheet.pred_name(PredId(pred as u32)).to_lowercase();
    let preds = 0..sheet.preds.len();
    let mut needed: Vec<bool> = preds
        .map(|pred| !matches!(&*name(pred), "base" | "input"))
        .collect();
    for literal in sheet.rules.iter().flat_map(|rule| &rule.body) {
        if let Literal::Positive(atom) | Literal::Negative(atom) = literal {
            needed[atom.pred.0 as usize] = true;
        }
    }
    needed
}

/// The relations in the order of evaluation.
struct Strata {
    is_static: Vec<bool>,
    /// Static relations by components, then all others together.
    order: Vec<Vec<PredId>>,
}

impl Strata {
    fn of(sheet: &Sheet) -> Self {
        let count = sheet.preds.len();
        let mut edges: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut negative: Vec<(usize, usize)> = Vec::new();
        for rule in &sheet.rules {
            let head = rule.head.pred.0 as usize;
            for literal in &rule.body {
                match literal {
                    Literal::Positive(atom) => edges[head].push(atom.pred.0),
                    Literal::Negative(atom) => {
                        edges[head].push(atom.pred.0);
                        negative.push((head, atom.pred.0 as usize));
                    }
                    Literal::Distinct(..) | Literal::Same(..) => {}
                }
            }
        }
        let (component, components) = components(count, |node| &edges[node]);
        let needed = needed(sheet);
        let mut members: Vec<Vec<PredId>> = vec![Vec::new(); components];
        for (pred, component) in component.iter().enumerate() {
            if needed[pred] {
                members[*component as usize].push(PredId(pred as u32));
            }
        }
        members.retain(|members| !members.is_empty());
        let mut is_static = vec![true; count];
        for given in [pred::TRUE, pred::DOES] {
            is_static[given.0 as usize] = false;
        }
        // Recursion through negation may be decided by atoms, which the network finds out.
        for (head, body) in negative {
            if component[head] == component[body] {
                is_static[head] = false;
            }
        }
        let (mut order, mut dynamic) = (Vec::new(), Vec::new());
        for members in members {
            let depends = |pred: &PredId| {
                let node = pred.0 as usize;
                !is_static[node] || edges[node].iter().any(|to| !is_static[*to as usize])
            };
            if members.iter().any(depends) {
                for pred in &members {
                    is_static[pred.0 as usize] = false;
                }
                dynamic.extend(members);
            } else {
                order.push(members);
            }
        }
        order.push(dynamic);
        Strata { is_static, order }
    }
}

struct Grounder {
    sheet: Sheet,
    database: Database,
    limits: GroundLimits,
    candidates: u64,
    literals: usize,
    rules: Vec<GroundRule>,
    ticks: Ticks,
    /// Atoms that were derived, and not joined yet.
    queue: VecDeque<AtomId>,
    /// Plans that an atom of a relation may trigger, by the name of its main argument.
    triggers: Map<(PredId, Option<Symbol>), Vec<Plan>>,
    is_static: Vec<bool>,
}

/// A variable without a value.
const UNBOUND: Term = Term(u32::MAX);

/// As how many candidates an instance of a rule counts whose relation does not depend on the position.
const INSTANCE_COST: u64 = 15;

/// Assumed number of atoms of a relation whose atoms are not known yet, for plans.
const USUAL_SIZE: usize = 300;

impl Grounder {
    /// Derives all atoms of mutually dependent relations.
    fn stratum(&mut self, preds: &[PredId]) -> Result<(), Ungroundable> {
        let is_static = preds
            .first()
            .is_none_or(|pred| self.is_static[pred.0 as usize]);
        let mut inside = vec![false; self.sheet.preds.len()];
        for pred in preds {
            inside[pred.0 as usize] = true;
        }
        if !is_static || preds.is_empty() {
            self.begin_dynamic()?;
        }
        self.triggers.clear();
        let mut whole = Vec::new();
        for pred in preds {
            for rule in self.sheet.preds[pred.0 as usize].rules.clone() {
                self.plan_rule(rule, &inside, &mut whole)?;
            }
        }
        for plan in &whole {
            self.join(plan, None)?;
            budget::check()?;
        }
        while let Some(atom) = self.queue.pop_front() {
            self.database.add_to_indexes(&self.sheet.terms, atom);
            self.trigger(atom)?;
        }
        Ok(())
    }

    /// Adds facts of the initial position, facts that always become true, and moves that are always
    /// legal.
    fn begin_dynamic(&mut self) -> Result<(), Ungroundable> {
        for pred in [pred::INIT, pred::NEXT, pred::LEGAL] {
            for atom in self.database.of(pred).to_vec() {
                self.follow(atom)?;
            }
        }
        Ok(())
    }

    /// Plans a rule: from every literal that may still get atoms, or from all atoms at once.
    fn plan_rule(
        &mut self,
        number: usize,
        inside: &[bool],
        whole: &mut Vec<Plan>,
    ) -> Result<(), Ungroundable> {
        let rule = &self.sheet.rules[number];
        let begins = |literal: &Literal| match literal {
            Literal::Positive(atom) => {
                let pred = atom.pred;
                inside[pred.0 as usize] || pred == pred::TRUE || pred == pred::DOES
            }
            _ => false,
        };
        let positions: Vec<usize> = (0..rule.body.len())
            .filter(|at| begins(&rule.body[*at]))
            .collect();
        let sizes: Map<PredId, usize> = rule
            .body
            .iter()
            .filter_map(|literal| match literal {
                Literal::Positive(atom) if inside[atom.pred.0 as usize] => {
                    Some((atom.pred, USUAL_SIZE))
                }
                Literal::Positive(atom) => Some((atom.pred, self.database.of(atom.pred).len())),
                _ => None,
            })
            .collect();
        let size = |pred: PredId| sizes.get(&pred).copied().unwrap_or(USUAL_SIZE);
        // Planning long bodies takes its time, too.
        let literals = rule.body.len() as u64;
        self.candidates += literals * literals * (positions.len() as u64 + 1);
        if self.candidates > self.limits.candidates {
            return Err(Ungroundable::Candidates(self.limits.candidates));
        }
        budget::check()?;
        let (terms, database) = (&self.sheet.terms, &mut self.database);
        if positions.is_empty() {
            whole.push(plan(terms, database, (number, rule), None, &size));
            return Ok(());
        }
        for at in positions {
            let plan = plan(terms, database, (number, rule), Some(at), &size);
            let Literal::Positive(atom) = &rule.body[at] else {
                continue;
            };
            let name = main_argument(atom.pred).and_then(|main| match &atom.args[main] {
                Pattern::Compound(symbol, _) => Some(*symbol),
                Pattern::Term(term) => Some(terms.parts(*term).0),
                Pattern::Var(_) => None,
            });
            self.triggers
                .entry((atom.pred, name))
                .or_default()
                .push(plan);
        }
        Ok(())
    }

    /// Joins an atom that was just derived with all others.
    fn trigger(&mut self, atom: AtomId) -> Result<(), Ungroundable> {
        let (pred, args) = self.database.parts(atom);
        let name = main_argument(pred).map(|main| self.sheet.terms.parts(args[main]).0);
        let keys = [Some((pred, None)), name.map(|name| (pred, Some(name)))];
        for key in keys.into_iter().flatten() {
            let Some(plans) = self.triggers.remove(&key) else {
                continue;
            };
            for plan in &plans {
                self.join(plan, Some(atom))?;
            }
            self.triggers.insert(key, plans);
        }
        Ok(())
    }

    fn join(&mut self, plan: &Plan, begun: Option<AtomId>) -> Result<(), Ungroundable> {
        let rule = self.sheet.rules[plan.rule].clone();
        self.ticks.tick()?;
        let mut join = Join {
            plan,
            begun,
            bindings: vec![UNBOUND; rule.variables.len()],
            rule: &rule,
            key: Vec::new(),
            grounder: self,
        };
        if join.begin() {
            join.step(0)?;
        }
        Ok(())
    }

    /// Adds an instance of a rule, and derives its head.
    fn instance(&mut self, number: usize, bindings: &[Term]) -> Result<(), Ungroundable> {
        self.ticks.tick()?;
        let rule = self.sheet.rules[number].clone();
        let head = self.ground_atom(rule.head.pred, &rule.head.args, bindings)?;
        let is_demand = self.sheet.preds[rule.head.pred.0 as usize].is_demand;
        if self.is_static[rule.head.pred.0 as usize] || is_demand {
            // Those of other relations are limited by their literals.
            self.candidates += INSTANCE_COST;
            if self.candidates > self.limits.candidates {
                return Err(Ungroundable::Candidates(self.limits.candidates));
            }
        } else {
            let mut body = Vec::new();
            for literal in &rule.body {
                let (atom, negated) = match literal {
                    Literal::Positive(atom) => (atom, false),
                    Literal::Negative(atom) => (atom, true),
                    Literal::Distinct(..) | Literal::Same(..) => continue,
                };
                let number = atom.pred.0 as usize;
                if self.is_static[number] || self.sheet.preds[number].is_demand {
                    continue;
                }
                body.push((self.ground_atom(atom.pred, &atom.args, bindings)?, negated));
            }
            body.sort_unstable();
            body.dedup();
            self.literals += body.len() + 1;
            if self.literals > self.limits.literals {
                return Err(Ungroundable::Literals(self.limits.literals));
            }
            self.rules.push(GroundRule {
                head,
                rule: number as u32,
                body: body.into(),
            });
        }
        self.derive(head)
    }

    fn derive(&mut self, atom: AtomId) -> Result<(), Ungroundable> {
        if !self.database.derive(atom) {
            return Ok(());
        }
        self.queue.push_back(atom);
        let (pred, _) = self.database.parts(atom);
        if self.is_static[pred.0 as usize] {
            return Ok(());
        }
        self.follow(atom)
    }

    /// Handles the direct consequences of an atom: next facts become true, legal moves are made.
    fn follow(&mut self, atom: AtomId) -> Result<(), Ungroundable> {
        let (pred, args) = self.database.parts(atom);
        let follows = match pred {
            pred::INIT | pred::NEXT => pred::TRUE,
            pred::LEGAL if !self.sheet.roles.contains(&args[0]) => return Ok(()),
            pred::LEGAL => pred::DOES,
            _ => return Ok(()),
        };
        let args = args.to_vec();
        let follows = self.database.atom(follows, &args);
        self.check_size()?;
        if self.database.derive(follows) {
            self.queue.push_back(follows);
        }
        Ok(())
    }

    fn check_size(&self) -> Result<(), Ungroundable> {
        let terms = self.sheet.terms.len();
        if self.database.len() + terms > self.limits.atoms {
            return Err(Ungroundable::Atoms(self.limits.atoms));
        }
        Ok(())
    }

    fn ground_atom(
        &mut self,
        pred: PredId,
        args: &[Pattern],
        bindings: &[Term],
    ) -> Result<AtomId, Ungroundable> {
        let mut ground = Vec::with_capacity(args.len());
        for pattern in args {
            let term = substitute(&mut self.sheet.terms, pattern, bindings);
            if self.sheet.terms.depth(term) > self.limits.depth {
                return Err(Ungroundable::Depth(self.limits.depth));
            }
            if self.sheet.terms.words(term) > MOST_WORDS {
                return Err(Ungroundable::Words(MOST_WORDS));
            }
            ground.push(term);
        }
        let atom = self.database.atom(pred, &ground);
        self.check_size()?;
        Ok(atom)
    }
}

/// The argument whose name narrows down an atom most.
fn main_argument(pred: PredId) -> Option<usize> {
    match pred {
        pred::TRUE => Some(0),
        pred::DOES => Some(1),
        _ => None,
    }
}

/// A pattern with its variables replaced.
fn substitute(terms: &mut crate::terms::Terms, pattern: &Pattern, bindings: &[Term]) -> Term {
    match pattern {
        Pattern::Term(term) => *term,
        Pattern::Var(variable) => bindings[*variable as usize],
        Pattern::Compound(symbol, arguments) => {
            let arguments: Vec<Term> = arguments
                .iter()
                .map(|argument| substitute(terms, argument, bindings))
                .collect();
            terms.term(*symbol, &arguments)
        }
    }
}
