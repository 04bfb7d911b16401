//! `referee solve --each-move`: the value of every move of a position.

use std::num::NonZero;
use std::time::Instant;

use games::{Game, Session};
use report::solutions::EachMove as Printed;
use solver::{EachMove, Effort, MoveValue, Stopped, save_moves};

use super::watch::Progress;
use super::{AT_LIMIT, Solve, Subject, checkpoint, name};
use crate::cli::common::format::print_json;
use crate::cli::{CliError, print};

/// What progress says about the moves.
fn progress_line(seconds: f64, moves: &[MoveValue]) -> String {
    let decided = moves.iter().filter(|mv| mv.decided).count();
    let positions: u64 = moves.iter().map(|mv| mv.positions).sum();
    let open = moves.iter().filter(|mv| !mv.decided);
    let least = open.map(|mv| mv.tried).min().unwrap_or(0);
    format!(
        "{seconds:.0} s: {decided} of {} moves decided, {positions} positions, at least {least} for each that is open",
        moves.len()
    )
}

impl Solve {
    /// Finds the value of each move, and prints what is known at the end.
    pub(super) fn each_move<G: Game>(&self, subject: &Subject<'_, G>) -> Result<(), CliError> {
        let began = Instant::now();
        let args = &self.args;
        let Some(mover) = subject.game.to_move(&subject.position) else {
            let message = "--each-move: the game is over in this position".to_owned();
            return Err(CliError::Usage(message));
        };
        let mut search = EachMove::new(
            subject.game,
            &subject.position,
            args.question(),
            subject.method,
        )
        .map_err(|unsolvable| CliError::Usage(unsolvable.to_string()))?;
        let mut about = self.about.clone();
        about.insert("question".into(), name(search.question()).into());
        if let Some(file) = args.checkpoint.as_deref().filter(|_| args.resume) {
            checkpoint::read(file, |from| search.restore(&about, from))?;
        }
        let save = |moves: &[MoveValue]| match &args.checkpoint {
            Some(file) => checkpoint::write(file, |out| save_moves(&about, moves, out)),
            None => Ok(()),
        };
        let mut progress = Progress::new(self.stop.clone());
        let mut failed = None;
        let effort = Effort {
            threads: std::thread::available_parallelism().map_or(1, NonZero::get),
            bytes: usize::try_from(args.memory.as_u64()).unwrap_or(usize::MAX),
            positions: args.positions.unwrap_or(u64::MAX),
            verify: args.verify,
        };
        let (shown, failure, save_now) = (&mut progress, &mut failed, &save);
        let mut watch = move |moves: &[MoveValue]| {
            if shown.tick(|seconds| progress_line(seconds, moves)) {
                return true;
            }
            if self.stop.is_set() {
                return false;
            }
            shown.saved();
            *failure = save_now(moves).err();
            failure.is_none()
        };
        let ended = search.run(effort, &mut watch);
        progress.finish();
        if let Some(error) = failed {
            return Err(error);
        }
        save(search.moves())?;
        if ended == Err(Stopped::Told) {
            return Err(CliError::Interrupted);
        }
        let moves = search.moves().iter();
        let printed = Printed {
            question: search.question(),
            value: search.value(mover),
            moves: moves.map(|mv| (mv, search.value_after(mv))).collect(),
            check: args.verify.is_some(),
            took: began.elapsed(),
        };
        if args.format.json() {
            print_json(&printed.json(&about))?;
        } else {
            let session: &dyn Session = &*self.session;
            print(&printed.text(subject.roles, session))?;
        }
        if printed.is_solved() {
            Ok(())
        } else {
            Err(CliError::Unsolved(AT_LIMIT))
        }
    }
}
