//! Checks of how a bot begins and ends: handshake, waiting, `error`, `quit`, a closed input.

use std::time::Duration;

use protocol::{BotHello, End, FaultCode, FromBot, MatchResult, ToBot};
use tokio::time::Instant;

use super::game::{FirstMessages, play};
use super::matches::sitting;
use super::talk::{Talk, Trouble, unexpected};
use super::{Note, Variant};
use protocol::in_words;

/// How long a slow referee leaves a bot waiting.
const PAUSE: Duration = Duration::from_millis(300);

/// Gives the bot's `hello`.
pub(super) async fn handshake(
    talk: &mut Talk<'_>,
    variants: &[Variant],
    asked: &[String],
) -> Result<(BotHello, Note), Trouble> {
    let began = Instant::now();
    let hello = talk.introduce().await?;
    let took = in_words(began.elapsed());
    let mut note = format!("`{}` said hello after {took}", talk_name(&hello));
    let claimed = hello.games.clone();
    let plays = |id: &str| {
        claimed
            .as_ref()
            .is_none_or(|g| g.iter().any(|game| game == id))
    };
    if let Some(game) = asked.iter().find(|game| !plays(game)) {
        return Err(
            Trouble::new(format!("its `hello` does not say that it plays {game}"))
                .mend("add it to `games`, or leave `games` out"),
        );
    }
    let Some(home) = variants.iter().find(|v| plays(v.rules.info().id)) else {
        let list = format!("{:?}", claimed.unwrap_or_default());
        let list = super::talk::shown(list.as_bytes());
        return Err(
            Trouble::new(format!("none of the games that it plays is known: {list}"))
                .mend("name games as `referee games` lists them, or leave `games` out"),
        );
    };
    let unknown = claimed
        .iter()
        .flatten()
        .find(|id| games::find(id).is_none());
    if let Some(id) = unknown {
        let id = super::talk::shown(id.as_bytes());
        note.push_str(&format!("; there is no game `{id}` here"));
    }
    start(talk, &hello, home).await?;
    Ok((hello, Some(note)))
}

fn talk_name(hello: &BotHello) -> String {
    super::talk::shown(hello.name.as_bytes())
}

/// Tells of a match, and expects `ready`.
async fn start(talk: &mut Talk<'_>, hello: &BotHello, home: &Variant) -> Result<(), Trouble> {
    let start = first_messages(talk, hello, home).start;
    talk.tell(&start).await;
    match talk.answer("start").await? {
        FromBot::Ready {} => Ok(()),
        other => Err(unexpected("start", &other)),
    }
}

/// Asks for the first move of the match that was told of, and expects one.
async fn first_turn(talk: &mut Talk<'_>, hello: &BotHello, home: &Variant) -> Result<(), Trouble> {
    let Some(turn) = first_messages(talk, hello, home).turn else {
        return Ok(());
    };
    talk.tell(&turn).await;
    match talk.answer("turn").await? {
        FromBot::Move(_) | FromBot::Resign {} => Ok(()),
        other => Err(unexpected("turn", &other)),
    }
}

/// `start` and the first `turn` of a match in the seat that begins.
fn first_messages(talk: &Talk<'_>, hello: &BotHello, home: &Variant) -> FirstMessages {
    let lab = talk.lab;
    let session = home.rules.start(lab.extent.seed);
    let seat = session.to_move().unwrap_or_default();
    let sitting = sitting(lab, home, seat, lab.extent.seed);
    super::game::first_messages(hello, sitting)
}

pub(super) async fn slow_start(talk: &mut Talk<'_>, home: &Variant) -> Result<Note, Trouble> {
    talk.expect_silence(PAUSE).await?;
    let began = Instant::now();
    let hello = talk.introduce().await?;
    let took = in_words(began.elapsed());
    talk.expect_silence(PAUSE).await?;
    start(talk, &hello, home).await?;
    talk.expect_silence(PAUSE).await?;
    first_turn(talk, &hello, home).await?;
    Ok(Some(format!(
        "`hello` after {took} when it had been waiting"
    )))
}

/// In its turn it is told that it has lost, as if its move had not been legal.
pub(super) async fn fault_told(
    talk: &mut Talk<'_>,
    hello: &BotHello,
    home: &Variant,
) -> Result<Note, Trouble> {
    talk.introduce().await?;
    start(talk, hello, home).await?;
    first_turn(talk, hello, home).await?;
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
        talk.tell(&message).await;
    }
    talk.bot.close_input();
    talk.expect_end("`error`, `end` and `quit`", false).await?;
    Ok(None)
}

pub(super) async fn quit(
    talk: &mut Talk<'_>,
    hello: &BotHello,
    home: &Variant,
    played: bool,
) -> Result<Note, Trouble> {
    talk.introduce().await?;
    if played {
        let sitting = sitting(talk.lab, home, 0, talk.lab.extent.seed);
        play(talk, hello, sitting).await?;
    }
    talk.tell(&ToBot::Quit).await;
    let began = Instant::now();
    talk.expect_end("`quit`", false).await?;
    Ok(Some(format!("gone after {}", in_words(began.elapsed()))))
}

pub(super) async fn closed_input(
    talk: &mut Talk<'_>,
    hello: &BotHello,
    home: &Variant,
    in_turn: bool,
) -> Result<Note, Trouble> {
    talk.introduce().await?;
    start(talk, hello, home).await?;
    let turn = first_messages(talk, hello, home).turn;
    if let Some(turn) = turn.filter(|_| in_turn) {
        talk.tell(&turn).await;
    }
    talk.bot.close_input();
    let began = Instant::now();
    talk.expect_end("its input was closed", in_turn).await?;
    Ok(Some(format!("gone after {}", in_words(began.elapsed()))))
}
