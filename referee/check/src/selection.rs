//! What is checked: which games, and which of the checks.

use std::sync::Arc;

use games::kit::info::OptionKind;
use games::registry::Entry;
use games::{Catalog, Rules};
use serde_json::json;

/// A game with the number of seats that it is checked with.
pub struct Variant {
    /// The game's id; with the number of seats where there is a choice.
    pub label: String,
    /// The rules.
    pub rules: Arc<dyn Rules>,
}

impl Variant {
    /// The variants of a game: one for each number of seats.
    pub(crate) fn of(entry: &Entry) -> Vec<Self> {
        let id = &entry.info.id;
        let Ok(rules) = entry.configure(&serde_json::Value::Null) else {
            return Vec::new();
        };
        let mut variants = vec![Variant {
            label: id.clone(),
            rules,
        }];
        let numbers = entry
            .info
            .options
            .iter()
            .filter_map(|option| match option.kind {
                OptionKind::Int { min, max, .. } if max - min < 8 => {
                    Some((&option.name, min..=max))
                }
                _ => None,
            });
        for (name, values) in numbers {
            for value in values {
                let rules = entry.configure(&json!({name: value}));
                let Ok(rules) = rules else { continue };
                let seats = rules.seats();
                if variants.iter().all(|other| other.rules.seats() != seats) {
                    let label = format!("{id}-{seats}");
                    variants.push(Variant { label, rules });
                }
            }
        }
        variants.sort_by_key(|variant| variant.rules.seats());
        variants
    }
}

/// Which checks are wanted.
#[derive(Default)]
pub struct Selection {
    /// Games, by id; all that the bot plays if there are none.
    pub games: Vec<String>,
    /// The games that can be named.
    pub catalog: Arc<Catalog>,
    /// Beginnings of names; all if there are none.
    pub only: Vec<String>,
}

impl Selection {
    /// Whether a check of this name is wanted.
    pub fn has(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|begin| name.starts_with(&**begin))
    }

    /// The variants of all games that are wanted.
    pub fn variants(&self) -> Vec<Variant> {
        let wanted = |entry: &&Arc<Entry>| {
            let id = &entry.info.id;
            self.games.is_empty() || self.games.iter().any(|game| game == id)
        };
        self.catalog
            .iter()
            .filter(wanted)
            .flat_map(|entry| Variant::of(entry))
            .collect()
    }
}
