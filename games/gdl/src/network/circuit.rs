//! From ground rules to gates: what is legal, what comes next, whether it is over, goals and percepts.

use games::budget::{self, Ticks};

use super::error::NetworkError;
use super::graph::{Graph, Node, Ref};
use crate::error::SheetError;
use crate::ground::components::components;
use crate::ground::{AtomId, Ground, GroundRule, Ungroundable};
use crate::limits::MOST_ALL_WORDS;
use crate::read::{Literal, PredId, pred};
use crate::terms::Term;

#[derive(Clone, Debug)]
pub(crate) struct LegalMove {
    pub(crate) text: String,
    pub(crate) legal: Ref,
    /// Its number among the moves that rules read.
    pub(crate) does: Option<u32>,
}

#[derive(Clone, Debug)]
pub(crate) struct Circuit {
    pub(crate) graph: Graph,
    /// The facts in their canonical form, sorted.
    pub(crate) facts: Vec<String>,
    /// The nodes of the facts.
    pub(crate) bases: Vec<Ref>,
    /// When each fact is true in the next position.
    pub(crate) next: Vec<Ref>,
    /// Which facts are true at the start.
    pub(crate) init: Vec<bool>,
    pub(crate) roles: Vec<String>,
    /// The moves of each role, sorted by their text.
    pub(crate) moves: Vec<Vec<LegalMove>>,
    pub(crate) does: Vec<Ref>,
    /// The goals of each role, the largest value first.
    pub(crate) goals: Vec<Vec<(Option<i64>, Ref)>>,
    pub(crate) terminal: Ref,
    /// Possible percepts of each role, sorted by text.
    pub(crate) sees: Vec<Vec<(String, Ref)>>,
    pub(crate) circles: u32,
}

impl Circuit {
    /// Makes the gates.
    ///
    /// # Errors
    /// If an atom is negated on a circle through itself, or it would become too large.
    pub(crate) fn of(ground: &Ground) -> Result<Self, NetworkError> {
        check_words(ground)?;
        let mut builder = Builder::new(ground);
        let facts = builder.add_facts();
        let does = builder.add_moves();
        builder.add_rules()?;
        let circuit = builder.circuit(facts, does);
        budget::check()?;
        Ok(circuit)
    }
}

/// Facts and moves are kept as they are written.
fn check_words(ground: &Ground) -> Result<(), NetworkError> {
    let mut words = 0;
    for (pred, argument) in [
        (pred::TRUE, 0),
        (pred::LEGAL, 1),
        (pred::GOAL, 1),
        (pred::SEES, 1),
    ] {
        for atom in ground.database.of(pred) {
            words += ground
                .sheet
                .terms
                .words(ground.database.parts(*atom).1[argument]);
        }
    }
    if words > MOST_ALL_WORDS {
        return Err(Ungroundable::Words(MOST_ALL_WORDS).into());
    }
    Ok(())
}

struct Builder<'g> {
    ground: &'g Ground,
    graph: Graph,
    /// The node of each atom; false for those that were not derived.
    values: Vec<Ref>,
    /// The ground rules of each atom.
    rules: Vec<Vec<u32>>,
    circles: u32,
}

impl<'g> Builder<'g> {
    fn new(ground: &'g Ground) -> Self {
        let database = &ground.database;
        let mut rules = vec![Vec::new(); database.len()];
        for (number, rule) in ground.rules.iter().enumerate() {
            rules[rule.head.0 as usize].push(number as u32);
        }
        let certain = |atom| {
            if ground.is_certain(AtomId(atom as u32)) {
                Ref::TRUE
            } else {
                Ref::FALSE
            }
        };
        Builder {
            ground,
            graph: Graph::new(),
            values: (0..database.len()).map(certain).collect(),
            rules,
            circles: 0,
        }
    }

    fn text(&self, term: Term) -> String {
        self.ground.sheet.terms.text(term)
    }

    /// The derived atoms of a relation, sorted by the text of one argument.
    fn sorted(&self, pred: PredId, argument: usize) -> Vec<(String, AtomId)> {
        if budget::check().is_err() {
            // It stays spent, and nothing is made of this.
            return Vec::new();
        }
        let database = &self.ground.database;
        let atoms = database.of(pred).iter();
        let mut sorted: Vec<(String, AtomId)> = atoms
            .map(|atom| (self.text(database.parts(*atom).1[argument]), *atom))
            .collect();
        sorted.sort();
        sorted
    }

    fn add_facts(&mut self) -> Vec<(String, AtomId)> {
        let facts = self.sorted(pred::TRUE, 0);
        for (number, (_, atom)) in facts.iter().enumerate() {
            self.values[atom.0 as usize] = self.graph.add(Node::Base(number as u32));
        }
        facts
    }

    /// Adds the moves that some rule asks for.
    fn add_moves(&mut self) -> Vec<Ref> {
        let database = &self.ground.database;
        let mut asked = vec![false; database.len()];
        for rule in &self.ground.rules {
            for (atom, _) in &rule.body {
                asked[atom.0 as usize] = true;
            }
        }
        let mut does = Vec::new();
        for atom in database.of(pred::DOES) {
            if asked[atom.0 as usize] {
                let node = self.graph.add(Node::Does(does.len() as u32));
                self.values[atom.0 as usize] = node;
                does.push(node);
            }
        }
        does
    }

    /// Makes the gates of all atoms that have rules, in the order of what they depend on.
    fn add_rules(&mut self) -> Result<(), NetworkError> {
        let ground = self.ground;
        let mut ticks = Ticks::default();
        let has_rules = |atom: &AtomId| !self.rules[atom.0 as usize].is_empty();
        let mut edges: Vec<Vec<u32>> = vec![Vec::new(); ground.database.len()];
        for rule in &ground.rules {
            let needs = rule.body.iter().map(|(atom, _)| atom);
            let needs = needs.filter(|atom| has_rules(atom)).map(|atom| atom.0);
            edges[rule.head.0 as usize].extend(needs);
        }
        let (component, count) = components(edges.len(), |node| &edges[node]);
        let mut members: Vec<Vec<AtomId>> = vec![Vec::new(); count];
        budget::check()?;
        for (atom, component) in component.iter().enumerate() {
            members[*component as usize].push(AtomId(atom as u32));
        }
        for members in members {
            ticks.tick()?;
            match members[..] {
                [atom] if !edges[atom.0 as usize].contains(&atom.0) => {
                    if !self.rules[atom.0 as usize].is_empty() {
                        let value = self.alternatives(atom);
                        self.values[atom.0 as usize] = value;
                    }
                }
                _ => self.circle(&members, &component)?,
            }
        }
        Ok(())
    }

    fn body(&self, rule: &GroundRule) -> Vec<Ref> {
        let body = rule.body.iter();
        let refs = body.map(|(atom, negated)| self.values[atom.0 as usize].negated_if(*negated));
        refs.collect()
    }

    fn alternatives(&mut self, atom: AtomId) -> Ref {
        let rules = std::mem::take(&mut self.rules[atom.0 as usize]);
        let mut any = Vec::with_capacity(rules.len());
        for number in rules {
            let body = self.body(&self.ground.rules[number as usize]);
            any.push(self.graph.and(body));
        }
        self.graph.or(any)
    }

    /// Atoms that depend on each other. They hold as far as they follow from something else.
    fn circle(&mut self, members: &[AtomId], component: &[u32]) -> Result<(), NetworkError> {
        let mut ticks = Ticks::default();
        let circle = self.circles;
        self.circles += 1;
        for atom in members {
            let node = self.graph.add(Node::Circle(circle, Box::default()));
            self.values[atom.0 as usize] = node;
        }
        let inside = |atom: &AtomId| component[atom.0 as usize] == component[members[0].0 as usize];
        for atom in members {
            let mut any = Vec::new();
            for number in std::mem::take(&mut self.rules[atom.0 as usize]) {
                ticks.tick()?;
                let rule = &self.ground.rules[number as usize];
                if let Some((negated, _)) = rule.body.iter().find(|(a, n)| *n && inside(a)) {
                    return Err(self.undecided(rule, *negated).into());
                }
                let body = self.body(rule);
                any.push(if rule.body.iter().any(|(atom, _)| inside(atom)) {
                    self.circle_and(circle, body)
                } else {
                    self.graph.and(body)
                });
            }
            any.retain(|input| *input != Ref::FALSE);
            any.sort_unstable();
            any.dedup();
            let node = self.values[atom.0 as usize].node();
            self.graph.nodes[node] = Node::Circle(circle, any.into());
        }
        Ok(())
    }

    fn circle_and(&mut self, circle: u32, body: Vec<Ref>) -> Ref {
        match super::graph::simplified(true, body) {
            super::graph::Simplified::One(only) => only,
            super::graph::Simplified::Gate(body) => {
                self.graph.add(Node::CircleAnd(circle, body.into()))
            }
        }
    }

    fn undecided(&self, rule: &GroundRule, negated: AtomId) -> SheetError {
        let database = &self.ground.database;
        let atom = |atom: AtomId| {
            let (pred, args) = database.parts(atom);
            let mut text = self.ground.sheet.pred_name(pred).to_owned();
            for term in args {
                text.push(' ');
                text.push_str(&self.text(*term));
            }
            if args.is_empty() {
                text
            } else {
                format!("({text})")
            }
        };
        let source = &self.ground.sheet.rules[rule.rule as usize];
        let place = source.body.iter().find_map(|literal| match literal {
            Literal::Negative(negative) if negative.pred == database.parts(negated).0 => {
                Some(negative.place)
            }
            _ => None,
        });
        let message = format!(
            "`{}` depends on its own negation, through `{}`, so that nothing decides it",
            atom(rule.head),
            atom(negated)
        );
        SheetError::new(place.unwrap_or(source.head.place), message).in_rule(&source.text)
    }

    /// The value of an atom by its terms; false if it was never derived.
    fn value(&self, pred: PredId, args: &[Term]) -> Ref {
        let atom = self.ground.database.find_atom(pred, args);
        atom.map_or(Ref::FALSE, |atom| self.values[atom.0 as usize])
    }

    fn circuit(self, facts: Vec<(String, AtomId)>, does: Vec<Ref>) -> Circuit {
        let ground = self.ground;
        let database = &ground.database;
        let fact = |atom: &AtomId| database.parts(*atom).1[0];
        let roles = ground.sheet.roles.clone();
        let certain = |pred, atom| {
            let found = database.find_atom(pred, &[fact(atom)]);
            found.is_some_and(|found| database.is_derived(found))
        };
        Circuit {
            next: facts
                .iter()
                .map(|(_, atom)| self.value(pred::NEXT, &[fact(atom)]))
                .collect(),
            init: facts
                .iter()
                .map(|(_, atom)| certain(pred::INIT, atom))
                .collect(),
            bases: facts
                .iter()
                .map(|(_, atom)| self.values[atom.0 as usize])
                .collect(),
            facts: facts.into_iter().map(|(text, _)| text).collect(),
            moves: roles.iter().map(|role| self.moves(*role)).collect(),
            goals: roles.iter().map(|role| self.goals(*role)).collect(),
            sees: roles.iter().map(|role| self.sees(*role)).collect(),
            terminal: self.value(pred::TERMINAL, &[]),
            roles: roles.iter().map(|role| self.text(*role)).collect(),
            does,
            circles: self.circles,
            graph: self.graph,
        }
    }

    fn of_role(&self, pred: PredId, role: Term) -> impl Iterator<Item = (String, AtomId)> {
        let sorted = self.sorted(pred, 1).into_iter();
        sorted.filter(move |(_, atom)| self.ground.database.parts(*atom).1[0] == role)
    }

    fn moves(&self, role: Term) -> Vec<LegalMove> {
        let moves = self.of_role(pred::LEGAL, role).map(|(text, atom)| {
            let args = self.ground.database.parts(atom).1;
            let does = self.value(pred::DOES, args);
            let number = match self.graph.nodes[does.node()] {
                Node::Does(number) => Some(number),
                _ => None,
            };
            LegalMove {
                text,
                legal: self.values[atom.0 as usize],
                does: number,
            }
        });
        moves.filter(|mv| mv.legal != Ref::FALSE).collect()
    }

    fn goals(&self, role: Term) -> Vec<(Option<i64>, Ref)> {
        let goals = self.of_role(pred::GOAL, role).map(|(text, atom)| {
            let value = text.parse().ok().filter(|value| (0..=100).contains(value));
            (value, self.values[atom.0 as usize])
        });
        let mut goals: Vec<(Option<i64>, Ref)> = goals.collect();
        goals.sort_by_key(|(value, _)| std::cmp::Reverse(value.unwrap_or(i64::MAX)));
        goals
    }

    fn sees(&self, role: Term) -> Vec<(String, Ref)> {
        let sees = self.of_role(pred::SEES, role);
        let sees = sees.map(|(text, atom)| (text, self.values[atom.0 as usize]));
        sees.filter(|(_, value)| *value != Ref::FALSE).collect()
    }
}
