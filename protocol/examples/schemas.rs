//! Writes the JSON Schemas to `protocol/schema/`.

use std::{fs, io};

fn main() -> io::Result<()> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/schema");
    for (name, schema) in protocol::schema::all() {
        fs::write(
            format!("{folder}/{name}"),
            protocol::schema::to_text(&schema),
        )?;
    }
    Ok(())
}
