//! Builds the rules of a sheet from its trees.

use std::sync::Arc;

use games::budget::{self, Spent};

use super::sheet::{Atom, Literal, Pattern, Pred, PredId, Rule, Sheet, pred};
use super::tree::{Node, Tree};
use crate::error::{Place, SheetError, shortened};
use crate::limits::{DEEPEST, MOST_ALL_LITERALS, MOST_LITERALS, MOST_RULES, MOST_VARIABLES};
use crate::terms::{Map, Symbol, Term, Terms};

impl Sheet {
    /// Reads a sheet, whose rules are not checked against each other.
    pub(super) fn parse(text: &str) -> Result<Self, SheetError> {
        let trees = super::trees(text)?;
        let mut builder = Builder::new(text);
        for tree in &trees {
            builder.add(tree)?;
            let spent =
                |spent: Spent| SheetError::new(tree.place, format!("reading stopped: {spent}"));
            budget::check().map_err(spent)?;
        }
        Ok(builder.sheet)
    }
}

/// Builds rules from trees.
pub(super) struct Builder<'t> {
    text: &'t str,
    pub(super) sheet: Sheet,
    by_name: Map<(Symbol, usize), PredId>,
    /// The first use of a name as a relation.
    used: Map<Symbol, PredId>,
    /// The variables of the rule that is being read.
    variables: Vec<String>,
    /// The number of literals that the bodies of all rules have so far.
    literals: usize,
}

impl<'t> Builder<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let sheet = Sheet {
            terms: Terms::default(),
            preds: Vec::new(),
            rules: Vec::new(),
            roles: Vec::new(),
            notes: Vec::new(),
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
                is_demand: false,
            });
            PredId(preds.len() as u32 - 1)
        });
        self.used.entry(symbol).or_insert(id);
        id
    }

    /// Adds a rule or fact at the top level.
    pub(super) fn add(&mut self, tree: &Tree) -> Result<(), SheetError> {
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
        if self.says_what_is_distinct(tree)? {
            let place = tree.place;
            self.sheet.notes.push(format!(
                "{place}: names are distinct without being told; left out: `{text}`"
            ));
            return Ok(());
        }
        let head = self.head(tree)?;
        self.push(head, Vec::new(), text)
    }

    /// True for a fact that two terms are distinct, if they are.
    fn says_what_is_distinct(&mut self, tree: &Tree) -> Result<bool, SheetError> {
        let is_distinct = tree
            .head()
            .is_some_and(|word| word.eq_ignore_ascii_case("distinct"));
        let [one, other] = tree.arguments() else {
            return Ok(false);
        };
        if !is_distinct {
            return Ok(false);
        }
        let terms = [self.pattern(one, 0)?, self.pattern(other, 0)?];
        let terms = terms.map(|pattern| ground_term(&pattern));
        Ok(terms[0].is_some() && terms[1].is_some() && terms[0] != terms[1])
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

    use super::Builder;
    use crate::error::{Place, SheetError};
    use crate::limits::MOST_ALTERNATIVES;
    use crate::read::sheet::{Literal, Pattern};
    use crate::read::tree::{Node, Tree};

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
