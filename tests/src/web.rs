//! The web view from a program's side: a server of the built program, and a plain HTTP client.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde_json::Value;

use crate::wait_until;

/// Longer than anything takes on any machine.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A process that serves pages. It is ended with this value.
#[derive(Debug)]
pub struct Server {
    process: Child,
    /// The addresses that it printed, one a line, from `http://` on.
    pub links: Vec<String>,
    /// The rest of its output, which no one reads.
    _output: BufReader<ChildStdout>,
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// The headers, one a line, in lower case.
    pub head: String,
    pub body: String,
}

#[derive(Debug)]
pub struct Events {
    lines: BufReader<TcpStream>,
}

impl Server {
    /// Starts `referee` with these arguments, which prints this many addresses on stdout.
    pub fn start<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>, links: usize) -> Self {
        let mut command = Command::new(crate::referee());
        command.args(args).stdin(Stdio::null());
        Self::of(command, links)
    }

    /// The same with a command of any kind.
    pub fn of(mut command: Command, links: usize) -> Self {
        // In a group of its own, for commands that start the server as their child.
        command.stdout(Stdio::piped()).process_group(0);
        let mut process = command.spawn().expect("it runs");
        let output = process.stdout.take().expect("a pipe");
        let mut output = BufReader::new(output);
        let link = |_| {
            let mut line = String::new();
            output.read_line(&mut line).expect("text");
            let at = line.find("http://").expect("an address");
            line[at..].trim_end().to_owned()
        };
        let links = (0..links).map(link).collect();
        Server {
            process,
            links,
            _output: output,
        }
    }

    /// Its host and port.
    pub fn host(&self) -> &str {
        host(&self.links[0])
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// A line that it printed on stderr, if that is a pipe.
    pub fn line_of_stderr(&mut self) -> String {
        let stderr = self.process.stderr.take().expect("a pipe");
        let mut line = String::new();
        let read = BufReader::new(stderr).read_line(&mut line);
        read.expect("a line");
        line
    }

    pub fn get(&self, path: &str) -> Answer {
        ask(self.host(), "GET", path, "", "")
    }

    /// The same, which has to be JSON. Waits until the server has read its log.
    pub fn json(&self, path: &str) -> Value {
        let mut answer = self.get(path);
        wait_until("the log to be read", || {
            if answer.status == 503 {
                answer = self.get(path);
            }
            answer.status != 503
        });
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        serde_json::from_str(&answer.body).expect("JSON")
    }

    pub fn events(&self, path: &str) -> Events {
        Events::of(self.host(), path)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let group = Pid::from_raw(self.process.id() as i32);
        let _ = killpg(group, Signal::SIGKILL);
        let _ = self.process.wait();
    }
}

/// The host and port in an address.
pub fn host(link: &str) -> &str {
    let rest = link.trim_start_matches("http://");
    rest.split('/').next().unwrap_or(rest)
}

fn request(host: &str, method: &str, path: &str, headers: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(host).expect("a server");
    stream.set_read_timeout(Some(TIMEOUT)).expect("a timeout");
    let own = if headers.to_ascii_lowercase().contains("host:") {
        String::new()
    } else {
        format!("Host: {host}\r\n")
    };
    let length = body.len();
    let text = format!(
        "{method} {path} HTTP/1.1\r\n{own}{headers}Connection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(text.as_bytes()).expect("it reads");
    stream
}

/// Sends a request; each header ends with a line break.
pub fn ask(host: &str, method: &str, path: &str, headers: &str, body: &str) -> Answer {
    let mut text = Vec::new();
    let mut stream = request(host, method, path, headers, body);
    stream.read_to_end(&mut text).expect("an answer");
    let text = String::from_utf8_lossy(&text);
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).expect("a status");
    Answer {
        status: status.parse().expect("a number"),
        head: head.to_ascii_lowercase(),
        body: body.to_owned(),
    }
}

impl Events {
    /// A stream of events of this server.
    pub fn of(host: &str, path: &str) -> Self {
        let stream = request(host, "GET", path, "", "");
        let mut lines = BufReader::new(stream);
        let mut line = String::new();
        lines.read_line(&mut line).expect("an answer");
        assert!(line.contains("200"), "{line}");
        Events { lines }
    }

    /// The next event with this name; `None` at the end of the stream.
    pub fn next(&mut self, name: &str) -> Option<Value> {
        let mut last = String::new();
        loop {
            let mut line = String::new();
            let read = self.lines.read_line(&mut line).expect("an event in time");
            if read == 0 {
                return None;
            }
            if let Some(name) = line.strip_prefix("event: ") {
                name.trim().clone_into(&mut last);
            }
            if let Some(data) = line.strip_prefix("data: ")
                && last == name
            {
                return Some(serde_json::from_str(data).expect("JSON"));
            }
        }
    }

    /// The next event with this name that is as wanted.
    pub fn wait_for(&mut self, name: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let event = self.next(name).expect("another event");
            if is_wanted(&event) {
                return event;
            }
        }
    }
}
