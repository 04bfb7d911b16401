//! The Game Description Language, evaluated naively: all consequences of a position are derived
//! repeatedly until nothing new appears. Has its own reader, and shares no code with the fast
//! implementation.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A term, in small letters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    Word(Rc<str>),
    List(Rc<[Term]>),
}

use Term::{List, Word};

/// A rule: a head, and conditions as they are written.
#[derive(Clone, Debug)]
struct Rule {
    head: Term,
    body: Vec<Term>,
}

#[derive(Clone, Debug)]
pub struct Sheet {
    rules: Vec<Rule>,
    /// The relations in the order of evaluation, those together that need each other.
    layers: Vec<BTreeSet<Rc<str>>>,
    /// Facts that do not depend on the position.
    fixed: Model,
}

/// Everything that holds, by the name of the relation.
type Model = BTreeMap<Rc<str>, BTreeSet<Term>>;

type Bindings = Vec<(Rc<str>, Term)>;

fn read_all(text: &str) -> Result<Vec<Term>, String> {
    let mut words = String::new();
    for line in text.lines() {
        words.push_str(line.split(';').next().unwrap_or_default());
        words.push('\n');
    }
    let words = words.replace('(', " ( ").replace(')', " ) ").to_lowercase();
    let mut stack: Vec<Vec<Term>> = vec![Vec::new()];
    for word in words.split_whitespace() {
        match word {
            "(" => stack.push(Vec::new()),
            ")" => {
                let list = stack.pop().ok_or("a `)` too many")?;
                let above = stack.last_mut().ok_or("a `)` too many")?;
                above.push(match &list[..] {
                    [only @ Word(_)] => only.clone(),
                    _ => List(list.into()),
                });
            }
            _ => stack
                .last_mut()
                .ok_or("a `)` too many")?
                .push(Word(word.into())),
        }
    }
    match (stack.pop(), stack.is_empty()) {
        (Some(all), true) => Ok(all),
        _ => Err("a `(` that is not closed".to_owned()),
    }
}

fn name(term: &Term) -> Rc<str> {
    match term {
        Word(word) => word.clone(),
        List(list) => match &list[0] {
            Word(word) => word.clone(),
            List(_) => "".into(),
        },
    }
}

fn args(term: &Term) -> &[Term] {
    match term {
        Word(_) => &[],
        List(list) => &list[1..],
    }
}

pub fn text(term: &Term) -> String {
    match term {
        Word(word) => word.to_string(),
        List(list) => {
            let parts: Vec<String> = list.iter().map(text).collect();
            format!("({})", parts.join(" "))
        }
    }
}

fn list(parts: Vec<Term>) -> Term {
    List(parts.into())
}

fn word(text: &str) -> Term {
    Word(text.into())
}

/// The relations in a condition, each with its negation.
fn asked(condition: &Term, negated: bool, out: &mut Vec<(Rc<str>, bool)>) {
    match &*name(condition) {
        "and" | "or" => args(condition)
            .iter()
            .for_each(|part| asked(part, negated, out)),
        "not" => args(condition)
            .iter()
            .for_each(|part| asked(part, true, out)),
        "distinct" => {}
        _ => out.push((name(condition), negated)),
    }
}

impl Sheet {
    /// Reads a sheet that is well formed.
    ///
    /// # Errors
    /// If its parentheses do not match.
    pub fn read(source: &str) -> Result<Self, String> {
        let rules: Vec<Rule> = read_all(source)?
            .into_iter()
            .map(|term| {
                if &*name(&term) == "<=" {
                    Rule {
                        head: args(&term)[0].clone(),
                        body: args(&term)[1..].to_vec(),
                    }
                } else {
                    Rule {
                        head: term,
                        body: Vec::new(),
                    }
                }
            })
            .collect();
        let layers = layers(&rules);
        let mut sheet = Sheet {
            rules,
            layers,
            fixed: Model::new(),
        };
        let changing = sheet.changing();
        let fixed: Vec<_> = sheet
            .layers
            .iter()
            .filter(|layer| layer.is_disjoint(&changing))
            .cloned()
            .collect();
        let mut model = Model::new();
        for layer in &fixed {
            sheet.derive(layer, &mut model);
        }
        sheet.fixed = model;
        sheet.layers.retain(|layer| !layer.is_disjoint(&changing));
        Ok(sheet)
    }

    /// The relations that depend on a position.
    fn changing(&self) -> BTreeSet<Rc<str>> {
        let mut changing: BTreeSet<Rc<str>> = ["true".into(), "does".into()].into();
        loop {
            let before = changing.len();
            for rule in &self.rules {
                let mut needs = Vec::new();
                rule.body
                    .iter()
                    .for_each(|part| asked(part, false, &mut needs));
                if needs.iter().any(|(need, _)| changing.contains(need)) {
                    changing.insert(name(&rule.head));
                }
            }
            if changing.len() == before {
                return changing;
            }
        }
    }

    /// Adds all that holds of some relations.
    fn derive(&self, layer: &BTreeSet<Rc<str>>, model: &mut Model) {
        let rules: Vec<&Rule> = self
            .rules
            .iter()
            .filter(|rule| layer.contains(&name(&rule.head)))
            .collect();
        let mut needs = Vec::new();
        for rule in &rules {
            rule.body
                .iter()
                .for_each(|part| asked(part, false, &mut needs));
        }
        let negates_itself = needs
            .iter()
            .any(|(need, negated)| *negated && layer.contains(need));
        if !negates_itself {
            let base = model.clone();
            least(&rules, model, &base, &BTreeSet::new());
            return;
        }
        // What holds for certain and what may hold come closer to each other, until both are the same.
        let mut certain = model.clone();
        loop {
            let mut possible = model.clone();
            least(&rules, &mut possible, &certain, layer);
            let mut next = model.clone();
            least(&rules, &mut next, &possible, layer);
            if next == certain {
                break;
            }
            certain = next;
        }
        *model = certain;
    }

    fn model(&self, facts: &BTreeSet<Term>, does: &[(Term, Term)]) -> Model {
        let mut model = self.fixed.clone();
        let holds = |fact: &Term| list(vec![word("true"), fact.clone()]);
        model.insert("true".into(), facts.iter().map(holds).collect());
        let made = |(role, mv): &(Term, Term)| list(vec![word("does"), role.clone(), mv.clone()]);
        model.insert("does".into(), does.iter().map(made).collect());
        for layer in &self.layers {
            self.derive(layer, &mut model);
        }
        model
    }

    /// The roles in the order of the sheet.
    pub fn roles(&self) -> Vec<Term> {
        let roles = self
            .rules
            .iter()
            .filter(|rule| &*name(&rule.head) == "role");
        let mut all: Vec<Term> = Vec::new();
        for rule in roles {
            let role = args(&rule.head)[0].clone();
            if !all.contains(&role) {
                all.push(role);
            }
        }
        all
    }

    pub fn start(&self) -> BTreeSet<Term> {
        of(&self.fixed, "init")
            .map(|atom| args(atom)[0].clone())
            .collect()
    }

    pub fn look(&self, facts: &BTreeSet<Term>) -> Look {
        let model = self.model(facts, &[]);
        let roles = self.roles();
        let of_role = |relation: &str, role: &Term| -> BTreeSet<Term> {
            let atoms = of(&model, relation).filter(|atom| args(atom)[0] == *role);
            atoms.map(|atom| args(atom)[1].clone()).collect()
        };
        Look {
            over: of(&model, "terminal").next().is_some(),
            legal: roles.iter().map(|role| of_role("legal", role)).collect(),
            goals: roles.iter().map(|role| of_role("goal", role)).collect(),
        }
    }

    /// The facts after a step, given a move of each role; and the percepts of each role.
    pub fn step(
        &self,
        facts: &BTreeSet<Term>,
        joint: &[Term],
    ) -> (BTreeSet<Term>, Vec<BTreeSet<Term>>) {
        let roles = self.roles();
        let does: Vec<(Term, Term)> = roles.iter().cloned().zip(joint.iter().cloned()).collect();
        let model = self.model(facts, &does);
        let next = of(&model, "next")
            .map(|atom| args(atom)[0].clone())
            .collect();
        let sees = roles.iter().map(|role| {
            let atoms = of(&model, "sees").filter(|atom| args(atom)[0] == *role);
            atoms.map(|atom| args(atom)[1].clone()).collect()
        });
        (next, sees.collect())
    }
}

#[derive(Clone, Debug)]
pub struct Look {
    pub over: bool,
    pub legal: Vec<BTreeSet<Term>>,
    pub goals: Vec<BTreeSet<Term>>,
}

fn of<'m>(model: &'m Model, relation: &str) -> impl Iterator<Item = &'m Term> + use<'m> {
    model.get(relation).into_iter().flatten()
}

/// Relations that need each other, after those that they need.
fn layers(rules: &[Rule]) -> Vec<BTreeSet<Rc<str>>> {
    let mut needs: BTreeMap<Rc<str>, BTreeSet<Rc<str>>> = BTreeMap::new();
    for rule in rules {
        let mut all = Vec::new();
        rule.body
            .iter()
            .for_each(|part| asked(part, false, &mut all));
        let own = needs.entry(name(&rule.head)).or_default();
        own.extend(all.into_iter().map(|(need, _)| need));
    }
    // All that a relation needs, however far away.
    loop {
        let mut changed = false;
        for relation in needs.keys().cloned().collect::<Vec<_>>() {
            let direct = needs[&relation].clone();
            let further: Vec<Rc<str>> = direct
                .iter()
                .filter_map(|need| needs.get(need))
                .flatten()
                .cloned()
                .collect();
            let own = needs.get_mut(&relation).expect("it is there");
            let before = own.len();
            own.extend(further);
            changed |= own.len() != before;
        }
        if !changed {
            break;
        }
    }
    let mut layers: Vec<BTreeSet<Rc<str>>> = Vec::new();
    let mut left: BTreeSet<Rc<str>> = needs.keys().cloned().collect();
    while !left.is_empty() {
        let ready = left.iter().find(|relation| {
            needs[*relation].iter().all(|need| {
                !left.contains(need) || needs[need].contains(*relation) || need == *relation
            })
        });
        let first = ready
            .expect("some relation needs no others that are left")
            .clone();
        let layer: BTreeSet<Rc<str>> = left
            .iter()
            .filter(|other| {
                **other == first
                    || (needs[&first].contains(*other) && needs[*other].contains(&first))
            })
            .cloned()
            .collect();
        left.retain(|relation| !layer.contains(relation));
        layers.push(layer);
    }
    layers
}

/// Derives heads until nothing new comes. Negated conditions about `apart` are looked up in `fixed`.
fn least(rules: &[&Rule], model: &mut Model, fixed: &Model, apart: &BTreeSet<Rc<str>>) {
    loop {
        let mut found = Vec::new();
        for rule in rules {
            let evaluation = Evaluation {
                model,
                fixed,
                apart,
            };
            // Comparisons and negations come last, when all variables have values.
            let (later, first): (Vec<&Term>, Vec<&Term>) =
                rule.body.iter().partition(|part| is_test(part));
            let body: Vec<&Term> = first.into_iter().chain(later).collect();
            evaluation.solve(&body, &mut Vec::new(), &mut |bindings| {
                found.push(substitute(&rule.head, bindings));
            });
        }
        let mut changed = false;
        for atom in found {
            changed |= model.entry(name(&atom)).or_default().insert(atom);
        }
        if !changed {
            return;
        }
    }
}

fn is_test(condition: &Term) -> bool {
    match &*name(condition) {
        "not" | "distinct" => true,
        "and" | "or" => args(condition).iter().any(is_test),
        _ => false,
    }
}

struct Evaluation<'m> {
    model: &'m Model,
    fixed: &'m Model,
    apart: &'m BTreeSet<Rc<str>>,
}

impl Evaluation<'_> {
    /// Calls `take` for all values of variables under which the conditions hold.
    fn solve(&self, body: &[&Term], bindings: &mut Bindings, take: &mut dyn FnMut(&Bindings)) {
        let Some((condition, rest)) = body.split_first() else {
            take(bindings);
            return;
        };
        match &*name(condition) {
            "and" => {
                let all: Vec<&Term> = args(condition).iter().chain(rest.iter().copied()).collect();
                self.solve(&all, bindings, take);
            }
            "or" => {
                for part in args(condition) {
                    let all: Vec<&Term> =
                        std::iter::once(part).chain(rest.iter().copied()).collect();
                    self.solve(&all, bindings, take);
                }
            }
            "not" => {
                if !self.holds(&args(condition)[0], bindings, true) {
                    self.solve(rest, bindings, take);
                }
            }
            "distinct" => {
                let [one, other] = args(condition) else {
                    return;
                };
                if substitute(one, bindings) != substitute(other, bindings) {
                    self.solve(rest, bindings, take);
                }
            }
            relation => {
                for atom in of(self.model, relation) {
                    let known = bindings.len();
                    if unify(condition, atom, bindings) {
                        self.solve(rest, bindings, take);
                    }
                    bindings.truncate(known);
                }
            }
        }
    }

    /// Evaluates a condition without free variables; `negated` inside of an odd number of `not`s.
    fn holds(&self, condition: &Term, bindings: &Bindings, negated: bool) -> bool {
        let mut parts = args(condition).iter();
        match &*name(condition) {
            "and" => parts.all(|part| self.holds(part, bindings, negated)),
            "or" => parts.any(|part| self.holds(part, bindings, negated)),
            "not" => !self.holds(&args(condition)[0], bindings, !negated),
            "distinct" => {
                let [one, other] = args(condition) else {
                    return false;
                };
                substitute(one, bindings) != substitute(other, bindings)
            }
            relation => {
                let model = if negated && self.apart.contains(relation) {
                    self.fixed
                } else {
                    self.model
                };
                let atoms = model.get(relation);
                atoms.is_some_and(|atoms| atoms.contains(&substitute(condition, bindings)))
            }
        }
    }
}

fn substitute(term: &Term, bindings: &Bindings) -> Term {
    match term {
        Word(word) => {
            let bound = bindings.iter().find(|(name, _)| name == word);
            bound.map_or_else(|| term.clone(), |(_, value)| value.clone())
        }
        List(parts) => List(
            parts
                .iter()
                .map(|part| substitute(part, bindings))
                .collect(),
        ),
    }
}

fn unify(pattern: &Term, term: &Term, bindings: &mut Bindings) -> bool {
    match (pattern, term) {
        (Word(word), _) if word.starts_with('?') => {
            if let Some((_, value)) = bindings.iter().find(|(name, _)| name == word) {
                return value == term;
            }
            bindings.push((word.clone(), term.clone()));
            true
        }
        (Word(one), Word(other)) => one == other,
        (List(one), List(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other.iter())
                    .all(|(p, t)| unify(p, t, bindings))
        }
        _ => false,
    }
}
