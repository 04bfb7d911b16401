//! Machines: matches played on each, whether results differ between them, and whether each was quiet
//! enough.

use crate::sheet::figures::{count, of, percent};
use crate::sheet::parts::{Grid, Part, heading, quoted};
use protocol::shown as clean;
use ratings::Report;
use ratings::report::{MachineReport, Totals};
use ratings::store::MachineLoad;

/// Stands for the machine of a match if the log does not name it.
const UNKNOWN: &str = "(not in the log)";

/// All machines, and each bot on each of them.
pub(super) fn all(report: &Report) -> Vec<Part> {
    let mut parts = vec![heading("Machines"), Part::Table(machines(report))];
    parts.extend(warnings(report));
    parts.push(Part::Note(
        "`speed` is by the yardstick, in million steps a second a slot. `p` is how often chance alone \
         would make the bots' scores differ as much between a machine and all others, or more: a \
         chi-square test (χ², with `df` degrees of freedom) that compares only matches of the same \
         pairing in the same seats."
            .to_owned(),
    ));
    parts.push(heading("Each bot on each machine, and elsewhere"));
    parts.push(Part::Table(bots(report)));
    parts
}

/// A warning for every report: machines that were busy with something else.
pub(super) fn noisy(report: &Report) -> Vec<Part> {
    let several = report.machines.len() > 1;
    let noisy = report.machines.iter().filter(|machine| machine.is_noisy());
    let notes = noisy.map(|machine| {
        let note = too_noisy(&name(machine), &machine.load);
        match (&machine.name, several) {
            (Some(name), true) => format!(
                "{note} `--without machine={}` leaves its matches out.",
                clean(name)
            ),
            _ => note,
        }
    });
    notes.map(Part::Note).collect()
}

pub(crate) fn too_noisy(machine: &str, load: &MachineLoad) -> String {
    format!(
        "{machine} is too noisy for matches by the clock: during {} of {} it had other things to do. \
         `[machine]` in a configuration has such matches played again.",
        load.busy,
        count(load.matches, "match", "matches"),
    )
}

/// Quoted.
fn name(machine: &MachineReport) -> String {
    let named = |name: &String| format!("The machine {}", quoted(name));
    machine
        .name
        .as_ref()
        .map_or_else(|| "The machine".to_owned(), named)
}

fn shown(machine: &MachineReport) -> String {
    machine.name.as_deref().map_or(UNKNOWN.to_owned(), clean)
}

fn machines(report: &Report) -> Grid {
    let header = [
        "machine", "CPU", "cores", "speed", "matches", "waiting", "stolen", "χ²", "df", "p",
    ];
    let mut grid = Grid::new(header, 0);
    let text = |figure: Option<String>| figure.unwrap_or_else(|| "·".to_owned());
    let share = |share: Option<f64>| text(share.map(|share| format!("{:.1} %", 100.0 * share)));
    for machine in &report.machines {
        let test = machine.homogeneity.as_ref();
        grid.rows.push(vec![
            shown(machine),
            text(machine.cpu.as_deref().map(clean)),
            text(machine.cores.map(|cores| cores.to_string())),
            text(machine.speed.map(|speed| format!("{speed:.1}"))),
            machine.matches.to_string(),
            share(machine.load.waiting.mean()),
            share(machine.load.stolen.mean()),
            text(test.map(|test| format!("{:.1}", test.chi_square))),
            text(test.map(|test| test.freedom.to_string())),
            text(test.map(|test| chance(test.p_value))),
        ]);
    }
    grid
}

fn chance(p_value: f64) -> String {
    if p_value < 0.0001 {
        "< 0.0001".to_owned()
    } else {
        format!("{p_value:.4}")
    }
}

/// Warnings about machines whose results are not explained by chance.
fn warnings(report: &Report) -> Vec<Part> {
    let machines = report.machines.len();
    let different = report.machines.iter();
    let different = different.filter(|machine| machine.is_different(machines));
    let warning = |machine: &MachineReport| {
        let without = match &machine.name {
            Some(name) => format!("; `--without machine={}` leaves them out", clean(name)),
            None => String::new(),
        };
        Part::Note(format!(
            "{}: its results are not those of the other machines (p {}). Look at the bots below, and \
             at losses on time and faults there{without}.",
            name(machine),
            match machine.homogeneity.map(|test| chance(test.p_value)) {
                Some(p_value) if p_value.starts_with('<') => p_value,
                p_value => format!("= {}", p_value.unwrap_or_default()),
            }
        ))
    };
    different.map(warning).collect()
}

/// Each bot's score on each machine, beside its score elsewhere.
fn bots(report: &Report) -> Grid {
    let header = [
        "machine",
        "bot",
        "there",
        "score",
        "elsewhere",
        "score",
        "p",
        "faults there",
        "elsewhere",
    ];
    let mut grid = Grid::new(header, 1);
    for machine in &report.machines {
        for &bot in &report.ranking {
            let Some(there) = machine.bots.get(bot).filter(|there| there.matches > 0) else {
                continue;
            };
            let elsewhere = elsewhere(&report.bots[bot].results, there);
            grid.rows.push(vec![
                shown(machine),
                clean(&report.bots[bot].name),
                of(there),
                percent(there),
                of(&elsewhere),
                percent(&elsewhere),
                machine
                    .p_values
                    .get(bot)
                    .copied()
                    .flatten()
                    .map_or("·".to_owned(), chance),
                there.faults.to_string(),
                elsewhere.faults.to_string(),
            ]);
        }
    }
    grid
}

/// All results minus those of one machine.
pub(crate) fn elsewhere(all: &Totals, there: &Totals) -> Totals {
    Totals {
        matches: all.matches - there.matches,
        points: all.points - there.points,
        wins: all.wins - there.wins,
        draws: all.draws - there.draws,
        losses: all.losses - there.losses,
        faults: all.faults - there.faults,
        scores: all.scores - there.scores,
    }
}
