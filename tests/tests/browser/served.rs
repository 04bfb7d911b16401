//! Programs that serve pages, and tournaments to show.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::{env, fs};
use tests::good;

use tempfile::TempDir;
use tests::web::Server;

/// All games, small and quick.
pub(crate) const GAMES: &str = r#"games = [
    { id = "amazons", options = { size = 5 } },
    { id = "amazon-penguins" },
    { id = "elephant-run" },
    { id = "giantslayer" },
    { id = "paper-penguins", options = { size = 5 } },
    { id = "penguins" },
    { id = "run" },
    { id = "siam" },
]
"#;

/// `referee watch` on this folder.
pub(crate) fn watch(folder: &Path) -> Server {
    Server::start(["watch".as_ref(), folder.as_os_str()], 1)
}

/// The same at an address of one's choice.
pub(crate) fn watch_at(folder: &Path, host: &str) -> Server {
    let folder = folder.as_os_str();
    Server::start(
        ["watch".as_ref(), folder, "--listen".as_ref(), host.as_ref()],
        1,
    )
}

/// The address of a page, given the part behind `#`.
pub(crate) fn page(server: &Server, route: &str) -> String {
    format!("http://{}/#{route}", server.host())
}

/// A tournament of two bots in all games. It is played once for all tests of this process, or for all
/// processes to which `SHARED_BY_TESTS` names the same folder.
pub(crate) fn all_games() -> &'static Path {
    static FOLDER: OnceLock<(Option<TempDir>, PathBuf)> = OnceLock::new();
    let (_, folder) = FOLDER.get_or_init(|| match env::var_os("SHARED_BY_TESTS") {
        Some(shared) => (None, play_once(Path::new(&shared))),
        None => {
            let folder = tempfile::tempdir().unwrap();
            let path = play(folder.path(), &eight());
            (Some(folder), path)
        }
    });
    folder
}

fn eight() -> String {
    format!(
        "name = \"All <b>eight</b>\"\nseed = 5\nconcurrency = 1\n{GAMES}[time]\nper_move = \"60s\"\n\
         [[bots]]\nname = \"first\"\ncommand = [\"referee\", \"bot\", \"greedy\"]\n\
         [[bots]]\nname = \"second\"\ncommand = [\"referee\", \"bot\", \"random\"]\n"
    )
}

/// Plays all games in this folder, unless another process has done so, or is doing it.
fn play_once(shared: &Path) -> PathBuf {
    let folder = shared.join("all-games");
    fs::create_dir_all(&folder).unwrap();
    let lock = fs::File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    let out = folder.join("out");
    if !folder.join("played").exists() {
        play(&folder, &eight());
        fs::write(folder.join("played"), "").unwrap();
    }
    out
}

/// Plays a tournament to its end; its folder.
pub(crate) fn play(folder: &Path, config: &str) -> PathBuf {
    let file = folder.join("t.toml");
    fs::write(&file, config).unwrap();
    let out = folder.join("out");
    let arguments: [&OsStr; 5] = [
        "tournament".as_ref(),
        file.as_ref(),
        "--out".as_ref(),
        out.as_ref(),
        "--quiet".as_ref(),
    ];
    good(tests::run(arguments));
    out
}

/// A slow bot, so that there is something to see and a machine has time for it.
const SLOW: &str = r#"
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        reply = {"type": "hello", "protocol": 1, "name": "slow"}
    elif message["type"] == "start":
        reply = {"type": "ready"}
    elif message["type"] == "turn":
        time.sleep(0.1)
        reply = {"type": "move", "move": message["legal"][-1]}
    else:
        continue
    print(json.dumps(reply), flush=True)
"#;

/// A tournament that goes on until the test is over.
pub(crate) struct Running {
    child: Child,
}

impl Running {
    /// Starts a tournament in this folder, with these games and this many matches at once, and
    /// waits for the end of the first one.
    pub(crate) fn start(folder: &Path, games: &str, concurrency: usize) -> Self {
        fs::write(folder.join("slow.py"), SLOW).unwrap();
        let mut config = format!(
            "name = \"A long evening\"\nseed = 1\nconcurrency = {concurrency}\nrounds = 1000\n{games}\n\
             [time]\nper_move = \"60s\"\nstartup = \"60s\"\n"
        );
        for name in ["first", "second"] {
            config += &format!("[[bots]]\nname = \"{name}\"\ncommand = \"python3 slow.py\"\n");
        }
        fs::write(folder.join("t.toml"), config).unwrap();
        let child = Command::new(tests::referee())
            .args(["tournament".as_ref(), folder.join("t.toml").as_os_str()])
            .args(["--out".as_ref(), folder.join("out").as_os_str()])
            .arg("--quiet")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let running = Running { child };
        let log = folder.join("out/games.jsonl");
        while std::fs::metadata(&log).map_or(0, |log| log.len()) == 0 {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        running
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
