//! Well-formedness: safe variables, what may depend on what, and that nothing necessary is missing.

use std::collections::VecDeque;

use super::sheet::{Atom, Literal, Pattern, PredId, Rule, Sheet, pred};
use crate::error::{Place, SheetError};

/// More seats than any game has in the referee.
const MOST_ROLES: usize = 64;

/// Checks all that can be seen without playing.
pub(super) fn check(mut sheet: Sheet) -> Result<Sheet, SheetError> {
    sheet.leave_out_hints();
    for rule in &sheet.rules {
        safe(rule).map_err(|error| error.in_rule(&rule.text))?;
        goal_value(&sheet, rule).map_err(|error| error.in_rule(&rule.text))?;
        only_heads(rule).map_err(|error| error.in_rule(&rule.text))?;
    }
    for forbidden in [pred::TRUE, pred::DOES] {
        independent(&sheet, pred::INIT, forbidden)?;
    }
    sheet.be_lenient();
    sheet.roles = roles(&sheet)?;
    for needed in [pred::LEGAL, pred::TERMINAL, pred::GOAL] {
        if sheet.preds[needed.0 as usize].rules.is_empty() {
            let name = sheet.pred_name(needed);
            let why = match needed {
                pred::LEGAL => "no role could ever move",
                pred::TERMINAL => "the game could never end",
                _ => "the game could have no result",
            };
            let message = format!("no rule defines `{name}`: {why}");
            return Err(SheetError::new(Place { line: 1, column: 1 }, message));
        }
    }
    Ok(sheet)
}

/// Checks that no body asks for what is decided by rules alone; percepts may ask for what will be true.
fn only_heads(rule: &Rule) -> Result<(), SheetError> {
    for literal in &rule.body {
        let (Literal::Positive(atom) | Literal::Negative(atom)) = literal else {
            continue;
        };
        let message = match (atom.pred, rule.head.pred) {
            (pred::NEXT, pred::SEES) => continue,
            (pred::NEXT, _) => "`next` is only a head, and asked for in rules of `sees` alone",
            (pred::SEES, _) => "`sees` is only a head; a body cannot ask for it",
            _ => continue,
        };
        return Err(SheetError::new(atom.place, message));
    }
    Ok(())
}

/// True if a relation in the body binds every variable.
pub(crate) fn is_safe(rule: &Rule) -> bool {
    safe(rule).is_ok()
}

/// Checks that a relation in the body binds every variable.
fn safe(rule: &Rule) -> Result<(), SheetError> {
    let mut bound = vec![false; rule.variables.len()];
    for literal in &rule.body {
        if let Literal::Positive(atom) = literal {
            for argument in &atom.args {
                argument.each_variable(&mut |variable| bound[variable as usize] = true);
            }
        }
    }
    let unbound = |patterns: &[&Pattern]| {
        let mut found = None;
        for pattern in patterns {
            pattern.each_variable(&mut |variable| {
                if !bound[variable as usize] && found.is_none() {
                    found = Some(&rule.variables[variable as usize]);
                }
            });
        }
        found
    };
    let refuse = |patterns: &[&Pattern], place: Place, what: &str| match unbound(patterns) {
        None => Ok(()),
        Some(name) => Err(SheetError::new(
            place,
            format!(
                "the variable `{name}` {what}; a relation in the body, not negated, must bind it"
            ),
        )),
    };
    let arguments = |atom: &'_ Atom| -> Vec<Pattern> { atom.args.clone() };
    for literal in &rule.body {
        match literal {
            Literal::Positive(_) => {}
            Literal::Negative(atom) => {
                let arguments = arguments(atom);
                let arguments: Vec<&Pattern> = arguments.iter().collect();
                refuse(&arguments, atom.place, "stands only in a negated condition")?;
            }
            Literal::Distinct(one, other, place) | Literal::Same(one, other, place) => {
                refuse(&[one, other], *place, "stands only in `distinct`")?;
            }
        }
    }
    let head: Vec<&Pattern> = rule.head.args.iter().collect();
    let what = if rule.body.is_empty() {
        "stands in a fact"
    } else {
        "stands in the head only"
    };
    refuse(&head, rule.head.place, what)
}

/// Checks that a literal goal is a number from 0 to 100.
fn goal_value(sheet: &Sheet, rule: &Rule) -> Result<(), SheetError> {
    if rule.head.pred != pred::GOAL {
        return Ok(());
    }
    let value = match &rule.head.args[1] {
        Pattern::Term(term) => *term,
        Pattern::Var(_) => return Ok(()),
        Pattern::Compound(..) => {
            let message = "the value of a goal is a whole number from 0 to 100, not a term";
            return Err(SheetError::new(rule.head.place, message));
        }
    };
    if sheet
        .terms
        .number(value)
        .is_some_and(|n| (0..=100).contains(&n))
    {
        return Ok(());
    }
    let message = format!(
        "the value of a goal is a whole number from 0 to 100, not `{}`",
        sheet.terms.text(value)
    );
    Err(SheetError::new(rule.head.place, message))
}

/// Checks that the relation `root` does not depend on `forbidden`.
fn independent(sheet: &Sheet, root: PredId, forbidden: PredId) -> Result<(), SheetError> {
    let mut seen = vec![false; sheet.preds.len()];
    let mut open = VecDeque::from([root]);
    seen[root.0 as usize] = true;
    while let Some(pred) = open.pop_front() {
        for &index in &sheet.preds[pred.0 as usize].rules {
            let rule = &sheet.rules[index];
            for literal in &rule.body {
                let (Literal::Positive(atom) | Literal::Negative(atom)) = literal else {
                    continue;
                };
                if atom.pred == forbidden {
                    return Err(dependent(sheet, (root, pred, forbidden), atom).in_rule(&rule.text));
                }
                if !std::mem::replace(&mut seen[atom.pred.0 as usize], true) {
                    open.push_back(atom.pred);
                }
            }
        }
    }
    Ok(())
}

fn dependent(
    sheet: &Sheet,
    (root, through, forbidden): (PredId, PredId, PredId),
    atom: &Atom,
) -> SheetError {
    let (root_name, forbidden_name) = (sheet.pred_name(root), sheet.pred_name(forbidden));
    let why = match forbidden {
        pred::TRUE => "no fact is true before the game begins",
        _ => "nobody has moved before the game begins",
    };
    let path = if root == through {
        format!("`{root_name}` cannot read `{forbidden_name}`")
    } else {
        let through = sheet.pred_name(through);
        format!("`{root_name}` needs `{through}`, which cannot read `{forbidden_name}` therefore")
    };
    SheetError::new(atom.place, format!("{path}: {why}"))
}

fn roles(sheet: &Sheet) -> Result<Vec<crate::terms::Term>, SheetError> {
    let start = Place { line: 1, column: 1 };
    let mut roles = Vec::new();
    for &index in &sheet.preds[pred::ROLE.0 as usize].rules {
        if let Pattern::Term(role) = sheet.rules[index].head.args[0]
            && !roles.contains(&role)
        {
            roles.push(role);
        }
    }
    let players = roles
        .iter()
        .filter(|role| !is_random(sheet, **role))
        .count();
    if players == 0 {
        let message = "no role plays; at least one was expected, as in `(role white)`";
        return Err(SheetError::new(start, message));
    }
    if players > MOST_ROLES {
        let message = format!("{players} roles play; at most {MOST_ROLES} can");
        return Err(SheetError::new(start, message));
    }
    Ok(roles)
}

pub(super) fn is_random(sheet: &Sheet, role: crate::terms::Term) -> bool {
    sheet.terms.text(role).eq_ignore_ascii_case("random")
}
