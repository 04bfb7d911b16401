//! `referee examples`: the tournaments that are part of the program, with their bots and rules.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use bundle::default_cache;
use games::kit::text::nearest;

use crate::cli::common::embedded::{self, FILES};
use crate::cli::{CliError, VERSION, print};

/// The folder of the configurations among the embedded files.
const TOURNAMENTS: &str = "tournaments";

/// Lists the example tournaments in the program, or prints one
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee examples                           lists them
  referee examples quickstart                prints the configuration
  referee examples quickstart > mine.toml    to begin your own from
  referee tournament quickstart              plays it

A configuration that names files of its own, such as a bot in Python, finds them beside it in a folder
of your cache, where `referee tournament NAME` puts them. `--dir` prints that folder.")]
pub(crate) struct Args {
    /// The example
    name: Option<String>,
    /// Write all examples, with their bots and rules, to your cache and print the folder
    #[arg(long, conflicts_with = "name")]
    dir: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        if self.dir {
            let folder = unpacked()?;
            return print(&format!("{}\n", folder.display()));
        }
        match &self.name {
            Some(name) => print(text(name).ok_or_else(|| unknown(name))?),
            None => {
                let lines = names().map(|name| {
                    let about = text(name).map_or(String::new(), summary);
                    format!("{name:17}  {about}\n")
                });
                print(&lines.collect::<String>())
            }
        }
    }
}

/// The configuration that a word on the command line names: the file, or the example of that name,
/// unpacked, if there is no such file.
pub(crate) fn configuration(word: &Path) -> Result<PathBuf, CliError> {
    match word.to_str() {
        Some(name) if text(name).is_some() && !word.is_file() => {
            Ok(unpacked()?.join(TOURNAMENTS).join(format!("{name}.toml")))
        }
        // A path is not meant as the name of an example.
        Some(name) if word.extension().is_none() && !name.contains('/') && !word.exists() => {
            Err(unknown(name))
        }
        _ => Ok(word.to_owned()),
    }
}

fn names() -> impl Iterator<Item = &'static str> {
    embedded::below(TOURNAMENTS).filter_map(|(name, _)| name.strip_suffix(".toml"))
}

fn text(name: &str) -> Option<&'static str> {
    let file = format!("{name}.toml");
    let mut all = embedded::below(TOURNAMENTS);
    all.find(|(other, _)| *other == file).map(|(_, text)| text)
}

/// The first sentence of the comment at the top, or what stands in it before a colon.
fn summary(text: &str) -> String {
    let comment = text.lines().filter_map(|line| line.strip_prefix("# "));
    let comment = comment.collect::<Vec<_>>().join(" ");
    let end = [". ", ": "]
        .iter()
        .filter_map(|end| comment.find(end))
        .min();
    comment[..end.unwrap_or(comment.len())].to_owned()
}

fn unknown(name: &str) -> CliError {
    let names: Vec<&str> = names().collect();
    CliError::Usage(match nearest(name, &names) {
        Some(near) => format!(
            "there is no file and no example `{name}`; did you mean `{near}`? `referee examples` lists them"
        ),
        None => format!(
            "there is no file and no example `{name}`; examples are {}",
            names.join(", ")
        ),
    })
}

/// The folder of all examples, written if it is not there. It is made beside and renamed, so that it is
/// whole or not there.
fn unpacked() -> Result<PathBuf, CliError> {
    let cache = default_cache().with_file_name("examples");
    let name = VERSION.replace(['(', ')'], "").replace(' ', "-");
    let folder = cache.join(name);
    let is_whole = || {
        let mut files = FILES.iter();
        files.all(|(path, text)| {
            fs::read(folder.join(path)).is_ok_and(|found| found == text.as_bytes())
        })
    };
    if is_whole() {
        return Ok(folder);
    }
    let failed = |error: io::Error| CliError::Output {
        path: folder.clone(),
        error,
    };
    fs::create_dir_all(&cache).map_err(failed)?;
    let part = tempfile::Builder::new().prefix(".part-").tempdir_in(&cache);
    let part = part.map_err(failed)?;
    for (path, text) in FILES {
        write(&part.path().join(path), text).map_err(failed)?;
    }
    everybody_reads(part.path()).map_err(failed)?;
    // It fails if the folder is there: from another process that was faster, or damaged.
    if fs::rename(part.path(), &folder).is_err() && !is_whole() {
        fs::remove_dir_all(&folder).map_err(failed)?;
        fs::rename(part.path(), &folder).map_err(failed)?;
    }
    Ok(folder)
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::File::create(path)?.write_all(text.as_bytes())
}

/// Bots may run as other users, who have to enter the folder.
fn everybody_reads(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_example_has_a_name_and_says_what_it_is() {
        assert!(names().any(|name| name == "quickstart"));
        for name in names() {
            let about = summary(text(name).unwrap());
            assert!((10..100).contains(&about.len()), "{name}: {about}");
        }
    }

    #[test]
    fn a_file_goes_before_an_example_of_its_name() {
        let other = Path::new("no-such-example.toml");
        assert_eq!(configuration(other).unwrap(), other);
    }
}
