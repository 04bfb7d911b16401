//! `referee merge`: merges the logs of a tournament's shards.

use std::path::{Path, PathBuf};

use report::print_notice;
use tournament::folder::secret_file::SECRET_NAME;
use tournament::{Merged, Missing, merge};

use crate::cli::{CliError, print};

/// Merges the logs of a tournament's parts
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee tournament evening.toml --shard 1/2 --out part-1      on one machine
  referee tournament evening.toml --shard 2/2 --out part-2      on another one
  referee merge part-1 part-2 --out evening

All folders must be of one configuration, and every match must follow from the rules. A match that is in
several logs must be the same in all of them. If something is wrong, nothing is written. If matches are
missing, the logs are put together all the same, and the commands that play the rest are printed. A merge that
was killed, or found no room on the disk, can be repeated.")]
pub(crate) struct Args {
    /// The folders of the parts
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// The folder of the whole, which must not hold a tournament yet
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The configuration, if its paths are others here than where the parts were played
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        let merged = merge(&self.folders, &self.out, self.config.as_deref())?;
        let Merged { matches, total, .. } = merged;
        let mut text = format!(
            "{matches} of {total} matches are in {}\n",
            self.out.display()
        );
        if merged.repeated > 0 {
            let repeated = merged.repeated;
            text += &format!("in several logs, and the same in all of them: {repeated}\n");
        }
        if merged.deals_unchecked > 0 {
            text += &format!(
                "deal not checked in {} of them: it follows from a secret, and no folder has its \
                 `{SECRET_NAME}`\n",
                merged.deals_unchecked
            );
        }
        // Until the user knows of it, the same command can be repeated.
        let printed = print(&text);
        merged.finish();
        printed?;
        let config = merged.configuration.as_deref();
        let config = config.unwrap_or(Path::new("CONFIG.toml"));
        for missing in &merged.missing {
            print_notice(format_args!("{}\n", in_words(missing, config)));
        }
        Ok(())
    }
}

/// The missing matches, and the command that plays them.
fn in_words(missing: &Missing, config: &Path) -> String {
    let config = config.to_string_lossy();
    let shard = missing.shard.map(|shard| shard.to_string());
    let own_folder = || format!("part-{}", missing.shard.map_or(1, |shard| shard.part()));
    let folder = missing.folder.as_deref().map(Path::to_string_lossy);
    let mut words = vec!["referee", "tournament", &config];
    let new_folder;
    match (&folder, &shard) {
        (Some(folder), _) => words.extend(["--resume", "--out", folder]),
        (None, shard) => {
            new_folder = own_folder();
            words.extend(shard.iter().flat_map(|shard| ["--shard", shard]));
            words.extend(["--out", &new_folder]);
        }
    }
    let of = shard
        .as_ref()
        .map_or(String::new(), |shard| format!(" of part {shard}"));
    let (matches, command) = (missing.matches, shell_words::join(&words));
    let are = if matches == 1 {
        "match is"
    } else {
        "matches are"
    };
    format!("{matches} {are} missing{of}: `{command}` plays the rest")
}
