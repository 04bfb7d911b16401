//! The fields of requests to the forward model, read off their JSON Schema: which ones an operation
//! has, and what is wrong with those of a request that cannot be read.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use config::schema::json_schema::{fits, items, kinds};
use games::kit::text::{nearest, quoted};
use protocol::{Op, excerpt};
use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use smallvec::SmallVec;

/// Longer values are cut in messages.
const LONGEST: usize = 60;

/// The operations with the schemas of their fields.
struct Operations {
    root: Value,
    all: Vec<Operation>,
}

struct Operation {
    name: String,
    schema: Value,
    /// The names of its fields, and `op`: few enough to be compared one by one.
    fields: Vec<String>,
}

impl Operations {
    fn find(&self, name: &str) -> Option<&Operation> {
        self.all.iter().find(|operation| operation.name == name)
    }
}

fn operations() -> &'static Operations {
    static OPERATIONS: OnceLock<Operations> = OnceLock::new();
    OPERATIONS.get_or_init(|| {
        let root = schemars::schema_for!(Op).to_value();
        let variants = root.get("oneOf").and_then(Value::as_array);
        let variants = variants.into_iter().flatten().filter_map(|variant| {
            let name = variant.pointer("/properties/op/const")?.as_str()?;
            let fields = variant.get("properties")?.as_object()?;
            Some(Operation {
                name: name.to_owned(),
                schema: variant.clone(),
                fields: fields.keys().cloned().collect(),
            })
        });
        let all = variants.collect();
        Operations { root, all }
    })
}

/// The part of every request that is read first: its id, exactly as it was written, and its fields.
#[derive(Default)]
pub(crate) struct Envelope<'a> {
    pub id: Option<&'a RawValue>,
    /// All but `id`.
    fields: SmallVec<[Cow<'a, str>; 8]>,
}

impl Envelope<'_> {
    /// A warning of the fields that the operation does not have, if there are any.
    pub(crate) fn warning(&self, op: &str) -> Option<String> {
        let known = &operations().find(op)?.fields;
        let unknown = self
            .fields
            .iter()
            .find(|field| !known.iter().any(|name| **name == **field))?;
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let near = nearest(unknown, &known);
        let near = near.map_or(String::new(), |near| format!(", did you mean `{near}`?"));
        let unknown = excerpt(unknown.as_bytes(), LONGEST);
        Some(format!(
            "`{op}` has no field `{unknown}`{near}; it was ignored"
        ))
    }
}

impl<'de> Deserialize<'de> for Envelope<'de> {
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
            if field != "id" {
                map.next_value::<IgnoredAny>()?;
                envelope.fields.push(field);
            } else if envelope.id.replace(map.next_value()?).is_some() {
                return Err(M::Error::duplicate_field("id"));
            }
        }
        Ok(envelope)
    }
}

/// The `op` of a request that could not be read.
pub(crate) fn op(line: &[u8]) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Named {
        op: String,
    }
    serde_json::from_slice::<Named>(line)
        .ok()
        .map(|named| named.op)
}

/// The error of a request that could not be read, with the name of the field; `None` if the fields
/// are valid.
pub(crate) fn explain(line: &[u8]) -> Option<String> {
    let Ok(Value::Object(fields)) = serde_json::from_slice(line) else {
        return None;
    };
    let operations = operations();
    let all = operations.all.iter();
    let mut names: Vec<&str> = all.map(|operation| &*operation.name).collect();
    names.sort_unstable();
    let known = quoted(&names);
    let op = match fields.get("op") {
        None => return Some(format!("`op` is missing; it is one of {known}")),
        Some(Value::String(op)) => op,
        Some(other) => return Some(format!("`op`: {} is not one of {known}", shown(other))),
    };
    let Some(Operation { schema, .. }) = operations.find(op) else {
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
        .find_map(|(name, schema)| error_in(&operations.root, name, schema, fields.get(name)?))
}

/// The fault in the value of a field, if there is one.
fn error_in(root: &Value, name: &str, schema: &Value, value: &Value) -> Option<String> {
    if fits(root, schema, value) {
        let entries = value.as_array().zip(items(root, schema));
        let (list, items) = entries?;
        // An entry may be at fault.
        let mut list = list.iter();
        return list.find_map(|value| error_in(root, name, items, value));
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
