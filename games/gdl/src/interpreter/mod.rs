//! Interprets sheets that do not ground, by tabled top-down evaluation.

mod order;
mod solver;

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use games::budget::Budget;

use crate::engine::{Engine, Failure, Percepts};
use crate::limits::{GroundLimits, MOST_ALL_WORDS, within};
use crate::read::{Literal, Sheet, pred, term};
use crate::terms::{Term, Terms};
use solver::{QuestionLimits, Solver, Unsolved};

/// The stack of the thread that evaluates, in bytes. Only what is used of it takes memory.
const STACK: usize = 512 << 20;
/// Solvers with more terms are not used again.
const MOST_TERMS: usize = 500_000;
/// No more solvers are kept.
const MOST_KEPT: usize = 4;

pub(crate) struct Interpreter {
    sheet: Sheet,
    roles: Vec<String>,
    /// True for relations that do not depend on the position.
    is_static: Vec<bool>,
    /// Unused solvers, with their results about the sheet.
    idle: Mutex<Vec<Solver>>,
    limits: QuestionLimits,
    /// The time limit of all questions about a position; `None` for no limit.
    time: Option<Duration>,
}

/// A position: its facts, and what follows from them before anybody moves.
#[derive(Clone, Debug)]
pub(crate) struct InterpretedPosition(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Sorted.
    facts: Vec<String>,
    over: bool,
    /// The moves of each role, sorted.
    legal: Vec<Vec<String>>,
}

impl Interpreter {
    pub(crate) fn new(sheet: Sheet, limits: &GroundLimits) -> Self {
        let roles = sheet.roles.iter().map(|role| sheet.terms.text(*role));
        Interpreter {
            roles: roles.collect(),
            is_static: static_relations(&sheet),
            idle: Mutex::new(Vec::new()),
            limits: QuestionLimits {
                steps: limits.steps,
                ..QuestionLimits::DEFAULT
            },
            time: limits.question_time,
            sheet,
        }
    }

    /// Evaluates something in a thread with a large stack.
    fn evaluate<T: Send>(
        &self,
        act: impl FnOnce(&mut Solver) -> Result<T, Unsolved> + Send,
    ) -> Result<T, Failure> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = idle().pop();
        let outer = Budget::current();
        let budget = within(self.time);
        let work = || {
            let mut solver = match kept {
                Some(solver) => solver,
                None => Solver::new(&self.sheet, self.limits),
            };
            let result = outer.run(|| budget.run(|| act(&mut solver)));
            (result, solver)
        };
        let finished = thread::scope(|scope| {
            let thread = thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, work);
            thread.map_or_else(
                |error| Err(error.to_string()),
                |thread| {
                    thread
                        .join()
                        .map_err(|_| "the interpreter panicked".to_owned())
                },
            )
        });
        let (result, solver) = finished.map_err(Failure::Interpreter)?;
        let mut kept = idle();
        if kept.len() < MOST_KEPT && solver.terms.len() < MOST_TERMS {
            kept.push(solver);
        }
        result.map_err(|unsolved| match unsolved {
            Unsolved::Spent(spent) => Failure::Spent(spent),
            unsolved => Failure::Interpreter(unsolved.to_string()),
        })
    }

    /// The position with these facts.
    fn look(
        &self,
        solver: &mut Solver,
        mut facts: Vec<String>,
    ) -> Result<InterpretedPosition, Unsolved> {
        facts.sort_unstable();
        facts.dedup();
        let terms = self.terms(solver, &facts);
        solver.set(&terms, &[], &self.is_static);
        let over = !solver.ask(&self.sheet, pred::TERMINAL, None)?.is_empty();
        let mut legal = Vec::new();
        for role in &self.sheet.roles {
            let mut moves = Vec::new();
            if !over {
                moves = self.second(solver, pred::LEGAL, *role)?;
            }
            legal.push(moves);
        }
        Ok(InterpretedPosition(Arc::new(Inner { facts, over, legal })))
    }

    fn terms(&self, solver: &mut Solver, texts: &[String]) -> Vec<Term> {
        texts
            .iter()
            .filter_map(|text| term(&mut solver.terms, text))
            .collect()
    }

    /// The second arguments of a relation whose first one is a role, sorted.
    fn second(
        &self,
        solver: &mut Solver,
        pred: crate::read::PredId,
        role: Term,
    ) -> Result<Vec<String>, Unsolved> {
        let answers = solver.ask(&self.sheet, pred, Some(role))?;
        let texts = answers
            .iter()
            .map(|answer| answer[1])
            .collect::<Vec<Term>>();
        let mut texts = written(&solver.terms, &texts)?;
        texts.sort();
        texts.dedup();
        Ok(texts)
    }
}

fn written(terms: &Terms, all: &[Term]) -> Result<Vec<String>, Unsolved> {
    let words = all.iter().map(|term| terms.words(*term));
    if words.fold(0, u64::saturating_add) > MOST_ALL_WORDS {
        return Err(Unsolved::Words(MOST_ALL_WORDS));
    }
    Ok(all.iter().map(|term| terms.text(*term)).collect())
}

/// Which relations do not depend on facts and moves.
fn static_relations(sheet: &Sheet) -> Vec<bool> {
    let mut is_static = vec![true; sheet.preds.len()];
    for given in [pred::TRUE, pred::DOES] {
        is_static[given.0 as usize] = false;
    }
    loop {
        let mut changed = false;
        for rule in &sheet.rules {
            let depends = rule.body.iter().any(|literal| match literal {
                Literal::Positive(atom) | Literal::Negative(atom) => {
                    !is_static[atom.pred.0 as usize]
                }
                Literal::Distinct(..) | Literal::Same(..) => false,
            });
            let head = rule.head.pred.0 as usize;
            if depends && is_static[head] {
                is_static[head] = false;
                changed = true;
            }
        }
        if !changed {
            return is_static;
        }
    }
}

impl Interpreter {
    /// The goal of a role, of the values that the rules give it.
    fn goal(&self, role: usize, values: &[String]) -> Result<Option<i64>, Failure> {
        let mut best = None;
        for value in values {
            match value.parse::<i64>() {
                Ok(value) if (0..=100).contains(&value) => best = best.max(Some(value)),
                _ => return Err(Failure::GoalValue(self.roles[role].clone())),
            }
        }
        Ok(best)
    }
}

impl Engine for Interpreter {
    type Position = InterpretedPosition;
    type Snapshot = InterpretedPosition;

    fn roles(&self) -> &[String] {
        &self.roles
    }

    fn start(&self) -> Result<InterpretedPosition, Failure> {
        self.evaluate(|solver| {
            solver.set(&[], &[], &self.is_static);
            let init = solver.ask(&self.sheet, pred::INIT, None)?;
            let init: Vec<Term> = init.iter().map(|answer| answer[0]).collect();
            let init = written(&solver.terms, &init)?;
            self.look(solver, init)
        })
    }

    fn load(&self, facts: &[String]) -> Result<InterpretedPosition, Failure> {
        self.evaluate(|solver| {
            let terms = self.terms(solver, facts);
            let spelled = terms.iter().map(|fact| solver.terms.text(*fact)).collect();
            self.look(solver, spelled)
        })
    }

    fn facts(&self, position: &InterpretedPosition) -> Vec<String> {
        position.0.facts.clone()
    }

    fn snapshot(&self, position: &InterpretedPosition) -> InterpretedPosition {
        position.clone()
    }

    fn restore(
        &self,
        position: &mut InterpretedPosition,
        snapshot: &InterpretedPosition,
    ) -> Result<(), Failure> {
        position.clone_from(snapshot);
        Ok(())
    }

    fn is_over(&self, position: &InterpretedPosition) -> bool {
        position.0.over
    }

    fn count_legal(&self, position: &InterpretedPosition, role: usize) -> usize {
        position.0.legal[role].len()
    }

    fn nth_legal(&self, _: &InterpretedPosition, _: usize, index: usize) -> u32 {
        index as u32
    }

    fn legal(&self, position: &InterpretedPosition, role: usize, out: &mut Vec<u32>) {
        out.clear();
        out.extend(0..position.0.legal[role].len() as u32);
    }

    fn text<'a>(&'a self, position: &'a InterpretedPosition, role: usize, mv: u32) -> &'a str {
        &position.0.legal[role][mv as usize]
    }

    fn find(&self, position: &InterpretedPosition, role: usize, text: &str) -> Option<u32> {
        let moves = position.0.legal[role].iter();
        let found = moves.enumerate().find(|(_, mv)| mv.to_lowercase() == text);
        found.map(|(number, _)| number as u32)
    }

    fn each_goal(
        &self,
        position: &InterpretedPosition,
        roles: &[usize],
        take: &mut dyn FnMut(Option<i64>),
    ) -> Result<(), Failure> {
        let values = self.evaluate(|solver| {
            let facts = self.terms(solver, &position.0.facts);
            solver.set(&facts, &[], &self.is_static);
            let roles = roles.iter();
            roles
                .map(|role| self.second(solver, pred::GOAL, self.sheet.roles[*role]))
                .collect::<Result<Vec<_>, _>>()
        })?;
        for (role, values) in roles.iter().zip(values) {
            take(self.goal(*role, &values)?);
        }
        Ok(())
    }
    fn step(
        &self,
        position: &mut InterpretedPosition,
        joint: &[u32],
        percepts: Option<&mut Percepts>,
    ) -> Result<(), Failure> {
        let wants_percepts = percepts.is_some();
        let inner = &position.0;
        let (next, seen) = self.evaluate(|solver| {
            let facts = self.terms(solver, &inner.facts);
            let mut does = Vec::new();
            for (role, mv) in joint.iter().enumerate() {
                if let Some(mv) = term(&mut solver.terms, &inner.legal[role][*mv as usize]) {
                    does.push([self.sheet.roles[role], mv]);
                }
            }
            solver.set(&facts, &does, &self.is_static);
            let next = solver.ask(&self.sheet, pred::NEXT, None)?;
            let next: Vec<Term> = next.iter().map(|answer| answer[0]).collect();
            let next = written(&solver.terms, &next)?;
            let mut seen = Vec::new();
            if wants_percepts {
                for role in &self.sheet.roles {
                    seen.push(self.second(solver, pred::SEES, *role)?);
                }
            }
            Ok((self.look(solver, next)?, seen))
        })?;
        if let Some(out) = percepts {
            for (all, new) in out.iter_mut().zip(seen) {
                all.extend(new);
            }
        }
        *position = next;
        Ok(())
    }
}
