//! The messages that bots are sent: `start`, `turn` and `end`.

use std::mem;

use games::BrokenRules;
use protocol::{
    End, LoggedMove, MatchResult, MoveList, Opponent, PlayedMove, Start, StateJson, ToBot, Turn,
};
use serde_json::Value;

use super::Arbiter;
use crate::clock;
use crate::setup::wire_limits;

impl Arbiter {
    pub(super) fn start_message(&self, number: usize) -> ToBot {
        let rules = self.game.rules();
        let roles = rules.roles();
        let players = self.seats.iter().zip(roles);
        let seat = &self.seats[number];
        let known = Some(seat.start.clone());
        let (state, observation) = if self.game.is_hidden() {
            (None, known)
        } else {
            (known, None)
        };
        ToBot::Start(Box::new(Start {
            match_id: self.match_id.clone(),
            game: rules.info().id.clone(),
            options: rules.options().to_json(),
            seat: number,
            role: roles[number].clone(),
            players: players
                .map(|(player, role)| Opponent {
                    name: player.name.clone(),
                    role: role.clone(),
                })
                .collect(),
            state,
            observation,
            time: seat.clock.control().clone(),
            limits: wire_limits(self.limits),
            offers: self.adjudicator.takes_offers(),
        }))
    }

    pub(super) fn turn_message(&mut self, seat: usize) -> Result<ToBot, BrokenRules> {
        let wants = self.seats[seat].wants;
        let hidden = self.game.is_hidden();
        let (mut state, mut observation) = (None, None);
        let session = self.game.session();
        if wants.state && hidden {
            observation = Some(session.observation(seat)?);
        } else if wants.state {
            state = Some(match session.state_text()? {
                Some(text) => StateJson::Text(text),
                None => StateJson::Tree(session.state()?),
            });
        }
        let legal = if wants.legal {
            let mut legal = MoveList::default();
            self.game.each_legal(seat, &mut |mv| legal.push(mv))?;
            Some(legal)
        } else {
            None
        };
        Ok(ToBot::Turn(Box::new(Turn {
            ply: self.game.session().ply(),
            moves: self.new_plies(seat),
            sees: hidden.then(|| self.new_observations(seat)),
            state,
            observation,
            legal,
            clock: clock::state(self.seats.iter().map(|seat| &seat.clock), seat),
            offers: self.adjudicator.offers_to(seat),
            lines: None,
        })))
    }

    pub(super) fn end_message(&self, seat: usize, result: &MatchResult) -> ToBot {
        // When the game is over, nothing is hidden any more.
        let from = if self.game.is_hidden() {
            0
        } else {
            self.seats[seat].sent_plies
        };
        let mut result = result.clone();
        for fault in &mut result.faults {
            // What a bot says about its thinking is not for the others.
            fault.info = None;
        }
        ToBot::End(Box::new(End {
            moves: played(&self.game.moves()[from..]).collect(),
            result,
        }))
    }

    /// The plies since the last message; only the seat's own if the game has hidden information.
    fn new_plies(&mut self, seat: usize) -> Vec<PlayedMove> {
        let moves = self.game.moves();
        let from = mem::replace(&mut self.seats[seat].sent_plies, moves.len());
        let new = played(&moves[from..]);
        if self.game.is_hidden() {
            new.filter(|played| played.seat == Some(seat)).collect()
        } else {
            new.collect()
        }
    }

    /// The seat's observations of each step since its last turn.
    fn new_observations(&mut self, seat: usize) -> Vec<Vec<Value>> {
        let steps = self.game.observed_steps();
        let from = mem::replace(&mut self.seats[seat].sent_steps, steps.len());
        steps[from..]
            .iter()
            .map(|seats| seats.get(seat).cloned().unwrap_or_default())
            .collect()
    }
}

/// Plies as bots are sent them.
fn played(moves: &[LoggedMove]) -> impl Iterator<Item = PlayedMove> {
    moves.iter().map(|played| PlayedMove {
        seat: played.seat,
        mv: played.mv.clone(),
    })
}
