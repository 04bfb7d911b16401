//! Random games, for evaluation.

use games::playout::{PlayoutRequest, RandomGames, Total};
use games::{BrokenRules, Rng};

use crate::engine::{Engine, Series};
use crate::play::Scratch;
use crate::play::shared::{At, SharedRules, outcome_of};

pub(crate) struct SheetGames<'r, E: Engine> {
    rules: &'r SharedRules<E>,
    rng: Rng,
    /// The ply at which games stop.
    last: u32,
    scratch: Scratch,
    /// Kept for its allocation, since positions are large.
    position: Option<E::Position>,
}

impl<'r, E: Engine> SheetGames<'r, E> {
    pub(crate) fn new(rules: &'r SharedRules<E>, request: &PlayoutRequest) -> Self {
        SheetGames {
            rules,
            rng: Rng::new(request.seed),
            last: request.max_plies.unwrap_or(u32::MAX),
            scratch: Scratch::default(),
            position: None,
        }
    }
}

impl<E: Engine> RandomGames for SheetGames<'_, E> {
    type From = At<E>;

    fn seats(&self) -> usize {
        self.rules.play.seats.len()
    }

    fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    fn play(&mut self, from: &At<E>, _most: u64, total: &mut Total) -> Result<u64, BrokenRules> {
        let play = &self.rules.play;
        let position = match &mut self.position {
            Some(position) => {
                position.clone_from(&from.position);
                position
            }
            none => none.insert(from.position.clone()),
        };
        let extent = (from.ply, self.last);
        let plies = play.playout(position, extent, &mut self.rng, &mut self.scratch)?;
        // A goal that is missing is the sheet's fault, and no reason to lose all other games: it counts 0.
        total.add(plies, &outcome_of(&play.scores(position, false)?));
        Ok(u64::from(plies.max(1)))
    }

    fn play_many(
        &mut self,
        from: &At<E>,
        count: u32,
        total: &mut Total,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<bool, BrokenRules> {
        let series = Series {
            seats: &self.rules.play.seats,
            from: &from.position,
            ply: from.ply,
            last: self.last,
            count,
            first: None,
        };
        let play = &self.rules.play;
        play.play_many(&series, &mut self.rng, &mut |plies, goals| {
            total.add(plies, &outcome_of(goals));
            go_on(u64::from(plies.max(1)))
        })
    }

    fn as_it_stands(&mut self, from: &At<E>) -> Result<Vec<f64>, BrokenRules> {
        let scores = self.rules.play.scores(&from.position, false)?;
        Ok(outcome_of(&scores).to_vec())
    }
}
