//! Small random changes, after which a state may or may not be valid.

use oracle::random::Random;
use serde_json::{Value, json};

use super::{cell_lists, rows_field};

/// A state with one to three random changes.
pub(crate) fn changed(state: &Value, cells: &[String], random: &mut Random) -> Value {
    let mut state = state.clone();
    for _ in 0..1 + random.below(3) {
        match random.below(6) {
            0 => change_number(&mut state, random),
            1 => change_rows(&mut state, random),
            2 => change_turn(&mut state, random),
            3 => change_animal(&mut state, cells, random),
            _ => change_cells(&mut state, cells, random),
        }
    }
    state
}

/// Adds a piece, takes one away or puts one elsewhere.
fn change_cells(state: &mut Value, cells: &[String], random: &mut Random) {
    let lists = cell_lists(state);
    let list = random
        .pick(&lists)
        .of_mut(state)
        .as_array_mut()
        .expect("a list of cells");
    let kind = random.below(3);
    if kind > 0 && !list.is_empty() {
        list.remove(random.below(list.len()));
    }
    if kind < 2 {
        list.push(json!(random.pick(cells)));
    }
}

/// Moves a point, or changes another number.
fn change_number(state: &mut Value, random: &mut Random) {
    let seats = state["scores"].as_array().map_or(0, Vec::len);
    let mut add = |pointer: &str, more: i64| {
        if let Some(number) = state.pointer_mut(pointer) {
            *number = json!(number.as_i64().unwrap_or_default() + more);
        }
    };
    let mut score =
        |random: &mut Random, more| add(&format!("/scores/{}", random.below(seats)), more);
    match random.below(4) {
        0 => score(random, 1),
        1 => {
            score(random, 1);
            score(random, -1);
        }
        2 => add("/ply", random.below(9) as i64 - 4),
        _ => {
            let pointers = [
                "/exits/0",
                "/exits/1",
                "/black/reserve/cows",
                "/white/reserve/cowboys",
            ];
            let pointer = random.pick(&pointers);
            add(pointer, random.below(3) as i64 - 1);
        }
    }
}

/// Changes one character of the rows.
fn change_rows(state: &mut Value, random: &mut Random) {
    let Some(field) = rows_field(state) else {
        return;
    };
    let characters: &[char] = if field == "tiles" {
        &['#', '.']
    } else {
        &['0', '1', '2', '3']
    };
    let rows = state[field].as_array_mut().expect("rows");
    let row = &mut rows[random.below(8) % 4];
    let mut text: Vec<char> = row.as_str().expect("a row").chars().collect();
    let column = random.below(text.len());
    text[column] = *random.pick(characters);
    *row = json!(text.into_iter().collect::<String>());
}

fn change_turn(state: &mut Value, random: &mut Random) {
    state["to_move"] = random
        .pick(&[json!(0), json!(1), json!(2), Value::Null])
        .clone();
    if state.get("acted").is_some() && random.below(2) == 0 {
        state["acted"] = random
            .pick(&[json!("cow"), json!("cowboy"), Value::Null])
            .clone();
    }
    if state.get("phase").is_some() && random.below(4) == 0 {
        state["phase"] = random
            .pick(&[json!("lay"), json!("place"), json!("move")])
            .clone();
    }
}

/// Puts the elephant of Elephant Run, or an animal of Siam, anywhere.
fn change_animal(state: &mut Value, cells: &[String], random: &mut Random) {
    let cell = random.pick(cells);
    if state.get("elephant").is_some() {
        state["elephant"] = json!(cell);
    } else if state.get("rhinos").is_some() {
        let field = *random.pick(&["elephants", "rhinos"]);
        state[field][cell] = json!(random.pick(&["n", "e", "s", "w"]));
    }
}
