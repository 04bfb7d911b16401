//! Fields that are missing, unknown or of a wrong type; invalid scores, turns and rows.

use serde_json::{Map, Value, json};

use super::{Broken, Place, rows_field};

/// Objects in a state whose keys are fields; the others have cells as keys.
const OBJECTS: [&str; 4] = ["black", "white", "black.reserve", "white.reserve"];

fn objects(state: &Value) -> Vec<Place> {
    let root = Place {
        pointer: String::new(),
        name: String::new(),
    };
    let mut objects = vec![root];
    if state.get("black").is_some() {
        objects.extend(OBJECTS.map(Place::field));
    }
    objects
}

fn join(object: &Place, field: &str) -> Place {
    match &*object.name {
        "" => Place::field(field),
        name => Place::field(&format!("{name}.{field}")),
    }
}

fn map<'a>(object: &Place, state: &'a mut Value) -> &'a mut Map<String, Value> {
    object.of_mut(state).as_object_mut().expect("an object")
}

/// Every field missing and of wrong types, and one too many everywhere.
pub(super) fn fields(state: &Value) -> Vec<Broken> {
    let mut all = Vec::new();
    for object in objects(state) {
        let mut more = state.clone();
        map(&object, &mut more).insert("colour".to_owned(), json!("blue"));
        let name = join(&object, "colour").name;
        all.push(Broken::new("an unknown field", more, &[&name]));
        let names: Vec<String> = map(&object, &mut state.clone()).keys().cloned().collect();
        for field in names {
            let place = join(&object, &field);
            let mut less = state.clone();
            map(&object, &mut less).remove(&field);
            all.push(Broken::new("a field missing", less, &[&place.name]));
            all.extend(wrong_types(state, &place));
        }
    }
    all
}

fn wrong_types(state: &Value, place: &Place) -> Vec<Broken> {
    let wrong = [
        json!(true),
        json!(1.5),
        json!(-1),
        json!("x"),
        json!([7]),
        json!({"x": 1}),
    ];
    let mut all: Vec<Broken> = wrong
        .into_iter()
        .map(|value| Broken::with("a wrong type", state, place, value))
        .collect();
    if !["to_move", "acted", "elephant"].contains(&&*place.name) {
        all.push(Broken::with("a null", state, place, Value::Null));
    }
    all
}

/// Malformed scores, and scores that do not fit the board.
pub(super) fn scores(game: &str, state: &Value) -> Vec<Broken> {
    let place = Place::field("scores");
    let scores = state["scores"].as_array().expect("scores");
    let with_first = |first: Value| {
        let mut scores = scores.clone();
        scores[0] = first;
        Value::Array(scores)
    };
    let first = scores[0].as_i64().expect("a score");
    let mut wrong = vec![
        json!([]),
        json!([&scores[..], &[json!(0)]].concat()),
        json!(scores[1..]),
        with_first(json!(-1)),
        with_first(json!(100_000)),
        with_first(json!(i64::MAX)),
        with_first(json!("1")),
        with_first(json!(0.5)),
    ];
    match game {
        "amazons" | "siam" if state["to_move"].is_null() => {
            wrong.extend([json!([0, 0]), json!([1, 1])]);
        }
        "amazons" | "siam" => wrong.extend([json!([1, 0]), json!([0, 1])]),
        "run" => wrong.push(with_first(json!(8 - cows(&state["black"])))),
        _ => wrong.push(with_first(json!(first + 1))),
    }
    let broken = |value| Broken::with("wrong scores", state, &place, value);
    wrong.into_iter().map(broken).collect()
}

/// The cows that a seat of Run still has.
fn cows(side: &Value) -> u64 {
    let on_board = side["cows"].as_array().map_or(0, Vec::len);
    on_board as u64 + side["reserve"]["cows"].as_u64().expect("a number")
}

/// Seats to move that do not exist, or cannot be to move.
pub(super) fn to_move(state: &Value) -> Vec<Broken> {
    let place = Place::field("to_move");
    let seats = state["scores"].as_array().map_or(0, Vec::len);
    let with = |value| Broken::with("a wrong turn", state, &place, value);
    let mut all = vec![with(json!(seats)), with(json!("0")), with(json!([]))];
    let Some(seat) = state["to_move"].as_u64() else {
        return all;
    };
    if state.get("phase").is_some_and(|phase| phase != "move") {
        all.push(with(json!((seat + 1) % seats as u64)));
    }
    // Where the game cannot be over, what is missing for that may be named as well.
    let mut over = with(Value::Null);
    over.fields.extend(["scores", "rocks"].map(String::from));
    all.push(over);
    all
}

/// Rows that are too many, too few, too long, too short or of wrong characters.
pub(super) fn rows(state: &Value) -> Vec<Broken> {
    let Some(field) = rows_field(state) else {
        return Vec::new();
    };
    let place = Place::field(field);
    let rows = state[field].as_array().expect("rows");
    let first = rows[0].as_str().expect("a row");
    let with_first = |row: String| {
        let mut rows = rows.clone();
        rows[0] = json!(row);
        json!(rows)
    };
    let (head, tail) = (&first[..1], &first[1..]);
    let wrong = [
        json!(rows[1..]),
        json!([&rows[..], &rows[..1]].concat()),
        with_first(tail.to_owned()),
        with_first(format!("{head}{first}")),
        with_first(format!("4{tail}")),
        with_first(format!("é{tail}")),
        with_first(format!("-{tail}")),
        json!(first),
    ];
    wrong
        .into_iter()
        .map(|value| Broken::with("wrong rows", state, &place, value))
        .collect()
}

/// Ways to break fields of a single game.
pub(super) fn others(options: &Value, state: &Value) -> Vec<Broken> {
    let mut all = Vec::new();
    let mut with = |name: &str, value| {
        all.push(Broken::with(
            "a wrong value",
            state,
            &Place::field(name),
            value,
        ));
    };
    with("ply", json!(u32::MAX));
    if state.get("exits").is_some() {
        let most = options["max_exits"].as_i64().unwrap_or(1 << 40);
        for value in [
            json!([0]),
            json!([0, -1]),
            json!([most + 1, 0]),
            json!([0, 0, 0]),
        ] {
            with("exits", value);
        }
    }
    if state.get("acted").is_some() {
        with("acted", json!("horse"));
        with("black.reserve.cows", json!(8));
        with("white.reserve.cowboys", json!(6));
        if state["to_move"].is_null() {
            with("acted", json!("cow"));
        }
    }
    if state["phase"] == "move" && state["ply"] != 0 {
        with("phase", json!("fly"));
        all.push(place_again(state));
    }
    all
}

/// A state of the movement phase with the placement phase's name.
fn place_again(state: &Value) -> Broken {
    let mut placing = state.clone();
    placing["phase"] = json!("place");
    let fields = [
        "phase", "fish", "points", "tiles", "penguins", "pieces", "to_move", "scores",
    ];
    Broken::new("placing again", placing, &fields)
}
