//! Results from a worker to a coordinator: accepted ones were scheduled, follow from the rules and
//! can be written to a log. Inputs are the uncompressed JSON of messages.

use std::io::Write as _;
use std::path::Path;
use std::sync::LazyLock;

use flate2::Compression;
use flate2::write::GzEncoder;
use games::{Catalog, Rng};
use protocol::Record;
use referee::Config;
use referee::log::{Versions, verify};
use schedule::{NextGroup, Schedule, ScheduledGroup};
use serde_json::{Value, json};
use tournament::playing::openings::seed as opening_seed;
use workers::examine::examine as examine_result;
use workers::wire::WorkerNews;

const CONFIG: &str = "name = \"t\"\ngames = [{ id = \"amazons\", options = { size = 5 } }]\n\
    bots = [{ name = \"a\", command = \"referee bot random\" },\n\
            { name = \"b\", command = \"referee bot random\", time = { per_move = \"2s\" } }]\n";

/// A tournament, and the group of the expected result.
static ASKED: LazyLock<(Config, ScheduledGroup)> = LazyLock::new(|| {
    let config = Config::parse(CONFIG, Path::new("/")).expect("a configuration");
    match Schedule::new(&config.shape()).take_group() {
        NextGroup::Group(group) => (config, group),
        NextGroup::Wait | NextGroup::Over => panic!("no group"),
    }
});

pub(crate) fn seeds(rng: &mut Rng) -> Vec<Vec<u8>> {
    let results = (0..6).map(|_| {
        let matches = 0..ASKED.1.matches.len();
        let records: Vec<Value> = matches.map(|at| record(at, rng)).collect();
        json!({ "records": records }).to_string().into_bytes()
    });
    results.collect()
}

/// A random match of the group, as from a worker.
fn record(at: usize, rng: &mut Rng) -> Value {
    let (config, group) = &*ASKED;
    let scheduled = &group.matches[at];
    let game = &config.games[scheduled.game];
    let seed = opening_seed(config, scheduled);
    let mut session = game.rules.start(seed).expect("a start");
    let start = session.state().expect("a state");
    let mut moves = Vec::new();
    while let Some(seat) = session.to_move().alone() {
        let mv = session.random_move(seat, rng).expect("rules");
        let Some(mv) = mv else { break };
        session.play(&mv).expect("a legal move");
        moves.push(json!({"seat": seat, "move": mv, "ms": 1.5, "info": {"depth": 3, "text": "x"}}));
    }
    let tally = session.tally().expect("a result");
    let players = scheduled
        .seats
        .iter()
        .zip(game.rules.roles())
        .map(|(&bot, role)| {
            let spec = &config.bots[bot];
            let mut player =
                json!({"name": spec.name, "role": role, "version": "1", "command": spec.command});
            if spec.own_time {
                player["time"] = serde_json::to_value(&spec.time).expect("a time control");
            }
            player
        });
    json!({
        "format": 1, "match": scheduled.id(), "game": game.rules.info().id,
        "options": game.rules.options().to_json(), "seed": seed, "start": start,
        "players": players.collect::<Vec<_>>(), "time": config.time,
        "limits": {"max_plies": game.limits.max_plies, "repetition": game.limits.repetition},
        "opening": 0, "moves": moves,
        "result": {"scores": tally.scores, "outcome": tally.outcome, "reason": session.reason(),
                   "faults": []},
        "machine": {"name": "box", "cpu": "x", "cores": 2},
        "started": "2026-01-02T03:04:05.678Z", "duration_ms": 2345.6, "referee": "referee 0.1.0"
    })
}

pub(crate) fn run(input: &[u8]) -> bool {
    let _ = serde_json::from_slice::<WorkerNews>(input);
    let (config, group) = &*ASKED;
    assert!(
        examine_result(config, group, input).is_err(),
        "it is not compressed"
    );
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(input).expect("memory");
    let payload = encoder.finish().expect("memory");
    let records = match examine_result(config, group, &payload) {
        Ok(records) => records,
        Err(why) => {
            assert!(!why.is_empty());
            return false;
        }
    };
    assert_eq!(records.len(), group.matches.len());
    for (record, scheduled) in records.iter().zip(&group.matches) {
        assert_eq!(record.match_id, scheduled.id());
        let names = record.players.iter().map(|player| &player.name);
        let bots = scheduled.seats.iter().map(|&bot| &config.bots[bot].name);
        assert!(names.eq(bots));
        let line = record.to_line();
        assert!(line.ends_with('\n') && line.lines().count() == 1);
        let again: Record = serde_json::from_str(&line).expect("a record is JSON");
        verify(&again, &Catalog::built_in(), Versions::Recorded)
            .expect("it follows from the rules");
    }
    true
}
