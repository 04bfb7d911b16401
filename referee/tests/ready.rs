//! The ready configurations in `tournaments/` are fine.

use std::path::Path;

use referee::config::Config;

#[test]
fn ready_configurations_can_be_used() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tournaments");
    let mut found = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            // Rules programs are started by the program, which this is not: a test of the documents
            // checks this one.
            if path.ends_with("rules-programs.toml") {
                continue;
            }
            let config = Config::load(&path).unwrap_or_else(|error| panic!("{error}"));
            assert!(config.bots.len() > 1);
            found += 1;
        }
    }
    assert!(found >= 4);
}
