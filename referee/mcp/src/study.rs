//! Tools that have a bot work without a match: checks of the protocol, and analyses of positions.

use std::sync::Arc;
use std::time::Duration;

use check::{CheckReport, Extent, Lab, Selection};
use config::Time;
use play::analysis::{Analysts, Thought};
use protocol::{Millis, TimeControl};
use report::checks;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::answer::{Answer, Refusal};
use crate::background::apart;
use crate::client::Caller;
use crate::commands;

/// Lines that an analysis asks for.
const LINES: usize = 3;
/// The longest time to think about a position.
const LONGEST: Duration = Duration::from_secs(60);
/// Startup limit of a bot, as in `play`.
const STARTUP: Duration = Duration::from_secs(10);
/// Tolerance on top of the time: a slightly late answer is still of interest.
const MARGIN: Duration = Duration::from_secs(2);
/// The reference bots that analyse: for compiled-in games, and for all others.
const ANALYSTS: [&str; 2] = ["alphabeta", "mcts"];

/// Has one check and one analysis at a time.
pub(crate) struct Desk {
    checks: Arc<Semaphore>,
    analyses: Arc<Semaphore>,
}

impl Default for Desk {
    fn default() -> Self {
        Desk {
            checks: Arc::new(Semaphore::new(1)),
            analyses: Arc::new(Semaphore::new(1)),
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckBot {
    /// The bot's command line, such as "python3 mybot.py".
    command: String,
    /// Only these games, by their ids; by default all that the bot plays.
    #[serde(default)]
    games: Vec<String>,
    /// Only checks whose names begin like one of these, such as "match/".
    #[serde(default)]
    only: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckAnswer {
    passed: usize,
    failed: usize,
    skipped: usize,
    /// Each check with its `status`; a failed one has a `finding`: what is wrong, the last lines that
    /// were exchanged, and how to fix it.
    checks: Vec<Value>,
}

pub(crate) async fn check_bot(caller: Caller, asked: CheckBot) -> Answer<CheckAnswer> {
    let server = &caller.server;
    let permit = server.desk.checks.clone().try_acquire_owned();
    let permit =
        permit.map_err(|_| Refusal::new("another bot is being checked; ask again later"))?;
    let spec = commands::spec(server, &asked.command, &[], &TimeControl::default())?;
    let catalog = server.settings.rules.catalog.clone();
    for game in &asked.games {
        catalog.find(game)?;
    }
    let selection = Selection {
        games: asked.games,
        catalog,
        only: asked.only,
    };
    let reports = apart(&server.ended, move || async move {
        let _permit = permit;
        let lab = Lab::new(spec, extent(), None)?;
        let mut reports: Vec<CheckReport> = Vec::new();
        check::run(&lab, &selection, |report| reports.push(report)).await;
        Ok(reports)
    });
    let reports = reports.await?;
    let counts = checks::count(&reports);
    let mut answer = checks::to_json(&[], &reports);
    let all = answer["checks"].as_array_mut().map(std::mem::take);
    Ok(CheckAnswer {
        passed: counts.passed,
        failed: counts.failed,
        skipped: counts.skipped,
        checks: all.unwrap_or_default(),
    })
}

/// As `referee check` has it by default.
fn extent() -> Extent {
    Extent {
        time: Duration::from_millis(100),
        answer_limit: STARTUP,
        margin: Duration::from_millis(50),
        seed: 1,
        turns: 4,
        positions: 4,
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Analyse {
    /// The id of the match, as new_match answered.
    #[serde(rename = "match")]
    id: String,
    /// The position after this many plies [default: the present one].
    ply: Option<usize>,
    /// The bot that thinks [default: alphabeta, or mcts in games that are not compiled in].
    bot: Option<String>,
    /// Its time, such as "5s", at most a minute [default: 1s].
    time: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Analysis {
    bot: String,
    ply: u32,
    /// The seat that is to move.
    seat: usize,
    role: String,
    /// The bot's move; null if it had a fault.
    #[serde(rename = "move")]
    mv: Value,
    /// What that seat can expect, from 0 (lost) to 1 (won); null if the bot does not say.
    value: Value,
    depth: Value,
    nodes: Value,
    /// The best lines, the best first, with `value` and the moves in `pv`.
    lines: Value,
    /// What the bot says in words.
    text: Value,
    /// What was dropped of its answer, and why.
    remarks: Value,
    fault: Value,
}

pub(crate) async fn analyse(caller: Caller, asked: Analyse) -> Answer<Analysis> {
    let server = &caller.server;
    let permit = server.desk.analyses.clone().try_acquire_owned();
    let permit = permit.map_err(|_| Refusal::new("a bot is analysing already; ask again later"))?;
    let found = server.matches.find(&asked.id)?;
    let rules = found.rules.clone();
    let is_compiled_in = rules.description().origin.is_none();
    let bot = asked
        .bot
        .unwrap_or_else(|| ANALYSTS[usize::from(!is_compiled_in)].to_owned());
    let spec = commands::spec(server, &bot, &[], &time(asked.time.as_deref())?)?;
    // Where information is hidden, a bot in another seat would know more than the client.
    let seat = rules.info().hidden.then_some(found.seat);
    let of = found.to_analyse();
    apart(&server.ended, move || async move {
        let _permit = permit;
        let plies = asked.ply.unwrap_or(of.plies.len());
        let several = (rules.seats() > 1).then_some(found.seat);
        let position = of.position(plies, seat).or_else(|error| match error {
            play::analysis::NoAnalysis::Several(_) => of.position(plies, several),
            error => Err(error),
        })?;
        let analysts = Analysts::new(vec![Arc::new(spec)], Vec::new(), 1);
        let factory = analysts.factory()?;
        let jobs = [(0, &position)];
        let thoughts = analysts.think(&factory, &jobs, LINES, |_, _| {}).await?;
        let thought = thoughts.into_iter().next().unwrap_or_default();
        Ok(in_answer(
            bot,
            position.session.ply(),
            position.seat,
            position.role(),
            &thought,
        ))
    })
    .await
}

/// The time control of a bot that analyses.
fn time(given: Option<&str>) -> Answer<TimeControl> {
    let time = given.unwrap_or("1s").parse::<Time>();
    let Time(time) = time.map_err(|why| Refusal(format!("time: {why}")))?;
    if time.is_zero() || time > LONGEST {
        return Err(Refusal::new(
            "time: must be longer than zero, and at most a minute",
        ));
    }
    Ok(TimeControl {
        per_move: Some(Millis(time)),
        startup: Millis(STARTUP),
        margin: Millis(MARGIN),
        ..TimeControl::default()
    })
}

fn in_answer(bot: String, ply: u32, seat: usize, role: &str, thought: &Thought) -> Analysis {
    let mut known = thought.to_json();
    let mut take = |key: &str| known[key].take();
    Analysis {
        bot,
        ply,
        seat,
        role: role.to_owned(),
        mv: take("move"),
        value: take("value"),
        depth: take("depth"),
        nodes: take("nodes"),
        lines: take("lines"),
        text: take("text"),
        remarks: take("remarks"),
        fault: take("fault"),
    }
}
