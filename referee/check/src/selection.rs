//! The selection of games and checks.

use std::sync::Arc;

use games::kit::info::OptionKind;
use games::registry::Entry;
use games::{Catalog, Rules};
use serde_json::json;

/// A game with a number of seats.
pub struct Variant {
    /// The game's id, with the number of seats if there is a choice.
    pub label: String,
    pub rules: Arc<dyn Rules>,
}

impl Variant {
    /// One variant for each number of seats.
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

#[derive(Default)]
pub struct Selection {
    /// Ids of games. If empty, all that the bot plays.
    pub games: Vec<String>,
    /// The games that can be named.
    pub catalog: Arc<Catalog>,
    /// Prefixes of names. If empty, all checks.
    pub only: Vec<String>,
}

impl Selection {
    pub fn has(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|begin| name.starts_with(&**begin))
    }

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
