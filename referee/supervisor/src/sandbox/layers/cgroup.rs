//! Control groups, version one or two, in which the kernel limits and counts all processes of a bot
//! together. See cgroups(7).

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::system::spawner;

/// Numbers the groups of this process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A folder of a control group file system in which this process may make groups.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    dir: PathBuf,
    version: Version,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// The places in which this process may make groups, by purpose; `None` if there is none.
#[derive(Clone, Debug, Default)]
pub struct Cgroups {
    memory: Option<Place>,
    pids: Option<Place>,
    cpu: Option<Place>,
    weight: Option<Place>,
    freezer: Option<Place>,
}

impl Cgroups {
    /// Examines the control groups of this machine. If version two requires it, moves this process
    /// to a group of its own below its present one.
    pub fn find() -> Self {
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let mut found = Cgroups::default();
        for (controllers, place) in places(&mounts, &groups) {
            match place.version {
                Version::One => found.add_version_one(&controllers, &place),
                Version::Two => found.add_version_two(&place),
            }
        }
        found
    }

    fn add_version_one(&mut self, controllers: &[String], place: &Place) {
        let usable = |controller: &str, file: &str| {
            let has = controllers.iter().any(|name| name == controller);
            (has && place.can_make(file)).then(|| place.clone())
        };
        let replace = |slot: &mut Option<Place>, place: Option<Place>| {
            if place.is_some() {
                *slot = place;
            }
        };
        replace(&mut self.memory, usable("memory", "memory.limit_in_bytes"));
        replace(&mut self.pids, usable("pids", "pids.max"));
        replace(&mut self.cpu, usable("cpuacct", "cpuacct.usage"));
        replace(&mut self.weight, usable("cpu", "cpu.shares"));
        replace(&mut self.freezer, usable("freezer", "freezer.state"));
    }

    /// Version one comes first, and takes precedence.
    fn add_version_two(&mut self, place: &Place) {
        place.enable_controllers();
        let usable = |file: &str| place.can_make(file).then(|| place.clone());
        self.weight = self.weight.take().or_else(|| usable("cpu.weight"));
        // But not here: in version two, frozen processes can be killed.
        self.freezer = usable("cgroup.freeze").or(self.freezer.take());
        self.memory = self.memory.take().or_else(|| usable("memory.max"));
        self.pids = self.pids.take().or_else(|| usable("pids.max"));
        self.cpu = self.cpu.take().or_else(|| usable("cpu.stat"));
    }

    pub fn memory(&self) -> bool {
        self.memory.is_some()
    }

    /// True if the number of processes can be limited.
    pub fn pids(&self) -> bool {
        self.pids.is_some()
    }

    /// True if CPU time can be counted.
    pub fn cpu(&self) -> bool {
        self.cpu.is_some()
    }

    /// True if each bot can have one share of the CPU, however many processes it has.
    pub fn weight(&self) -> bool {
        self.weight.is_some()
    }

    /// True if all processes of a bot can be frozen at once.
    pub fn freezer(&self) -> bool {
        self.freezer.is_some()
    }

    /// Makes a group for a bot, with the limits that can be enforced here; `memory` is in bytes.
    pub fn make(&self, memory: Option<u64>, processes: Option<u64>) -> io::Result<Group> {
        loop {
            match self.make_next(memory, processes) {
                // Left by a referee with the same process id that was killed, or by one in another
                // PID namespace.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made,
            }
        }
    }

    fn make_next(&self, memory: Option<u64>, processes: Option<u64>) -> io::Result<Group> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("referee-{}-{number}", std::process::id());
        let mut group = Group::default();
        if let (Some(place), Some(bytes)) = (&self.memory, memory) {
            let dir = group.add(place, &name)?;
            limit_memory(&dir, place.version, bytes)?;
        }
        if let (Some(place), Some(most)) = (&self.pids, processes) {
            let dir = group.add(place, &name)?;
            fs::write(dir.join("pids.max"), most.to_string())?;
        }
        if let Some(place) = &self.weight {
            // All groups have the same weight by default.
            group.add(place, &name)?;
        }
        if let Some(place) = &self.freezer {
            let dir = group.add(place, &name)?;
            group.freezer = Some(GroupFreezer {
                dir,
                version: place.version,
            });
        }
        if let Some(place) = &self.cpu {
            let dir = group.add(place, &name)?;
            group.cpu = Some(match place.version {
                Version::One => Cpu::Nanoseconds(File::open(dir.join("cpuacct.usage"))?),
                Version::Two => Cpu::Stat(File::open(dir.join("cpu.stat"))?),
            });
        }
        Ok(group)
    }
}

fn limit_memory(dir: &Path, version: Version, bytes: u64) -> io::Result<()> {
    match version {
        Version::One => fs::write(dir.join("memory.limit_in_bytes"), bytes.to_string()),
        Version::Two => {
            fs::write(dir.join("memory.max"), bytes.to_string())?;
            // Without swap these files do not exist, and there is nothing to limit.
            let _ = fs::write(dir.join("memory.swap.max"), "0");
            let _ = fs::write(dir.join("memory.oom.group"), "1");
            Ok(())
        }
    }
}

impl Place {
    /// True if groups that have this file can be made here.
    fn can_make(&self, file: &str) -> bool {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("referee-{}-{number}", std::process::id());
        let dir = self.dir.join(name);
        let there = fs::create_dir(&dir).is_ok() && dir.join(file).exists();
        let _ = fs::remove_dir(&dir);
        there
    }

    /// Enables the controllers for groups below this one, in version two. A group that does so may
    /// have no processes itself, so this process moves down if it is the only one.
    fn enable_controllers(&self) {
        let control = self.dir.join("cgroup.subtree_control");
        let shared = fs::read_to_string(&control).unwrap_or_default();
        let there = fs::read_to_string(self.dir.join("cgroup.controllers")).unwrap_or_default();
        let is_in = |text: &str, name: &str| text.split_whitespace().any(|word| word == name);
        let missing: Vec<String> = ["cpu", "memory", "pids"]
            .iter()
            .filter(|name| is_in(&there, name) && !is_in(&shared, name))
            .map(|name| format!("+{name}"))
            .collect();
        if missing.is_empty() || fs::write(&control, missing.join(" ")).is_ok() {
            return;
        }
        // It would be another process here, and starts below this group when it is needed again.
        spawner::stop();
        let own = self.dir.join(format!("referee-{}", std::process::id()));
        if fs::create_dir(&own).is_err() {
            return;
        }
        let moved = fs::write(own.join("cgroup.procs"), "0");
        if moved.is_err() || fs::write(&control, missing.join(" ")).is_err() {
            // There are other processes, too: undo it.
            let _ = fs::write(self.dir.join("cgroup.procs"), "0");
            let _ = fs::remove_dir(&own);
        }
    }
}

/// The folders of this process's groups, with their controllers; version one comes first.
fn places(mounts: &str, groups: &str) -> Vec<(Vec<String>, Place)> {
    let mut found = Vec::new();
    for line in mounts.lines() {
        let Some((left, right)) = line.split_once(" - ") else {
            continue;
        };
        let left: Vec<&str> = left.split(' ').collect();
        let right: Vec<&str> = right.split(' ').collect();
        let (&[_, _, _, root, mount, ..], &[kind, _, options]) = (&left[..], &right[..]) else {
            continue;
        };
        let version = match kind {
            "cgroup" => Version::One,
            "cgroup2" => Version::Two,
            _ => continue,
        };
        let controllers: Vec<String> = options.split(',').map(str::to_owned).collect();
        let Some(own) = own_group(groups, version, &controllers) else {
            continue;
        };
        // In a container the mount may start at the group itself.
        let below = Path::new(own).strip_prefix(root).unwrap_or(Path::new(""));
        let mut dir = Path::new(mount).join(below.strip_prefix("/").unwrap_or(below));
        if !dir.is_dir() {
            dir = PathBuf::from(mount);
        }
        found.push((controllers, Place { dir, version }));
    }
    found.sort_by_key(|(_, place)| place.version == Version::Two);
    found
}

/// The path of this process's group, from `/proc/self/cgroup`.
fn own_group<'a>(groups: &'a str, version: Version, controllers: &[String]) -> Option<&'a str> {
    groups.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':');
        let (id, names, path) = (parts.next()?, parts.next()?, parts.next()?);
        let right = match version {
            Version::One => names
                .split(',')
                .any(|name| controllers.iter().any(|c| c == name)),
            Version::Two => id == "0" && names.is_empty(),
        };
        right.then_some(path)
    })
}

/// The groups of one bot. Dropping this removes them if no process is left in them.
#[derive(Debug, Default)]
pub struct Group {
    dirs: Vec<PathBuf>,
    cpu: Option<Cpu>,
    freezer: Option<GroupFreezer>,
}

/// The group by which a bot is frozen.
#[derive(Clone, Debug)]
pub struct GroupFreezer {
    dir: PathBuf,
    version: Version,
}

impl GroupFreezer {
    /// Freezes all processes in the group, including those that are just being forked.
    ///
    /// # Errors
    /// If the group is gone.
    pub fn freeze(&self) -> io::Result<()> {
        match self.version {
            Version::One => fs::write(self.dir.join("freezer.state"), "FROZEN"),
            Version::Two => fs::write(self.dir.join("cgroup.freeze"), "1"),
        }
    }

    /// # Errors
    /// If the group is gone.
    pub(crate) fn thaw(&self) -> io::Result<()> {
        match self.version {
            Version::One => fs::write(self.dir.join("freezer.state"), "THAWED"),
            Version::Two => fs::write(self.dir.join("cgroup.freeze"), "0"),
        }
    }

    pub(crate) fn is_frozen(&self) -> bool {
        let text = |file: &str| fs::read_to_string(self.dir.join(file)).unwrap_or_default();
        match self.version {
            Version::One => text("freezer.state").trim() == "FROZEN",
            Version::Two => counter(&text("cgroup.events"), "frozen") == Some(1),
        }
    }
}

#[derive(Debug)]
enum Cpu {
    /// The file holds a number of nanoseconds.
    Nanoseconds(File),
    /// The file holds a line with `usage_usec` and a number of microseconds.
    Stat(File),
}

impl Group {
    fn add(&mut self, place: &Place, name: &str) -> io::Result<PathBuf> {
        let dir = place.dir.join(name);
        if !self.dirs.contains(&dir) {
            fs::create_dir(&dir)?;
            self.dirs.push(dir.clone());
        }
        Ok(dir)
    }

    /// `None` if control groups cannot freeze here.
    pub fn freezer(&self) -> Option<&GroupFreezer> {
        self.freezer.as_ref()
    }

    /// The folders of the groups. A process joins by writing its id to `cgroup.procs` in each.
    pub fn dirs(&self) -> &[PathBuf] {
        &self.dirs
    }

    /// The CPU time that the group has used so far; `None` if nothing counts it.
    pub fn cpu(&self) -> Option<Duration> {
        let mut buffer = [0; 256];
        let mut read = |file: &File| {
            let length = file.read_at(&mut buffer, 0).ok()?;
            std::str::from_utf8(&buffer[..length])
                .ok()
                .map(str::to_owned)
        };
        match self.cpu.as_ref()? {
            Cpu::Nanoseconds(file) => {
                let text = read(file)?;
                text.trim().parse().ok().map(Duration::from_nanos)
            }
            Cpu::Stat(file) => counter(&read(file)?, "usage_usec").map(Duration::from_micros),
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // The kernel refuses while a process is left; the supervisor removes them later.
        remove(&self.dirs);
    }
}

/// The limit that the kernel has enforced on the processes in these groups, in words.
pub fn enforced(dirs: &[PathBuf]) -> Option<&'static str> {
    let counted = |file: &str, name: &str| {
        let texts = dirs
            .iter()
            .filter_map(|dir| fs::read_to_string(dir.join(file)).ok());
        let counts = texts.filter_map(|text| counter(&text, name));
        counts.sum::<u64>() > 0
    };
    if counted("memory.oom_control", "oom_kill") || counted("memory.events", "oom_kill") {
        return Some("it was out of the memory allowed to it");
    }
    counted("pids.events", "max")
        .then_some("it was refused more processes and threads than allowed to it")
}

/// Continues the processes in these groups: in version one, frozen processes cannot end.
pub(crate) fn thaw(dirs: &[PathBuf]) {
    for dir in dirs {
        let state = dir.join("freezer.state");
        if state.exists() {
            let _ = fs::write(state, "THAWED");
        }
    }
}

/// Kills all processes in these groups, if the kernel can do that at once.
pub fn kill(dirs: &[PathBuf]) {
    for dir in dirs {
        let all = dir.join("cgroup.kill");
        if all.exists() {
            let _ = fs::write(all, "1");
        }
    }
}

/// Removes groups in which no process is left.
pub fn remove(dirs: &[PathBuf]) {
    for dir in dirs {
        let _ = fs::remove_dir(dir);
    }
}

/// The value on the line "NAME VALUE".
fn counter(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(' ')?;
        (key == name).then(|| value.trim().parse().ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_groups_are_found_in_both_versions() {
        let mounts = "\
31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw
32 31 0:29 / /nowhere/pids rw,relatime - cgroup cgroup rw,pids
33 31 0:30 / /nowhere/memory rw,relatime shared:5 - cgroup cgroup rw,memory
34 31 0:31 /box /nowhere/unified rw,relatime - cgroup2 cgroup2 rw";
        let groups = "8:pids:/\n4:memory:/a/b\n0::/box/c";
        let found: Vec<(String, Version)> = places(mounts, groups)
            .into_iter()
            .map(|(_, place)| (place.dir.display().to_string(), place.version))
            .collect();
        // None of these is there, so the mounts themselves are what is left.
        let expected = [
            ("/nowhere/pids", Version::One),
            ("/nowhere/memory", Version::One),
            ("/nowhere/unified", Version::Two),
        ];
        assert_eq!(
            found,
            expected.map(|(dir, version)| (dir.to_owned(), version))
        );
        assert_eq!(own_group(groups, Version::Two, &[]), Some("/box/c"));
        let memory = ["memory".to_owned()];
        assert_eq!(own_group(groups, Version::One, &memory), Some("/a/b"));
    }

    #[test]
    fn counters_are_read() {
        let text = "low 0\nmax 3\noom_kill 2\n";
        assert_eq!(counter(text, "oom_kill"), Some(2));
        assert_eq!(counter(text, "oom"), None);
        assert_eq!(
            counter("usage_usec 77\nuser_usec 5", "usage_usec"),
            Some(77)
        );
    }

    #[test]
    fn groups_are_made_and_removed_where_that_is_allowed() {
        let cgroups = Cgroups::find();
        let Ok(group) = cgroups.make(Some(64 << 20), Some(10)) else {
            panic!("what was found can be used: {cgroups:?}");
        };
        let dirs = group.dirs().to_vec();
        assert!(dirs.iter().all(|dir| dir.is_dir()));
        assert_eq!(group.cpu().is_some(), cgroups.cpu());
        assert_eq!(enforced(&dirs), None);
        drop(group);
        assert!(dirs.iter().all(|dir| !dir.exists()));
    }
}
