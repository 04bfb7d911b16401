//! Evaluation order of the literals of a rule.

use std::collections::HashSet;

use crate::read::{Literal, Pattern, PredId, Rule, Sheet, pred};

/// The relations of a sheet that have only facts: how many, and how many different terms at each place.
pub(super) struct FactCounts(Vec<Option<Counts>>);

struct Counts {
    facts: f64,
    different: Vec<f64>,
}

impl FactCounts {
    pub(super) fn new(sheet: &Sheet) -> Self {
        let counts = sheet.preds.iter().map(|pred| {
            let rules = || pred.rules.iter().map(|rule| &sheet.rules[*rule]);
            if rules().any(|rule| !rule.body.is_empty()) {
                return None;
            }
            let mut terms = vec![HashSet::new(); pred.arity];
            for fact in rules() {
                for (terms, pattern) in terms.iter_mut().zip(&fact.head.args) {
                    if let Pattern::Term(term) = pattern {
                        terms.insert(*term);
                    }
                }
            }
            Some(Counts {
                facts: pred.rules.len() as f64,
                different: terms.iter().map(|terms| terms.len() as f64).collect(),
            })
        });
        FactCounts(counts.collect())
    }

    /// About how many facts fit if the terms at some places are known; `None` if the relation has rules, too.
    fn fitting(&self, pred: PredId, is_known: impl Iterator<Item = bool>) -> Option<f64> {
        let Counts { facts, different } = self.0[pred.0 as usize].as_ref()?;
        let known = different.iter().zip(is_known).filter(|(_, known)| *known);
        let choices: f64 = known.map(|(different, _)| different.max(1.0)).product();
        Some(facts / choices)
    }
}

/// The order of the literals of a rule: tests as soon as all their variables are bound, then what binds
/// most and leaves the fewest choices.
pub(super) fn order(counts: &FactCounts, rule: &Rule, bound: &[bool]) -> Vec<usize> {
    let mut bound = bound.to_vec();
    let mut left: Vec<usize> = (0..rule.body.len()).collect();
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let cost = |at: &usize| cost(counts, &rule.body[*at], &bound);
        let best = left.iter().min_by(|a, b| cost(a).total_cmp(&cost(b)));
        let best = *best.expect("something is left");
        left.retain(|at| *at != best);
        if let Literal::Positive(atom) = &rule.body[best] {
            for pattern in &atom.args {
                pattern.each_variable(&mut |variable| bound[variable as usize] = true);
            }
        }
        order.push(best);
    }
    order
}

fn cost(counts: &FactCounts, literal: &Literal, bound: &[bool]) -> f64 {
    let test = |patterns: &[&Pattern]| {
        if patterns.iter().all(|pattern| pattern.is_bound(bound)) {
            0.0
        } else {
            f64::INFINITY
        }
    };
    match literal {
        Literal::Distinct(one, other, _) | Literal::Same(one, other, _) => test(&[one, other]),
        // Later than comparisons: it may ask for much.
        Literal::Negative(atom) => 0.4 + test(&atom.args.iter().collect::<Vec<_>>()),
        Literal::Positive(atom) => {
            let is_known = || atom.args.iter().map(|pattern| pattern.is_bound(bound));
            let known = is_known().filter(|known| *known).count();
            let free = atom.args.len() - known;
            let fitting = counts.fitting(atom.pred, is_known());
            match (atom.pred, fitting) {
                (pred::TRUE, _) if free == 0 => 0.1,
                (_, Some(_)) if free == 0 => 0.2,
                (pred::TRUE | pred::DOES, _) => {
                    let mut parts = 0;
                    for pattern in &atom.args {
                        pattern.each_variable(&mut |variable| {
                            parts += i32::from(!bound[variable as usize]);
                        });
                    }
                    2.0 + 3.0 * f64::from(parts)
                }
                (_, Some(fitting)) => 1.0 + fitting,
                _ if free == 0 => 6.0,
                _ => 20.0 * 4f64.powi(free as i32) / 2f64.powi(known as i32),
            }
        }
    }
}
