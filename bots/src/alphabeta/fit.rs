//! Fits the weights of evaluations to games that `alphabeta` plays against itself:
//! `FIT=siam:400:2000 cargo test --profile campaign -p referee-bots fit_weights -- --ignored --nocapture` plays 400
//! games with 2000 nodes a move and prints weights to put into the source. `FIT_SEED` selects other
//! games, `FIT_OPTIONS` the game's options; with `FIT_HANDICAP` the first seat plays that many times
//! more random moves. With more than two seats, each pair of them is compared.

use games::registry::{self, Visitor};
use games::{Game, MAX_SEATS, Options, Rng};

use crate::alphabeta::AlphaBeta;
use crate::engine::{Engine, Question, Search};
use crate::evaluation::features;
use crate::evaluation::linear::{FeatureTable, Features, MOST_FEATURES};

/// A game begins with fewer random plies than this.
const OPENING: u64 = 8;
/// After that, one in this many plies of a seat is random. The number is drawn for each seat and game,
/// so that the seat that is worse off wins some games, too.
const RANDOM_ONE_IN: [u64; 6] = [2, 4, 8, 16, 16, 32];
/// The ridge penalty, which draws weights towards 0.
const RIDGE: f64 = 2.0;

/// A position and two seats: the features of one less those of the other, and whether it is ahead of
/// the other in the end: 1, ½ or 0.
type Sample = ([f64; MOST_FEATURES], f64);

/// Plays a game and appends its positions to `samples`.
fn play<G: Game, F: Features<G>>(
    game: &G,
    nodes: u64,
    handicap: u64,
    seed: u64,
    samples: &mut Vec<Sample>,
) {
    let pairs: Vec<(usize, usize)> = (0..game.seats())
        .flat_map(|one| (one + 1..game.seats()).map(move |other| (one, other)))
        .collect();
    let mut rng = Rng::new(seed);
    let mut position = game.start(&mut rng);
    let mut features = F::default();
    let bot = AlphaBeta {
        nodes: Some(nodes),
        untimed: true,
    };
    let mut searches: Vec<Box<dyn Search<G>>> =
        (0..game.seats()).map(|_| bot.new_search()).collect();
    let opening = rng.below(OPENING) as u32;
    let mut random_one_in = [0; MAX_SEATS].map(|_| RANDOM_ONE_IN[rng.index(RANDOM_ONE_IN.len())]);
    random_one_in[0] = (random_one_in[0] / handicap).max(1);
    let first = samples.len();
    let mut scratch = Vec::new();
    let most = G::INFO.limits.max_plies.unwrap_or(u32::MAX);
    while let Some(seat) = game.to_move(&position) {
        let ply = game.ply(&position);
        if ply >= most {
            break;
        }
        if ply > opening && features.certain(game, &position).is_none() {
            let mut table = FeatureTable::default();
            features.count(game, &position, &mut table);
            for &(one, other) in &pairs {
                let lead = |i| f64::from(table[one][i] - table[other][i]);
                samples.push((std::array::from_fn(lead), 0.0));
            }
        }
        let mv = if ply < opening || rng.below(random_one_in[seat]) == 0 {
            game.random_move(&position, &mut rng, &mut scratch)
        } else {
            let question = Question {
                max_plies: G::INFO.limits.max_plies,
                ..Question::new(game, &position, seat)
            };
            searches[seat].choose(&question, &mut rng).mv
        };
        game.play_unchecked(&mut position, mv);
        searches.iter_mut().for_each(|search| search.played(mv));
    }
    let outcome = game.outcome(&position);
    for (sample, &(one, other)) in samples[first..].iter_mut().zip(pairs.iter().cycle()) {
        let order = outcome[one].total_cmp(&outcome[other]);
        sample.1 = (1.0 + f64::from(order as i8)) / 2.0;
    }
}

/// The weights under which the samples are most likely (logistic regression by Newton's method).
fn fit(samples: &[Sample], count: usize) -> Vec<f64> {
    let mut weights = vec![0.0; count];
    for _ in 0..30 {
        let mut gradient: Vec<f64> = weights.iter().map(|weight| -RIDGE * weight).collect();
        let mut curve = vec![vec![0.0; count]; count];
        for (i, row) in curve.iter_mut().enumerate() {
            row[i] = RIDGE;
        }
        for (features, outcome) in samples {
            let sum: f64 = weights.iter().zip(features).map(|(w, f)| w * f).sum();
            let expected = 1.0 / (1.0 + (-sum).exp());
            let spread = expected * (1.0 - expected);
            for i in 0..count {
                gradient[i] += (outcome - expected) * features[i];
                for j in 0..count {
                    curve[i][j] += spread * features[i] * features[j];
                }
            }
        }
        let step = solve(curve, gradient);
        weights
            .iter_mut()
            .zip(step)
            .for_each(|(w, s)| *w += s.clamp(-1.0, 1.0));
    }
    weights
}

/// Solves a system of linear equations whose matrix is positive definite.
fn solve(mut rows: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for i in 0..n {
        for j in i + 1..n {
            let factor = rows[j][i] / rows[i][i];
            let (above, below) = rows.split_at_mut(j);
            for (value, pivot) in below[0].iter_mut().zip(&above[i]).skip(i) {
                *value -= factor * pivot;
            }
            right[j] -= factor * right[i];
        }
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|k| rows[i][k] * right[k]).sum();
        right[i] = (right[i] - known) / rows[i][i];
    }
    right
}

fn loss(samples: &[Sample], weights: &[f64]) -> f64 {
    let one = |(features, outcome): &Sample| {
        let sum: f64 = weights.iter().zip(features).map(|(w, f)| w * f).sum();
        (1.0 + (-sum).exp()).ln() + (1.0 - outcome) * sum
    };
    samples.iter().map(one).sum::<f64>() / samples.len() as f64
}

fn report<G: Game, F: Features<G>>(games: u64, nodes: u64) {
    let mut samples = Vec::new();
    let handicap = std::env::var("FIT_HANDICAP")
        .ok()
        .and_then(|s| s.parse().ok());
    let seed = std::env::var("FIT_SEED").ok().and_then(|s| s.parse().ok());
    let options = std::env::var("FIT_OPTIONS").unwrap_or_else(|_| "{}".to_owned());
    let options = serde_json::from_str(&options).unwrap();
    let rules = G::new(&Options::of::<G>(&options).unwrap()).unwrap();
    for game in 0..games {
        play::<G, F>(
            &rules,
            nodes,
            handicap.unwrap_or(1),
            seed.unwrap_or(1u64) * 1_000_000 + game,
            &mut samples,
        );
    }
    let old: Vec<f64> = F::WEIGHTS.iter().map(|w| f64::from(*w)).collect();
    let mean = samples.iter().map(|s| s.1).sum::<f64>() / samples.len() as f64;
    let new = fit(&samples, old.len());
    println!(
        "{}: {} positions, mean {mean:.3}",
        G::INFO.id,
        samples.len()
    );
    println!(
        "loss {:.4} before, {:.4} now",
        loss(&samples, &old),
        loss(&samples, &new)
    );
    let text: Vec<String> = new.iter().map(|w| format!("{w:.3}")).collect();
    println!("{}", text.join(", "));
}

#[test]
#[ignore = "makes weights, and takes minutes"]
fn fit_weights() {
    let text = std::env::var("FIT").unwrap_or_else(|_| "siam:20:200".to_owned());
    let [game, games, nodes] = text.split(':').collect::<Vec<_>>()[..] else {
        panic!("GAME:GAMES:NODES is needed, not {text}");
    };
    let (games, nodes) = (games.parse().unwrap(), nodes.parse().unwrap());
    match game {
        "amazons" => report::<games::rules::amazons::Amazons, features::amazons::AmazonsFeatures>(
            games, nodes,
        ),
        "amazon-penguins" => report::<
            games::rules::amazon_penguins::AmazonPenguins,
            features::amazon_penguins::AmazonPenguinsFeatures,
        >(games, nodes),
        "elephant-run" => {
            report::<
                games::rules::elephant_run::ElephantRun,
                features::elephant_run::ElephantRunFeatures,
            >(games, nodes);
        }
        "giantslayer" => {
            report::<
                games::rules::giantslayer::Giantslayer,
                features::giantslayer::GiantslayerFeatures,
            >(games, nodes);
        }
        "paper-penguins" => {
            report::<
                games::rules::paper_penguins::PaperPenguins,
                features::paper_penguins::PaperPenguinsFeatures,
            >(games, nodes);
        }
        "penguins" => report::<
            games::rules::penguins::Penguins,
            features::penguins::PenguinsFeatures,
        >(games, nodes),
        "run" => report::<games::rules::run::Run, features::run::RunFeatures>(games, nodes),
        "siam" => report::<games::rules::siam::Siam, features::siam::SiamFeatures>(games, nodes),
        _ => panic!("{game} has no evaluation of its own"),
    }
}

#[test]
fn a_fit_finds_the_weights_that_made_the_outcomes() {
    let mut rng = Rng::new(3);
    let mut number = || rng.below(2001) as f64 / 1000.0 - 1.0;
    let samples: Vec<Sample> = (0..2000)
        .map(|_| {
            let mut features = [0.0; MOST_FEATURES];
            (features[0], features[1]) = (number(), number());
            let sum = 2.0 * features[0] - features[1];
            (features, 1.0 / (1.0 + f64::exp(-sum)))
        })
        .collect();
    let weights = fit(&samples, 2);
    assert!((weights[0] - 2.0).abs() < 0.1 && (weights[1] + 1.0).abs() < 0.1);
    assert!(loss(&samples, &weights) < loss(&samples, &[0.0, 0.0]));
}

/// Checks that a game has an evaluation of its own.
struct HasOwn;

impl Visitor for HasOwn {
    type Output = bool;

    fn visit<G: Game>(self) -> bool {
        crate::evaluation::own::<G>().is_some()
    }
}

#[test]
fn every_game_has_an_evaluation_of_its_own() {
    for game in games::GAMES.iter() {
        assert_eq!(
            registry::visit(&game.info.id, &serde_json::Value::Null, HasOwn),
            Some(true)
        );
    }
}
