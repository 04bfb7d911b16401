//! Checks of a bot's start and end: handshake, waiting, `error`, `quit`, a closed input.

use std::time::Duration;

use protocol::{BotHello, End, FaultCode, FromBot, MatchResult, ToBot, in_words};
use tokio::time::Instant;

use super::checked_match::{self, FirstMessages, play};
use super::finding::{Diagnostic, Note};
use super::matches::match_setup;
use super::selection::{Selection, Variant};
use super::session::{BotSession, shown, unexpected};

/// The pause of a slow referee between two messages.
const PAUSE: Duration = Duration::from_millis(300);

/// Returns the bot's `hello`.
pub(super) async fn handshake(
    bot: &mut BotSession<'_>,
    variants: &[Variant],
    selection: &Selection,
) -> Result<(BotHello, Note), Diagnostic> {
    let Selection { games, catalog, .. } = selection;
    let began = Instant::now();
    let hello = bot.introduce().await?;
    let took = in_words(began.elapsed());
    let mut note = format!("`{}` said hello after {took}", name_of(&hello));
    let claimed = hello.games.clone();
    let plays = |id: &str| {
        claimed
            .as_ref()
            .is_none_or(|g| g.iter().any(|game| game == id))
    };
    if let Some(game) = games.iter().find(|game| !plays(game)) {
        return Err(
            Diagnostic::new(format!("its `hello` does not say that it plays {game}"))
                .fix("add it to `games`, or leave `games` out"),
        );
    }
    let Some(home) = variants.iter().find(|v| plays(&v.rules.info().id)) else {
        let list = format!("{:?}", claimed.unwrap_or_default());
        let list = shown(list.as_bytes());
        return Err(
            Diagnostic::new(format!("none of the games that it plays is known: {list}"))
                .fix("name games as `referee games` lists them, or leave `games` out"),
        );
    };
    let unknown = claimed
        .iter()
        .flatten()
        .find(|id| catalog.find(id).is_err());
    if let Some(id) = unknown {
        let id = shown(id.as_bytes());
        note.push_str(&format!("; there is no game `{id}` here"));
    }
    start(bot, &hello, home).await?;
    Ok((hello, Some(note)))
}

fn name_of(hello: &BotHello) -> String {
    shown(hello.name.as_bytes())
}

/// Announces a match, and expects `ready`.
async fn start(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    home: &Variant,
) -> Result<(), Diagnostic> {
    let message = first_messages(bot, hello, home).await?.start;
    bot.send(&message).await;
    match bot.answer("start").await? {
        FromBot::Ready {} => Ok(()),
        other => Err(unexpected("start", &other)),
    }
}

/// Asks for the first move of the match that `start` announced.
async fn first_turn(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    home: &Variant,
) -> Result<(), Diagnostic> {
    let turn = first_messages(bot, hello, home).await?.turn;
    bot.send(&turn).await;
    match bot.answer("turn").await? {
        FromBot::Move(_) | FromBot::Resign {} | FromBot::Fault(_) => Ok(()),
        other => Err(unexpected("turn", &other)),
    }
}

/// `start` and the first `turn` of a match in the seat that begins.
async fn first_messages(
    bot: &BotSession<'_>,
    hello: &BotHello,
    home: &Variant,
) -> Result<FirstMessages, Diagnostic> {
    let lab = bot.lab;
    let session = home.rules.start(lab.extent.seed)?;
    let seat = session.to_move().seats().next().unwrap_or_default();
    let setup = match_setup(lab, home, seat, lab.extent.seed)?;
    checked_match::first_messages(hello, setup).await
}

pub(super) async fn slow_start(
    bot: &mut BotSession<'_>,
    home: &Variant,
) -> Result<Note, Diagnostic> {
    bot.expect_silence(PAUSE).await?;
    let began = Instant::now();
    let hello = bot.introduce().await?;
    let took = in_words(began.elapsed());
    bot.expect_silence(PAUSE).await?;
    start(bot, &hello, home).await?;
    bot.expect_silence(PAUSE).await?;
    first_turn(bot, &hello, home).await?;
    Ok(Some(format!(
        "`hello` after {took} when it had been waiting"
    )))
}

/// Sends `error` in the bot's turn, as if its move had been illegal.
pub(super) async fn after_error(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    home: &Variant,
) -> Result<Note, Diagnostic> {
    bot.introduce().await?;
    start(bot, hello, home).await?;
    first_turn(bot, hello, home).await?;
    let seats = home.rules.seats();
    let error = ToBot::Error {
        code: FaultCode::IllegalMove,
        message: "this is only a check: how does the bot take it?".to_owned(),
    };
    let end = ToBot::End(Box::new(End {
        moves: Vec::new(),
        result: MatchResult {
            scores: vec![0; seats],
            outcome: vec![0.5; seats],
            reason: arbiter::adjudication::FORFEIT.to_owned(),
            faults: Vec::new(),
        },
    }));
    for message in [error, end, ToBot::Quit] {
        bot.send(&message).await;
    }
    bot.process.close_input();
    bot.expect_end("`error`, `end` and `quit`", false).await?;
    Ok(None)
}

pub(super) async fn quit(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    home: &Variant,
    played: bool,
) -> Result<Note, Diagnostic> {
    bot.introduce().await?;
    if played {
        let setup = match_setup(bot.lab, home, 0, bot.lab.extent.seed)?;
        play(bot, hello, setup).await?;
    }
    bot.send(&ToBot::Quit).await;
    let began = Instant::now();
    bot.expect_end("`quit`", false).await?;
    Ok(Some(format!("gone after {}", in_words(began.elapsed()))))
}

pub(super) async fn closed_input(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    home: &Variant,
    in_turn: bool,
) -> Result<Note, Diagnostic> {
    bot.introduce().await?;
    start(bot, hello, home).await?;
    if in_turn {
        let turn = first_messages(bot, hello, home).await?.turn;
        bot.send(&turn).await;
    }
    bot.process.close_input();
    let began = Instant::now();
    bot.expect_end("its input was closed", in_turn).await?;
    Ok(Some(format!("gone after {}", in_words(began.elapsed()))))
}
