//! Converts the plies of a match to steps of a sheet, for a player that gets each step.

use games::{BrokenRules, Rules, Session};
use gdl::{Script, StepError, Steps};

use crate::ggp::message::LastStep;

/// A step that begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepStart {
    /// The previous step, as the player sees it.
    pub last: LastStep,
    /// The player's only legal move; `None` if it has a choice.
    pub forced: Option<String>,
}

/// A match as one seat plays it.
pub struct Follower {
    steps: Steps,
    role: usize,
    /// Steps made so far.
    turn: u32,
    last: LastStep,
    /// The player knows of the current step.
    is_announced: bool,
}

impl Follower {
    /// Follows a match for a seat from its start and opening. Also returns the sheet that the player
    /// receives. Protocol and sheets have no notion of positions, so after an opening the sheet begins
    /// with what is true then. `None` if the rules are not a sheet.
    ///
    /// # Errors
    /// If the sheet does not work.
    pub(crate) fn new(
        rules: &dyn Rules,
        start: &dyn Session,
        seat: usize,
    ) -> Option<Result<(Self, Script), BrokenRules>> {
        let script = Script::of(rules)?;
        let begun = || {
            let state = start.state()?;
            let first = rules.start(0)?.state()?;
            let (steps, script) = if state == first {
                (Steps::of(rules), script)
            } else {
                let steps = Steps::at(rules, &state).map(|steps| {
                    steps.map_err(|error| BrokenRules::new(format!("a state of theirs: {error}")))
                });
                let facts = steps.as_ref().and_then(|steps| steps.as_ref().ok());
                let facts = facts.map(Steps::facts).unwrap_or_default();
                (steps, script.starting_with(&facts))
            };
            let steps = steps.expect("rules with a script have steps")?;
            let follower = Follower {
                role: steps.role(seat),
                last: Self::nothing(&steps),
                steps,
                turn: 0,
                is_announced: false,
            };
            Ok((follower, script))
        };
        Some(begun())
    }

    fn nothing(steps: &Steps) -> LastStep {
        if steps.is_hidden() {
            LastStep::Percepts {
                turn: 0,
                perceived: None,
            }
        } else {
            LastStep::Moves(None)
        }
    }

    pub fn is_over(&self) -> bool {
        self.steps.is_over()
    }

    pub fn role(&self) -> &str {
        &self.steps.roles()[self.role]
    }

    /// The step before the current one, as the player sees it.
    pub fn last(&self) -> &LastStep {
        &self.last
    }

    /// The player's legal move with this text.
    pub fn find(&self, text: &str) -> Option<String> {
        self.steps.find(self.role, text)
    }

    /// Follows plies, which make whole steps. Returns the steps that begin since the last call,
    /// including the current one.
    ///
    /// # Errors
    /// If a ply is illegal.
    pub fn follow<'m>(
        &mut self,
        mut plies: impl Iterator<Item = &'m str>,
    ) -> Result<Vec<StepStart>, StepError> {
        let mut begun = Vec::new();
        while !self.steps.is_over() {
            if !self.is_announced {
                self.is_announced = true;
                begun.push(StepStart {
                    last: self.last.clone(),
                    forced: self.forced(self.role),
                });
            }
            let Some(moves) = self.moves(&mut plies) else {
                break;
            };
            let percepts = self.steps.make(&moves)?;
            self.turn += 1;
            self.is_announced = false;
            self.last = self.as_seen(moves, percepts);
        }
        Ok(begun)
    }

    /// The only legal move of a role; `None` if it has a choice.
    fn forced(&self, role: usize) -> Option<String> {
        (self.steps.count(role) == 1).then(|| self.steps.legal(role).remove(0))
    }

    /// The moves of all roles in the current step; `None` if some of its plies are missing. Plies are
    /// in seat order, chance is last.
    fn moves<'m>(&self, plies: &mut impl Iterator<Item = &'m str>) -> Option<Vec<String>> {
        let roles = 0..self.steps.roles().len();
        let random = self.steps.random();
        let mut moves: Vec<String> = vec![String::new(); roles.len()];
        let (seats, chance): (Vec<usize>, Vec<usize>) =
            roles.partition(|role| Some(*role) != random);
        for role in seats.into_iter().chain(chance) {
            moves[role] = match self.forced(role) {
                Some(only) => only,
                None => {
                    let ply = plies.next()?;
                    // Invalid moves are refused when the step is made.
                    self.steps.find(role, ply).unwrap_or_else(|| ply.to_owned())
                }
            };
        }
        Some(moves)
    }

    fn as_seen(&self, mut moves: Vec<String>, mut percepts: Vec<Vec<String>>) -> LastStep {
        if !self.steps.is_hidden() {
            return LastStep::Moves(Some(moves));
        }
        let own = (
            moves.swap_remove(self.role),
            percepts.swap_remove(self.role),
        );
        LastStep::Percepts {
            turn: self.turn,
            perceived: Some(own),
        }
    }
}
