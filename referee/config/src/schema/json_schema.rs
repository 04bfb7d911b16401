//! The part of JSON Schema that `schemars` emits for our types: which values fit, and their
//! description in messages. Values come from JSON or TOML.

use serde_json::{Map, Value};
use toml::de::DeValue;

/// A value that may fit a schema.
pub trait Instance {
    /// The largest integer of the language.
    const MOST: i128;

    /// Equality with a JSON value.
    fn is(&self, other: &Value) -> bool;

    /// Its value as an integer, if it is one.
    fn whole(&self) -> Option<i128>;

    /// True if it has this schema type, other than `integer`.
    fn is_of(&self, kind: &str) -> bool;
}

impl Instance for Value {
    const MOST: i128 = u64::MAX as i128;

    fn is(&self, other: &Value) -> bool {
        self == other
    }

    fn whole(&self) -> Option<i128> {
        let signed = self.as_i64().map(i128::from);
        signed.or_else(|| self.as_u64().map(i128::from))
    }

    fn is_of(&self, kind: &str) -> bool {
        match kind {
            "array" => self.is_array(),
            "boolean" => self.is_boolean(),
            "null" => self.is_null(),
            "number" => self.is_number(),
            "object" => self.is_object(),
            "string" => self.is_string(),
            _ => false,
        }
    }
}

impl Instance for DeValue<'_> {
    const MOST: i128 = i64::MAX as i128;

    fn is(&self, other: &Value) -> bool {
        self.is_str() && self.as_str() == other.as_str()
    }

    fn whole(&self) -> Option<i128> {
        let DeValue::Integer(number) = self else {
            return None;
        };
        i128::from_str_radix(number.as_str(), number.radix()).ok()
    }

    fn is_of(&self, kind: &str) -> bool {
        match kind {
            "array" => self.is_array(),
            "boolean" => self.is_bool(),
            "number" => self.is_integer() || self.is_float(),
            "object" => self.is_table(),
            "string" => self.is_str(),
            _ => false,
        }
    }
}

/// True if a value fits. Entries of lists and objects are not checked. A type with a title has a
/// syntax of its own, as durations do, which its parser checks: any value fits here.
pub fn fits<I: Instance>(root: &Value, schema: &Value, value: &I) -> bool {
    let schema = resolve(root, schema);
    if schema.get("title").is_some() {
        return true;
    }
    if let Some(only) = schema.get("const") {
        return value.is(only);
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.iter().any(|other| value.is(other));
    }
    if let Some(mut alternatives) = alternatives(schema) {
        return alternatives.any(|inner| fits(root, inner, value));
    }
    let is_of = |kind: &str| match (kind, value.whole()) {
        ("integer", Some(number)) => (least(schema)..=most::<I>(schema)).contains(&number),
        _ => value.is_of(kind),
    };
    match schema.get("type") {
        Some(Value::String(kind)) => is_of(kind),
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).any(is_of),
        _ => true,
    }
}

/// The smallest integer that a schema allows.
pub fn least(schema: &Value) -> i128 {
    let least = schema.get("minimum").and_then(Value::as_i64);
    least.map_or(i128::MIN, i128::from)
}

/// The largest integer that a schema, and the language, allow.
pub fn most<I: Instance>(schema: &Value) -> i128 {
    let of_type = if schema.get("format") == Some(&"uint32".into()) {
        i128::from(u32::MAX)
    } else {
        I::MOST
    };
    let most = schema.get("maximum").and_then(Value::as_i64);
    most.map_or(of_type, i128::from)
}

/// Follows a schema that is only a reference.
pub fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let inner = match schema.get("allOf").and_then(Value::as_array) {
        Some(parts) if parts.len() == 1 => &parts[0],
        _ => schema,
    };
    let reference = inner.get("$ref").and_then(Value::as_str);
    let found = reference.and_then(|name| root.pointer(name.trim_start_matches('#')));
    found.unwrap_or(inner)
}

/// The alternatives of which a value has to fit one.
fn alternatives(schema: &Value) -> Option<impl Iterator<Item = &Value>> {
    let list = schema.get("anyOf").or_else(|| schema.get("oneOf"))?;
    Some(list.as_array()?.iter())
}

/// The schema of a list's entries, if it may be a list.
pub fn items<'a>(root: &'a Value, schema: &'a Value) -> Option<&'a Value> {
    let schema = resolve(root, schema);
    let own = schema.get("items");
    own.or_else(|| alternatives(schema)?.find_map(|inner| items(root, inner)))
}

/// The properties of a schema, or of its first alternative that has some; `None` for tables with
/// keys of the user's own.
pub fn properties<'a>(root: &'a Value, schema: &'a Value) -> Option<&'a Map<String, Value>> {
    let schema = resolve(root, schema);
    if let Some(properties) = schema.get("properties") {
        return properties.as_object();
    }
    alternatives(schema)?.find_map(|inner| properties(root, inner))
}

/// Short descriptions of the values of a schema, one for each alternative.
pub fn kinds(root: &Value, schema: &Value) -> Vec<String> {
    let schema = resolve(root, schema);
    if let Some(title) = schema.get("title").and_then(Value::as_str) {
        return vec![title.to_owned()];
    }
    if let Some(value) = schema.get("const") {
        return vec![value.to_string()];
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.iter().map(Value::to_string).collect();
    }
    if let Some(alternatives) = alternatives(schema) {
        let kinds = alternatives.flat_map(|inner| kinds(root, inner));
        let mut kinds: Vec<String> = kinds.filter(|kind| kind != "null").collect();
        kinds.dedup();
        return kinds;
    }
    if let Some(items) = schema.get("items") {
        let items = kinds(root, items).join(" or ");
        return vec![format!("list of {}", plural(&items))];
    }
    let kind = match schema.get("type") {
        Some(Value::String(kind)) => kind,
        // Of two types, the other one is null.
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str).unwrap_or("null"),
        _ => "anything",
    };
    vec![match kind {
        "object" => "table".to_owned(),
        "boolean" => "true or false".to_owned(),
        "integer" => format!("whole number{}", range(schema)),
        kind => kind.to_owned(),
    }]
}

/// The range of a number, appended to its description.
fn range(schema: &Value) -> String {
    let (least, most) = (schema.get("minimum"), schema.get("maximum"));
    match (least, most) {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        (Some(least), None) => format!(" from {least} on"),
        _ => String::new(),
    }
}

fn plural(kind: &str) -> String {
    match kind.split_once(' ') {
        None => format!("{kind}s"),
        Some(_) => format!("({kind})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The JSON values that fit a schema; their TOML forms must agree.
    fn fitting(schema: &Value) -> Vec<&'static str> {
        let values = ["true", "-1", "7", "300", "0.5", "\"a\"", "\"b\"", "[]"];
        let mut fitting = Vec::new();
        for text in values {
            let json: Value = serde_json::from_str(text).expect("JSON");
            let toml = DeValue::parse(text).expect("TOML");
            let fits_json = fits(schema, schema, &json);
            assert_eq!(fits(schema, schema, toml.get_ref()), fits_json, "{text}");
            if fits_json {
                fitting.push(text);
            }
        }
        fitting
    }

    #[test]
    fn json_and_toml_fit_the_same_schemas() {
        let byte = json!({"type": "integer", "minimum": 0, "maximum": 255});
        assert_eq!(fitting(&byte), ["7"]);
        assert_eq!(fitting(&json!({"enum": ["a", "c"]})), ["\"a\""]);
        let either = json!({"anyOf": [{"const": "b"}, {"type": ["boolean", "null"]}]});
        assert_eq!(fitting(&either), ["true", "\"b\""]);
        assert_eq!(
            fitting(&json!({"type": "number"})),
            ["-1", "7", "300", "0.5"]
        );
        let list = json!({"$ref": "#/x", "x": {"type": "array", "items": byte}});
        assert_eq!(fitting(&list), ["[]"]);
        assert_eq!(items(&list, &list), Some(&byte));
        assert_eq!(fitting(&json!({"title": "duration"})).len(), 8);
    }

    #[test]
    fn numbers_are_as_large_as_their_language_allows() {
        let seed = json!({"type": "integer", "format": "uint64", "minimum": 0});
        assert!(fits(&seed, &seed, &json!(u64::MAX)));
        let toml = DeValue::parse("18446744073709551615").expect("TOML");
        assert!(!fits(&seed, &seed, toml.get_ref()));
        let small = json!({"type": "integer", "format": "uint32", "minimum": 0});
        assert!(!fits(&small, &small, &json!(1_u64 << 32)));
    }
}
