//! Writes the pages of the book that follow from the program: commands, keys, checks, games.
//!
//!     cargo run -p referee --features cluster,mcp --example write-reference

mod pages;

use std::fs;
use std::io;

fn main() -> io::Result<()> {
    let folder = pages::folder();
    for (name, text) in pages::all() {
        fs::write(folder.join(name), text)?;
    }
    Ok(())
}
