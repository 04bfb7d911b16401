//! The checks of one game.

use std::collections::BTreeSet;
use std::sync::Arc;

use games::perft::{Perft, PerftRequest};
use games::session::{LoadError, as_strs, random_step};
use games::{Entry, Rng, Rules, Session};
use itertools::Itertools;
use rules::{self, RulesSet};
use serde_json::Value;

use super::described::{Described, cut};
use super::games::each_position;
use super::subjects::{RulesExtent, Subjects, Verdict};
use crate::Variant;

/// The most positions after one that are tried.
const MOST_TRIED: usize = 40;
/// Samples of states that are indistinguishable to a seat.
const SAMPLES: u32 = 8;
/// Texts that are moves in hardly any game.
const NO_MOVES: [&str; 4] = ["", "no such move", "\u{1f427}", "null"];

/// One game under some options, with everything that it is compared with.
pub(super) struct Bench<'s> {
    pub(super) rules: &'s Arc<dyn Rules>,
    /// The same game in a second process, if that has it.
    pub(super) twin: Result<Arc<dyn Rules>, String>,
    against: Option<Result<Arc<dyn Rules>, String>>,
    pub(super) extent: RulesExtent,
}

impl<'s> Bench<'s> {
    pub(super) fn new(subjects: &Subjects, variant: &'s Variant, extent: RulesExtent) -> Self {
        let rules = &variant.rules;
        let options = rules.options().to_json();
        let configure = |entry: &Arc<Entry>| {
            let configured = entry.configure(&options);
            configured.map_err(|error| error.to_string())
        };
        let twin = subjects.twin.catalog.find(&rules.info().id);
        let twin = twin.map_err(|unknown| unknown.to_string());
        let against = subjects.against.as_ref();
        let against =
            against.map(|others| counterpart(&subjects.rules, others, &rules.description().own_id));
        Bench {
            rules,
            twin: twin.and_then(configure),
            against: against.map(|other| other.and_then(configure)),
            extent,
        }
    }

    fn each_position(
        &self,
        visit: impl FnMut(&mut dyn Session) -> Result<(), String>,
    ) -> Result<u32, String> {
        each_position(&**self.rules, self.extent.games, self.extent.seed, visit)
    }
}

/// The game to compare with: that of the same id, or the only one if there is no choice.
fn counterpart<'o>(
    rules: &RulesSet,
    others: &'o RulesSet,
    own_id: &str,
) -> Result<&'o Arc<Entry>, String> {
    let only = || match (rules.own_games().count(), others.own_games().exactly_one()) {
        (1, Ok(entry)) => Some(entry),
        _ => None,
    };
    let found = others.find_own(own_id).or_else(only);
    found.ok_or_else(|| format!("cannot be compared: the other rules have no game `{own_id}`"))
}

fn listed(session: &mut dyn Session, seat: usize) -> Result<BTreeSet<String>, String> {
    let legal = session.legal_of(seat);
    legal
        .map(BTreeSet::from_iter)
        .map_err(|broken| broken.to_string())
}

fn random(session: &mut dyn Session, rng: &mut Rng) -> Result<Option<Vec<String>>, String> {
    random_step(session, rng).map_err(|broken| broken.to_string())
}

/// Makes the same step in two sessions.
pub(super) fn play_both(
    sessions: [&mut Box<dyn Session>; 2],
    step: &[String],
) -> Result<(), String> {
    for session in sessions {
        let played = session.play_step(&as_strs(step));
        played.map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn load(rules: &dyn Rules, state: &Value) -> Result<Box<dyn Session>, String> {
    rules.load(state).map_err(|error| match error {
        LoadError::State(error) => {
            format!("refuses its own state {}: {error}", cut(state))
        }
        LoadError::Broken(broken) => broken.to_string(),
    })
}

pub(super) fn starts(bench: &Bench<'_>) -> Verdict {
    let mut different = BTreeSet::new();
    for seed in 0..8 {
        let start = |seed| bench.rules.start(seed).map_err(|broken| broken.to_string());
        let first = Described::of(&mut *start(seed)?)?;
        // Something else in between, then the same again.
        start(seed + 100)?;
        let second = Described::of(&mut *start(seed)?)?;
        if let Some(what) = first.difference(&second) {
            return Err(format!("starts twice from the seed {seed}, but {what}"));
        }
        different.insert(first.state().to_string());
    }
    let note = (different.len() > 1).then(|| "the start is random".to_owned());
    Ok(note)
}

pub(super) fn games(bench: &Bench<'_>) -> Verdict {
    let mut before = None;
    let ended = bench.each_position(|session| {
        let ply = session.ply();
        // The rules check each answer for who is to move, legal moves and result.
        if before.is_some_and(|before| ply > 0 && ply < before) {
            return Err(format!("says that {ply} plies were made after more"));
        }
        before = session.end().is_none().then_some(ply);
        session
            .tally()
            .map(|_| ())
            .map_err(|broken| broken.to_string())
    })?;
    let games = bench.extent.games;
    let limits = bench.rules.info().limits;
    match (ended == games, limits.max_plies) {
        (true, _) => Ok(None),
        (false, Some(most)) => Ok(Some(format!(
            "{} of {games} random games did not end by themselves; the limit is {most} plies",
            games - ended
        ))),
        (false, None) => Err(format!(
            "{} of {games} random games did not end, and there is no limit in `hello`",
            games - ended
        )),
    }
}

pub(super) fn states(bench: &Bench<'_>) -> Verdict {
    let mut rng = Rng::from_parts(&[bench.extent.seed, 1]);
    bench.each_position(|session| {
        let state = session.state().map_err(|broken| broken.to_string())?;
        let mut again = load(&**bench.rules, &state)?;
        let (here, there) = (Described::of(session)?, Described::of(&mut *again)?);
        if let Some(what) = here.difference(&there) {
            return Err(format!("sets up its own state, but {what}"));
        }
        let mut here = session.fork();
        if let Some(step) = random(&mut *here, &mut rng)? {
            play_both([&mut here, &mut again], &step)?;
            let (one, other) = (Described::of(&mut *here)?, Described::of(&mut *again)?);
            if let Some(what) = one.difference(&other) {
                let step = step.join(" + ");
                return Err(format!("goes on from its own state by {step}, but {what}"));
            }
        }
        Ok(())
    })?;
    Ok(None)
}

pub(super) fn moves(bench: &Bench<'_>) -> Verdict {
    let mut known: BTreeSet<String> = NO_MOVES.map(str::to_owned).into();
    bench.each_position(|session| {
        let seats: Vec<usize> = session.to_move().seats().collect();
        let mut legal = BTreeSet::new();
        for &seat in &seats {
            legal.extend(listed(session, seat)?);
        }
        if session.to_move().alone().is_some() {
            let before = Described::of(session)?;
            for mv in legal.iter().take(MOST_TRIED) {
                let played = session.fork().play(mv);
                played.map_err(|error| error.to_string())?;
            }
            for other in known
                .iter()
                .filter(|text| !legal.contains(*text))
                .take(MOST_TRIED)
            {
                if rules::accepts(session, other).map_err(|broken| broken.to_string())? {
                    let state = cut(before.state());
                    return Err(format!(
                        "plays `{other}`, which it does not list, in {state}"
                    ));
                }
            }
            let after = rules::asked_again(session).map_err(|broken| broken.to_string())?;
            if &after != before.state() {
                return Err(format!(
                    "refuses moves, and then the state is another one: {}, then {}",
                    cut(before.state()),
                    cut(&after)
                ));
            }
        }
        known.extend(legal.into_iter().take(MOST_TRIED));
        Ok(())
    })?;
    Ok(None)
}

pub(super) fn undo(bench: &Bench<'_>) -> Verdict {
    if !rules::can_undo(&**bench.rules) {
        return Ok(Some("it is made up for by `new` and `play`".to_owned()));
    }
    let mut rng = Rng::from_parts(&[bench.extent.seed, 2]);
    bench.each_position(|session| {
        let before = session.state().map_err(|broken| broken.to_string())?;
        let mut further = session.fork();
        for _ in 0..3 {
            let Some(step) = random(&mut *further, &mut rng)? else {
                break;
            };
            let played = further.play_step(&as_strs(&step));
            played.map_err(|error| error.to_string())?;
        }
        // The process has moved on, and returns by `undo`.
        let after = rules::asked_again(session).map_err(|broken| broken.to_string())?;
        if before == after {
            Ok(())
        } else {
            let (after, before) = (cut(&after), cut(&before));
            Err(format!(
                "takes moves back, but the state is {after}, not {before}"
            ))
        }
    })?;
    Ok(None)
}

/// Plays the same games with both, and compares what they say about each position.
fn compare(
    bench: &Bench<'_>,
    other: &Arc<dyn Rules>,
    leave: impl Fn(Described) -> Described,
) -> Result<(), String> {
    for number in 0..u64::from(bench.extent.games) {
        let mut rng = Rng::from_parts(&[bench.extent.seed, number, 3]);
        let seed = bench.extent.seed.wrapping_add(number);
        let start = |rules: &Arc<dyn Rules>| rules.start(seed).map_err(|broken| broken.to_string());
        let (mut ours, mut theirs) = (start(bench.rules)?, start(other)?);
        for _ in 0..200 {
            let one = leave(Described::with_percepts(&mut *ours)?);
            let two = leave(Described::with_percepts(&mut *theirs)?);
            if let Some(what) = one.difference(&two) {
                return Err(format!("in {}: {what}", cut(one.state())));
            }
            let Some(step) = random(&mut *ours, &mut rng)? else {
                break;
            };
            play_both([&mut ours, &mut theirs], &step)?;
        }
    }
    Ok(())
}

pub(super) fn repeatable(bench: &Bench<'_>) -> Verdict {
    let twin = bench.twin.as_ref().map_err(String::clone)?;
    compare(bench, twin, |all| all).map(|()| None)
}

pub(super) fn against(bench: &Bench<'_>) -> Verdict {
    match &bench.against {
        None => Ok(Some("nothing to compare with: see `--against`".to_owned())),
        Some(other) => {
            let other = other.as_ref().map_err(String::clone)?;
            let gives_scores = |rules: &Arc<dyn Rules>| rules::gives_scores(&**rules);
            let with_scores = gives_scores(bench.rules) && gives_scores(other);
            compare(bench, other, |all| all.for_others(with_scores)).map(|()| None)
        }
    }
}

pub(super) fn perft(bench: &Bench<'_>) -> Verdict {
    let start = bench.rules.start(bench.extent.seed);
    let start = start.map_err(|broken| broken.to_string())?;
    for depth in 1..=2 {
        let broken = |broken: games::BrokenRules| broken.to_string();
        let request = PerftRequest {
            max_positions: 2_000,
            ..PerftRequest::new(depth)
        };
        let Some(Perft { nodes: counted, .. }) = start.perft(&request).map_err(broken)? else {
            return Ok(Some(format!("depth {depth} was too much")));
        };
        let claimed = start.perft_nodes(depth).map_err(broken)?;
        if counted != claimed {
            return Err(format!(
                "counts {claimed} for depth {depth}, but its moves lead to {counted}"
            ));
        }
    }
    Ok(None)
}

fn observe(session: &dyn Session, seat: usize) -> Result<Value, String> {
    session
        .observation(seat)
        .map_err(|broken| broken.to_string())
}

pub(super) fn hidden(bench: &Bench<'_>) -> Verdict {
    if !bench.rules.info().hidden {
        return Ok(Some("nothing is hidden".to_owned()));
    }
    let mut drawn = 0;
    bench.each_position(|session| {
        if session.end().is_some() {
            // Bots sample states when they are to move.
            return Ok(());
        }
        for seat in 0..bench.rules.seats() {
            let is_asked = session.to_move().includes(seat);
            let observation = observe(session, seat)?;
            let samples = bench
                .rules
                .sample(&observation, seat, bench.extent.seed, SAMPLES);
            for state in samples.map_err(|error| error.to_string())? {
                drawn += 1;
                let mut other = load(&**bench.rules, &state)?;
                let there = observe(&*other, seat)?;
                if there != observation {
                    return Err(format!(
                        "draws a state for seat {seat} in which it would know {there}, not \
                         {observation}"
                    ));
                }
                // A seat that is to move knows that the game is not over.
                if is_asked && other.end().is_some() {
                    let state = cut(&state);
                    return Err(format!(
                        "draws the state {state} for seat {seat}, which is asked to move, but there the game \
                         is over"
                    ));
                }
                if is_asked && listed(session, seat)? != listed(&mut *other, seat)? {
                    return Err(format!(
                        "lists other moves for seat {seat} in a state that it cannot tell apart"
                    ));
                }
            }
        }
        Ok(())
    })?;
    let note = (drawn == 0).then(|| "it has no `sample`, so little could be compared".to_owned());
    Ok(note)
}
