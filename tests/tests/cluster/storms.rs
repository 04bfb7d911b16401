//! All kinds of failures in one tournament. The campaign has many more of them: `cargo run -p tests
//! --bin storms`.

use tests::cluster::liar::{Liar, WAYS};
use tests::cluster::storms::Blow::{KillCoordinator, KillServer, KillWorker, Lie, StopWorker};
use tests::cluster::storms::{Figures, Storm};
use tests::cluster::workers::{Field, config, log_of, undisturbed};
use tests::{assert_contains, wait_until};

#[test]
fn every_match_is_played_once_whatever_fails() {
    let storm = Storm::of(180, false);
    let mut figures = Figures::default();
    let blows = [
        Lie,
        KillWorker,
        StopWorker,
        KillServer,
        KillCoordinator,
        Lie,
    ];
    storm.play(&blows, 1, &mut figures);
    eprintln!("{figures}");
}

#[test]
fn wrong_results_are_refused_with_a_reason() {
    let config = config(
        "rounds = 8\ngames = [{ id = \"amazons\", options = { size = 5 } }]\n\
         opening = { random_plies = 2 }\n",
    );
    let (reference, expected) = undisturbed(&config);
    let mut field = Field::new(&config);
    let mut coordinator = field.coordinator(&[]).spawn().unwrap();
    let liar = Liar::start(&field.nats.address(), "liar", &log_of(&reference), 2 * WAYS);
    wait_until("wrong results", || liar.lies() >= WAYS);
    drop(liar);
    field.worker("one", &[]);
    field.ends_well(&mut coordinator);
    assert!(field.matches() == expected, "another log");
    assert_eq!(field.left(), Vec::<String>::new());
    let said = field.stderr("coordinator");
    for reason in [
        "invalid gzip header",
        "is missing",
        "does not verify: `outcome`",
        "does not verify: the moves do not lead to an end",
        "has the seed 1, but",
        "has the players",
        "has another time control",
        "is there twice",
        "has more `info` than is kept",
        "recursion limit",
        "is too long for a log",
        "has another format",
    ] {
        assert!(said.contains(reason), "{reason} in {said}");
    }
    assert_contains(&said, "the worker `liar-0` cannot be believed");
}
