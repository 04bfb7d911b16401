//! Answers queries about a position by top-down evaluation with tabling: a relation is evaluated
//! only for the known arguments, and every such query once.
//!
//! Queries that need each other are repeated together until no answer is new. Then all of them
//! are complete. Negation waits for complete answers, and is refused where they need it themselves.

use std::sync::Arc;

use games::budget::{self, Spent, Ticks};

use super::order::{FactCounts, order};
use crate::limits::MOST_WORDS;
use crate::read::{Literal, Pattern, PredId, Rule, Sheet, pred};
use crate::terms::{Map, Symbol, Term, Terms};

/// Limits of the queries to one position, besides time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QuestionLimits {
    /// Candidates that are matched.
    pub(super) steps: u64,
    /// Stored answers, about 150 bytes each.
    pub(super) answers: usize,
    /// New terms, about 100 bytes each.
    pub(super) terms: usize,
    /// Nested queries.
    pub(super) depth: usize,
    /// Nested conditions; each takes a call.
    pub(super) frames: usize,
    /// The largest nesting depth of terms.
    pub(super) nesting: u32,
}

impl QuestionLimits {
    pub(super) const DEFAULT: QuestionLimits = QuestionLimits {
        steps: 60_000_000,
        answers: 1_000_000,
        terms: 1_000_000,
        depth: 4_000,
        frames: 150_000,
        nesting: 300,
    };
}

/// The reason why a query has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unsolved {
    #[error("a position takes more than {0} steps of the interpreter")]
    Steps(u64),
    #[error("a position has more than {0} answers in the interpreter")]
    Answers(usize),
    #[error("a position has more than {0} terms in the interpreter")]
    Terms(usize),
    #[error("the facts or moves of a position have more than {0} words")]
    Words(u64),
    #[error("recursion is deeper than {0} questions")]
    Depth(usize),
    #[error("terms are nested deeper than {0} times")]
    Nesting(u32),
    #[error("`{0}` depends on its own negation, so that nothing decides it")]
    Undecided(String),
    #[error(transparent)]
    Spent(#[from] Spent),
}

/// An argument that is not known, in a question.
const OPEN: u32 = u32::MAX;
/// A query that is not on the stack, and one that depends on none that is.
const NONE: usize = usize::MAX;

struct Table {
    pred: PredId,
    /// The arguments that are known.
    known: Box<[u32]>,
    answers: Vec<Box<[Term]>>,
    seen: Map<Box<[Term]>, ()>,
    complete: bool,
    /// Depth of the query on the stack.
    depth: usize,
    /// The outermost query on the stack that it needs.
    low: usize,
    /// The round in which it was answered last.
    round: u64,
}

/// Evaluation order of the literals of a rule.
type Plan = Arc<[usize]>;

pub(super) struct Solver {
    pub(super) terms: Terms,
    tables: Vec<Table>,
    by_question: Map<(PredId, Box<[u32]>), usize>,
    /// Questions that are not complete, in the order in which they were asked.
    open: Vec<usize>,
    depth: usize,
    frames: usize,
    round: u64,
    changes: u64,
    steps: u64,
    answers: usize,
    limits: QuestionLimits,
    ticks: Ticks,
    /// Number of terms before the queries about this position.
    first_terms: usize,
    /// The order of the literals of a rule, given which variables are bound.
    plans: Map<(usize, Box<[bool]>), Plan>,
    counts: FactCounts,
    facts: Vec<Term>,
    is_fact: Map<Term, ()>,
    by_name: Map<Symbol, Vec<Term>>,
    does: Vec<[Term; 2]>,
}

impl Solver {
    pub(super) fn new(sheet: &Sheet, limits: QuestionLimits) -> Self {
        Solver {
            terms: sheet.terms.clone(),
            tables: Vec::new(),
            by_question: Map::default(),
            open: Vec::new(),
            depth: 0,
            frames: 0,
            round: 0,
            changes: 0,
            steps: 0,
            answers: 0,
            limits,
            ticks: Ticks::default(),
            first_terms: 0,
            plans: Map::default(),
            counts: FactCounts::new(sheet),
            facts: Vec::new(),
            is_fact: Map::default(),
            by_name: Map::default(),
            does: Vec::new(),
        }
    }

    /// Sets the position, and the moves made in it.
    pub(super) fn set(&mut self, facts: &[Term], does: &[[Term; 2]], is_static: &[bool]) {
        self.forget(is_static);
        self.facts = facts.to_vec();
        self.is_fact = facts.iter().map(|fact| (*fact, ())).collect();
        self.by_name.clear();
        for fact in facts {
            let name = self.terms.parts(*fact).0;
            self.by_name.entry(name).or_default().push(*fact);
        }
        self.does = does.to_vec();
        self.steps = 0;
        self.first_terms = self.terms.len();
    }

    /// Drops the answers about the last position.
    fn forget(&mut self, is_static: &[bool]) {
        let tables = std::mem::take(&mut self.tables);
        self.by_question.clear();
        self.open.clear();
        (self.depth, self.frames, self.answers) = (0, 0, 0);
        for table in tables {
            if table.complete && is_static[table.pred.0 as usize] {
                self.answers += table.answers.len();
                let key = (table.pred, table.known.clone());
                self.by_question.insert(key, self.tables.len());
                self.tables.push(table);
            }
        }
        if self.answers > self.limits.answers / 2 {
            self.tables.clear();
            self.by_question.clear();
            self.answers = 0;
        }
    }

    /// All atoms of a relation whose first argument is this, if it is given.
    pub(super) fn ask(
        &mut self,
        sheet: &Sheet,
        pred: PredId,
        first: Option<Term>,
    ) -> Result<Vec<Box<[Term]>>, Unsolved> {
        let arity = sheet.preds[pred.0 as usize].arity;
        let mut known = vec![OPEN; arity];
        if let Some(first) = first {
            known[0] = first.0;
        }
        let table = self.table(pred, known.into());
        self.solve(sheet, table)?;
        Ok(self.tables[table].answers.clone())
    }

    fn table(&mut self, pred: PredId, known: Box<[u32]>) -> usize {
        let key = (pred, known);
        if let Some(table) = self.by_question.get(&key) {
            return *table;
        }
        let table = self.tables.len();
        self.tables.push(Table {
            pred,
            known: key.1.clone(),
            answers: Vec::new(),
            seen: Map::default(),
            complete: false,
            depth: NONE,
            low: NONE,
            round: 0,
        });
        self.by_question.insert(key, table);
        table
    }

    /// Answers a query. Returns the depth of the outermost query on the stack that it needs.
    fn solve(&mut self, sheet: &Sheet, table: usize) -> Result<usize, Unsolved> {
        let found = &self.tables[table];
        if found.complete {
            return Ok(NONE);
        }
        if found.depth != NONE {
            return Ok(found.depth);
        }
        if found.round == self.round && found.low != NONE {
            return Ok(found.low);
        }
        if self.depth == self.limits.depth {
            return Err(Unsolved::Depth(self.limits.depth));
        }
        let depth = self.depth;
        self.depth += 1;
        self.tables[table].depth = depth;
        let first_open = self.open.len();
        self.open.push(table);
        loop {
            self.round += 1;
            let before = self.changes;
            let mut low = NONE;
            let pred = self.tables[table].pred;
            for &rule in &sheet.preds[pred.0 as usize].rules {
                low = low.min(self.apply(sheet, rule, table)?);
            }
            if low < depth {
                let found = &mut self.tables[table];
                (found.depth, found.low, found.round) = (NONE, low, self.round);
                self.depth -= 1;
                return Ok(low);
            }
            if low == NONE || self.changes == before {
                break;
            }
        }
        for table in self.open.drain(first_open..) {
            let table = &mut self.tables[table];
            (table.complete, table.depth) = (true, NONE);
        }
        self.depth -= 1;
        Ok(NONE)
    }

    /// Adds the answers of a rule to a query.
    fn apply(&mut self, sheet: &Sheet, number: usize, table: usize) -> Result<usize, Unsolved> {
        self.ticks.tick()?;
        let rule = &sheet.rules[number];
        let mut bindings: Vec<Option<Term>> = vec![None; rule.variables.len()];
        let known = self.tables[table].known.clone();
        for (pattern, known) in rule.head.args.iter().zip(&known) {
            if *known != OPEN && !matches(&self.terms, pattern, Term(*known), &mut bindings) {
                return Ok(NONE);
            }
        }
        let bound: Box<[bool]> = bindings.iter().map(Option::is_some).collect();
        let key = (number, bound);
        let plan = match self.plans.get(&key) {
            Some(plan) => plan.clone(),
            None => {
                budget::check()?;
                let plan: Plan = order(&self.counts, rule, &key.1).into();
                self.plans.insert(key, plan.clone());
                plan
            }
        };
        let mut low = NONE;
        if self.frames + plan.len() > self.limits.frames {
            return Err(Unsolved::Depth(self.depth));
        }
        self.frames += plan.len();
        self.conditions(sheet, (rule, &plan), &mut bindings, table, &mut low)?;
        self.frames -= plan.len();
        Ok(low)
    }

    /// Evaluates the remaining conditions of a rule.
    fn conditions(
        &mut self,
        sheet: &Sheet,
        (rule, plan): (&Rule, &[usize]),
        bindings: &mut Vec<Option<Term>>,
        table: usize,
        low: &mut usize,
    ) -> Result<(), Unsolved> {
        let Some((at, rest)) = plan.split_first() else {
            return self.answer(rule, bindings, table);
        };
        match &rule.body[*at] {
            Literal::Distinct(one, other, _) => {
                if self.build(one, bindings)? != self.build(other, bindings)? {
                    self.conditions(sheet, (rule, rest), bindings, table, low)?;
                }
                Ok(())
            }
            Literal::Same(one, other, _) => {
                if self.build(one, bindings)? == self.build(other, bindings)? {
                    self.conditions(sheet, (rule, rest), bindings, table, low)?;
                }
                Ok(())
            }
            Literal::Negative(atom) => {
                if !self.holds(sheet, atom.pred, &atom.args, bindings)? {
                    self.conditions(sheet, (rule, rest), bindings, table, low)?;
                }
                Ok(())
            }
            Literal::Positive(atom) => {
                let candidates = self.candidates(sheet, atom.pred, &atom.args, bindings, low)?;
                for place in 0..candidates.len() {
                    self.steps += 1;
                    if self.steps > self.limits.steps {
                        return Err(Unsolved::Steps(self.limits.steps));
                    }
                    self.ticks.tick()?;
                    let mut next = bindings.clone();
                    let candidate = match &candidates {
                        Candidates::Given(given) => &given[place],
                        Candidates::Answers { table, .. } => &self.tables[*table].answers[place],
                    };
                    let mut both = atom.args.iter().zip(candidate);
                    if both.all(|(pattern, term)| matches(&self.terms, pattern, *term, &mut next)) {
                        self.conditions(sheet, (rule, rest), &mut next, table, low)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Evaluates an atom without free variables.
    fn holds(
        &mut self,
        sheet: &Sheet,
        pred: PredId,
        args: &[Pattern],
        bindings: &[Option<Term>],
    ) -> Result<bool, Unsolved> {
        let mut terms = Vec::with_capacity(args.len());
        for pattern in args {
            let Some(term) = self.build(pattern, bindings)? else {
                return Ok(false);
            };
            terms.push(term);
        }
        match pred {
            pred::TRUE => return Ok(self.is_fact.contains_key(&terms[0])),
            pred::DOES => return Ok(self.does.iter().any(|does| does[..] == terms[..])),
            _ => {}
        }
        let table = self.table(pred, terms.iter().map(|term| term.0).collect());
        if self.solve(sheet, table)? != NONE {
            return Err(Unsolved::Undecided(sheet.pred_name(pred).to_owned()));
        }
        Ok(!self.tables[table].answers.is_empty())
    }

    /// Atoms that may fit a condition.
    fn candidates(
        &mut self,
        sheet: &Sheet,
        pred: PredId,
        args: &[Pattern],
        bindings: &[Option<Term>],
        low: &mut usize,
    ) -> Result<Candidates, Unsolved> {
        let mut known = Vec::with_capacity(args.len());
        for pattern in args {
            known.push(self.build(pattern, bindings)?.map_or(OPEN, |term| term.0));
        }
        match pred {
            pred::TRUE => {
                if known[0] != OPEN {
                    let fact = Term(known[0]);
                    let there = self.is_fact.contains_key(&fact);
                    let given = there.then(|| Box::from([fact]));
                    return Ok(Candidates::Given(given.into_iter().collect()));
                }
                let facts = match &args[0] {
                    Pattern::Compound(symbol, _) => {
                        self.by_name.get(symbol).map_or(&[][..], |all| all)
                    }
                    _ => &self.facts[..],
                };
                let facts = facts.iter().map(|fact| [*fact].into());
                return Ok(Candidates::Given(facts.collect()));
            }
            pred::DOES => {
                let does = self.does.iter().map(|does| Box::from(&does[..]));
                return Ok(Candidates::Given(does.collect()));
            }
            _ => {}
        }
        let table = self.table(pred, known.into());
        *low = (*low).min(self.solve(sheet, table)?);
        let count = self.tables[table].answers.len();
        Ok(Candidates::Answers { table, count })
    }

    /// A pattern with its variables replaced; `None` if some of them have no value.
    fn build(
        &mut self,
        pattern: &Pattern,
        bindings: &[Option<Term>],
    ) -> Result<Option<Term>, Unsolved> {
        match pattern {
            Pattern::Term(term) => Ok(Some(*term)),
            Pattern::Var(variable) => Ok(bindings[*variable as usize]),
            Pattern::Compound(symbol, arguments) => {
                let mut built = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    match self.build(argument, bindings)? {
                        Some(term) => built.push(term),
                        None => return Ok(None),
                    }
                }
                let term = self.terms.term(*symbol, &built);
                if self.terms.len() > self.first_terms + self.limits.terms {
                    return Err(Unsolved::Terms(self.limits.terms));
                }
                if self.terms.words(term) > MOST_WORDS {
                    return Err(Unsolved::Words(MOST_WORDS));
                }
                if self.terms.depth(term) > self.limits.nesting {
                    return Err(Unsolved::Nesting(self.limits.nesting));
                }
                Ok(Some(term))
            }
        }
    }

    fn answer(
        &mut self,
        rule: &Rule,
        bindings: &[Option<Term>],
        table: usize,
    ) -> Result<(), Unsolved> {
        let mut answer = Vec::with_capacity(rule.head.args.len());
        for pattern in &rule.head.args {
            if let Some(term) = self.build(pattern, bindings)? {
                answer.push(term);
            }
        }
        let answer: Box<[Term]> = answer.into();
        let found = &mut self.tables[table];
        let fits = found
            .known
            .iter()
            .zip(&answer)
            .all(|(known, term)| *known == OPEN || *known == term.0);
        if fits && found.seen.insert(answer.clone(), ()).is_none() {
            found.answers.push(answer);
            self.changes += 1;
            self.answers += 1;
            if self.answers > self.limits.answers {
                return Err(Unsolved::Answers(self.limits.answers));
            }
        }
        Ok(())
    }
}

/// Atoms that may fit a condition.
enum Candidates {
    Given(Vec<Box<[Term]>>),
    /// Answers to a query, as far as it had some when it was asked.
    Answers {
        table: usize,
        count: usize,
    },
}

impl Candidates {
    fn len(&self) -> usize {
        match self {
            Candidates::Given(given) => given.len(),
            Candidates::Answers { count, .. } => *count,
        }
    }
}

/// Matches a pattern with a term, and binds its variables.
fn matches(terms: &Terms, pattern: &Pattern, term: Term, bindings: &mut [Option<Term>]) -> bool {
    match pattern {
        Pattern::Term(other) => *other == term,
        Pattern::Var(variable) => match &mut bindings[*variable as usize] {
            Some(bound) => *bound == term,
            free => {
                *free = Some(term);
                true
            }
        },
        Pattern::Compound(symbol, arguments) => {
            let (name, parts) = terms.parts(term);
            name == *symbol
                && parts.len() == arguments.len()
                && arguments
                    .iter()
                    .zip(parts)
                    .all(|(pattern, part)| matches(terms, pattern, *part, bindings))
        }
    }
}
