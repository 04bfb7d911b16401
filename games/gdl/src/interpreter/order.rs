//! Evaluation order of the literals of a rule.

use crate::read::{Literal, Pattern, Rule, Sheet, pred};

/// The order of the literals of a rule: tests as soon as all their variables are bound, then what binds
/// most and leaves the fewest choices.
pub(super) fn order(sheet: &Sheet, rule: &Rule, bound: &[bool]) -> Vec<usize> {
    let mut bound = bound.to_vec();
    let mut left: Vec<usize> = (0..rule.body.len()).collect();
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let cost = |at: &usize| cost(sheet, &rule.body[*at], &bound);
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

fn cost(sheet: &Sheet, literal: &Literal, bound: &[bool]) -> f64 {
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
            let known = atom
                .args
                .iter()
                .filter(|pattern| pattern.is_bound(bound))
                .count();
            let free = atom.args.len() - known;
            let pred = &sheet.preds[atom.pred.0 as usize];
            let only_facts = pred
                .rules
                .iter()
                .all(|rule| sheet.rules[*rule].body.is_empty());
            match atom.pred {
                _ if free == 0 && only_facts => 0.2,
                pred::TRUE if free == 0 => 0.1,
                pred::TRUE | pred::DOES => {
                    let mut parts = 0;
                    for pattern in &atom.args {
                        pattern.each_variable(&mut |variable| {
                            parts += i32::from(!bound[variable as usize]);
                        });
                    }
                    2.0 + 3.0 * f64::from(parts)
                }
                _ if only_facts => 1.0 + pred.rules.len() as f64 / 5f64.powi(known as i32),
                _ if free == 0 => 6.0,
                _ => 20.0 * 4f64.powi(free as i32) / 2f64.powi(known as i32),
            }
        }
    }
}
