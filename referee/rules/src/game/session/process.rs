//! Brings a process of the program to the position of a session.

use games::BrokenRules;

use super::ProgramSession;
use crate::game::steps::{are_same, is_same, play_request};
use crate::program::connection::{Connection, SetUp};

/// The ply at which playouts stop; `None` if they go to the end.
#[derive(Clone, Copy)]
pub(super) struct PlayoutLimit(pub(super) Option<u32>);

impl ProgramSession {
    /// Runs `act` while the process holds this position. `playouts` says where its playouts stop,
    /// if that matters.
    pub(super) fn held<T>(
        &self,
        playouts: Option<PlayoutLimit>,
        act: impl FnOnce(&mut Connection) -> Result<T, BrokenRules>,
    ) -> Result<T, BrokenRules> {
        self.rules.program.with_connection(|connection| {
            self.bring(connection, playouts)?;
            act(connection)
        })
    }

    /// Brings a process to this position.
    fn bring(
        &self,
        connection: &mut Connection,
        playouts: Option<PlayoutLimit>,
    ) -> Result<(), BrokenRules> {
        let program = &self.rules.program;
        let fits = |held: &SetUp| {
            let fits = playouts.is_none_or(|PlayoutLimit(limit)| limit == held.max_plies);
            held.start == self.number && fits
        };
        // Usually it is there: a match asks about its last position.
        if connection
            .set_up
            .as_ref()
            .is_some_and(|held| fits(held) && are_same(&held.steps, &self.steps))
        {
            return Ok(());
        }
        let held = connection.set_up.take().filter(fits);
        let max_plies = match (&held, playouts) {
            (Some(held), _) => held.max_plies,
            (None, limit) => limit.and_then(|PlayoutLimit(limit)| limit),
        };
        let mut common = 0;
        if let Some(held) = &held {
            let both = held.steps.iter().zip(&self.steps);
            common = both.take_while(|(a, b)| is_same(a, b)).count();
            let extra = held.steps.len() - common;
            if extra > 0 && !program.can.undo {
                common = 0;
            } else if extra > 0 {
                let body = format!("\"op\":\"undo\",\"count\":{extra}");
                connection.demand(&body, |_| Ok(()))?;
            }
        }
        let is_there = held.is_some_and(|held| common > 0 || held.steps.is_empty());
        if !is_there {
            let body = self.rules.new_request(&self.start, max_plies, &[]);
            connection.demand(&body, |_| Ok(()))?;
            common = 0;
        }
        if common < self.steps.len() {
            let body = play_request(&self.steps[common..], []);
            connection.demand(&body, |_| Ok(()))?;
        }
        connection.set_up = Some(SetUp {
            start: self.number,
            max_plies,
            steps: self.steps.clone(),
        });
        Ok(())
    }
}
