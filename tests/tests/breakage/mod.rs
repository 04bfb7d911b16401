//! Ways to break a valid state on purpose, each with the fields that the refusal may name.

mod change;
mod pieces;
mod values;

pub(crate) use change::changed;

use serde_json::{Value, json};
use tests::model::ModelClient;

pub(crate) struct Broken {
    pub(crate) what: String,
    pub(crate) state: Value,
    /// Possible prefixes of the field's name in the refusal.
    pub(crate) fields: Vec<String>,
}

impl Broken {
    fn new(what: &str, state: Value, fields: &[&str]) -> Self {
        Broken {
            what: what.to_owned(),
            state,
            fields: fields.iter().map(ToString::to_string).collect(),
        }
    }

    /// The state with one value replaced.
    fn with(what: &str, state: &Value, place: &Place, value: Value) -> Self {
        let mut state = state.clone();
        *place.of_mut(&mut state) = value;
        Broken::new(what, state, &[&place.name])
    }
}

/// The place of a value in a state.
#[derive(Clone, Debug)]
struct Place {
    /// Such as `/amazons/0`.
    pointer: String,
    /// As in messages: `amazons[0]`.
    name: String,
}

impl Place {
    fn field(name: &str) -> Self {
        Place {
            pointer: format!("/{}", name.replace('.', "/")),
            name: name.to_owned(),
        }
    }

    fn item(name: &str, index: usize) -> Self {
        Place {
            pointer: format!("/{name}/{index}"),
            name: format!("{name}[{index}]"),
        }
    }

    fn of<'a>(&self, state: &'a Value) -> &'a Value {
        state.pointer(&self.pointer).expect("a value there")
    }

    fn of_mut<'a>(&self, state: &'a mut Value) -> &'a mut Value {
        state.pointer_mut(&self.pointer).expect("a value there")
    }
}

/// The names of all cells of a game's board.
pub(crate) fn board_cells(model: &mut ModelClient, game: &str, options: &Value) -> Vec<String> {
    let new = json!({"op": "new", "game": game, "options": options, "want": ["view"]});
    let answer = model.ok(new);
    let cells = answer["view"]["cells"].as_array().expect("a list of cells");
    let name = |cell: &Value| cell["name"].as_str().expect("a name").to_owned();
    cells.iter().map(name).collect()
}

/// The lists of cells in a state.
fn cell_lists(state: &Value) -> Vec<Place> {
    let mut lists = Vec::new();
    for name in ["arrows", "farmers", "halogai", "giants", "rocks"] {
        if state.get(name).is_some() {
            lists.push(Place::field(name));
        }
    }
    for name in ["amazons", "penguins", "pieces"] {
        let seats = state[name].as_array().map_or(0, Vec::len);
        lists.extend((0..seats).map(|seat| Place::item(name, seat)));
    }
    if state.get("black").is_some() {
        let names = ["black.cows", "black.cowboys", "white.cows", "white.cowboys"];
        lists.extend(names.map(Place::field));
    }
    lists
}

/// The field that has rows of characters, if the game has one.
fn rows_field(state: &Value) -> Option<&'static str> {
    ["fish", "points", "tiles"]
        .into_iter()
        .find(|name| state.get(name).is_some())
}

/// All ways to break a state.
pub(crate) fn all(game: &str, options: &Value, state: &Value, cells: &[String]) -> Vec<Broken> {
    let mut all = values::fields(state);
    all.extend(values::scores(game, state));
    all.extend(values::to_move(state));
    all.extend(values::rows(state));
    all.extend(values::others(options, state));
    all.extend(pieces::cells(game, state, cells));
    all.extend(pieces::animals(state, cells));
    all.extend(pieces::missing(state));
    all
}
