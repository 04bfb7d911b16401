//! Requests a second that `referee model` answers to a compiled client on the same core, one at a
//! time and several at once, beside the ping-pong.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::measure::median;
use crate::pingpong::{self, keep_to};

/// Each figure is the median of this many runs.
const RUNS: usize = 5;
/// Requests that are sent at once, in turn.
const BATCHES: [usize; 3] = [1, 3, 32];

/// A model on the core of this thread.
struct Client {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    line: Vec<u8>,
}

impl Client {
    fn start(game: &str) -> Self {
        let mut child = Command::new(tests::referee())
            .arg("model")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the model starts");
        let mut client = Client {
            to: child.stdin.take().expect("a pipe"),
            from: BufReader::new(child.stdout.take().expect("a pipe")),
            line: Vec::new(),
            child,
        };
        let new = format!("{{\"op\":\"new\",\"game\":\"{game}\",\"seed\":1}}\n");
        client.ask(new.as_bytes(), 1);
        client
    }

    /// Sends requests at once and reads as many answers.
    fn ask(&mut self, requests: &[u8], count: usize) {
        self.to.write_all(requests).expect("the model reads");
        for _ in 0..count {
            self.line.clear();
            let read = self.from.read_until(b'\n', &mut self.line);
            read.expect("the model answers");
            let ok = self.line.windows(6).any(|part| part == b"\"ok\":{");
            assert!(ok, "{}", String::from_utf8_lossy(&self.line));
        }
    }

    /// Requests a second, in batches, measured for about this long.
    fn rate(&mut self, lines: &[&str], batch: usize, time: Duration) -> f64 {
        // Whole rounds of the requests, so that the position stays.
        let batches = lines.len();
        let all: Vec<&str> = lines
            .iter()
            .copied()
            .cycle()
            .take(batch * batches)
            .collect();
        let requests: Vec<String> = all.chunks(batch).map(<[&str]>::concat).collect();
        let (begin, mut count) = (Instant::now(), 0);
        while begin.elapsed() < time {
            for _ in 0..10 {
                for request in &requests {
                    self.ask(request.as_bytes(), batch);
                }
            }
            count += 10 * batch * batches;
        }
        count as f64 / begin.elapsed().as_secs_f64()
    }

    fn end(self) {
        let mut child = self.child;
        drop(self.to);
        child.wait().expect("the model ends");
    }
}

pub(crate) fn run(tiny: bool) {
    let (time, runs) = if tiny {
        (Duration::from_millis(20), 1)
    } else {
        (Duration::from_millis(500), RUNS)
    };
    let all = pingpong::cores();
    let limits = (0..runs).map(|_| pingpong::side_by_side(1, time).rate());
    let limit = median(limits.collect());
    println!("ping-pong on one core: {limit:.0} a second\n");
    println!("| requests | at once | a second | of the ping-pong |\n|---|---|---|---|");
    let get = ["{\"id\":1,\"op\":\"get\"}\n"];
    let key = ["{\"id\":1,\"op\":\"get\",\"want\":[\"key\"]}\n"];
    let there_and_back = [
        "{\"id\":1,\"op\":\"play\",\"moves\":[\"+c1n\"]}\n",
        "{\"id\":2,\"op\":\"undo\"}\n",
    ];
    let with_legal = [
        "{\"id\":1,\"op\":\"play\",\"moves\":[\"+c1n\"],\"want\":[\"legal\",\"key\"]}\n",
        "{\"id\":2,\"op\":\"undo\"}\n",
    ];
    let evaluate = ["{\"id\":1,\"op\":\"evaluate\"}\n"];
    let children = ["{\"id\":1,\"op\":\"children\"}\n"];
    let with_value = ["{\"id\":1,\"op\":\"children\",\"want\":[\"value\"]}\n"];
    for (label, lines) in [
        ("`get`", &get[..]),
        ("`get` with `key`", &key),
        ("`play` and `undo`, in turn", &there_and_back),
        ("`play` with `legal` and `key`, and `undo`", &with_legal),
        ("`evaluate`", &evaluate),
        ("`children`", &children),
        ("`children` with `value`", &with_value),
    ] {
        for batch in BATCHES {
            // The child inherits where this thread is.
            keep_to(Some(all[0]), &all);
            let mut client = Client::start("siam");
            let rates = (0..runs).map(|_| client.rate(lines, batch, time));
            let rate = median(rates.collect());
            client.end();
            keep_to(None, &all);
            println!("| {label} | {batch} | {rate:.0} | {:.2} |", rate / limit);
        }
    }
    overtime(if tiny { 3 } else { 25 });
}

/// Time that `playouts` takes beyond its limit, in a position of few moves and one of many.
fn overtime(runs: usize) {
    println!("\n| `playouts` with `ms` 20 | answered after, ms |\n|---|---|");
    for game in ["siam", "amazons"] {
        let mut client = Client::start(game);
        let times = (0..runs).map(|_| {
            let begin = Instant::now();
            client.ask(b"{\"op\":\"playouts\",\"ms\":20}\n", 1);
            begin.elapsed().as_secs_f64() * 1e3
        });
        println!("| {game} | {:.1} |", median(times.collect()));
        client.end();
    }
}
