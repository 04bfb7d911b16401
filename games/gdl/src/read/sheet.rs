//! The rules of a sheet as data.

use std::sync::Arc;

use crate::error::Place;
use crate::terms::{Symbol, Term, Terms};

/// A relation: a name with a number of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PredId(pub(crate) u32);

/// The keywords of the language.
pub(crate) mod pred {
    use super::PredId;

    pub(crate) const ROLE: PredId = PredId(0);
    pub(crate) const INIT: PredId = PredId(1);
    pub(crate) const TRUE: PredId = PredId(2);
    pub(crate) const DOES: PredId = PredId(3);
    pub(crate) const LEGAL: PredId = PredId(4);
    pub(crate) const NEXT: PredId = PredId(5);
    pub(crate) const GOAL: PredId = PredId(6);
    pub(crate) const TERMINAL: PredId = PredId(7);
    pub(crate) const SEES: PredId = PredId(8);
    pub(crate) const BASE: PredId = PredId(9);
    pub(crate) const INPUT: PredId = PredId(10);

    /// The number of keywords. Relations with a larger number are those of the sheet.
    pub(crate) const COUNT: usize = KEYWORDS.len();

    /// Their names and numbers of arguments, in that order.
    pub(in crate::read) const KEYWORDS: [(&str, usize); 11] = [
        ("role", 1),
        ("init", 1),
        ("true", 1),
        ("does", 2),
        ("legal", 2),
        ("next", 1),
        ("goal", 2),
        ("terminal", 0),
        ("sees", 2),
        ("base", 1),
        ("input", 2),
    ];
}

#[derive(Clone, Debug)]
pub(crate) struct Pred {
    pub(crate) symbol: Symbol,
    pub(crate) arity: usize,
    /// Place of first use; `None` for keywords.
    pub(crate) place: Option<Place>,
    pub(crate) rules: Vec<usize>,
    /// True for what another relation is asked for, which is no part of the sheet (see `ground::demand`).
    pub(crate) is_demand: bool,
}

/// A term that may have variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// A variable, by its number in the rule.
    Var(u16),
    /// A term without any.
    Term(Term),
    /// A term with at least one.
    Compound(Symbol, Box<[Pattern]>),
}

impl Pattern {
    /// Calls `visit` with each of its variables, as often as it occurs.
    pub(crate) fn each_variable(&self, visit: &mut impl FnMut(u16)) {
        match self {
            Pattern::Var(variable) => visit(*variable),
            Pattern::Term(_) => {}
            Pattern::Compound(_, arguments) => {
                for argument in arguments {
                    argument.each_variable(visit);
                }
            }
        }
    }

    /// The same pattern with other numbers of variables.
    pub(crate) fn renamed(&self, rename: &mut impl FnMut(u16) -> u16) -> Self {
        match self {
            Pattern::Var(variable) => Pattern::Var(rename(*variable)),
            Pattern::Term(term) => Pattern::Term(*term),
            Pattern::Compound(symbol, arguments) => {
                let arguments = arguments.iter().map(|argument| argument.renamed(rename));
                Pattern::Compound(*symbol, arguments.collect())
            }
        }
    }

    /// True if all of its variables are among those that are bound, which are listed by their numbers.
    pub(crate) fn is_bound(&self, bound: &[bool]) -> bool {
        let mut all = true;
        self.each_variable(&mut |variable| all &= bound[usize::from(variable)]);
        all
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Atom {
    pub(crate) pred: PredId,
    pub(crate) args: Vec<Pattern>,
    pub(crate) place: Place,
}

#[derive(Clone, Debug)]
pub(crate) enum Literal {
    Positive(Atom),
    Negative(Atom),
    /// Two terms that differ.
    Distinct(Pattern, Pattern, Place),
    /// Two terms that are the same: `distinct` inside of `not`.
    Same(Pattern, Pattern, Place),
}

/// A rule, or a fact if the body is empty.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) head: Atom,
    pub(crate) body: Vec<Literal>,
    pub(crate) variables: Vec<String>,
    /// The text, cut short.
    pub(crate) text: String,
}

/// A sheet that is well formed, as far as that can be seen without playing.
#[derive(Clone, Debug)]
pub struct Sheet {
    pub(crate) terms: Terms,
    pub(crate) preds: Vec<Pred>,
    pub(crate) rules: Vec<Arc<Rule>>,
    /// The roles in their order, `random` included.
    pub(crate) roles: Vec<Term>,
    /// What was read with a meaning that the language does not give it, a sentence each.
    pub(crate) notes: Vec<String>,
}

impl Sheet {
    /// For messages.
    pub(crate) fn pred_name(&self, pred: PredId) -> &str {
        self.terms.name(self.preds[pred.0 as usize].symbol)
    }

    /// The number of rules, counted after every `or` was split.
    pub fn rules(&self) -> usize {
        self.rules.len()
    }

    /// True if the sheet defines percepts, so that seats do not know everything.
    pub fn is_hidden(&self) -> bool {
        !self.preds[pred::SEES.0 as usize].rules.is_empty()
    }
}
