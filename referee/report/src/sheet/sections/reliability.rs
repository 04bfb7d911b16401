//! Reliability: faults, use of time, and whether losses on time are credible.

use crate::sheet::figures::count;
use crate::sheet::parts::{Grid, Part, heading, quoted};
use crate::sheet::statistics::Sheet;
use log::{BotWarning, SameAnswers};
use protocol::shown as clean;
use ratings::report::{Noise, OVERSHOOT_MS, SHARES, Suspicion};
use ratings::store::{BUSY_WAITING, MachineLoad, Share};
use ratings::{FAULT_CODES, Report};

pub(super) fn all(sheet: &Sheet) -> Vec<Part> {
    let report = &sheet.report;
    let mut parts = vec![heading("Faults by code, and resigning"), faults(report)];
    parts.push(heading("Use of time, a move"));
    parts.push(Part::Table(time(report)));
    parts.extend(estimated(report));
    if report.bots.iter().any(|bot| bot.time.limited > 0) {
        parts.push(heading("Moves by the share of their limit that they used"));
        parts.push(Part::Table(shares(report)));
    }
    parts.push(heading("How far to trust it"));
    parts.extend(noise(&report.noise).into_iter().map(Part::Note));
    parts.push(Part::Note(duplicates(report)));
    parts.extend(sheet.same_answers.iter().map(same_answers));
    parts
}

/// A warning about two bots that are probably the same.
pub fn same_answers(pair: &SameAnswers) -> Part {
    let [one, other] = pair.bots.each_ref().map(|bot| quoted(bot));
    Part::Note(format!(
        "{one} and {other} always answered alike: in {} different positions both had a choice, and \
         chose the same move. Their files differ, but they are probably the same bot.",
        pair.positions
    ))
}

pub fn bot_warning(warning: &BotWarning) -> Part {
    Part::Note(format!(
        "Warning: {} says of {}, first in {}: {}. So its results say little about it.",
        quoted(&warning.bot),
        count(warning.moves, "move", "moves"),
        quoted(&warning.first),
        clean(warning.text.trim_end_matches('.')),
    ))
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
    if grid.rows.is_empty() {
        Part::Note("None.".to_owned())
    } else {
        Part::Table(grid)
    }
}

fn time(report: &Report) -> Grid {
    let header = [
        "bot", "moves", "ms", "CPU ms", "of limit", "at worst", "depth", "nodes",
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

/// Bots whose CPU time was estimated instead of measured. The referee's own bots, such as the random
/// player, are listed apart, as the doubt does not concern them.
fn estimated(report: &Report) -> Option<Part> {
    let bots = || report.ranking.iter().map(|&bot| &report.bots[bot]);
    let others: Vec<String> = bots()
        .filter(|bot| bot.cpu_estimated > bot.cpu_estimated_of_own)
        .map(|bot| {
            let (name, matches) = (
                quoted(&bot.name),
                bot.cpu_estimated - bot.cpu_estimated_of_own,
            );
            if matches < bot.results.matches {
                format!("{name} (in {})", count(matches, "match", "matches"))
            } else {
                name
            }
        })
        .collect();
    let own = bots().filter(|bot| bot.cpu_estimated_of_own > 0);
    let own: Vec<String> = own.map(|bot| quoted(&bot.name)).collect();
    let of_others = (!others.is_empty()).then(|| {
        format!(
            "The CPU time of {} was limited, but only estimated: a bot can hide some of it from the \
             referee. Control groups count all of it, in a sandbox (`referee doctor`).",
            others.join(", ")
        )
    });
    let too = if of_others.is_some() {
        "estimated, too"
    } else {
        "only estimated"
    };
    let of_own = (!own.is_empty()).then(|| {
        format!(
            "The CPU time of {} was {too}, but the referee's own bots hide nothing.",
            own.join(", ")
        )
    });
    let texts: Vec<String> = of_others.into_iter().chain(of_own).collect();
    (!texts.is_empty()).then(|| Part::Note(texts.join(" ")))
}

/// A histogram for each bot. Moves beyond the limit were within the margin, or lost.
fn shares(report: &Report) -> Grid {
    let classes = SHARES.map(|end| format!("to {:.0} %", 100.0 * end));
    let mut grid = Grid::new(["bot"], 0);
    grid.header.extend(classes);
    grid.header.extend(["forgiven", "lost"].map(str::to_owned));
    for &bot in &report.ranking {
        let bot = &report.bots[bot];
        let mut row = vec![clean(&bot.name)];
        row.extend(bot.time.shares.iter().map(u64::to_string));
        row.push(bot.time.timeouts.to_string());
        grid.rows.push(row);
    }
    grid
}

/// The load of the machine.
pub fn load(machine: &MachineLoad) -> String {
    let share = |share: &Share| {
        let percent = |value: f64| format!("{:.1} %", 100.0 * value);
        let mean = share.mean().map(percent);
        mean.map(|mean| (mean, percent(share.worst)))
    };
    let mut parts = Vec::new();
    if let Some((mean, worst)) = share(&machine.waiting) {
        parts.push(format!(
            "processes waited for a core in {mean} of the time ({worst} in the worst match)"
        ));
    }
    if let Some((mean, worst)) = share(&machine.stolen) {
        parts.push(format!(
            "its host gave {mean} of the cores' time to others ({worst} in the worst match)"
        ));
    }
    if parts.is_empty() {
        "How busy the machine was is not in the log.".to_owned()
    } else {
        format!(
            "How busy the machine was while matches ran: {}.",
            parts.join("; ")
        )
    }
}

/// Matches lost on time, and whether an answer came late or never.
fn lost(noise: &Noise) -> String {
    let lost = count(noise.timeouts, "match was", "matches were");
    match noise.answered_late {
        0 => format!("{lost} lost on time"),
        late => format!(
            "{lost} lost on time ({late} by an answer that came too late, {} of them narrowly; the \
             others by none when the time was up)",
            noise.near
        ),
    }
}

fn noise(noise: &Noise) -> Vec<String> {
    let mut notes = vec![load(&noise.machine)];
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
        (_, false) => format!(
            "{}; nothing says that the machine is to blame.",
            lost(noise)
        ),
        (_, true) => format!(
            "{}. That is suspect: {}.",
            lost(noise),
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

/// The label of a class in the histogram of overshoot.
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
            quoted(bot),
            count(*timeouts, "match", "matches"),
            100.0 * worst_share
        ),
        Suspicion::Busy { timeouts } => format!(
            "{} while processes waited for a core in more than {:.0} % of the time, or the host \
             gave the cores to others, and the bot had not got the CPU time that it had to think",
            count(*timeouts, "match was lost", "matches were lost"),
            100.0 * BUSY_WAITING
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
            "{} another one move by move (same seats, same start, same moves); they count like all \
             others, but make intervals wider.",
            count(found, "match repeats", "matches repeat")
        ),
    }
}
