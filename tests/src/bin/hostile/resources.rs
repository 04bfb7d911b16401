//! Excessive use of time, memory and disk.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

use crate::sleep_for_ever;

/// Spinning ends by itself.
const SPINNING: Duration = Duration::from_secs(60);
/// No more memory than this is taken.
const MOST_MEMORY: usize = 4 << 30;
/// No more files than this are written.
const MOST_DISK: usize = 512 << 20;

pub(crate) fn waste(how: &str) {
    match how {
        "spins" => spin(SPINNING),
        "spins-a-little" => spin(milliseconds("BUSY_MS")),
        "sleeps" => thread::sleep(milliseconds("SLEEP_MS")),
        "allocates" => allocate(),
        "opens-files" => {
            let mut files = Vec::new();
            while files.len() < 5000 {
                match File::open("/dev/null") {
                    Ok(file) => files.push(file),
                    Err(_) => exit(24),
                }
            }
        }
        _ => {}
    }
}

fn milliseconds(variable: &str) -> Duration {
    let value = std::env::var(variable).ok().and_then(|ms| ms.parse().ok());
    Duration::from_millis(value.expect("milliseconds in the environment"))
}

fn spin(time: Duration) {
    let end = Instant::now() + time;
    while Instant::now() < end {
        std::hint::spin_loop();
    }
}

fn allocate() {
    let mut all = Vec::new();
    while all.len() * (16 << 20) < MOST_MEMORY {
        // Not zero, so that there are real pages behind it.
        all.push(vec![1_u8; 16 << 20]);
    }
    sleep_for_ever();
}

/// Fills files here and in `/tmp`, and prints how many bytes that were.
pub(crate) fn fill_disk() -> Value {
    let written = |folder: &Path| {
        let path = folder.join(format!("filled-{}", std::process::id()));
        let bytes = fill(&path, MOST_DISK);
        let _ = fs::remove_file(&path);
        bytes
    };
    json!({
        "own folder": written(Path::new(".")),
        "/tmp": written(Path::new("/tmp")),
    })
}

/// Writes until that fails; returns the number of bytes.
pub(crate) fn fill(path: &Path, most: usize) -> usize {
    let Ok(mut file) = File::create(path) else {
        return 0;
    };
    let chunk = vec![1; 1 << 16];
    let mut written = 0;
    while written < most && file.write_all(&chunk).is_ok() {
        written += chunk.len();
    }
    written
}

/// A thread that thinks all the time, also on the opponent's.
pub(crate) struct Ponder {
    stop: Arc<AtomicBool>,
    paused: Option<(Duration, Instant)>,
}

impl Ponder {
    pub(crate) fn start() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let seen = stop.clone();
        thread::spawn(move || {
            while !seen.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        });
        Ponder { stop, paused: None }
    }

    /// Ends the bot's turn.
    pub(crate) fn pause(&mut self) {
        self.paused = Some((cpu(), Instant::now()));
    }

    pub(crate) fn since_pause(&mut self) -> Value {
        match self.paused {
            Some((then, when)) => json!({
                "cpu_ms": (cpu() - then).as_millis() as u64,
                "wall_ms": when.elapsed().as_millis() as u64,
            }),
            None => Value::Null,
        }
    }
}

impl Drop for Ponder {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Resources that this process used so far.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID);
    time.expect("a clock of this process").into()
}
