//! Options under which every game should be tested: each option with several values.

use serde_json::{Value, json};

pub fn of(game: &str) -> Vec<Value> {
    match game {
        "amazons" => amazons(),
        "amazon-penguins" => amazon_penguins(),
        "elephant-run" => elephant_run(),
        "giantslayer" | "run" => vec![json!({})],
        "paper-penguins" => paper_penguins(),
        "penguins" => penguins(),
        "siam" => siam(),
        _ => panic!("no game {game}"),
    }
}

fn amazons() -> Vec<Value> {
    let mut sets: Vec<Value> = (5..=11).map(|size| json!({"size": size})).collect();
    let rectangles: [(u32, u32, &[&str], &[&str]); 6] = [
        (5, 4, &["a1", "e1"], &["a4", "e4"]),
        (3, 12, &["b1", "b3"], &["b10", "b12"]),
        (12, 3, &["a2"], &["l2"]),
        (7, 4, &["a1", "d1", "g1"], &["a4", "d4", "g4"]),
        (
            12,
            10,
            &["a4", "d1", "i1", "l4"],
            &["a7", "d10", "i10", "l7"],
        ),
        (
            12,
            12,
            &["a4", "d1", "i1", "l4"],
            &["a9", "d12", "i12", "l9"],
        ),
    ];
    sets.extend(rectangles.map(|(columns, rows, light, dark)| {
        json!({"columns": columns, "rows": rows, "light": light, "dark": dark})
    }));
    sets
}

fn amazon_penguins() -> Vec<Value> {
    let boards = [("square", square_fish()), ("hex", hex_fish())];
    let mut sets = Vec::new();
    for (board, layouts) in boards {
        for setup in ["random", "laid"] {
            sets.push(json!({"board": board, "setup": setup}));
        }
        for fish in layouts {
            sets.push(json!({"board": board, "setup": "given", "fish": fish}));
        }
    }
    sets
}

fn elephant_run() -> Vec<Value> {
    let targets = [10, 8, 12, 1, 30];
    let rows = (4..=8).zip(targets);
    rows.flat_map(|(farmers, target)| {
        [false, true]
            .map(|jumps| json!({"farmers": farmers, "target": target, "ranged_jumps": jumps}))
    })
    .collect()
}

fn paper_penguins() -> Vec<Value> {
    let mut sets: Vec<Value> = (4..=11).map(|size| json!({"size": size})).collect();
    let four = ["1231", "3211", "1112", "2213"];
    sets.push(json!({"size": 4, "points": four}));
    sets.push(json!({"size": 5, "points": ["33333", "11111", "22222", "13131", "12321"]}));
    sets.push(json!({"size": 8, "points": vec!["12312312"; 8]}));
    sets
}

fn penguins() -> Vec<Value> {
    let mut sets = Vec::new();
    for players in 2..=4 {
        for placement in ["one-fish", "any"] {
            let options = json!({"players": players, "placement": placement});
            for setup in ["random", "laid"] {
                let mut options = options.clone();
                options["setup"] = json!(setup);
                sets.push(options);
            }
            for fish in hex_fish() {
                let mut options = options.clone();
                options["setup"] = json!("given");
                options["fish"] = fish;
                sets.push(options);
            }
        }
    }
    sets
}

fn siam() -> Vec<Value> {
    let exits = [json!(null), json!(1), json!(2), json!(5)];
    let sets = exits
        .into_iter()
        .flat_map(|max| [false, true].map(|ban| json!({"opening_ban": ban, "max_exits": max})));
    sets.collect()
}

/// Layouts of the square board: many chips; few of them in islands; just enough to place all.
fn square_fish() -> [Value; 3] {
    let islands = [
        "11100000", "12100031", "11100013", "00000000", "00033300", "20032300", "02033301",
        "00000011",
    ];
    let least = [
        "00000000", "00000000", "00111000", "00101000", "00111000", "00000000", "00000000",
        "00000000",
    ];
    [json!(vec!["10203123"; 8]), json!(islands), json!(least)]
}

/// Layouts of the 60-cell board: many tiles; few, in islands, hardly any of one fish; a row
/// without any of one fish.
fn hex_fish() -> [Value; 3] {
    let many = [
        "10210321", "1110223", "01123211", "2101321", "11302211", "1110011", "22113321", "3210123",
    ];
    let islands = [
        "22000033", "2200003", "00000000", "0022100", "00322200", "0032200", "20000001", "2200032",
    ];
    let row = [
        "00000000", "0000000", "00000000", "2222222", "33333333", "0000000", "00000000", "0000000",
    ];
    [json!(many), json!(islands), json!(row)]
}
