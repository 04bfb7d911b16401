//! `referee solve`: the exact value of a position.

mod answer;
mod checkpoint;
mod each_move;
mod elephant_run;
mod watch;

use std::path::PathBuf;
use std::time::Instant;

use bytesize::ByteSize;
use clap::ValueEnum;
use games::registry::{self, Visitor};
use games::session::typed;
use games::{Game, Rules, Session};
use report::print_notice;
use serde_json::{Map, Value, json};
use solver::{Method, NoTurns, Playable, Question, SessionGame, Solver, Stopped};

use crate::cli::common::args::{self, GameArgs, StartArgs};
use crate::cli::common::format::FormatArgs;
use crate::cli::common::signals::Saving;
use crate::cli::{CliError, block_on, on_interrupt};
use elephant_run::Report;
use watch::{Progress, StopSignal};

/// Finds the exact value of a position: the outcome of best play
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee solve amazons --options '{\"size\":5}'
  referee solve amazons --state @late.json --memory 4GB --checkpoint late.solve
  referee solve amazons --state @late.json --memory 4GB --checkpoint late.solve --resume
  referee solve paper-penguins --options '{\"size\":4}' --question value
  referee solve elephant-run --state @position.json
  referee solve elephant-run --starting-tiles --memory 6GB
  referee solve tic-tac-toe --rules tic-tac-toe.kif --verify

It takes built-in games of two seats in which no position can come back (amazons, amazon-penguins,
elephant-run, paper-penguins and penguins), and sheets and rules programs of two seats that take turns, without
chance and hidden information. Each seat plays for the larger difference of points. Where positions can come
back, it lists all of them and says which ends a seat can force.

Ctrl-C writes the checkpoint; so does the search itself every ten minutes. A table that is full forgets
what took the least work, and the search goes on.

Exit codes: 0 if it is solved; 5 if not, because `--positions` or the memory ended the search or nobody can
force an end that decides (the bounds found so far are printed); 130 after Ctrl-C.")]
pub(crate) struct Args {
    #[command(flatten)]
    game: GameArgs,
    #[command(flatten)]
    start: StartArgs,
    /// What to find
    #[arg(long, value_enum, default_value_t)]
    question: QuestionArg,
    /// The search method; by default `proof-number` for `win` and `alpha-beta` for `value`
    #[arg(long, value_enum)]
    method: Option<MethodArg>,
    /// The size of the transposition table
    #[arg(long, value_name = "SIZE", default_value_t = ByteSize::gb(1))]
    memory: ByteSize,
    /// Give up after this many positions; with `--each-move`, of each move
    #[arg(long, value_name = "N")]
    positions: Option<u64>,
    /// The file that saves the search for `--resume`; without that, it must not exist yet
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Continue from the checkpoint
    #[arg(long, requires = "checkpoint")]
    resume: bool,
    /// Also check the whole proof, if it has at most N positions: every reply of the seat that cannot
    /// do better. With `--starting-tiles`: check N placements of each tile by a second search
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1000000")]
    verify: Option<u64>,
    /// Find the value of every move instead of that of the position alone: built-in games only. The moves
    /// are searched on all cores, each of them with four times as many positions from try to try. The
    /// checkpoint says which are decided; what else searches have found is not in it
    #[arg(long, conflicts_with = "starting_tiles")]
    each_move: bool,
    /// Elephant Run only: for each starting tile, find the largest `target` that the elephant reaches
    /// against every placement of the farmers, and print a report
    #[arg(long, conflicts_with_all = ["state", "question", "method"])]
    starting_tiles: bool,
    /// With `--starting-tiles`: only these, as in `a2,c2`
    #[arg(
        long,
        value_name = "TILES",
        value_delimiter = ',',
        requires = "starting_tiles",
        conflicts_with_all = ["state", "question", "method"]
    )]
    tiles: Vec<String>,
    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum QuestionArg {
    /// Who wins, and nothing else
    Win,
    /// The scores of best play too, in games that have points
    #[default]
    Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MethodArg {
    /// Depth-first proof-number search
    ProofNumber,
    /// Alpha-beta search with windows of one point
    AlphaBeta,
    /// All positions that can be reached, from the ends backwards: for sheets and rules programs
    Retrograde,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        if let Some(file) = self.checkpoint.as_deref().filter(|_| !self.resume) {
            checkpoint::must_be_new(file)?;
        }
        if self.method == Some(MethodArg::Retrograde) && self.checkpoint.is_some() {
            let message = "--checkpoint: retrograde analysis has none".to_owned();
            return Err(CliError::Usage(message));
        }
        let set = self.game.rules.open()?;
        let rules = self.game.rules(&set.catalog)?;
        let entry = args::find(&set.catalog, self.game.id())?;
        let builtin = entry.builtin().map(str::to_owned);
        let is_sheet = set.sheets().iter().any(|sheet| sheet.id == self.game.id());
        let session = self.start.open(&*rules)?;
        block_on(async move {
            let stop = StopSignal(on_interrupt()?);
            // The search checks the signal often, and then writes its work of hours.
            let _checkpoint = self.checkpoint.as_ref().map(|_| Saving::begin());
            if self.starting_tiles {
                return self.report()?.run(&*session, &stop);
            }
            let solve = Solve {
                about: self.about(&*rules, &*session)?,
                args: self,
                session,
                stop,
            };
            match builtin {
                Some(id) => {
                    let options = rules.options().to_json();
                    registry::visit(&id, &options, solve).expect("a built-in game")
                }
                None if solve.args.each_move => {
                    let message = "--each-move: only for built-in games".to_owned();
                    Err(CliError::Usage(message))
                }
                None => solve.any_game(&*rules, is_sheet),
            }
        })?
    }

    /// The position and question of a checkpoint.
    fn about(
        &self,
        rules: &dyn Rules,
        session: &dyn Session,
    ) -> Result<Map<String, Value>, CliError> {
        let mut about = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "game": self.game.id(),
            "options": self.game.options_json()?,
            "state": session.state()?,
        });
        if let Some(origin) = &rules.description().origin {
            about["rules"] = origin.sha256.clone().into();
        }
        match about {
            Value::Object(about) => Ok(about),
            _ => unreachable!("an object"),
        }
    }

    fn report(self) -> Result<Report, CliError> {
        if self.game.id() != "elephant-run" {
            let message = "--starting-tiles: only elephant-run has them".to_owned();
            return Err(CliError::Usage(message));
        }
        Ok(Report {
            options: self.game.options_json()?,
            memory: self.memory,
            positions: self.positions,
            checkpoint: self.checkpoint,
            resume: self.resume,
            tiles: self.tiles,
            verify: self.verify,
            json: self.format.json(),
        })
    }

    fn question(&self) -> Question {
        match self.question {
            QuestionArg::Win => Question::Win,
            QuestionArg::Value => Question::Value,
        }
    }

    fn method(&self) -> Option<Method> {
        self.method.map(|method| match method {
            MethodArg::ProofNumber => Method::ProofNumber,
            MethodArg::AlphaBeta => Method::AlphaBeta,
            MethodArg::Retrograde => Method::Retrograde,
        })
    }
}

/// The reason for the end of a search that `--positions` limits.
const AT_LIMIT: &str = "`--positions` ended the search";
/// The reason for the end of one that `--memory` limits.
const NO_MEMORY: &str = "its positions do not fit into `--memory`";

/// A position to solve.
struct Solve {
    args: Args,
    about: Map<String, Value>,
    session: Box<dyn Session>,
    stop: StopSignal,
}

/// A game with the position to search.
struct Subject<'g, G: Playable> {
    game: &'g G,
    position: G::Position,
    method: Option<Method>,
    roles: &'g [String],
}

/// The end of a search without an error.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    Answered,
    /// Play came back to a position, which this method cannot judge.
    CameBack,
}

impl Visitor for Solve {
    type Output = Result<(), CliError>;

    fn visit<G: Game>(self) -> Result<(), CliError> {
        let (game, position) = typed::<G>(&*self.session).expect("the session of this game");
        let roles: Vec<String> = (0..game.seats())
            .map(|seat| game.role(seat).to_owned())
            .collect();
        let subject = Subject {
            game,
            position: *position,
            method: self.args.method(),
            roles: &roles,
        };
        if self.args.each_move {
            return self.each_move(&subject);
        }
        self.search(subject, &|stopped| no_answer(stopped))
            .map(|_| ())
    }
}

impl Solve {
    /// Solves a game of rules from outside. Where play comes back to a position, retrograde analysis
    /// takes over, unless another method was asked for.
    fn any_game(&self, rules: &dyn Rules, is_sheet: bool) -> Result<(), CliError> {
        let game = SessionGame::new(rules, is_sheet, self.args.question());
        let wrong = |why: NoTurns| match why {
            NoTurns::Broken(broken) => CliError::Rules(broken),
            other => CliError::Usage(format!("{}: {other}", rules.info().id)),
        };
        let failure = |stopped| match game.why() {
            Some(why) if stopped == Stopped::Rules => wrong(why),
            _ => no_answer(stopped),
        };
        let subject = |method| {
            Ok::<_, CliError>(Subject {
                game: &game,
                position: game.position(&*self.session).map_err(wrong)?,
                method,
                roles: rules.roles(),
            })
        };
        let mut ended = self.search(subject(self.args.method())?, &failure)?;
        if ended == Ended::CameBack && self.args.method.is_none() {
            print_notice("play can come back to a position: all positions are listed instead\n");
            ended = self.search(subject(Some(Method::Retrograde))?, &failure)?;
        }
        if ended == Ended::CameBack {
            return Err(no_answer(Stopped::Endless));
        }
        if game.sums_differ() {
            print_notice(
                "the points of both seats do not always add up to the same; each seat is taken to play for \
                 the difference\n",
            );
        }
        Ok(())
    }

    fn search<G: Playable>(
        &self,
        subject: Subject<'_, G>,
        failure: &dyn Fn(Stopped) -> CliError,
    ) -> Result<Ended, CliError> {
        let began = Instant::now();
        let args = &self.args;
        let bytes = usize::try_from(args.memory.as_u64()).unwrap_or(usize::MAX);
        let progress = Progress::new(self.stop.clone());
        let mut solver = Solver::new(
            subject.game,
            subject.position,
            args.question(),
            subject.method,
            bytes,
            Box::new(|now| progress.go_on(now)),
        )
        .map_err(|unsolvable| CliError::Usage(unsolvable.to_string()))?;
        let mut about = self.about.clone();
        about.insert("question".into(), name(solver.question()).into());
        about.insert("method".into(), method_name(solver.method()).into());
        let has_checkpoint = solver.method() != Method::Retrograde;
        let file = args.checkpoint.as_deref().filter(|_| has_checkpoint);
        if let Some(file) = file.filter(|_| args.resume) {
            checkpoint::read(file, |from| solver.restore(&about, from))?;
        }
        if let Some(most) = args.positions {
            solver.limit(most);
        }
        let save = |solver: &Solver<'_, G>| match file {
            Some(file) => checkpoint::write(file, |out| solver.save(&about, out)),
            None => Ok(()),
        };
        let ended = loop {
            match solver.run() {
                Err(Stopped::Told) if !self.stop.is_set() => {
                    save(&solver)?;
                    progress.saved();
                }
                ended => break ended,
            }
        };
        progress.finish();
        match ended {
            Err(Stopped::Told) => {
                save(&solver)?;
                return Err(CliError::Interrupted);
            }
            Err(Stopped::Positions) => save(&solver)?,
            Err(Stopped::Endless) if solver.method() != Method::Retrograde => {
                return Ok(Ended::CameBack);
            }
            Err(Stopped::Rules) => return Err(failure(Stopped::Rules)),
            Err(Stopped::Endless | Stopped::Memory) | Ok(_) => {}
        }
        let answer = answer::answer(&mut solver, &*self.session, args.verify, began.elapsed());
        let (answer, stopped) = match answer {
            Err(answer::Failed::Stopped(_)) if self.stop.is_set() => {
                save(&solver)?;
                return Err(CliError::Interrupted);
            }
            Err(answer::Failed::Stopped(Stopped::Endless)) => return Ok(Ended::CameBack),
            Err(answer::Failed::Stopped(stopped)) => {
                (answer::unsolved(&solver, began.elapsed()), Some(stopped))
            }
            Err(answer::Failed::Wrong(what)) => return Err(CliError::Verify(what)),
            Ok(answer) => (answer, ended.err()),
        };
        answer::print_answer(
            &answer,
            &about,
            (subject.roles, &*self.session),
            args.format.json(),
        )?;
        if let Some(stopped) = stopped {
            return Err(failure(stopped));
        }
        if file.is_some() && args.resume {
            print_notice("solved; the checkpoint is not needed any more\n");
        }
        Ok(Ended::Answered)
    }
}

fn no_answer(stopped: Stopped) -> CliError {
    CliError::Unsolved(match stopped {
        Stopped::Endless => {
            "play can come back to a position, and neither seat can force an end that decides; what such \
             play is worth depends on the limits of a match"
        }
        Stopped::Memory => NO_MEMORY,
        Stopped::Positions | Stopped::Told | Stopped::Rules => AT_LIMIT,
    })
}

fn name(question: Question) -> &'static str {
    match question {
        Question::Win => "win",
        Question::Value => "value",
    }
}

fn method_name(method: Method) -> &'static str {
    match method {
        Method::ProofNumber => "proof-number",
        Method::AlphaBeta => "alpha-beta",
        Method::Retrograde => "retrograde",
    }
}
