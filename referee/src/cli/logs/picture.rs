//! A recorded match as pictures in the terminal: all of it, or only what one seat could know.

use std::fmt::Write as _;

use games::Session;
use games::kit::text::count;
use games::kit::to_move::CHANCE;
use log::ModelUse;
use protocol::{LoggedMove, Record, shown};
use serde_json::Value;

use crate::cli::text::board;

pub(crate) fn header(record: &Record) -> String {
    let mut text = format!("{}: {}", shown(&record.match_id), shown(&record.game));
    let options = record.options.to_string();
    if options != "{}" {
        let _ = write!(text, " {options}");
    }
    for player in &record.players {
        let (role, name) = (shown(&player.role), shown(&player.name));
        let _ = write!(text, "\n  {role}: {name}");
    }
    text + "\n\n"
}

/// What a seat learned from a step.
pub(crate) struct Perception<'a> {
    pub(crate) seat: usize,
    /// Its percepts; empty while the step is incomplete.
    pub(crate) seen: &'a [Value],
}

/// The board after `ply` plies, with a line about the last one; or the knowledge of one seat: its
/// own plies, its percepts, and its observation.
pub(crate) fn picture(
    record: &Record,
    session: &dyn Session,
    ply: usize,
    viewer: Option<Perception<'_>>,
) -> String {
    let last = ply.checked_sub(1).and_then(|i| record.moves.get(i));
    let title = match (last, &viewer) {
        (None, _) => "start".to_owned(),
        (Some(played), Some(viewer)) if played.seat != Some(viewer.seat) => {
            format!("{ply}. {}: hidden", who(record, played))
        }
        (Some(played), _) => title(record, played, ply),
    };
    let Some(viewer) = viewer else {
        let marked = last.map_or(Vec::new(), |played| board::cells_of(&played.mv));
        return format!("{title}\n{}\n", board::position(session, &marked));
    };
    let mut text = title;
    for value in viewer.seen {
        let _ = write!(text, "\n  sees {value}");
    }
    format!(
        "{text}\n{}\n",
        board::position_for(session, viewer.seat, true)
    )
}

fn who(record: &Record, played: &LoggedMove) -> String {
    match played.seat.map(|seat| record.players.get(seat)) {
        Some(player) => player.map_or("?".to_owned(), |player| shown(&player.name)),
        None => CHANCE.to_owned(),
    }
}

fn title(record: &Record, played: &LoggedMove, ply: usize) -> String {
    let how = match (ply <= record.opening as usize, played.forced) {
        (true, _) => "opening".to_owned(),
        (_, true) => "forced".to_owned(),
        _ => format!("{:.1} ms", played.ms.0.as_secs_f64() * 1e3),
    };
    format!(
        "{ply}. {}: {}  ({how}){}",
        who(record, played),
        shown(&played.mv),
        model_words(played)
    )
}

/// What a language model took for a move, on a line of its own; empty if none is said to have chosen it.
fn model_words(played: &LoggedMove) -> String {
    let mut used = ModelUse::default();
    let info = played.info.as_ref();
    if !info.is_some_and(|info| used.add_turn(info, true)) {
        return String::new();
    }
    let kinds = [
        (used.illegal, "illegal"),
        (used.unparsable, "unparsable"),
        (used.truncated, "truncated"),
        (used.refused, "refused"),
    ];
    let kinds = kinds.iter().filter(|(answers, _)| *answers > 0);
    let kinds: String = kinds
        .map(|(answers, kind)| format!(", {answers} {kind}"))
        .collect();
    let model = used.models.first().map_or("a model", |model| model);
    format!(
        "\n  {model}: {}, {} tokens in, {} out{kinds}",
        count(used.calls, "call", "calls"),
        used.tokens_in,
        used.tokens_out
    )
}
