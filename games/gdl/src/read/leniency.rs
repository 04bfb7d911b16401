//! What sheets of real servers have beyond the language: read in the one way that makes sense, with a note.

use std::sync::Arc;

use super::sheet::{Atom, Literal, Pred, PredId, Rule, Sheet, pred};
use crate::terms::Map;

/// Relations that are decided before anybody moves.
const BEFORE_MOVES: [PredId; 3] = [pred::LEGAL, pred::TERMINAL, pred::GOAL];
/// Relations that only say what there is.
const HINTS: [PredId; 2] = [pred::BASE, pred::INPUT];

impl Sheet {
    /// Leaves out lines that mean nothing, and gives a meaning to those that have none, each with a note.
    pub(super) fn be_lenient(&mut self) {
        self.note_undefined();
        self.percepts_of_what_is_next();
        self.moves_are_none();
    }

    /// Replaces all rules.
    fn set_rules(&mut self, rules: Vec<Arc<Rule>>) {
        self.preds.iter_mut().for_each(|pred| pred.rules.clear());
        for (index, rule) in rules.iter().enumerate() {
            self.preds[rule.head.pred.0 as usize].rules.push(index);
        }
        self.rules = rules;
    }

    /// A relation like another one, with rules of its own.
    fn twin(&mut self, of: PredId) -> PredId {
        let Pred {
            symbol,
            arity,
            place,
            ..
        } = self.preds[of.0 as usize];
        let rules = Vec::new();
        self.preds.push(Pred {
            symbol,
            arity,
            place,
            rules,
            is_demand: false,
        });
        PredId(self.preds.len() as u32 - 1)
    }

    /// Unsafe lines of `base` and `input` that no rule asks for.
    pub(super) fn leave_out_hints(&mut self) {
        let asked = |of: PredId| {
            let atoms = self.rules.iter().flat_map(|rule| rule.atoms());
            atoms.into_iter().any(|atom| atom.pred == of)
        };
        let unread: Vec<PredId> = HINTS.into_iter().filter(|of| !asked(*of)).collect();
        let is_kept =
            |rule: &Arc<Rule>| !unread.contains(&rule.head.pred) || super::check::is_safe(rule);
        let (kept, left_out): (Vec<_>, Vec<_>) = self.rules.drain(..).partition(is_kept);
        for rule in left_out {
            self.notes.push(format!(
                "{}: a variable of `{}` is not bound; nothing asks for it, so it is left out",
                rule.head.place, rule.text
            ));
        }
        self.set_rules(kept);
    }

    /// `next` in the bodies of `sees` means what will be true: it gets a relation of its own, so that
    /// nothing else can depend on it.
    fn percepts_of_what_is_next(&mut self) {
        let asks = |rule: &Arc<Rule>| rule.atoms().iter().any(|atom| atom.pred == pred::NEXT);
        if !self.rules.iter().any(asks) {
            return;
        }
        let twin = self.twin(pred::NEXT);
        let mut rules = Vec::new();
        for rule in std::mem::take(&mut self.rules) {
            if rule.head.pred == pred::NEXT {
                let mut copy = Rule::clone(&rule);
                copy.head.pred = twin;
                rules.push(Arc::new(copy));
            }
            rules.push(if asks(&rule) {
                rule.with_preds(|of| if of == pred::NEXT { twin } else { of })
            } else {
                rule
            });
        }
        self.set_rules(rules);
    }

    /// What is decided before anybody moves reads `does` as a relation that nothing is in.
    fn moves_are_none(&mut self) {
        let depends = self.depends_on(pred::DOES);
        let roots: Vec<PredId> = BEFORE_MOVES
            .into_iter()
            .filter(|root| depends[root.0 as usize])
            .collect();
        if roots.is_empty() {
            return;
        }
        // Other relations are needed with and without moves.
        let mut twins: Map<PredId, PredId> = roots.iter().map(|root| (*root, *root)).collect();
        let mut open = roots.clone();
        let mut rewritten: Vec<Arc<Rule>> = Vec::new();
        while let Some(of) = open.pop() {
            for index in self.preds[of.0 as usize].rules.clone() {
                let rule = self.rules[index].clone();
                let reads = rule
                    .atoms()
                    .iter()
                    .find(|atom| atom.pred == pred::DOES)
                    .map(|atom| atom.place);
                if let Some(place) = reads {
                    let root = self.pred_name(of).to_owned();
                    self.notes.push(format!(
                        "{place}: `{root}` is decided before anybody moves, so `does` is read as empty, in the \
                         rule `{}`",
                        rule.text
                    ));
                }
                let Some(without) = rule.without(pred::DOES) else {
                    continue;
                };
                for atom in without.atoms() {
                    let asked = atom.pred;
                    if depends[asked.0 as usize] && !twins.contains_key(&asked) {
                        let twin = self.twin(asked);
                        twins.insert(asked, twin);
                        open.push(asked);
                    }
                }
                let mut copy =
                    Rule::clone(&without.with_preds(|of| twins.get(&of).copied().unwrap_or(of)));
                copy.head.pred = twins[&of];
                rewritten.push(Arc::new(copy));
            }
        }
        let others = self
            .rules
            .drain(..)
            .filter(|rule| !roots.contains(&rule.head.pred));
        let rules: Vec<Arc<Rule>> = others.chain(rewritten).collect();
        self.set_rules(rules);
    }

    /// Relations that are asked for and that nothing defines: nothing is in them.
    fn note_undefined(&mut self) {
        let mut noted = Vec::new();
        for rule in &self.rules {
            for atom in rule.atoms() {
                let about = &self.preds[atom.pred.0 as usize];
                if about.place.is_some() && about.rules.is_empty() && !noted.contains(&about.symbol)
                {
                    noted.push(about.symbol);
                    self.notes.push(format!(
                        "{}: nothing defines `{}`, so it is false, in the rule `{}`",
                        atom.place,
                        self.pred_name(atom.pred),
                        rule.text
                    ));
                }
            }
        }
    }

    /// True for each relation that depends on this one.
    fn depends_on(&self, on: PredId) -> Vec<bool> {
        let mut depends = vec![false; self.preds.len()];
        loop {
            let mut changed = false;
            for rule in &self.rules {
                let head = rule.head.pred.0 as usize;
                let reads = |atom: &&Atom| atom.pred == on || depends[atom.pred.0 as usize];
                if !depends[head] && rule.atoms().iter().any(reads) {
                    depends[head] = true;
                    changed = true;
                }
            }
            if !changed {
                return depends;
            }
        }
    }
}

impl Rule {
    /// The relations that the body asks for.
    fn atoms(&self) -> Vec<&Atom> {
        let atoms = self.body.iter().filter_map(|literal| match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => Some(atom),
            Literal::Distinct(..) | Literal::Same(..) => None,
        });
        atoms.collect()
    }

    /// The rule with other relations in its body.
    fn with_preds(&self, of: impl Fn(PredId) -> PredId) -> Arc<Rule> {
        let mut rule = self.clone();
        for literal in &mut rule.body {
            if let Literal::Positive(atom) | Literal::Negative(atom) = literal {
                atom.pred = of(atom.pred);
            }
        }
        Arc::new(rule)
    }

    /// What is left of the rule if nothing is in a relation; `None` if it cannot hold.
    fn without(&self, empty: PredId) -> Option<Arc<Rule>> {
        let needs =
            |literal: &Literal| matches!(literal, Literal::Positive(atom) if atom.pred == empty);
        if self.body.iter().any(needs) {
            return None;
        }
        let mut rule = self.clone();
        rule.body
            .retain(|literal| !matches!(literal, Literal::Negative(atom) if atom.pred == empty));
        Some(Arc::new(rule))
    }
}
