//! Symmetries of boards and seats, and what they make of states and moves.

use std::collections::HashMap;
use std::fmt;

use games::View;
use serde_json::{Map, Value};

/// A symmetry: a matrix, and how many seats everybody moves on.
pub(crate) type Generator = ([i32; 4], usize);

/// All that can be made of these symmetries by doing one after another.
pub(crate) fn group(generators: &[Generator], seats: usize) -> Vec<Generator> {
    let mut group = vec![([4, 0, 0, 4], 0)];
    let mut done = 0;
    while let Some(&(matrix, turn)) = group.get(done) {
        done += 1;
        for &(next, more) in generators {
            let both = (product(next, matrix), (turn + more) % seats);
            if !group.contains(&both) {
                group.push(both);
            }
        }
    }
    group
}

fn product([a, b, c, d]: [i32; 4], [e, f, g, h]: [i32; 4]) -> [i32; 4] {
    [a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h].map(|sum| sum / 4)
}

fn apply([a, b, c, d]: [i32; 4], (x, y): (i32, i32)) -> (i32, i32) {
    ((a * x + b * y) / 4, (c * x + d * y) / 4)
}

/// Fields with one entry a seat.
const BY_SEAT: [&str; 5] = ["amazons", "exits", "penguins", "pieces", "scores"];
/// Fields of one seat and of the other.
const PAIRS: [(&str, &str); 2] = [("black", "white"), ("elephants", "rhinos")];
/// Fields with rows of characters, one a cell.
const ROWS: [&str; 3] = ["fish", "points", "tiles"];
/// Letters of directions, with where they point.
const FACINGS: [(char, (i32, i32)); 4] =
    [('n', (0, 4)), ('e', (4, 0)), ('s', (0, -4)), ('w', (-4, 0))];

/// A symmetry of one board.
pub(crate) struct Mirror {
    matrix: [i32; 4],
    turn: usize,
    seats: usize,
    /// Image of each cell.
    cells: HashMap<String, String>,
    /// The cells as in rows of characters, the top row first.
    rows: Vec<Vec<String>>,
}

impl fmt::Display for Mirror {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the image under {:?} + {}", self.matrix, self.turn)
    }
}

impl Mirror {
    /// # Panics
    /// If a cell has no image.
    pub(crate) fn new(view: &View, matrix: [i32; 4], turn: usize, seats: usize) -> Self {
        // Views have half columns, so that these are quarters of a square cell both ways; the
        // centre of the board is (0, 0).
        let middle = |places: Vec<i32>| {
            places.iter().min().expect("cells") + places.iter().max().expect("cells")
        };
        let x0 = middle(view.cells.iter().map(|cell| cell.x).collect());
        let y0 = middle(view.cells.iter().map(|cell| cell.y).collect());
        let place = |x: i32, y: i32| (2 * x - x0, 4 * y - 2 * y0);
        let names = view.cells.iter();
        let names: HashMap<_, _> = names.map(|c| (place(c.x, c.y), c.name.clone())).collect();
        let image = |(at, name): (&(i32, i32), &String)| {
            let image = names.get(&apply(matrix, *at)).expect("an image");
            (name.clone(), image.clone())
        };
        let cells: HashMap<_, _> = names.iter().map(image).collect();
        let mut ordered: Vec<_> = view.cells.iter().collect();
        ordered.sort_by_key(|cell| (-cell.y, cell.x));
        let rows = ordered.chunk_by(|a, b| a.y == b.y);
        let rows = rows.map(|row| row.iter().map(|cell| cell.name.clone()).collect());
        Mirror {
            matrix,
            turn,
            seats,
            cells,
            rows: rows.collect(),
        }
    }

    /// True if a state can be transformed. Seat 0 begins and places first, so seats are alike only
    /// after that.
    pub(crate) fn fits(&self, state: &Value) -> bool {
        let placed = state.get("phase").is_none_or(|phase| phase == "move");
        self.turn == 0 || (placed && state["ply"] != 0)
    }

    /// A list with one entry a seat.
    pub(crate) fn seats<T: Clone>(&self, list: &[T]) -> Vec<T> {
        let mut list = list.to_vec();
        list.rotate_right(self.turn);
        list
    }

    fn facing(&self, letter: char) -> Option<char> {
        let (_, towards) = FACINGS.into_iter().find(|(known, _)| *known == letter)?;
        let image = apply(self.matrix, towards);
        FACINGS
            .into_iter()
            .find(|(_, way)| *way == image)
            .map(|(letter, _)| letter)
    }

    /// A move. What is neither cell nor direction stays.
    pub(crate) fn text(&self, text: &str) -> String {
        let mut image = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let digits = rest[1..].chars().take_while(char::is_ascii_digit).count();
            let (cell, after) = rest.split_at(1 + digits);
            match self.cells.get(cell) {
                Some(cell) => image.push_str(cell),
                // In Siam only, and there only as the last letter.
                None if after.is_empty() && digits == 0 => {
                    image.push(self.facing(first).unwrap_or(first));
                }
                None => image.push_str(cell),
            }
            rest = after;
        }
        image
    }

    /// Options, of which only given boards change.
    pub(crate) fn options(&self, options: &Value) -> Value {
        let mut options = options.clone();
        for (name, value) in options.as_object_mut().expect("an object") {
            if ROWS.contains(&&**name) {
                *value = self.rows(value);
            }
        }
        options
    }

    /// The mirror image of a state, field by field.
    pub(crate) fn state(&self, state: &Value) -> Value {
        let fields = state.as_object().expect("an object").iter();
        let field = |(name, value): (&String, &Value)| {
            let value = match &**name {
                name if ROWS.contains(&name) => self.rows(value),
                name if BY_SEAT.contains(&name) => self
                    .seats(self.value(value).as_array().expect("a list"))
                    .into(),
                "acted" | "phase" => value.clone(),
                "to_move" => match value.as_u64() {
                    Some(seat) => ((seat as usize + self.turn) % self.seats).into(),
                    None => Value::Null,
                },
                _ => self.value(value),
            };
            (self.name(name), value)
        };
        Value::Object(fields.map(field).collect())
    }

    /// The name of a field.
    fn name(&self, name: &str) -> String {
        let swapped = PAIRS.into_iter().find_map(|(a, b)| match name {
            _ if self.turn == 0 => None,
            _ if name == a => Some(b),
            _ if name == b => Some(a),
            _ => None,
        });
        swapped.unwrap_or(name).to_owned()
    }

    /// Cells and directions, wherever they are.
    fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.text(text).into(),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(map) => {
                let fields = map.iter();
                let fields = fields.map(|(key, item)| (self.key(key), self.value(item)));
                Value::Object(fields.collect::<Map<_, _>>())
            }
            other => other.clone(),
        }
    }

    /// A key of an inner object: a cell, or a word.
    fn key(&self, key: &str) -> String {
        self.cells.get(key).map_or(key, String::as_str).to_owned()
    }

    fn rows(&self, rows: &Value) -> Value {
        let mut images: HashMap<&str, char> = HashMap::new();
        for (names, row) in self.rows.iter().zip(rows.as_array().expect("a list")) {
            for (name, character) in names.iter().zip(row.as_str().expect("a row").chars()) {
                images.insert(&self.cells[name], character);
            }
        }
        let rows = self.rows.iter();
        rows.map(|names| names.iter().map(|name| images[&**name]).collect::<String>())
            .collect()
    }
}
