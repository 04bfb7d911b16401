//! `referee solve`: the exact value of a position.

mod answer;
mod checkpoint;
mod elephant_run;
mod watch;

use std::path::PathBuf;
use std::time::Instant;

use bytesize::ByteSize;
use clap::ValueEnum;
use games::registry::{self, Visitor};
use games::session::typed;
use games::{Game, Session};
use report::print_notice;
use serde_json::{Map, Value, json};
use solver::{Method, Question, Solver, Stopped};

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
  referee solve elephant-run --starting-tiles --memory 4GB

It takes games of two seats in which no position can come back: amazons, amazon-penguins, elephant-run,
paper-penguins and penguins. In the others, what a position is worth depends on the plies before it.

Ctrl-C writes the checkpoint; so does the search itself every ten minutes. A table that is full forgets
what took the least work, and the search goes on.

Exit codes: 0 if it is solved, 5 if `--positions` ended the search before (the bounds found so far are
printed), 130 after Ctrl-C.")]
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
    /// Give up after this many positions
    #[arg(long, value_name = "N")]
    positions: Option<u64>,
    /// The file that saves the search for `--resume`; without that, it must not exist yet
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Continue from the checkpoint
    #[arg(long, requires = "checkpoint")]
    resume: bool,
    /// Also check the whole proof, if it has at most N positions: every reply of the seat that cannot
    /// do better
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1000000")]
    verify: Option<u64>,
    /// Elephant Run only: for each starting tile, find the largest `target` that the elephant reaches
    /// against every placement of the farmers, and print a report
    #[arg(long, conflicts_with_all = ["state", "question", "method", "verify"])]
    starting_tiles: bool,
    /// With `--starting-tiles`: only these, as in `a2,c2`
    #[arg(
        long,
        value_name = "TILES",
        value_delimiter = ',',
        requires = "starting_tiles",
        conflicts_with_all = ["state", "question", "method", "verify"]
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
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        if let Some(file) = self.checkpoint.as_deref().filter(|_| !self.resume) {
            checkpoint::must_be_new(file)?;
        }
        let set = self.game.rules.open()?;
        let rules = self.game.rules(&set.catalog)?;
        let entry = args::find(&set.catalog, self.game.id())?;
        let Some(builtin) = entry.builtin().map(str::to_owned) else {
            return Err(CliError::Usage(format!(
                "{} cannot be solved: only built-in games say that their positions cannot come back",
                self.game.id()
            )));
        };
        let options = rules.options().to_json();
        let session = self.start.open(&*rules)?;
        block_on(async move {
            let stop = StopSignal(on_interrupt()?);
            // The search checks the signal often, and then writes its work of hours.
            let _checkpoint = self.checkpoint.as_ref().map(|_| Saving::begin());
            if self.starting_tiles {
                return self.report()?.run(&*session, &stop);
            }
            let solve = Solve {
                about: self.about(&*session)?,
                args: self,
                session,
                stop,
            };
            registry::visit(&builtin, &options, solve).expect("a built-in game")
        })?
    }

    /// The position and question of a checkpoint.
    fn about(&self, session: &dyn Session) -> Result<Map<String, Value>, CliError> {
        let about = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "game": self.game.id(),
            "options": self.game.options_json()?,
            "state": session.state()?,
        });
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
        })
    }
}

/// A position to solve.
struct Solve {
    args: Args,
    about: Map<String, Value>,
    session: Box<dyn Session>,
    stop: StopSignal,
}

impl Visitor for Solve {
    type Output = Result<(), CliError>;

    fn visit<G: Game>(mut self) -> Result<(), CliError> {
        let began = Instant::now();
        let (game, position) = typed::<G>(&*self.session).expect("the session of this game");
        let args = &self.args;
        let bytes = usize::try_from(args.memory.as_u64()).unwrap_or(usize::MAX);
        let progress = Progress::new(self.stop.clone());
        let mut solver = Solver::new(
            game,
            *position,
            args.question(),
            args.method(),
            bytes,
            Box::new(|now| progress.go_on(now)),
        )
        .map_err(|unsolvable| CliError::Usage(unsolvable.to_string()))?;
        self.about
            .insert("question".into(), name(solver.question()).into());
        self.about
            .insert("method".into(), method_name(solver.method()).into());
        if args.resume {
            let file = args.checkpoint.as_deref().expect("clap requires it");
            checkpoint::read(file, |from| solver.restore(&self.about, from))?;
        }
        if let Some(most) = args.positions {
            solver.limit(most);
        }
        let save = |solver: &Solver<'_, G>| match &args.checkpoint {
            Some(file) => checkpoint::write(file, |out| solver.save(&self.about, out)),
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
        if ended.is_err() {
            save(&solver)?;
        }
        if ended == Err(Stopped::Told) {
            return Err(CliError::Interrupted);
        }
        let answer = answer::answer(&mut solver, &*self.session, args.verify, began.elapsed());
        let answer = match answer {
            Err(answer::Failed::Stopped) if self.stop.is_set() => {
                save(&solver)?;
                return Err(CliError::Interrupted);
            }
            Err(answer::Failed::Stopped) => answer::unsolved(&solver, began.elapsed()),
            Err(answer::Failed::Wrong(what)) => return Err(CliError::Verify(what)),
            Ok(answer) => answer,
        };
        answer::print_answer(&answer, &self.about, &*self.session, args.format.json())?;
        if !answer.solved {
            return Err(CliError::Unsolved);
        }
        if ended.is_ok() && args.checkpoint.is_some() && args.resume {
            print_notice("solved; the checkpoint is not needed any more\n");
        }
        Ok(())
    }
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
    }
}
