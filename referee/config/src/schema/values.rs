//! Finds wrong values: wrong type, not in the list of words, out of range. The JSON Schema says
//! what is allowed; types with a syntax of their own, such as durations, have a title there and are
//! checked when they are parsed.

use games::kit::text::nearest;
use protocol::excerpt;
use serde_json::Value;
use toml::de::DeValue;

use crate::schema::json_schema::{Instance, fits, items, kinds, least, most, resolve};

/// Longer values are cut in messages.
const LONGEST: usize = 60;

/// Describes a wrong value and the allowed ones; `None` if it fits. Contents of tables and lists
/// are not checked.
pub(crate) fn problem(root: &Value, schema: &Value, value: &DeValue<'_>) -> Option<String> {
    if fits(root, schema, value) {
        return None;
    }
    let (shown, allowed) = (shown(value), allowed(root, schema, value));
    let hint = hint(root, schema, value).unwrap_or_default();
    Some(format!("{shown} is not {allowed}{hint}"))
}

/// Allowed values, after "is not".
fn allowed(root: &Value, schema: &Value, value: &DeValue<'_>) -> String {
    let schema = resolve(root, schema);
    if value.is_integer()
        && value
            .whole()
            .is_none_or(|number| number > most::<DeValue<'_>>(schema))
        && schema.get("maximum").is_none()
        && schema.get("type").is_some()
    {
        let (least, most) = (least(schema).max(0), most::<DeValue<'_>>(schema));
        return format!("a whole number from {least} to {most}");
    }
    let kinds = kinds(root, schema);
    if kinds.len() > 1 && kinds.iter().all(|kind| kind.starts_with('"')) {
        return format!("one of {}", kinds.join(", "));
    }
    let kinds = kinds.iter().map(|kind| {
        if kind.starts_with('"') || kind.starts_with("true") {
            kind.clone()
        } else {
            format!("a {kind}")
        }
    });
    kinds.collect::<Vec<_>>().join(" or ")
}

/// The value that was probably meant, as the rest of the sentence.
fn hint(root: &Value, schema: &Value, value: &DeValue<'_>) -> Option<String> {
    if let Some(text) = value.as_str() {
        let words = kinds(root, schema);
        let words: Vec<&str> = words
            .iter()
            .filter_map(|kind| kind.strip_prefix('"')?.strip_suffix('"'))
            .collect();
        if let Some(near) = nearest(text, &words) {
            return Some(format!("; did you mean \"{near}\"?"));
        }
        let plain = DeValue::parse(text).ok();
        if plain.is_some_and(|plain| fits(root, schema, plain.get_ref())) {
            return Some(format!("; write {text} without quotes"));
        }
    }
    if !value.is_array() && !value.is_table() {
        let text = shown(value);
        if items(root, schema).is_some_and(|items| fits(root, items, value)) {
            return Some(format!("; write a list: [{text}]"));
        }
        if !value.is_str() && fits(root, schema, &DeValue::String(text.clone().into())) {
            return Some(format!("; write \"{text}\" with quotes"));
        }
    }
    None
}

/// A value for people.
fn shown(value: &DeValue<'_>) -> String {
    let text = match value {
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(number) => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(time) => time.to_string(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    };
    excerpt(text.as_bytes(), LONGEST)
}
