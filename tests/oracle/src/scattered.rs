//! Valid states that no game may lead to: pieces on any allowed cells. They produce crowded lines,
//! skips and ends that random play hardly reaches.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::board::{self, Board, Cell};
use crate::random::Random;
use crate::{giantslayer, ice, run, start};

/// A state of a game in which pieces move already. It need not be settled.
pub fn state(game: &str, options: &Value, random: &mut Random) -> Value {
    let mut state = match game {
        "amazons" => amazons(options, random),
        "amazon-penguins" => fish("amazon-penguins", options, 4, random),
        "elephant-run" => elephant_run(options, random),
        "giantslayer" => giantslayer(random),
        "paper-penguins" => paper_penguins(options, random),
        "penguins" => {
            let players = board::int_option(options, "players", 2, 4, 2);
            fish("penguins", options, [4, 3, 2][players as usize - 2], random)
        }
        "run" => run(random),
        "siam" => siam(options, random),
        _ => panic!("no game {game}"),
    };
    let seats = state["scores"].as_array().map_or(2, Vec::len);
    state["to_move"] = json!(random.below(seats));
    state["ply"] = json!(1 + random.below(90));
    state
}

/// Cells in random order, to be dealt out.
struct Deck(Vec<Cell>);

impl Deck {
    fn new(mut cells: Vec<Cell>, random: &mut Random) -> Self {
        random.shuffle(&mut cells);
        Deck(cells)
    }

    fn deal(&mut self, count: usize) -> BTreeSet<Cell> {
        self.0
            .split_off(self.0.len().saturating_sub(count))
            .into_iter()
            .collect()
    }

    fn names(&mut self, count: usize) -> Vec<String> {
        board::names(&self.deal(count))
    }
}

fn amazons(options: &Value, random: &mut Random) -> Value {
    let (columns, rows) = crate::games::amazons::sides(options);
    let mut deck = Deck::new(Board::Square(columns, rows).cells(), random);
    let sides = [0, 1].map(|_| deck.names(1 + random.below(5)));
    let arrows = random.below(deck.0.len());
    json!({"ply": 0, "to_move": 0, "amazons": sides, "arrows": deck.names(arrows), "scores": [0, 0]})
}

/// Parts of a sum, one a seat, none below its least.
fn split(sum: i64, least: &[i64], random: &mut Random) -> Vec<i64> {
    let mut parts = least.to_vec();
    for _ in 0..sum - least.iter().sum::<i64>() {
        parts[random.below(least.len())] += 1;
    }
    parts
}

fn fish(game: &str, options: &Value, penguins: usize, random: &mut Random) -> Value {
    let mut options = options.clone();
    let laid = options["setup"] == "laid";
    if laid {
        // The places of the chips do not show a random start.
        options["setup"] = json!("random");
    }
    let mut state = start(game, &options, random.0).state();
    let hex = game == "penguins" || options["board"] == "hex";
    let board = if hex { Board::Ice } else { Board::Square(8, 8) };
    let mut fish = ice::from_rows(board, &board::rows(&state["fish"]));
    let chips = fish.iter().filter(|(_, n)| **n > 0).map(|(c, _)| *c);
    let mut deck = Deck::new(chips.collect(), random);
    let seats = board::ints(&state["scores"]).len();
    let sides: Vec<Vec<String>> = (0..seats).map(|_| deck.names(penguins)).collect();
    let gone = random.below(deck.0.len() + 1);
    let mut lost = 0;
    for cell in deck.deal(gone) {
        lost += fish.insert(cell, 0).unwrap_or(0);
    }
    state["phase"] = json!("move");
    state["fish"] = json!(ice::to_rows(board, &fish));
    state["penguins"] = json!(sides);
    state["scores"] = json!(split(lost, &vec![0; seats], random));
    state
}

fn paper_penguins(options: &Value, random: &mut Random) -> Value {
    let n = board::int_option(options, "size", 4, 11, 8) as i32;
    let board = Board::Square(n, n);
    let mut state = start("paper-penguins", options, random.0).state();
    let mut points = ice::from_rows(board, &board::rows(&state["points"]));
    let mut deck = Deck::new(board.cells(), random);
    let mut take = |cells: &BTreeSet<Cell>| -> i64 {
        cells
            .iter()
            .filter_map(|&cell| points.insert(cell, 0))
            .sum()
    };
    let pieces = if n <= 5 { 2 } else { 4 };
    let sides = [deck.deal(pieces), deck.deal(pieces)];
    let least = [take(&sides[0]), take(&sides[1])];
    let crossed = random.below(deck.0.len() + 1);
    let sum = least[0] + least[1] + take(&deck.deal(crossed));
    state["phase"] = json!("move");
    state["points"] = json!(ice::to_rows(board, &points));
    state["pieces"] = json!([board::names(&sides[0]), board::names(&sides[1])]);
    state["scores"] = json!(split(sum, &least, random));
    state
}

fn elephant_run(options: &Value, random: &mut Random) -> Value {
    let most = board::int_option(options, "farmers", 4, 8, 6) as usize;
    let board = Board::Square(6, 4);
    let mut deck = Deck::new(board.cells(), random);
    let holes = random.below(25);
    let eaten = deck.deal(holes);
    // The elephant stands on a tile or in a hole.
    let anywhere: Vec<Cell> = eaten.iter().chain(&deck.0).copied().collect();
    let elephant = *random.pick(&anywhere);
    deck.0.retain(|&cell| cell != elephant);
    let farmers = deck.names(random.below(most + 1));
    let points = eaten.len() + most - farmers.len();
    let sign = |cell| if eaten.contains(&cell) { '.' } else { '#' };
    let row = |row| (1..=6).map(|column| sign((column, row))).collect();
    let tiles: Vec<String> = (1..=4).rev().map(row).collect();
    json!({"ply": 0, "to_move": 0, "phase": "move", "tiles": tiles,
        "elephant": board::name(elephant), "farmers": farmers, "scores": [points, 0]})
}

fn giantslayer(random: &mut Random) -> Value {
    let mut deck = Deck::new(giantslayer::open_cells(), random);
    let giants = deck.names(1 + random.below(6));
    let halogai = deck.names(random.below(25));
    let captured = 6 - giants.len();
    json!({"ply": 0, "to_move": 0, "halogai": halogai, "giants": giants, "scores": [captured, 0]})
}

fn run(random: &mut Random) -> Value {
    let mut deck = Deck::new((1..=7).flat_map(run::row).collect(), random);
    let mut scores = Vec::new();
    let sides = [0, 1].map(|_| {
        let (cows, cowboys) = (deck.names(random.below(8)), deck.names(random.below(6)));
        let [more, others] = [8 - cows.len(), 6 - cowboys.len()].map(|n| random.below(n));
        scores.push(random.below(8 - cows.len() - more));
        json!({"cows": cows, "cowboys": cowboys, "reserve": {"cows": more, "cowboys": others}})
    });
    let acted = random.pick(&[None, Some("cow"), Some("cowboy")]);
    let [black, white] = sides;
    json!({"ply": 0, "to_move": 0, "acted": acted, "black": black, "white": white, "scores": scores})
}

fn siam(options: &Value, random: &mut Random) -> Value {
    let mut deck = Deck::new(Board::Square(5, 5).cells(), random);
    let sides = [0, 1].map(|_| {
        let cells = deck.names(random.below(6));
        let way = |name| (name, json!(random.pick(&["n", "e", "s", "w"])));
        Value::Object(cells.into_iter().map(way).collect::<Map<_, _>>())
    });
    let rocks = deck.names(1 + random.below(3));
    let most = options["max_exits"].as_u64().unwrap_or(9) as usize;
    let exits = [0, 1].map(|_| random.below(most + 1));
    let [elephants, rhinos] = sides;
    json!({"ply": 0, "to_move": 0, "elephants": elephants, "rhinos": rhinos, "rocks": rocks,
        "exits": exits, "scores": [0, 0]})
}
