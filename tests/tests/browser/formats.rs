//! Overviews of tournaments that are more than a table: a test with its bounds, rounds, a bracket.

use std::path::Path;
use tests::json_lines;

use serde_json::Value;

use crate::chromium::Browser;
use crate::served::{page, play, watch};

/// A configuration of this format, with these bots beside `greedy`, which play at random.
fn config(format: &str, random: &[&str]) -> String {
    let mut text = format!(
        "name = \"t\"\nformat = {format}\nseed = 3\n\
         games = [{{ id = \"amazons\", options = {{ size = 5 }} }}]\n\
         bots = [\n{{ name = \"greedy\", command = \"referee bot greedy\" }},\n"
    );
    for (at, name) in random.iter().enumerate() {
        text +=
            &format!("{{ name = \"{name}\", command = \"referee bot random --seed {at}\" }},\n");
    }
    text + "]\n[time]\nper_move = \"60s\"\nstartup = \"60s\"\n"
}

/// Plays this configuration and shows its overview.
fn shown(browser: &Browser, config: &str, check: impl FnOnce(&Path)) {
    let folder = tempfile::tempdir().unwrap();
    let out = play(folder.path(), config);
    let server = watch(&out);
    browser.go(&page(&server, "/"));
    browser.wait("document.querySelector('.standings, table')");
    check(&out);
    assert_eq!(browser.complaints(), [""; 0]);
    // The next server may have the same address.
    browser.go("about:blank");
}

/// The names and points of each pair, by rounds.
const PAIRS: &str = "[...document.querySelectorAll('.bracket .round')].map((round) => \
    [...round.querySelectorAll('.pair')].map((pair) => [...pair.querySelectorAll('div:not(.hint)')].map((side) => \
    ({ name: side.firstChild.textContent, points: side.lastChild.textContent, won: side.classList.contains('won') }))))";

fn pairs(browser: &Browser) -> Vec<Vec<Value>> {
    let rounds = browser.run(&format!("return {PAIRS}"));
    serde_json::from_value(rounds).unwrap()
}

#[test]
fn tests_rounds_and_brackets_are_shown_as_such() {
    let Some(browser) = Browser::open(1200, 900) else {
        return;
    };
    let test = config("\"sprt\"", &["random"]) + "[sprt]\nelo0 = 0\nelo1 = 300\n";
    shown(&browser, &test, |_| {
        browser.wait_for_text("is the difference 0 (H0) or 300 Elo (H1)? The verdict: H1");
        let bar = "document.querySelector('.sprt[role=meter]')";
        let number = |name: &str| -> f64 {
            let text = browser.text(&format!("{bar}.getAttribute('aria-value{name}')"));
            text.parse().unwrap()
        };
        assert!((number("max") - 2.944).abs() < 0.01 && (number("min") + 2.944).abs() < 0.01);
        assert!(number("now") >= number("max"), "{}", number("now"));
        let needle = format!("{bar}.querySelector('.needle').style.left");
        assert_eq!(browser.text(&needle), "100%");
    });

    let others = ["r1", "r2", "r3"];
    let swiss = config("\"swiss\"\nrounds = 2", &others);
    shown(&browser, &swiss, |_| {
        browser.wait("document.querySelectorAll('.bracket .round').length === 2");
        assert_eq!(
            browser.text("document.querySelector('.bracket').previousSibling.innerText"),
            "Rounds"
        );
        for round in pairs(&browser) {
            let sides = round.iter().flat_map(|pair| pair.as_array().unwrap());
            let mut names: Vec<&str> = sides.map(|side| side["name"].as_str().unwrap()).collect();
            names.sort_unstable();
            assert_eq!(names, ["greedy", "r1", "r2", "r3"], "everybody once");
        }
    });

    let knockout = config("\"knockout\"", &others);
    shown(&browser, &knockout, |out| {
        browser.wait("document.querySelectorAll('.bracket .round').length === 2");
        let rounds = pairs(&browser);
        let [last] = &rounds[1][..] else {
            panic!("one final: {rounds:?}")
        };
        let sides = last.as_array().unwrap();
        let winners: Vec<&Value> = sides.iter().filter(|side| side["won"] == true).collect();
        let [winner] = winners[..] else {
            panic!("one winner: {last}")
        };
        // Who meets in the final meets nowhere else.
        let name = |side: &Value| side["name"].as_str().unwrap().to_owned();
        let finalists: Vec<String> = sides.iter().map(name).collect();
        let log = std::fs::read_to_string(out.join("games.jsonl")).unwrap();
        let mut points = [0.0; 2];
        for record in json_lines(&log) {
            let players: Vec<String> = (0..2).map(|seat| name(&record["players"][seat])).collect();
            let place = |player| finalists.iter().position(|name| name == player);
            if let (Some(one), Some(other)) = (place(&players[0]), place(&players[1])) {
                points[one] += record["result"]["outcome"][0].as_f64().unwrap();
                points[other] += record["result"]["outcome"][1].as_f64().unwrap();
            }
        }
        let best = usize::from(points[1] > points[0]);
        assert_ne!(points[0], points[1]);
        assert_eq!(name(winner), finalists[best]);
    });
}
