//! Hidden information does not leave its seat.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};
use tests::agent::Agent;
use tests::{json_lines, root};

/// Matches in each seat.
const MATCHES: u64 = 16;

#[test]
fn what_two_deals_have_in_common_for_a_seat_has_the_same_answers() {
    let sheet = root().join("games/sheets/kuhn-poker.kif");
    let mut agent = Agent::start(["--rules".as_ref(), sheet.as_os_str()]);
    // Answers by what the seat knows, and the deals in which they were given.
    let mut answers: BTreeMap<String, (Value, Vec<Value>)> = BTreeMap::new();
    let mut log = None;
    for (seat, seed) in (0..2).flat_map(|seat| (0..MATCHES).map(move |seed| (seat, seed))) {
        let asked = json!({
            "game": "kuhn-poker", "seat": seat, "seed": seed, "opponents": ["random"], "per_move": "20s",
        });
        let begun = agent.good("new_match", asked);
        let id = begun["match"].as_str().unwrap();
        let folder = begun["folder"].as_str().unwrap();
        let mut seen = Vec::new();
        let last = agent.play(id, |position| {
            seen.push(position.clone());
            position["legal"][0].as_str().unwrap().to_owned()
        });
        seen.push(last);
        let mut logged = agent.good("get_log", json!({"folder": folder, "match": id}));
        let record = logged["record"].take();
        for key in ["start", "seed", "deal"] {
            assert!(record.get(key).is_none(), "{key}: {record}");
        }
        let moves = record["moves"].as_array().unwrap();
        assert!(
            moves.iter().all(|played| played["seat"] == seat),
            "{record}"
        );
        let path = agent.path(folder).join("games.jsonl");
        let whole = json_lines(&fs::read_to_string(&path).unwrap())
            .pop()
            .unwrap();
        let chance = whole["moves"].as_array().unwrap().iter();
        let deal: Vec<&Value> = chance.filter(|played| played["seat"].is_null()).collect();
        let deal = json!(deal.first().map(|played| &played["move"]));
        for mut answer in seen {
            answer["match"].take();
            let known = [&answer["position"], &answer["result"], &answer["seat"]];
            let known = json!(known).to_string();
            let (same, deals) = answers.entry(known).or_insert((answer.clone(), Vec::new()));
            assert_eq!(*same, answer);
            deals.push(deal.clone());
        }
        log = Some(path);
    }
    assert!(log.is_some());
    let differ = |deals: &[Value]| deals.iter().any(|deal| *deal != deals[0]);
    let tried = answers.values().filter(|(_, deals)| differ(deals)).count();
    assert!(
        tried >= 4,
        "only {tried} positions of several deals: {answers:?}"
    );
}

#[test]
fn a_seed_does_not_show_in_the_other_seat_what_was_dealt() {
    let sheet = root().join("games/sheets/kuhn-poker.kif");
    let mut agent = Agent::start(["--rules".as_ref(), sheet.as_os_str()]);
    let mut folder = String::new();
    for (seed, seat) in (0..8).flat_map(|seed| [(seed, 0), (seed, 1)]) {
        let asked =
            json!({"game": "kuhn-poker", "seat": seat, "seed": seed, "opponents": ["random"]});
        let begun = agent.good("new_match", asked);
        agent.play(begun["match"].as_str().unwrap(), |position| {
            position["legal"][0].as_str().unwrap().to_owned()
        });
        folder = begun["folder"].as_str().unwrap().to_owned();
    }
    let log = fs::read_to_string(agent.path(&folder).join("games.jsonl")).unwrap();
    let mut seeds = json_lines(&log);
    let mut seeds: Vec<u64> = seeds
        .iter_mut()
        .map(|record| record["seed"].as_u64().unwrap())
        .collect();
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!(seeds.len(), 16, "each seat has its own: {seeds:?}");
}
