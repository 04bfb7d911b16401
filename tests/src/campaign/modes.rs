//! Misbehaviour of hostile bots in a campaign, and the right reaction to each.

#[derive(Clone, Copy, Debug)]
pub(super) struct Mode {
    /// The bot's argument.
    pub(super) how: &'static str,
    /// The codes of faults that are right.
    pub(super) codes: &'static [&'static str],
    /// It may play to the end without a fault.
    pub(super) may_play_on: bool,
    /// The turn with the fault; 0 before the first.
    pub(super) turn: u32,
}

const fn lose(how: &'static str, codes: &'static [&'static str], turn: u32) -> Mode {
    let may_play_on = false;
    Mode {
        how,
        codes,
        may_play_on,
        turn,
    }
}

const fn play(how: &'static str) -> Mode {
    Mode {
        how,
        codes: &[],
        may_play_on: true,
        turn: 0,
    }
}

/// Bots that never identify themselves, or are given up after a few tries: each is an entrant of
/// its own, with a timeout.
pub(super) const STARTS: [Mode; 7] = [
    lose("exit-at-start", &["startup"], 0),
    lose("no-hello", &["startup"], 0),
    lose("deaf", &["startup"], 0),
    lose("wrong-protocol", &["protocol"], 0),
    lose("python-repr", &["protocol"], 0),
    lose("no-ready", &["startup"], 0),
    lose("exit-before-ready", &["startup"], 0),
];

/// Bots with timeouts.
pub(super) const WAITS: [Mode; 7] = [
    lose("hang", &["timeout"], 2),
    lose("late", &["timeout"], 2),
    lose("drip", &["timeout"], 2),
    lose("drip-bytes", &["timeout"], 2),
    lose("half-line", &["timeout"], 2),
    lose("stops-itself", &["timeout"], 2),
    lose("spins", &["timeout"], 2),
];

/// Bots that end by themselves.
pub(super) const ENDS: [Mode; 36] = [
    lose("exit-after-hello", &["startup"], 0),
    lose("hello-twice", &["protocol"], 0),
    lose("giant-games", &["startup"], 0),
    lose("crash", &["crash"], 2),
    lose("signal", &["crash"], 2),
    lose("exit-after-turn", &["crash"], 3),
    lose("close-stdout", &["crash"], 2),
    lose("close-stdin", &["crash"], 3),
    lose("resign", &["resign"], 2),
    lose("no-move", &["no_move"], 2),
    lose("false-fault", &["protocol"], 2),
    lose("kills-supervisor", &["crash"], 2),
    lose("daemons-and-kills-supervisor", &["crash"], 2),
    lose("garbage", &["protocol"], 2),
    lose("escapes", &["protocol"], 2),
    lose("invalid-utf8", &["protocol"], 2),
    lose("deep-json", &["protocol"], 2),
    lose("huge-ply", &["protocol"], 2),
    lose("negative-ply", &["protocol"], 2),
    lose("nan-info", &["protocol"], 2),
    lose("duplicate-type", &["protocol"], 2),
    lose("duplicate-move", &["protocol"], 2),
    lose("wrong-type", &["protocol"], 2),
    lose("null-byte", &["protocol"], 2),
    lose("null-byte-inside", &["protocol"], 2),
    lose("empty-line", &["protocol"], 2),
    lose("illegal", &["illegal_move"], 2),
    lose("giant-move", &["illegal_move"], 2),
    lose("half-line-and-exit", &["crash"], 2),
    lose("gigabyte", &["protocol"], 2),
    lose("long-line", &["protocol"], 2),
    lose("ready-twice", &["protocol"], 1),
    lose("floods-info", &["protocol"], 2),
    lose("floods-bytes", &["protocol"], 2),
    lose("floods-later", &["protocol"], 3),
    lose("exit-before-ready", &["startup"], 0),
];

/// Bots that exceed resource limits, in a sandbox.
pub(super) const TAKES: [Mode; 4] = [
    lose("allocates", &["crash"], 2),
    lose("fills-disk", &["crash"], 1),
    lose("opens-files", &["crash"], 2),
    play("many-children"),
];

/// Odd bots without faults.
pub(super) const PLAYS: [Mode; 20] = [
    play("exit-at-end"),
    play("abort-at-quit"),
    play("stays"),
    play("stops-supervisor"),
    play("crlf"),
    play("single-bytes"),
    play("large-numbers"),
    play("huge-number"),
    play("deep-info"),
    play("half-surrogates"),
    play("other-ply"),
    play("twice-with-ply"),
    Mode {
        codes: &["illegal_move"],
        ..play("twice")
    },
    play("many-fields"),
    play("huge-info"),
    play("floods-stderr"),
    play("children"),
    play("daemons"),
    play("closed-daemons"),
    play("noisy"),
];

pub(super) fn find(how: &str) -> Option<Mode> {
    let all = [&STARTS[..], &WAITS, &ENDS, &TAKES, &PLAYS];
    all.into_iter()
        .flatten()
        .find(|mode| mode.how == how)
        .copied()
}
