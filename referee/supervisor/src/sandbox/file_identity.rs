//! Verifies files that a bot names and that somebody may replace before it starts: its author may
//! have an account on the machine, or a build may still run. They are opened without following
//! links, and compared with the files in the finished sandbox.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::fstat;
use serde::{Deserialize, Serialize};

/// A file or folder, identified by its inode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Its path, without links.
    pub path: PathBuf,
    device: u64,
    inode: u64,
}

impl Identity {
    /// The identities of the files that these paths lead to now.
    ///
    /// # Errors
    /// If one of them does not exist, or a link is on the way to it.
    pub(super) fn all_of(paths: &[PathBuf]) -> Result<Vec<Self>, String> {
        let identity = |path: &PathBuf| -> io::Result<Identity> {
            let about = fstat(open(path)?)?;
            Ok(Identity {
                path: path.clone(),
                // Their types differ between systems.
                device: about.st_dev as u64,
                inode: about.st_ino as u64,
            })
        };
        let identity = |path: &PathBuf| identity(path).map_err(|error| changed(path, &error));
        paths.iter().map(identity).collect()
    }

    /// Checks that this process sees this very file at its path.
    pub(super) fn check(&self) -> Result<(), String> {
        let about = self.path.symlink_metadata();
        let about = about.map_err(|error| changed(&self.path, &error))?;
        if (about.dev(), about.ino()) == (self.device, self.inode) {
            Ok(())
        } else {
            Err(changed(&self.path, &"it is another one now"))
        }
    }
}

fn changed(path: &Path, why: &dyn std::fmt::Display) -> String {
    format!(
        "`{}` has changed since it was checked: {why}",
        path.display()
    )
}

/// Opens a path without following links, and not for reading or writing.
///
/// # Errors
/// If a link is on the way to it.
#[cfg(target_os = "linux")]
pub(super) fn open(path: &Path) -> io::Result<OwnedFd> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;

    let flags = OFlags::PATH | OFlags::CLOEXEC;
    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Ok(file) => Ok(file),
        Err(Errno::LOOP) => Err(io::Error::other("there is a link on the way to it")),
        // Kernels before 5.6.
        Err(Errno::NOSYS) => {
            let file = rustix::fs::open(path, flags | OFlags::NOFOLLOW, Mode::empty())?;
            if path.canonicalize()? == path {
                Ok(file)
            } else {
                Err(io::Error::other("there is a link on the way to it"))
            }
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn open(path: &Path) -> io::Result<OwnedFd> {
    if path.canonicalize()? != path {
        return Err(io::Error::other("there is a link on the way to it"));
    }
    Ok(std::fs::File::open(path)?.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_file_that_is_replaced_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let (file, inner) = (top.join("file"), top.join("folder"));
        fs::write(&file, "").unwrap();
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join("file"), "").unwrap();
        let deep = inner.join("file");
        let all = Identity::all_of(&[file.clone(), inner.clone(), deep.clone()]).unwrap();
        for identity in &all {
            assert_eq!(identity.check(), Ok(()));
        }
        fs::rename(&inner, top.join("before")).unwrap();
        symlink("before", &inner).unwrap();
        let link = Identity::all_of(std::slice::from_ref(&deep)).unwrap_err();
        assert!(link.contains("link on the way"), "{link}");
        let other = all[1].check().unwrap_err();
        assert!(other.contains("it is another one now"), "{other}");
        fs::write(top.join("new"), "").unwrap();
        fs::rename(top.join("new"), &file).unwrap();
        assert!(all[0].check().is_err());
    }
}
