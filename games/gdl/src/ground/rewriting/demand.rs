//! Grounding by demand: relations are derived only for the arguments that they are asked for.
//!
//! A relation may hold for far more arguments than anybody asks about: `(count ?a ?b ?c ?n)` counts the stones on
//! any three cells, and a sheet asks about one triple. So such a relation gets another one, which lists what it
//! is asked for, as its first condition: its demand (the field calls it a magic set). What demands it are the
//! literals that bind the arguments, without those that only the position decides. Demands limit which instances
//! of rules there are, and are no part of them.

use std::collections::HashSet;
use std::sync::Arc;

use games::budget;

use super::super::{Strata, needed};
use super::{mark, meaning, rule_of};
use crate::limits::MOST_ALL_LITERALS;
use crate::read::{Atom, Literal, Pattern, Pred, PredId, Rule, Sheet, pred};

/// No more attempts to find out which arguments are always known.
const MOST_ROUNDS: usize = 50;
/// Pairs of literals of one rule, in all rules, that such an attempt looks at.
const MOST_PAIRS: usize = 10_000_000;

/// Which arguments of each relation are known wherever it is asked for; `None` for a relation that is derived as
/// a whole.
type Asked = Vec<Option<Vec<bool>>>;

/// The same rules with demands; `None` if no relation has one.
pub(super) fn by_demand(sheet: &Sheet) -> Option<Sheet> {
    let pairs = sheet.rules.iter().map(|rule| rule.body.len().pow(2));
    if pairs.sum::<usize>() > MOST_PAIRS {
        return None;
    }
    let needed = needed(sheet);
    let mut asked = possible(sheet);
    let mut rounds = 0;
    while narrow(sheet, &needed, &mut asked) {
        rounds += 1;
        if rounds > MOST_ROUNDS || budget::check().is_err() {
            return None;
        }
    }
    if asked.iter().all(Option::is_none) {
        return None;
    }
    Rewriting::new(sheet, &asked).rewrite(&needed)
}

/// Every relation with rules that depends on the position, as if all of its arguments were always known.
fn possible(sheet: &Sheet) -> Asked {
    let is_static = Strata::of(sheet).is_static;
    let preds = sheet.preds.iter().enumerate();
    let asked = preds.map(|(number, pred)| {
        let is_keyword = number < pred::COUNT;
        let is_rule = |rule: &usize| !sheet.rules[*rule].body.is_empty();
        let has_demand = !is_keyword
            && !pred.is_demand
            && !is_static[number]
            && pred.arity > 0
            && pred.rules.iter().any(is_rule);
        has_demand.then(|| vec![true; pred.arity])
    });
    asked.collect()
}

/// Takes away arguments that are not known wherever a relation is asked for; false if there were none.
fn narrow(sheet: &Sheet, needed: &[bool], asked: &mut Asked) -> bool {
    let mut changed = false;
    for rule in &sheet.rules {
        if !needed[rule.head.pred.0 as usize] {
            continue;
        }
        for call in calls(rule, asked) {
            let (Literal::Positive(atom) | Literal::Negative(atom)) = &rule.body[call.literal]
            else {
                continue;
            };
            let place = &mut asked[atom.pred.0 as usize];
            let Some(known) = place else { continue };
            for (known, argument) in known.iter_mut().zip(&atom.args) {
                if *known && !argument.is_bound(&call.bound) {
                    *known = false;
                    changed = true;
                }
            }
            if !known.contains(&true) {
                *place = None;
            }
        }
    }
    changed
}

/// A literal that asks for a relation with a demand.
struct Call {
    literal: usize,
    /// The literals before it, which may bind its arguments.
    earlier: Vec<usize>,
    bound: Vec<bool>,
}

/// The literals of a rule that ask for relations with demands, in the order in which they are asked: behind all
/// other literals, those with the most known arguments first.
fn calls(rule: &Rule, asked: &Asked) -> Vec<Call> {
    let demand = |atom: &Atom| asked[atom.pred.0 as usize].as_deref();
    let mut bound = vec![false; rule.variables.len()];
    for argument in asked_arguments(&rule.head, demand(&rule.head)) {
        argument.each_variable(&mut |variable| bound[usize::from(variable)] = true);
    }
    let (mut earlier, mut left, mut negative) = (Vec::new(), Vec::new(), Vec::new());
    for (number, literal) in rule.body.iter().enumerate() {
        match literal {
            Literal::Positive(atom) if demand(atom).is_some() => left.push((number, atom)),
            Literal::Positive(atom) => {
                mark(atom, &mut bound);
                earlier.push(number);
            }
            Literal::Negative(atom) if demand(atom).is_some() => negative.push(number),
            Literal::Negative(_) | Literal::Distinct(..) | Literal::Same(..) => {}
        }
    }
    let mut calls = Vec::new();
    while !left.is_empty() {
        let unknown = |(_, atom): &(usize, &Atom)| {
            let arguments = asked_arguments(atom, demand(atom));
            arguments
                .filter(|argument| !argument.is_bound(&bound))
                .count()
        };
        let places = 0..left.len();
        let best = places
            .min_by_key(|place| unknown(&left[*place]))
            .unwrap_or(0);
        let (literal, atom) = left.remove(best);
        calls.push(Call {
            literal,
            earlier: earlier.clone(),
            bound: bound.clone(),
        });
        mark(atom, &mut bound);
        earlier.push(literal);
    }
    calls.extend(negative.into_iter().map(|literal| Call {
        literal,
        earlier: earlier.clone(),
        bound: bound.clone(),
    }));
    calls
}

/// The arguments of an atom that are asked for.
fn asked_arguments<'a>(
    atom: &'a Atom,
    asked: Option<&'a [bool]>,
) -> impl Iterator<Item = &'a Pattern> {
    let asked = asked.unwrap_or_default().iter();
    let arguments = atom.args.iter().zip(asked);
    arguments.filter_map(|(argument, asked)| asked.then_some(argument))
}

struct Rewriting<'s> {
    asked: &'s Asked,
    sheet: &'s Sheet,
    new: Sheet,
    /// The demand of each relation.
    demands: Vec<Option<PredId>>,
    /// The rules of demands so far.
    added: HashSet<(PredId, String)>,
    literals: usize,
}

impl<'s> Rewriting<'s> {
    fn new(sheet: &'s Sheet, asked: &'s Asked) -> Self {
        let mut new = sheet.clone();
        let mut demands = Vec::new();
        for (pred, asked) in sheet.preds.iter().zip(asked) {
            demands.push(asked.as_ref().map(|asked| {
                new.preds.push(Pred {
                    symbol: pred.symbol,
                    arity: asked.iter().filter(|asked| **asked).count(),
                    place: pred.place,
                    rules: Vec::new(),
                    is_demand: true,
                });
                PredId(new.preds.len() as u32 - 1)
            }));
        }
        Rewriting {
            asked,
            sheet,
            new,
            demands,
            added: HashSet::new(),
            literals: 0,
        }
    }

    fn rewrite(mut self, needed: &[bool]) -> Option<Sheet> {
        let sheet = self.sheet;
        for (number, rule) in sheet.rules.iter().enumerate() {
            if !needed[rule.head.pred.0 as usize] {
                continue;
            }
            for call in calls(rule, self.asked) {
                self.add_demand(rule, &call);
            }
            if let Some(demand) = self.demand(&rule.head) {
                let mut rule = Rule::clone(rule);
                rule.body.insert(0, Literal::Positive(demand));
                self.new.rules[number] = Arc::new(rule);
            }
            self.literals += rule.body.len() + 1;
            if self.literals > MOST_ALL_LITERALS {
                return None;
            }
        }
        Some(self.new)
    }

    /// What asks for an atom.
    fn demand(&self, atom: &Atom) -> Option<Atom> {
        let number = atom.pred.0 as usize;
        let arguments = asked_arguments(atom, self.asked[number].as_deref());
        Some(Atom {
            pred: self.demands[number]?,
            args: arguments.cloned().collect(),
            place: atom.place,
        })
    }

    /// Adds the rule by which a literal asks for its relation.
    fn add_demand(&mut self, rule: &Rule, call: &Call) {
        let (Literal::Positive(atom) | Literal::Negative(atom)) = &rule.body[call.literal] else {
            return;
        };
        let Some(head) = self.demand(atom) else {
            return;
        };
        let mut sources: Vec<Literal> = Vec::new();
        sources.extend(self.demand(&rule.head).map(Literal::Positive));
        let first_earlier = sources.len();
        sources.extend(call.earlier.iter().map(|at| rule.body[*at].clone()));
        let has_head = first_earlier == 1;
        let mut body = binding(&head, &sources, has_head, rule.variables.len());
        let same = |literal: &Literal| matches!(literal, Literal::Positive(atom) if atom.pred == head.pred && atom.args == head.args);
        if body.iter().any(same) {
            return;
        }
        let mut bound = vec![false; rule.variables.len()];
        for literal in &body {
            if let Literal::Positive(atom) = literal {
                mark(atom, &mut bound);
            }
        }
        let tests = rule.body.iter().filter(|literal| match literal {
            Literal::Distinct(one, other, _) | Literal::Same(one, other, _) => {
                one.is_bound(&bound) && other.is_bound(&bound)
            }
            Literal::Positive(_) | Literal::Negative(_) => false,
        });
        body.extend(tests.cloned());
        let rule = rule_of(&head, &body, rule);
        if !self.added.insert((rule.head.pred, meaning(&rule))) {
            return;
        }
        self.literals += rule.body.len() + 1;
        let number = self.new.rules.len();
        self.new.preds[rule.head.pred.0 as usize].rules.push(number);
        self.new.rules.push(Arc::new(rule));
    }
}

/// The literals that bind the variables of a demand, and those that connect them with the demand of the rule
/// itself, which is the first source if there is one. All others would limit it little and cost joins.
fn binding(head: &Atom, sources: &[Literal], has_demand: bool, variables: usize) -> Vec<Literal> {
    let mut wanted = vec![false; variables];
    mark(head, &mut wanted);
    let of = |literal: &Literal| {
        let mut all = vec![false; variables];
        if let Literal::Positive(atom) = literal {
            mark(atom, &mut all);
        }
        all
    };
    let sets: Vec<Vec<bool>> = sources.iter().map(of).collect();
    let meet = |one: &[bool], other: &[bool]| one.iter().zip(other).any(|(a, b)| *a && *b);
    let mut chosen: Vec<bool> = sets.iter().map(|set| meet(set, &wanted)).collect();
    if has_demand && !chosen[0] {
        for at in way(&sets, &chosen) {
            chosen[at] = true;
        }
    }
    let chosen = sources.iter().zip(chosen).filter(|(_, chosen)| *chosen);
    chosen.map(|(literal, _)| literal.clone()).collect()
}

/// The shortest way from the chosen sets to the first one, over sets that share variables; empty if there is none.
fn way(sets: &[Vec<bool>], chosen: &[bool]) -> Vec<usize> {
    let meet = |one: usize, other: usize| sets[one].iter().zip(&sets[other]).any(|(a, b)| *a && *b);
    let mut from: Vec<Option<usize>> = vec![None; sets.len()];
    let mut queue: Vec<usize> = (0..sets.len()).filter(|at| chosen[*at]).collect();
    let mut next = 0;
    while next < queue.len() {
        let at = queue[next];
        next += 1;
        for other in 0..sets.len() {
            if chosen[other] || from[other].is_some() || !meet(at, other) {
                continue;
            }
            from[other] = Some(at);
            queue.push(other);
        }
    }
    let mut way = Vec::new();
    let mut at = 0;
    while let Some(before) = from[at] {
        way.push(at);
        at = before;
    }
    way
}
