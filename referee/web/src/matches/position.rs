//! A position in all exchange formats, and the boards of its mover's principal variation.

use std::collections::BTreeMap;

use games::Session;
use games::session::PlyByPly;
use serde_json::{Value, json};

use crate::http::answer::Refusal;
use crate::matches::match_page::{Replay, viewpoint};
use crate::matches::views::{ViewStep, Viewpoint, Views, view};
use crate::words::{has_options, variation};

impl Replay {
    /// The position after this many plies, in all exchange formats.
    ///
    /// # Errors
    /// If there is no such ply or seat.
    pub(crate) fn position(&self, ply: usize, seat: &str) -> Result<Value, Refusal> {
        let (record, info) = (&self.record, self.rules.info());
        let viewpoint = viewpoint(seat, self.rules.roles(), info.hidden)?;
        if ply > record.moves.len() {
            let plies = record.moves.len();
            return Err(Refusal::missing(format!("the match has {plies} plies")));
        }
        let broken = |why: &dyn std::fmt::Display| Refusal::broken(why.to_string());
        let mut session = self.start.fork();
        let mut step = PlyByPly::default();
        let texts: Vec<&str> = record.moves[..ply].iter().map(|it| &*it.mv).collect();
        let played = step.add_all(&mut *session, &texts);
        played.map_err(|error| broken(&error))?;
        if let Viewpoint::Seat(seat) = viewpoint {
            let observation = session.observation(seat);
            let observation = observation.map_err(|error| broken(&error))?;
            return Ok(json!({"state": null, "observation": observation, "pv": []}));
        }
        let state = session.state().map_err(|error| broken(&error))?;
        let pv = self.expected_variation(ply);
        let mut request = json!({"op": "new", "game": record.game});
        if has_options(record) {
            request["options"] = record.options.clone();
        }
        request["state"] = state.clone();
        Ok(json!({
            "command": self.command(&state, session.to_move().seats().next()),
            "state": state,
            "request": request,
            "pv": pv,
        }))
    }

    /// The boards of the mover's principal variation, starting with the one before the ply.
    fn expected_variation(&self, ply: usize) -> Vec<ViewStep> {
        let before = ply.checked_sub(1);
        let expected = before.and_then(|before| {
            let info = self.record.moves[before].info.as_ref()?;
            Some((before, variation(info)?))
        });
        let Some((before, moves)) = expected else {
            return Vec::new();
        };
        let mut session = self.start.fork();
        let plies = &self.record.moves[..before];
        let texts: Vec<&str> = plies.iter().map(|it| &*it.mv).collect();
        let mut step = PlyByPly::default();
        if step.add_all(&mut *session, &texts).is_err() {
            return Vec::new();
        }
        continued(&*session, &moves)
    }

    /// The command that continues from a position: a person against bots.
    fn command(&self, state: &Value, seat: Option<usize>) -> String {
        let record = &self.record;
        let mut words = vec!["referee".to_owned(), "play".to_owned(), record.game.clone()];
        if has_options(record) {
            words.extend(["--options".to_owned(), record.options.to_string()]);
        }
        words.extend(["--state".to_owned(), state.to_string()]);
        let roles = self.rules.roles();
        if let Some(role) = roles.get(seat.unwrap_or(0)) {
            words.extend(["--human".to_owned(), role.clone()]);
        }
        for _ in 1..roles.len() {
            words.extend(["--bot", "mcts"].map(str::to_owned));
        }
        shell_words::join(words)
    }
}

/// The boards along these moves, starting with the one before them.
fn continued(session: &dyn Session, moves: &[String]) -> Vec<ViewStep> {
    let mut session = session.fork();
    let mut views = Views::default();
    let mut step = PlyByPly::default();
    for ply in 0..=moves.len() {
        if ply > 0 && step.add(&mut *session, &moves[ply - 1]).is_err() {
            break;
        }
        match view(&*session, Viewpoint::All) {
            Ok(view) => views.push(view),
            Err(_) => break,
        }
    }
    views.steps
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct SeatQuery {
    /// The viewpoint; see [`viewpoint`].
    #[serde(rename = "as")]
    pub(crate) seat: String,
    #[serde(flatten)]
    _rest: BTreeMap<String, String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matches::match_page::tests::{record, start};
    use crate::state::site::Site;

    #[test]
    fn a_position_can_be_taken_elsewhere() {
        let site = Site::new(vec!["games.jsonl".into()], None);
        let mut record = record();
        record.moves[0].info = Some(json!({"pv": ["a2-a3/c3", "b5-b4/b5", "no"]}));
        let replay = Replay::of(&site, 0, record).unwrap();
        let position = replay.position(1, "").unwrap();
        assert_eq!(position["pv"].as_array().unwrap().len(), 3);
        let position = replay.position(0, "").unwrap();
        assert_eq!(position["request"]["state"], start());
        let command = shell_words::split(position["command"].as_str().unwrap()).unwrap();
        assert_eq!(command[..4], ["referee", "play", "amazons", "--options"]);
        assert_eq!(serde_json::from_str::<Value>(&command[6]).unwrap(), start());
        assert_eq!(position["pv"], json!([]));
        assert!(replay.position(3, "").is_err());
    }
}
