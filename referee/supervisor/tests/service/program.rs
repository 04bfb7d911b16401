//! The program that answers requests, each of which says what to do; and a program that asks it, to
//! be stopped and killed.

use std::io::{Read as _, Write as _, stdin, stdout};
use std::path::Path;
use std::process::{abort, exit};
use std::thread::sleep;
use std::time::Duration;
use std::{env, fs, process};

use supervisor::{Service, ServiceFactory};

use crate::tests::spec;

/// The word that makes this program answer.
pub(crate) const ANSWER: &str = "answer";
/// The word that makes this program ask another process of itself: confined or plain, what, and how
/// long to wait for the answer.
pub(crate) const ASK: &str = "ask";

const LONG: Duration = Duration::from_secs(1000);

/// Answers until its input ends.
pub(crate) fn answer() {
    let mut inner = None;
    while let Some(request) = next_line() {
        let (word, rest) = request.split_once(' ').unwrap_or((&request, ""));
        let answer = match word {
            "echo" => rest.to_owned(),
            "pid" => process::id().to_string(),
            "cores" => cores(),
            "env" => env::var(rest).unwrap_or_default(),
            "big" => "x".repeat(rest.parse().unwrap()),
            "allocate" => vec![1_u8; rest.parse().unwrap()].len().to_string(),
            "two" => "one\ntwo".to_owned(),
            "inner" => inner_answer(&mut inner, rest),
            "wait" => wait_for(Path::new(rest)),
            _ => misbehave(word, rest),
        };
        stdout()
            .write_all(format!("{answer}\n").as_bytes())
            .unwrap();
    }
}

/// The next line of stdin, read so that big ones take little time.
fn next_line() -> Option<String> {
    let mut line = String::new();
    stdin().read_line(&mut line).unwrap();
    line.strip_suffix('\n').map(str::to_owned)
}

fn misbehave(word: &str, rest: &str) -> String {
    match word {
        "exit" => {
            eprintln!("the last words: {rest}");
            exit(3)
        }
        "abort" => abort(),
        "hang" => sleep(LONG),
        "spin" => loop {
            std::hint::spin_loop();
        },
        "half" => {
            stdout().write_all(rest.as_bytes()).unwrap();
            stdout().flush().unwrap();
            let mut all = Vec::new();
            stdin().read_to_end(&mut all).unwrap();
        }
        "deaf" => {
            println!("not a word more");
            sleep(LONG);
        }
        _ => panic!("what is `{word}`?"),
    }
    exit(0)
}

/// The answer of a plain child of this process, which is started first if need be.
fn inner_answer(inner: &mut Option<Service>, request: &str) -> String {
    let service = inner.get_or_insert_with(|| {
        let factory = ServiceFactory::plain(spec()).unwrap();
        factory.start().unwrap()
    });
    let answer = service.ask(format!("{request}\n").as_bytes(), LONG);
    answer.map_or_else(
        |failure| failure.to_string(),
        |answer| String::from_utf8(answer.to_vec()).unwrap(),
    )
}

/// Says that it waits, by making a file, until it is removed.
fn wait_for(file: &Path) -> String {
    fs::write(file, process::id().to_string()).unwrap();
    while file.exists() {
        sleep(Duration::from_millis(5));
    }
    "done".to_owned()
}

#[cfg(target_os = "linux")]
pub(crate) fn cores() -> String {
    use nix::sched::{CpuSet, sched_getaffinity};
    use nix::unistd::Pid;

    let set = sched_getaffinity(Pid::from_raw(0)).unwrap();
    let all = 0..CpuSet::count();
    let mine: Vec<usize> = all.filter(|core| set.is_set(*core).unwrap()).collect();
    format!("{mine:?}")
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn cores() -> String {
    String::new()
}

/// Asks a service once, and prints the answer.
pub(crate) fn ask(how: &str, request: &str, seconds: u64) {
    let factory = match how {
        "plain" => ServiceFactory::plain(spec()),
        _ => ServiceFactory::new(spec(), &[]),
    };
    let mut service = factory.unwrap().start().unwrap();
    let answer = service.ask(
        format!("{request}\n").as_bytes(),
        Duration::from_secs(seconds),
    );
    match answer {
        Ok(answer) => println!("{}", String::from_utf8_lossy(answer)),
        Err(failure) => println!("failed: {failure}"),
    }
}
