//! The kernel's files for settings, made read only for a bot that runs as root.

use std::fs;
use std::io;
use std::path::PathBuf;

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};

/// Files and folders by which root changes the machine for all processes.
const SETTINGS: [&str; 3] = ["/proc/sys", "/proc/sysrq-trigger", "/proc/irq"];

/// Makes control groups and the kernel's settings read only for this process and its descendants,
/// as long as these may not mount anything.
pub(crate) fn make_read_only() -> io::Result<()> {
    unshare(CloneFlags::CLONE_NEWNS)?;
    let nothing = None::<&str>;
    mount(
        nothing,
        "/",
        nothing,
        MsFlags::MS_REC | MsFlags::MS_SLAVE,
        nothing,
    )?;
    let table = fs::read_to_string("/proc/self/mountinfo")?;
    for place in table.lines().filter_map(of_the_kernel) {
        read_only(&place)?;
    }
    for path in SETTINGS.map(PathBuf::from) {
        if path.exists() {
            mount(
                Some(&path),
                &path,
                nothing,
                MsFlags::MS_BIND | MsFlags::MS_REC,
                nothing,
            )?;
            read_only(&path)?;
        }
    }
    Ok(())
}

fn read_only(path: &PathBuf) -> io::Result<()> {
    let flags = MsFlags::MS_BIND
        | MsFlags::MS_REMOUNT
        | MsFlags::MS_RDONLY
        | MsFlags::MS_NOSUID
        | MsFlags::MS_NODEV
        | MsFlags::MS_NOEXEC;
    Ok(mount(
        None::<&str>,
        path,
        None::<&str>,
        flags,
        None::<&str>,
    )?)
}

/// The mount point of a line of the mount table, if it mounts control groups or settings of
/// devices.
fn of_the_kernel(line: &str) -> Option<PathBuf> {
    let (left, right) = line.split_once(" - ")?;
    let kind = right.split(' ').next()?;
    if !["cgroup", "cgroup2", "sysfs", "debugfs", "tracefs"].contains(&kind) {
        return None;
    }
    // A space in a path is written in octal digits.
    Some(left.split(' ').nth(4)?.replace("\\040", " ").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_of_the_kernel_are_found() {
        let line = "41 25 0:30 / /sys/fs/cgroup/a\\040b rw,nosuid - cgroup2 none rw";
        assert_eq!(of_the_kernel(line), Some("/sys/fs/cgroup/a b".into()));
        let line = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw";
        assert_eq!(of_the_kernel(line), None);
    }
}
