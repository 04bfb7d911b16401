//! A match, as its page shows it: boards, moves, clocks, what bots said, faults, start and result in
//! words. All of it is made from the line in the log.

use std::collections::BTreeMap;

use arbiter::clock::{Clock, Used};
use games::session::PlyByPly;
use games::{Catalog, Rules, Session};
use protocol::{FaultCode, LoggedMove, Record};
use serde::Serialize;
use serde_json::{Value, json};

use super::answer::Refusal;
use super::site::Site;
use super::stderr::{PrintedByTurns, printed_before};
use super::views::{SeenBy, ViewStep, Views, view};
use super::words::{has_options, result_in_words, start_in_words};
use crate::config::recorded_rules;
use crate::rules_program::RulesSet;
use crate::tournament::folder::{self, CONFIG_NAME};

/// How many characters of what a bot says with a move are sent at most.
const MOST_TEXT: usize = 20_000;

/// A match.
#[derive(Debug, Serialize)]
pub(super) struct MatchPage {
    id: String,
    game: GameHead,
    roles: Vec<String>,
    players: Vec<PlayerHead>,
    started: String,
    conditions: Value,
    /// Whether seats know less than all.
    hidden: bool,
    start: InWords,
    result: ResultView,
    views: Vec<ViewStep>,
    /// The seats that act after each number of plies.
    to_move: Vec<Vec<usize>>,
    moves: Vec<MoveView>,
    states_url: String,
    /// Why boards end before the match does, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

#[derive(Debug, Serialize)]
struct GameHead {
    id: String,
    title: String,
    label: String,
    options: Value,
}

#[derive(Debug, Serialize)]
struct PlayerHead {
    name: String,
    seat: usize,
    role: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
}

#[derive(Debug, Serialize)]
struct InWords {
    text: String,
}

#[derive(Debug, Serialize)]
struct ResultView {
    scores: Vec<i64>,
    outcome: Vec<f64>,
    reason: String,
    text: String,
    faults: Vec<FaultOnPage>,
}

/// A fault with its explanation.
#[derive(Debug, Serialize)]
struct FaultOnPage {
    seat: usize,
    code: FaultCode,
    ply: u32,
    text: String,
    meaning: &'static str,
    advice: Option<&'static str>,
    /// The end of what the bot printed on stderr in its turn, if it was kept.
    stderr: Option<String>,
}

/// A ply.
#[derive(Debug, Serialize)]
struct MoveView {
    ply: usize,
    seat: Option<usize>,
    text: String,
    /// `None` for plies of the referee.
    ms: Option<f64>,
    /// What is left of the game clock.
    clock_ms: Option<f64>,
    /// Who made it, if not a player: `opening`, `forced` or `chance`.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'static str>,
    info: Option<InfoView>,
    stderr: Option<String>,
}

/// What a bot says of its move, as far as it is of the right type.
#[derive(Debug, PartialEq, Serialize)]
struct InfoView {
    value: Option<f64>,
    depth: Option<f64>,
    nodes: Option<f64>,
    pv: Option<Vec<String>>,
    text: Option<String>,
}

/// A match with what is needed to play it again.
pub(super) struct Replay {
    record: Record,
    rules: std::sync::Arc<dyn Rules>,
    start: Box<dyn Session>,
}

/// The match with this id, as pages have it.
///
/// # Errors
/// If there is no such match.
pub(super) fn find(site: &Site, id: &str) -> Result<(u16, Record), Refusal> {
    let missing = || Refusal::missing(format!("there is no match `{id}` in the log"));
    let (log, own) = site.split_id(id);
    let indexed = site.index().find(log, own).ok_or_else(missing)?;
    let line = site.line(&indexed).ok_or_else(missing)?;
    let record: Record = serde_json::from_slice(&line)
        .map_err(|error| Refusal::broken(format!("match `{id}` cannot be read: {error}")))?;
    if record.match_id != own {
        return Err(missing());
    }
    Ok((log, record))
}

/// A seat that a page names, by role or number; nothing or `all` for everything.
///
/// # Errors
/// If there is no such seat.
pub(super) fn seen_by(word: &str, roles: &[String], is_hidden: bool) -> Result<SeenBy, Refusal> {
    if word.is_empty() || word == "all" {
        return Ok(SeenBy::All);
    }
    let number = word.parse().ok().filter(|seat| *seat < roles.len());
    let seat = number.or_else(|| roles.iter().position(|role| role == word));
    let seat = seat.ok_or_else(|| Refusal::wrong(format!("there is no seat `{word}`")))?;
    // Without secrets, a seat sees the board as everybody does.
    Ok(if is_hidden {
        SeenBy::Seat(seat)
    } else {
        SeenBy::All
    })
}

impl Replay {
    /// A match of a log of this site.
    ///
    /// # Errors
    /// If its rules are not known here, or its start is not theirs.
    pub(super) fn of(site: &Site, log: u16, record: Record) -> Result<Self, Refusal> {
        let built_in = games::find(&record.game).is_some() && record.rules.is_none();
        if built_in {
            return Self::with(&Catalog::built_in(), record);
        }
        let catalog = match &site.given_rules {
            Some(set) => set.catalog.clone(),
            None => rules_of(site, log)?.catalog.clone(),
        };
        Self::with(&catalog, record)
    }

    /// A match of games of this catalog.
    ///
    /// # Errors
    /// See [`Replay::of`].
    pub(super) fn with(catalog: &Catalog, record: Record) -> Result<Self, Refusal> {
        let broken = |why: String| {
            Refusal::broken(format!(
                "match `{}` cannot be shown: {why}",
                record.match_id
            ))
        };
        let game = catalog.find(&record.game);
        let game = game.map_err(|error| broken(error.to_string()))?;
        let rules = game.configure(&record.options);
        let rules = rules.map_err(|error| broken(error.to_string()))?;
        let start = rules.load(&record.start);
        let start = start.map_err(|error| broken(error.to_string()))?;
        Ok(Replay {
            record,
            rules,
            start,
        })
    }

    /// The whole page. `id` is the match's as pages have it, `site` knows what was kept beside the
    /// log.
    ///
    /// # Errors
    /// If the seat is not known.
    pub(super) fn page(&self, site: &Site, id: &str, seat: &str) -> Result<MatchPage, Refusal> {
        let (record, info) = (&self.record, self.rules.info());
        let seen_by = seen_by(seat, self.rules.roles(), info.hidden)?;
        let (views, to_move, problem) = self.boards(seen_by);
        let players = record.players.iter().enumerate();
        Ok(MatchPage {
            id: id.to_owned(),
            game: GameHead {
                id: record.game.clone(),
                title: info.title.clone(),
                label: ratings::game_label(&record.game, &record.options),
                options: record.options.clone(),
            },
            roles: self.rules.roles().to_vec(),
            players: players
                .map(|(seat, player)| PlayerHead {
                    name: player.name.clone(),
                    seat,
                    role: player.role.clone(),
                    version: player.version.clone(),
                })
                .collect(),
            started: record.started.clone(),
            conditions: conditions(record),
            hidden: info.hidden,
            start: InWords {
                text: start_in_words(record, &info.title),
            },
            result: self.result(site, id),
            views,
            to_move,
            moves: self.moves(seen_by, &PrintedByTurns::of(site, id, record)),
            states_url: format!("/api/match/{id}/position/{{ply}}"),
            problem,
        })
    }

    /// The boards and who acts, after each ply that can be played.
    fn boards(&self, seen_by: SeenBy) -> (Vec<ViewStep>, Vec<Vec<usize>>, Option<String>) {
        let mut session = self.start.fork();
        let (mut views, mut to_move) = (Views::default(), Vec::new());
        let mut step = PlyByPly::default();
        let mut problem = None;
        for ply in 0..=self.record.moves.len() {
            if ply > 0 {
                let text = &self.record.moves[ply - 1].mv;
                if let Err(error) = step.add(&mut *session, text) {
                    problem = Some(format!("ply {ply} cannot be played: {error}"));
                    break;
                }
            }
            match view(&*session, seen_by) {
                Ok(view) => views.push(view),
                Err(broken) => {
                    problem = Some(broken.to_string());
                    break;
                }
            }
            to_move.push(session.to_move().seats().collect());
        }
        (views.steps, to_move, problem)
    }

    fn moves(&self, seen_by: SeenBy, printed: &PrintedByTurns) -> Vec<MoveView> {
        let record = &self.record;
        let players = record.players.iter();
        let times = players.map(|player| player.time.as_ref().unwrap_or(&record.time));
        let mut clocks: Vec<Clock> = times.map(|time| Clock::new(time.clone())).collect();
        let plies = record.moves.iter().enumerate();
        let moves = plies.map(|(at, played)| {
            let by = made_by(record, at, played);
            let clock = played.seat.and_then(|seat| clocks.get_mut(seat));
            let clock = clock.filter(|_| by.is_none());
            let clock_ms = clock.and_then(|clock| {
                clock.charge(Used {
                    wall: played.ms.0,
                    cpu: played.cpu_ms.map(|cpu| cpu.0),
                });
                Some(clock.remaining()?.as_secs_f64() * 1e3)
            });
            let is_known = match seen_by {
                SeenBy::All => true,
                SeenBy::Seat(seat) => played.seat == Some(seat),
            };
            MoveView {
                ply: at + 1,
                seat: played.seat,
                text: if is_known {
                    played.mv.to_string()
                } else {
                    "?".to_owned()
                },
                ms: by.is_none().then_some(played.ms.0.as_secs_f64() * 1e3),
                clock_ms,
                by,
                info: played.info.as_ref().filter(|_| is_known).map(info_view),
                stderr: played
                    .seat
                    .filter(|_| is_known && by.is_none())
                    .and_then(|seat| printed.before(seat, at)),
            }
        });
        moves.collect()
    }

    fn result(&self, site: &Site, id: &str) -> ResultView {
        let record = &self.record;
        let result = &record.result;
        let faults = result.faults.iter().map(|fault| FaultOnPage {
            seat: fault.seat,
            code: fault.code,
            ply: fault.ply,
            text: fault.message.clone(),
            meaning: fault.code.meaning(),
            advice: fault.advice(),
            stderr: printed_before(site, id, record, fault),
        });
        ResultView {
            scores: result.scores.clone(),
            outcome: result.outcome.clone(),
            reason: result.reason.clone(),
            text: result_in_words(record),
            faults: faults.collect(),
        }
    }

    /// The position after some plies, in every form in which it may be wanted elsewhere.
    ///
    /// # Errors
    /// If there is no such ply or seat.
    pub(super) fn position(&self, ply: usize, seat: &str) -> Result<Value, Refusal> {
        let (record, info) = (&self.record, self.rules.info());
        let seen_by = seen_by(seat, self.rules.roles(), info.hidden)?;
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
        if let SeenBy::Seat(seat) = seen_by {
            let observation = session.observation(seat);
            let observation = observation.map_err(|error| broken(&error))?;
            return Ok(json!({"state": null, "observation": observation, "pv": []}));
        }
        let state = session.state().map_err(|error| broken(&error))?;
        let pv = self.variation_told(ply);
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

    /// The boards of what the mover of this ply expected, that before the ply first.
    fn variation_told(&self, ply: usize) -> Vec<ViewStep> {
        let before = ply.checked_sub(1);
        let told = before.and_then(|before| {
            let info = self.record.moves[before].info.as_ref()?;
            Some((before, variation(info)?))
        });
        let Some((before, moves)) = told else {
            return Vec::new();
        };
        let mut session = self.start.fork();
        let plies = &self.record.moves[..before];
        let texts: Vec<&str> = plies.iter().map(|it| &*it.mv).collect();
        let mut step = PlyByPly::default();
        if step.add_all(&mut *session, &texts).is_err() {
            return Vec::new();
        }
        played_on(&*session, &moves)
    }

    /// The command line that goes on from a position: a person against bots.
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

/// The boards as these moves are played, the one before them first.
fn played_on(session: &dyn Session, moves: &[String]) -> Vec<ViewStep> {
    let mut session = session.fork();
    let mut views = Views::default();
    let mut step = PlyByPly::default();
    for ply in 0..=moves.len() {
        if ply > 0 && step.add(&mut *session, &moves[ply - 1]).is_err() {
            break;
        }
        match view(&*session, SeenBy::All) {
            Ok(view) => views.push(view),
            Err(_) => break,
        }
    }
    views.steps
}

/// The rules of a log's tournament.
fn rules_of(site: &Site, log: u16) -> Result<&RulesSet, Refusal> {
    let path = &site.logs[usize::from(log)];
    let set = site.rules[usize::from(log)].get_or_init(|| {
        let config = path.with_file_name(CONFIG_NAME);
        let place = path.parent().unwrap_or(std::path::Path::new("."));
        let origin = folder::origin(place).unwrap_or_else(|| place.to_owned());
        recorded_rules(&config, &origin).map_err(|error| error.to_string())
    });
    set.as_ref().map_err(|why| Refusal::broken(why.clone()))
}

/// Who made a ply, if it was no player.
fn made_by(record: &Record, at: usize, played: &LoggedMove) -> Option<&'static str> {
    if played.seat.is_none() {
        Some("chance")
    } else if at < record.opening as usize {
        Some("opening")
    } else {
        played.forced.then_some("forced")
    }
}

/// How a match was run.
fn conditions(record: &Record) -> Value {
    json!({
        "time": record.time,
        "limits": record.limits,
        "conditions": record.conditions,
        "load": record.load,
        "duration_ms": record.duration_ms,
        "referee": record.referee,
        "seed": record.seed,
        "opening": record.opening,
    })
}

/// What a bot says of its move, as far as it is of the right type.
fn info_view(info: &Value) -> InfoView {
    let number = |name: &str| info.get(name).and_then(Value::as_f64);
    let text = info.get("text").map(|text| match text {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    InfoView {
        value: number("value"),
        depth: number("depth"),
        nodes: number("nodes"),
        pv: variation(info),
        text: text.map(|text| text.chars().take(MOST_TEXT).collect()),
    }
}

fn variation(info: &Value) -> Option<Vec<String>> {
    let list = info.get("pv")?.as_array()?.iter();
    list.map(|mv| mv.as_str().map(str::to_owned)).collect()
}

/// Positions that a page may ask for.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    /// The seat as which it looks.
    #[serde(rename = "as")]
    pub(super) seat: String,
    #[serde(flatten)]
    _rest: BTreeMap<String, String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let line = json!({
            "format": 1, "match": "m-000001", "game": "amazons", "options": {"size": 5}, "seed": 7,
            "start": start(),
            "players": [{"name": "a", "role": "white", "command": []},
                        {"name": "b", "role": "black", "command": []}],
            "time": {"base_ms": 1000, "increment_ms": 10, "startup_ms": 1, "margin_ms": 1},
            "limits": {"max_plies": null, "repetition": null}, "opening": 0,
            "moves": [{"seat": 0, "move": "a2-a3/c3", "ms": 100.0,
                       "info": {"value": 0.5, "pv": ["a2-a3/c3", 7], "text": "</script>"}},
                      {"seat": 1, "move": "nonsense", "ms": 20.0}],
            "result": {"scores": [1, 0], "outcome": [1.0, 0.0], "reason": "no_moves",
                       "faults": [{"seat": 1, "code": "timeout", "ply": 2, "message": "late"}]},
            "started": "2026-01-02T03:04:05.678Z", "duration_ms": 1, "referee": ""
        });
        serde_json::from_value(line).unwrap()
    }

    fn start() -> Value {
        let rules = games::find("amazons").unwrap();
        let rules = rules.configure(&json!({"size": 5})).unwrap();
        rules.start(0).unwrap().state().unwrap()
    }

    #[test]
    fn a_match_is_shown_as_far_as_it_can_be_played() {
        let site = Site::new(vec!["games.jsonl".into()], None);
        let replay = Replay::of(&site, 0, record()).unwrap();
        let page = replay.page(&site, "m-000001", "").unwrap();
        let page = serde_json::to_value(page).unwrap();
        assert_eq!(page["views"].as_array().unwrap().len(), 2);
        assert_eq!(page["to_move"], json!([[0], [1]]));
        assert!(
            page["problem"]
                .as_str()
                .unwrap()
                .starts_with("ply 2 cannot be played")
        );
        assert_eq!(page["moves"][0]["clock_ms"], json!(910.0));
        assert_eq!(
            page["moves"][0]["info"]["pv"],
            Value::Null,
            "not all are moves"
        );
        assert_eq!(
            page["result"]["text"],
            "a wins, 1–0 points, after 2 plies: no moves"
        );
        assert_eq!(
            page["result"]["faults"][0]["meaning"],
            "the bot did not move in time"
        );
        assert_eq!(
            page["start"]["text"],
            "Game of the Amazons (size=5), seed 7"
        );
        assert!(replay.page(&site, "m-000001", "nobody").is_err());
    }

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
