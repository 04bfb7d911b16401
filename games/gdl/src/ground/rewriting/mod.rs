//! Other rules that mean the same, for sheets that are too large to ground as they are written.

mod demand;
mod split;

use crate::read::{Atom, Literal, Pattern, Rule, Sheet};

/// The same rules, split and with demands; `None` if that changes nothing.
pub(super) fn rewritten(sheet: &Sheet) -> Option<Sheet> {
    let split = split::split(sheet);
    let demanded = demand::by_demand(split.as_ref().unwrap_or(sheet));
    demanded.or(split)
}

/// Marks the variables of an atom.
fn mark(atom: &Atom, marks: &mut [bool]) {
    for argument in &atom.args {
        argument.each_variable(&mut |variable| marks[usize::from(variable)] = true);
    }
}

/// Marks the variables of a literal.
fn mark_literal(literal: &Literal, marks: &mut [bool]) {
    match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => mark(atom, marks),
        Literal::Distinct(one, other, _) | Literal::Same(one, other, _) => {
            for pattern in [one, other] {
                pattern.each_variable(&mut |variable| marks[usize::from(variable)] = true);
            }
        }
    }
}

/// A rule made of parts of another one, whose variables are numbered in the order in which they come.
fn rule_of(head: &Atom, body: &[Literal], source: &Rule) -> Rule {
    let mut numbers: Vec<Option<u16>> = vec![None; source.variables.len()];
    let mut variables = Vec::new();
    let mut rename = |pattern: &Pattern| {
        pattern.renamed(&mut |variable| {
            *numbers[usize::from(variable)].get_or_insert_with(|| {
                variables.push(source.variables[usize::from(variable)].clone());
                variables.len() as u16 - 1
            })
        })
    };
    let renamed = |atom: &Atom, rename: &mut dyn FnMut(&Pattern) -> Pattern| Atom {
        pred: atom.pred,
        args: atom.args.iter().map(rename).collect(),
        place: atom.place,
    };
    let head = renamed(head, &mut rename);
    let body = body.iter().map(|literal| match literal {
        Literal::Positive(atom) => Literal::Positive(renamed(atom, &mut rename)),
        Literal::Negative(atom) => Literal::Negative(renamed(atom, &mut rename)),
        Literal::Distinct(one, other, place) => {
            Literal::Distinct(rename(one), rename(other), *place)
        }
        Literal::Same(one, other, place) => Literal::Same(rename(one), rename(other), *place),
    });
    let body = body.collect();
    Rule {
        head,
        body,
        variables,
        text: source.text.clone(),
    }
}

/// A rule without the name of its head and without places: the same for rules that say the same.
fn meaning(rule: &Rule) -> String {
    let mut text = format!("{:?}", rule.head.args);
    for literal in &rule.body {
        text += &match literal {
            Literal::Positive(atom) => format!("; {:?} {:?}", atom.pred, atom.args),
            Literal::Negative(atom) => format!("; not {:?} {:?}", atom.pred, atom.args),
            Literal::Distinct(one, other, _) => format!("; {one:?} != {other:?}"),
            Literal::Same(one, other, _) => format!("; {one:?} = {other:?}"),
        };
    }
    text
}
