//! JSON Schemas of all messages and of the log record, generated from the types.

use schemars::{Schema, schema_for};

use crate::log::Record;
use crate::messages::search_info::SearchInfo;
use crate::messages::{FromBot, ToBot};
use crate::model::{Answer, Request};

/// All schemas, each with the name of its file in `protocol/schema/`.
pub fn all() -> Vec<(&'static str, Schema)> {
    vec![
        ("to-bot.json", schema_for!(ToBot)),
        ("from-bot.json", schema_for!(FromBot)),
        ("info.json", schema_for!(SearchInfo)),
        ("model-request.json", schema_for!(Request)),
        ("model-answer.json", schema_for!(Answer)),
        ("log-record.json", schema_for!(Record)),
    ]
}

/// The contents of a schema's file.
pub fn to_text(schema: &Schema) -> String {
    let mut text = serde_json::to_string_pretty(schema).expect("schemas are JSON");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_files_are_up_to_date() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/schema");
        for (name, schema) in all() {
            let there = std::fs::read_to_string(format!("{folder}/{name}")).unwrap_or_default();
            assert!(
                there == to_text(&schema),
                "protocol/schema/{name} is stale: run `cargo run -p referee-protocol --example schemas`"
            );
        }
    }
}
