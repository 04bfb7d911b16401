//! The pipes of a service: requests and answers, one line each. The asking thread waits.

use std::fmt;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use memchr::memchr;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// Minimum size of the first read; most answers are shorter.
const CHUNK: usize = 16 << 10;
/// The buffer shrinks to this size after an answer, in bytes.
const MAX_BUFFER: usize = 1 << 20;
/// The longest single wait. Even if the kernel returns later, only this much counts: while this
/// process is suspended, no time passes for the service.
const MAX_WAIT: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(super) enum AskError {
    /// The process has closed a pipe, or is gone.
    Closed,
    /// The time was up before the process had read the request.
    NotRead,
    /// The time was up before the answer had arrived.
    Late,
    TooLong,
    /// There was more output before the request.
    Unasked,
    /// The kernel refuses to read or write the pipes.
    Broken(io::Error),
}

impl From<Errno> for AskError {
    fn from(error: Errno) -> Self {
        AskError::Broken(error.into())
    }
}

/// Both pipes. Unusable after an error.
pub(super) struct Connection {
    stdin: OwnedFd,
    stdout: OwnedFd,
    /// Filled up to `end`; the rest is room for the next read.
    buffer: Vec<u8>,
    end: usize,
    /// The length of the last answer, at the start of `buffer`, with its line end; 0 before the
    /// first.
    answer: usize,
    /// The longest answer that is allowed, in bytes without the line end.
    max_line: usize,
}

impl fmt::Debug for Connection {
    // Without the buffer, which is large.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}

impl Connection {
    /// # Errors
    /// If the kernel cannot make the pipes non-blocking.
    pub(super) fn new(stdin: OwnedFd, stdout: OwnedFd, max_line: usize) -> io::Result<Self> {
        for pipe in [&stdin, &stdout] {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        Ok(Connection {
            stdin,
            stdout,
            buffer: vec![0; CHUNK],
            end: 0,
            answer: 0,
            max_line,
        })
    }

    /// The last answer, without its line end; empty before the first.
    pub(super) fn answer(&self) -> &[u8] {
        &self.buffer[..self.answer.saturating_sub(1)]
    }

    /// Output after the last answer.
    pub(super) fn rest(&self) -> &[u8] {
        &self.buffer[self.answer..self.end]
    }

    pub(super) fn stdin(&self) -> BorrowedFd<'_> {
        self.stdin.as_fd()
    }

    /// True if the process still has its output open, and has printed nothing unasked.
    pub(super) fn is_quiet(&self) -> bool {
        let mut output = [PollFd::new(self.stdout.as_fd(), PollFlags::POLLIN)];
        self.rest().is_empty() && poll(&mut output, PollTimeout::ZERO) == Ok(0)
    }

    /// Writes a request and waits for the answer, which [`Connection::answer`] then returns. Gives
    /// up when `time_limit` is over, or as soon as there is nothing to read from a process that has
    /// `ended`.
    pub(super) fn ask(
        &mut self,
        request: &[u8],
        time_limit: Duration,
        ended: &AtomicBool,
    ) -> Result<(), AskError> {
        if !self.rest().is_empty() {
            return Err(AskError::Unasked);
        }
        self.answer = 0;
        self.end = 0;
        if self.buffer.len() > MAX_BUFFER {
            self.buffer.truncate(MAX_BUFFER);
            self.buffer.shrink_to_fit();
        }
        let mut clock = Clock {
            left: time_limit,
            ended,
        };
        self.write(request, &mut clock)?;
        self.read_line(&mut clock)
    }

    /// Writes all of it. Reads meanwhile, so that a process that prints before it has read
    /// everything does not block for ever.
    fn write(&mut self, mut rest: &[u8], clock: &mut Clock<'_>) -> Result<(), AskError> {
        loop {
            match nix::unistd::write(&self.stdin, rest) {
                Ok(written) => rest = &rest[written..],
                Err(Errno::EAGAIN | Errno::EINTR) => {}
                Err(Errno::EPIPE) => return Err(AskError::Closed),
                Err(error) => return Err(error.into()),
            }
            if rest.is_empty() {
                return Ok(());
            }
            let mut pipes = [
                PollFd::new(self.stdout.as_fd(), PollFlags::POLLIN),
                PollFd::new(self.stdin.as_fd(), PollFlags::POLLOUT),
            ];
            if !clock.wait(&mut pipes)? {
                return Err(AskError::NotRead);
            }
            if pipes[0].any() == Some(true) {
                self.fill()?;
            }
        }
    }

    fn read_line(&mut self, clock: &mut Clock<'_>) -> Result<(), AskError> {
        let mut searched = 0;
        loop {
            if let Some(at) = memchr(b'\n', &self.buffer[searched..self.end]) {
                self.answer = searched + at + 1;
                return if searched + at > self.max_line {
                    Err(AskError::TooLong)
                } else {
                    Ok(())
                };
            }
            searched = self.end;
            // If both run on one core, the answer has often arrived already, and to ask costs as
            // much as to read.
            if !self.fill()? {
                let output = PollFd::new(self.stdout.as_fd(), PollFlags::POLLIN);
                if !clock.wait(&mut [output])? {
                    return Err(AskError::Late);
                }
            }
        }
    }

    /// Reads once; false if there is nothing to read.
    fn fill(&mut self) -> Result<bool, AskError> {
        if self.end > self.max_line {
            return Err(AskError::TooLong);
        }
        if self.end == self.buffer.len() {
            let larger = (2 * self.end).min(self.max_line + CHUNK);
            self.buffer.resize(larger, 0);
        }
        match nix::unistd::read(&self.stdout, &mut self.buffer[self.end..]) {
            Ok(0) => Err(AskError::Closed),
            Ok(read) => {
                self.end += read;
                Ok(true)
            }
            Err(Errno::EAGAIN | Errno::EINTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// The time left for a request.
struct Clock<'a> {
    left: Duration,
    /// The process is gone, though another one may have its pipes open.
    ended: &'a AtomicBool,
}

impl Clock<'_> {
    /// Waits until one of these pipes is ready; false when the time is up.
    fn wait(&mut self, pipes: &mut [PollFd<'_>]) -> Result<bool, AskError> {
        while !self.left.is_zero() {
            let ended = self.ended.load(Ordering::Acquire);
            let longest = if ended {
                Duration::ZERO
            } else {
                self.left.min(MAX_WAIT)
            };
            let before = Instant::now();
            let ready = poll(pipes, milliseconds(longest));
            self.left = self.left.saturating_sub(before.elapsed().min(longest));
            match ready {
                Ok(0) if ended => return Err(AskError::Closed),
                Ok(0) | Err(Errno::EINTR) => {}
                Ok(_) => return Ok(true),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(false)
    }
}

/// Rounds up, so that waits do not end a little early again and again.
fn milliseconds(time: Duration) -> PollTimeout {
    let rounded = time.as_nanos().div_ceil(1_000_000);
    PollTimeout::try_from(rounded).unwrap_or(PollTimeout::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
    use std::thread;

    const LONG: Duration = Duration::from_secs(100);
    static RUNS: AtomicBool = AtomicBool::new(false);

    /// A connection to a program that is this function, in a thread: of its input and output.
    fn connect(
        max_line: usize,
        program: impl FnOnce(BufReader<PipeReader>, PipeWriter) + Send + 'static,
    ) -> Connection {
        let (input, stdin) = io::pipe().unwrap();
        let (stdout, output) = io::pipe().unwrap();
        thread::spawn(move || program(BufReader::new(input), output));
        Connection::new(stdin.into(), stdout.into(), max_line).unwrap()
    }

    /// Answers every line with the same line.
    fn echo(mut input: BufReader<PipeReader>, mut output: PipeWriter) {
        let mut line = Vec::new();
        while matches!(input.read_until(b'\n', &mut line), Ok(1..)) {
            output.write_all(&line).unwrap();
            line.clear();
        }
    }

    #[test]
    fn answers_come_in_order_whatever_their_length() {
        let mut connection = connect(16 << 20, echo);
        let lengths = [1, 100, CHUNK - 1, CHUNK, CHUNK + 1, 16 << 20, 3, 1 << 20, 0];
        for (number, length) in lengths.into_iter().enumerate() {
            let mut request = vec![b'a' + number as u8; length];
            request.push(b'\n');
            connection.ask(&request, LONG, &RUNS).unwrap();
            assert!(connection.answer() == &request[..length], "{length} bytes");
            assert!(connection.is_quiet());
        }
        assert!(connection.buffer.capacity() <= MAX_BUFFER);
    }

    #[test]
    fn a_program_that_answers_while_it_reads_is_not_waited_for_in_vain() {
        let mut connection = connect(16 << 20, |mut input, mut output| {
            // Writing all of a request before reading would deadlock.
            let mut piece = [0; 4096];
            while let Ok(read @ 1..) = input.read(&mut piece) {
                output.write_all(&piece[..read]).unwrap();
            }
        });
        let mut request = vec![b'x'; 4 << 20];
        request.push(b'\n');
        connection.ask(&request, LONG, &RUNS).unwrap();
        assert_eq!(connection.answer().len(), 4 << 20);
    }

    #[test]
    fn lines_that_are_too_long_are_cut_off() {
        for (length, has_end) in [(1001, true), (100_000, true), (5_000_000, false)] {
            let mut connection = connect(1000, move |mut input, mut output| {
                input.read_until(b'\n', &mut Vec::new()).unwrap();
                // The other end may be closed before all of it is written.
                let _ = output.write_all(&vec![b'x'; length]);
                let _ = output.write_all(if has_end { b"\n" } else { b"" });
            });
            let asked = connection.ask(b"?\n", LONG, &RUNS);
            assert!(matches!(asked, Err(AskError::TooLong)), "{asked:?}");
        }
    }

    #[test]
    fn time_limits_hold_for_reading_and_writing() {
        let limit = Duration::from_millis(150);
        let (hold, held) = std::sync::mpsc::channel::<()>();
        let mut connection = connect(1000, move |mut input, mut output| {
            input.read_until(b'\n', &mut Vec::new()).unwrap();
            output.write_all(b"half a line").unwrap();
            let _ = held.recv();
        });
        let began = Instant::now();
        let asked = connection.ask(b"?\n", limit, &RUNS);
        assert!(matches!(asked, Err(AskError::Late)), "{asked:?}");
        assert_eq!(connection.rest(), b"half a line");
        assert!(began.elapsed() >= limit);
        drop(hold);

        let (hold, held) = std::sync::mpsc::channel::<()>();
        let mut connection = connect(1000, move |_input, _output| {
            let _ = held.recv();
        });
        let asked = connection.ask(&vec![b'x'; 1 << 20], limit, &RUNS);
        assert!(matches!(asked, Err(AskError::NotRead)), "{asked:?}");
        drop(hold);
    }

    #[test]
    fn output_that_nothing_asked_for_is_noticed() {
        let mut connection = connect(1000, |mut input, mut output| {
            input.read_until(b'\n', &mut Vec::new()).unwrap();
            output.write_all(b"yes\nand\n").unwrap();
            let _ = input.read(&mut [0]);
        });
        connection.ask(b"?\n", LONG, &RUNS).unwrap();
        assert_eq!(connection.answer(), b"yes");
        assert!(!connection.is_quiet());
        let asked = connection.ask(b"?\n", LONG, &RUNS);
        assert!(matches!(asked, Err(AskError::Unasked)), "{asked:?}");
        assert_eq!(connection.rest(), b"and\n");
    }

    #[test]
    fn the_end_of_a_process_is_noticed() {
        let mut connection = connect(1000, |mut input, mut output| {
            input.read_until(b'\n', &mut Vec::new()).unwrap();
            output.write_all(b"half a line").unwrap();
        });
        let asked = connection.ask(b"?\n", LONG, &RUNS);
        assert!(matches!(asked, Err(AskError::Closed)), "{asked:?}");
        // Another process has its pipes open still.
        let (hold, held) = std::sync::mpsc::channel::<()>();
        let mut connection = connect(1000, move |_input, _output| {
            let _ = held.recv();
        });
        let asked = connection.ask(b"?\n", LONG, &AtomicBool::new(true));
        assert!(matches!(asked, Err(AskError::Closed)), "{asked:?}");
        drop(hold);
    }
}
