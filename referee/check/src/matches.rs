//! Checks that play matches: every game, every seat, positions, clocks, and other encodings.

use std::time::Duration;

use games::session::{as_strs, random_step};
use games::{BrokenRules, Limits, Rng, Session, ToMove};
use protocol::{BotHello, Millis, TimeControl, in_words};

use super::checked_match::{Performance, Sitting, play};
use super::encodings::Encoding;
use super::finding::{Note, Trouble};
use super::lab::Lab;
use super::selection::Variant;
use super::session::BotSession;

/// No game is looked ahead further than this.
const LONGEST: usize = 400;

/// A match of a variant from its start, in which the bot makes a few moves.
pub(super) fn sitting<'v>(
    lab: &Lab,
    variant: &'v Variant,
    seat: usize,
    seed: u64,
) -> Result<Sitting<'v>, BrokenRules> {
    let start = variant.rules.start(seed)?;
    let limits = limits(variant, &*start, seat, lab.extent.turns, seed);
    Ok(sitting_at(lab, variant, seat, seed, start, limits))
}

fn sitting_at<'v>(
    lab: &Lab,
    variant: &'v Variant,
    seat: usize,
    seed: u64,
    start: Box<dyn Session>,
    limits: Limits,
) -> Sitting<'v> {
    let seats = 0..variant.rules.seats();
    let names = seats.map(|other| {
        if other == seat {
            lab.spec.name.clone()
        } else {
            format!("other {other}")
        }
    });
    Sitting {
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

/// Limits under which a seat makes about this many moves, as many as in a random game.
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

/// Makes a random step; gives who acted, and how. `None` at the end.
fn step(session: &mut dyn Session, rng: &mut Rng) -> Option<(ToMove, Vec<String>)> {
    let movers = session.to_move();
    let choices = random_step(session, rng).ok()??;
    session.play_step(&as_strs(&choices)).ok()?;
    Some((movers, choices))
}

/// Plays a whole match on its own, after the introduction.
async fn alone(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    sitting: Sitting<'_>,
) -> Result<Performance, Trouble> {
    bot.introduce().await?;
    play(bot, hello, sitting).await
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
) -> Result<Note, Trouble> {
    let seed = bot.lab.extent.seed;
    let played = alone(bot, hello, sitting(bot.lab, variant, seat, seed)?).await?;
    Ok(note(&played))
}

/// The opening has a ply of the seat that is to move after it, if that can be.
pub(super) async fn opening(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    variant: &Variant,
) -> Result<Note, Trouble> {
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
    let mut sitting = sitting(bot.lab, variant, seat, seed)?;
    sitting.limits = limits(variant, &*session, seat, 2, seed);
    sitting.opening = moves;
    Ok(note(&alone(bot, hello, sitting).await?))
}

/// A turn in each of some positions of a random game, the last one close to its end.
pub(super) async fn positions(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    variant: &Variant,
) -> Result<Note, Trouble> {
    let (seed, count) = (bot.lab.extent.seed, bot.lab.extent.positions);
    let rules = &variant.rules;
    let (mut session, mut rng) = (rules.start(seed)?, Rng::from_parts(&[seed, 4]));
    let mut states = Vec::new();
    while states.len() < LONGEST && !session.to_move().is_over() {
        // Where chance is to move, nobody can be asked.
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
        // States of these rules are read by these rules.
        let Ok(start) = rules.load(&states[index]) else {
            continue;
        };
        let Some(seat) = start.to_move().seats().next() else {
            continue;
        };
        let limits = limits(variant, &*start, seat, 1, seed);
        let seed = seed.wrapping_add(u64::from(number));
        let sitting = sitting_at(bot.lab, variant, seat, seed, start, limits);
        resigned = note(&play(bot, hello, sitting).await?).or(resigned);
    }
    Ok(resigned)
}

pub(super) async fn as_wanted(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    home: &Variant,
) -> Result<Note, Trouble> {
    let seed = bot.lab.extent.seed;
    alone(bot, hello, sitting(bot.lab, home, 0, seed)?).await?;
    let gets = |wants| if wants { "gets" } else { "does not get" };
    let (state, legal) = (gets(hello.wants.state), gets(hello.wants.legal));
    Ok(Some(format!("it {state} `state`, and {legal} `legal`")))
}

/// Another seat moves, and the match is over by its limit.
pub(super) async fn no_turn(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    home: &Variant,
) -> Result<Note, Trouble> {
    let seed = bot.lab.extent.seed;
    let start = home.rules.start(seed)?;
    let to_move = start.to_move().seats().next().unwrap_or_default();
    let seat = (to_move + 1) % home.rules.seats();
    let mut short = sitting(bot.lab, home, seat, seed)?;
    short.limits.max_plies = Some(start.ply() + 1);
    alone(bot, hello, short).await?;
    // It still plays.
    let next = sitting(bot.lab, home, seat, seed.wrapping_add(1))?;
    Ok(note(&play(bot, hello, next).await?))
}

/// In several games if it plays several, in both seats. In one of the matches another seat crashes.
pub(super) async fn several(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    variants: &[Variant],
) -> Result<Note, Trouble> {
    bot.introduce().await?;
    let home = &variants[0];
    let other = variants.last().unwrap_or(home);
    let mut resigned = None;
    for (number, (variant, seat)) in [(home, 0), (home, 1), (other, 1), (home, 0)]
        .into_iter()
        .enumerate()
    {
        let seed = bot.lab.extent.seed.wrapping_add(number as u64);
        let mut sitting = sitting(bot.lab, variant, seat, seed)?;
        sitting.forfeit_after = (number == 1).then_some(1);
        resigned = note(&play(bot, hello, sitting).await?).or(resigned);
    }
    Ok(resigned)
}

pub(super) async fn encoded(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    home: &Variant,
    encoding: Encoding,
) -> Result<Note, Trouble> {
    bot.encoding = encoding;
    let seed = bot.lab.extent.seed;
    let played = alone(bot, hello, sitting(bot.lab, home, 0, seed)?).await?;
    // `quit` comes in this encoding, too; whether it is enough is for another check to say.
    bot.send(&protocol::ToBot::Quit).await;
    bot.process.close_input();
    bot.expect_end("`quit`", false).await?;
    Ok(note(&played))
}

pub(super) async fn unicode(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    home: &Variant,
) -> Result<Note, Trouble> {
    let seed = bot.lab.extent.seed;
    let mut sitting = sitting(bot.lab, home, 0, seed)?;
    for (name, odd) in sitting
        .names
        .iter_mut()
        .zip(["Zoë", "北極 \"🐧\" \\ é"].iter().cycle())
    {
        *name = (*odd).to_owned();
    }
    Ok(note(&alone(bot, hello, sitting).await?))
}

/// Half a millisecond, as times may have decimals.
const ODD: Duration = Duration::from_micros(500);

pub(super) async fn per_move(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    home: &Variant,
) -> Result<Note, Trouble> {
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
) -> Result<Note, Trouble> {
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
) -> Result<Note, Trouble> {
    let seed = bot.lab.extent.seed;
    let start = home.rules.start(seed)?;
    let limits = limits(home, &*start, 0, turns, seed);
    let mut sitting = sitting_at(bot.lab, home, 0, seed, start, limits);
    sitting.time = time;
    sitting.strict = true;
    let played = alone(bot, hello, sitting).await?;
    let slowest = in_words(played.slowest);
    Ok(Some(format!("its slowest move took {slowest}")))
}
