//! Do a program's own playouts follow the same distribution as its legal moves?

use games::playout::{PlayoutBudget, PlayoutMeans, PlayoutRequest};
use games::session::random_step;
use games::{BrokenRules, Rng, Session};

use super::questions::{Bench, play_both};
use super::subjects::Verdict;

/// Playouts requested at once. A program may refuse many, and is then asked for fewer.
const COUNTS: [u32; 4] = [64, 16, 4, 1];
const SEEDS: u64 = 8;
/// Games without a limit of their own stop at this ply.
const LONGEST: u32 = 1_000;
/// The most games played step by step, and the number of plies after which none is started.
const MOST_GAMES: u32 = 400;
const MOST_PLIES: u64 = 4_000;
/// The second position, in steps from the first.
const LATER: usize = 3;
/// Larger differences between means, in standard errors, are findings. By chance they occur less than
/// once in a million times.
const MOST_ERRORS: f64 = 5.0;
/// The largest possible standard deviation of outcomes between 0 and 1.
const OUTCOME_DEVIATION: f64 = 0.5;

pub(super) fn playouts(bench: &Bench<'_>) -> Verdict {
    let broken = |broken: BrokenRules| broken.to_string();
    let twin = bench.twin.as_ref().map_err(String::clone)?;
    let seed = bench.extent.seed;
    let mut here = bench.rules.start(seed).map_err(broken)?;
    let mut there = twin.start(seed).map_err(broken)?;
    let mut rng = Rng::from_parts(&[seed, 4]);
    let mut plays = false;
    for step in 0..=LATER {
        if (step == 0 || step == LATER) && !here.to_move().is_over() {
            plays |= compare(bench, &*here, &*there)?;
        }
        let choices = random_step(&mut *here, &mut rng).map_err(broken)?;
        let Some(choices) = choices else { break };
        play_both([&mut here, &mut there], &choices)?;
    }
    Ok((!plays).then(|| "made up for by `play`".to_owned()))
}

/// Compares playouts of the program with those of its second process and with games step by step.
/// Returns false if the program has no playouts.
fn compare(bench: &Bench<'_>, here: &dyn Session, twin: &dyn Session) -> Result<bool, String> {
    let max_plies = bench.rules.info().limits.max_plies.unwrap_or(LONGEST);
    let Some((theirs, games)) = own_games(here, twin, max_plies)? else {
        return Ok(false);
    };
    let mut lengths = Vec::new();
    let mut go_on = |length: u64| {
        lengths.push(length);
        lengths.iter().sum::<u64>() < MOST_PLIES
    };
    let request = PlayoutRequest {
        max_plies: Some(max_plies),
        ..PlayoutRequest::new(MOST_GAMES, bench.extent.seed)
    };
    let by_steps = here.playouts(&request, PlayoutBudget::While(&mut go_on));
    let by_steps = by_steps.map_err(|broken| broken.to_string())?;
    let by_steps = by_steps.expect("one game is always played");
    let (ours, number) = (by_steps.means, by_steps.count);
    let errors = MOST_ERRORS * (1.0 / f64::from(number) + 1.0 / games).sqrt();
    for (seat, (ours, theirs)) in ours.outcome.iter().zip(&theirs.outcome).enumerate() {
        if (ours - theirs).abs() > errors * OUTCOME_DEVIATION {
            return Err(format!(
                "has {theirs:.3} as the mean outcome of seat {seat} in {games} random games, but \
                 {number} games by its legal moves have {ours:.3}"
            ));
        }
    }
    let squares = lengths
        .iter()
        .map(|&length| (length as f64 - ours.plies).powi(2));
    let deviation = (squares.sum::<f64>() / lengths.len() as f64).sqrt();
    // A rare event may be in one sample and not in the other.
    let slack = 1.0 + ours.plies / 10.0;
    if (ours.plies - theirs.plies).abs() > errors * deviation + slack {
        return Err(format!(
            "has {:.1} as the mean number of plies in {games} random games, but {number} games by its \
             legal moves have {:.1}",
            theirs.plies, ours.plies
        ));
    }
    Ok(true)
}

/// The means of the program's own playouts, with their number. `None` if it has none.
fn own_games(
    here: &dyn Session,
    twin: &dyn Session,
    max_plies: u32,
) -> Result<Option<(PlayoutMeans, f64)>, String> {
    let ask = |session: &dyn Session, count, seed| {
        let request = PlayoutRequest {
            max_plies: Some(max_plies),
            ..PlayoutRequest::new(count, seed)
        };
        let played = rules::own_playouts(session, &request);
        played.map_err(|broken| broken.to_string())
    };
    let mut sum = PlayoutMeans {
        outcome: vec![0.0; here.seats()],
        plies: 0.0,
    };
    let mut games = 0.0;
    for seed in 0..SEEDS {
        for count in COUNTS {
            let Some(played) = ask(here, count, seed)? else {
                continue;
            };
            if ask(twin, count, seed)?.as_ref() != Some(&played) {
                return Err(format!(
                    "answers `playout` with {count} games from the seed {seed} in another way in a \
                     second process"
                ));
            }
            let count = f64::from(count);
            games += count;
            sum.plies += count * played.plies;
            for (sum, mean) in sum.outcome.iter_mut().zip(&played.outcome) {
                *sum += count * mean;
            }
            break;
        }
    }
    if games == 0.0 {
        return Ok(None);
    }
    sum.plies /= games;
    sum.outcome.iter_mut().for_each(|sum| *sum /= games);
    Ok(Some((sum, games)))
}
