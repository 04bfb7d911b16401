//! A short run of the red team: the strict sandbox keeps its promises against every trick, and
//! there are enough tricks.

use tests::assert_contains;
use tests::campaign::redteam::{self, Options, Tier, User};
use tests::needs::{self, Need};

/// A short run finds nothing.
fn no_trick_breaks_a_promise(part: Options) {
    let findings = redteam::run(&Options {
        short: true,
        ..part
    });
    assert_eq!(findings.wrong, [""; 0], "{findings}");
    let table = findings.figures.join("\n");
    assert_contains(&table, "| held |");
}

#[test]
fn no_trick_breaks_a_promise_to_root() {
    if needs::has(Need::Root) {
        no_trick_breaks_a_promise(Options {
            user: Some(User::Root),
            ..Options::default()
        });
    }
}

#[test]
fn no_trick_breaks_a_promise_to_an_ordinary_user() {
    no_trick_breaks_a_promise(Options {
        user: Some(User::Ordinary),
        except: Some("memory".to_owned()),
        ..Options::default()
    });
}

/// Nothing may run beside these: see `.config/nextest.toml`.
mod alone {
    use super::*;

    #[test]
    fn no_trick_takes_more_memory_from_an_ordinary_user() {
        no_trick_breaks_a_promise(Options {
            user: Some(User::Ordinary),
            trick: Some("memory".to_owned()),
            ..Options::default()
        });
    }
}

/// Tricks that succeed nowhere would test nothing.
#[test]
fn tricks_succeed_where_nothing_keeps_them_from_it() {
    for trick in ["read-files", "write-files", "ipc", "limit-processes"] {
        let one = Options {
            tier: Some(Tier::None),
            user: Some(User::Ordinary),
            trick: Some(trick.to_owned()),
            ..Options::default()
        };
        let findings = redteam::run(&one);
        let attempts = findings.figures.join("\n");
        assert!(attempts.contains(": YES "), "{trick}: {findings}");
    }
}

/// In the sandbox "limits", as the current user.
#[test]
fn greedy_bots_harm_nobody_where_they_are_limited() {
    if !needs::has(Need::Root) || !needs::has(Need::ControlGroups) {
        return;
    }
    let one = Options {
        tier: Some(Tier::Limits),
        user: Some(User::Root),
        trick: Some("limits-in-depth".to_owned()),
        short: true,
        ..Options::default()
    };
    let findings = redteam::run(&one);
    assert_eq!(findings.wrong, [""; 0], "{findings}");
    let attempts = findings.figures.join("\n");
    assert_contains(&attempts, "fork-bomb: make its opponent");
}
