//! The fields of requests to the forward model, read off their JSON Schema: which ones an operation
//! has, and what is wrong with those of a request that cannot be read.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use games::kit::text::{nearest, quoted};
use protocol::{Op, excerpt};
use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::json_schema::{fits, items, kinds};

/// Longer values are cut in messages.
const LONGEST: usize = 60;

/// The operations with the schemas of their fields.
struct Operations {
    root: Value,
    /// The schema of each operation.
    by_name: BTreeMap<String, Value>,
}

fn operations() -> &'static Operations {
    static OPERATIONS: OnceLock<Operations> = OnceLock::new();
    OPERATIONS.get_or_init(|| {
        let root = schemars::schema_for!(Op).to_value();
        let variants = root.get("oneOf").and_then(Value::as_array);
        let variants = variants.into_iter().flatten().filter_map(|variant| {
            let name = variant.pointer("/properties/op/const")?.as_str()?;
            Some((name.to_owned(), variant.clone()))
        });
        let by_name = variants.collect();
        Operations { root, by_name }
    })
}

/// What is read of every request: its id, exactly as it was written, and which fields it has.
#[derive(Default)]
pub(crate) struct Envelope<'a> {
    pub(crate) id: Option<&'a RawValue>,
    op: Option<Cow<'a, str>>,
    /// All but `id` and `op`.
    fields: Vec<Cow<'a, str>>,
}

impl Envelope<'_> {
    /// A warning of the fields that the operation does not have, if there are any.
    pub(crate) fn warning(&self) -> Option<String> {
        let op = self.op.as_deref()?;
        let properties = operations()
            .by_name
            .get(op)?
            .get("properties")?
            .as_object()?;
        let unknown = self
            .fields
            .iter()
            .find(|field| !properties.contains_key(&***field))?;
        let known: Vec<&str> = properties.keys().map(String::as_str).collect();
        let near = nearest(unknown, &known);
        let near = near.map_or(String::new(), |near| format!(", did you mean `{near}`?"));
        let unknown = excerpt(unknown.as_bytes(), LONGEST);
        Some(format!(
            "`{op}` has no field `{unknown}`{near}; it was ignored"
        ))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Envelope<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EnvelopeVisitor)
    }
}

/// A text that is borrowed where it has no escapes.
#[derive(serde::Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

struct EnvelopeVisitor;

impl<'de> Visitor<'de> for EnvelopeVisitor {
    type Value = Envelope<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut envelope = Envelope::default();
        while let Some(Text(field)) = map.next_key()? {
            match &*field {
                "id" if envelope.id.is_some() => return Err(M::Error::duplicate_field("id")),
                "id" => envelope.id = Some(map.next_value()?),
                "op" => {
                    let op: &RawValue = map.next_value()?;
                    let op = serde_json::from_str::<Text<'de>>(op.get());
                    envelope.op = op.ok().map(|Text(op)| op);
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    envelope.fields.push(field);
                }
            }
        }
        Ok(envelope)
    }
}

/// What is wrong with a request that could not be read, with the name of the field; `None` if the
/// fields are as they should be.
pub(crate) fn explain(line: &[u8]) -> Option<String> {
    let Ok(Value::Object(fields)) = serde_json::from_slice(line) else {
        return None;
    };
    let Operations { root, by_name } = operations();
    let names: Vec<&str> = by_name.keys().map(String::as_str).collect();
    let known = quoted(&names);
    let op = match fields.get("op") {
        None => return Some(format!("`op` is missing; it is one of {known}")),
        Some(Value::String(op)) => op,
        Some(other) => return Some(format!("`op`: {} is not one of {known}", shown(other))),
    };
    let Some(schema) = by_name.get(op) else {
        let near = nearest(op, &names);
        let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
        let op = excerpt(op.as_bytes(), LONGEST);
        return Some(format!(
            "there is no `op` `{op}`; {near}it is one of {known}"
        ));
    };
    let required = schema.get("required").and_then(Value::as_array);
    let mut required = required.into_iter().flatten().filter_map(Value::as_str);
    if let Some(missing) = required.find(|name| !fields.contains_key(*name)) {
        return Some(format!("`{op}` needs the field `{missing}`"));
    }
    let properties = schema.get("properties")?.as_object()?;
    properties
        .iter()
        .find_map(|(name, schema)| mistake(root, name, schema, fields.get(name)?))
}

/// What is wrong with the value of a field, if anything is.
fn mistake(root: &Value, name: &str, schema: &Value, value: &Value) -> Option<String> {
    if fits(root, schema, value) {
        let entries = value.as_array().zip(items(root, schema));
        let (list, items) = entries?;
        // An entry may be at fault.
        let mut list = list.iter();
        return list.find_map(|value| mistake(root, name, items, value));
    }
    // The names of kinds are those of TOML, but for this one they are the same.
    let kinds = kinds(root, schema).into_iter();
    let kinds: Vec<String> = kinds.map(|kind| kind.replace("table", "object")).collect();
    let allowed = if kinds.len() > 1 {
        format!("one of {}", kinds.join(", "))
    } else {
        format!("a {}", kinds.concat())
    };
    Some(format!("`{name}`: {} is not {allowed}", shown(value)))
}

/// A value for people.
fn shown(value: &Value) -> String {
    excerpt(value.to_string().as_bytes(), LONGEST)
}
