//! A class in which everything goes wrong that goes wrong in classes: it is played all the same,
//! and every author gets a page with advice.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use tests::{Arena, good, run};

/// A bot that plays; more comes before its first message, and before its move.
fn bot(first: &str, before_move: &str) -> String {
    format!(
        r#"import json, sys, time
{first}
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "hello":
        print(json.dumps({{"type": "hello", "protocol": 1, "name": "mine"}}), flush=True)
    elif kind == "start":
        game = message["game"]
        print(json.dumps({{"type": "ready"}}), flush=True)
    elif kind == "turn":
        {before_move}
        print(json.dumps({{"type": "move", "move": message["legal"][0]}}), flush=True)
    elif kind == "quit":
        break
"#
    )
}

const COMMAND: &str = "command = \"python3 bot.py\"\n";
const SCRIPT: &str = "command = \"./bot.py\"\n";

fn hand_in(arena: &Arena, name: &str, file: &str, bot: &str, mode: u32) {
    let folder = format!("submissions/{name}");
    fs::create_dir_all(arena.path(&folder)).unwrap();
    if !file.is_empty() {
        arena.write(&format!("{folder}/bot.toml"), file);
    }
    let path = arena.write(&format!("{folder}/bot.py"), bot);
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// A virtual environment with a module and this interpreter.
fn venv(folder: &Path, interpreter: &str) {
    let packages = folder.join("venv/lib/packages/numpy");
    fs::create_dir_all(&packages).unwrap();
    fs::create_dir_all(folder.join("venv/bin")).unwrap();
    fs::write(packages.join("__init__.py"), "zeros = list\n").unwrap();
    fs::write(folder.join("venv/pyvenv.cfg"), "home = /usr/bin\n").unwrap();
    symlink(interpreter, folder.join("venv/bin/python")).unwrap();
}

#[test]
fn every_author_has_a_page_that_says_what_to_do() {
    let arena = Arena::new(
        "name = \"class\"\ngames = [\"run\", \"siam\"]\nbots_from = \"submissions/*\"\n\
         sandbox = \"strict\"\nconcurrency = 2\n[limits]\nmax_plies = 4\n\
         [time]\nper_move = \"2s\"\nstartup = \"60s\"\n\
         [[bots]]\nname = \"random\"\ncommand = \"referee bot random\"\n",
    );
    fs::set_permissions(arena.path(""), Permissions::from_mode(0o755)).unwrap();
    let fine = bot("", "pass");
    hand_in(&arena, "fine", COMMAND, &fine, 0o644);
    let shebang = format!("#!/usr/bin/python9\n{fine}");
    hand_in(&arena, "shebang", SCRIPT, &shebang, 0o755);
    hand_in(
        &arena,
        "debug",
        COMMAND,
        &bot("print('starting')", "pass"),
        0o644,
    );
    let crlf = format!("#!/usr/bin/env python3\n{fine}").replace('\n', "\r\n");
    hand_in(&arena, "crlf", SCRIPT, &crlf, 0o755);
    hand_in(
        &arena,
        "import",
        COMMAND,
        &bot("import no_such_module", "pass"),
        0o644,
    );
    hand_in(&arena, "slow", COMMAND, &bot("", "time.sleep(4)"), 0o644);
    let crash = bot("", "game == 'siam' and message['no such key']");
    hand_in(&arena, "crash", COMMAND, &crash, 0o644);
    let numpy = bot("sys.path.append('venv/lib/packages')\nimport numpy", "pass");
    for (name, interpreter) in [
        ("numpy", "/usr/bin/python3"),
        ("other-numpy", "/opt/none/python3"),
    ] {
        hand_in(
            &arena,
            name,
            "command = \"venv/bin/python bot.py\"\n",
            &numpy,
            0o644,
        );
        venv(&arena.path(&format!("submissions/{name}")), interpreter);
    }
    let c = "command = \"./bot\"\nbuild = \"cc -o bot bot.c\"\n";
    hand_in(&arena, "c", c, "", 0o644);
    arena.write("submissions/c/bot.c", "int main(void) { retrun 0; }\n");
    hand_in(&arena, "no-file", "", &fine, 0o644);
    hand_in(&arena, "nested/project", COMMAND, &fine, 0o644);
    hand_in(&arena, "toml", "command = \"python3 bot.py\n", &fine, 0o644);
    hand_in(&arena, "closed", COMMAND, &fine, 0o600);
    let network = format!("{COMMAND}build = \"pip install no-such-package --target lib\"\n");
    hand_in(&arena, "network", &network, &fine, 0o644);

    let ran = good(arena.play());
    let site = arena.path("site").display().to_string();
    let out = arena.path("out").display().to_string();
    good(run(["report", &out, "--all", "--out", &site]));
    let page = |name: &str| {
        let path = arena.path(&format!("site/bots/{name}.html"));
        let html = fs::read_to_string(path)
            .unwrap_or_else(|error| panic!("{name}: {error}: {}", ran.stderr));
        assert!(
            !html.contains(&*arena.path("").to_string_lossy()),
            "{name}: {html}"
        );
        html.replace("&#39;", "'")
            .replace("&quot;", "\"")
            .replace("&#x27;", "'")
    };
    let index = arena.read("site/index.html");
    assert!(
        !index.contains(&*arena.path("").to_string_lossy()),
        "{index}"
    );
    let is_root = nix::unistd::geteuid().is_root();
    for (name, parts) in [
        ("shebang", &["/usr/bin/python9"][..]),
        ("debug", &["the line was `starting`", "belongs on stderr"]),
        ("crlf", &["Windows line ends", "sed -i"]),
        ("import", &["No module named 'no_such_module'"]),
        ("crash", &["did not pass the check `match/siam/"]),
        ("other-numpy", &["there is no program `venv/bin/python`"]),
        (
            "c",
            &[
                "its build exited with code 1: bot.c:1:",
                "retrun",
                "The end of what its build has printed",
            ],
        ),
        ("no-file", &["there is no `bot.toml`"]),
        ("nested", &["one folder too deep: it is in `project`"]),
        ("toml", &["submissions/toml/bot.toml: line 1: "]),
        (
            "network",
            &[
                "builds have no network in the sandbox `strict`",
                "network = true",
            ],
        ),
        (
            "closed",
            &["`bot.py` is for its owner only (mode 600)", "chmod -R o+rX"],
        ),
    ] {
        if name == "closed" && !is_root {
            continue;
        }
        let html = page(name);
        assert!(
            index.contains(&format!("bots/{name}.html")),
            "{name} in {index}"
        );
        for part in parts.iter().chain(&["What to do: "]) {
            assert!(html.contains(part), "{name}: `{part}` in {html}");
        }
    }
    let slow = page("slow");
    assert!(
        slow.contains("timeout") && slow.contains("What to do: "),
        "{slow}"
    );
    for name in ["fine", "numpy"] {
        assert!(page(name).contains("None."), "{name} has no faults");
    }
}
