//! Names the build by its commit, and lists the examples that are part of the program.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The folder of links to what the program has from elsewhere in the repository: Cargo packs the files that they
/// lead to, but no folder with a `Cargo.toml`, which is linked by another name.
const SHIPPED: &str = "shipped";
/// Folders there whose files are examples, and the ending of these.
const EXAMPLES: [(&str, &str); 5] = [
    ("tournaments", "toml"),
    ("bots/examples/python", "py"),
    ("bots/sdk/python/src", "py"),
    ("games/examples", "py"),
    ("games/sheets", "kif"),
];
/// Folders whose changes make a build `-dirty`.
const SOURCES: [&str; 4] = ["bots", "games", "protocol", "referee"];

fn main() {
    let myself = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = myself.join("..");
    println!("cargo::rerun-if-env-changed=REFEREE_COMMIT");
    let sources = SOURCES.map(|folder| root.join(folder));
    for folder in sources.iter().filter(|folder| folder.is_dir()) {
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    let version = env!("CARGO_PKG_VERSION");
    let version = match env::var("REFEREE_COMMIT").ok().or_else(|| commit(&root)) {
        Some(commit) => format!("{version} ({commit})"),
        None => version.to_owned(),
    };
    println!("cargo::rustc-env=REFEREE_VERSION={version}");

    let shipped = myself.join(SHIPPED);
    let mut files = Vec::new();
    for (folder, ending) in EXAMPLES {
        println!("cargo::rerun-if-changed={}", shipped.join(folder).display());
        collect(&shipped.join(folder), ending, &mut files);
    }
    files.sort();
    let lines = files.iter().map(|file| {
        let name = file.strip_prefix(&shipped).expect("it is in there");
        format!("    ({name:?}, include_str!({:?})),\n", file)
    });
    let list = format!("&[\n{}]\n", lines.collect::<String>());
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets it"));
    fs::write(out.join("examples.rs"), list).expect("the output folder can be written");
}

/// The files below a folder with this ending, but for tests.
fn collect(folder: &Path, ending: &str, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_test = entry.file_name().to_string_lossy().starts_with("test");
        if path.is_dir() && !is_test {
            collect(&path, ending, files);
        } else if !is_test && path.extension().is_some_and(|it| it == ending) {
            files.push(path);
        }
    }
}

/// The commit and its date, as in `1a2b3c4 2026-11-25`, with `-dirty` if files differ from it;
/// `None` outside of a checkout, though a package of this crate may be unpacked in somebody else's.
fn commit(root: &Path) -> Option<String> {
    if !root.join(".git").exists() {
        return None;
    }
    let git = |args: &[&str]| {
        let output = Command::new("git")
            .arg("-C")
            .arg(root)
            .args(args)
            .output()
            .ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    for name in ["HEAD", "logs/HEAD"] {
        let path = root.join(git(&["rev-parse", "--git-path", name])?);
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let commit = git(&[
        "show",
        "--no-patch",
        "--abbrev=7",
        "--format=%h %cs",
        "HEAD",
    ])?;
    let changes = git(&["--no-optional-locks", "status", "--porcelain"])?;
    Some(if changes.is_empty() {
        commit
    } else {
        format!("{commit}-dirty")
    })
}
