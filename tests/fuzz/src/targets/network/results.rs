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
use schedule::{NextGroup, Schedule, Scheduled, ScheduledGroup};
use serde_json::{Value, json};
use tournament::playing::openings::seed as opening_seed;
use workers::examine::examine as examine_result;
use workers::wire::WorkerNews;

const CONFIG: &str = "name = \"t\"\nrounds = 2\ngames = [{ id = \"amazons\", options = { size = 5 } }]\n\
    bots = [{ name = \"a\", command = \"referee bot random\" },\n\
            { name = \"b\", command = \"referee bot random\", time = { per_move = \"2s\" } }]\n";

/// A tournament, and the groups of the job whose result is expected.
static ASKED: LazyLock<(Config, Vec<ScheduledGroup>)> = LazyLock::new(|| {
    let config = Config::parse(CONFIG, Path::new("/")).expect("a configuration");
    let mut schedule = Schedule::new(&config.shape());
    let groups = [0, 1].map(|_| match schedule.take_group() {
        NextGroup::Group(group) => group,
        NextGroup::Wait | NextGroup::Over => panic!("no group"),
    });
    (config, groups.into())
});

pub(crate) fn seeds(rng: &mut Rng) -> Vec<Vec<u8>> {
    let results = (0..6).map(|number| {
        // Of one of the two groups, or of both.
        let groups = ASKED.1.iter().take(1 + number % 2);
        let matches = groups.flat_map(|group| &group.matches);
        let records: Vec<Value> = matches.map(|scheduled| record(scheduled, rng)).collect();
        json!({ "records": records }).to_string().into_bytes()
    });
    results.collect()
}

/// A random match of the job, as from a worker.
fn record(scheduled: &Scheduled, rng: &mut Rng) -> Value {
    let config = &ASKED.0;
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
    let (config, groups) = &*ASKED;
    assert!(
        examine_result(config, groups, input).is_err(),
        "it is not compressed"
    );
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(input).expect("memory");
    let payload = encoder.finish().expect("memory");
    let found = match examine_result(config, groups, &payload) {
        Ok(found) => found,
        Err(why) => {
            assert!(!why.is_empty());
            return false;
        }
    };
    assert_eq!(found.len(), groups.len());
    assert!(found[0].is_some(), "the first group may not be missing");
    let found = groups
        .iter()
        .zip(&found)
        .filter_map(|(group, records)| Some((group, records.as_ref()?)));
    let found = found.flat_map(|(group, records)| {
        assert_eq!(records.len(), group.matches.len());
        group.matches.iter().zip(records)
    });
    for (scheduled, record) in found {
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
