//! Starts and openings: the same for all seat orders of a pairing.

use arbiter::adjudication::LimitWatch;
use arbiter::chance::{Chance, Draws, MOST_OTHERS};
use config::tables::OpeningOrder;
use config::{BookOpening, Config, GameSetup, Judged};
use deals::{Deal, Pairing};
use games::playout::PlayoutRequest;
use games::session::{MoveError, PlyByPly, as_strs};
use games::{Actor, BrokenRules, Limits, Rng, Session};
use schedule::Scheduled;

/// Random games that judge the balance of an opening.
const PLAYOUTS: u32 = 200;
/// Draws of a random opening that ends the game, before a shorter one is taken.
const TRIES: u32 = 50;
/// Seeds stay below 2^53, which every JSON reader represents exactly.
const SEED_MASK: u64 = (1 << 53) - 1;

pub struct Opening {
    pub start: Box<dyn Session>,
    /// The moves that the referee makes.
    pub moves: Vec<String>,
    /// Distance from equal chances, if it exceeds what the configuration allows.
    pub unbalanced: Option<f64>,
}

impl Opening {
    /// The opening of a match of a tournament, from its deal, if it has one.
    ///
    /// # Errors
    /// If rules from outside do not work.
    pub fn of(
        config: &Config,
        scheduled: &Scheduled,
        deal: Option<&Deal>,
    ) -> Result<Self, BrokenRules> {
        let (game, openings) = (&config.games[scheduled.game], &config.openings);
        // All seat orders of a pairing share the deal.
        let seed = match openings.order {
            OpeningOrder::Pairing => seed(config, scheduled),
            OpeningOrder::Round => round_seed(config, scheduled),
        };
        let book = from_book(config, scheduled)?;
        let lopsided_book = openings.judged[scheduled.game]
            .get()
            .and_then(|judged| judged.best);
        let draws = Draws::of(seed, deal.map(|deal| deal.key));
        let candidate = |draws: Draws| match &book {
            Some((start, moves)) => {
                let more = more_moves(&**start, game, moves, draws, openings.random_plies)?;
                Ok((start.fork(), more))
            }
            None => {
                let start = game.rules.start(draws.start())?;
                let moves = drawn(&*start, game.limits, draws, openings.random_plies)?;
                Ok((start, moves))
            }
        };
        let (start, moves) = candidate(draws)?;
        // The book's openings were judged before.
        let varies = openings.random_plies > 0 || book.is_none();
        let Some(margin) = openings.balanced.filter(|_| varies) else {
            return Ok(Opening {
                start,
                moves,
                unbalanced: lopsided_book,
            });
        };
        balanced((start, moves), game, (seed, draws), margin, candidate)
    }
}

type Candidate = (Box<dyn Session>, Vec<String>);

/// The first balanced opening of several candidates, or else the most balanced one.
fn balanced(
    first: Candidate,
    game: &GameSetup,
    (first_seed, draws): (u64, Draws),
    margin: f64,
    candidate: impl Fn(Draws) -> Result<Candidate, BrokenRules>,
) -> Result<Opening, BrokenRules> {
    let first_is = (first.0.identity()?, first.1.clone());
    let mut best = (imbalance(&*first.0, &first.1, game, first_seed)?, first);
    for number in 1..MOST_OTHERS {
        if best.0 <= margin {
            break;
        }
        let draws = draws.other(number);
        let (start, moves) = candidate(draws)?;
        if number == 1 && (start.identity()?, moves.clone()) == first_is && moves.is_empty() {
            // The game has one start and no random plies: there are no other candidates.
            break;
        }
        // These random games only judge, and nothing of a deal follows from them.
        let seed = match draws {
            Draws::Seed(seed) => seed,
            Draws::Key(_) => first_seed,
        };
        let value = imbalance(&*start, &moves, game, seed)?;
        if value < best.0 {
            best = (value, (start, moves));
        }
    }
    let (value, (start, moves)) = best;
    Ok(Opening {
        start,
        moves,
        unbalanced: (value > margin).then_some(value),
    })
}

/// Distance of an opening from equal chances: the largest distance of a seat's mean outcome from
/// one half, in random games.
fn imbalance(
    start: &dyn Session,
    moves: &[String],
    game: &GameSetup,
    seed: u64,
) -> Result<f64, BrokenRules> {
    let mut session = start.fork();
    let played = PlyByPly::default().add_all(&mut *session, moves);
    played.map_err(refused)?;
    let playouts = session.playout_means(&PlayoutRequest {
        max_plies: game.limits.max_plies,
        ..PlayoutRequest::new(PLAYOUTS, seed)
    })?;
    let distances = playouts.outcome.iter().map(|mean| (mean - 0.5).abs());
    Ok(distances.fold(0.0, f64::max))
}

/// Rules that refuse a move that they accepted before are broken.
fn refused(error: MoveError) -> BrokenRules {
    match error {
        MoveError::Broken(broken) => broken,
        error => BrokenRules::new(format!(
            "the rules refuse an opening that they took: {error}"
        )),
    }
}

/// The opening of a match from the book, if it has any of its game. Each pairing plays all of them,
/// in an order of its own, before it repeats one.
pub(crate) fn from_book(
    config: &Config,
    scheduled: &Scheduled,
) -> Result<Option<Candidate>, BrokenRules> {
    let book = config.openings.book.get(scheduled.game);
    let Some(book) = book.filter(|book| !book.is_empty()) else {
        return Ok(None);
    };
    let game = &config.games[scheduled.game];
    let mut deal: Vec<usize> = match config.openings.balanced {
        Some(margin) => {
            let judged = &config.openings.judged[scheduled.game];
            if judged.get().is_none() {
                // Another slot may have judged it in the meantime, with the same result.
                let _ = judged.set(judge(book, game, config.seed, margin)?);
            }
            judged
                .get()
                .map_or(Vec::new(), |judged| judged.chosen.clone())
        }
        None => (0..book.len()).collect(),
    };
    let dealer = match config.openings.order {
        OpeningOrder::Pairing => format!("book\n{}", pairing(config, scheduled)),
        OpeningOrder::Round => "book\nround".to_owned(),
    };
    Rng::from_text(config.seed, &dealer).shuffle(&mut deal);
    let opening = &book[deal[scheduled.turn as usize % deal.len()]];
    opening.open(&*game.rules).map(Some)
}

/// The seed of the openings of all pairings in one round.
fn round_seed(config: &Config, scheduled: &Scheduled) -> u64 {
    let round = format!("round\n{}\n{}", scheduled.game, scheduled.turn);
    Rng::from_text(config.seed, &round).next_u64() & SEED_MASK
}

fn judge(
    book: &[BookOpening],
    game: &GameSetup,
    seed: u64,
    margin: f64,
) -> Result<Judged, BrokenRules> {
    let value = |opening: &BookOpening| {
        let (start, moves) = opening.open(&*game.rules)?;
        imbalance(&*start, &moves, game, seed)
    };
    let values = book.iter().map(value).collect::<Result<Vec<f64>, _>>()?;
    let chosen: Vec<usize> = (0..book.len()).filter(|&i| values[i] <= margin).collect();
    let best = (0..book.len()).min_by(|&a, &b| values[a].total_cmp(&values[b]));
    Ok(match best.filter(|_| chosen.is_empty()) {
        Some(best) => Judged {
            chosen: vec![best],
            best: Some(values[best]),
        },
        None => Judged { chosen, best: None },
    })
}

/// Moves of a book, followed by random plies.
fn more_moves(
    start: &dyn Session,
    game: &GameSetup,
    moves: &[String],
    draws: Draws,
    plies: u32,
) -> Result<Vec<String>, BrokenRules> {
    let mut all = moves.to_vec();
    if plies > 0 {
        let mut session = start.fork();
        let played = PlyByPly::default().add_all(&mut *session, moves);
        played.map_err(refused)?;
        all.extend(drawn(&*session, game.limits, draws, plies)?);
    }
    Ok(all)
}

/// The seed of a pairing: the same for all its seat orders, and independent of the rest of the
/// tournament.
pub fn seed(config: &Config, scheduled: &Scheduled) -> u64 {
    let rules = &config.games[scheduled.game].rules;
    let text = format!(
        "{} {} {}\n{}",
        &rules.description().own_id,
        rules.options().to_json(),
        scheduled.turn,
        names(config, scheduled)
    );
    Rng::from_text(config.seed, &text).next_u64() & SEED_MASK
}

/// The deal of a match; `None` if its seed determines everything.
pub fn deal(config: &Config, scheduled: &Scheduled) -> Option<Deal> {
    let of_pairing = pairing_deal(config, scheduled)?;
    Some(match_deal(config, scheduled, of_pairing))
}

/// The deal of a match of a pairing. Seat orders share it, unless a player lives from one match to
/// the next and could remember it: then each has its own.
pub fn match_deal(config: &Config, scheduled: &Scheduled, of_pairing: Deal) -> Deal {
    let seats = scheduled.seats.iter();
    let bots: Vec<_> = seats.map(|&bot| &*config.bots[bot]).collect();
    if bots.iter().all(|spec| spec.ggp.is_none()) {
        return of_pairing;
    }
    let names: Vec<&str> = bots.iter().map(|spec| &*spec.name).collect();
    of_pairing.of_seat_order(&names)
}

/// The deal of a pairing; `None` if the seed determines everything.
pub fn pairing_deal(config: &Config, scheduled: &Scheduled) -> Option<Deal> {
    let bots = scheduled.seats.iter().map(|&bot| &*config.bots[bot].name);
    config.deals().deal(&Pairing {
        rules: &*config.games[scheduled.game].rules,
        seed: seed(config, scheduled),
        names: bots.collect(),
    })
}

/// The game and the bots of a pairing, as the text that seeds derive from.
fn pairing(config: &Config, scheduled: &Scheduled) -> String {
    let rules = &config.games[scheduled.game].rules;
    let (id, options) = (&rules.description().own_id, rules.options().to_json());
    format!("{id} {options}\n{}", names(config, scheduled))
}

/// The names of a pairing's bots, regardless of their seats. Bots that play alone get the same starts:
/// their results are compared.
fn names(config: &Config, scheduled: &Scheduled) -> String {
    if scheduled.seats.len() == 1 {
        return String::new();
    }
    let group = scheduled.group().into_iter();
    let names: Vec<&str> = group.map(|bot| &*config.bots[bot].name).collect();
    names.join("\n")
}

/// Random plies from a seed: `plies` moves of seats, and those of chance between them; fewer only
/// if the match ends earlier by its game or its limits.
///
/// # Errors
/// If rules from outside do not work.
pub fn moves(
    start: &dyn Session,
    limits: Limits,
    seed: u64,
    plies: u32,
) -> Result<Vec<String>, BrokenRules> {
    drawn(start, limits, Draws::Seed(seed), plies)
}

/// Like [`moves`], from any draws.
fn drawn(
    start: &dyn Session,
    limits: Limits,
    draws: Draws,
    plies: u32,
) -> Result<Vec<String>, BrokenRules> {
    let mut rng = draws.opening();
    let mut longest = RandomPlies::default();
    for _ in 0..TRIES {
        let tried = RandomPlies::new(start, limits, (&mut rng, draws), plies)?;
        if tried.made >= plies {
            return Ok(tried.moves);
        }
        if tried.moves.len() > longest.moves.len() {
            longest = tried;
        }
    }
    Ok(longest.moves)
}

/// Random plies that do not end the match.
#[derive(Default)]
struct RandomPlies {
    /// All plies, including those of chance.
    moves: Vec<String>,
    /// The number of plies by seats.
    made: u32,
}

impl RandomPlies {
    fn new(
        start: &dyn Session,
        limits: Limits,
        (rng, draws): (&mut Rng, Draws),
        plies: u32,
    ) -> Result<Self, BrokenRules> {
        let mut session = start.fork();
        let mut chance = Chance::with(draws);
        let mut watch = LimitWatch::new(limits);
        let mut drawn = RandomPlies::default();
        if watch.see(&*session)?.is_some() {
            return Ok(drawn);
        }
        while drawn.made < plies && !session.to_move().is_over() {
            let (mut step, mut made) = (Vec::new(), 0);
            for actor in session.to_move().actors() {
                step.push(match actor {
                    Actor::Chance => chance.draw(&*session)?,
                    Actor::Seat(seat) => {
                        made += 1;
                        session.random_move(seat, rng)?.unwrap_or_default()
                    }
                });
            }
            session.play_step(&as_strs(&step)).map_err(refused)?;
            if watch.see(&*session)?.is_some() || session.to_move().is_over() {
                break;
            }
            drawn.made += made;
            drawn.moves.extend(step);
        }
        Ok(drawn)
    }
}

#[cfg(test)]
mod tests {
    use arbiter::early_end::EarlyEnds;

    use super::*;
    use serde_json::json;

    #[test]
    fn openings_do_not_end_games() {
        let rules = games::find("amazons")
            .unwrap()
            .configure(&json!({"size": 5}))
            .unwrap();
        let mut session = rules.start(3).unwrap();
        let short = moves(&*session, Limits::NONE, 3, 4).unwrap();
        assert_eq!(short.len(), 4);
        assert_eq!(
            moves(&*session, Limits::NONE, 3, 4).unwrap(),
            short,
            "made from the seed alone"
        );
        // No game on 25 cells lasts that long.
        let long = moves(&*session, Limits::NONE, 3, 100).unwrap();
        for mv in &long {
            session.play(mv).unwrap();
        }
        assert!(!long.is_empty() && !session.to_move().is_over());
    }

    #[test]
    fn openings_stay_within_the_limits_of_the_match() {
        let session = games::find("siam")
            .unwrap()
            .configure(&json!({}))
            .unwrap()
            .start(1)
            .unwrap();
        let limits = |max_plies, repetition| Limits {
            max_plies,
            repetition,
        };
        let cut = moves(&*session, limits(Some(7), None), 1, 20).unwrap();
        assert_eq!(cut.len(), 6, "the seventh ply would end the match");
        assert!(
            moves(&*session, limits(Some(1), None), 1, 20)
                .unwrap()
                .is_empty()
        );
        // If the start itself counts as a repetition, no move can be made.
        assert!(
            moves(&*session, limits(None, Some(1)), 1, 20)
                .unwrap()
                .is_empty()
        );
    }

    /// Two bots that play a game for this many rounds.
    fn config(game: &str, rounds: u32, opening: &str, folder: &std::path::Path) -> Config {
        let text = format!(
            "name = \"t\"\nrounds = {rounds}\ngames = [{game}]\n[opening]\n{opening}\n\
             [[bots]]\nname = \"a\"\ncommand = \"referee bot random\"\n\
             [[bots]]\nname = \"b\"\ncommand = \"referee bot random\"\n"
        );
        Config::parse(&text, folder).unwrap()
    }

    /// The openings of all matches: start, moves, imbalance.
    fn all(config: &Config) -> Vec<(String, Vec<String>, Option<f64>)> {
        let schedule = schedule::Schedule::new(&config.shape());
        let one = |scheduled: Scheduled| {
            let opening = Opening::of(config, &scheduled, None).unwrap();
            let start = opening.start.identity().unwrap();
            (start, opening.moves, opening.unbalanced)
        };
        schedule.known().map(one).collect()
    }

    #[test]
    fn books_are_dealt_whole_before_anything_comes_again() {
        let folder = tempfile::tempdir().unwrap();
        let legal = games::find("run").unwrap().configure(&json!({})).unwrap();
        let legal = legal.start(0).unwrap().legal().unwrap();
        let lines: Vec<String> = legal[..3].iter().map(|mv| format!("run: {mv}\n")).collect();
        std::fs::write(folder.path().join("book"), lines.concat()).unwrap();
        let config = config("\"run\"", 6, "book = \"book\"", folder.path());
        let openings = all(&config);
        for pair in openings.chunks(2) {
            assert_eq!(pair[0], pair[1], "the same for both seat orders");
        }
        let dealt: Vec<&String> = openings.iter().step_by(2).map(|o| &o.1[0]).collect();
        let mut first: Vec<&String> = dealt[..3].to_vec();
        assert_eq!(first, dealt[3..]);
        first.sort();
        let mut expected: Vec<&String> = legal[..3].iter().collect();
        expected.sort();
        assert_eq!(first, expected);
    }

    #[test]
    fn random_openings_are_balanced_as_far_as_can_be() {
        let folder = std::path::Path::new("/");
        let game = "{ id = \"amazons\", options = { size = 5 } }";
        let any = config(game, 8, "random_plies = 3", folder);
        let strict = config(game, 8, "random_plies = 3\nbalanced = 0.05", folder);
        let far = |config: &Config, openings: &[(String, Vec<String>, Option<f64>)]| {
            let setup = &config.games[0];
            let far = openings.iter().map(|(_, moves, _)| {
                let start = setup.rules.start(0).unwrap();
                imbalance(&*start, moves, setup, 99).unwrap()
            });
            far.fold(0.0, f64::max)
        };
        let (loose, tight) = (all(&any), all(&strict));
        assert!(far(&any, &loose) > 0.15, "some openings are lopsided");
        assert!(far(&strict, &tight) < 0.15, "{}", far(&strict, &tight));
        assert!(tight.iter().all(|opening| opening.2.is_none()));
        assert!(tight.chunks(2).all(|pair| pair[0] == pair[1]));
        assert_eq!(all(&strict), tight, "they are made from the seed");
        // Without a choice, there is a warning.
        let fixed = config(game, 1, "balanced = 0.0001", folder);
        assert!(all(&fixed)[0].2.is_some());
    }

    #[test]
    fn random_starts_are_chosen_for_balance() {
        let folder = std::path::Path::new("/");
        let strict = config("\"penguins\"", 6, "balanced = 0.03", folder);
        let any = config("\"penguins\"", 6, "", folder);
        let (strict, any) = (all(&strict), all(&any));
        assert!(strict.chunks(2).all(|pair| pair[0] == pair[1]));
        assert_ne!(strict, any);
        assert!(strict.iter().all(|opening| opening.2.is_none()));
    }

    #[test]
    fn lopsided_openings_of_a_book_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let rules = games::find("amazons").unwrap();
        let rules = rules.configure(&json!({"size": 5})).unwrap();
        let setup = GameSetup {
            rules: rules.clone(),
            limits: Limits::NONE,
            early_ends: EarlyEnds::default(),
            weight: 1,
        };
        let mut lines: Vec<(f64, String)> = rules.start(0).unwrap().legal().unwrap()[..40]
            .iter()
            .map(|mv| {
                let far = imbalance(
                    &*rules.start(0).unwrap(),
                    std::slice::from_ref(mv),
                    &setup,
                    1,
                )
                .unwrap();
                (far, format!("amazons: {mv}\n"))
            })
            .collect();
        lines.sort_by(|a, b| a.0.total_cmp(&b.0));
        lines.retain(|(far, _)| *far > 0.001);
        let last = lines.len() - 1;
        let book = format!("{}{}", lines[0].1, lines[last].1);
        std::fs::write(folder.path().join("book"), book).unwrap();
        let game = "{ id = \"amazons\", options = { size = 5 } }";
        let margin = (lines[0].0 + lines[last].0) / 2.0;
        let openings = format!("book = \"book\"\nbalanced = {margin:.4}");
        let dealt = all(&config(game, 4, &openings, folder.path()));
        let only = lines[0].1.trim().trim_start_matches("amazons: ");
        assert!(dealt.iter().all(|opening| opening.1 == [only]));
        assert!(dealt.iter().all(|opening| opening.2.is_none()));
        let none = all(&config(
            game,
            1,
            "book = \"book\"\nbalanced = 0.000001",
            folder.path(),
        ));
        assert!(none[0].2.is_some() && none[0].1 == [only]);
    }
}
