//! Announcements and jobs from an unknown coordinator to a worker without `--trust`: they are
//! either declined or reach nothing of the machine. Inputs are the uncompressed JSON of messages.

use std::env;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use games::Rng;
use referee::Config;
use referee::supervisor::REFEREE_NAME;
use referee::supervisor::spec::{Tier, Wanted};
use serde_json::{Map, Value, json};
use std::io::Write as _;
use tempfile::TempDir;
use workers::wire::Announced;
use workers::worker::serving::{
    check as check_announced, jobs_of as job_of_stranger, untrusted as config_of_stranger,
};

/// A sheet that is short, and a game.
const SHEET: &str = "(role a)(role b)(init (turn a))(<= (legal ?r stay)(role ?r))(next (turn b))\
                     (<= terminal (true (turn b)))(<= (goal ?r 50)(role ?r))";

pub(crate) fn seeds(_: &mut Rng) -> Vec<Vec<u8>> {
    let plain = "[[bots]]\nname = \"a\"\ncommand = \"referee bot random\"\n";
    let heads = [
        "games = [\"siam\"]\n",
        "games = [{ id = \"amazons\", options = { size = 5 } }]\nopening = { random_plies = 2 }\n\
         resources = { memory = \"1GiB\" }\nformat = \"gauntlet\"\nchallengers = [\"a\"]\n",
        "rules = [{ command = \"x.kif\", prefix = \"my\", dir = \".\" }]\ngames = [\"my-x\"]\n",
        "games = [\"siam\"]\nrules = [\"x.kif\"]\n[opening]\nbook = \"b.txt\"\n",
    ];
    let bots = [
        "command = [\"sh\", \"-c\", \"echo $$\"]\nenv = { X = \"1\" }\nsandbox = \"none\"",
        "command = \"/usr/bin/env\"\nreadable = []\nin_place = false\ntime = { per_move = \"1s\" }",
        "command = \"cat ./bot\"\ndir = \"mine\"\nsetup = \"make\"\nbuild = [\"make\"]",
        "command = \"x $\\\\{PATH}\"\nenv = { X = \"${HOME:-y}\" }\nreadable = [\"/\"]\nin_place = true",
        "ggp = \"http://127.0.0.1:1\"\nscramble = true",
    ];
    let mut seeds = Vec::new();
    for head in heads {
        for bot in bots {
            let config = format!("name = \"t\"\n{head}{plain}[[bots]]\nname = \"b\"\n{bot}\n");
            let matches = json!([{"number": 1, "game": 0, "seats": [0, 1], "round": 0, "turn": 0},
                                 {"number": 2, "game": 0, "seats": [1, 0], "round": 0, "turn": 0}]);
            let seed = json!({
                "announced": {
                    "referee": REFEREE_NAME, "name": "t", "config": config, "hash": "",
                    "folder": "/root", "lease_ms": 1000, "bundles": {},
                    "files": {"x.kif": SHEET, "b.txt": "# nothing\n", "../../y.kif": ""},
                },
                "job": {"config": "", "matches": matches},
            });
            seeds.push(seed.to_string().into_bytes());
        }
    }
    seeds
}

/// The bytes as a message has them.
fn message(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

pub(crate) fn run(input: &[u8]) -> bool {
    // As it is, and with what makes a message one.
    let raw = Announced::read(&message(input));
    assert!(raw.is_ok() || Announced::read(input).is_err());
    let parts = serde_json::from_slice::<Map<String, Value>>(input);
    let Some((announced, mut job)) = parts.ok().and_then(|mut parts| {
        let announced = serde_json::from_value::<Announced>(parts.remove("announced")?);
        Some((announced.ok()?, parts.remove("job")))
    }) else {
        return false;
    };
    let announced = announced.sealed();
    let said = check_announced(&announced, None);
    let place = folder();
    let own = place.path().canonicalize().expect("a folder").join("own");
    let config = config_of_stranger(&announced, None, None, &own);
    for error in [said.as_ref().err(), config.as_ref().err()]
        .into_iter()
        .flatten()
    {
        // It goes to people, as one sentence of bounded length when it is shown.
        assert!(!error.is_empty());
    }
    let beside = place.path().read_dir().expect("a folder").count();
    assert!(
        beside <= 1,
        "something was written outside of its own folder"
    );
    let Ok(config) = config else {
        // It is understood if it was declined for what it wants.
        return said.is_err_and(|why| why.contains("--trust"));
    };
    assert!(said.is_ok(), "{said:?}");
    reaches_nothing(&config, &own);
    if let Some(Value::Object(job)) = &mut job {
        job.insert("config".to_owned(), json!(announced.hash));
    }
    let job = job.unwrap_or_default();
    if let Ok(job) = job_of_stranger(
        &config,
        &announced.hash,
        &message(job.to_string().as_bytes()),
    ) {
        for scheduled in job.matches.iter().filter(|_| job.config == announced.hash) {
            let game = &config.games[scheduled.game];
            assert_eq!(game.rules.seats(), scheduled.seats.len());
            assert!(scheduled.seats.iter().all(|bot| *bot < config.bots.len()));
        }
    }
    true
}

/// A configuration that is taken grants nothing of this machine.
fn reaches_nothing(config: &Config, own: &Path) {
    let is_strict = |wanted: &Wanted| {
        assert_eq!(wanted.tier, Tier::Strict);
        assert!(!wanted.best_effort);
        assert!(wanted.resources.memory.is_some() && wanted.resources.processes.is_some());
        for path in &wanted.readable {
            assert!(path.starts_with(own.join("files")), "{}", path.display());
        }
    };
    let secrets = ["PATH", "HOME"].map(|name| env::var(name).unwrap_or_default());
    for (bot, plan) in config.bots.iter().zip(&config.admission.builds) {
        is_strict(&bot.wanted);
        is_strict(&plan.wanted);
        assert!(bot.ggp.is_none() && bot.bundle.is_none());
        assert!(bot.dir.starts_with(own), "{}", bot.dir.display());
        assert!(!bot.env.contains_key("PATH"));
        for secret in secrets.iter().filter(|secret| secret.len() > 4) {
            let texts = bot.command.iter().chain(bot.env.values());
            for text in texts.filter(|text| !text.contains("REFEREE") && !text.contains("x.kif")) {
                assert!(!text.contains(&**secret), "{text}");
            }
        }
    }
}

/// In memory, if possible.
fn folder() -> TempDir {
    let memory = tempfile::tempdir_in("/dev/shm");
    memory.or_else(|_| tempfile::tempdir()).expect("a folder")
}
