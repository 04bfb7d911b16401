//! Numbers for the games that are compiled in.

use std::sync::{Arc, OnceLock};

use super::{ActionError, Learnable, Learning, Planes, PlayError, STOP};
use crate::kit::outcome::Seat;
use crate::kit::rng::Rng;
use crate::session::{BrokenRules, Session, Typed};

/// Where a table has no move.
const NONE: u32 = u32::MAX;

/// The moves of a game by number, and the numbers by move.
struct Numbers<G: Learnable> {
    moves: Vec<G::Move>,
    /// Two tables whose entries add up to a move's number; see [`Learnable::places`].
    tables: [Vec<u32>; 2],
    planes: Planes,
}

impl<G: Learnable> Numbers<G> {
    fn new(game: &G) -> Self {
        let moves = game.every_move();
        let mut numbers = Numbers {
            moves,
            tables: [Vec::new(), Vec::new()],
            planes: game.planes(),
        };
        for (&mv, number) in numbers.moves.iter().zip(0..) {
            let [group, place] = G::places(mv);
            let [groups, places] = &mut numbers.tables;
            if groups.len() <= group {
                groups.resize(group + 1, NONE);
            }
            if groups[group] == NONE {
                groups[group] = number;
            }
            if places.len() <= place {
                places.resize(place + 1, NONE);
            }
            places[place] = number - groups[group];
        }
        numbers
    }

    /// The number of a move that is no part of a longer one.
    #[inline]
    fn number(&self, mv: G::Move) -> u32 {
        let [group, place] = G::places(mv);
        self.tables[0][group].wrapping_add(self.tables[1][place])
    }

    /// The same for what may be no move of the game.
    fn find(&self, mv: G::Move) -> Option<u32> {
        let [group, place] = G::places(mv);
        let (group, place) = (self.tables[0].get(group)?, self.tables[1].get(place)?);
        let number = group.wrapping_add(*place);
        (self.moves.get(number as usize) == Some(&mv)).then_some(number)
    }

    /// The number of the action that ends a move in parts.
    fn stop(&self) -> u32 {
        self.moves.len() as u32
    }
}

/// The numbers of a game, made when they are first needed.
pub(crate) struct TypedLearning<G: Learnable> {
    game: Arc<G>,
    numbers: OnceLock<Numbers<G>>,
}

impl<G: Learnable> TypedLearning<G> {
    pub(crate) fn new(game: Arc<G>) -> Self {
        TypedLearning {
            game,
            numbers: OnceLock::new(),
        }
    }

    fn numbers(&self) -> &Numbers<G> {
        self.numbers.get_or_init(|| Numbers::new(&self.game))
    }

    /// The session's own type.
    fn typed<'a>(&self, session: &'a mut dyn Session) -> &'a mut Typed<G> {
        let typed = session.as_any_mut().downcast_mut();
        typed.expect("a session of these rules")
    }

    fn moves(&self, actions: &[u32]) -> Vec<G::Move> {
        let moves = &self.numbers().moves;
        let part = |action: &u32| moves.get(*action as usize).copied();
        actions.iter().filter_map(part).collect()
    }

    /// Calls `visit` with each legal move that goes on as begun, and with its next part; `None` where
    /// it ends with what is begun.
    fn each_continuation(
        &self,
        typed: &mut Typed<G>,
        begun: &[G::Move],
        mut visit: impl FnMut(G::Move, Option<G::Move>),
    ) {
        self.game.legal(&typed.position, &mut typed.moves);
        let mut parts = Vec::new();
        for &mv in &typed.moves {
            parts.clear();
            self.game.parts(mv, &mut parts);
            if parts.starts_with(begun) {
                visit(mv, parts.get(begun.len()).copied());
            }
        }
    }

    /// The next parts of the moves that go on as begun, each once, and the move that ends here.
    fn next_parts(&self, typed: &mut Typed<G>, begun: &[G::Move]) -> (Vec<u32>, Option<G::Move>) {
        let numbers = self.numbers();
        let (mut next, mut ends) = (Vec::new(), None);
        // Moves with the same beginning stand together, so a look at the last one nearly always suffices.
        self.each_continuation(typed, begun, |mv, part| match part {
            None => ends = Some(mv),
            Some(part) => {
                let number = numbers.number(part);
                if next.last() != Some(&number) && !next.contains(&number) {
                    next.push(number);
                }
            }
        });
        (next, ends)
    }

    /// The legal actions where moves have parts, and the move that the last one, `stop`, ends.
    fn actions_in_parts(&self, typed: &mut Typed<G>, begun: &[u32]) -> (Vec<u32>, Option<G::Move>) {
        let (mut next, ends) = self.next_parts(typed, &self.moves(begun));
        if ends.is_some() {
            next.push(self.numbers().stop());
        }
        (next, ends)
    }

    fn play_part(
        &self,
        typed: &mut Typed<G>,
        begun: &mut Vec<u32>,
        action: u32,
    ) -> Result<(), PlayError> {
        let (legal, ends) = self.actions_in_parts(typed, begun);
        if !legal.contains(&action) {
            return Err(self.illegal(action, legal.len() as u64));
        }
        let mut ended = ends;
        if action != self.numbers().stop() {
            begun.push(action);
            let (next, ends) = self.next_parts(typed, &self.moves(begun));
            ended = ends.filter(|_| next.is_empty());
        }
        if let Some(mv) = ended {
            typed.make(mv);
            begun.clear();
        }
        Ok(())
    }

    fn illegal(&self, action: u32, legal: u64) -> PlayError {
        PlayError::Illegal {
            action,
            text: self.text(action).unwrap_or_default(),
            legal,
        }
    }
}

impl<G: Learnable> Learning for TypedLearning<G> {
    fn actions(&self) -> usize {
        self.numbers().moves.len() + usize::from(G::IN_PARTS)
    }

    fn text(&self, action: u32) -> Option<String> {
        let numbers = self.numbers();
        if G::IN_PARTS && action == numbers.stop() {
            return Some(STOP.to_owned());
        }
        let mut text = String::new();
        let mv = *numbers.moves.get(action as usize)?;
        self.game.write_move(mv, &mut text);
        Some(text)
    }

    fn parts(&self, text: &str) -> Result<Vec<u32>, ActionError> {
        let numbers = self.numbers();
        if G::IN_PARTS && text == STOP {
            return Ok(vec![numbers.stop()]);
        }
        let mut parts = Vec::new();
        self.game.parts(self.game.parse_move(text)?, &mut parts);
        // What can be read but is never legal, such as a slide that is not along a line.
        let all: Option<Vec<u32>> = parts.iter().map(|part| numbers.find(*part)).collect();
        all.ok_or_else(|| ActionError::unlisted(text))
    }

    fn list_actions(
        &self,
        session: &mut dyn Session,
        seat: Seat,
        begun: &[u32],
        actions: &mut Vec<i64>,
    ) -> Result<(), BrokenRules> {
        let typed = self.typed(session);
        if self.game.to_move(&typed.position) != Some(seat) {
            return Ok(());
        }
        if G::IN_PARTS {
            let (next, _) = self.actions_in_parts(typed, begun);
            actions.extend(next.into_iter().map(i64::from));
            return Ok(());
        }
        let numbers = self.numbers();
        self.game
            .each_legal(&typed.position, &mut typed.moves, |mv| {
                actions.push(numbers.number(mv).into());
            });
        Ok(())
    }

    fn random_action(
        &self,
        session: &mut dyn Session,
        seat: Seat,
        begun: &[u32],
        rng: &mut Rng,
    ) -> Result<Option<u32>, BrokenRules> {
        let typed = self.typed(session);
        if self.game.to_move(&typed.position) != Some(seat) {
            return Ok(None);
        }
        if G::IN_PARTS {
            let (next, _) = self.actions_in_parts(typed, begun);
            return Ok(Some(next[rng.index(next.len())]));
        }
        let mv = self
            .game
            .random_move(&typed.position, rng, &mut typed.moves);
        Ok(Some(self.numbers().number(mv)))
    }

    fn play(
        &self,
        session: &mut dyn Session,
        begun: &mut Vec<u32>,
        action: u32,
    ) -> Result<(), PlayError> {
        if action as usize >= self.actions() {
            return Err(PlayError::NoAction {
                action: action.into(),
                actions: self.actions(),
            });
        }
        let typed = self.typed(session);
        if self.game.to_move(&typed.position).is_none() {
            return Err(PlayError::Over);
        }
        if G::IN_PARTS {
            return self.play_part(typed, begun, action);
        }
        let mv = self.numbers().moves[action as usize];
        if !self.game.is_legal(&typed.position, mv) {
            return Err(self.illegal(action, self.game.count_legal(&typed.position)));
        }
        typed.make(mv);
        Ok(())
    }

    fn planes(&self) -> Option<&Planes> {
        Some(&self.numbers().planes)
    }

    fn observe(&self, session: &dyn Session, begun: &[u32], seat: Seat, values: &mut [f32]) {
        let typed = session.as_any().downcast_ref();
        let typed: &Typed<G> = typed.expect("a session of these rules");
        let mut planes = self.numbers().planes.writer(values);
        let begun = if begun.is_empty() {
            Vec::new()
        } else {
            self.moves(begun)
        };
        self.game
            .observe(&typed.position, &begun, seat, &mut planes);
        debug_assert!(planes.is_complete(), "every plane has a name");
    }
}
