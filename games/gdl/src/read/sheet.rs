//! The rules of a sheet as data.

use std::sync::Arc;

use games::budget::{self, Spent};

use super::tree::{self, Node, Tree};
use crate::error::{Place, SheetError, shortened};
use crate::limits::{DEEPEST, MOST_ALL_LITERALS, MOST_LITERALS, MOST_RULES, MOST_VARIABLES};
use crate::terms::{Map, Symbol, Term, Terms};

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

    /// Their names and numbers of arguments, in that order.
    pub(super) const KEYWORDS: [(&str, usize); 11] = [
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
}

impl Sheet {
    /// Reads a sheet, whose rules are not checked against each other.
    pub(super) fn parse(text: &str) -> Result<Self, SheetError> {
        let trees = tree::read(text)?;
        let mut builder = Builder::new(text);
        for tree in &trees {
            builder.add(tree)?;
            let spent =
                |spent: Spent| SheetError::new(tree.place, format!("reading stopped: {spent}"));
            budget::check().map_err(spent)?;
        }
        Ok(builder.sheet)
    }

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

/// Builds rules from trees.
pub(super) struct Builder<'t> {
    text: &'t str,
    sheet: Sheet,
    by_name: Map<(Symbol, usize), PredId>,
    /// The first use of a name as a relation.
    used: Map<Symbol, PredId>,
    /// The variables of the rule that is being read.
    variables: Vec<String>,
    /// The number of literals that the bodies of all rules have so far.
    literals: usize,
}

impl<'t> Builder<'t> {
    fn new(text: &'t str) -> Self {
        let sheet = Sheet {
            terms: Terms::default(),
            preds: Vec::new(),
            rules: Vec::new(),
            roles: Vec::new(),
        };
        let mut builder = Builder {
            text,
            sheet,
            by_name: Map::default(),
            used: Map::default(),
            variables: Vec::new(),
            literals: 0,
        };
        for (name, arity) in pred::KEYWORDS {
            let symbol = builder.sheet.terms.symbol(name);
            builder.pred(symbol, arity, None);
        }
        builder
    }

    fn pred(&mut self, symbol: Symbol, arity: usize, place: Option<Place>) -> PredId {
        let preds = &mut self.sheet.preds;
        let id = *self.by_name.entry((symbol, arity)).or_insert_with(|| {
            preds.push(Pred {
                symbol,
                arity,
                place,
                rules: Vec::new(),
            });
            PredId(preds.len() as u32 - 1)
        });
        self.used.entry(symbol).or_insert(id);
        id
    }

    /// Adds a rule or fact at the top level.
    fn add(&mut self, tree: &Tree) -> Result<(), SheetError> {
        let text = shortened(&self.text[tree.span.0..tree.span.1]);
        self.variables.clear();
        let added = if tree.head() == Some("<=") {
            self.rule(tree, &text)
        } else {
            self.fact(tree, &text)
        };
        added.map_err(|error| match error.rule {
            Some(_) => error,
            None => error.in_rule(&text),
        })
    }

    fn fact(&mut self, tree: &Tree, text: &str) -> Result<(), SheetError> {
        let head = self.head(tree)?;
        self.push(head, Vec::new(), text)
    }

    fn rule(&mut self, tree: &Tree, text: &str) -> Result<(), SheetError> {
        let Some((head, conditions)) = tree.arguments().split_first() else {
            let message = "a rule has a head behind `<=`, as in `(<= terminal …)`";
            return Err(SheetError::new(tree.place, message));
        };
        let head = self.head(head)?;
        if head.pred == pred::ROLE && !conditions.is_empty() {
            let message = "roles are facts, as in `(role white)`; no rule can make one";
            return Err(SheetError::new(head.place, message));
        }
        let formula = body::conjunction(self, conditions)?;
        for alternative in body::alternatives(&formula, tree.place)? {
            self.push(head.clone(), alternative, text)?;
        }
        Ok(())
    }

    fn push(&mut self, head: Atom, body: Vec<Literal>, text: &str) -> Result<(), SheetError> {
        if body.len() > MOST_LITERALS {
            let message = format!(
                "the body has {} conditions; at most {MOST_LITERALS} are read, define a relation for a \
                 part of them",
                body.len()
            );
            return Err(SheetError::new(head.place, message));
        }
        self.literals += body.len();
        if self.literals > MOST_ALL_LITERALS {
            let message = format!(
                "the rules of the sheet have more than {MOST_ALL_LITERALS} conditions, counted after every \
                 `or` was split"
            );
            return Err(SheetError::new(head.place, message));
        }
        let rules = &mut self.sheet.rules;
        if rules.len() == MOST_RULES {
            let message = format!("the sheet has more than {MOST_RULES} rules");
            return Err(SheetError::new(head.place, message));
        }
        self.sheet.preds[head.pred.0 as usize]
            .rules
            .push(rules.len());
        rules.push(Arc::new(Rule {
            head,
            body,
            variables: self.variables.clone(),
            text: text.to_owned(),
        }));
        Ok(())
    }

    fn head(&mut self, tree: &Tree) -> Result<Atom, SheetError> {
        let atom = self.atom(tree)?;
        let name = self.sheet.pred_name(atom.pred).to_lowercase();
        let message = match &*name {
            "true" | "does" => format!(
                "`{name}` cannot be a head: it is given with a position; `init` and `next` make facts \
                 true, `legal` makes moves possible"
            ),
            _ => return Ok(atom),
        };
        Err(SheetError::new(tree.place, message))
    }

    pub(super) fn atom(&mut self, tree: &Tree) -> Result<Atom, SheetError> {
        let Some(name) = tree.head() else {
            let message = match &tree.node {
                Node::List(list) if list.is_empty() => {
                    "these parentheses are empty; a relation was expected, as in `(cell 1 1 x)`"
                }
                _ => "a relation begins with its name, not with a list",
            };
            return Err(SheetError::new(tree.place, message));
        };
        if name.starts_with('?') {
            let message = format!("the variable `{name}` stands where a relation was expected");
            return Err(SheetError::new(tree.place, message));
        }
        if let Some(what) = connective(name) {
            let message = format!("`{name}` {what}; a relation was expected here");
            return Err(SheetError::new(tree.place, message));
        }
        let symbol = self.sheet.terms.symbol(name);
        let arguments = tree.arguments();
        let arity = arguments.len();
        if let Some(&other) = self.used.get(&symbol) {
            self.check_arity(other, arity, tree.place)?;
        }
        let pred = self.pred(symbol, arity, Some(tree.place));
        let args = arguments.iter().map(|tree| self.pattern(tree, 0));
        Ok(Atom {
            pred,
            args: args.collect::<Result<_, _>>()?,
            place: tree.place,
        })
    }

    fn check_arity(&self, other: PredId, arity: usize, place: Place) -> Result<(), SheetError> {
        let pred = &self.sheet.preds[other.0 as usize];
        if pred.arity == arity {
            return Ok(());
        }
        let name = self.sheet.terms.name(pred.symbol);
        let arguments = |count: usize| match count {
            0 => "no arguments".to_owned(),
            1 => "1 argument".to_owned(),
            _ => format!("{count} arguments"),
        };
        let expected = arguments(pred.arity);
        let given = if arity == 0 {
            "none".to_owned()
        } else {
            arity.to_string()
        };
        let message = match pred.place {
            None => format!("`{name}` has {expected}, not {given}"),
            Some(first) => format!("`{name}` has {expected} at {first}, not {given} as here"),
        };
        Err(SheetError::new(place, message))
    }

    pub(super) fn pattern(&mut self, tree: &Tree, depth: usize) -> Result<Pattern, SheetError> {
        debug_assert!(depth <= DEEPEST, "the reader has a limit");
        let Some(name) = tree.head() else {
            let message = match &tree.node {
                Node::List(list) if list.is_empty() => {
                    "these parentheses are empty; a term was expected"
                }
                _ => "a term begins with its name, not with a list",
            };
            return Err(SheetError::new(tree.place, message));
        };
        let is_word = matches!(tree.node, Node::Word(_));
        if name.starts_with('?') {
            if is_word {
                return self.variable(name, tree.place);
            }
            let message = format!("a term begins with its name, not with the variable `{name}`");
            return Err(SheetError::new(tree.place, message));
        }
        if name == "<=" || (!is_word && connective(name).is_some()) {
            let message = format!("`{name}` stands where a term was expected");
            return Err(SheetError::new(tree.place, message));
        }
        let symbol = self.sheet.terms.symbol(name);
        let arguments = tree.arguments().iter();
        let arguments = arguments.map(|tree| self.pattern(tree, depth + 1));
        let arguments: Vec<Pattern> = arguments.collect::<Result<_, _>>()?;
        let ground: Option<Vec<Term>> = arguments.iter().map(ground_term).collect();
        Ok(match ground {
            Some(ground) => Pattern::Term(self.sheet.terms.term(symbol, &ground)),
            None => Pattern::Compound(symbol, arguments.into()),
        })
    }

    fn variable(&mut self, name: &str, place: Place) -> Result<Pattern, SheetError> {
        let name = name.to_lowercase();
        let known = self.variables.iter().position(|known| *known == name);
        let index = known.unwrap_or_else(|| {
            self.variables.push(name);
            self.variables.len() - 1
        });
        if index >= MOST_VARIABLES {
            let message = format!("a rule has at most {MOST_VARIABLES} variables");
            return Err(SheetError::new(place, message));
        }
        Ok(Pattern::Var(index as u16))
    }
}

fn ground_term(pattern: &Pattern) -> Option<Term> {
    match pattern {
        Pattern::Term(term) => Some(*term),
        Pattern::Var(_) | Pattern::Compound(..) => None,
    }
}

/// The connective of this name, if it is one.
fn connective(name: &str) -> Option<&'static str> {
    match &*name.to_lowercase() {
        "<=" => Some("begins a rule"),
        "not" => Some("negates a condition in a body"),
        "and" | "or" => Some("joins conditions in a body"),
        "distinct" => Some("compares two terms in a body"),
        _ => None,
    }
}

// In this file, since bodies and the builder need each other.
mod body {
    //! Bodies of rules: `and`, `or` and `not` of anything become alternatives of literals.

    use super::tree::{Node, Tree};
    use crate::error::{Place, SheetError};
    use crate::limits::MOST_ALTERNATIVES;
    use crate::read::sheet::{Atom, Builder, Literal, Pattern, pred};

    /// A condition as it is written, with negations moved to the relations.
    pub(super) enum Formula {
        All(Vec<Formula>),
        Any(Vec<Formula>),
        Literal(Literal),
    }

    pub(super) fn conjunction(
        builder: &mut Builder<'_>,
        trees: &[Tree],
    ) -> Result<Formula, SheetError> {
        let parts = trees.iter().map(|tree| formula(builder, tree, false));
        Ok(Formula::All(parts.collect::<Result<_, _>>()?))
    }

    fn formula(
        builder: &mut Builder<'_>,
        tree: &Tree,
        negated: bool,
    ) -> Result<Formula, SheetError> {
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
                    all = product(all, &choices);
                }
                Ok(all)
            }
        }
    }

    fn product(mut all: Vec<Vec<Literal>>, choices: &[Vec<Literal>]) -> Vec<Vec<Literal>> {
        if let [only] = choices {
            for begun in &mut all {
                begun.extend_from_slice(only);
            }
            return all;
        }
        let mut longer = Vec::with_capacity(all.len() * choices.len());
        for begun in &all {
            for choice in choices {
                longer.push(begun.iter().chain(choice).cloned().collect());
            }
        }
        longer
    }
}
