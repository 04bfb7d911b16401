//! The game of a match as the game manager tells it: what happened, and what can be done now.

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

/// The name of the sheet's file, which makes the game's id.
const FILE: &str = "ggp.kif";
/// Clocks are looked at elsewhere, and a match that nobody waits for is given up.
const UNLIMITED: Duration = Duration::from_secs(3600);
/// The game's id.
pub(super) const ID: &str = "ggp";

/// A game in progress.
pub(super) struct Game {
    rules: Arc<dyn Rules>,
    set: RulesSet,
    seat: Seat,
    role: usize,
    /// How many steps have been made.
    turn: u32,
    /// What the position is, where everybody knows it.
    known: Known,
    /// All plies, in games with hidden information the bot's alone.
    plies: Vec<PlayedMove>,
    /// Where the bot finds the sheet.
    folder: Arc<TempDir>,
}

/// What is known of a position, and of the way there, for those who are in another thread.
#[derive(Clone)]
pub(super) struct Seen {
    pub(super) rules: Arc<dyn Rules>,
    pub(super) set: RulesSet,
    pub(super) seat: Seat,
    pub(super) plies: Vec<PlayedMove>,
    /// How many plies were made, as far as that is known.
    pub(super) ply: u32,
    /// How many steps were made.
    pub(super) turn: usize,
    pub(super) position: Result<Position, String>,
    /// How the game ended, if it has and everybody knows it.
    pub(super) end: Option<End>,
    /// What was seen of each step, where not everything is known.
    sees: Option<Vec<Vec<Value>>>,
    /// It is there as long as somebody may read it.
    _folder: Arc<TempDir>,
}

impl Seen {
    /// What was seen of each step from this one on, where not everything is known.
    pub(super) fn sees_from(&self, step: usize) -> Option<Vec<Vec<Value>>> {
        let seen = self.sees.as_ref()?;
        Some(seen.iter().skip(step).cloned().collect())
    }
}

/// What is known of the position.
enum Known {
    /// All of it: step by step, and as bots see it.
    All {
        steps: Steps,
        session: Box<dyn Session>,
    },
    /// What one seat perceived.
    Perceived {
        possible: Box<Possible>,
        /// Of each step, its own move and what it saw.
        steps: Vec<Value>,
    },
}

/// What is to be done at a step.
pub(super) enum Task {
    /// There is only this move.
    Only(String),
    /// One of these has to be chosen.
    Choice(Vec<String>),
    /// Nothing: the game is over.
    Over,
}

impl Game {
    /// The game of a sheet, for a role. What is not grounded after a while is interpreted.
    ///
    /// # Errors
    /// If the sheet is not well formed, has no such role, or needs more time than it has.
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

    /// Takes in what happened at the step before.
    ///
    /// # Errors
    /// If that cannot be.
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
            _ => return Err("the game manager told something else than the step before".to_owned()),
        }
        Ok(self.task())
    }

    /// Makes a step of which all is known.
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
        // Plies are made where somebody has a choice; all other steps make themselves.
        let roles = 0..steps.roles().len();
        let has_choice = roles.clone().any(|role| steps.count(role) > 1);
        let random = steps.random();
        let seats: Vec<usize> = roles.filter(|role| Some(*role) != random).collect();
        steps
            .make(&moves)
            .map_err(|error| format!("the game manager told a step that cannot be: {error}"))?;
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

    /// What is known now.
    pub(super) fn seen(&self) -> Seen {
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
        Seen {
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

/// What was seen of each step, without the own move.
fn seen_of(steps: &[Value]) -> Vec<Vec<Value>> {
    let seen = steps.iter().map(|step| {
        let all = step.as_array().map(Vec::as_slice).unwrap_or_default();
        all.iter().skip(1).cloned().collect()
    });
    seen.collect()
}

/// A position as bots are sent it.
#[derive(Clone)]
pub(super) enum Position {
    /// All of it.
    State(Value),
    /// What one seat knows.
    Observation(Value),
}

fn played(seat: Option<Seat>, mv: &str) -> PlayedMove {
    PlayedMove {
        seat,
        mv: MoveText::from(mv),
    }
}

/// A sheet that came as one list, one rule a line, so that messages can name lines.
fn lines(sheet: &str) -> Result<String, String> {
    let list = Kif::read(sheet).map_err(|error| error.to_string())?;
    let rules = list.list().unwrap_or_default().iter();
    Ok(rules.map(|rule| format!("{rule}\n")).collect())
}
