//! Boards as SVG, for notebooks: the drawing of the browser's pages, in its light colours.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use games::View;
use games::kit::view::{Cell, Ground, Piece, Shape};

/// The width of a cell in the drawing; a row of hexagons is lower.
const WIDTH: f64 = 100.0;
const HEX_ROW: f64 = 86.6;
const HEX_RADIUS: f64 = 57.735;
/// The room for the names of rows and columns.
const EDGE: f64 = 34.0;
const STYLE: &str = "\
.cell{fill:#e8dfcd;stroke:#cfc3aa}.odd{fill:#e1d6c0}.marked{fill:#d6dccb}\
.gone{fill:#f0ede6;stroke:#d9d3c5;stroke-dasharray:5 6}\
text{font-family:system-ui,sans-serif;text-anchor:middle}.name{font-size:18px;fill:#68635a}\
.inner{font-size:15px;fill:#6a5f4b;opacity:.75}.label{font-size:34px;font-weight:600;fill:#6a5f4b}\
.aside{font-size:26px}.cross{stroke:#6a5f4b;stroke-width:13;stroke-linecap:round}\
.body{stroke-width:4;stroke-linejoin:round}.nose{fill:#24221e}.glyph{font-size:37px;font-weight:700}";

/// The fill, edge and letter of a seat's pieces.
type Look = (&'static str, &'static str, &'static str);

const AMBER: Look = ("#e3a33a", "#7d5300", "#2b1d00");
const BLUE: Look = ("#3e74b8", "#1f4470", "#ffffff");
const GREEN: Look = ("#4a8f57", "#265230", "#ffffff");
const ROSE: Look = ("#bb4d5c", "#7a2733", "#ffffff");
const WHITE: Look = ("#fffdf7", "#57503f", "#33301f");
const BLACK: Look = ("#33312e", "#161513", "#f6f2e7");
const STONE: Look = ("#a39b8d", "#6e675b", "#24221e");
const LOOKS: [Look; 4] = [AMBER, BLUE, GREEN, ROSE];
const OUTLINES: [&str; 4] = ["circle", "square", "diamond", "triangle"];

/// The drawing of a board; `None` for views that have notes only.
pub(crate) fn svg(view: &View, roles: &[String]) -> Option<String> {
    if view.cells.is_empty() {
        return None;
    }
    let places: BTreeMap<&str, (f64, f64)> = view
        .cells
        .iter()
        .map(|cell| (cell.name.as_str(), place(view, cell)))
        .collect();
    let top = if view.shape == Shape::Hex {
        HEX_RADIUS
    } else {
        WIDTH / 2.0
    };
    let least = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::INFINITY, f64::min);
    let left = least(&mut places.values().map(|at| at.0)) - WIDTH / 2.0 - 4.0;
    let right = -least(&mut places.values().map(|at| -at.0)) + WIDTH / 2.0 + 4.0;
    let above = least(&mut places.values().map(|at| at.1)) - top - 4.0;
    let below = -least(&mut places.values().map(|at| -at.1)) + top + 4.0;
    let edges = edge_names(view);
    let margin = if edges.is_some() { EDGE } else { 0.0 };
    let (width, height) = (right - left + margin, below - above + margin);
    let mut out = String::new();
    // Notebooks show a drawing as large as it says; half of its units are a good size.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{:.1} {above:.1} {width:.1} {height:.1}\" \
         width=\"{:.0}\" height=\"{:.0}\"><style>{STYLE}</style>",
        left - margin,
        width / 2.0,
        height / 2.0
    );
    for cell in &view.cells {
        draw_cell(&mut out, view, cell, edges.is_some());
    }
    if let Some((rows, columns)) = edges {
        for (row, name) in rows {
            let y = -f64::from(row) * WIDTH + 6.0;
            text(&mut out, "name", (left - margin + 15.0, y), &name);
        }
        for (column, name) in columns {
            text(
                &mut out,
                "name",
                (f64::from(column) * WIDTH / 2.0, below + margin - 10.0),
                &name,
            );
        }
    }
    for cell in view.cells.iter().filter(|cell| cell.ground != Ground::Gone) {
        draw_label(&mut out, view, cell);
    }
    for piece in &view.pieces {
        if let Some(&at) = places.get(piece.cell.as_str()) {
            draw_piece(&mut out, piece, at, roles);
        }
    }
    out.push_str("</svg>");
    Some(out)
}

fn place(view: &View, cell: &Cell) -> (f64, f64) {
    let row = if view.shape == Shape::Hex {
        HEX_ROW
    } else {
        WIDTH
    };
    (f64::from(cell.x) * WIDTH / 2.0, -f64::from(cell.y) * row)
}

fn draw_cell(out: &mut String, view: &View, cell: &Cell, has_edges: bool) {
    let (x, y) = place(view, cell);
    let is_odd = view.shape == Shape::Square && (cell.x / 2 + cell.y) % 2 != 0;
    let class = match cell.ground {
        Ground::Open if is_odd => "cell odd",
        Ground::Open => "cell",
        Ground::Marked => "cell marked",
        Ground::Gone => "cell gone",
    };
    let _ = match view.shape {
        Shape::Hex => write!(
            out,
            "<polygon class=\"{class}\" points=\"{}\"/>",
            hexagon(x, y)
        ),
        Shape::Square => write!(
            out,
            "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"97\" height=\"97\" rx=\"9\"/>",
            x - 48.5,
            y - 48.5
        ),
    };
    if !has_edges && cell.ground != Ground::Gone {
        let below = if view.shape == Shape::Hex { 49.0 } else { 45.0 };
        text(out, "inner", (x, y + below), &cell.name);
    }
}

fn hexagon(x: f64, y: f64) -> String {
    let radius = HEX_RADIUS - 2.5;
    let corner = |k: u32| {
        let angle = std::f64::consts::FRAC_PI_3 * f64::from(k) - std::f64::consts::FRAC_PI_2;
        format!(
            "{:.1},{:.1}",
            x + radius * angle.cos(),
            y + radius * angle.sin()
        )
    };
    (0..6).map(corner).collect::<Vec<_>>().join(" ")
}

fn draw_label(out: &mut String, view: &View, cell: &Cell) {
    let Some(label) = &cell.label else { return };
    let (x, y) = place(view, cell);
    let is_occupied = view.pieces.iter().any(|piece| piece.cell == cell.name);
    let at = match (is_occupied, view.shape) {
        (false, _) => (x, y + 11.0),
        (true, Shape::Hex) => (x, y - 34.0),
        (true, Shape::Square) => (x - 37.0, y - 27.0),
    };
    let class = if is_occupied { "label aside" } else { "label" };
    text(out, class, at, label);
}

fn draw_piece(out: &mut String, piece: &Piece, (x, y): (f64, f64), roles: &[String]) {
    let _ = write!(out, "<g transform=\"translate({x:.1} {y:.1})\">");
    if piece.seat.is_none() && piece.kind == "arrow" {
        out.push_str("<path class=\"cross\" d=\"M-20 -20 L20 20 M20 -20 L-20 20\"/></g>");
        return;
    }
    let turn = "nesw"
        .find(piece.facing.unwrap_or(' '))
        .map(|quarter| 90 * quarter);
    if let Some(turn) = turn {
        let _ = write!(
            out,
            "<path class=\"nose\" d=\"M-19 -30 L0 -47 L19 -30 Z\" transform=\"rotate({turn})\"/>"
        );
    }
    let (fill, edge, letter) = piece.seat.map_or(STONE, |seat| look(roles, seat));
    let outline = piece.seat.map_or("stone", |seat| outline(roles, seat));
    let shape = match outline {
        "square" => "<rect x=\"-32\" y=\"-32\" width=\"64\" height=\"64\" rx=\"12\"",
        "diamond" => {
            "<rect x=\"-30\" y=\"-30\" width=\"60\" height=\"60\" rx=\"10\" transform=\"rotate(45)\""
        }
        "triangle" => "<path d=\"M0 -41 L42 32 L-42 32 Z\"",
        "stone" => "<path d=\"M-30 8 L-22 -22 L4 -33 L28 -17 L33 12 L14 30 L-18 29 Z\"",
        _ => "<circle r=\"35\"",
    };
    let _ = write!(
        out,
        "{shape} class=\"body\" fill=\"{fill}\" stroke=\"{edge}\"/>"
    );
    if piece.seat.is_some() || piece.kind != "rock" {
        let glyph = match piece.seat {
            Some(_) => piece.glyph.to_uppercase().to_string(),
            None => piece.glyph.to_string(),
        };
        let y = if outline == "triangle" { 22 } else { 13 };
        let _ = write!(
            out,
            "<text class=\"glyph\" y=\"{y}\" fill=\"{letter}\">{}</text>",
            escaped(&glyph)
        );
    }
    out.push_str("</g>");
}

/// What each role is called after, if all are and no two are alike; else what the seat's number has.
fn of_role<T: Copy + PartialEq>(
    roles: &[String],
    seat: usize,
    all: [T; 4],
    named: impl Fn(&str) -> Option<T>,
) -> T {
    let names: Vec<Option<T>> = roles
        .iter()
        .map(|role| named(&role.to_lowercase()))
        .collect();
    let distinct = names
        .iter()
        .enumerate()
        .all(|(at, name)| name.is_some() && !names[..at].contains(name));
    let own = names.get(seat).copied().flatten();
    own.filter(|_| distinct).unwrap_or(all[seat % 4])
}

fn look(roles: &[String], seat: usize) -> Look {
    of_role(roles, seat, LOOKS, |role| match role {
        "white" | "light" => Some(WHITE),
        "black" | "dark" => Some(BLACK),
        "red" | "pink" => Some(ROSE),
        "blue" => Some(BLUE),
        "green" => Some(GREEN),
        "yellow" | "amber" | "gold" | "orange" => Some(AMBER),
        _ => None,
    })
}

fn outline(roles: &[String], seat: usize) -> &'static str {
    of_role(roles, seat, OUTLINES, |role| {
        OUTLINES.into_iter().find(|outline| *outline == role)
    })
}

type Edges = (BTreeMap<i32, String>, BTreeMap<i32, String>);

/// The names of rows and of columns, if all cells of a board of squares are called by them.
fn edge_names(view: &View) -> Option<Edges> {
    if view.shape != Shape::Square {
        return None;
    }
    let (mut rows, mut columns) = (BTreeMap::new(), BTreeMap::new());
    for cell in &view.cells {
        let digits = cell
            .name
            .find(|c: char| c.is_ascii_digit())
            .filter(|at| *at > 0)?;
        let (column, row) = cell.name.split_at(digits);
        row.parse::<u32>().ok()?;
        if columns.entry(cell.x).or_insert_with(|| column.to_owned()) != column
            || rows.entry(cell.y).or_insert_with(|| row.to_owned()) != row
        {
            return None;
        }
    }
    Some((rows, columns))
}

fn text(out: &mut String, class: &str, (x, y): (f64, f64), content: &str) {
    let content = escaped(content);
    let _ = write!(
        out,
        "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{content}</text>"
    );
}

/// Texts of rules from outside may be anything.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().take(40) {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}
