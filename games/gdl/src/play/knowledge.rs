//! Hidden information: information sets, by filtering.
//!
//! From the start on, every possible joint step is made, and only those positions are kept in which the
//! seat would have seen what it saw. Where they become too many, some are drawn by their probabilities;
//! other seats are taken to move at random.

use games::session::LoadError;
use games::{Rng, Seat, StateError};
use serde_json::Value;

use crate::engine::Engine;
use crate::play::combinations;
use crate::play::histories::{Perceived, note, perceived};
use crate::play::shared::{At, SharedRules};

/// No more positions are followed at a time.
const MOST: usize = 1_000;
/// Maximum steps from one position; beyond, some are sampled.
const MOST_STEPS: usize = 400;

/// A position that may be the real one.
struct World<E: Engine> {
    at: At<E>,
    weight: f64,
}

/// Draws states that a seat with this observation holds possible.
pub(crate) fn sample<E: Engine>(
    rules: &SharedRules<E>,
    observation: &Value,
    seat: Seat,
    (seed, count): (u64, u32),
) -> Result<Vec<Value>, LoadError> {
    let wrong = |what: &str| LoadError::State(StateError::new("observation", what));
    let steps = observation["steps"]
        .as_array()
        .ok_or_else(|| wrong("it has no `steps`"))?;
    let steps: Option<Vec<Perceived>> = steps.iter().map(perceived).collect();
    let steps = steps.ok_or_else(|| wrong("a step is not a list of texts"))?;
    if seat >= rules.play.seats.len() {
        return Err(wrong("there is no such seat"));
    }
    let mut rng = Rng::new(seed);
    let mut worlds = vec![World::<E> {
        at: rules.root()?,
        weight: 1.0,
    }];
    for (number, step) in steps.iter().enumerate() {
        let mut next = Vec::new();
        for world in &worlds {
            follow(rules, world, (seat, step), &mut rng, &mut next)?;
        }
        // What cannot be the real position must not crowd out what can.
        if number + 1 == steps.len() {
            next = as_asked(rules, next, seat);
        } else {
            next.retain(|world| !rules.play.engine.is_over(&world.at.position));
        }
        worlds = thinned(next, MOST, &mut rng);
    }
    if steps.is_empty() {
        worlds = as_asked(rules, worlds, seat);
    }
    if worlds.is_empty() {
        return Err(wrong("nobody can know this: no way to play leads there"));
    }
    let drawn = (0..count).filter_map(|_| draw(&worlds, &mut rng));
    Ok(drawn.map(|world| rules.state(&world.at)).collect())
}

/// When the seat had a turn, as far as known: a turn shows it that the game goes on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Asked {
    Over,
    Others,
    Itself,
}

/// The worlds consistent with a turn of the seat. If it has a choice in none of them, those in
/// which the game goes on; if there are none, those in which it is over.
fn as_asked<E: Engine>(rules: &SharedRules<E>, worlds: Vec<World<E>>, seat: Seat) -> Vec<World<E>> {
    let play = &rules.play;
    let asked = |world: &World<E>| {
        let mut counts = Vec::new();
        play.count(&world.at.position, &mut counts).ok()?;
        if play.engine.is_over(&world.at.position) {
            return Some(Asked::Over);
        }
        // A position in which nobody has a choice is on the way only.
        let has_choice = |role: usize| counts.get(role).is_some_and(|count| *count > 1);
        if has_choice(play.seats[seat]) {
            Some(Asked::Itself)
        } else {
            (0..counts.len()).any(has_choice).then_some(Asked::Others)
        }
    };
    let asked: Vec<Option<Asked>> = worlds.iter().map(asked).collect();
    let most = asked.iter().max().copied().flatten();
    let kept = worlds.into_iter().zip(asked);
    let kept = kept.filter(|(_, asked)| asked.is_some() && *asked == most);
    kept.map(|(world, _)| world).collect()
}

/// Adds the positions that may come after one, given what the seat did and saw.
fn follow<E: Engine>(
    rules: &SharedRules<E>,
    world: &World<E>,
    (seat, step): (Seat, &Perceived),
    rng: &mut Rng,
    next: &mut Vec<World<E>>,
) -> Result<(), LoadError> {
    let play = &rules.play;
    let position = &world.at.position;
    if play.engine.is_over(position) {
        return Ok(());
    }
    let mut lists = Vec::new();
    for role in 0..play.roles() {
        let mut moves = Vec::new();
        play.engine.legal(position, role, &mut moves);
        lists.push(moves);
    }
    let own = play.seats[seat];
    let choices = lists.iter().filter(|list| list.len() > 1).count() as u32;
    lists[own]
        .retain(|mv| Some(play.engine.text(position, own, *mv)) == step.first().map(|t| &**t));
    let all = lists
        .iter()
        .fold(1usize, |all, list| all.saturating_mul(list.len()));
    let weight = world.weight / (all.max(1) as f64);
    let mut failure = None;
    let mut make = |joint: &[u32]| {
        let mut after = At {
            position: position.clone(),
            ply: world.at.ply + choices,
            counts: Vec::new(),
            histories: world.at.histories.clone(),
        };
        let mut on_step = |joint: &[u32], percepts: crate::engine::Percepts| {
            note(play, position, joint, &percepts, &mut after.histories);
        };
        match play.step(&mut after.position, joint, &mut on_step) {
            Err(broken) => failure = Some(broken),
            Ok(()) => {
                if after.histories.0[seat].last() == Some(step) {
                    next.push(World { at: after, weight });
                }
            }
        }
        failure.is_none()
    };
    if all <= MOST_STEPS {
        combinations(&lists, &mut make);
    } else {
        for _ in 0..MOST_STEPS {
            let joint: Vec<u32> = lists
                .iter()
                .map(|list| list[rng.index(list.len())])
                .collect();
            if !make(&joint) {
                break;
            }
        }
    }
    failure.map_or(Ok(()), |broken| Err(broken.into()))
}

/// At most `most` of these, drawn by their weights.
fn thinned<E: Engine>(worlds: Vec<World<E>>, most: usize, rng: &mut Rng) -> Vec<World<E>> {
    if worlds.len() <= most {
        return worlds;
    }
    let all: f64 = worlds.iter().map(|world| world.weight).sum();
    let step = all / most as f64;
    let mut at = rng.unit() * step;
    let mut kept = Vec::with_capacity(most);
    for mut world in worlds {
        let times = ((world.weight - at) / step).ceil().max(0.0);
        at += times * step - world.weight;
        if times > 0.0 {
            world.weight = times * step;
            kept.push(world);
        }
    }
    kept
}

fn draw<'w, E: Engine>(worlds: &'w [World<E>], rng: &mut Rng) -> Option<&'w World<E>> {
    let all: f64 = worlds.iter().map(|world| world.weight).sum();
    let mut left = rng.unit() * all;
    let mut drawn = worlds.last();
    for world in worlds {
        left -= world.weight;
        if left < 0.0 {
            drawn = Some(world);
            break;
        }
    }
    drawn
}
