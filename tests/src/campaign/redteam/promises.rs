//! The promises of the sandbox, from `referee doctor --promises`.

use std::collections::BTreeMap;

use clap::ValueEnum;
use serde_json::Value;

use crate::Ran;

use super::options::{Tier, User};
use super::site::{Programs, as_user};

#[derive(Debug)]
pub(super) struct Promises {
    /// In the program's order.
    pub(super) all: Vec<Promise>,
}

#[derive(Debug)]
pub(super) struct Promise {
    pub(super) id: String,
    /// The action that is impossible where the promise holds.
    pub(super) words: String,
    held: BTreeMap<(Tier, User), bool>,
}

impl Promises {
    /// Queries the program as each of these users: some promises depend on a user's rights.
    pub(super) fn ask(programs: &Programs, users: &[User]) -> Result<Self, String> {
        let mut all: Vec<Promise> = Vec::new();
        for user in users {
            let mut doctor = as_user(*user, &programs.referee());
            doctor.args(["doctor", "--promises", "--format", "json"]);
            let ran: Ran = doctor.output().map_err(|error| error.to_string())?.into();
            let list: Vec<Value> = serde_json::from_str(&ran.stdout)
                .map_err(|error| format!("`referee doctor --promises`: {error} {}", ran.stderr))?;
            for value in &list {
                add(&mut all, value, *user);
            }
        }
        if all.is_empty() {
            Err("the program promises nothing".to_owned())
        } else {
            Ok(Promises { all })
        }
    }

    /// `None` if there is no such promise.
    pub(super) fn holds(&self, id: &str, tier: Tier, user: User) -> Option<bool> {
        let promise = self.all.iter().find(|promise| promise.id == id)?;
        promise.held.get(&(tier, user)).copied()
    }
}

fn add(all: &mut Vec<Promise>, value: &Value, user: User) {
    let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let id = text("id");
    let place = all.iter().position(|promise| promise.id == id);
    let place = place.unwrap_or_else(|| {
        all.push(Promise {
            id,
            words: text("promise"),
            held: BTreeMap::new(),
        });
        all.len() - 1
    });
    for tier in Tier::value_variants() {
        if let Some(holds) = value["here"][tier.name()].as_bool() {
            all[place].held.insert((*tier, user), holds);
        }
    }
}
