//! The game of a match by the game manager's steps: its history, and the legal moves.

use std::sync::Arc;
use std::time::Duration;

use games::kit::text::shown;
use games::session::End;
use games::{Actor, Rules, Seat, Session};
use gdl::{Kif, Steps};
use play::ggp::message::LastStep;
use protocol::{MoveText, PlayedMove};
use rules::{RulesSet, RulesSource, Surroundings};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::possible::Possible;

/// The file name of the sheet, from which the game's id follows.
const FILE: &str = "ggp.kif";
/// Clocks are kept by the session, which cancels matches that nobody waits for.
const UNLIMITED: Duration = Duration::from_secs(3600);
/// The game's id.
pub(super) const ID: &str = "ggp";

/// A game in progress.
pub(super) struct Game {
    rules: Arc<dyn Rules>,
    set: RulesSet,
    seat: Seat,
    role: usize,
    /// The number of steps made.
    turn: u32,
    known: Known,
    /// All plies; with hidden information, those of the bot only.
    plies: Vec<PlayedMove>,
    /// Contains the sheet, which the bot reads.
    folder: Arc<TempDir>,
}

/// A snapshot of the game for other threads.
#[derive(Clone)]
pub(super) struct Snapshot {
    pub(super) rules: Arc<dyn Rules>,
    pub(super) set: RulesSet,
    pub(super) seat: Seat,
    pub(super) plies: Vec<PlayedMove>,
    /// The number of plies, as far as it is known.
    pub(super) ply: u32,
    /// The number of steps.
    pub(super) turn: usize,
    pub(super) position: Result<Position, String>,
    /// The end of the game, unless hidden.
    pub(super) end: Option<End>,
    /// The percepts of each step, with hidden information.
    sees: Option<Vec<Vec<Value>>>,
    /// Keeps the sheet's file.
    _folder: Arc<TempDir>,
}

impl Snapshot {
    /// The percepts from this step on, with hidden information.
    pub(super) fn sees_from(&self, step: usize) -> Option<Vec<Vec<Value>>> {
        let seen = self.sees.as_ref()?;
        Some(seen.iter().skip(step).cloned().collect())
    }
}

/// The knowledge of the position.
enum Known {
    /// Complete: by steps, and as a session.
    All {
        steps: Steps,
        session: Box<dyn Session>,
    },
    /// The percepts of one seat.
    Perceived {
        possible: Box<Possible>,
        /// By step: the seat's own move and its percepts.
        steps: Vec<Value>,
    },
}

/// The task at a step.
pub(super) enum Task {
    /// The only legal move.
    Only(String),
    /// Choose one of these moves.
    Choice(Vec<String>),
    /// The game is over.
    Over,
}

impl Game {
    /// Reads a sheet, for a role. If grounding takes longer than `grounding`, the sheet is interpreted.
    ///
    /// # Errors
    /// If the sheet is malformed, has no such role, or takes too long.
    pub(super) fn read(sheet: &str, role: &str, grounding: Duration) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        std::fs::write(folder.path().join(FILE), lines(sheet)?)
            .map_err(|error| error.to_string())?;
        let source = RulesSource::parse(FILE, folder.path()).map_err(|error| error.to_string())?;
        let surroundings = Surroundings {
            timeout: UNLIMITED,
            grounding: Some(grounding),
            ..Surroundings::default()
        };
        let set = RulesSet::open(vec![source], &surroundings);
        let set = set.map_err(|error| error.to_string())?;
        let rules = set.catalog.find(ID).map_err(|error| error.to_string())?;
        let rules = rules
            .configure(&Value::Null)
            .map_err(|error| error.to_string())?;
        let mut names = rules.roles().iter();
        let seat = names.position(|name| name.eq_ignore_ascii_case(role));
        let seat = seat.ok_or_else(|| {
            let roles = rules.roles().join("`, `");
            format!("the sheet has no role `{}`, only `{roles}`", shown(role))
        })?;
        let steps = Steps::of(&*rules).expect("these rules are a sheet");
        let steps = steps.map_err(|broken| broken.to_string())?;
        let role = steps.role(seat);
        let known = if steps.is_hidden() {
            Known::Perceived {
                possible: Box::new(Possible::new(steps, role)),
                steps: Vec::new(),
            }
        } else {
            let session = rules.start(0).map_err(|broken| broken.to_string())?;
            Known::All { steps, session }
        };
        Ok(Game {
            rules,
            set,
            seat,
            role,
            turn: 0,
            known,
            plies: Vec::new(),
            folder: Arc::new(folder),
        })
    }

    /// Makes the last step.
    ///
    /// # Errors
    /// If it is impossible.
    pub(super) fn take(&mut self, last: &LastStep) -> Result<Task, String> {
        match (last, &mut self.known) {
            (LastStep::Moves(None), _) | (LastStep::Percepts { turn: 0, .. }, _)
                if self.turn == 0 => {}
            (LastStep::Moves(Some(moves)), Known::All { .. }) => self.make(moves)?,
            (LastStep::Percepts { turn, perceived }, Known::Perceived { possible, steps }) => {
                let expected = self.turn + 1;
                let Some((own, seen)) = perceived.as_ref().filter(|_| *turn == expected) else {
                    return Err(format!(
                        "the game manager asked for step {turn} instead of {expected}"
                    ));
                };
                let had_choice = possible.legal().len() > 1;
                let step = possible.follow(own, seen)?;
                if had_choice {
                    self.plies.push(played(Some(self.seat), &step[0]));
                }
                steps.push(json!(step));
                self.turn += 1;
            }
            _ => return Err("the game manager sent another step before".to_owned()),
        }
        Ok(self.task())
    }

    /// Makes a step without hidden information.
    fn make(&mut self, moves: &[String]) -> Result<(), String> {
        let Known::All { steps, session } = &mut self.known else {
            unreachable!("only called for these");
        };
        let spelled = moves.iter().enumerate().map(|(role, mv)| {
            let is_role = role < steps.roles().len();
            let found = is_role.then(|| steps.find(role, mv)).flatten();
            found.unwrap_or_else(|| mv.clone())
        });
        let moves: Vec<String> = spelled.collect();
        // The session has plies only where some role has a choice.
        let roles = 0..steps.roles().len();
        let has_choice = roles.clone().any(|role| steps.count(role) > 1);
        let random = steps.random();
        let seats: Vec<usize> = roles.filter(|role| Some(*role) != random).collect();
        steps
            .make(&moves)
            .map_err(|error| format!("the game manager sent an impossible step: {error}"))?;
        self.turn += 1;
        if has_choice {
            let actors: Vec<Actor> = session.to_move().actors().collect();
            let choices = actors.iter().map(|actor| match actor {
                Actor::Seat(seat) => &*moves[seats[*seat]],
                Actor::Chance => &*moves[random.expect("chance has a role")],
            });
            let choices: Vec<&str> = choices.collect();
            let made = session.play_step(&choices);
            made.map_err(|error| error.to_string())?;
            let plies = actors.iter().zip(choices).map(|(actor, mv)| match actor {
                Actor::Seat(seat) => played(Some(*seat), mv),
                Actor::Chance => played(None, mv),
            });
            self.plies.extend(plies);
        }
        Ok(())
    }

    fn task(&self) -> Task {
        let mut legal = match &self.known {
            Known::All { steps, .. } if steps.is_over() => Vec::new(),
            Known::All { steps, .. } => steps.legal(self.role),
            Known::Perceived { possible, .. } => possible.legal(),
        };
        match legal.len() {
            0 => Task::Over,
            1 => Task::Only(legal.remove(0)),
            _ => Task::Choice(legal),
        }
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        let (ply, position, end, sees) = match &self.known {
            Known::All { session, .. } => (
                session.ply(),
                session.state().map(Position::State),
                session.end(),
                None,
            ),
            Known::Perceived { steps, .. } => {
                let position = Position::Observation(json!({"steps": steps}));
                (self.turn, Ok(position), None, Some(seen_of(steps)))
            }
        };
        Snapshot {
            rules: self.rules.clone(),
            set: self.set.clone(),
            seat: self.seat,
            plies: self.plies.clone(),
            ply,
            turn: self.turn as usize,
            position: position.map_err(|broken| broken.to_string()),
            end,
            sees,
            _folder: self.folder.clone(),
        }
    }
}

/// The percepts of each step, without the own move.
fn seen_of(steps: &[Value]) -> Vec<Vec<Value>> {
    let seen = steps.iter().map(|step| {
        let all = step.as_array().map(Vec::as_slice).unwrap_or_default();
        all.iter().skip(1).cloned().collect()
    });
    seen.collect()
}

/// A position as it is sent to bots.
#[derive(Clone)]
pub(super) enum Position {
    State(Value),
    Observation(Value),
}

fn played(seat: Option<Seat>, mv: &str) -> PlayedMove {
    PlayedMove {
        seat,
        mv: MoveText::from(mv),
    }
}

/// Puts each rule of a sheet, which came as one list, on its own line, so that messages can name lines.
fn lines(sheet: &str) -> Result<String, String> {
    let list = Kif::read(sheet).map_err(|error| error.to_string())?;
    let rules = list.list().unwrap_or_default().iter();
    Ok(rules.map(|rule| format!("{rule}\n")).collect())
}
