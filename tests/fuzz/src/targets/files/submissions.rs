//! The `bot.toml` of a submission: the class always goes on, and the bot gets only paths in its own
//! folder, of the system, or allowed by the organiser. Inputs are TOML; or JSON, so that mutations
//! do not break TOML.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use games::Rng;
use referee::config::Config;
use referee::supervisor::BotSpec;
use serde_json::{Map, Value};
use tempfile::TempDir;

/// The class: the submission under test, a correct one, and a bot that plays anyway.
const CLASS: &str = r#"name = "class"
games = ["run"]
bots_from = "submissions/*"
sandbox = "restricted"
submissions = { readable = ["allowed"], variables = ["FUZZ_ALLOWED"] }
bots = [{ name = "a", command = "referee" }, { name = "b", command = "referee" }]
"#;
/// Variables of every user's environment that no submission may see.
const SECRET: &str = "PATH";

/// Files that are like those of authors, and like those of attackers.
const SEEDS: [&str; 7] = [
    "name = \"eve\"\ncommand = \"sh bot.sh --fast\"\nbuild = \"make\"\nenv = { LEVEL = \"3\" }\n",
    "command = [\"./bot.sh\", \"data/file\"]\nreadable = [\"data\", \"../../allowed\"]\n",
    "command = \"sh link/secret\"\nreadable = [\"link\", \"/\", \"..\", \"~\", \"/etc/shadow\"]\n",
    "command = \"./to-secret\"\nsetup = [\"cat\", \"../../private/secret\"]\n",
    "command = \"sh bot.sh ${PATH}\"\nenv = { A = \"${PATH:-x}\", B = \"$$PATH\", \"${PATH}\" = \"\" }\n",
    "command = \"./hash-bang\"\nenv = { PATH = \"link:/\", A = \"${FUZZ_ALLOWED:-x}\" }\n",
    "command = \"referee bot mcts --level 3\"\nreadable = [\"data/../link/../private\"]\n",
];

struct Place {
    _folder: TempDir,
    top: PathBuf,
}

static PLACE: LazyLock<Place> = LazyLock::new(|| {
    let memory = tempfile::tempdir_in("/dev/shm");
    let folder = memory.or_else(|_| tempfile::tempdir()).expect("a folder");
    let top = folder.path().canonicalize().expect("a folder");
    for inner in ["submissions/eve/data", "private", "allowed"] {
        fs::create_dir_all(top.join(inner)).expect("a folder");
    }
    let script = format!("#!{}/private/secret\n", top.display());
    for (name, text) in [
        ("class.toml", CLASS),
        ("private/secret", "#!/bin/sh\n"),
        ("allowed/file", ""),
        ("submissions/eve/bot.sh", "#!/bin/sh\n"),
        ("submissions/eve/hash-bang", &script),
        ("submissions/eve/data/file", ""),
    ] {
        use std::os::unix::fs::PermissionsExt;

        fs::write(top.join(name), text).expect("a file");
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(top.join(name), mode).expect("a mode");
    }
    let eve = top.join("submissions/eve");
    symlink("../../private", eve.join("link")).expect("a link");
    symlink("../../private/secret", eve.join("to-secret")).expect("a link");
    Place {
        _folder: folder,
        top,
    }
});

pub(crate) fn seeds(_: &mut Rng) -> Vec<Vec<u8>> {
    let both = |text: &str| {
        let json: Value = toml::from_str(text).expect("TOML");
        [text.to_owned(), json.to_string()].map(String::into_bytes)
    };
    SEEDS.iter().flat_map(|text| both(text)).collect()
}

pub(crate) fn run(input: &[u8]) -> bool {
    let json = serde_json::from_slice::<Map<String, Value>>(input);
    let toml = json.ok().and_then(|json| toml::to_string(&json).ok());
    let text = toml.map_or_else(|| input.to_vec(), String::into_bytes);
    let top = &PLACE.top;
    fs::write(top.join("submissions/eve/bot.toml"), &text).expect("a file");
    // Two bots can play in any case.
    let config = Config::load(&top.join("class.toml")).expect("a class without Eve");
    let eve = config.bots.iter().find(|bot| bot.bot_file.is_some());
    let Some(eve) = eve else {
        return text.is_ascii() && config.bots.len() == 2;
    };
    assert_eq!(eve.name, "eve");
    let plan = &config.admission.builds[2];
    check(top, eve, &eve.command);
    for command in [&plan.command, &plan.setup].into_iter().flatten() {
        check(top, eve, command);
    }
    for path in eve.wanted.readable.iter().chain(&plan.wanted.readable) {
        let real = path.canonicalize().expect("what is readable is there");
        assert!(is_allowed(top, &real), "{} is readable", path.display());
    }
    assert_eq!(plan.wanted.writable, [top.join("submissions/eve")]);
    assert_eq!(eve.dir, top.join("submissions/eve"));
    let secret = std::env::var(SECRET).unwrap_or_default();
    let mut texts = eve.env.values().chain(&eve.command);
    assert!(texts.all(|text| secret.len() < 8 || !text.contains(&secret)));
    true
}

/// Checks that no word of a command names a foreign file.
fn check(top: &Path, eve: &BotSpec, command: &[String]) {
    for word in command {
        let path = eve.dir.join(word);
        let Some(real) = path.canonicalize().ok().filter(|real| real.is_file()) else {
            continue;
        };
        assert!(is_allowed(top, &real), "`{word}` is named");
    }
}

fn is_allowed(top: &Path, real: &Path) -> bool {
    let own = [top.join("submissions/eve"), top.join("allowed")];
    let system = [
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/lib64",
        "/lib32",
        "/libx32",
        "/etc",
        "/opt",
        "/nix/store",
    ];
    let secret = [
        "/etc/shadow",
        "/etc/gshadow",
        "/etc/sudoers",
        "/etc/ssh",
        "/etc/ssl/private",
    ];
    let is_in = |folder: &str| real.starts_with(folder);
    own.iter().any(|folder| real.starts_with(folder))
        || system.into_iter().any(is_in) && !secret.into_iter().any(is_in)
}
