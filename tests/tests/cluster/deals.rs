//! Deals on workers: they get those of their matches, and not the secret.

use std::fs;
use std::path::Path;

use tests::cluster::workers::{Field, config, undisturbed};
use tests::{good, root, run};

const SECRET: &str = "5ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2";

/// True if a file below this folder has the secret.
fn has_secret(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return has_secret(&path);
        }
        let text = fs::read(&path).unwrap_or_default();
        String::from_utf8_lossy(&text).contains(SECRET)
    })
}

#[test]
fn workers_deal_what_one_machine_would_and_never_have_the_secret() {
    let sheets = ["kuhn-poker", "pig"];
    let path = |id: &str| root().join(format!("games/sheets/{id}.kif"));
    let head = format!(
        "rounds = 3\ngames = {sheets:?}\nrules = {:?}\nlimits = {{ max_plies = 30 }}\n\
         secret = \"{SECRET}\"\n",
        sheets.map(path)
    );
    let config = config(&head);
    let mut field = Field::new(&config);
    let keep = tempfile::tempdir().unwrap();
    let kept = keep.path().display().to_string();
    field.worker("one", &["--slots", "2", "--keep", &kept]);
    field.worker("two", &["--slots", "1"]);
    field.play(&[]);
    let (_, expected) = undisturbed(&config);
    assert!(field.matches() == expected, "another log");
    assert!(expected.values().all(|record| record["deal"].is_string()));
    let out = field.arena.path("out");
    let verified = good(run(["replay".into(), out, "--verify".into()]));
    assert!(
        !verified.stdout.contains("not checked"),
        "{}",
        verified.stdout
    );
    assert!(!has_secret(keep.path()), "a worker has the secret");
}
