//! Bot pages.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use protocol::{excerpt, shown, shown_lines};
use ratings::Report;
use ratings::report::BotReport;
use report::sheet::{
    self, COUNTS, Grid, Pair, Part, count, counts, figures, heading, pairs_of, percent, quoted,
    signed_figures,
};
use report::{points, transcript};
use tournament::playing::failures::{FAILURES_NAME, folder_name};

use crate::state::highlights::{FaultKind, Highlight, Highlights};
use crate::state::played::PlayedTournament;
use crate::words::encoded;

/// Shown lines of stderr.
const STDERR_LINES: usize = 12;
/// Longer lines of stderr are cut.
const STDERR_WIDTH: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageFormat {
    /// For a terminal.
    Text,
    /// For a README.
    Markdown,
    /// A self-contained page, with the moves of the matches.
    Html,
}

/// The page about one bot. Text fits a terminal of `width` columns.
pub fn page(
    played: &PlayedTournament,
    bot: &str,
    format: PageFormat,
    width: Option<usize>,
) -> String {
    let parts = parts(played, bot, false);
    match format {
        PageFormat::Text => sheet::text(parts, width),
        PageFormat::Markdown => sheet::markdown(parts),
        PageFormat::Html => sheet::page(bot, &sheet::html(parts)),
    }
}

/// The page about one bot, empty if there is no such bot. If `is_linked`, its matches are links instead
/// of commands and lists of moves.
pub(crate) fn parts(played: &PlayedTournament, name: &str, is_linked: bool) -> Vec<Part> {
    let report = played.report();
    let Some(index) = report.bots.iter().position(|bot| bot.name == name) else {
        return Vec::new();
    };
    let bot = &report.bots[index];
    let nothing = Highlights::default();
    let highlights = played.highlights.get(name).unwrap_or(&nothing);
    let mut parts = vec![heading(&shown(name)), Part::Note(summary(report, index))];
    let same = played.sheet.same_answers.iter();
    let same = same.filter(|pair| pair.bots.iter().any(|bot| bot == name));
    parts.extend(same.map(sheet::same_answers));
    let warnings = played.sheet.bot_warnings.iter();
    let own = warnings.filter(|warning| warning.bot == name);
    parts.extend(own.map(sheet::bot_warning));
    parts.push(heading("By game and seat"));
    parts.push(Part::Table(by_seat(report, index)));
    let opponents = opponents(report, index);
    if !opponents.rows.is_empty() {
        parts.push(heading("Against each other bot"));
        parts.push(Part::Note(
            "`difference` is how much higher its rating is, in Elo.".to_owned(),
        ));
        parts.push(Part::Table(opponents));
    }
    parts.push(heading("Faults"));
    parts.extend(faults(played, bot, highlights));
    parts.push(heading("Best matches"));
    parts.extend(matches(played, &highlights.best, "more", is_linked));
    parts.push(heading("Worst matches"));
    parts.extend(matches(played, &highlights.worst, "less", is_linked));
    parts.push(heading("Use of time"));
    parts.extend(time(bot));
    if let Some(used) = played.sheet.models.iter().find(|used| used.bot == name) {
        parts.push(heading("Models"));
        parts.push(Part::Table(sheet::model_table(&[used])));
    }
    parts
}

/// Place, rating and results in one sentence.
fn summary(report: &Report, index: usize) -> String {
    let place = report.ranking.iter().position(|bot| *bot == index);
    let results = &report.bots[index].results;
    let mut text = format!("Place {} of {}", place.unwrap_or(0) + 1, report.bots.len());
    if let Some(rating) = &report.ratings.bots[index] {
        text += &format!(", with a rating of {} Elo (95 %)", figures(rating));
    }
    text += &format!(
        ": {} points in {} ({}), {} won, {} drawn, {} lost",
        points(results.points),
        count(results.matches, "match", "matches"),
        percent(results),
        results.wins,
        results.draws,
        results.losses,
    );
    match results.faults {
        0 => text + ".",
        faults => text + &format!(", {faults} by a fault of its own."),
    }
}

fn by_seat(report: &Report, index: usize) -> Grid {
    let mut grid = Grid::new(["game", "seat"].into_iter().chain(COUNTS), 0);
    grid.keys = 2;
    for game in &report.games {
        for (role, results) in game.roles.iter().zip(&game.bots[index]) {
            if results.matches > 0 {
                let mut row = vec![shown(&game.label), shown(role)];
                row.extend(counts(results));
                grid.rows.push(row);
            }
        }
    }
    grid
}

fn opponents(report: &Report, index: usize) -> Grid {
    let mut grid = Grid::new(["bot", "difference", "points", "matches", "score"], 0);
    let mut add = |opponent: usize, difference: String, scored: f64, matches: u64| {
        grid.rows.push(vec![
            shown(&report.bots[opponent].name),
            difference,
            points(scored),
            matches.to_string(),
            format!("{:.1} %", 100.0 * scored / matches as f64),
        ]);
    };
    for pair in pairs_of(report, index) {
        let [one, other] = pair.difference.bots;
        let Pair {
            difference,
            matches,
            points: scored,
            ..
        } = pair;
        let (opponent, elo, scored) = if one == index {
            (other, difference.elo, scored)
        } else {
            (one, difference.reversed().elo, matches as f64 - scored)
        };
        if matches > 0 {
            add(opponent, signed_figures(&elo), scored, matches);
        }
    }
    if !report.ratings.are_compared() {
        let own = report
            .meetings
            .iter()
            .filter(|met| met.bots.contains(&index));
        let mut met: BTreeMap<usize, (f64, u64)> = BTreeMap::new();
        for meeting in own {
            let [one, other] = meeting.bots;
            let (opponent, scored) = match one == index {
                true => (other, meeting.points),
                false => (one, meeting.reversed().points),
            };
            let (points, matches) = met.entry(opponent).or_default();
            *points += scored;
            *matches += meeting.matches;
        }
        for (opponent, (scored, matches)) in met {
            add(opponent, "·".to_owned(), scored, matches);
        }
    }
    grid
}

fn faults(played: &PlayedTournament, bot: &BotReport, highlights: &Highlights) -> Vec<Part> {
    if highlights.faults.is_empty() {
        return vec![Part::Note("None.".to_owned())];
    }
    let mut parts = Vec::new();
    for kind in &highlights.faults {
        let FaultKind {
            fault,
            match_id,
            count: times,
        } = kind;
        let code = fault.code;
        parts.push(Part::Note(format!(
            "`{code}` in {}, last in {} after {}: {}. What to do: {}.",
            count(*times, "match", "matches"),
            quoted(match_id),
            count(fault.ply.into(), "move", "moves"),
            code.meaning(),
            fault.advice().unwrap_or("nothing"),
        )));
        parts.push(Part::Code(shown(&fault.message)));
        let folder = played.folder.join(FAILURES_NAME);
        let folder = folder.join(folder_name(match_id, fault.seat, &bot.name));
        if let Some(stderr) = last_lines(&folder.join("stderr.txt")) {
            parts.push(Part::Note("The end of its stderr:".to_owned()));
            parts.push(Part::Code(stderr));
        }
    }
    if highlights.other_faults > 0 {
        parts.push(Part::Note(format!(
            "{} of other kinds are in the log.",
            count(highlights.other_faults, "fault", "faults")
        )));
    }
    parts
}

/// The end of a file, escaped; `None` if it is empty.
fn last_lines(path: &Path) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let last = &lines[lines.len().saturating_sub(STDERR_LINES)..];
    let line = |line: &&str| excerpt(line.replace('\t', "    ").as_bytes(), STDERR_WIDTH);
    let last: Vec<String> = last.iter().map(line).collect();
    (!last.is_empty()).then(|| last.join("\n"))
}

/// Matches as a table, with the commands that replay them, and as moves.
fn matches(
    played: &PlayedTournament,
    list: &[Highlight],
    than_expected: &str,
    is_linked: bool,
) -> Vec<Part> {
    if list.is_empty() {
        return vec![Part::Note(format!(
            "There is no match without faults in which it scored {than_expected} than its rating \
             made expected."
        ))];
    }
    let header = [
        "match", "game", "seat", "against", "score", "expected", "moves",
    ];
    let mut grid = Grid::new(header, 0);
    let mut commands = Vec::new();
    let mut moves = Vec::new();
    for highlight in list {
        let Highlight {
            record,
            seat,
            surplus,
        } = highlight;
        let others = record.players.iter().enumerate();
        let others = others.filter(|(other, _)| other != seat);
        let others: Vec<String> = others.map(|(_, player)| shown(&player.name)).collect();
        let score = record.result.outcome[*seat];
        grid.rows.push(vec![
            shown(&record.match_id),
            shown(&record.game),
            shown(&record.players[*seat].role),
            others.join(", "),
            points(score),
            format!("{:.2}", score - surplus),
            record.moves.len().to_string(),
        ]);
        grid.links
            .push(format!("#/match/{}/decisive", encoded(&record.match_id)));
        let folder = played.folder.to_string_lossy();
        let words = [
            "referee",
            "replay",
            &folder,
            "--match",
            &record.match_id,
            "--all",
        ];
        commands.push(shown(&shell_words::join(words)));
        moves.push(Part::Fold {
            title: format!("The moves of {}", shown(&record.match_id)),
            text: shown_lines(&transcript::text(record)),
        });
    }
    if is_linked {
        let note = format!(
            "In these matches it scored {than_expected} than its rating made expected; those in which \
             a bot had a fault are left out. A match opens at the move that decided it, where that is \
             known."
        );
        grid.keys = 4;
        return vec![Part::Note(note), Part::Table(grid)];
    }
    grid.links.clear();
    let mut parts = vec![
        Part::Note(format!(
            "In these matches it scored {than_expected} than its rating made expected; those in which \
             a bot had a fault are left out. To see the boards:"
        )),
        Part::Code(commands.join("\n")),
        Part::Table(grid),
    ];
    parts.extend(moves);
    parts
}

fn time(bot: &BotReport) -> Vec<Part> {
    let time = &bot.time;
    let figure = |value: Option<f64>, unit: &str| {
        value.map_or_else(|| "·".to_owned(), |value| format!("{value:.1}{unit}"))
    };
    let percent = |share: Option<f64>| figure(share.map(|share| 100.0 * share), " %");
    let header = [
        "moves", "ms", "CPU ms", "of limit", "at worst", "depth", "nodes",
    ];
    let mut grid = Grid::new(header, 0);
    grid.rows.push(vec![
        time.plies.to_string(),
        figure(time.mean_ms(), ""),
        figure(time.mean_cpu_ms(), ""),
        percent(time.mean_share()),
        percent((time.limited > 0).then_some(time.worst_share)),
        figure(time.depth.mean(), ""),
        figure(time.nodes.mean(), ""),
    ]);
    let mut text = format!(
        "Means per move. {} beyond the limit but within the margin; {} lost on time.",
        count(time.forgiven, "move was", "moves were"),
        count(time.timeouts, "match was", "matches were"),
    );
    if bot.cpu_estimated > 0 {
        text += " Its CPU time was only estimated";
        text += match bot.cpu_estimated > bot.cpu_estimated_of_own {
            true => ": a bot can hide some of it from the referee.",
            false => ", but the referee's own bots hide nothing.",
        };
    }
    vec![Part::Table(grid), Part::Note(text)]
}
