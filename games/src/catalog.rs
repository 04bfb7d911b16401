//! The games that can be named: those that are built in, and those whose rules come from outside.

use std::collections::HashMap;
use std::sync::Arc;

use thiserror::Error;

use crate::kit::text::{nearest, quoted};
use crate::registry::{Entry, GAMES};

/// Games by their ids, in the order of listings.
#[derive(Clone)]
pub struct Catalog {
    entries: Vec<Arc<Entry>>,
    by_id: HashMap<String, usize>,
}

/// An id that no game has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", sentence(id, known))]
pub struct UnknownGame {
    /// The id.
    pub id: String,
    /// All ids that there are.
    pub known: Vec<String>,
}

/// A second game with an id that is taken.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there are two games `{0}`")]
pub struct TakenId(pub String);

impl Catalog {
    /// The games that are built in.
    pub fn built_in() -> Self {
        let mut catalog = Catalog {
            entries: Vec::new(),
            by_id: HashMap::new(),
        };
        for entry in GAMES.iter() {
            let added = catalog.add(entry.clone());
            debug_assert!(added.is_ok(), "ids of the registry differ");
        }
        catalog
    }

    /// Adds a game.
    ///
    /// # Errors
    /// If another one has its id.
    pub fn add(&mut self, entry: Arc<Entry>) -> Result<(), TakenId> {
        let id = &entry.info.id;
        if self.by_id.contains_key(id) {
            return Err(TakenId(id.clone()));
        }
        self.by_id.insert(id.clone(), self.entries.len());
        self.entries.push(entry);
        Ok(())
    }

    /// The game with this id.
    ///
    /// # Errors
    /// If there is none; the error names the nearest id and all others.
    pub fn find(&self, id: &str) -> Result<&Arc<Entry>, UnknownGame> {
        let entry = self.by_id.get(id).map(|at| &self.entries[*at]);
        entry.ok_or_else(|| UnknownGame {
            id: id.to_owned(),
            known: self.iter().map(|entry| entry.info.id.clone()).collect(),
        })
    }

    /// All games.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<Entry>> {
        self.entries.iter()
    }
}

impl Default for Catalog {
    fn default() -> Self {
        Self::built_in()
    }
}

fn sentence(id: &str, known: &[String]) -> String {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let near = nearest(id, &known);
    let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    let known = quoted(&known);
    format!("there is no game `{id}`; {near}the games are {known}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_found_by_their_ids() {
        let mut catalog = Catalog::built_in();
        assert_eq!(catalog.iter().len(), GAMES.len());
        let siam = catalog.find("siam").unwrap().clone();
        assert_eq!(siam.info.id, "siam");
        assert_eq!(catalog.add(siam), Err(TakenId("siam".to_owned())));
        let unknown = catalog.find("saim").map(|_| ()).unwrap_err().to_string();
        assert!(unknown.contains("did you mean `siam`?"), "{unknown}");
    }
}
