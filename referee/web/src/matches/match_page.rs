//! The data of a match's page: boards, moves, clocks, the bots' info, faults, start and result as
//! text, all from the line in the log.

use std::collections::BTreeMap;

use arbiter::clock::{Clock, Used};
use config::recorded_rules;
use games::session::PlyByPly;
use games::values::ProvenValues;
use games::{Catalog, Rules, Session};
use protocol::{FaultCode, LoggedMove, MoveAnalysis, Record};
use rules::RulesSet;
use serde::Serialize;
use serde_json::{Value, json};
use tournament::folder::{self, CONFIG_NAME};

use crate::http::answer::Refusal;
use crate::matches::analyses;
use crate::matches::decisive::{self, Decisive};
use crate::matches::stderr::{PrintedByTurns, printed_before};
use crate::matches::views::{ViewStep, Viewpoint, Views, view};
use crate::state::site::Site;
use crate::words::{result_in_words, start_in_words, variation};

/// A bot's text about a move is cut after this many characters.
const MOST_TEXT: usize = 20_000;
const MOST_MODEL: usize = 100;

#[derive(Debug, Serialize)]
pub(crate) struct MatchPage {
    id: String,
    game: GameHead,
    roles: Vec<String>,
    players: Vec<PlayerHead>,
    started: String,
    conditions: Value,
    /// True if seats know less than spectators.
    hidden: bool,
    start: InWords,
    /// True while the match runs.
    live: bool,
    /// `None` while the match runs.
    result: Option<ResultView>,
    views: Vec<ViewStep>,
    /// The scores after each number of plies, if the rules know any before the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    scores: Option<Vec<Vec<i64>>>,
    /// The position in which the match was decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    decisive: Option<Decisive>,
    /// What best play leads to, after those numbers of plies for which it is proven.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    proven: BTreeMap<usize, String>,
    /// The seats that act after each number of plies.
    to_move: Vec<Vec<usize>>,
    moves: Vec<MoveView>,
    states_url: String,
    /// The reason, in a sentence, why there are fewer boards than plies.
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

#[derive(Debug, Serialize)]
struct FaultOnPage {
    seat: usize,
    code: FaultCode,
    ply: u32,
    text: String,
    meaning: &'static str,
    advice: Option<&'static str>,
    /// The last lines on the bot's stderr in its turn, if they were kept.
    stderr: Option<String>,
}

#[derive(Debug, Serialize)]
struct MoveView {
    ply: usize,
    seat: Option<usize>,
    text: String,
    /// `None` for plies of the referee.
    #[serde(skip_serializing_if = "Option::is_none")]
    ms: Option<f64>,
    /// Time left on the game clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock_ms: Option<f64>,
    /// The maker of the ply, if it was no player: `opening`, `forced` or `chance`.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    info: Option<InfoView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr: Option<String>,
    /// Later analyses by bots.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    analysis: Vec<MoveAnalysis>,
}

/// A bot's info about its move. Fields of the wrong type are left out.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct InfoView {
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pv: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The language model that chose the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
}

/// A match that can be replayed.
pub(crate) struct Replay {
    /// True while the match runs.
    is_live: bool,
    pub(crate) record: Record,
    pub(crate) rules: std::sync::Arc<dyn Rules>,
    pub(crate) start: Box<dyn Session>,
}

/// The match with this id, as used by pages, with its analyses.
///
/// # Errors
/// If there is no such match, or none yet.
pub(crate) fn find(site: &Site, id: &str) -> Result<Replay, Refusal> {
    let (log, own) = site.split_id(id);
    let Some(indexed) = site.index().find(log, own) else {
        if let Some(record) = site.boards().record(id) {
            return Ok(Replay {
                is_live: true,
                ..Replay::of(site, log, record)?
            });
        }
        return Err(missing(site, id));
    };
    let line = site.line(&indexed).ok_or_else(|| missing(site, id))?;
    let mut record: Record = serde_json::from_slice(&line)
        .map_err(|error| Refusal::broken(format!("match `{id}` cannot be read: {error}")))?;
    if record.match_id != own {
        return Err(missing(site, id));
    }
    analyses::add(site, log, &mut record);
    Replay::of(site, log, record)
}

/// Distinguishes matches that do not exist from those not read yet.
fn missing(site: &Site, id: &str) -> Refusal {
    if site.is_read() {
        Refusal::missing(format!("there is no match `{id}` in the log"))
    } else {
        Refusal::early("the log is still being read")
    }
}

/// The viewpoint of a page: a seat by role or number, or everything if empty or `all`.
///
/// # Errors
/// If there is no such seat.
pub(crate) fn viewpoint(
    word: &str,
    roles: &[String],
    is_hidden: bool,
) -> Result<Viewpoint, Refusal> {
    if word.is_empty() || word == "all" {
        return Ok(Viewpoint::All);
    }
    let number = word.parse().ok().filter(|seat| *seat < roles.len());
    let seat = number.or_else(|| roles.iter().position(|role| role == word));
    let seat = seat.ok_or_else(|| Refusal::wrong(format!("there is no seat `{word}`")))?;
    // Without secrets, a seat sees the board like everybody.
    Ok(if is_hidden {
        Viewpoint::Seat(seat)
    } else {
        Viewpoint::All
    })
}

/// The boards after each ply.
#[derive(Default)]
struct Boards {
    views: Vec<ViewStep>,
    to_move: Vec<Vec<usize>>,
    scores: Option<Vec<Vec<i64>>>,
    proven: BTreeMap<usize, String>,
    problem: Option<String>,
}

impl Replay {
    /// A match of a log of this site.
    ///
    /// # Errors
    /// If its rules are unknown, or its start is no position of theirs.
    pub(crate) fn of(site: &Site, log: u16, record: Record) -> Result<Self, Refusal> {
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
    pub(crate) fn with(catalog: &Catalog, record: Record) -> Result<Self, Refusal> {
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
            is_live: false,
            record,
            rules,
            start,
        })
    }

    /// The whole page. `id` is used by pages; `site` finds files kept beside the log.
    ///
    /// # Errors
    /// If the seat is unknown.
    pub(crate) fn page(&self, site: &Site, id: &str, seat: &str) -> Result<MatchPage, Refusal> {
        let (record, info) = (&self.record, self.rules.info());
        let viewpoint = viewpoint(seat, self.rules.roles(), info.hidden)?;
        let Boards {
            views,
            to_move,
            scores,
            proven,
            problem,
        } = self.boards(viewpoint);
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
            live: self.is_live,
            result: (!self.is_live).then(|| self.result(site, id)),
            decisive: (!self.is_live).then(|| decisive::of(record)).flatten(),
            views,
            proven,
            to_move,
            scores,
            moves: self.moves(viewpoint, &PrintedByTurns::of(site, id, record)),
            states_url: format!("/api/match/{id}/position/{{ply}}"),
            problem,
        })
    }

    /// The boards after each ply that can be replayed.
    fn boards(&self, viewpoint: Viewpoint) -> Boards {
        let mut session = self.start.fork();
        let mut views = Views::default();
        let mut boards = Boards::default();
        let mut scores = Vec::new();
        let mut step = PlyByPly::default();
        let values = ProvenValues::of(&*self.rules).ok();
        for ply in 0..=self.record.moves.len() {
            if ply > 0 {
                let text = &self.record.moves[ply - 1].mv;
                if let Err(error) = step.add(&mut *session, text) {
                    boards.problem = Some(format!("move {ply} cannot be played: {error}"));
                    break;
                }
            }
            match view(&*session, viewpoint) {
                Ok(view) => views.push(view),
                Err(broken) => {
                    boards.problem = Some(broken.to_string());
                    break;
                }
            }
            boards.to_move.push(session.to_move().seats().collect());
            let value = values
                .as_ref()
                .and_then(|values| values.find(&*session).ok()?);
            if let Some(value) = value {
                let text = value.in_words(self.rules.roles());
                boards.proven.insert(ply, text);
            }
            if viewpoint == Viewpoint::All
                && let Ok(tally) = session.tally()
            {
                scores.push(tally.scores.to_vec());
            }
        }
        boards.views = views.steps;
        // Rules without scores before the end have none until then.
        let is_told = |scores: &[Vec<i64>]| {
            let before_end = scores.len().saturating_sub(1);
            scores[..before_end]
                .iter()
                .flatten()
                .any(|score| *score != 0)
        };
        let is_whole = scores.len() == boards.to_move.len();
        boards.scores = (is_whole && is_told(&scores)).then_some(scores);
        boards
    }

    fn moves(&self, viewpoint: Viewpoint, printed: &PrintedByTurns) -> Vec<MoveView> {
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
                Some(rounded(clock.remaining()?.as_secs_f64() * 1e3))
            });
            let is_known = match viewpoint {
                Viewpoint::All => true,
                Viewpoint::Seat(seat) => played.seat == Some(seat),
            };
            MoveView {
                ply: at + 1,
                seat: played.seat,
                text: if is_known {
                    played.mv.to_string()
                } else {
                    "?".to_owned()
                },
                ms: by
                    .is_none()
                    .then_some(rounded(played.ms.0.as_secs_f64() * 1e3)),
                clock_ms,
                by,
                info: played.info.as_ref().filter(|_| is_known).map(info_view),
                analysis: if is_known {
                    played.analysis.to_vec()
                } else {
                    Vec::new()
                },
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
}

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

/// `None` for plies of players.
fn made_by(record: &Record, at: usize, played: &LoggedMove) -> Option<&'static str> {
    if played.seat.is_none() {
        Some("chance")
    } else if at < record.opening as usize {
        Some("opening")
    } else {
        played.forced.then_some("forced")
    }
}

/// Removes meaningless digits.
fn rounded(ms: f64) -> f64 {
    (ms * 1e2).round() / 1e2
}

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

pub(crate) fn info_view(info: &Value) -> InfoView {
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
        model: info["model"]
            .as_str()
            .map(|model| model.chars().take(MOST_MODEL).collect()),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn record() -> Record {
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

    pub(crate) fn start() -> Value {
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
        assert_eq!(page["proven"], json!({"0": "win for light"}));
        assert!(
            page["problem"]
                .as_str()
                .unwrap()
                .starts_with("move 2 cannot be played")
        );
        assert_eq!(page["moves"][0]["clock_ms"], json!(910.0));
        assert_eq!(
            page["moves"][0]["info"]["pv"],
            Value::Null,
            "not all are moves"
        );
        assert_eq!(
            page["result"]["text"],
            "a wins, 1–0 points, after 2 moves: no moves"
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
}
