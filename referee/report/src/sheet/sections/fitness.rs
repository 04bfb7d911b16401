//! Goodness of fit: warnings, and residuals of the ratings.

use crate::sheet::figures::count;
use crate::sheet::parts::{Grid, Part, heading, quoted};
use protocol::shown as clean;
use ratings::Report;

const MOST_RESIDUALS: usize = 20;

pub(super) fn warnings(report: &Report) -> Vec<Part> {
    let fitness = &report.fitness;
    let name = |bot: usize| quoted(&report.bots[bot].name);
    let mut notes = Vec::new();
    if let Some(test) = fitness.transitivity.as_ref().filter(|test| test.broken) {
        let chance = shown(test.p_value);
        notes.push(match test.cycle {
            Some([a, b, c]) => format!(
                "Warning: results are cyclic: {} beats {}, which beats {}, which beats {} (such results \
                 have a chance of {chance} if one rating a bot explains them). No ranking can say that; \
                 see who beats whom.",
                name(a),
                name(b),
                name(c),
                name(a)
            ),
            None => format!(
                "Warning: one rating a bot does not explain who beats whom (such results have a chance \
                 of {chance} if it does); see what ratings do not explain."
            ),
        });
    }
    for drift in &fitness.drifts {
        let way = if drift.change > 0.0 { "more" } else { "less" };
        notes.push(format!(
            "Warning: {} was not the same all the time: it scored {:.1} points of 100 {way} in the later \
             half of its matches than in the earlier one, against opponents of the same strength \
             (chance {} if no bot had changed). Its rating is a mean over this.",
            name(drift.bot),
            100.0 * drift.change.abs(),
            shown(drift.p_value)
        ));
    }
    for &game in &fitness.odd_draws {
        notes.push(format!(
            "Warning: in {}, draws between unequal bots are not as frequent as the model has it. Ratings \
             of bots that are far apart may be off by more than their intervals say.",
            quoted(&report.games[game].label)
        ));
    }
    for (game, spread) in report.games.iter().zip(&report.ratings.openings) {
        if let Some(spread) = spread {
            notes.push(format!(
                "The openings of {} favour one seat or the other, by {spread:.0} Elo as a standard \
                 deviation; ratings take that into account.",
                quoted(&game.label)
            ));
        }
    }
    if !fitness.few_clusters.is_empty() {
        let names: Vec<String> = fitness.few_clusters.iter().map(|bot| name(*bot)).collect();
        let who = match names.len() {
            1..=4 => names.join(", "),
            many => count(many as u64, "bot", "bots"),
        };
        notes.push(format!(
            "Intervals of {who} rest on fewer than ten independent openings or pairs, and are rough: \
             rather too wide where one side won nearly everything."
        ));
    }
    notes.into_iter().map(Part::Note).collect()
}

/// True if one rating a bot cannot explain who beats whom.
pub(super) fn is_cyclic(report: &Report) -> bool {
    let test = report.fitness.transitivity.as_ref();
    test.is_some_and(|test| test.broken)
}

/// A probability in words.
fn shown(chance: f64) -> String {
    match chance {
        chance if chance < 0.0001 => "less than 0.01 %".to_owned(),
        chance => format!("{:.2} %", 100.0 * chance),
    }
}

/// The largest residuals first.
pub(super) fn residuals(report: &Report) -> Vec<Part> {
    let fitness = &report.fitness;
    let Some(test) = &fitness.transitivity else {
        return Vec::new();
    };
    let mut sorted: Vec<_> = fitness.residuals.iter().collect();
    sorted.sort_by(|a, b| b.errors.abs().total_cmp(&a.errors.abs()));
    let all = sorted.len();
    sorted.truncate(MOST_RESIDUALS);
    let header = ["bot", "against", "matches", "score", "expected", "errors"];
    let mut grid = Grid::new(header, 0);
    for residual in sorted {
        let [bot, other] = residual.bots.map(|bot| clean(&report.bots[bot].name));
        grid.rows.push(vec![
            bot,
            other,
            residual.matches.to_string(),
            format!("{:.1} %", 100.0 * residual.score),
            format!("{:.1} %", 100.0 * residual.expected),
            format!("{:+.1}", residual.errors),
        ]);
    }
    let mut note = format!(
        "What each two bots scored beside what their ratings make expected, with the difference in \
         standard errors. If one rating a bot explains all, the sum of their squares is about {} on \
         the average; it is {:.1} (chance of as much: {}).",
        test.freedom,
        test.statistic,
        shown(test.p_value)
    );
    if all > MOST_RESIDUALS {
        note += &format!(" The others of all {all} are in `--format json`.");
    }
    vec![
        heading("What ratings do not explain"),
        Part::Note(note),
        Part::Table(grid),
    ]
}
