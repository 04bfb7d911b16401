//! Analyses of positions and matches as text: a block of lines for the terminal, graphs, JSON.

use std::fmt::Write as _;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use play::analysis::{AnalysedPosition, PlyAnalysis, Thought};
use protocol::{Record, SearchLine, shown};
use serde_json::{Value, json};

use super::block::Block;
use super::progress::{size, write};
use super::sheet::count;

/// Columns of a value's bar.
const BAR: usize = 20;
/// Smaller losses are not mentioned: bots' values are less exact than that.
const LEAST_LOSS: f64 = 0.005;
/// The shortest time between two redraws.
const LEAST_PAUSE: Duration = Duration::from_millis(100);

/// One summary line, then one line for each principal variation.
pub fn thought(bot: &str, thought: &Thought) -> Vec<String> {
    let mut lines = vec![format!("{}: {}", shown(bot), in_short(thought))];
    for (rank, line) in thought.lines.iter().enumerate() {
        lines.push(format!("{:>3}  {}", rank + 1, best_line(line)));
    }
    lines.extend(thought.text.iter().map(|text| format!("     {text}")));
    let remarks = thought.remarks.iter();
    lines.extend(remarks.map(|remark| format!("     dropped: {}", shown(remark))));
    lines
}

/// The analyses of one position by several bots, `concurrency` of which think at a time.
pub fn thoughts<'a>(
    bots: impl ExactSizeIterator<Item = &'a str>,
    known: &[Thought],
    concurrency: usize,
) -> Vec<String> {
    let mut lines = Vec::new();
    let count = bots.len();
    if count > 1 {
        let how = match concurrency {
            1 => "one after the other".to_owned(),
            most if most >= count => "all at the same time".to_owned(),
            most => format!("{most} at a time"),
        };
        lines.push(format!("{count} bots think, {how}"));
    }
    for (bot, known) in bots.zip(known) {
        lines.extend(thought(bot, known));
    }
    lines
}

/// A bot's analysis of a position as a line of JSON. `done` is left out if it is `None`.
pub fn thought_json(
    position: &AnalysedPosition<'_>,
    bot: &str,
    known: &Thought,
    match_id: Option<&str>,
    done: Option<bool>,
) -> String {
    let mut line = json!({
        "bot": bot, "game": position.of.rules.info().id, "ply": position.session.ply(),
        "seat": position.seat, "role": position.role(),
    });
    if let Some(id) = match_id {
        line["match"] = id.into();
    }
    if let Some(proven) = position.proven() {
        line["proven"] = json!({
            "outcome": proven.outcome, "scores": proven.scores, "by": proven.by,
        });
    }
    if let Some(done) = done {
        line["done"] = done.into();
    }
    if let (Some(line), Value::Object(known)) = (line.as_object_mut(), known.to_json()) {
        line.extend(known);
    }
    format!("{line}\n")
}

fn in_short(thought: &Thought) -> String {
    let mut parts = Vec::new();
    parts.extend(thought.depth.map(|depth| format!("depth {depth}")));
    parts.extend(thought.nodes.map(|nodes| count(nodes, "node", "nodes")));
    parts.push(format!("{:.1} s", thought.took.as_secs_f64()));
    if thought.lines.is_empty() {
        let is_done = thought.mv.is_some() || thought.fault.is_some();
        parts.push(if is_done { "tells no lines" } else { "thinks" }.to_owned());
    }
    let mut text = parts.join(", ");
    if let Some(fault) = &thought.fault {
        let _ = write!(text, "; {}: {}", fault.code, shown(&fault.message));
    } else if let Some(mv) = &thought.mv {
        let _ = write!(text, "; plays {}", shown(mv));
    }
    text
}

fn best_line(line: &SearchLine) -> String {
    let depth = line
        .depth
        .map_or(String::new(), |depth| format!("depth {depth}"));
    let moves: Vec<String> = line.pv.iter().map(|mv| shown(mv)).collect();
    format!("{}  {depth:<9} {}", value(line.value), moves.join(" "))
}

fn value(value: Option<f64>) -> String {
    value.map_or("    ?".to_owned(), |value| format!("{value:.3}"))
}

/// A bar that is full at 1.
fn bar(value: Option<f64>) -> String {
    let full = value.map_or(0, |value| (value * BAR as f64).round() as usize);
    let rest = if value.is_some() { "░" } else { " " };
    format!("{}{}", "█".repeat(full), rest.repeat(BAR - full.min(BAR)))
}

/// An analysed match, seen from one seat.
pub struct MatchView<'a> {
    pub record: &'a Record,
    pub bot: &'a str,
    pub plies: &'a [PlyAnalysis],
    /// The graph shows this seat's chances.
    pub seat: usize,
    /// The smallest loss that counts as a blunder.
    pub blunder: f64,
}

impl MatchView<'_> {
    fn is_blunder(&self, ply: &PlyAnalysis) -> bool {
        ply.loss.is_some_and(|loss| loss >= self.blunder)
    }

    fn role(&self, seat: usize) -> &str {
        self.record
            .players
            .get(seat)
            .map_or("?", |player| &player.role)
    }

    fn made_by(&self, ply: usize) -> String {
        let made = self.record.moves.get(ply);
        let seat = made.map(|made| made.seat);
        seat.map_or(String::new(), |seat| {
            seat.map_or("chance".to_owned(), |seat| shown(self.role(seat)))
        })
    }

    fn made(&self, ply: usize) -> String {
        let made = self.record.moves.get(ply);
        made.map_or("end".to_owned(), |made| shown(&made.mv))
    }

    /// The graph, one line a ply, then the blunders.
    pub fn text(&self) -> String {
        let role = shown(self.role(self.seat));
        let mut text = format!(
            "{}: {}, by {}\nvalues: what {role} can expect before the ply, from 0 (lost) to 1 (won); \
             losses: what the ply took from its player\n",
            shown(&self.record.match_id),
            shown(&self.record.game),
            shown(self.bot),
        );
        let wide = |texts: &mut dyn Iterator<Item = String>| texts.map(|t| t.chars().count()).max();
        let by = wide(&mut self.plies.iter().map(|ply| self.made_by(ply.ply))).unwrap_or(0);
        let made = wide(&mut self.plies.iter().map(|ply| self.made(ply.ply))).unwrap_or(0);
        for ply in self.plies {
            let here = ply.value_for(self.seat, self.record.players.len());
            let line = format!(
                "{:>5}  {}  {}  {:<by$}  {:<made$}  {}",
                ply.ply,
                value(here),
                bar(here),
                self.made_by(ply.ply),
                self.made(ply.ply),
                self.remark(ply)
            );
            text += line.trim_end();
            text.push('\n');
        }
        text + &self.blunders()
    }

    fn remark(&self, ply: &PlyAnalysis) -> String {
        let thought = match &ply.thought {
            Err(why) => return shown(why),
            Ok((_, thought)) => thought,
        };
        if let Some(fault) = &thought.fault {
            return format!("{}: {}", fault.code, shown(&fault.message));
        }
        let Some(loss) = ply.loss.filter(|loss| *loss >= LEAST_LOSS) else {
            return String::new();
        };
        let best = thought.best_move().map_or("?".to_owned(), |mv| shown(mv));
        let word = if self.is_blunder(ply) {
            "BLUNDER: "
        } else {
            ""
        };
        format!("{word}loses {loss:.2}, best is {best}")
    }

    /// The number of blunders of each player.
    fn blunders(&self) -> String {
        let mut text = format!("blunders (a loss of {} or more):", self.blunder);
        for (seat, player) in self.record.players.iter().enumerate() {
            let by = |ply: &&PlyAnalysis| {
                let made = self.record.moves.get(ply.ply);
                self.is_blunder(ply) && made.is_some_and(|made| made.seat == Some(seat))
            };
            let count = self.plies.iter().filter(by).count();
            let comma = if seat > 0 { "," } else { "" };
            let (role, name) = (shown(&player.role), shown(&player.name));
            let _ = write!(text, "{comma} {role} ({name}) {count}");
        }
        text + "\n"
    }

    pub fn to_json(&self) -> Value {
        let seats = self.record.players.len();
        let plies = self.plies.iter().map(|ply| {
            let made = self.record.moves.get(ply.ply);
            let (seat, thought) = match &ply.thought {
                Ok((seat, thought)) => (Some(*seat), thought.to_json()),
                Err(_) => (None, Value::Null),
            };
            json!({
                "ply": ply.ply, "seat": seat, "view": ply.value_for(self.seat, seats),
                "value": ply.thought.as_ref().ok().and_then(|(_, thought)| thought.best_value()),
                "thought": thought, "skipped": ply.thought.as_ref().err(),
                "played": made.map(|made| &made.mv), "by": made.and_then(|made| made.seat),
                "loss": ply.loss, "blunder": self.is_blunder(ply),
            })
        });
        let blunders = self.plies.iter().filter(|ply| self.is_blunder(ply));
        json!({
            "match": self.record.match_id, "game": self.record.game, "bot": self.bot,
            "view": self.seat, "threshold": self.blunder, "result": self.record.result,
            "blunders": blunders.map(|ply| ply.ply).collect::<Vec<_>>(),
            "plies": plies.collect::<Vec<_>>(),
        })
    }
}

/// Lines on a terminal that change while bots think. Draws nothing unless stderr is a terminal.
#[derive(Debug, Default)]
pub struct LiveBlock {
    block: Block,
    drawn: Option<Instant>,
}

impl LiveBlock {
    /// `None` if stderr is no terminal.
    pub fn begin() -> Option<Self> {
        stderr().is_terminal().then(LiveBlock::default)
    }

    /// Replaces the last lines by these, cut to the terminal's height, unless the last ones are very
    /// new.
    pub fn draw(&mut self, lines: impl FnOnce() -> Vec<String>) {
        if self
            .drawn
            .is_some_and(|drawn| drawn.elapsed() < LEAST_PAUSE)
        {
            return;
        }
        self.drawn = Some(Instant::now());
        let (width, height) = size();
        let mut lines = lines();
        lines.truncate(height.saturating_sub(1));
        write(&self.block.redraw("", &lines, width));
    }

    pub fn clear(&mut self) {
        write(&self.block.clear(size().0));
    }
}
