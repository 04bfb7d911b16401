//! Writable folders of bots, if root runs the referee. Bots have another user id then: it owns the
//! files in them until the bot has ended.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;

use nix::unistd::Uid;
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, chownat, fstat, openat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::sandbox::account::Ids;

/// Files below this depth keep their owner: no build goes that deep, and each level keeps a file
/// open.
const MAX_DEPTH: usize = 100;

/// The folders that a bot owns while it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loan {
    /// The user ids of bots.
    pub ids: Ids,
    pub folders: Vec<PathBuf>,
}

/// The owners of the folders of a [`Loan`].
pub(crate) struct Owners {
    ids: Ids,
    folders: Vec<(PathBuf, Owner)>,
}

#[derive(Clone, Copy)]
struct Owner {
    user: u32,
    group: u32,
}

impl Loan {
    pub(crate) fn owners(&self) -> io::Result<Owners> {
        let folders = self.folders.iter().map(|path| {
            let stat = fstat(open(CWD, path, OFlags::PATH)?)?;
            Ok((path.clone(), self.owner(&stat)))
        });
        Ok(Owners {
            ids: self.ids,
            folders: folders.collect::<io::Result<_>>()?,
        })
    }

    /// Makes a bot's user the owner of all that the owner of a folder has in it. Files of others
    /// keep their owner, and so do files with another name elsewhere.
    pub(crate) fn lend(&self, user: Uid) -> io::Result<()> {
        for path in &self.folders {
            let folder = open(CWD, path, OFlags::PATH)?;
            let owner = self.owner(&fstat(&folder)?).user;
            let is_lent = |stat: &Stat| {
                let shared = is_file(stat) && stat.st_nlink > 1;
                (stat.st_uid == owner || self.ids.contain(stat.st_uid)) && !shared
            };
            let to = |stat: &Stat| is_lent(stat).then_some((user.as_raw(), None));
            change(CWD, path, 0, &to)?;
        }
        Ok(())
    }

    /// Root, if a bot owns the entry: it was not taken back because the machine went down.
    fn owner(&self, stat: &Stat) -> Owner {
        if self.ids.contain(stat.st_uid) {
            return Owner { user: 0, group: 0 };
        }
        Owner {
            user: stat.st_uid,
            group: stat.st_gid,
        }
    }
}

impl Owners {
    /// Makes the owners of the folders the owners of all that bots have in them. All of the bot's
    /// processes must have ended.
    pub(crate) fn take_back(&self) -> io::Result<()> {
        for (path, owner) in &self.folders {
            let to = |stat: &Stat| {
                let group = self.ids.contain(stat.st_gid).then_some(owner.group);
                (self.ids.contain(stat.st_uid) || group.is_some()).then_some((owner.user, group))
            };
            change(CWD, path, 0, &to)?;
        }
        Ok(())
    }
}

fn is_file(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
}

/// Opens an entry, but not the target of a link.
fn open(at: impl AsFd, name: impl rustix::path::Arg, how: OFlags) -> io::Result<OwnedFd> {
    let flags = how | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(at, name, flags, Mode::empty())?)
}

/// Changes the owners of an entry and of all below it to those that `to` returns. Each is opened
/// first, so that nobody can replace it between the check and the change.
fn change(
    at: impl AsFd,
    name: impl rustix::path::Arg + Copy,
    depth: usize,
    to: &impl Fn(&Stat) -> Option<(u32, Option<u32>)>,
) -> io::Result<()> {
    let entry = match openat(
        &at,
        name,
        OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC,
        Mode::empty(),
    ) {
        // It has just gone.
        Err(Errno::NOENT) if depth > 0 => return Ok(()),
        entry => entry?,
    };
    let stat = fstat(&entry)?;
    if let Some((user, group)) = to(&stat) {
        let user = Some(rustix::fs::Uid::from_raw(user));
        let group = group.map(rustix::fs::Gid::from_raw);
        chownat(&entry, c"", user, group, AtFlags::EMPTY_PATH)?;
    }
    if FileType::from_raw_mode(stat.st_mode) != FileType::Directory || depth == MAX_DEPTH {
        return Ok(());
    }
    let folder = open(&entry, c".", OFlags::RDONLY | OFlags::DIRECTORY)?;
    for inner in Dir::read_from(&folder)? {
        let inner = inner?;
        let inner: &CStr = inner.file_name();
        if ![c".", c".."].contains(&inner) {
            change(&folder, inner, depth + 1, to)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{MetadataExt, lchown, symlink};
    use std::path::Path;

    fn owner(path: &Path) -> (u32, u32) {
        let meta = path.symlink_metadata().expect("it is there");
        (meta.uid(), meta.gid())
    }

    #[test]
    fn lent_files_are_taken_back_and_no_others_change_hands() {
        if !nix::unistd::geteuid().is_root() {
            eprintln!("SKIPPED: only root can give files away");
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let top = folder.path().join("bot");
        fs::create_dir_all(top.join("deep")).expect("folders");
        let outside = folder.path().join("outside");
        for path in [&outside, &top.join("mine"), &top.join("others")] {
            fs::write(path, "").expect("a file");
        }
        symlink(&outside, top.join("link")).expect("a link");
        fs::hard_link(&outside, top.join("deep/shared")).expect("a link");
        for path in [&top, &top.join("mine"), &top.join("deep")] {
            lchown(path, Some(1000), Some(1001)).expect("root may do that");
        }
        lchown(&outside, Some(1000), Some(1001)).expect("root may do that");
        let status = "CapEff:\t000001ffffffffff\n";
        let account = crate::sandbox::account::Account::of_root("0 0 4294967295\n", status);
        let loan = Loan {
            ids: account.ids().expect("it is root's"),
            folders: vec![top.clone()],
        };
        let user = loan.ids.of(nix::unistd::Pid::this());
        let owners = loan.owners().expect("the folder is there");
        loan.lend(user).expect("root may do that");
        let of_bot = (user.as_raw(), 1001);
        for name in ["", "mine", "deep"] {
            assert_eq!(owner(&top.join(name)), of_bot, "{name}");
        }
        assert_eq!(owner(&outside), (1000, 1001), "it has two names");
        assert_eq!(owner(&top.join("others")), (0, 0));
        fs::write(top.join("deep/new"), "").expect("a file");
        let (id, new) = (Some(user.as_raw()), top.join("deep/new"));
        lchown(&new, id, id).expect("root may do that");
        owners.take_back().expect("root may do that");
        for name in ["", "mine", "deep", "deep/new"] {
            assert_eq!(owner(&top.join(name)), (1000, 1001), "{name}");
        }
        assert_eq!(owner(&top.join("others")), (0, 0));
    }
}
