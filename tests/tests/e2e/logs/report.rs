//! Pages for the authors of bots.

use std::fs;
use std::path::PathBuf;

use tests::{Arena, Ran, assert_contains, good, run};

use crate::{GREEDY, HOSTILE, RANDOM, config};

/// A tournament with a bot that crashes, and whose name and stderr are markup.
fn played() -> Arena {
    let crash = format!(r#"["sh", "-c", "{HOSTILE} crash; echo 'Trace <i>back</i>' >&2; exit 5"]"#);
    let bots = config(&[RANDOM, GREEDY, ("<b>", &crash)]);
    let secret = "env = { KEY = \"secret\" }\n";
    let arena = Arena::new(&format!("rounds = 4\n{bots}{secret}"));
    good(arena.play());
    arena
}

fn report(arena: &Arena, args: &[&str]) -> Ran {
    let args = args.iter().map(PathBuf::from);
    run(["report".into(), arena.path("out")].into_iter().chain(args))
}

#[test]
fn a_page_says_how_a_bot_did_and_why_it_lost() {
    let arena = played();
    let text = good(report(&arena, &["--bot", "<b>"]));
    for part in [
        "Place 3 of 3",
        "16 lost, 16 by a fault of its own",
        "`crash` in 16 matches, last in `m-0000",
        "exited with code 5; the last it printed on stderr: Trace <i>back</i>",
        "The end of its stderr:\n    Trace <i>back</i>",
        "There is no match without faults in which it scored less",
    ] {
        assert_contains(&text.stdout, part);
    }
    let better = report(&arena, &["--bot", "greedy"]);
    let command = format!("referee replay {} --match m-", arena.path("out").display());
    assert_contains(&better.stdout, &command);

    let markdown = report(&arena, &["--bot", "<b>", "--format", "markdown"]);
    assert!(
        markdown.stdout.starts_with("## \\<b>\n"),
        "{}",
        markdown.stdout
    );

    let page = arena.path("page.html");
    let out = page.display().to_string();
    let html = report(
        &arena,
        &["--bot", "greedy", "--format", "html", "--out", &out],
    );
    assert_eq!((html.code, &*html.stdout), (Some(0), ""));
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("<summary>The moves of m-") && page.contains("[Game &quot;amazons"));

    let unknown = report(&arena, &["--bot", "anna"]);
    assert_eq!(unknown.code, Some(2));
    let expected = "no bot is called `anna`; there are <b>, greedy, random";
    assert_contains(&unknown.stderr, expected);
}

#[test]
fn a_site_has_an_index_and_a_page_for_each_bot() {
    let arena = played();
    let site = arena.path("site");
    let out = site.display().to_string();
    let ran = good(report(&arena, &["--all", "--out", &out]));
    assert_eq!(
        ran.stdout.trim(),
        site.join("index.html").display().to_string()
    );
    let index = fs::read_to_string(site.join("index.html")).unwrap();
    for part in [
        "<h1>test</h1>",
        "Played by referee ",
        "<a href=\"bots/greedy.html\">greedy</a>",
        "<a href=\"bots/_b_.html\">&lt;b&gt;</a>",
        "<a href=\"statistics.html\">",
        "<p>Rules: <a href=\"rules/amazons.html\">Game of the Amazons</a>",
        "rounds = 4",
        "KEY = &quot;…&quot;",
    ] {
        assert_contains(&index, part);
    }
    assert!(site.join("statistics.html").exists());
    let rules = fs::read_to_string(site.join("rules/amazons.html")).unwrap();
    for part in [
        "<h1>Game of the Amazons</h1>",
        "<pre><code class=\"language-board\">",
    ] {
        assert_contains(&rules, part);
    }
    for page in [
        "index.html",
        "bots/_b_.html",
        "bots/greedy.html",
        "bots/random.html",
    ] {
        let page = fs::read_to_string(site.join(page)).unwrap();
        for evil in ["<b>", "<i>", "<script>", "secret"] {
            assert!(!page.contains(evil), "{evil} in {page}");
        }
    }
}
