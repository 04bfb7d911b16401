//! Pieces off the board, on one cell, too many of them and too few.

use std::slice;

use serde_json::{Value, json};

use super::{Broken, Place, cell_lists};

/// Texts that name no cell of any board.
const NOWHERE: [&str; 8] = ["", "z9", "a0", "A2", "a02", "a2 ", "é2", "a99999999999"];

/// Cells that only other boards have.
fn beyond(game: &str) -> &'static str {
    match game {
        "elephant-run" => "a5",
        "giantslayer" => "e5",
        "penguins" => "h1",
        "run" => "a1",
        "siam" => "f1",
        _ => "m13",
    }
}

fn strings(list: &Value) -> Vec<String> {
    let list = list.as_array().expect("a list of cells");
    list.iter()
        .map(|cell| cell.as_str().expect("a cell").to_owned())
        .collect()
}

/// All occupied cells.
fn taken(state: &Value) -> Vec<String> {
    let lists = cell_lists(state);
    let mut taken: Vec<String> = lists
        .iter()
        .flat_map(|list| strings(list.of(state)))
        .collect();
    for name in ["elephants", "rhinos"] {
        let animals = state.get(name).and_then(Value::as_object);
        taken.extend(animals.into_iter().flat_map(|map| map.keys().cloned()));
    }
    taken.extend(state["elephant"].as_str().map(String::from));
    taken
}

fn with_more(what: &str, state: &Value, list: &Place, more: &[String]) -> Broken {
    let cells = [strings(list.of(state)), more.to_vec()].concat();
    Broken::with(what, state, list, json!(cells))
}

/// Ways to break lists of cells.
pub(super) fn cells(game: &str, state: &Value, board: &[String]) -> Vec<Broken> {
    let lists = cell_lists(state);
    let taken = taken(state);
    let free: Vec<String> = board
        .iter()
        .filter(|c| !taken.contains(c))
        .cloned()
        .collect();
    let mut all = Vec::new();
    for list in &lists {
        for nowhere in NOWHERE.into_iter().chain([beyond(game)]) {
            all.push(with_more(
                "off the board",
                state,
                list,
                &[nowhere.to_owned()],
            ));
        }
        for other in &lists {
            if let Some(cell) = strings(other.of(state)).first() {
                let mut broken = with_more("two on a cell", state, list, slice::from_ref(cell));
                broken.fields.push(other.name.clone());
                all.push(broken);
            }
        }
        // Amazons may have any number of pieces; no other list may have as many as these.
        if game != "amazons" && free.len() > 8 {
            all.push(with_more("too many", state, list, &free));
        }
    }
    all
}

/// Ways to break the animals of Siam, which are keys.
pub(super) fn animals(state: &Value, board: &[String]) -> Vec<Broken> {
    let mut all = Vec::new();
    if state.get("rhinos").is_none() {
        return all;
    }
    let taken = taken(state);
    let free: Vec<&String> = board.iter().filter(|c| !taken.contains(c)).collect();
    let with = |what: &str, field: &str, cells: &[&str], way: Value| {
        let mut broken = state.clone();
        for cell in cells {
            broken[field][*cell] = way.clone();
        }
        Broken::new(what, broken, &[field])
    };
    for field in ["elephants", "rhinos"] {
        for nowhere in NOWHERE.into_iter().chain(["f1"]) {
            all.push(with("off the board", field, &[nowhere], json!("n")));
        }
        for way in [
            json!("x"),
            json!("N"),
            json!(""),
            json!("ns"),
            json!(0),
            json!(null),
        ] {
            all.push(with("no direction", field, &[free[0]], way));
        }
        let six: Vec<&str> = free.iter().take(6).map(|cell| cell.as_str()).collect();
        all.push(with("six animals", field, &six, json!("n")));
        let others = taken
            .iter()
            .filter(|&cell| state[field].get(cell).is_none());
        for cell in others {
            let mut broken = with("two on a cell", field, &[cell], json!("n"));
            broken
                .fields
                .extend(["elephants", "rhinos", "rocks"].map(String::from));
            all.push(broken);
        }
    }
    all.push(Broken::with(
        "no rocks",
        state,
        &Place::field("rocks"),
        json!([]),
    ));
    all.retain(|broken| broken.what != "no rocks" || !state["to_move"].is_null());
    all
}

/// States without required pieces.
pub(super) fn missing(state: &Value) -> Vec<Broken> {
    let mut all = Vec::new();
    if state["phase"] == "move" {
        for list in cell_lists(state)
            .iter()
            .filter(|list| list.name != "farmers")
        {
            let cells = strings(list.of(state));
            all.push(Broken::with("one missing", state, list, json!(cells[1..])));
        }
        if state.get("elephant").is_some() {
            let place = Place::field("elephant");
            all.push(Broken::with("no elephant", state, &place, Value::Null));
        }
    }
    if state.get("amazons").is_some() {
        for seat in 0..2 {
            let place = Place::item("amazons", seat);
            all.push(Broken::with("no amazon", state, &place, json!([])));
        }
    }
    if let Some(farmer) = state["farmers"].as_array().and_then(|list| list.first()) {
        let place = Place::field("elephant");
        let mut broken = Broken::with("elephant on farmer", state, &place, farmer.clone());
        broken.fields.push("farmers".to_owned());
        all.push(broken);
    }
    all
}
