//! Steps and random games on top of an engine, with moves as numbers.

pub(crate) mod histories;
pub(crate) mod knowledge;
pub(crate) mod learning;
pub(crate) mod perft;
pub(crate) mod random_games;
pub(crate) mod rules;
pub(crate) mod session;
pub(crate) mod shared;
pub(crate) mod view;

use games::{BrokenRules, Rng, budget};

use crate::engine::{Engine, Failure, Percepts, Series, SeriesError, TakeGame};

/// More steps in a row in which nobody has a choice count as an endless game.
pub(crate) const MOST_FORCED: usize = 20_000;

pub(crate) struct Play<E> {
    pub(crate) engine: E,
    pub(crate) id: String,
    pub(crate) seats: Vec<usize>,
    pub(crate) random: Option<usize>,
    pub(crate) hidden: bool,
}

/// Called with each step.
pub(crate) type OnStep<'f> = &'f mut dyn FnMut(&[u32], Percepts);

impl<E: Engine> Play<E> {
    pub(crate) fn new(engine: E, id: &str, hidden: bool) -> Self {
        let is_random = |role: &String| role.eq_ignore_ascii_case("random");
        let roles = engine.roles();
        Play {
            seats: (0..roles.len())
                .filter(|role| !is_random(&roles[*role]))
                .collect(),
            random: roles.iter().position(is_random),
            id: id.to_owned(),
            hidden,
            engine,
        }
    }

    pub(crate) fn roles(&self) -> usize {
        self.engine.roles().len()
    }

    pub(crate) fn broken(&self, what: &str) -> BrokenRules {
        BrokenRules::new(format!("the rules `{}.kif`: {what}", self.id))
    }

    pub(crate) fn failed(&self, failure: &Failure) -> BrokenRules {
        let broken = self.broken(&failure.to_string());
        match failure {
            Failure::Spent(spent) => BrokenRules::given_up(broken.to_string(), *spent),
            _ => broken,
        }
    }

    /// Checks that there is time to go on.
    fn check(&self) -> Result<(), BrokenRules> {
        budget::check().map_err(|spent| self.failed(&spent.into()))
    }

    /// Counts the legal moves of each role; all 0 if the game is over.
    ///
    /// # Errors
    /// If a role has none before the end.
    #[inline]
    pub(crate) fn count(
        &self,
        position: &E::Position,
        counts: &mut Vec<u32>,
    ) -> Result<(), BrokenRules> {
        counts.clear();
        if self.engine.is_over(position) {
            counts.resize(self.roles(), 0);
            return Ok(());
        }
        for role in 0..self.roles() {
            let count = self.engine.count_legal(position, role);
            if count == 0 {
                return Err(self.stuck(position, role));
            }
            counts.push(count as u32);
        }
        Ok(())
    }

    #[cold]
    fn stuck(&self, position: &E::Position, role: usize) -> BrokenRules {
        let role = &self.engine.roles()[role];
        let facts = self.engine.facts(position).join(" ");
        let facts: String = facts.chars().take(300).collect();
        self.broken(&format!(
            "the role `{role}` has no legal move, and the game is not over, in {facts}"
        ))
    }

    /// Makes steps as long as nobody has a choice, and returns the numbers of legal moves after them.
    ///
    /// # Errors
    /// If the sheet does not work.
    pub(crate) fn settle(
        &self,
        position: &mut E::Position,
        counts: &mut Vec<u32>,
        on_step: OnStep<'_>,
    ) -> Result<(), BrokenRules> {
        for _ in 0..MOST_FORCED {
            self.count(position, counts)?;
            if counts.iter().any(|count| *count != 1) {
                return Ok(());
            }
            let forced = (0..self.roles()).map(|role| self.engine.nth_legal(position, role, 0));
            let joint: Vec<u32> = forced.collect();
            self.step(position, &joint, on_step)?;
        }
        Err(self.broken(&format!(
            "{MOST_FORCED} steps in a row give nobody a choice, and the game does not end"
        )))
    }

    /// Makes a step.
    ///
    /// # Errors
    /// If the sheet does not work.
    pub(crate) fn step(
        &self,
        position: &mut E::Position,
        joint: &[u32],
        on_step: OnStep<'_>,
    ) -> Result<(), BrokenRules> {
        self.check()?;
        let mut percepts = vec![Vec::new(); if self.hidden { self.roles() } else { 0 }];
        let wanted = self.hidden.then_some(&mut percepts);
        let made = self.engine.step(position, joint, wanted);
        made.map_err(|failure| self.failed(&failure))?;
        on_step(joint, percepts);
        Ok(())
    }

    /// The goals of the seats; 0 for a seat that has none, unless one is `needed`.
    ///
    /// # Errors
    /// If the sheet does not work.
    pub(crate) fn scores(
        &self,
        position: &E::Position,
        needed: bool,
    ) -> Result<Vec<i64>, BrokenRules> {
        let mut scores = Vec::with_capacity(self.seats.len());
        let mut missing = None;
        let evaluated = self.engine.each_goal(position, &self.seats, &mut |goal| {
            if goal.is_none() && needed {
                missing.get_or_insert(self.seats[scores.len()]);
            }
            scores.push(goal.unwrap_or(0));
        });
        evaluated.map_err(|failure| self.failed(&failure))?;
        match missing {
            Some(role) => Err(self.without_goal(position, role)),
            None => Ok(scores),
        }
    }

    #[cold]
    fn without_goal(&self, position: &E::Position, role: usize) -> BrokenRules {
        let role = &self.engine.roles()[role];
        let facts = self.engine.facts(position).join(" ");
        let facts: String = facts.chars().take(300).collect();
        self.broken(&format!(
            "the role `{role}` has no goal at the end, in {facts}"
        ))
    }

    /// Plays the games of a series, if the engine can do that faster than one by one. Returns whether it did.
    ///
    /// # Errors
    /// If the sheet does not work.
    pub(crate) fn play_many(
        &self,
        series: &Series<'_, &E::Position>,
        rng: &mut Rng,
        take: TakeGame<'_>,
    ) -> Result<bool, BrokenRules> {
        match self.engine.play_many(series, rng, take) {
            None => Ok(false),
            Some(Ok(())) => Ok(true),
            Some(Err(SeriesError::Failure(failure))) => Err(self.failed(&failure)),
            Some(Err(SeriesError::Stuck { position, role })) => Err(self.stuck(&position, role)),
            Some(Err(SeriesError::Endless)) => Err(self.endless()),
        }
    }

    fn endless(&self) -> BrokenRules {
        self.broken("the game does not end, though nobody has a choice")
    }

    /// Plays on at random until the game is over or the ply reaches `most`. Returns the plies made.
    ///
    /// # Errors
    /// If the sheet does not work.
    pub(crate) fn playout(
        &self,
        position: &mut E::Position,
        (ply, most): (u32, u32),
        rng: &mut Rng,
        scratch: &mut Scratch,
    ) -> Result<u32, BrokenRules> {
        let mut plies = 0u32;
        let mut forced = 0;
        loop {
            if self.engine.is_over(position) {
                return Ok(plies);
            }
            scratch.counts.clear();
            let mut choices = 0;
            for role in 0..self.roles() {
                let count = self.engine.count_legal(position, role);
                if count == 0 {
                    return Err(self.stuck(position, role));
                }
                choices += u32::from(count > 1);
                scratch.counts.push(count as u32);
            }
            if choices > 0 && ply.saturating_add(plies) >= most {
                return Ok(plies);
            }
            forced = if choices > 0 { 0 } else { forced + 1 };
            if forced > MOST_FORCED {
                return Err(self.endless());
            }
            scratch.joint.clear();
            for (role, count) in scratch.counts.iter().enumerate() {
                let index = if *count > 1 {
                    rng.index(*count as usize)
                } else {
                    0
                };
                scratch
                    .joint
                    .push(self.engine.nth_legal(position, role, index));
            }
            self.check()?;
            let made = self.engine.step(position, &scratch.joint, None);
            made.map_err(|failure| self.failed(&failure))?;
            plies += choices;
        }
    }
}

/// Lists that playouts reuse.
#[derive(Default)]
pub(crate) struct Scratch {
    counts: Vec<u32>,
    joint: Vec<u32>,
}

/// Every combination of one item of each list, the last list running fastest.
pub(crate) fn combinations(lists: &[Vec<u32>], mut visit: impl FnMut(&[u32]) -> bool) {
    if lists.iter().any(Vec::is_empty) {
        return;
    }
    let mut at = vec![0; lists.len()];
    let mut joint: Vec<u32> = lists.iter().map(|list| list[0]).collect();
    loop {
        if !visit(&joint) {
            return;
        }
        let Some(last) = (0..lists.len())
            .rev()
            .find(|list| at[*list] + 1 < lists[*list].len())
        else {
            return;
        };
        at[last] += 1;
        joint[last] = lists[last][at[last]];
        for list in last + 1..lists.len() {
            at[list] = 0;
            joint[list] = lists[list][0];
        }
    }
}
