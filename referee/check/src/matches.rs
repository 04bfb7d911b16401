//! Checks that play matches: games, seats, positions, clocks, encodings.

use std::time::Duration;

use games::session::{as_strs, random_step};
use games::{BrokenRules, Limits, Rng, Session, ToMove};
use protocol::{BotHello, Millis, TimeControl, in_words};

use super::checked_match::{MatchSetup, Performance, play};
use super::encodings::Encoding;
use super::environment::Lab;
use super::finding::{Diagnostic, Note};
use super::selection::Variant;
use super::session::BotSession;

/// The most steps that a game is looked ahead.
const LONGEST: usize = 400;

/// A match of a variant from its start, in which the bot makes a few moves.
pub(super) fn match_setup<'v>(
    lab: &Lab,
    variant: &'v Variant,
    seat: usize,
    seed: u64,
) -> Result<MatchSetup<'v>, BrokenRules> {
    let start = variant.rules.start(seed)?;
    let limits = limits(variant, &*start, seat, lab.extent.turns, seed);
    Ok(match_setup_at(lab, variant, seat, seed, start, limits))
}

fn match_setup_at<'v>(
    lab: &Lab,
    variant: &'v Variant,
    seat: usize,
    seed: u64,
    start: Box<dyn Session>,
    limits: Limits,
) -> MatchSetup<'v> {
    let seats = 0..variant.rules.seats();
    let names = seats.map(|other| {
        if other == seat {
            lab.spec.name.clone()
        } else {
            format!("other {other}")
        }
    });
    MatchSetup {
        variant,
        seat,
        start,
        opening: Vec::new(),
        limits,
        time: lab.lenient(),
        names: names.collect(),
        seed,
        forfeit_after: None,
        strict: false,
    }
}

/// Limits under which a seat makes about this many moves, as in a random game.
pub(super) fn limits(
    variant: &Variant,
    start: &dyn Session,
    seat: usize,
    turns: u32,
    seed: u64,
) -> Limits {
    let mut limits = variant.rules.info().limits;
    let (mut session, mut rng) = (start.fork(), Rng::from_parts(&[seed, 2]));
    let mut made = 0;
    while let Some((to_move, _)) = step(&mut *session, &mut rng) {
        made += u32::from(to_move.includes(seat));
        if made >= turns {
            let most = limits.max_plies.unwrap_or(u32::MAX);
            limits.max_plies = Some(session.ply().min(most));
            break;
        }
    }
    limits
}

/// Makes a random step, and returns its seats and moves. `None` at the end.
fn step(session: &mut dyn Session, rng: &mut Rng) -> Option<(ToMove, Vec<String>)> {
    let movers = session.to_move();
    let choices = random_step(session, rng).ok()??;
    session.play_step(&as_strs(&choices)).ok()?;
    Some((movers, choices))
}

/// Plays a whole match after the handshake.
async fn play_whole(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    setup: MatchSetup<'_>,
) -> Result<Performance, Diagnostic> {
    bot.introduce().await?;
    play(bot, hello, setup).await
}

fn note(performance: &Performance) -> Note {
    let ply = performance.resigned?;
    Some(format!("it resigned at ply {ply}"))
}

pub(super) async fn from_the_start(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    variant: &Variant,
    seat: usize,
) -> Result<Note, Diagnostic> {
    let seed = bot.lab.extent.seed;
    let played = play_whole(bot, hello, match_setup(bot.lab, variant, seat, seed)?).await?;
    Ok(note(&played))
}

/// The opening has a ply of the seat that is to move after it, if possible.
pub(super) async fn opening(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    variant: &Variant,
) -> Result<Note, Diagnostic> {
    let seed = bot.lab.extent.seed;
    let start = variant.rules.start(seed)?;
    let (mut session, mut rng) = (start.fork(), Rng::from_parts(&[seed, 3]));
    let (mut moves, mut movers) = (Vec::new(), Vec::new());
    while moves.len() < LONGEST {
        let to_move = session.to_move();
        if moves.len() > 1 && to_move.seats().any(|seat| movers.contains(&seat)) {
            break;
        }
        let Some((who, choices)) = step(&mut *session, &mut rng) else {
            break;
        };
        movers.extend(who.seats());
        moves.extend(choices);
    }
    let Some(seat) = session.to_move().seats().next() else {
        return Ok(Some("there is no such opening".to_owned()));
    };
    let mut setup = match_setup(bot.lab, variant, seat, seed)?;
    setup.limits = limits(variant, &*session, seat, 2, seed);
    setup.opening = moves;
    Ok(note(&play_whole(bot, hello, setup).await?))
}

/// A turn in each of some positions of a random game, the last one close to its end.
pub(super) async fn positions(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    variant: &Variant,
) -> Result<Note, Diagnostic> {
    let (seed, count) = (bot.lab.extent.seed, bot.lab.extent.positions);
    let rules = &variant.rules;
    let (mut session, mut rng) = (rules.start(seed)?, Rng::from_parts(&[seed, 4]));
    let mut states = Vec::new();
    while states.len() < LONGEST && !session.to_move().is_over() {
        // Nobody can be asked where chance is to move.
        if session.to_move().seats().next().is_some() {
            states.push(session.state()?);
        }
        if step(&mut *session, &mut rng).is_none() {
            break;
        }
    }
    bot.introduce().await?;
    let mut resigned = None;
    for number in 1..=count {
        let index = (states.len() - 1) * number as usize / count as usize;
        // Rules read their own states.
        let Ok(start) = rules.load(&states[index]) else {
            continue;
        };
        let Some(seat) = start.to_move().seats().next() else {
            continue;
        };
        let limits = limits(variant, &*start, seat, 1, seed);
        let seed = seed.wrapping_add(u64::from(number));
        let setup = match_setup_at(bot.lab, variant, seat, seed, start, limits);
        resigned = note(&play(bot, hello, setup).await?).or(resigned);
    }
    Ok(resigned)
}

pub(super) async fn as_wanted(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    home: &Variant,
) -> Result<Note, Diagnostic> {
    from_the_start(bot, hello, home, 0).await?;
    let gets = |wants| if wants { "gets" } else { "does not get" };
    let (state, legal) = (gets(hello.wants.state), gets(hello.wants.legal));
    Ok(Some(format!("it {state} `state`, and {legal} `legal`")))
}

/// Another seat moves, and the match ends by its limit.
pub(super) async fn no_turn(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    home: &Variant,
) -> Result<Note, Diagnostic> {
    let seed = bot.lab.extent.seed;
    let start = home.rules.start(seed)?;
    let to_move = start.to_move().seats().next().unwrap_or_default();
    let seat = (to_move + 1) % home.rules.seats();
    let mut short = match_setup(bot.lab, home, seat, seed)?;
    short.limits.max_plies = Some(start.ply() + 1);
    play_whole(bot, hello, short).await?;
    // The bot still plays.
    let next = match_setup(bot.lab, home, seat, seed.wrapping_add(1))?;
    Ok(note(&play(bot, hello, next).await?))
}

/// Several matches in both seats, of several games if the bot plays several. In one of them another
/// seat crashes.
pub(super) async fn several(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    variants: &[Variant],
) -> Result<Note, Diagnostic> {
    bot.introduce().await?;
    let home = &variants[0];
    let other = variants.last().unwrap_or(home);
    let mut resigned = None;
    for (number, (variant, seat)) in [(home, 0), (home, 1), (other, 1), (home, 0)]
        .into_iter()
        .enumerate()
    {
        let seed = bot.lab.extent.seed.wrapping_add(number as u64);
        let mut setup = match_setup(bot.lab, variant, seat, seed)?;
        setup.forfeit_after = (number == 1).then_some(1);
        resigned = note(&play(bot, hello, setup).await?).or(resigned);
    }
    Ok(resigned)
}

pub(super) async fn encoded(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    home: &Variant,
    encoding: Encoding,
) -> Result<Note, Diagnostic> {
    bot.encoding = encoding;
    let note = from_the_start(bot, hello, home, 0).await?;
    // `quit` comes in this encoding, too. Another check judges whether it is enough.
    bot.send(&protocol::ToBot::Quit).await;
    bot.process.close_input();
    bot.expect_end("`quit`", false).await?;
    Ok(note)
}

pub(super) async fn unicode(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    home: &Variant,
) -> Result<Note, Diagnostic> {
    let seed = bot.lab.extent.seed;
    let mut setup = match_setup(bot.lab, home, 0, seed)?;
    for (name, odd) in setup
        .names
        .iter_mut()
        .zip(["Zoë", "北極 \"🐧\" \\ é"].iter().cycle())
    {
        *name = (*odd).to_owned();
    }
    Ok(note(&play_whole(bot, hello, setup).await?))
}

/// Half a millisecond, as times may have decimals.
const ODD: Duration = Duration::from_micros(500);

pub(super) async fn per_move(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    home: &Variant,
) -> Result<Note, Diagnostic> {
    let extent = bot.lab.extent;
    let time = TimeControl {
        per_move: Some(Millis(extent.time + ODD)),
        margin: Millis(extent.margin),
        ..bot.lab.lenient()
    };
    timed(bot, hello, home, time, extent.turns).await
}

pub(super) async fn game_clock(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    home: &Variant,
) -> Result<Note, Diagnostic> {
    let extent = bot.lab.extent;
    let time = TimeControl {
        per_move: None,
        base: Some(Millis(extent.time * 5 + ODD)),
        increment: Some(Millis(extent.time / 10 + ODD)),
        margin: Millis(extent.margin),
        ..bot.lab.lenient()
    };
    timed(bot, hello, home, time, 2 * extent.turns).await
}

async fn timed(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    home: &Variant,
    time: TimeControl,
    turns: u32,
) -> Result<Note, Diagnostic> {
    let seed = bot.lab.extent.seed;
    let start = home.rules.start(seed)?;
    let limits = limits(home, &*start, 0, turns, seed);
    let mut setup = match_setup_at(bot.lab, home, 0, seed, start, limits);
    setup.time = time;
    setup.strict = true;
    let played = play_whole(bot, hello, setup).await?;
    let slowest = in_words(played.slowest);
    Ok(Some(format!("its slowest move took {slowest}")))
}
