//! Goals by game: what each bot reached, whatever the others did.

use crate::sheet::parts::{Grid, Part, heading};
use protocol::shown as clean;
use ratings::Report;

pub(super) fn all(report: &Report) -> Vec<Part> {
    let mut parts = vec![
        heading("By goal: the mean of the game's own scores"),
        Part::Note(
            "± is half of the 95 % interval. It is not known (·) where all matches depend on each other or all \
             goals are equal. A bot that lost by a fault or resigned has reached 0."
                .to_owned(),
        ),
    ];
    for (index, game) in report.games.iter().enumerate() {
        let mut grid = Grid::new([&*game.label, "goal", "±", "least", "most", "matches"], 0);
        let goals = report.goals.iter().flatten();
        for goals in goals.filter(|goals| goals.game == index) {
            let reach = goals.reach.map(|reach| format!("{reach:.2}"));
            grid.rows.push(vec![
                clean(&report.bots[goals.bot].name),
                format!("{:.2}", goals.mean),
                reach.unwrap_or_else(|| "·".to_owned()),
                goals.least.to_string(),
                goals.most.to_string(),
                goals.matches.to_string(),
            ]);
        }
        parts.push(Part::Table(grid));
    }
    parts
}
