//! Ways to write a message that the protocol allows but this referee does not use.

use std::fmt::Write as _;

use protocol::ToBot;
use serde_json::{Map, Value, json};

/// Longer than the capacity of a pipe and the buffers of many programs.
const LONG: usize = 200_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Encoding {
    /// As this referee writes them.
    #[default]
    Plain,
    /// With unknown fields in all objects of the protocol.
    MoreFields,
    /// With unknown messages in between.
    MoreMessages,
    /// As other writers of JSON: another order of fields, spaces, `\u` escapes, other forms of numbers.
    OtherForm,
    /// In very long lines.
    Long,
}

impl Encoding {
    /// The lines for a message, each with its end.
    pub(super) fn lines(self, message: &ToBot) -> Vec<String> {
        let mut value = serde_json::to_value(message).unwrap_or_default();
        match self {
            Encoding::Plain => return vec![message.to_line()],
            Encoding::MoreFields => add_fields(&mut value),
            Encoding::MoreMessages if matches!(message, ToBot::Hello { .. }) => {}
            Encoding::MoreMessages => {
                let other = json!({"type": "x_weather", "sky": ["blue", null], "move": "none"});
                return vec![format!("{other}\n"), message.to_line()];
            }
            Encoding::OtherForm => {
                let mut line = String::new();
                write_other(&value, &mut line);
                return vec![line + "\n"];
            }
            Encoding::Long => {
                if let Value::Object(fields) = &mut value {
                    fields.insert("x_padding".to_owned(), "x".repeat(LONG).into());
                }
            }
        }
        vec![format!("{value}\n")]
    }
}

/// Adds unknown fields to all objects but those whose fields a game defines.
fn add_fields(message: &mut Value) {
    let Value::Object(fields) = message else {
        return;
    };
    for (name, value) in fields.iter_mut() {
        match (name.as_str(), value) {
            ("time" | "limits" | "clock" | "result", value) => add_fields(value),
            ("players" | "moves" | "faults", Value::Array(entries)) => {
                entries.iter_mut().for_each(add_fields);
            }
            _ => {}
        }
    }
    add_to(fields);
}

fn add_to(fields: &mut Map<String, Value>) {
    let object = json!({"list": [1, 2.5e-3, null, true, {}], "legal": ["x"], "seat": 99});
    fields.insert("x_object".to_owned(), object);
    let text = "a \"quoted\" {text}, with \\ and \"ply\":77";
    fields.insert("x_text".to_owned(), text.into());
}

fn write_other(value: &Value, out: &mut String) {
    match value {
        Value::Object(fields) => {
            out.push_str("{ ");
            for (i, (name, value)) in fields.iter().rev().enumerate() {
                if i > 0 {
                    out.push_str(" , ");
                }
                write_text(name, out);
                out.push_str(" : ");
                write_other(value, out);
            }
            out.push_str(" }");
        }
        Value::Array(values) => {
            out.push_str("[ ");
            for (i, value) in values.iter().enumerate() {
                if i > 0 {
                    out.push_str(" , ");
                }
                write_other(value, out);
            }
            out.push_str(" ]");
        }
        Value::String(text) => write_text(text, out),
        other => out.push_str(&other.to_string()),
    }
}

/// Escapes all characters beyond ASCII as UTF-16.
fn write_text(text: &str, out: &mut String) {
    for c in Value::from(text).to_string().chars() {
        if c.is_ascii() {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn() -> ToBot {
        let line = r#"{"type":"turn","ply":3,"moves":[{"seat":1,"move":"a\"é😀"}],
            "state":{"ply":3},"legal":["a1-b2"],"clock":{}}"#;
        ToBot::from_line(line.as_bytes()).unwrap()
    }

    #[test]
    fn every_encoding_says_the_same() {
        for encoding in [
            Encoding::Plain,
            Encoding::MoreFields,
            Encoding::MoreMessages,
            Encoding::OtherForm,
            Encoding::Long,
        ] {
            let lines = encoding.lines(&turn());
            let last = lines.last().unwrap();
            assert_eq!(ToBot::from_line(last.as_bytes()).unwrap(), turn());
            assert!(
                lines
                    .iter()
                    .all(|line| line.find('\n') == Some(line.len() - 1))
            );
            assert_eq!(
                lines.len(),
                1 + usize::from(encoding == Encoding::MoreMessages)
            );
            assert_eq!(
                last == &turn().to_line(),
                encoding == Encoding::Plain || lines.len() == 2
            );
        }
    }

    #[test]
    fn fields_are_added_where_the_protocol_has_objects_and_in_no_state() {
        let line = Encoding::MoreFields.lines(&turn()).remove(0);
        let value: Value = serde_json::from_str(&line).unwrap();
        for place in ["", "/clock", "/moves/0"] {
            assert_eq!(value.pointer(place).unwrap()["x_object"]["seat"], 99);
        }
        assert_eq!(value["state"], json!({"ply": 3}));
    }

    #[test]
    fn the_other_form_is_another() {
        let line = Encoding::OtherForm.lines(&turn()).remove(0);
        assert!(line.is_ascii() && line.contains("\\ud83d\\ude00"), "{line}");
        assert!(line.starts_with("{ \"clock\" : {"), "{line}");
    }
}
