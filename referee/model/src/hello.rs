//! The forward model's description of itself for callers that ask for rules.

use games::kit::info::{Info, OptionKind, OptionSpec};
use games::{Catalog, Entry};
use protocol::{GameHello, Limits, ModelHello, PROTOCOL};
use serde_json::{Map, Value, json};

/// Its optional abilities.
const CAN: [&str; 8] = [
    "undo", "key", "view", "scores", "perft", "playout", "playouts", "children",
];

/// The answer to `hello`: all games of the catalog.
pub(super) fn answer(catalog: &Catalog) -> ModelHello {
    ModelHello {
        protocol: PROTOCOL,
        name: "referee".to_owned(),
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        can: CAN.map(str::to_owned).to_vec(),
        strict: true,
        games: catalog.iter().map(|entry| game(entry)).collect(),
    }
}

/// The number of seats that a game may have, where its options decide it: then the answer to `new` says which
/// roles there are.
pub(super) fn seats_of(info: &Info) -> Option<(usize, usize)> {
    Some((2, info.roles.len())).filter(|(least, most)| least < most)
}

fn game(entry: &Entry) -> GameHello {
    let info = &entry.info;
    let options = info.options.iter();
    let options: Map<String, Value> = options
        .map(|option| (option.name.clone(), describe(option)))
        .collect();
    GameHello {
        id: info.id.clone(),
        title: info.title.clone(),
        summary: info.summary.clone(),
        guide: Some(entry.guide.clone()),
        roles: info.roles.clone(),
        seats: seats_of(info),
        symmetric: info.symmetric,
        hidden: info.hidden,
        chance: info.chance,
        options,
        notation: info.notation.clone(),
        limits: Limits {
            max_plies: info.limits.max_plies,
            repetition: info.limits.repetition,
        },
    }
}

/// An option as `hello` has it.
fn describe(option: &OptionSpec) -> Value {
    let mut described = match &option.kind {
        OptionKind::Int { min, max, default } => {
            json!({"type": "int", "min": min, "max": max, "default": default})
        }
        OptionKind::Bool { default } => json!({"type": "bool", "default": default}),
        OptionKind::Text { default } => json!({"type": "text", "default": default}),
        OptionKind::Choice { words, default } => {
            json!({"type": "choice", "values": words, "default": default})
        }
        // Types of our own, absent by default.
        OptionKind::Rows => json!({"type": "rows"}),
        OptionKind::Cells => json!({"type": "cells"}),
        OptionKind::IntIfGiven { min, max } => {
            json!({"type": "int_if_given", "min": min, "max": max})
        }
    };
    if let Some(other) = &option.unless {
        described["unless"] = other.clone().into();
    }
    described["help"] = option.help.clone().into();
    described
}
