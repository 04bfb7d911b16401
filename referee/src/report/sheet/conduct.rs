//! How bots behaved: faults, the use of time, and whether losses on time are to be believed.

use super::ranking::count;
use super::{Grid, Part, clean, heading};
use crate::rating::{FAULT_CODES, Noise, OVERSHOOT_MS, Report, Suspicion};

/// Faults, time, losses on time, duplicates.
pub(super) fn all(report: &Report) -> Vec<Part> {
    let mut parts = vec![heading("Faults by code, and resigning"), faults(report)];
    parts.push(heading("Use of time, a move"));
    parts.push(Part::Table(time(report)));
    parts.push(heading("How far to trust it"));
    parts.extend(noise(&report.noise).into_iter().map(Part::Note));
    parts.push(Part::Note(duplicates(report)));
    parts
}

fn faults(report: &Report) -> Part {
    let codes = FAULT_CODES.iter().map(|code| code.as_str());
    let mut grid = Grid::new(["bot"].into_iter().chain(codes), 0);
    for &bot in &report.ranking {
        let bot = &report.bots[bot];
        if bot.faults.iter().any(|count| *count > 0) {
            let mut row = vec![clean(&bot.name)];
            row.extend(bot.faults.iter().map(u64::to_string));
            grid.rows.push(row);
        }
    }
    match grid.rows.is_empty() {
        true => Part::Note("None.".to_owned()),
        false => Part::Table(grid),
    }
}

fn time(report: &Report) -> Grid {
    let header = [
        "bot", "plies", "ms", "CPU ms", "of limit", "at worst", "depth", "nodes",
    ];
    let mut grid = Grid::new(header, 0);
    let figure = |value: Option<f64>, digits: usize| match value {
        Some(value) => format!("{value:.digits$}"),
        None => "·".to_owned(),
    };
    let share = |value: Option<f64>| match value {
        Some(value) => format!("{:.1} %", 100.0 * value),
        None => "·".to_owned(),
    };
    for &bot in &report.ranking {
        let bot = &report.bots[bot];
        let time = &bot.time;
        let worst = (time.limited > 0).then_some(time.worst_share);
        grid.rows.push(vec![
            clean(&bot.name),
            time.plies.to_string(),
            figure(time.mean_ms(), 2),
            figure(time.mean_cpu_ms(), 2),
            share(time.mean_share()),
            share(worst),
            figure(time.depth.mean(), 1),
            figure(time.nodes.mean(), 0),
        ]);
    }
    grid
}

fn noise(noise: &Noise) -> Vec<String> {
    let mut notes = Vec::new();
    let late: u64 = noise.overshoot.iter().sum();
    if late > 0 {
        let classes = noise.overshoot.iter().enumerate();
        let classes = classes.filter(|(_, count)| **count > 0);
        let classes: Vec<String> = classes.map(|(i, n)| format!("{n} {}", class(i))).collect();
        notes.push(format!(
            "{} beyond the limit, within the margin or not: {}.",
            count(late, "answer came", "answers came"),
            classes.join(", ")
        ));
    }
    notes.push(match (noise.timeouts, noise.suspect()) {
        (0, _) => "No match was lost on time.".to_owned(),
        (lost, false) => format!(
            "{} lost on time; nothing says that the machine is to blame.",
            count(lost, "match was", "matches were")
        ),
        (lost, true) => format!(
            "{} lost on time. That is suspect: {}.",
            count(lost, "match was", "matches were"),
            noise
                .suspicions
                .iter()
                .map(suspicion)
                .collect::<Vec<_>>()
                .join("; ")
        ),
    });
    notes
}

/// A class of the histogram of overshoot.
fn class(index: usize) -> String {
    match OVERSHOOT_MS.get(index) {
        Some(end) => format!("by up to {end} ms"),
        None => format!("by more than {} ms", OVERSHOOT_MS[OVERSHOOT_MS.len() - 1]),
    }
}

fn suspicion(suspicion: &Suspicion) -> String {
    match suspicion {
        Suspicion::Narrow { near, of } => {
            format!("{near} of the {of} late answers that are known missed the limit narrowly")
        }
        Suspicion::Sudden {
            bot,
            timeouts,
            worst_share,
        } => format!(
            "{} lost {} on time, but none of its moves used more than {:.0} % of its limit",
            clean(bot),
            count(*timeouts, "match", "matches"),
            100.0 * worst_share
        ),
        Suspicion::Common { bots, moves } => format!(
            "{bots} bots answered {moves} times more than 5 ms beyond their limits, and what many \
             suffer is the machine"
        ),
    }
}

fn duplicates(report: &Report) -> String {
    match report.duplicates {
        0 => "No match repeats another one move by move.".to_owned(),
        found => format!(
            "{} another one move by move (same seats, same start, same moves); they count for \
             points, not for ratings.",
            count(found, "match repeats", "matches repeat")
        ),
    }
}
