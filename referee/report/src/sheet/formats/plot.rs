//! The ratings with their intervals as SVG: a point and a whisker for each bot, the best on top.

use crate::sheet::figures::{elo, figures};
use protocol::{excerpt, shown as clean};
use std::fmt::Write as _;

use super::markup::escape;
use ratings::Report;
use ratings::report::Estimate;

const WIDTH: f64 = 760.0;
/// Height of a bot's row.
const ROW: f64 = 28.0;
const TOP: f64 = 14.0;
/// Height of the axis with its figures and title, below the rows.
const AXIS: f64 = 50.0;
/// Approximate width of a letter.
const LETTER: f64 = 7.2;
/// Longer names are cut.
const LONGEST: usize = 28;
/// Width of the figures at the right.
const FIGURES: f64 = 110.0;

const STYLE: &str = "\
.elo { font: 13px system-ui, sans-serif; fill: #1b1f24 } .elo .soft { fill: #5b6470 } \
.elo .back { fill: #fff } .elo .grid { stroke: #dfe3e8 } \
.elo .whisker { stroke: #2f6fbf; stroke-width: 2 } .elo .point { fill: #2f6fbf } \
@media (prefers-color-scheme: dark) { .elo { fill: #e4e8ed } .elo .soft { fill: #9aa4b1 } \
.elo .back { fill: #14171b } .elo .grid { stroke: #333942 } \
.elo .whisker { stroke: #7db0f0 } .elo .point { fill: #7db0f0 } }";

pub fn plot(report: &Report) -> String {
    let rated = |bot: &usize| Some((clean(&report.bots[*bot].name), report.ratings.bots[*bot]?));
    let mut bots: Vec<(String, Estimate)> = report.ranking.iter().filter_map(rated).collect();
    bots.sort_by(|(_, a), (_, b)| b.elo.total_cmp(&a.elo));
    for (name, _) in &mut bots {
        *name = excerpt(name.as_bytes(), LONGEST);
    }
    let frame = Frame::new(&bots);
    let height = TOP + ROW * bots.len() as f64 + AXIS;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"elo\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\" role=\"img\" \
         aria-label=\"Ratings in Elo with 95 % intervals\">\n<style>{STYLE}</style>\n\
         <rect class=\"back\" width=\"{WIDTH}\" height=\"{height}\"/>\n"
    );
    svg += &frame.axis(bots.len());
    for (row, (name, rating)) in bots.iter().enumerate() {
        svg += &frame.bot(row, name, rating);
    }
    svg + "</svg>\n"
}

/// Maps ratings to the picture.
struct Frame {
    left: f64,
    right: f64,
    /// The ends of the axis and the distance of its ticks, in Elo.
    low: f64,
    high: f64,
    step: f64,
}

impl Frame {
    fn new(bots: &[(String, Estimate)]) -> Self {
        let letters = bots.iter().map(|(name, _)| name.chars().count()).max();
        let ends = bots
            .iter()
            .flat_map(|(_, rating)| [rating.low, rating.high]);
        let ends: Vec<f64> = ends.filter(|end| end.is_finite()).collect();
        let low = ends.iter().copied().reduce(f64::min).unwrap_or(-100.0);
        let high = ends.iter().copied().reduce(f64::max).unwrap_or(100.0);
        let step = step((high - low).max(20.0));
        let low = (low / step).floor() * step;
        Frame {
            left: 28.0 + LETTER * letters.unwrap_or(0) as f64,
            right: WIDTH - FIGURES,
            low,
            high: ((high / step).ceil() * step).max(low + step),
            step,
        }
    }

    fn x(&self, elo: f64) -> f64 {
        let share = (elo - self.low) / (self.high - self.low);
        self.left + (self.right - self.left) * share.clamp(0.0, 1.0)
    }

    /// Lines with figures, from top to bottom.
    fn axis(&self, rows: usize) -> String {
        let bottom = TOP + ROW * rows as f64 + 4.0;
        let ticks = ((self.high - self.low) / self.step).round() as usize;
        let mut svg = String::new();
        for tick in 0..=ticks {
            let value = self.low + self.step * tick as f64;
            let x = self.x(value);
            let _ = writeln!(
                svg,
                "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{bottom}\"/>\
                 <text class=\"soft\" x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                bottom + 17.0,
                minus(&elo(value))
            );
        }
        let _ = writeln!(
            svg,
            "<text class=\"soft\" x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">Elo, with 95 % \
             intervals</text>",
            (self.left + self.right) / 2.0,
            bottom + 37.0
        );
        svg
    }

    fn bot(&self, row: usize, name: &str, rating: &Estimate) -> String {
        let y = TOP + ROW * (row as f64 + 0.5);
        let [low, x, high] = [rating.low, rating.elo, rating.high].map(|elo| self.x(elo));
        let text = y + 4.5;
        format!(
            "<text x=\"{:.1}\" y=\"{text}\" text-anchor=\"end\">{}</text>\
             <line class=\"whisker\" x1=\"{low:.1}\" x2=\"{high:.1}\" y1=\"{y}\" y2=\"{y}\"/>\
             <line class=\"whisker\" x1=\"{low:.1}\" x2=\"{low:.1}\" y1=\"{}\" y2=\"{}\"/>\
             <line class=\"whisker\" x1=\"{high:.1}\" x2=\"{high:.1}\" y1=\"{}\" y2=\"{}\"/>\
             <circle class=\"point\" cx=\"{x:.1}\" cy=\"{y}\" r=\"4.5\"/>\
             <text class=\"soft\" x=\"{:.1}\" y=\"{text}\" text-anchor=\"end\">{}</text>\n",
            self.left - 14.0,
            escape(name),
            y - 5.0,
            y + 5.0,
            y - 5.0,
            y + 5.0,
            WIDTH - 12.0,
            minus(&figures(rating)),
        )
    }
}

/// With a true minus sign.
fn minus(number: &str) -> String {
    number.replace('-', "−")
}

/// A round distance of ticks that divides a range into 4 to 10 parts.
fn step(range: f64) -> f64 {
    let rough = range / 8.0;
    let power = 10_f64.powf(rough.log10().floor());
    let factors = [1.0, 2.0, 5.0, 10.0];
    let fits = factors.into_iter().find(|factor| factor * power >= rough);
    fits.unwrap_or(10.0) * power
}
