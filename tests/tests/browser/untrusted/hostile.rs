//! Texts with markup, in every page: nothing runs, and nothing overflows.

use std::fs;
use std::path::Path;
use tests::good;

use serde_json::{Value, json};
use tests::web::Server;

use crate::chromium::Browser;
use crate::served::{page, watch};

/// Runs if any of it is taken for markup, an address or a script.
fn evil() -> String {
    let markup = "</script><script>window.broken=1</script><img src=x onerror=\"window.broken=1\">\
                  <svg onload=\"window.broken=1\">'\"`${window.broken=1}]]>--><!--";
    let address = "javascript:window.broken=1";
    // Turns of direction, blanks of no width, line ends that scripts know.
    let signs = "\u{202e}\u{2066}\u{200f}\u{200b}\u{2028}\u{2029}\u{0}\u{1b}[2J\u{7f}\u{feff}";
    format!("{markup} {address} {signs} {}", "w".repeat(300))
}

/// Rules with markup in every text.
const RULES: &str = r#"
import json, os, sys
evil = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "evil.txt"), encoding="utf-8", newline="").read()
# Moves and names of games are short, and have no control characters.
short = "</script><img src=x onerror=window.broken=1>\u202e\u2066 javascript:window.broken=1"
state = {"ply": 0}
def view():
    cells = [{"name": short + str(x), "x": 2 * x, "y": 0, "ground": "open", "label": evil} for x in range(3)]
    pieces = [{"cell": short + "0", "kind": evil, "seat": 0, "glyph": "<"}]
    return {"shape": "square", "cells": cells, "pieces": pieces, "notes": [evil, "n" * (1000000 if os.path.exists(os.path.join(os.path.dirname(os.path.abspath(__file__)), "large.txt")) else 20000)]}
def answer():
    ply = state["ply"]
    over = ply >= 6
    return {"ply": ply, "to_move": None if over else ply % 2,
            "result": {"scores": [1, 0], "outcome": [1.0, 0.0], "reason": "done"} if over else None}
for line in sys.stdin:
    request = json.loads(line)
    op = request["op"]
    if op == "hello":
        ok = {"protocol": 1, "name": evil[:90], "version": "1", "can": ["view", "undo"], "games": [{
            "id": "evil", "title": evil, "summary": evil, "roles": [evil + "a", evil + "b"], "symmetric": True,
            "options": {}, "notation": [[evil, evil]], "limits": {"max_plies": None, "repetition": None}}]}
    else:
        if op == "new":
            state = dict(request.get("state") or {"ply": 0})
        elif op == "play":
            state["ply"] += len(request["moves"])
        elif op == "undo":
            state["ply"] -= request.get("count", 1)
        ok = answer()
        for want in request.get("want", []):
            if want == "legal":
                ok["legal"] = [] if ok["result"] else [short + "move", short + "0"]
            elif want == "state":
                ok["state"] = dict(state)
            elif want == "view":
                ok["view"] = view()
            elif want == "key":
                ok["key"] = str(state)
    print(json.dumps({"id": request["id"], "ok": ok}), flush=True)
"#;

/// A bot that says all of it, and then dies.
const BOT: &str = r#"
import json, os, sys, time
here = os.path.dirname(os.path.abspath(__file__))
evil = open(os.path.join(here, "evil.txt"), encoding="utf-8", newline="").read()
slow = len(sys.argv) > 1
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        reply = {"type": "hello", "protocol": 1, "name": evil, "version": evil, "author": evil}
    elif message["type"] == "start":
        reply = {"type": "ready"}
    elif message["type"] == "turn":
        print(evil, file=sys.stderr, flush=True)
        time.sleep(2 if slow else 0)
        if message["ply"] == 5 and not slow:
            sys.stderr.write(evil)
            sys.exit(evil)
        info = {"text": evil + "x" * 500000, "value": 0.5, "depth": 3, "pv": [evil, message["legal"][0]] * 20}
        reply = {"type": "move", "move": message["legal"][0], "info": info}
    else:
        continue
    print(json.dumps(reply), flush=True)
"#;

/// Writes rules, a bot and a configuration; `argument` is one of the bot's.
fn prepare(folder: &Path, argument: &str) -> String {
    fs::write(folder.join("evil.txt"), evil()).unwrap();
    fs::write(folder.join("rules.py"), RULES).unwrap();
    fs::write(folder.join("bot.py"), BOT).unwrap();
    let bot = format!("command = \"python3 bot.py {argument}\"");
    format!(
        "name = {}\nseed = 1\nconcurrency = 1\nrounds = 1\ngames = [\"evil\"]\nrules = [\"python3 rules.py\"]\n\
         [time]\nper_move = \"60s\"\nstartup = \"60s\"\n\
         [[bots]]\nname = \"<img src=x onerror=broken=1>\"\n{bot}\n[[bots]]\nname = \"javascript:broken=1\"\n{bot}\n",
        json!("</script><script>window.broken=1</script>")
    )
}

/// Checks that nothing ran, and nothing is wider than the page.
fn is_harmless(browser: &Browser, width: u32, place: &str) {
    // All scripts had time to run.
    std::thread::sleep(std::time::Duration::from_millis(100));
    let wide = format!(
        "[...document.querySelectorAll('main *')].filter((node) => document.documentElement.scrollWidth > {width} && node.getBoundingClientRect().right > {width}).map((node) => node.tagName + '.' + (node.getAttribute('class') ?? '')).slice(-6).join()"
    );
    assert_eq!(browser.text(&wide), "", "{place} is too wide");
    assert_eq!(browser.text("window.broken"), "undefined", "{place}");
    let elements = "document.querySelectorAll('img, main script, iframe, object, embed, main [onload], main [onerror]').length";
    assert_eq!(browser.text(elements), "0", "{place}");
    let addresses = "[...document.querySelectorAll('main a')].filter((link) => !link.getAttribute('href').startsWith('#/') && !/^[\\w./-]+\\.html$/.test(link.getAttribute('href'))).length";
    assert_eq!(browser.text(addresses), "0", "{place}");
    assert_eq!(browser.complaints(), [""; 0], "{place}");
}

/// Light and dark, one after the other.
fn in_both_themes(browser: &Browser, width: u32, place: &str) {
    for theme in ["light", "dark"] {
        let scheme = json!({"features": [{"name": "prefers-color-scheme", "value": theme}]});
        browser.devtools("Emulation.setEmulatedMedia", &scheme);
        browser.wait(&format!(
            "document.documentElement.dataset.theme === '{theme}'"
        ));
        is_harmless(browser, width, &format!("{place}, {theme}"));
    }
}

/// A finished tournament, with names in its log that no configuration allows.
fn played(folder: &Path) -> std::path::PathBuf {
    let config = prepare(folder, "");
    fs::write(folder.join("large.txt"), "").unwrap();
    fs::write(folder.join("t.toml"), config).unwrap();
    let out = folder.join("out");
    let (file, place) = (folder.join("t.toml"), out.to_str().unwrap().to_owned());
    good(tests::run([
        "tournament",
        file.to_str().unwrap(),
        "--out",
        &place,
        "--quiet",
    ]));
    let log = out.join("games.jsonl");
    let lines = fs::read_to_string(&log).unwrap();
    let lines = lines.lines().map(|line| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        record.as_object_mut().unwrap().remove("prev");
        record["players"][0]["version"] = json!(evil() + &"v".repeat(1_000_000));
        record["players"][1]["name"] = json!(evil());
        record["started"] = json!(evil());
        record["moves"][0]["analysis"] =
            json!([{"bot": evil(), "value": 0.9, "line": [evil(), evil()], "loss": 0.5}]);
        format!("{record}\n")
    });
    let text: String = lines.collect();
    fs::write(&log, text).unwrap();
    out
}

#[test]
fn hostile_texts_stay_text_in_every_page_that_shows_what_was_played() {
    let folder = tempfile::tempdir().unwrap();
    let out = played(folder.path());
    let place = out.to_str().unwrap();
    let export = |name: &str, more: &[&str]| {
        let ran = good(tests::run(
            [&["export", place, "--format", "html"], more].concat(),
        ));
        let file = folder.path().join(name);
        fs::write(&file, ran.stdout).unwrap();
        format!("file://{}", file.display())
    };
    let (all, one) = (
        export("all.html", &[]),
        export("one.html", &["--match", "m-000001"]),
    );
    let site = folder.path().join("site");
    good(tests::run([
        "report",
        place,
        "--all",
        "--out",
        site.to_str().unwrap(),
    ]));
    let site = format!("file://{}/index.html", site.display());
    let server = watch(&out);
    let bot = "/bot/%3Cimg%20src%3Dx%20onerror%3Dbroken%3D1%3E";
    let routes = [
        "/",
        "/matches",
        "/match/m-000001/0",
        "/match/m-000001/1",
        "/match/m-000001/5",
        bot,
        "/statistics",
        "/about",
    ];
    for (width, height) in [(390, 844), (1280, 800)] {
        let Some(browser) = Browser::open(width, height) else {
            return;
        };
        let mut addresses: Vec<String> = routes.iter().map(|route| page(&server, route)).collect();
        addresses.extend([
            all.clone(),
            format!("{all}#/match/m-000001/1"),
            one.clone(),
            format!("{one}#/match/m-000001/1"),
        ]);
        addresses.extend(routes.iter().map(|route| format!("{site}#{route}")));
        for address in addresses {
            browser.go("about:blank");
            browser.go(&address);
            browser.wait("document.querySelector('main .sheet, main table') && !document.querySelector('#main > .hint')");
            in_both_themes(&browser, width, &address);
        }
    }
}

#[test]
fn hostile_texts_stay_text_while_a_match_runs_and_where_people_play() {
    let folder = tempfile::tempdir().unwrap();
    let config = prepare(folder.path(), "slow").replace("rounds = 1\n", "rounds = 1000\n");
    fs::write(folder.path().join("t.toml"), config).unwrap();
    let out = folder.path().join("out");
    let mut tournament = std::process::Command::new(tests::referee());
    tournament
        .arg("tournament")
        .arg(folder.path().join("t.toml"))
        .arg("--out")
        .arg(&out)
        .arg("--quiet");
    let mut tournament = tournament
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while !out.join("games.jsonl").exists() {
        assert!(
            tournament.try_wait().unwrap().is_none(),
            "it does not begin"
        );
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let server = watch(&out);
    let rules = format!("python3 {}", folder.path().join("rules.py").display());
    let bot = format!("python3 {}", folder.path().join("bot.py").display());
    let arguments = [
        "play", "evil", "--rules", &rules, "--human", "0", "--bot", &bot, "--web",
    ];
    let table = Server::start(arguments, 1);
    for (width, height) in [(390, 844), (1280, 800)] {
        let Some(browser) = Browser::open(width, height) else {
            break;
        };
        browser.go(&page(&server, "/"));
        browser.wait("document.querySelector('.live a')");
        in_both_themes(&browser, width, "overview");
        browser.run("document.querySelector('.live a').click()");
        browser.wait("document.querySelectorAll('.moves li').length >= 2");
        in_both_themes(&browser, width, "in flight");
        browser.go(&table.links[0]);
        browser.wait("document.querySelector('.spot, .choices button')");
        in_both_themes(&browser, width, "playing");
    }
    let _ = tournament.kill();
    let _ = tournament.wait();
}
