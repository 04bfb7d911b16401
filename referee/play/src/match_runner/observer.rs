//! Observers of a match, which may intervene.

use std::ops::ControlFlow;

use arbiter::{Action, Arbiter, Event};

/// Observes a match. A closure is an observer that only sees the result of each event.
pub trait Observer {
    /// Called before the arbiter handles an event, which may be changed. [`ControlFlow::Break`] aborts
    /// the match.
    fn before(&mut self, _arbiter: &Arbiter, _event: &mut Event) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Called before an action is carried out, which may be changed. [`ControlFlow::Break`] aborts the
    /// match.
    fn action(&mut self, _action: &mut Action) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Called after an event and all of its consequences.
    fn after(&mut self, _arbiter: &Arbiter) {}
}

impl<F: FnMut(&Arbiter)> Observer for F {
    fn after(&mut self, arbiter: &Arbiter) {
        self(arbiter);
    }
}
