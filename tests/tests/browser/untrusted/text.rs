//! Output of bots stays text, even if it looks like markup.

use crate::chromium::Browser;
use crate::served::{page, play, watch};

/// A bot that plays the first legal move and outputs markup.
const BOT: &str = r#"
import json, sys
markup = "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 1'>"
mirror = "\u202egnp.exe\u202c"
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        reply = {"type": "hello", "protocol": 1, "name": markup}
    elif message["type"] == "start":
        reply = {"type": "ready"}
    elif message["type"] == "turn":
        print(markup, mirror, file=sys.stderr, flush=True)
        text = markup + mirror + "x" * 10000
        info = {"text": text, "value": 0.5, "depth": 1, "pv": [markup, "y" * 3000]}
        reply = {"type": "move", "move": message["legal"][0], "info": info}
    else:
        continue
    print(json.dumps(reply), flush=True)
"#;

#[test]
fn text_from_bots_stays_text() {
    let Some(browser) = Browser::open(360, 780) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bot.py"), BOT).unwrap();
    let config = "name = \"</script><script>window.broken = 1</script>\"\nseed = 1\n\
                  games = [{ id = \"amazons\", options = { size = 5 } }]\n[time]\nper_move = \"60s\"\nstartup = \"60s\"\n\
                  [[bots]]\nname = \"<img src=x onerror=broken=1>\"\ncommand = \"python3 bot.py\"\n\
                  [[bots]]\nname = \"mirrored\"\ncommand = \"python3 bot.py\"\n";
    let out = play(folder.path(), config);
    // No configuration allows such a name, but a log may come from anywhere.
    let log = out.join("games.jsonl");
    let name = format!(
        "\"name\":\"\\u202emirrored</script>{}\"",
        "z".repeat(10_000)
    );
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, text.replace("\"name\":\"mirrored\"", &name)).unwrap();
    let server = watch(&out);
    for route in ["/", "/matches", "/match/m-000001/1"] {
        browser.go(&page(&server, route));
        browser.wait("document.body.innerText.includes('<img src=x')");
        browser.wait("document.documentElement.scrollWidth <= 360");
        assert_eq!(browser.text("window.broken"), "undefined", "{route}");
        assert_eq!(
            browser.text("document.querySelectorAll('img, main script, iframe').length"),
            "0",
            "{route}"
        );
    }
    browser.wait_for_text("</script><script>window.broken = 1</script>");
    browser.wait("document.querySelector('pre.says')?.innerText.includes('window.broken = 1')");
    browser.wait("document.querySelector('bdi').innerText.includes('<img')");
    assert_eq!(browser.complaints(), [""; 0]);
}
