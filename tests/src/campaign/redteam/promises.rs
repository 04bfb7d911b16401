//! What the program says that it promises.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Tier, User};

/// The program's table of promises.
#[derive(Debug)]
pub(super) struct Promises {
    /// In the program's order.
    pub(super) all: Vec<Promise>,
}

#[derive(Debug)]
pub(super) struct Promise {
    pub(super) id: String,
    /// What a bot cannot do where it holds.
    pub(super) words: String,
    held: BTreeMap<(Tier, User), bool>,
}

impl Promises {
    /// Asks the program.
    pub(super) fn ask() -> Result<Self, String> {
        let ran = crate::run(["doctor", "--promises", "--format", "json"]);
        let list: Vec<Value> = serde_json::from_str(&ran.stdout)
            .map_err(|error| format!("`referee doctor --promises`: {error} {}", ran.stderr))?;
        let all: Vec<Promise> = list.iter().map(promise).collect();
        match all.is_empty() {
            true => Err("the program promises nothing".to_owned()),
            false => Ok(Promises { all }),
        }
    }

    /// Whether it is promised; `None` if there is no such promise.
    pub(super) fn holds(&self, id: &str, tier: Tier, user: User) -> Option<bool> {
        let promise = self.all.iter().find(|promise| promise.id == id)?;
        promise.held.get(&(tier, user)).copied()
    }
}

fn promise(value: &Value) -> Promise {
    let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let mut held = BTreeMap::new();
    for tier in [Tier::None, Tier::Limits, Tier::Restricted, Tier::Strict] {
        for user in [User::Root, User::Ordinary] {
            if let Some(holds) = value["held"][tier.name()][user.name()].as_bool() {
                held.insert((tier, user), holds);
            }
        }
    }
    Promise {
        id: text("id"),
        words: text("promise"),
        held,
    }
}
