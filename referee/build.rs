//! Names the build by its commit, and lists the files that are part of the program: examples and SDKs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The folder of links to what the program has from elsewhere in the repository: Cargo packs the files that they
/// lead to, but no folder with a `Cargo.toml`, which is linked by another name.
const SHIPPED: &str = "shipped";
/// Folders there whose files are part of the program, and the ending of these.
const EMBEDDED: [(&str, &str); 8] = [
    ("bots/bridges", "py"),
    ("bots/examples/python", "py"),
    ("bots/sdk/javascript", "js"),
    ("bots/sdk/python/src", "py"),
    ("bots/sdk/python/src", "typed"),
    ("games/examples", "py"),
    ("games/sheets", "kif"),
    ("tournaments", "toml"),
];
/// Folders whose changes make a build `-dirty`, beside those in `referee`.
const SOURCES: [&str; 5] = [
    "bots/src",
    "games/gdl",
    "games/solver",
    "games/src",
    "protocol",
];

fn main() {
    start_fast();
    let myself = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = myself.join("..");
    println!("cargo::rerun-if-env-changed=REFEREE_COMMIT");
    let rooms = fs::read_dir(root.join("referee")).into_iter().flatten();
    let rooms = rooms.flatten().map(|entry| entry.path());
    let sources = SOURCES
        .map(|folder| root.join(folder))
        .into_iter()
        .chain(rooms);
    for path in sources.filter(|path| path.exists() && !path.ends_with(SHIPPED)) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let version = env!("CARGO_PKG_VERSION");
    let version = match env::var("REFEREE_COMMIT").ok().or_else(|| commit(&root)) {
        Some(commit) => format!("{version} ({commit})"),
        None => version.to_owned(),
    };
    println!("cargo::rustc-env=REFEREE_VERSION={version}");

    let shipped = myself.join(SHIPPED);
    let mut files = Vec::new();
    for (folder, ending) in EMBEDDED {
        let first = files.len();
        collect(&shipped.join(folder), ending, &mut files);
        // Languages write their caches into their folders, which would count as changes.
        let watched = match ending {
            "kif" | "toml" => &[shipped.join(folder)],
            _ => &files[first..],
        };
        for path in watched {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    files.sort();
    let lines = files.iter().map(|file| {
        let name = file.strip_prefix(&shipped).expect("it is in there");
        format!("    ({name:?}, include_str!({:?})),\n", file)
    });
    let list = format!("&[\n{}]\n", lines.collect::<String>());
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets it"));
    fs::write(out.join("embedded.rs"), list).expect("the output folder can be written");
}

/// Links a debug build at a fixed address. At any other it must adjust its 200,000 pointers whenever it starts, which
/// takes longer than the rest of a start, and tests start it tens of thousands of times. Releases stay movable: that
/// makes attacks harder.
fn start_fast() {
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|is| is == value);
    if is("PROFILE", "debug") && is("CARGO_CFG_TARGET_OS", "linux") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}

/// The files below a folder with this ending, but for tests.
fn collect(folder: &Path, ending: &str, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_test = name.starts_with("test_") || ["test", "tests"].contains(&&*name);
        if path.is_dir() && !is_test {
            collect(&path, ending, files);
        } else if !is_test && path.extension().is_some_and(|it| it == ending) {
            files.push(path);
        }
    }
}

/// The commit and its date, as in `1a2b3c4 2026-11-25`, with `-dirty` if files differ from it;
/// `None` outside of a checkout.
fn commit(root: &Path) -> Option<String> {
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
    // Another repository's, in which these sources are unpacked.
    if Path::new(&git(&["rev-parse", "--show-toplevel"])?) != root.canonicalize().ok()? {
        return None;
    }
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
