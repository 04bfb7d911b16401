//! A terminal for tests: runs a program in a pseudo-terminal, and interprets its output.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::needs;

/// The content of a terminal; lines wrap again when it is resized.
#[derive(Debug)]
pub struct Screen {
    width: usize,
    height: usize,
    rows: Vec<Row>,
    row: usize,
    column: usize,
    /// A sequence of which the end has not come.
    begun: String,
}

#[derive(Clone, Debug, Default)]
struct Row {
    text: Vec<char>,
    /// The line continues in the next row.
    wrapped: bool,
}

impl Screen {
    /// An empty screen.
    pub fn new(width: usize, height: usize) -> Self {
        Screen {
            width,
            height,
            rows: vec![Row::default()],
            row: 0,
            column: 0,
            begun: String::new(),
        }
    }

    /// The rows, including those that have scrolled off.
    pub fn rows(&self) -> Vec<String> {
        let text = |row: &Row| row.text.iter().collect::<String>().trim_end().to_owned();
        self.rows.iter().map(text).collect()
    }

    /// True if a line was too long for one row.
    pub fn has_wrapped(&self) -> bool {
        self.rows.iter().any(|row| row.wrapped)
    }

    /// Interprets output of a program.
    pub fn write(&mut self, text: &str) {
        for c in text.chars() {
            if !self.begun.is_empty() || c == '\u{1b}' {
                self.begun.push(c);
                if self.begun.len() > 2 && c.is_ascii_alphabetic() {
                    let sequence = std::mem::take(&mut self.begun);
                    self.obey(&sequence[2..]);
                }
                continue;
            }
            match c {
                '\r' => self.column = 0,
                '\n' => self.down(),
                c => self.put(c),
            }
        }
    }

    fn obey(&mut self, sequence: &str) {
        let (number, command) = sequence.split_at(sequence.len() - 1);
        let number = number.parse().unwrap_or(1);
        let top = self.rows.len().saturating_sub(self.height);
        match command {
            "A" => self.row = self.row.saturating_sub(number).max(top),
            "J" => {
                self.rows.truncate(self.row + 1);
                self.rows[self.row].text.truncate(self.column);
                self.rows[self.row].wrapped = false;
            }
            "m" => {}
            other => panic!("the test's terminal does not know the sequence {other:?}"),
        }
    }

    fn down(&mut self) {
        self.row += 1;
        if self.row == self.rows.len() {
            self.rows.push(Row::default());
        }
    }

    fn put(&mut self, c: char) {
        if self.column == self.width {
            self.rows[self.row].wrapped = true;
            self.down();
            self.column = 0;
        }
        let text = &mut self.rows[self.row].text;
        if text.len() <= self.column {
            text.resize(self.column + 1, ' ');
        }
        text[self.column] = c;
        self.column += 1;
    }

    /// Becomes wider or narrower. The cursor must be at the start of a line.
    pub fn resize(&mut self, width: usize) {
        let before = self.rows.len();
        let mut rows = Vec::new();
        let mut line = Vec::new();
        for row in std::mem::take(&mut self.rows) {
            line.extend(row.text);
            if !row.wrapped {
                let pieces: Vec<&[char]> = line.chunks(width).collect();
                let last = pieces.len().saturating_sub(1);
                rows.extend(pieces.iter().enumerate().map(|(i, piece)| Row {
                    text: piece.to_vec(),
                    wrapped: i < last,
                }));
                if pieces.is_empty() {
                    rows.push(Row::default());
                }
                line.clear();
            }
        }
        self.row = rows.len() - (before - self.row);
        self.rows = rows;
        self.width = width;
    }
}

pub struct Terminal {
    child: Child,
    output: Receiver<String>,
    pub screen: Screen,
    /// The device, and the program's id.
    tty: String,
    pid: Pid,
    height: usize,
}

impl Terminal {
    /// Starts a shell command in a terminal of this size; `None` if the machine lacks the program
    /// `script`: then the test is recorded as skipped. `folder` is for the test's files.
    pub fn start(command: &str, width: usize, height: usize, folder: &Path) -> Option<Self> {
        let note: PathBuf = folder.join(format!("terminal-{width}"));
        let noted = note.display();
        let script = format!(
            "stty cols {width} rows {height}; (tty; echo $$) > {noted}.part; \
             mv {noted}.part {noted}; exec {command}"
        );
        let started = Command::new("script")
            .args(["-q", "-e", "-c", &script, "/dev/null"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .env("SHELL", "/bin/sh")
            .spawn();
        let Ok(mut child) = started else {
            needs::skip("there is no program `script`, which makes pseudo-terminals");
            return None;
        };
        let mut pipe = child.stdout.take().expect("a pipe");
        let (sender, output) = channel();
        thread::spawn(move || {
            let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
            while let Ok(read @ 1..) = pipe.read(&mut buffer) {
                bytes.extend_from_slice(&buffer[..read]);
                // Characters may come in pieces.
                let whole = std::str::from_utf8(&bytes).map_or_else(|e| e.valid_up_to(), str::len);
                let text = String::from_utf8_lossy(&bytes[..whole]).into_owned();
                bytes.drain(..whole);
                if sender.send(text).is_err() {
                    return;
                }
            }
        });
        crate::wait_until("the terminal", || note.exists());
        let noted = fs::read_to_string(note).expect("the terminal's name");
        let mut lines = noted.lines().map(str::to_owned);
        let tty = lines.next().expect("a device");
        let pid = lines.next().and_then(|pid| pid.parse().ok());
        Some(Terminal {
            child,
            output,
            screen: Screen::new(width, height),
            tty,
            pid: Pid::from_raw(pid.expect("an id")),
            height,
        })
    }

    /// Interprets output until the condition holds.
    pub fn show_until(&mut self, what: &str, mut holds: impl FnMut(&Screen) -> bool) {
        let end = Instant::now() + Duration::from_secs(60);
        while !holds(&self.screen) {
            let shown = || self.screen.rows().join("\n");
            assert!(Instant::now() < end, "no {what} in\n{}", shown());
            match self.output.recv_timeout(Duration::from_millis(100)) {
                Ok(text) => self.screen.write(&text),
                // On a busy machine `script` may notice only now that its child was stopped, and
                // stop as well.
                Err(_) => self.go_on(),
            }
        }
    }

    /// Types text.
    pub fn write(&mut self, text: &str) {
        let input = self.child.stdin.as_mut().expect("an input");
        input.write_all(text.as_bytes()).expect("typed");
        input.flush().expect("typed");
    }

    /// Changes the terminal's width while the program is stopped.
    pub fn resize(&mut self, width: usize) {
        // Right after something came, the next thing takes a while.
        if let Ok(text) = self.output.recv_timeout(Duration::from_secs(10)) {
            self.screen.write(&text);
        }
        // `script` stops with it, and goes on with it.
        kill(self.pid, Signal::SIGSTOP).expect("it runs");
        while let Ok(text) = self.output.recv_timeout(Duration::from_millis(500)) {
            self.screen.write(&text);
        }
        let size =
            ["cols", &width.to_string(), "rows", &self.height.to_string()].map(str::to_owned);
        let mut stty = Command::new("stty");
        let status = stty.args(["-F", &self.tty]).args(size).status();
        assert!(status.expect("stty runs").success());
        self.screen.resize(width);
        self.go_on();
    }

    /// Continues the program, and `script` with it.
    fn go_on(&self) {
        let script = Pid::from_raw(self.child.id() as i32);
        for pid in [self.pid, script] {
            // One that has just ended needs no signal.
            let _ = kill(pid, Signal::SIGCONT);
        }
    }

    /// Shows the rest and returns the exit code.
    pub fn end(mut self) -> (Option<i32>, Screen) {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            match self.output.recv_timeout(Duration::from_millis(100)) {
                Ok(text) => self.screen.write(&text),
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                    assert!(Instant::now() < end, "it does not end");
                }
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
        let status = self.child.wait().expect("it has ended");
        (status.code(), self.screen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_wrapped_and_erased() {
        let mut screen = Screen::new(10, 5);
        screen.write("0123456789ab\r\nnext\r\n");
        assert_eq!(screen.rows(), ["0123456789", "ab", "next", ""]);
        screen.resize(4);
        assert_eq!(screen.rows(), ["0123", "4567", "89ab", "next", ""]);
        screen.write("\r\u{1b}[1A\u{1b}[Jx");
        assert_eq!(screen.rows(), ["0123", "4567", "89ab", "x"]);
    }
}
