//! Finds values that a configuration may not have: of a wrong type, no word of the list, out of
//! range. What is allowed is read off the JSON Schema; types with a syntax of their own, such as
//! durations, have a title there and are checked when they are parsed.

use games::kit::text::nearest;
use protocol::excerpt;
use serde_json::Value;
use toml::de::{DeInteger, DeValue};

use super::schema::{kinds, resolve};

/// Longer values are cut in messages.
const LONGEST: usize = 60;

/// What is wrong with a value, and what is allowed; `None` if nothing is. What is in tables and lists
/// is not looked at.
pub(super) fn mistake(root: &Value, schema: &Value, value: &DeValue<'_>) -> Option<String> {
    if fits(root, schema, value) {
        return None;
    }
    let (shown, allowed) = (shown(value), allowed(root, schema, value));
    let hint = hint(root, schema, value).unwrap_or_default();
    Some(format!("{shown} is not {allowed}{hint}"))
}

fn fits(root: &Value, schema: &Value, value: &DeValue<'_>) -> bool {
    let schema = resolve(root, schema);
    if schema.get("title").is_some() {
        return true;
    }
    if let Some(word) = schema.get("const") {
        return word.as_str() == value.as_str() && value.is_str();
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return words
            .iter()
            .any(|word| word.is_string() && word.as_str() == value.as_str());
    }
    if let Some(mut alternatives) = alternatives(schema) {
        return alternatives.any(|inner| fits(root, inner, value));
    }
    match schema.get("type") {
        Some(Value::String(name)) => is_of_type(name, schema, value),
        Some(Value::Array(names)) => {
            let mut names = names.iter().filter_map(Value::as_str);
            names.any(|name| is_of_type(name, schema, value))
        }
        _ => true,
    }
}

/// The schemas of which a value has to fit one.
fn alternatives(schema: &Value) -> Option<impl Iterator<Item = &Value>> {
    let list = schema.get("anyOf").or_else(|| schema.get("oneOf"))?;
    Some(list.as_array()?.iter())
}

fn is_of_type(name: &str, schema: &Value, value: &DeValue<'_>) -> bool {
    match (name, value) {
        ("integer", DeValue::Integer(number)) => {
            whole(number).is_some_and(|number| (least(schema)..=most(schema)).contains(&number))
        }
        ("number", value) => value.is_integer() || value.is_float(),
        ("string", value) => value.is_str(),
        ("boolean", value) => value.is_bool(),
        ("array", value) => value.is_array(),
        ("object", value) => value.is_table(),
        _ => false,
    }
}

fn whole(number: &DeInteger<'_>) -> Option<i128> {
    i128::from_str_radix(number.as_str(), number.radix()).ok()
}

fn least(schema: &Value) -> i128 {
    let least = schema.get("minimum").and_then(Value::as_i64);
    least.map_or(i128::MIN, i128::from)
}

fn most(schema: &Value) -> i128 {
    let of_type = if schema.get("format") == Some(&"uint32".into()) {
        i128::from(u32::MAX)
    } else {
        i128::from(i64::MAX)
    };
    let most = schema.get("maximum").and_then(Value::as_i64);
    most.map_or(of_type, i128::from)
}

/// What is allowed, after "is not".
fn allowed(root: &Value, schema: &Value, value: &DeValue<'_>) -> String {
    let schema = resolve(root, schema);
    if let DeValue::Integer(number) = value
        && whole(number).is_none_or(|number| number > most(schema))
        && schema.get("maximum").is_none()
        && schema.get("type").is_some()
    {
        let (least, most) = (least(schema).max(0), most(schema));
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

/// What was probably meant, as the rest of the sentence.
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

/// What the entries of a list have to be, if it may be a list.
pub(super) fn items<'a>(root: &'a Value, schema: &'a Value) -> Option<&'a Value> {
    let schema = resolve(root, schema);
    let own = schema.get("items");
    own.or_else(|| alternatives(schema)?.find_map(|inner| items(root, inner)))
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
