//! The user id of bots: the referee's own or, if that is root, one that no user has. No bot runs as
//! root: it would own all files of root that it sees.

use std::fs;

use nix::unistd::{Pid, Uid, geteuid};
use serde::{Deserialize, Serialize};

/// Ids from this one on confuse programs that take them for signed numbers.
const END: u64 = 1 << 31;
/// With fewer ids than this to choose from, two processes could get the same one.
const MIN_IDS: u64 = 1 << 10;

/// The account that runs the referee, as far as it matters for bots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Account {
    /// An ordinary user, or root in a user namespace of an ordinary user.
    Ordinary,
    /// Root, which can run each bot under an id of its own.
    Root(Ids),
    /// Root that cannot become another user, for this reason.
    Stuck(String),
}

/// User ids that no user has; each is used as the id of a group, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ids {
    first: u32,
    count: u32,
}

impl Account {
    /// Examines the account that runs this process.
    pub fn find() -> Self {
        if !geteuid().is_root() {
            return Account::Ordinary;
        }
        let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        Self::of_root(&map, &status)
    }

    pub(super) fn of_root(map: &str, status: &str) -> Self {
        let ranges: Vec<[u64; 3]> = map.lines().filter_map(range).collect();
        if let [[0, outside, 1]] = ranges[..]
            && outside != 0
        {
            tracing::debug!("root is the user {outside} outside of this user namespace");
            return Account::Ordinary;
        }
        let ends = ranges.iter().map(|[first, _, count]| {
            let end = (first + count).min(END);
            (*first, end.saturating_sub(*first))
        });
        let Some((first, count)) = ends.max_by_key(|(_, count)| *count) else {
            return Account::Stuck("the user ids of this system are not known".to_owned());
        };
        if count < MIN_IDS {
            return Account::Stuck(format!(
                "this user namespace has only {count} user ids; at least {MIN_IDS} are needed"
            ));
        }
        if !may_change_ids(status) {
            return Account::Stuck("root here may not change to other user ids".to_owned());
        }
        // The upper half: real users have the lower ids.
        let half = count / 2;
        Account::Root(Ids {
            first: (first + half) as u32,
            count: half as u32,
        })
    }

    /// The ids to choose from; `None` if bots run as the referee's user.
    pub fn ids(&self) -> Option<Ids> {
        match self {
            Account::Root(ids) => Some(*ids),
            Account::Ordinary | Account::Stuck(_) => None,
        }
    }
}

impl Ids {
    /// The id for a process. No other process has it while this one exists.
    pub fn of(self, process: Pid) -> Uid {
        Uid::from_raw(self.first + process.as_raw().unsigned_abs() % self.count)
    }

    pub(crate) fn contain(self, id: u32) -> bool {
        (self.first..self.first + self.count).contains(&id)
    }
}

/// A line of `uid_map`: the first id inside, the first id outside, how many.
fn range(line: &str) -> Option<[u64; 3]> {
    let mut numbers = line.split_ascii_whitespace().map(str::parse);
    let mut next = || numbers.next()?.ok();
    Some([next()?, next()?, next()?])
}

/// True if the capabilities in a process's `status` let it become another user and group.
fn may_change_ids(status: &str) -> bool {
    const SETGID: u64 = 1 << 6;
    const SETUID: u64 = 1 << 7;
    has_capabilities(status, SETGID | SETUID)
}

/// True if this process may mount file systems. Root in a container often may not.
pub(super) fn may_mount() -> bool {
    const SYS_ADMIN: u64 = 1 << 21;
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    has_capabilities(&status, SYS_ADMIN)
}

fn has_capabilities(status: &str, all: u64) -> bool {
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let effective = effective.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
    effective.is_some_and(|effective| effective & all == all)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &str = "Name:\tx\nCapEff:\t000001ffffffffff\n";

    #[test]
    fn root_has_ids_that_no_user_has() {
        let Account::Root(ids) = Account::of_root("0 0 4294967295\n", ALL) else {
            panic!("root can become anybody");
        };
        assert_eq!((ids.first, ids.count), (1 << 30, 1 << 30));
        let id = |pid| ids.of(Pid::from_raw(pid)).as_raw();
        assert_eq!(id(17), (1 << 30) + 17);
        assert_ne!(id(4_000_000), id(4_000_001));
        // As in a container that has the ids of one user's range.
        let Account::Root(ids) = Account::of_root("0 1000 1\n1 100000 65536\n", ALL) else {
            panic!("root can become one of them");
        };
        assert!(ids.of(Pid::from_raw(70_000)).as_raw() > 32_000);
        assert!(ids.of(Pid::from_raw(70_000)).as_raw() <= 65_536);
    }

    #[test]
    fn root_of_a_users_namespace_is_that_user() {
        assert_eq!(Account::of_root("0 1000 1\n", ALL), Account::Ordinary);
        assert!(matches!(
            Account::of_root("0 0 1\n", ALL),
            Account::Stuck(_)
        ));
        let without = "CapEff:\t0000000000000000\n";
        let stuck = Account::of_root("0 0 4294967295\n", without);
        assert!(matches!(stuck, Account::Stuck(why) if why.contains("may not change")));
    }
}
