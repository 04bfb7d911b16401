//! Time limits that depend on the speed of a worker's machine.

use serde_json::Value;
use tests::cluster::workers::{Field, config};
use tests::{referee, wait_until};

/// Two matches of each pair.
const SHORT: &str = "rounds = 1\ngames = [{ id = \"amazons\", options = { size = 5 } }]\n\
                     opening = { random_plies = 2 }\n";

/// Starts a worker that measures the speed of its machine, or not.
fn worker(field: &mut Field, name: &str, measures: bool) {
    let mut command = field.command(name, referee());
    command.args(["worker", &field.nats.address(), "--name", name, "--trust"]);
    command.args(["--slots", "1"]);
    if measures {
        command.env_remove("REFEREE_YARDSTICK");
    } else {
        command.env("REFEREE_YARDSTICK", "off");
    }
    let child = command.spawn().unwrap();
    field.adopt(name, child);
}

/// The log, with the machines in it.
fn records(field: &Field) -> Vec<Value> {
    field.arena.matches()
}

#[test]
fn workers_tell_the_speed_of_their_machines() {
    let mut field = Field::new(&config(SHORT));
    worker(&mut field, "one", true);
    field.play(&[]);
    for record in records(&field) {
        assert!(record["machine"]["speed"].as_f64() > Some(0.0), "{record}");
        assert_eq!(record["time"]["per_move_ms"].as_f64(), Some(60_000.0));
    }
}

#[test]
fn a_worker_scales_time_limits_by_its_own_speed() {
    // Every machine is within a factor of 20 of this.
    let reference = {
        let mut field = Field::new(&config(SHORT));
        worker(&mut field, "one", true);
        field.play(&[]);
        3.0 * records(&field)[0]["machine"]["speed"].as_f64().unwrap()
    };
    let scale = format!("[time]\nscale = \"yardstick\"\nreference = {reference:.1}\n");
    let config = config(SHORT).replacen("[time]\n", &scale, 1);
    let mut field = Field::new(&config);
    worker(&mut field, "blind", false);
    let mut coordinator = field.coordinator(&[]).spawn().unwrap();
    let why = "its time limits depend on the speed of the machine";
    wait_until("a refusal", || field.stderr("blind").contains(why));
    worker(&mut field, "one", true);
    field.ends_well(&mut coordinator);
    let reference: f64 = format!("{reference:.1}").parse().unwrap();
    for record in records(&field) {
        let speed = record["machine"]["speed"].as_f64().unwrap();
        let limit = record["time"]["per_move_ms"].as_f64().unwrap();
        let expected = 60_000.0 * reference / speed;
        assert!(
            (limit - expected).abs() < 0.01,
            "{limit} instead of {expected}"
        );
    }
}
