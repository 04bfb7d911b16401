//! Values as JSON lines.

use serde::Serialize;

/// Appends a value as a line of JSON that ends with `\n`.
pub(crate) fn append<T: Serialize>(value: &T, out: &mut Vec<u8>) {
    serde_json::to_writer(&mut *out, value).expect("messages have text keys only");
    out.push(b'\n');
}

/// A value as a line of JSON that ends with `\n`.
pub(crate) fn to_line<T: Serialize>(value: &T) -> String {
    let mut line = Vec::new();
    append(value, &mut line);
    String::from_utf8(line).expect("JSON is text")
}
