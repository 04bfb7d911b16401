//! Mutations of JSON that keep it valid: fields dropped, doubled, retyped, nested, swapped.

use games::Rng;
use serde_json::{Map, Number, Value, json};

use super::material::{EXTREMES, LONGEST, pick};

/// Changes one line of the input from its first `{` or `[` on; false if there is no JSON.
pub(super) fn change(input: &mut Vec<u8>, other: &[u8], rng: &mut Rng) -> bool {
    let Some((from, to, mut value)) = find(input, rng) else {
        return false;
    };
    let other = find(other, rng).map_or(Value::Null, |(.., value)| value);
    change_value(&mut value, &other, rng);
    let mut text = value.to_string();
    if rng.below(16) == 0 {
        double_field(&mut text, &value, rng);
    }
    input.splice(from..to, text.bytes());
    input.truncate(LONGEST);
    true
}

/// A piece of JSON in the input: its range and its value.
fn find(input: &[u8], rng: &mut Rng) -> Option<(usize, usize, Value)> {
    let lines: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
    let number = rng.index(lines.len());
    let before: usize = lines[..number].iter().map(|line| line.len() + 1).sum();
    let line = lines[number];
    let skip = line.iter().position(|byte| b"{[".contains(byte))?;
    let value = serde_json::from_slice(&line[skip..]).ok()?;
    Some((before + skip, before + line.len(), value))
}

/// The JSON pointers of all values inside a value, itself first.
fn pointers(value: &Value) -> Vec<String> {
    fn walk(value: &Value, pointer: String, all: &mut Vec<String>) {
        all.push(pointer.clone());
        let mut step = |key: &str, inner: &Value| {
            let key = key.replace('~', "~0").replace('/', "~1");
            walk(inner, format!("{pointer}/{key}"), all);
        };
        match value {
            Value::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    step(&i.to_string(), item);
                }
            }
            Value::Object(map) => map.iter().for_each(|(key, inner)| step(key, inner)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    walk(value, String::new(), &mut all);
    all
}

fn any<'a>(value: &'a Value, rng: &mut Rng) -> &'a Value {
    let pointer = pick(&pointers(value), rng).clone();
    value.pointer(&pointer).unwrap_or(value)
}

fn change_value(value: &mut Value, other: &Value, rng: &mut Rng) {
    let inside = any(value, rng).clone();
    let pointer = pick(&pointers(value), rng).clone();
    let Some(place) = value.pointer_mut(&pointer) else {
        return;
    };
    // Half of the changes are small, because what is changed a lot is refused at once.
    match rng.below(14) {
        0 => *place = retyped(rng),
        1 => *place = extreme(rng),
        2 => *place = any(other, rng).clone(),
        // Swaps cells, seats and fields.
        3 => *place = inside,
        4 => remove(value, &pointer),
        5 => grow(place, inside, rng),
        6 => {
            for _ in 0..1 << rng.below(8) {
                *place = json!([place.take()]);
            }
        }
        _ => nudge(place, rng),
    }
}

fn retyped(rng: &mut Rng) -> Value {
    let values = [
        Value::Null,
        json!(true),
        json!(""),
        json!("a1"),
        json!("\u{0}🐧é\""),
        json!([]),
        json!({}),
        json!([[]]),
        json!(0),
        json!("x".repeat(1 << rng.below(13))),
    ];
    pick(&values, rng).clone()
}

fn extreme(rng: &mut Rng) -> Value {
    let number: Result<Number, _> = pick(&EXTREMES, rng).parse();
    number.map_or(Value::Null, Value::Number)
}

/// Removes a value from its list or object.
fn remove(value: &mut Value, pointer: &str) {
    let Some((parent, key)) = pointer.rsplit_once('/') else {
        return;
    };
    match value.pointer_mut(parent) {
        Some(Value::Array(items)) => {
            if let Ok(index) = key.parse::<usize>() {
                items.remove(index);
            }
        }
        Some(Value::Object(map)) => {
            map.remove(key);
        }
        _ => {}
    }
}

/// Repeats an item of a list, or puts something into it or into an object.
fn grow(place: &mut Value, inside: Value, rng: &mut Rng) {
    match place {
        Value::Array(items) => {
            let item = match items.first() {
                Some(_) if rng.below(2) == 0 => pick(items, rng).clone(),
                _ => inside,
            };
            let times = 1 << rng.below(6);
            items.resize(items.len() + times, item);
        }
        Value::Object(map) => {
            map.insert("more".to_owned(), inside);
        }
        Value::String(text) => *text = text.repeat(2),
        _ => *place = Value::Array(vec![place.take(), inside]),
    }
}

/// A small change: a number one up or down, a character of a string, the order of a list.
fn nudge(place: &mut Value, rng: &mut Rng) {
    match place {
        Value::Number(number) => {
            let by = if rng.below(2) == 0 { 1 } else { -1 };
            *place = json!(number.as_i64().unwrap_or_default().saturating_add(by));
        }
        Value::String(text) => {
            let mut bytes = std::mem::take(text).into_bytes();
            if !bytes.is_empty() {
                let at = rng.index(bytes.len());
                bytes[at] = *pick(b"abcdefghi0123456789-x/=>+@nesw#.", rng);
            }
            *text = String::from_utf8_lossy(&bytes).into_owned();
        }
        Value::Array(items) => rng.shuffle(items),
        Value::Bool(flag) => *flag = !*flag,
        Value::Object(map) => *map = std::mem::take(map).into_iter().rev().collect::<Map<_, _>>(),
        Value::Null => *place = json!(0),
    }
}

/// Writes a field of an object twice.
fn double_field(text: &mut String, value: &Value, rng: &mut Rng) {
    let Some(map) = value.as_object().filter(|map| !map.is_empty()) else {
        return;
    };
    let fields: Vec<(&String, &Value)> = map.iter().collect();
    let (key, inner) = *pick(&fields, rng);
    text.insert_str(1, &format!("{}:{inner},", json!(key)));
}
