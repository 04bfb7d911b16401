//! A second opinion for cyclic results, which no ranking on a line can express.

use crate::sheet::parts::{Grid, Part, heading};
use protocol::shown as clean;
use ratings::Report;

/// The weight of each bot in an equilibrium of the metagame.
pub(super) fn second_opinion(report: &Report) -> Vec<Part> {
    let rated = report.ranking.iter();
    let mut bots: Vec<_> = rated
        .filter_map(|&bot| Some((bot, report.nash[bot]?)))
        .collect();
    // A cycle needs three.
    if bots.len() < 3 {
        return Vec::new();
    }
    bots.sort_by(|(_, one), (_, other)| {
        let key = |value: f64| (1000.0 * value).round();
        let scores = key(other.score).total_cmp(&key(one.score));
        scores.then(other.share.total_cmp(&one.share))
    });
    let mut grid = Grid::new(["bot", "share of the mix", "score against it"], 0);
    for (bot, nash) in bots {
        grid.rows.push(vec![
            clean(&report.bots[bot].name),
            format!("{:.0} %", 100.0 * nash.share),
            format!("{:.1} %", 100.0 * nash.score),
        ]);
    }
    vec![
        heading("A second opinion: Nash averaging"),
        Part::Note(
            "Where bots beat each other in a circle, no rating can say so. The mix is how often one \
             would choose each bot so that no other one gains from it (a Nash equilibrium); bots in \
             it score 50 % against it, and the others are ranked by what they score."
                .to_owned(),
        ),
        Part::Table(grid),
    ]
}
