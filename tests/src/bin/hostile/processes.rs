//! Children, daemons and worse. Each prints its process id on stderr, and ends by itself.

use std::env;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio, id};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nix::unistd::setsid;

use crate::{resources, sleep_for_ever};

/// Duration of a fork bomb.
const MULTIPLYING: u64 = 20;

/// Starts the bot's companions.
pub(crate) fn start(how: &str) {
    match how {
        "children" => run_and_wait("child", ""),
        "daemons" => run_and_wait("daemon", ""),
        "closed-daemons" => run_and_wait("daemon", "closed"),
        "fork-bomb" => {
            run("multiply", &(seconds() + MULTIPLYING).to_string());
            sleep_for_ever();
        }
        "many-children" => (0..100).for_each(|_| run("child", "")),
        "spins-in-child" => {
            run("spin", "");
            sleep_for_ever();
        }
        "allocates-in-child" => {
            run("allocate", "");
            sleep_for_ever();
        }
        _ => {}
    }
}

/// Runs the role of a child, if this process is one.
pub(crate) fn child(how: &str, argument: Option<String>) -> bool {
    let argument = argument.unwrap_or_default();
    match how {
        "child" => {
            report();
            sleep_for_ever();
        }
        "daemon" => {
            // Sandboxes refuse that.
            let _ = setsid();
            run_from("leaver", &argument, Stdio::inherit());
        }
        // Orphans its child.
        "leaver" => run_from("demon", &argument, Stdio::inherit()),
        "demon" => {
            let _ = setsid();
            report();
            if argument == "closed" {
                for fd in 0..100 {
                    let _ = nix::unistd::close(fd);
                }
            }
            sleep_for_ever();
        }
        "multiply" => {
            let end = argument.parse().unwrap_or(0);
            while seconds() < end {
                run("multiply", &argument);
                run("multiply", &argument);
                thread::sleep(Duration::from_millis(50));
            }
        }
        "spin" => resources::waste("spins"),
        "allocate" => resources::waste("allocates"),
        _ => return false,
    }
    true
}

/// Starts this program in another role. May fail, because of limits.
fn run(role: &str, argument: &str) {
    run_from(role, argument, Stdio::null());
}

/// The same, and waits until it, or its descendant, has reported its start.
fn run_and_wait(role: &str, argument: &str) {
    let (mut hears, reports) = UnixStream::pair().expect("a pair of sockets");
    run_from(role, argument, OwnedFd::from(reports).into());
    // Nothing comes where it could not start.
    let _ = hears.read(&mut [0]);
}

/// Reports the start of this process.
fn report() {
    eprintln!("child {}", id());
    // A waiting parent is at the other end of its input.
    let _ = nix::unistd::write(io::stdin(), b"!");
}

fn run_from(role: &str, argument: &str, stdin: Stdio) {
    let myself = env::current_exe().expect("the path of this program");
    let mut command = Command::new(myself);
    command.args([role, argument]).stdin(stdin);
    // Nobody waits for it.
    drop(command.spawn());
}

/// Becomes this program in another role that a polite signal does not end.
pub(crate) fn without_sigterm(role: &str) {
    let myself = env::current_exe().expect("the path of this program");
    let script = "trap '' TERM HUP INT; exec \"$0\" \"$1\"";
    let error = Command::new("sh")
        .args(["-c", script])
        .arg(myself)
        .arg(role)
        .exec();
    panic!("no shell: {error}");
}

/// Becomes another program; its children remain.
pub(crate) fn become_other(command: &[String]) -> io::Error {
    let [program, arguments @ ..] = command else {
        return io::ErrorKind::InvalidInput.into();
    };
    Command::new(program).args(arguments).exec()
}

fn seconds() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs())
}
