//! The threads of a bot that compute, as far as `/proc` lists them.

use std::fs;
use std::time::Duration;

use nix::unistd::Pid;

use crate::system::process_tree::ticks;

/// A thread computes if it has used this much CPU time, …
const LEAST_CPU: Duration = Duration::from_secs(1);
/// … and this share of the busiest thread's.
const LEAST_SHARE: u32 = 4;

/// The number of threads that have computed so far, of the process with the most of them. A bot and its
/// forward model take turns, so processes are not added up.
pub(crate) fn that_compute(processes: &[Pid]) -> usize {
    let computing = processes.iter().map(|pid| {
        let used: Vec<Duration> = of_process(*pid).collect();
        let busiest = used.iter().max().copied().unwrap_or_default();
        let least = LEAST_CPU.max(busiest / LEAST_SHARE);
        used.iter().filter(|cpu| **cpu >= least).count()
    });
    computing.max().unwrap_or(0)
}

/// The CPU time of each thread of a process.
fn of_process(pid: Pid) -> impl Iterator<Item = Duration> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task"));
    tasks.into_iter().flatten().flatten().filter_map(|task| {
        let stat = fs::read_to_string(task.path().join("stat")).ok()?;
        cpu_time(&stat)
    })
}

/// The CPU time in a line of `/proc/PID/task/TID/stat`; see proc(5).
fn cpu_time(stat: &str) -> Option<Duration> {
    // The name comes second and may hold anything.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut numbers = rest.split_ascii_whitespace().skip(11);
    let mut next = || numbers.next()?.parse::<u64>().ok();
    Some(ticks(next()?.saturating_add(next()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_times_are_read_whatever_the_name_is() {
        let stat = "7 (a) b) R 1 7 7 0 -1 4194304 100 0 0 0 150 50 9 9 20 0 4 0 100 0 10";
        assert_eq!(cpu_time(stat), Some(ticks(200)));
        assert_eq!(cpu_time("7 (x"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_threads_that_compute_are_counted() {
        let compute = || {
            let cpu = || {
                let own = fs::read_to_string("/proc/thread-self/stat").unwrap();
                cpu_time(&own).unwrap()
            };
            while cpu() < LEAST_CPU + Duration::from_millis(100) {}
            // Until both have been counted.
            std::thread::park();
        };
        let threads = [0, 1].map(|_| std::thread::spawn(compute));
        let idle = std::thread::spawn(std::thread::park);
        let begin = std::time::Instant::now();
        while that_compute(&[Pid::this()]) < 2 {
            assert!(begin.elapsed() < Duration::from_secs(300));
            std::thread::sleep(Duration::from_millis(50));
        }
        assert_eq!(that_compute(&[Pid::this()]), 2);
        for thread in threads.into_iter().chain([idle]) {
            thread.thread().unpark();
            thread.join().unwrap();
        }
    }
}
