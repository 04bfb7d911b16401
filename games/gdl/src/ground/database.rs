//! Ground atoms, and indexes that find those which fit a partly known pattern.

use crate::read::PredId;
use crate::terms::{Map, Symbol, Term, Terms};

/// A ground atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct AtomId(pub(crate) u32);

/// The way to a part of an atom: the number of an argument, then of an argument of that.
pub(super) type Path = Box<[u16]>;

/// An index: the atoms in it, and their key parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct IndexSpec {
    pub(super) pred: PredId,
    /// Parts that are terms of this name with this many arguments.
    pub(super) shapes: Vec<(Path, Symbol, usize)>,
    /// Parts that make the key.
    pub(super) keys: Vec<Path>,
}

struct Index {
    spec: IndexSpec,
    /// The number of the list for each key.
    entries: Map<Box<[u32]>, u32>,
    lists: Vec<Vec<AtomId>>,
}

pub(super) type IndexId = usize;

/// All atoms, those that were derived among them.
#[derive(Default)]
pub(crate) struct Database {
    atoms: Vec<(PredId, Box<[Term]>)>,
    derived: Vec<bool>,
    by_key: Map<Box<[u32]>, AtomId>,
    key: Vec<u32>,
    /// The derived atoms of each relation that indexes have.
    indexed: Vec<Vec<AtomId>>,
    indexes: Vec<Index>,
    index_ids: Map<IndexSpec, IndexId>,
    of_pred: Vec<Vec<IndexId>>,
}

impl Database {
    pub(super) fn new(preds: usize) -> Self {
        Database {
            indexed: vec![Vec::new(); preds],
            of_pred: vec![Vec::new(); preds],
            ..Database::default()
        }
    }

    /// Interns an atom, which need not be derived.
    pub(super) fn atom(&mut self, pred: PredId, args: &[Term]) -> AtomId {
        self.key.clear();
        self.key.push(pred.0);
        self.key.extend(args.iter().map(|term| term.0));
        if let Some(atom) = self.by_key.get(&self.key[..]) {
            return *atom;
        }
        let atom = AtomId(self.atoms.len() as u32);
        self.by_key.insert(self.key[..].into(), atom);
        self.atoms.push((pred, args.into()));
        self.derived.push(false);
        atom
    }

    pub(crate) fn find_atom(&self, pred: PredId, args: &[Term]) -> Option<AtomId> {
        let mut key = Vec::with_capacity(args.len() + 1);
        key.push(pred.0);
        key.extend(args.iter().map(|term| term.0));
        self.by_key.get(&key[..]).copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.atoms.len()
    }

    pub(crate) fn parts(&self, atom: AtomId) -> (PredId, &[Term]) {
        let (pred, args) = &self.atoms[atom.0 as usize];
        (*pred, args)
    }

    /// True if an atom may be true in some position.
    pub(crate) fn is_derived(&self, atom: AtomId) -> bool {
        self.derived[atom.0 as usize]
    }

    /// Derives an atom; true if it was not before.
    pub(super) fn derive(&mut self, atom: AtomId) -> bool {
        !std::mem::replace(&mut self.derived[atom.0 as usize], true)
    }

    /// The atoms of a relation that indexes have, in the order in which they came.
    pub(crate) fn of(&self, pred: PredId) -> &[AtomId] {
        &self.indexed[pred.0 as usize]
    }

    /// The part of an atom at the end of a path.
    pub(super) fn at(&self, terms: &Terms, atom: AtomId, path: &[u16]) -> Option<Term> {
        let (first, rest) = path.split_first()?;
        let mut term = *self.atoms[atom.0 as usize].1.get(*first as usize)?;
        for step in rest {
            term = *terms.parts(term).1.get(*step as usize)?;
        }
        Some(term)
    }

    /// True if the parts of an atom have these names and arities.
    pub(super) fn has_shape(
        &self,
        terms: &Terms,
        atom: AtomId,
        shapes: &[(Path, Symbol, usize)],
    ) -> bool {
        shapes.iter().all(|(path, symbol, arity)| {
            self.at(terms, atom, path).is_some_and(|term| {
                let (name, args) = terms.parts(term);
                name == *symbol && args.len() == *arity
            })
        })
    }

    /// The index for a specification, made if it is not there.
    pub(super) fn index(&mut self, terms: &Terms, spec: IndexSpec) -> IndexId {
        if let Some(id) = self.index_ids.get(&spec) {
            return *id;
        }
        let id = self.indexes.len();
        self.index_ids.insert(spec.clone(), id);
        self.of_pred[spec.pred.0 as usize].push(id);
        let there = self.indexed[spec.pred.0 as usize].clone();
        self.indexes.push(Index {
            spec,
            entries: Map::default(),
            lists: Vec::new(),
        });
        for atom in there {
            self.insert(terms, id, atom);
        }
        id
    }

    fn insert(&mut self, terms: &Terms, id: IndexId, atom: AtomId) {
        let spec = &self.indexes[id].spec;
        if !self.has_shape(terms, atom, &spec.shapes) {
            return;
        }
        let keys = spec.keys.iter().map(|path| self.at(terms, atom, path));
        let Some(key) = keys
            .map(|term| term.map(|term| term.0))
            .collect::<Option<Box<[u32]>>>()
        else {
            return;
        };
        let Index { entries, lists, .. } = &mut self.indexes[id];
        let list = *entries.entry(key).or_insert_with(|| {
            lists.push(Vec::new());
            lists.len() as u32 - 1
        });
        lists[list as usize].push(atom);
    }

    /// Adds a derived atom to all indexes of its relation.
    pub(super) fn add_to_indexes(&mut self, terms: &Terms, atom: AtomId) {
        let pred = self.atoms[atom.0 as usize].0.0 as usize;
        self.indexed[pred].push(atom);
        for position in 0..self.of_pred[pred].len() {
            let id = self.of_pred[pred][position];
            self.insert(terms, id, atom);
        }
    }

    /// The list of the atoms of an index with this key.
    pub(super) fn find(&self, index: IndexId, key: &[u32]) -> Option<u32> {
        self.indexes[index].entries.get(key).copied()
    }

    pub(super) fn listed(&self, index: IndexId, list: u32, place: usize) -> Option<AtomId> {
        self.indexes[index].lists[list as usize].get(place).copied()
    }
}
