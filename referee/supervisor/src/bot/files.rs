//! The files of a bot: digests for the log, and owners.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::spec::{BotSpec, REFEREE, is_system_file};

/// SHA-256 in hexadecimal digits, by file name.
pub(crate) type Digests = BTreeMap<String, String>;

/// The largest file that is read, in bytes: a larger one is no script, and would take long.
const MAX_SIZE: u64 = 64 << 20;

/// A bot's own folder with more files than this contains something else than a bot, and counts as
/// empty.
const MAX_FILES: usize = 2000;
/// The same for the size of all its files, in bytes.
const MAX_FOLDER: u64 = 64 << 20;
/// Folders that tools make beside a bot and that are not part of it. Hidden ones are left out, too.
const MADE_BY_TOOLS: [&str; 4] = ["__pycache__", "node_modules", "runs", "target"];

/// The version of a bot, by the contents of its files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Build {
    /// The files that its command names.
    pub files: Digests,
    /// The hash of all its files and their names; `None` if it has none.
    pub hash: Option<String>,
    /// The hash of all its files without their names, and of the command with digests instead of
    /// files: equal for bots that differ only in the names of files.
    pub likeness: Option<String>,
}

/// The files of a bot at the time of the last check.
#[derive(Debug, Default)]
pub(super) struct BotFiles {
    /// Of the files that its command names; `None` before the first check.
    stamps: Option<Vec<(PathBuf, Stamp)>>,
    build: Arc<Build>,
}

/// Changes when the file does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    /// Seconds and nanoseconds.
    modified: (i64, i64),
    /// The last change of the file's metadata, likewise.
    changed: (i64, i64),
}

pub(super) struct FileCheck {
    pub(super) build: Arc<Build>,
    /// The files that have changed since the last check.
    pub(super) changed: Vec<String>,
}

impl BotFiles {
    /// Reads the files again if they may have changed.
    pub(super) fn check(&mut self, spec: &BotSpec) -> FileCheck {
        let files = of(spec);
        let with_stamps = files.map(|(path, about)| (path, stamp(&about)));
        let stamps = Some(with_stamps.collect());
        let first = self.stamps.is_none();
        if stamps == self.stamps {
            return FileCheck {
                build: self.build.clone(),
                changed: Vec::new(),
            };
        }
        let build = build(spec);
        let (before, now) = (&self.build.files, &build.files);
        let is_new = |name: &&String| before.get(*name) != now.get(*name);
        let changed = now.keys().filter(is_new).cloned();
        let changed = changed.filter(|_| !first).collect();
        self.stamps = stamps;
        self.build = Arc::new(build);
        FileCheck {
            build: self.build.clone(),
            changed,
        }
    }
}

pub fn build(spec: &BotSpec) -> Build {
    if spec.ggp.is_some() {
        return Build::default();
    }
    let named = of(spec).filter_map(|(path, _)| Some((digest(&path).ok()?, path)));
    let named: Vec<(String, PathBuf)> = named.collect();
    let name = |path: &Path| {
        let path = path.strip_prefix(&spec.dir).unwrap_or(path);
        path.display().to_string()
    };
    let files: Digests = named
        .iter()
        .map(|(digest, path)| (name(path), digest.clone()))
        .collect();
    let mut all = files.clone();
    if has_own_folder(spec) {
        let own = own_folder(&spec.dir).into_iter().flatten();
        all.extend(own.filter_map(|path| Some((name(&path), digest(&path).ok()?))));
    }
    if all.is_empty() {
        return Build::default();
    }
    let mut contents: Vec<&str> = all.values().map(String::as_str).collect();
    contents.sort_unstable();
    let words = spec.command.iter().map(|word| {
        let file = name(&spec.dir.join(word));
        all.get(&file).unwrap_or(word).as_str()
    });
    let variables = spec.env.iter().flat_map(|(key, value)| [&**key, &**value]);
    Build {
        hash: Some(hash(
            all.iter().flat_map(|(name, digest)| [&**name, &**digest]),
        )),
        likeness: Some(hash(contents.into_iter().chain(words).chain(variables))),
        files,
    }
}

/// True if its working directory is its own, and not the one in which the referee was started,
/// which may contain anything.
fn has_own_folder(spec: &BotSpec) -> bool {
    let here = env::current_dir().and_then(fs::canonicalize);
    spec.shows_dir && here.is_ok_and(|here| !here.starts_with(&spec.dir))
}

/// The files in a folder and the folders in it; `None` if they are too many or too large.
fn own_folder(dir: &Path) -> Option<Vec<PathBuf>> {
    let (mut files, mut bytes) = (Vec::new(), 0);
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with('.') || MADE_BY_TOOLS.contains(&&*name) {
                continue;
            }
            // Links are not followed.
            let Ok(about) = entry.metadata() else {
                continue;
            };
            if about.is_dir() {
                folders.push(entry.path());
            } else if about.is_file() {
                bytes += about.len();
                files.push(entry.path());
            }
            if files.len() > MAX_FILES || bytes > MAX_FOLDER {
                return None;
            }
        }
    }
    Some(files)
}

/// The SHA-256 of several texts, in hexadecimal digits.
pub fn hash<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut hasher = Sha256::new();
    for text in texts {
        hasher.update(text);
        hasher.update([0]);
    }
    hexadecimal(&hasher.finalize())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The owners of a bot's files, except root.
pub(super) fn owners(spec: &BotSpec) -> Vec<u32> {
    if spec.ggp.is_some() {
        return Vec::new();
    }
    let dir = fs::metadata(&spec.dir).ok().filter(|_| spec.shows_dir);
    let files = of(spec).map(|(_, about)| about);
    let owners = files.chain(dir).map(|about| about.uid());
    owners.filter(|owner| *owner != 0).collect()
}

/// The program, unless it is the system's or the referee's, and the files that its arguments name.
fn of(spec: &BotSpec) -> impl Iterator<Item = (PathBuf, Metadata)> {
    let program = match spec.command.first() {
        Some(program) if program != REFEREE => spec.program().ok(),
        _ => None,
    };
    let program = program.filter(|path| !is_system_file(path) && spec.may_run(path));
    let arguments = spec.command.iter().skip(1).map(|word| spec.dir.join(word));
    // Not even the digest of another user's file may get into the log.
    let arguments = arguments.filter(|path| spec.may_name(path));
    program.into_iter().chain(arguments).filter_map(|path| {
        let about = fs::metadata(&path).ok()?;
        (about.is_file() && about.len() <= MAX_SIZE).then_some((path, about))
    })
}

fn stamp(about: &Metadata) -> Stamp {
    Stamp {
        device: about.dev(),
        inode: about.ino(),
        size: about.len(),
        modified: (about.mtime(), about.mtime_nsec()),
        changed: (about.ctime(), about.ctime_nsec()),
    }
}

fn digest(path: &Path) -> io::Result<String> {
    Ok(digest_of(&fs::read(path)?))
}

/// The SHA-256 of these bytes, in hexadecimal digits.
pub fn digest_of(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::TimeControl;

    #[test]
    fn a_change_of_a_script_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("bot.py");
        fs::write(&script, "abc").unwrap();
        let command = ["sh", "bot.py", "--fast"].map(str::to_owned).to_vec();
        let time = TimeControl::default();
        let spec = BotSpec::new("x".to_owned(), command, folder.path().to_owned(), &time);
        let mut files = BotFiles::default();
        let found = files.check(&spec);
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let digests = &found.build.files;
        assert_eq!(digests.get("bot.py").map(String::as_str), Some(abc));
        assert_eq!(digests.len(), 1, "the shell is the system's");
        assert!(files.check(&spec).changed.is_empty());
        fs::write(&script, "abcd").unwrap();
        assert_eq!(files.check(&spec).changed, ["bot.py"]);
        assert!(files.check(&spec).changed.is_empty());
        let mine = fs::metadata(&script).unwrap().uid();
        assert!(owners(&spec).iter().all(|owner| *owner == mine));
    }

    /// A bot in a folder of its own, with a module beside its program.
    fn with_module(folder: &Path, program: &str, module: &str) -> BotSpec {
        fs::create_dir_all(folder.join("__pycache__")).unwrap();
        fs::write(folder.join(program), "import search").unwrap();
        fs::write(folder.join("search.py"), module).unwrap();
        let command = ["sh", program].map(str::to_owned).to_vec();
        let time = TimeControl::default();
        BotSpec::new("x".to_owned(), command, folder.to_owned(), &time)
    }

    #[test]
    fn a_build_is_all_files_of_a_bot() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let spec = with_module(&at("a"), "bot.py", "depth = 3");
        let first = build(&spec);
        assert!(first.hash.is_some() && first.files.len() == 1);
        fs::write(at("a/__pycache__/search.pyc"), "1").unwrap();
        fs::write(at("a/.log"), "1").unwrap();
        assert_eq!(build(&spec), first);
        let copy = build(&with_module(&at("b"), "bot.py", "depth = 3"));
        assert_eq!(copy.hash, first.hash);
        let renamed = build(&with_module(&at("c"), "mine.py", "depth = 3"));
        assert_ne!(renamed.hash, first.hash);
        assert_eq!(renamed.likeness, first.likeness);
        fs::write(at("a/search.py"), "depth = 4").unwrap();
        assert_ne!(build(&spec).hash, first.hash);
        let mut alone = spec.clone();
        alone.command = ["referee", "bot", "random"].map(str::to_owned).to_vec();
        alone.shows_dir = false;
        assert_eq!(build(&alone), Build::default());
    }
}
