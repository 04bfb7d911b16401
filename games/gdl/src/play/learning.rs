//! Numbers of the moves and facts of a sheet, for programs that learn.

use std::collections::HashMap;
use std::marker::PhantomData;

use games::learning::{ActionError, Learning, ListedMoves, Planes, PlayError};
use games::{BrokenRules, Seat, Session};

use crate::engine::Engine;
use crate::play::Play;
use crate::play::session::GdlSession;

/// All moves and facts that any position of a sheet can have.
pub(crate) struct Catalog {
    pub(crate) moves: Vec<String>,
    pub(crate) facts: Vec<String>,
}

/// The moves of all roles in the order of their texts, and an observation of one number a fact, in the
/// order of their texts. What seats see of a game with hidden information has no such form.
pub(crate) struct SheetLearning<E> {
    moves: ListedMoves,
    facts: HashMap<String, usize>,
    planes: Option<Planes>,
    engine: PhantomData<fn(E)>,
}

impl<E: Engine> SheetLearning<E> {
    /// `None` for an engine that does not know all moves.
    pub(crate) fn new(play: &Play<E>) -> Option<Self> {
        let Catalog { moves, facts } = play.engine.catalog()?;
        let (moves, facts) = (sorted(moves), sorted(facts));
        let roles = || play.seats.iter().map(|role| &play.engine.roles()[*role]);
        let mut names = facts.clone();
        names.extend(roles().map(|role| format!("{role} is to move")));
        names.extend(roles().map(|role| format!("own role is {role}")));
        Some(SheetLearning {
            moves: ListedMoves::new(moves),
            facts: facts.into_iter().zip(0..).collect(),
            planes: (!play.hidden).then(|| Planes::of_numbers(names)),
            engine: PhantomData,
        })
    }
}

/// The texts in order, each once: an order that does not depend on how the sheet was grounded.
fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort_unstable();
    texts.dedup();
    texts
}

impl<E: Engine> Learning for SheetLearning<E> {
    fn actions(&self) -> usize {
        self.moves.actions()
    }

    fn text(&self, action: u32) -> Option<String> {
        self.moves.text(action)
    }

    fn parts(&self, text: &str) -> Result<Vec<u32>, ActionError> {
        self.moves.parts(text)
    }

    fn list_actions(
        &self,
        session: &mut dyn Session,
        seat: Seat,
        begun: &[u32],
        actions: &mut Vec<i64>,
    ) -> Result<(), BrokenRules> {
        self.moves.list_actions(session, seat, begun, actions)
    }

    fn play(
        &self,
        session: &mut dyn Session,
        begun: &mut Vec<u32>,
        action: u32,
    ) -> Result<(), PlayError> {
        self.moves.play(session, begun, action)
    }

    fn planes(&self) -> Option<&Planes> {
        self.planes.as_ref()
    }

    fn observe(&self, session: &dyn Session, _begun: &[u32], seat: Seat, values: &mut [f32]) {
        if self.planes.is_none() {
            return;
        }
        let session: Option<&GdlSession<E>> = session.as_any().downcast_ref();
        let session = session.expect("a session of these rules");
        values.fill(0.0);
        for fact in session.facts() {
            if let Some(&number) = self.facts.get(&fact) {
                values[number] = 1.0;
            }
        }
        let seats = session.seats();
        let (to_move, own) = (self.facts.len(), self.facts.len() + seats);
        for mover in session.to_move().seats() {
            values[to_move + mover] = 1.0;
        }
        values[own + seat] = 1.0;
    }
}
