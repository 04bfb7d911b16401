//! Adjudicated matches, and how often adjudication was wrong.

use ratings::Report;
use ratings::store::Adjudicated;

use crate::sheet::figures::count;
use crate::sheet::parts::{Grid, Part, heading};

/// Empty if no match was adjudicated.
pub(super) fn all(report: &Report) -> Vec<Part> {
    if report.adjudications.is_empty() {
        return Vec::new();
    }
    let header = [
        "adjudication",
        "ended",
        "played out",
        "otherwise",
        "moves after",
        "ms",
    ];
    let mut grid = Grid::new(header, 0);
    let mut notes = vec![
        "Some matches that were adjudicated went on all the same: `otherwise` are those that ended with \
         another outcome, and `moves after` is how long they went on, on average. `ms` is what counting \
         took, a match."
            .to_owned(),
    ];
    for (name, kind) in report.adjudications.kinds() {
        if *kind == Adjudicated::default() {
            continue;
        }
        grid.rows.push(row(name, kind));
        notes.extend(note(name, kind));
    }
    let mut parts = vec![heading("Adjudications"), Part::Table(grid)];
    parts.extend(notes.into_iter().map(Part::Note));
    parts
}

fn row(name: &str, kind: &Adjudicated) -> Vec<String> {
    let mean = |sum: f64, matches: u64| match matches {
        0 => "·".to_owned(),
        matches => format!("{:.1}", sum / matches as f64),
    };
    vec![
        name.to_owned(),
        kind.ended.to_string(),
        kind.played_out.to_string(),
        kind.otherwise.to_string(),
        mean(kind.plies_after as f64, kind.played_out),
        match name {
            "settled" => mean(kind.ms, kind.ended + kind.played_out),
            _ => "·".to_owned(),
        },
    ]
}

/// The frequency of wrong adjudications.
fn note(name: &str, kind: &Adjudicated) -> Option<String> {
    if kind.otherwise == 0 {
        return None;
    }
    let matches = count(kind.played_out, "match", "matches");
    let otherwise = kind.otherwise;
    Some(match name {
        "settled" => format!(
            "In {otherwise} of {matches} that had been settled and were played out, a bot misplayed: settled \
             results are those of best play, and proven."
        ),
        _ => {
            format!("{otherwise} of {matches} with `{name}` that were played out ended otherwise.")
        }
    })
}
