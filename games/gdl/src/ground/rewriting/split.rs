//! Splits long rules, so that they have fewer instances.
//!
//! A rule has an instance for each choice of all of its variables, also of those that only some conditions share:
//! `(<= (next (cell ?x ?c)) (true (cell ?x ?c)) (does ?p (move ?a ?b)) (distinct ?x ?a))` has one for each
//! cell, its contents and each move. With a relation for what is said of the move,
//! `(<= (r ?x) (does ?p (move ?a ?b)) (distinct ?x ?a))`, there is one for each cell and move, and the rule has one
//! for each cell and its contents.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use games::budget;

use super::{mark, mark_literal, meaning, rule_of};
use crate::limits::MOST_ALL_LITERALS;
use crate::read::{Atom, Literal, Pattern, Pred, PredId, Rule, Sheet, is_safe};

/// Looks at one variable of one condition that all rules together may take.
const MOST_LOOKS: usize = 500_000_000;

/// The same rules, long ones split; `None` if none can be, or that would take too long.
pub(super) fn split(sheet: &Sheet) -> Option<Sheet> {
    let mut splitting = Splitting {
        sheet: sheet.clone(),
        new: HashMap::new(),
        left: (0..sheet.rules.len()).collect(),
    };
    let (mut literals, mut looks) = (0, 0);
    while let Some(number) = splitting.left.pop_front() {
        let mut rule = Rule::clone(&splitting.sheet.rules[number]);
        loop {
            looks += rule.body.len() * rule.variables.len().pow(2);
            if looks > MOST_LOOKS || budget::check().is_err() {
                return None;
            }
            let Some(part) = part(&rule) else { break };
            rule = splitting.without(&rule, part);
        }
        literals += rule.body.len() + 1;
        if literals > MOST_ALL_LITERALS {
            return None;
        }
        splitting.sheet.rules[number] = Arc::new(rule);
    }
    (splitting.sheet.rules.len() > sheet.rules.len()).then_some(splitting.sheet)
}

/// Conditions of a rule that may be a rule of their own.
struct Part {
    body: Vec<Literal>,
    /// Conditions that bind variables which the part only compares, and those variables.
    domain: Option<(Vec<Literal>, Vec<Pattern>)>,
    /// The rest of the conditions, and the arguments of the new one.
    rest: Vec<Literal>,
    arguments: Vec<Pattern>,
}

/// What all conditions with one variable say, which the head does not have; of several such parts the one with
/// the fewest variables.
fn part(rule: &Rule) -> Option<Part> {
    let count = rule.variables.len();
    let mut in_head = vec![false; count];
    mark(&rule.head, &mut in_head);
    let sets: Vec<Vec<bool>> = rule
        .body
        .iter()
        .map(|literal| {
            let mut set = vec![false; count];
            mark_literal(literal, &mut set);
            set
        })
        .collect();
    let mut choices: Vec<(usize, Vec<bool>)> = Vec::new();
    for variable in (0..count).filter(|variable| !in_head[*variable]) {
        let mut all = vec![false; count];
        for set in sets.iter().filter(|set| set[variable]) {
            all.iter_mut().zip(set).for_each(|(all, has)| *all |= has);
        }
        let size = all.iter().filter(|has| **has).count();
        if (1..count).contains(&size) {
            choices.push((size, all));
        }
    }
    choices.sort();
    choices.dedup();
    let parts = choices.into_iter();
    let mut parts = parts.filter_map(|(_, all)| part_over(rule, &sets, &in_head, &all));
    parts.next()
}

/// The part of all conditions over these variables; `None` if it or the rest would not bind its variables.
fn part_over(rule: &Rule, sets: &[Vec<bool>], in_head: &[bool], all: &[bool]) -> Option<Part> {
    let is_inside = |set: &[bool]| set.iter().zip(all).all(|(has, all)| !has || *all);
    let (mut body, mut rest) = (Vec::new(), Vec::new());
    let mut outside = in_head.to_vec();
    for (literal, set) in rule.body.iter().zip(sets) {
        if set.contains(&true) && is_inside(set) {
            body.push(literal.clone());
        } else {
            outside
                .iter_mut()
                .zip(set)
                .for_each(|(out, has)| *out |= has);
            rest.push(literal.clone());
        }
    }
    if rest.is_empty() {
        return None;
    }
    let patterns = |is_one: &dyn Fn(usize) -> bool| -> Vec<Pattern> {
        let variables = (0..rule.variables.len()).filter(|variable| is_one(*variable));
        variables
            .map(|number| Pattern::Var(number as u16))
            .collect()
    };
    let mut bound = vec![false; rule.variables.len()];
    for literal in &body {
        if let Literal::Positive(atom) = literal {
            mark(atom, &mut bound);
        }
    }
    let unbound = patterns(&|variable| all[variable] && !bound[variable]);
    let part = Part {
        arguments: patterns(&|variable| all[variable] && outside[variable]),
        domain: (!unbound.is_empty()).then(|| (binders(&rest, &unbound), unbound)),
        body,
        rest,
    };
    part.is_safe(rule).then_some(part)
}

/// The conditions that bind any of these variables.
fn binders(rest: &[Literal], variables: &[Pattern]) -> Vec<Literal> {
    let binds = |literal: &&Literal| {
        let mut found = false;
        if let Literal::Positive(atom) = literal {
            for argument in &atom.args {
                argument.each_variable(&mut |variable| {
                    found |= variables.contains(&Pattern::Var(variable));
                });
            }
        }
        found
    };
    rest.iter().filter(binds).cloned().collect()
}

impl Part {
    /// True if its rules, and what is left of the whole one, bind all of their variables.
    fn is_safe(&self, rule: &Rule) -> bool {
        let with = |literals: &[Literal], arguments: &[Pattern]| {
            let mut body = literals.to_vec();
            body.push(literal(rule, rule.head.pred, arguments));
            body
        };
        let is_rule = |arguments: &[Pattern], body: &[Literal]| {
            is_safe(&rule_of(&head(rule, rule.head.pred, arguments), body, rule))
        };
        let is_bound = match &self.domain {
            None => is_rule(&self.arguments, &self.body),
            Some((binders, variables)) => {
                is_rule(variables, binders)
                    && is_rule(&self.arguments, &with(&self.body, variables))
            }
        };
        let rest = with(&self.rest, &self.arguments);
        is_bound && is_safe(&rule_of(&rule.head, &rest, rule))
    }
}

/// An atom of a relation that is made of a rule.
fn head(rule: &Rule, pred: PredId, arguments: &[Pattern]) -> Atom {
    Atom {
        pred,
        args: arguments.to_vec(),
        place: rule.head.place,
    }
}

fn literal(rule: &Rule, pred: PredId, arguments: &[Pattern]) -> Literal {
    Literal::Positive(head(rule, pred, arguments))
}

struct Splitting {
    sheet: Sheet,
    /// The new relations, by what their rules say, and whether they are demands.
    new: HashMap<(bool, String), PredId>,
    /// Rules that are not split yet.
    left: VecDeque<usize>,
}

impl Splitting {
    /// A rule with a relation in place of a part of its conditions.
    fn without(&mut self, rule: &Rule, part: Part) -> Rule {
        let mut body = part.body;
        if let Some((binders, variables)) = part.domain {
            // It limits which instances there are, and is no part of what they say.
            let domain = self.relation(rule, &variables, &binders, true);
            body.push(literal(rule, domain, &variables));
        }
        let pred = self.relation(rule, &part.arguments, &body, false);
        let mut rest = part.rest;
        rest.push(literal(rule, pred, &part.arguments));
        rule_of(&rule.head, &rest, rule)
    }

    /// The relation of these variables of a rule under these conditions.
    fn relation(
        &mut self,
        rule: &Rule,
        variables: &[Pattern],
        body: &[Literal],
        is_demand: bool,
    ) -> PredId {
        let next = PredId(self.sheet.preds.len() as u32);
        let new = rule_of(&head(rule, next, variables), body, rule);
        let pred = *self.new.entry((is_demand, meaning(&new))).or_insert(next);
        if pred == next {
            let number = self.sheet.rules.len();
            let named = &self.sheet.preds[rule.head.pred.0 as usize];
            self.sheet.preds.push(Pred {
                symbol: named.symbol,
                arity: variables.len(),
                place: named.place,
                rules: vec![number],
                is_demand,
            });
            self.sheet.rules.push(Arc::new(new));
            self.left.push_back(number);
        }
        pred
    }
}
