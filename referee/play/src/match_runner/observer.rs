//! Those who look on at a match, and may have a say in it.

use std::ops::ControlFlow;

use arbiter::{Action, Arbiter, Event};

/// Looks on at a match. A closure is an observer who only looks at what came of each event.
pub trait Observer {
    /// An event that the arbiter is about to hear of; whatever is changed in it is what the arbiter
    /// hears. [`ControlFlow::Break`] breaks the match off.
    fn before(&mut self, _arbiter: &Arbiter, _event: &mut Event) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// An action that is about to be carried out; whatever is changed in it is what is carried out.
    /// [`ControlFlow::Break`] breaks the match off.
    fn action(&mut self, _action: &mut Action) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// The match after an event, when all that follows from it is done.
    fn after(&mut self, _arbiter: &Arbiter) {}
}

impl<F: FnMut(&Arbiter)> Observer for F {
    fn after(&mut self, arbiter: &Arbiter) {
        self(arbiter);
    }
}
