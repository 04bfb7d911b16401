//! Feeds inputs to a target under watch: no panic, no hang, no memory blow-up.

use std::any::Any;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use games::Rng;
use thiserror::Error;

use crate::{MEMORY, Target, mutate};

/// Limits for one input.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub time: Duration,
    /// Allocated bytes on top of earlier ones.
    pub memory: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            time: Duration::from_secs(10),
            memory: 256 << 20,
        }
    }
}

/// The end of a run.
#[derive(Clone, Copy, Debug)]
pub enum Until {
    /// After this many inputs made from seeds.
    Inputs(u64),
    /// After this time.
    Time(Duration),
}

/// The figures of a run without a failure.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stats {
    pub inputs: u64,
    /// Inputs that the target understood; with too few it tests only the parser.
    pub understood: u64,
    /// The longest time for one input.
    pub slowest: Duration,
    /// The most memory for one input, in bytes.
    pub largest: usize,
}

#[derive(Debug, Error)]
pub enum Failure {
    #[error("panicked: {0}")]
    Panic(String),
    #[error("took {0:?}")]
    Slow(Duration),
    #[error("took {} MiB of memory", .0 >> 20)]
    Memory(usize),
}

/// A failure and the input that leads to it.
#[derive(Debug, Error)]
#[error("{target}: {failure}\n{}", repeat(.target, .input))]
pub struct Failed {
    target: &'static str,
    failure: Failure,
    input: PathBuf,
}

/// A run that found something, or could not be.
#[derive(Debug, Error)]
pub enum RunError {
    #[error(transparent)]
    Failed(#[from] Failed),
    /// The input cannot be kept on the disk.
    #[error("`{}` cannot be written: {error}", path.display())]
    Write { path: PathBuf, error: io::Error },
}

fn repeat(target: &str, input: &Path) -> String {
    format!(
        "  repeat it with: cargo run --profile campaign -p fuzz -- {target} --input {}",
        input.display()
    )
}

/// Tries one input. True if the target understood it.
///
/// # Errors
/// If it does what no input may do.
pub fn try_input(target: &Target, input: &[u8], stats: &mut Stats) -> Result<bool, Failure> {
    let limits = Limits::default();
    MEMORY.reset_peak_usage();
    let (before, began) = (MEMORY.current_usage(), Instant::now());
    let done = catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
    let time = began.elapsed();
    let memory = MEMORY.peak_usage().saturating_sub(before);
    stats.inputs += 1;
    stats.slowest = stats.slowest.max(time);
    stats.largest = stats.largest.max(memory);
    let understood = done.map_err(|panic| Failure::Panic(words(&*panic)))?;
    stats.understood += u64::from(understood);
    if time > limits.time {
        return Err(Failure::Slow(time));
    }
    if memory > limits.memory {
        return Err(Failure::Memory(memory));
    }
    Ok(understood)
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("without words").to_owned()
}

/// Tries a target's seeds, then inputs made from them. The same seed number makes the same inputs.
///
/// # Errors
/// At the first input that fails, which stays behind in `folder`.
pub fn run(target: &Target, seed: u64, until: Until, folder: &Path) -> Result<Stats, RunError> {
    let mut rng = Rng::from_text(seed, target.name);
    let seeds = (target.seeds)(&mut rng);
    let current = Current::new(target.name, folder)?;
    let watchdog = Watchdog::new(target.name, &current.path);
    let mut stats = Stats::default();
    let began = Instant::now();
    let mut number = 0;
    loop {
        let made = number - number.min(seeds.len() as u64);
        match until {
            Until::Inputs(most) if made >= most => return Ok(stats),
            Until::Time(most) if began.elapsed() >= most => return Ok(stats),
            _ => {}
        }
        let changed;
        let input = match seeds.get(number as usize) {
            Some(seed) => seed,
            None => {
                changed = mutate::mutate(&seeds, &mut rng);
                &changed
            }
        };
        current.write(input)?;
        watchdog.begin();
        let tried = try_input(target, input, &mut stats);
        watchdog.end();
        if let Err(failure) = tried {
            return Err(current.keep(target.name, failure, seed, number)?.into());
        }
        number += 1;
    }
}

/// The file with the current input. It survives the death of the whole process.
struct Current {
    path: PathBuf,
    file: File,
}

impl Current {
    fn new(target: &str, folder: &Path) -> Result<Self, RunError> {
        let path = folder.join(format!("{target}-current-{}", process::id()));
        fs::create_dir_all(folder)
            .and_then(|()| File::create(&path))
            .map(|file| Current {
                path: path.clone(),
                file,
            })
            .map_err(|error| RunError::Write { path, error })
    }

    fn write(&self, input: &[u8]) -> Result<(), RunError> {
        let written = self.file.set_len(0);
        written
            .and_then(|()| self.file.write_all_at(input, 0))
            .map_err(|error| self.failed(error))
    }

    fn failed(&self, error: io::Error) -> RunError {
        RunError::Write {
            path: self.path.clone(),
            error,
        }
    }

    /// Saves the input under a name of its own.
    fn keep(
        &self,
        target: &'static str,
        failure: Failure,
        seed: u64,
        number: u64,
    ) -> Result<Failed, RunError> {
        let input = self
            .path
            .with_file_name(format!("{target}-{seed}-{number}"));
        fs::copy(&self.path, &input).map_err(|error| self.failed(error))?;
        Ok(Failed {
            target,
            failure,
            input,
        })
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        // A file that stays behind does no harm.
        let _ = fs::remove_file(&self.path);
    }
}

/// Ends the process when an input does not come to an end, or grows on and on.
struct Watchdog(Arc<Mutex<Option<Instant>>>);

impl Watchdog {
    fn new(target: &'static str, input: &Path) -> Self {
        let since = Arc::new(Mutex::new(None));
        let (watched, input) = (Arc::downgrade(&since), input.to_owned());
        thread::spawn(move || watch(&watched, target, &input));
        Watchdog(since)
    }

    fn set(&self, since: Option<Instant>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = since;
    }

    fn begin(&self) {
        self.set(Some(Instant::now()));
    }

    fn end(&self) {
        self.set(None);
    }
}

/// Watches a run until it is over.
fn watch(watched: &Weak<Mutex<Option<Instant>>>, target: &str, input: &Path) {
    // Twice the limit: a run that ends by itself gets a better message.
    let limits = Limits::default();
    let (most_time, most_memory) = (2 * limits.time, 2 * limits.memory);
    while let Some(since) = watched.upgrade() {
        let since = *since.lock().unwrap_or_else(PoisonError::into_inner);
        let time = since.map_or(Duration::ZERO, |since| since.elapsed());
        let memory = MEMORY.current_usage();
        if time > most_time || memory > most_memory {
            let memory = memory >> 20;
            eprintln!("{target}: still running after {time:?} with {memory} MiB of memory");
            eprintln!("{}", repeat(target, input));
            process::exit(1);
        }
        thread::sleep(Duration::from_millis(50));
    }
}
