//! Bodies of rules: `and`, `or` and `not` of anything become alternatives of literals.

use super::sheet::{Atom, Builder, Literal, Pattern, pred};
use super::tree::{Node, Tree};
use crate::error::{Place, SheetError};
use crate::limits::MOST_ALTERNATIVES;

/// A condition as it is written, with negations moved to the relations.
pub(super) enum Formula {
    All(Vec<Formula>),
    Any(Vec<Formula>),
    Literal(Literal),
}

/// All these conditions together.
pub(super) fn conjunction(
    builder: &mut Builder<'_>,
    trees: &[Tree],
) -> Result<Formula, SheetError> {
    let parts = trees.iter().map(|tree| formula(builder, tree, false));
    Ok(Formula::All(parts.collect::<Result<_, _>>()?))
}

fn formula(builder: &mut Builder<'_>, tree: &Tree, negated: bool) -> Result<Formula, SheetError> {
    let is_list = matches!(tree.node, Node::List(_));
    let word = tree.head().unwrap_or_default().to_lowercase();
    let arguments = tree.arguments();
    match &*word {
        "and" | "or" if is_list => {
            let parts = arguments.iter().map(|tree| formula(builder, tree, negated));
            let parts = parts.collect::<Result<_, _>>()?;
            Ok(if (word == "and") == negated {
                Formula::Any(parts)
            } else {
                Formula::All(parts)
            })
        }
        "not" if is_list => match arguments {
            [inner] => formula(builder, inner, !negated),
            _ => Err(count(tree, "not", "one condition", arguments.len())),
        },
        "distinct" if is_list => match arguments {
            [one, other] => distinct(builder, (one, other), tree.place, negated),
            _ => Err(count(tree, "distinct", "two terms", arguments.len())),
        },
        _ => {
            let atom = builder.atom(tree)?;
            refuse_next(&atom)?;
            Ok(Formula::Literal(if negated {
                Literal::Negative(atom)
            } else {
                Literal::Positive(atom)
            }))
        }
    }
}

fn count(tree: &Tree, word: &str, expected: &str, given: usize) -> SheetError {
    SheetError::new(
        tree.place,
        format!("`{word}` takes {expected}, not {given}"),
    )
}

fn distinct(
    builder: &mut Builder<'_>,
    (one, other): (&Tree, &Tree),
    place: Place,
    negated: bool,
) -> Result<Formula, SheetError> {
    let one: Pattern = builder.pattern(one, 0)?;
    let other = builder.pattern(other, 0)?;
    Ok(Formula::Literal(if negated {
        Literal::Same(one, other, place)
    } else {
        Literal::Distinct(one, other, place)
    }))
}

fn refuse_next(atom: &Atom) -> Result<(), SheetError> {
    let word = match atom.pred {
        pred::NEXT => "next",
        pred::SEES => "sees",
        _ => return Ok(()),
    };
    let message = format!("`{word}` is only a head; a body cannot ask for it");
    Err(SheetError::new(atom.place, message))
}

/// The alternatives of a formula: each is a list of literals that hold together.
pub(super) fn alternatives(
    formula: &Formula,
    place: Place,
) -> Result<Vec<Vec<Literal>>, SheetError> {
    let too_many = || {
        let message = format!(
            "the `or`s of this rule make more than {MOST_ALTERNATIVES} alternatives; define a relation \
             for a part of them"
        );
        SheetError::new(place, message)
    };
    match formula {
        Formula::Literal(literal) => Ok(vec![vec![literal.clone()]]),
        Formula::Any(parts) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(alternatives(part, place)?);
                if all.len() > MOST_ALTERNATIVES {
                    return Err(too_many());
                }
            }
            Ok(all)
        }
        Formula::All(parts) => {
            let mut all = vec![Vec::new()];
            for part in parts {
                let choices = alternatives(part, place)?;
                if all.len() * choices.len() > MOST_ALTERNATIVES {
                    return Err(too_many());
                }
                all = product(&all, &choices);
            }
            Ok(all)
        }
    }
}

fn product(all: &[Vec<Literal>], choices: &[Vec<Literal>]) -> Vec<Vec<Literal>> {
    let mut longer = Vec::with_capacity(all.len() * choices.len());
    for begun in all {
        for choice in choices {
            longer.push(begun.iter().chain(choice).cloned().collect());
        }
    }
    longer
}
