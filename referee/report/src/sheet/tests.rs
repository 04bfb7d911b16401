//! The output of each format for one small log.

use serde_json::{Value, json};

use super::{By, Sheet, SheetFormat, plot};
use protocol::shown as clean;
use ratings::report::Resampling;
use ratings::{MatchStore, MatchSummary, Request};

/// A match between two bots; `outcome` is the first seat's.
fn played(number: u64, seed: u64, bots: [&str; 2], outcome: f64, moves: &[&str]) -> MatchSummary {
    let moves: Vec<Value> = moves
        .iter()
        .enumerate()
        .map(|(ply, mv)| json!({"seat": ply % 2, "move": mv, "ms": 10, "cpu_ms": 5}))
        .collect();
    let faults = match number {
        4 => json!([{"seat": 0, "code": "timeout"}]),
        _ => json!([]),
    };
    serde_json::from_value(json!({
        "format": 1, "match": format!("m-{number:06}"), "game": "siam", "options": {},
        "seed": seed, "start": {"ply": 0},
        "players": [{"name": bots[0], "role": "elephants"}, {"name": bots[1], "role": "rhinos"}],
        "time": {"per_move_ms": 100, "startup_ms": 1, "margin_ms": 1}, "opening": 1,
        "moves": moves,
        "result": {"scores": [0, 0], "outcome": [outcome, 1.0 - outcome], "faults": faults}
    }))
    .expect("a match")
}

const EVIL: &str = "<b>|\"x\", y\u{1b}";

/// Two swapped pairs; the second has a fault of `a`, and names that need escaping.
fn sheet(by: Option<By>) -> Sheet {
    let mut matches = MatchStore::new();
    matches.add(&played(1, 1, ["a", EVIL], 1.0, &["p", "q", "r", "s"]));
    matches.add(&played(2, 1, [EVIL, "a"], 0.5, &["p", "q", "t"]));
    matches.add(&played(3, 2, [EVIL, "a"], 0.0, &["u", "q", "t"]));
    matches.add(&played(4, 2, ["a", EVIL], 0.0, &["u", "q"]));
    let resampling = Resampling {
        resamples: Some(20),
        seed: 1,
    };
    let request = Request {
        resampling,
        ..Request::default()
    };
    Sheet::new(&matches, &request, by).expect("a sheet")
}

/// The table as a program reads it: a map for each row.
fn csv(by: Option<By>) -> Vec<Value> {
    let text = sheet(by).write(SheetFormat::Csv, None);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let names = reader.headers().expect("names").clone();
    let rows = reader.records().map(|row| {
        let row = row.expect("a row of the right length");
        let cells = names.iter().zip(row.iter());
        cells.map(|(name, cell)| (name, json!(cell))).collect()
    });
    rows.collect()
}

#[test]
fn csv_has_a_row_for_each_bot() {
    let rows = csv(None);
    assert_eq!(rows.len(), 2);
    let a = &rows[0];
    let expected = json!({
        "rank": "1", "bot": "a", "group": "0", "matches": "4", "points": "2.5",
        "score": "0.625", "wins": "2", "draws": "1", "losses": "1", "faults": "1", "startup": "0",
        "protocol": "0", "illegal_move": "0", "timeout": "1", "crash": "0", "resign": "0",
        "plies": "3", "mean_ms": "10", "mean_cpu_ms": "5", "mean_share": "0.1",
        "worst_share": "0.1", "mean_depth": "", "mean_nodes": "",
    });
    for (name, value) in expected.as_object().expect("an object") {
        assert_eq!(&a[name], value, "{name}");
    }
    let number = |row: &Value, name: &str| -> f64 {
        let text = row[name].as_str().expect("a cell");
        text.parse().expect("a number")
    };
    assert!(number(a, "low") < number(a, "elo") && number(a, "elo") < number(a, "high"));
    assert_eq!(number(a, "elo"), -number(&rows[1], "elo"));
    assert_eq!(
        rows[1]["bot"],
        clean(EVIL),
        "escaped, so that terminals show it, too"
    );
}

#[test]
fn csv_by_seat_adds_up() {
    let rows = csv(Some(By::Seat));
    let of = |bot: &str, seat: &str, name: &str| {
        let row = rows.iter().find(|r| r["bot"] == bot && r["seat"] == seat);
        row.expect("a row")[name].clone()
    };
    assert_eq!(rows.len(), 6);
    assert_eq!(of("a", "0", "role"), "elephants");
    assert_eq!(of("a", "0", "points"), "1");
    assert_eq!(of("a", "1", "points"), "1.5");
    assert_eq!(of("", "0", "score"), "0.375");
    assert_eq!(of("a", "0", "advantage"), "");
    assert!(
        of("", "0", "advantage")
            .as_str()
            .expect("text")
            .starts_with('-')
    );
}

#[test]
fn csv_by_goal_is_ranked() {
    let rows = csv(Some(By::Goal));
    let goal = |row: usize| -> f64 { rows[row]["goal"].as_str().unwrap().parse().unwrap() };
    assert!(rows.len() == 2 && goal(0) >= goal(1), "{rows:?}");
    assert_eq!(rows[0]["matches"], "4");
}

#[test]
fn csv_by_opening_tells_openings_apart() {
    let mut sheet = sheet(Some(By::Opening));
    let first = sheet
        .first_matches()
        .into_iter()
        .next()
        .expect("an opening");
    let moves = ["p", "q"].map(str::to_owned).to_vec();
    sheet.opening_moves.insert(first, moves);
    let text = sheet.write(SheetFormat::Csv, None);
    let expected = "\
game,first_match,seat,role,matches,points,score,wins,draws,losses,faults,log,moves
siam,1,0,elephants,2,1.5,0.75,1,1,0,0,1,p q
siam,1,1,rhinos,2,0.5,0.25,0,1,1,0,1,p q
siam,3,0,elephants,2,0,0,0,0,2,1,1,
siam,3,1,rhinos,2,2,1,2,0,0,0,1,
";
    assert_eq!(text, expected);
}

#[test]
fn csv_by_pair_has_a_row_for_each_two_bots() {
    let rows = csv(Some(By::Pair));
    assert_eq!(rows.len(), 1);
    let expected = json!({
        "bot": "a", "other": EVIL, "matches": "4", "points": "2.5", "score": "0.625", "pairs": "2",
        "sure": "false", "games_error": "", "games_low": "", "games_high": "",
    });
    for (name, value) in expected.as_object().expect("an object") {
        assert_eq!(&rows[0][name], value, "{name}");
    }
    // The difference is that of the ratings.
    let number = |value: &Value| -> f64 {
        let text = value.as_str().expect("a cell");
        text.parse().expect("a number")
    };
    let bots = csv(None);
    let apart = number(&bots[0]["elo"]) - number(&bots[1]["elo"]);
    assert!((number(&rows[0]["elo"]) - apart).abs() < 0.2);
    assert!(number(&rows[0]["superiority"]) > 0.5);
}

/// Games of bots that win more the later they come in the alphabet; `c` forfeits a match of siam.
fn three_games() -> MatchStore {
    let mut matches = MatchStore::new();
    let mut number = 10;
    for game in ["siam", "run", "amazons"] {
        for (one, other) in [("a", "b"), ("a", "c"), ("b", "c")] {
            for pair in 0..4 {
                for (seat, bots) in [[one, other], [other, one]].into_iter().enumerate() {
                    number += 1;
                    let won = f64::from(u8::from((pair == 0) == (seat == 0)));
                    let text = format!("{number}");
                    let mut played = played(number, number / 2, bots, won, &[&text]);
                    played.game = game.into();
                    if number == 15 {
                        let fault = json!({"seat": 0, "code": "crash"});
                        played.result.faults =
                            vec![serde_json::from_value(fault).expect("a fault")];
                    }
                    matches.add(&played);
                }
            }
        }
    }
    matches
}

#[test]
fn intervals_for_games_not_played_are_beside_the_others() {
    let matches = three_games();
    let sheet = |by| Sheet::new(&matches, &Request::default(), by).expect("a sheet");
    for by in [None, Some(By::Pair)] {
        for format in [SheetFormat::Text, SheetFormat::Markdown, SheetFormat::Html] {
            let text = sheet(by).write(format, None);
            assert!(text.contains("±games"), "{text}");
        }
    }
    let csv = sheet(None).write(SheetFormat::Csv, None);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let names = reader.headers().expect("names").clone();
    let row = reader.records().next().expect("a row").expect("of text");
    let cell = |name: &str| -> f64 {
        let column = names.iter().position(|known| known == name);
        row[column.expect("a column")].parse().expect("a number")
    };
    assert!(cell("games_low") <= cell("low") && cell("high") <= cell("games_high"));
    assert!(cell("nash_share") >= 0.0 && cell("nash_score") <= 0.51);
}

#[test]
fn ratings_without_forfeits_and_with_weights_say_so() {
    let matches = three_games();
    let text = |request: Request| {
        let sheet = Sheet::new(&matches, &request, None).expect("a sheet");
        sheet.write(SheetFormat::Text, None)
    };
    let plain = text(Request::default());
    assert!(!plain.contains("leave out") && !plain.contains("do not count"));
    let chosen = text(Request {
        weights: vec![("siam".to_owned(), 2.5), ("run".to_owned(), 0.0)],
        without_forfeits: true,
        anchors: vec![("a".to_owned(), 10.0), ("b".to_owned(), 20.0)],
        ..Request::default()
    });
    for part in [
        "do not count 1 each: `run` 0, `siam` 2.5.",
        "leave out 1 match that was lost by a fault",
        "measured from the mean of `a` at 10, `b` at 20",
    ] {
        assert!(chosen.contains(part), "{part} in {chosen}");
    }
    let wrong = Request {
        weights: vec![("chess".to_owned(), 1.0)],
        ..Request::default()
    };
    let error = Sheet::new(&matches, &wrong, None).expect_err("no such game");
    assert!(error.to_string().contains("there are amazons, run, siam"));
}

#[test]
fn json_has_the_statistics_as_they_are() {
    let sheet = sheet(Some(By::Game));
    let value: Value = serde_json::from_str(&sheet.write(SheetFormat::Json, None)).expect("JSON");
    assert_eq!(value["by"], "game");
    assert_eq!(value["matches"], 4);
    assert_eq!(value["units"], 2);
    assert_eq!(value["bots"][1]["name"], "a");
    assert_eq!(value["bots"][1]["results"]["points"], 2.5);
    assert_eq!(value["ranking"], json!([1, 0]));
    assert_eq!(value["fault_codes"][3], "timeout");
    assert_eq!(value["bots"][1]["faults"][3], 1);
    // One game: alone or not is the same.
    assert_eq!(value["ratings_by_game"][0], value["ratings"]);
}

#[test]
fn text_and_markdown_and_html_say_the_same() {
    for by in [
        None,
        Some(By::Game),
        Some(By::Seat),
        Some(By::Goal),
        Some(By::Opening),
        Some(By::Pair),
        Some(By::Version),
    ] {
        let sheet = sheet(by);
        let text = sheet.write(SheetFormat::Text, None);
        assert!(text.starts_with("Standings\n4 matches of 2 bots in 1 game.\n"));
        let words = |text: &str| -> Vec<String> {
            let kept = |c: char| {
                if c.is_alphanumeric() || "½%±.".contains(c) {
                    c
                } else {
                    ' '
                }
            };
            let text: String = text.chars().map(kept).collect();
            text.split_whitespace().map(str::to_owned).collect()
        };
        let markdown = sheet.write(SheetFormat::Markdown, None);
        assert_eq!(words(&text), words(&markdown), "{by:?}");
        let html = sheet.write(SheetFormat::Html, None);
        for part in ["2½", "62.5 %", "&lt;b&gt;|&quot;x&quot;, y\\u001b", "<svg"] {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert!(!html.contains("<b>") && !html.contains("<script") && !html.contains('\u{1b}'));
        assert!(markdown.contains("\\<b>\\|\"x\", y\\\\u001b"), "{markdown}");
    }
}

/// The whole texts are in `snapshots`. After an intended change, rewrite them with
/// `INSTA_UPDATE=always` and read them.
#[test]
fn the_texts_are_as_they_were() {
    for (name, by, format) in [
        ("bots", None, SheetFormat::Text),
        ("bots.md", None, SheetFormat::Markdown),
        ("games", Some(By::Game), SheetFormat::Text),
        ("seats", Some(By::Seat), SheetFormat::Text),
        ("openings", Some(By::Opening), SheetFormat::Text),
        ("pairs", Some(By::Pair), SheetFormat::Text),
    ] {
        insta::assert_snapshot!(name, sheet(by).write(format, None));
    }
}

#[test]
fn too_many_bots_have_no_columns() {
    let mut matches = MatchStore::new();
    for number in 0..13 {
        let name = format!("bot {number}");
        matches.add(&played(10 + number, number, ["a", &name], 1.0, &["p"]));
    }
    let sheet = Sheet::new(&matches, &Request::default(), None).expect("a sheet");
    let text = sheet.write(SheetFormat::Text, None);
    assert!(
        text.contains("of 14 bots are in") && !text.contains("Crosstable:"),
        "{text}"
    );
    assert!(sheet.write(SheetFormat::Html, None).contains("Crosstable:"));
}

#[test]
fn names_in_notes_are_no_markup() {
    let mut matches = MatchStore::new();
    matches.add(&played(1, 1, ["<i>", "`b"], 1.0, &["p"]));
    matches.add(&played(2, 2, ["c", "d"], 1.0, &["p"]));
    let sheet = Sheet::new(&matches, &Request::default(), None).expect("a sheet");
    let text = sheet.write(SheetFormat::Markdown, None);
    assert!(
        text.contains("no match connects: `<i>`, `'b` | `c`, `d`."),
        "{text}"
    );
    let page = sheet.write(SheetFormat::Html, None);
    assert!(
        page.contains("<code>&lt;i&gt;</code>, <code>'b</code>"),
        "{page}"
    );
}

#[test]
fn the_plot_has_a_point_and_a_whisker_for_each_bot() {
    let sheet = sheet(None);
    let svg = plot(&sheet.report);
    assert_eq!(svg.matches("<circle").count(), 2);
    assert_eq!(svg.matches("class=\"whisker\"").count(), 6);
    assert!(svg.contains("&lt;b&gt;") && !svg.contains("<b>"));
    let figures = svg.split("text-anchor=\"middle\">").skip(1);
    let figures = figures.filter_map(|rest| {
        let figure = rest.split('<').next()?.replace('−', "-");
        figure.parse().ok()
    });
    let ticks: Vec<f64> = figures.collect();
    assert!((3..=12).contains(&ticks.len()), "{ticks:?}");
    assert!(ticks.is_sorted());
    let ratings = sheet.report.ratings.bots.iter().flatten();
    for rating in ratings {
        assert!(ticks[0] <= rating.low && rating.high <= ticks[ticks.len() - 1]);
    }
}
