//! Privilege escalation: rights that a bot has, or can get.

use std::fs;
use std::process::Command;

use nix::libc;

use crate::redteam::call::call;
use crate::redteam::{Attempts, Later, Targets};
use crate::spy::status;

pub(crate) fn privileges(targets: &Targets, attempts: &mut Attempts) -> Option<Later> {
    for set in ["CapEff", "CapPrm", "CapInh", "CapAmb"] {
        let value = status(set);
        let some = value.bytes().any(|digit| digit != b'0');
        attempts.add(&format!("have capabilities ({set})"), some, value);
    }
    let value = status("NoNewPrivs");
    attempts.add(
        "get new rights by a program",
        value != "1",
        format!("NoNewPrivs: {value}"),
    );
    // Which user that is outside, the campaign sees.
    let inside = status("Uid");
    let root = inside.split_whitespace().any(|id| id == "0");
    attempts.add("be root inside", root, inside);
    let became = call(libc::SYS_setresuid, &[0, 0, 0]);
    attempts.call("become root", became, "setresuid");
    let joined = call(libc::SYS_setresgid, &[0, 0, 0]);
    attempts.call("become root's group", joined, "setresgid");
    let groups = [0_u32];
    let joined = call(libc::SYS_setgroups, &[1, groups.as_ptr() as usize]);
    attempts.call("join root's group", joined, "setgroups");
    let ran = Command::new(targets.path("setuid program"))
        .arg("-u")
        .output();
    let answer = ran.map(|ran| String::from_utf8_lossy(&ran.stdout).trim().to_owned());
    let answer = answer.unwrap_or_else(|error| error.to_string());
    let before = fs::metadata("/proc/self").is_ok_and(|own| {
        use std::os::unix::fs::MetadataExt;
        own.uid() == 0
    });
    attempts.add("run a program as root", answer == "0" && !before, answer);
    None
}
