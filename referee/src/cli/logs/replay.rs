//! `referee replay`: draws and checks recorded matches.

use std::collections::HashSet;
use std::io::{self, BufRead};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use games::session::PlyByPly;
use games::{Catalog, Session};
use itertools::Itertools;
use log::{self, DealCheck, LogFile, Versions};
use protocol::{Record, shown};
use report::{print_notice, summary};
use serde_json::json;
use tournament::folder::dealing;
use tournament::folder::secret_file::SECRET_NAME;

use crate::cli::common::args::RulesArgs;
use crate::cli::common::filter::{MatchFilter, Scanned};
use crate::cli::common::format::FormatArgs;
use crate::cli::logs::picture::{Perception, header, picture};
use crate::cli::logs::rerun::RerunArgs;
use crate::cli::{CliError, print};

/// Draws recorded matches, or checks them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee replay runs/quickstart-1                         lists the matches
  referee replay runs/quickstart-1 --player greedy         lists those of one bot
  referee replay runs/quickstart-1 --match m-000007 --all  draws every position of one
  referee replay runs/quickstart-1 --verify                checks them all
  referee replay runs/quickstart-1 --match m-000007 --bot python
                                  asks a bot the same again and compares its answers
  referee replay runs/quickstart-1 --match m-000007 --bot python -- python3 -X dev mybot.py")]
pub(crate) struct Args {
    /// A log, or a tournament's folder
    log: PathBuf,
    #[command(flatten)]
    filter: MatchFilter,
    #[command(flatten)]
    rules: RulesArgs,
    /// Draw the position after this many plies
    #[arg(long, value_name = "N", conflicts_with_all = ["step", "all"])]
    ply: Option<usize>,
    /// Draw one position after another, at each press of Enter
    #[arg(long, conflicts_with = "all")]
    step: bool,
    /// Draw every position
    #[arg(long)]
    all: bool,
    /// Show only what this role could know, given by name or number, in games with hidden
    /// information
    #[arg(long = "as", value_name = "ROLE", conflicts_with = "verify")]
    viewer: Option<String>,
    /// Check that every move was legal and that the result is right
    #[arg(long, conflicts_with_all = ["ply", "step", "all"])]
    verify: bool,
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten)]
    rerun: RerunArgs,
}

/// State of the check of deals and draws.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dealt {
    /// Checked, or the match has none.
    Checked,
    /// The secret is missing.
    NotChecked,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        if self.verify {
            return self.check();
        }
        let draw = self.ply.is_some() || self.step || self.all;
        let (mut found, mut matches) = (None, 0);
        let mut scanned = Scanned::default();
        let mut file = LogFile::open(&self.log)?;
        for record in file.by_ref() {
            let record = record?;
            if self.filter.wants(&record, &mut scanned) {
                matches += 1;
                if self.filter.match_id.is_none() && !draw {
                    print(&format!("{}\n", self.line(&record)))?;
                }
                found = Some(record);
            }
        }
        if let Some(cut) = file.cut() {
            print_notice(format_args!("warning: {}\n", cut));
        }
        match found {
            Some(record) if self.rerun.bot.is_some() => {
                self.rerun
                    .run(&record, &self.rules.open_for(&self.log)?, &self.log)
            }
            Some(record) if self.filter.match_id.is_some() || (draw && matches == 1) => {
                self.show(&record)
            }
            Some(_) if draw => Err(CliError::Usage(format!(
                "there are {matches} matches; --match says which one to draw"
            ))),
            _ => self.filter.check(&scanned, &self.log),
        }
    }

    /// A match in the list.
    fn line(&self, record: &Record) -> String {
        if !self.format.json() {
            return summary(record);
        }
        let players = record.players.iter();
        let players = players.map(|player| json!({"name": player.name, "role": player.role}));
        json!({
            "match": record.match_id, "game": record.game, "options": record.options,
            "players": players.collect::<Vec<_>>(), "plies": record.moves.len(),
            "result": record.result,
        })
        .to_string()
    }

    /// Prints the result of checking a match.
    fn verdict(&self, id: &str, wrong: Option<&str>, deal: Dealt) -> Result<(), CliError> {
        print(&match (self.format.json(), wrong) {
            (true, _) => {
                let mut verdict = json!({"match": id, "ok": wrong.is_none(), "mismatch": wrong});
                if deal == Dealt::NotChecked {
                    verdict["deal"] = "not checked".into();
                }
                format!("{verdict}\n")
            }
            (false, None) => format!("{}: ok\n", shown(id)),
            (false, Some(reason)) => format!("{}: MISMATCH: {}\n", shown(id), shown(reason)),
        })
    }

    /// Checks the matches, with a line about each.
    fn check(&self) -> Result<(), CliError> {
        let (mut seen, matches) = (HashSet::new(), Mutex::new(Scanned::default()));
        let (mut good, mut bad, mut unchecked) = (0, 0, 0);
        let mut file = LogFile::open(&self.log)?.checking_chain();
        let set = self.rules.open_for(&self.log)?;
        let versions = if self.rules.are_given() {
            Versions::Any
        } else {
            Versions::Recorded
        };
        let secret = dealing::beside(&self.log);
        let deals = DealCheck {
            secret: secret.as_ref(),
            has_book: dealing::may_have_book(&self.log),
            shared: true,
        };
        let verify = |record: Record, (): &mut ()| {
            let mut matches = matches.lock().unwrap_or_else(PoisonError::into_inner);
            let wanted = self.filter.wants(&record, &mut matches);
            drop(matches);
            wanted.then(|| {
                let deal = match (&record.deal, deals.secret) {
                    (Some(_), None) => Dealt::NotChecked,
                    _ => Dealt::Checked,
                };
                let verdict = log::verify_deal(&record, &set.catalog, versions, deals);
                (verdict, record.match_id, deal)
            })
        };
        let read = file.each(verify, |verified| {
            let Some((verdict, id, deal)) = verified else {
                return Ok(());
            };
            let wrong = if seen.contains(id) {
                Some("there is a match with this id already".to_owned())
            } else {
                verdict.as_ref().err().map(ToString::to_string)
            };
            match wrong {
                None => good += 1,
                Some(_) => bad += 1,
            }
            unchecked += usize::from(*deal == Dealt::NotChecked);
            self.verdict(id, wrong.as_deref(), *deal)?;
            seen.insert(std::mem::take(id));
            Ok(())
        });
        if let Err(CliError::Log(error)) = read {
            if good + bad > 0 && !self.format.json() {
                print(&format!(
                    "{good} verified, {bad} with mismatches before the rest\n"
                ))?;
            }
            return Err(error.into());
        }
        read?;
        let matches = matches.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.filter.check(&matches, &self.log)?;
        let broken = self.chain(&file)?;
        if !self.format.json() {
            print(&format!("{good} verified, {bad} with mismatches\n"))?;
            if unchecked > 0 {
                print(&format!(
                    "deal not checked in {unchecked} of them: it follows from a secret, and there is no \
                     `{SECRET_NAME}` beside the log\n"
                ))?;
            }
        }
        match (bad, broken, file.cut()) {
            (0, 0, None) => Ok(()),
            (0, 0, Some(cut)) => Err(CliError::Verify(cut.to_string())),
            (0, broken, _) => Err(CliError::Verify(format!(
                "{broken} line{} of `{}` {} not follow the line before",
                if broken == 1 { "" } else { "s" },
                log::locate(&self.log).display(),
                if broken == 1 { "does" } else { "do" },
            ))),
            _ => Err(CliError::Verify(format!(
                "{bad} of {} matches did not verify",
                good + bad
            ))),
        }
    }

    /// Prints the lines that break the hash chain, and returns their number.
    fn chain(&self, file: &LogFile) -> Result<usize, CliError> {
        let (path, breaks) = (log::locate(&self.log), file.breaks());
        for broken in breaks {
            print(&if self.format.json() {
                let (line, reason) = (broken.line, broken.reason.to_string());
                let verdict = json!({"line": line, "ok": false, "mismatch": reason});
                format!("{verdict}\n")
            } else {
                format!("{}: {broken}\n", path.display())
            })?;
        }
        match file.chain_begin() {
            None if file.line() > 0 && !self.format.json() => print(
                "the log has no hash chain, as an older version wrote it: whether lines were \
                 changed cannot be seen\n",
            )?,
            Some(line) if line > 1 && !self.format.json() => print(&format!(
                "the hash chain begins in line {line}: older lines were written by an older \
                 version\n"
            ))?,
            _ => {}
        }
        Ok(breaks.len())
    }

    fn show(&self, record: &Record) -> Result<(), CliError> {
        let set = self.rules.open_for(&self.log)?;
        let mut session = open(record, &set.catalog)?;
        let last = record.moves.len();
        let target = self.ply.unwrap_or(last);
        if target > last {
            return Err(CliError::Usage(format!(
                "--ply {target}: the match has {last} plies"
            )));
        }
        let hidden_from = self.hidden_from(record, &set.catalog)?;
        print(&header(record))?;
        let mut step = PlyByPly::default();
        for ply in 0..=target {
            if ply > 0 {
                let mv = &record.moves[ply - 1].mv;
                step.add(&mut *session, mv).map_err(|error| {
                    CliError::Verify(format!("{}: move {ply}: {error}", record.match_id))
                })?;
            }
            if self.all || self.step || ply == target {
                let viewer = hidden_from.map(|seat| Perception {
                    seat,
                    seen: session
                        .sees()
                        .get(seat)
                        .filter(|_| ply > 0 && step.is_whole())
                        .map_or(&[], Vec::as_slice),
                });
                print(&picture(record, &*session, ply, viewer))?;
            }
            if self.step && ply < target && !next()? {
                return Ok(());
            }
        }
        if target == last {
            print(&format!("{}\n", summary(record)))?;
        }
        Ok(())
    }
}

impl Args {
    /// The seat that the match is shown to, if there is something that it cannot know.
    fn hidden_from(&self, record: &Record, catalog: &Catalog) -> Result<Option<usize>, CliError> {
        let Some(word) = &self.viewer else {
            return Ok(None);
        };
        let roles: Vec<&str> = record.players.iter().map(|player| &*player.role).collect();
        let number = word.parse().ok().filter(|seat| *seat < roles.len());
        let seat = number.or_else(|| roles.iter().position(|role| role == word));
        let Some(seat) = seat else {
            let known = roles.iter().map(|role| shown(role)).join(", ");
            return Err(CliError::Usage(format!(
                "--as: `{word}` is no role of {}, which has {known}",
                shown(&record.match_id)
            )));
        };
        let is_hidden = catalog
            .find(&record.game)
            .is_ok_and(|game| game.info.hidden);
        Ok(is_hidden.then_some(seat))
    }
}

fn open(record: &Record, catalog: &Catalog) -> Result<Box<dyn Session>, CliError> {
    let wrong = |reason: String| CliError::Verify(format!("{}: {reason}", record.match_id));
    let game = catalog
        .find(&record.game)
        .map_err(|error| wrong(error.to_string()))?;
    let rules = game
        .configure(&record.options)
        .map_err(|error| wrong(error.to_string()))?;
    rules
        .load(&record.start)
        .map_err(|error| wrong(error.to_string()))
}

/// Waits for Enter; false at the end of the input, or for `q`.
fn next() -> Result<bool, CliError> {
    print_notice("Enter for the next ply, q to quit ");
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line)?;
    Ok(read > 0 && line.trim() != "q")
}
