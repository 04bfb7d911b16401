//! `referee report`: a page about a bot after a tournament, for its author.

use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use report::{print_notice, terminal};
use web::pages::{PageFormat, PlayedTournament, page, write_site};

use crate::cli::common::format::replace;
use crate::cli::{CliError, print};

/// Writes a page about a bot, or a site about all of them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee report runs/class-1 --bot anna                            one bot, on the terminal
  referee report runs/class-1 --bot anna --format html --out anna.html
  referee report runs/class-1 --all --out site    open site/index.html

A page has the bot's results by game and seat and against each other bot, its faults with what they
mean and the end of its stderr, its best and worst matches as replays, and its use of time. The pages
of a site are those of the browser, with all matches, and work from disk; the index
has the tournament's name, dates, conditions and configuration (of environment variables
only the names) and the standings.")]
pub(crate) struct Args {
    /// The tournament's folder, or its log
    folder: PathBuf,
    /// The bot that the page is about
    #[arg(
        long,
        value_name = "NAME",
        required_unless_present = "all",
        conflicts_with = "all"
    )]
    bot: Option<String>,
    /// A page about each bot, with an index: a folder of HTML pages
    #[arg(long, requires = "out", conflicts_with = "format")]
    all: bool,
    /// Output format of the page
    #[arg(long, value_enum, default_value_t = FormatWord(PageFormat::Text))]
    format: FormatWord,
    /// Write the page to this file, or the pages to this folder
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug)]
struct FormatWord(PageFormat);

impl ValueEnum for FormatWord {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            FormatWord(PageFormat::Text),
            FormatWord(PageFormat::Markdown),
            FormatWord(PageFormat::Html),
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self.0 {
            PageFormat::Text => ("text", "For a terminal"),
            PageFormat::Markdown => ("markdown", "For a README"),
            PageFormat::Html => ("html", "A page by itself, with the moves of the matches"),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        let usage = |error: &dyn std::error::Error| CliError::Usage(error.to_string());
        let played = PlayedTournament::read(&self.folder, self.bot.as_deref());
        let played = played.map_err(|error| usage(&error))?;
        if let Some(warning) = &played.warning {
            print_notice(format_args!("warning: {warning}\n"));
        }
        match (&self.bot, &self.out) {
            (Some(bot), None) => print(&page(&played, bot, self.format.0, terminal::width())),
            (Some(bot), Some(out)) => replace(out, &page(&played, bot, self.format.0, None)),
            (None, Some(out)) => {
                let index = write_site(&played, &self.folder, out)?;
                print(&format!("{}\n", index.display()))
            }
            (None, None) => Ok(()),
        }
    }
}
