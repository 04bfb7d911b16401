//! The report of a simulated tournament.

use std::fmt;
use std::time::Duration;

use super::field::ideal_hours;
use super::parts::{Failed, Simulation};
use super::server::Most;
use super::time::{HOUR, Time};
use super::traffic::Traffic;

/// The figures of a tournament that came to its end.
#[derive(Clone, Debug)]
pub struct Report {
    /// Matches in the log, each once.
    pub matches: u64,
    /// Matches that were played to their ends and do not count: somebody else's result was first, or the
    /// result was lost.
    pub twice: u64,
    /// Matches that were begun and given up: their worker was killed.
    pub given_up: u64,
    /// Matches that were played again to compare.
    pub rechecked: u64,
    /// Matches of wrong results.
    pub lies: u64,
    /// Counts of failures.
    pub failed: Failed,
    /// Messages and bytes.
    pub traffic: Traffic,
    /// The most that the server had.
    pub most: Most,
    /// Jobs in the queue when the tournament was over, in the hands of workers.
    pub left: usize,
    /// The most bytes that the coordinator had on the heap.
    pub memory: u64,
    /// CPU time of the coordinator.
    pub computed: Duration,
    /// Results that the coordinator read, those after each start included.
    pub read: u64,
    /// The longest time from a start of the coordinator until it played on.
    pub longest_start: Duration,
    /// The time on the clock of the tournament.
    pub time: Duration,
    /// The time that it would take if nothing failed and all slots were busy all the time.
    pub ideal: Duration,
    /// Time of the simulation itself.
    pub real: Duration,
}

impl Simulation {
    /// Looks whether all is as it should be.
    pub(super) fn report(self, real: Duration) -> Report {
        let coordinator = &self.coordinator;
        let over = coordinator.over.expect("an end");
        assert_eq!(
            coordinator.wrong(),
            0,
            "matches that are not in the log once"
        );
        assert!(self.field.all_idle(), "workers that still have a job");
        assert_eq!(self.server.queued().count(), 0, "jobs that are left");
        let played = self.field.played;
        let matches = coordinator.logged;
        let ideal = ideal_hours(&self.options, &self.field, matches) * HOUR;
        let useful = matches + played.rechecked + played.lies;
        Report {
            matches,
            twice: played.matches.saturating_sub(useful),
            given_up: played.begun - played.matches,
            rechecked: played.rechecked,
            lies: played.lies,
            failed: self.failed,
            traffic: self.traffic,
            most: self.server.most,
            left: self.server.left,
            memory: u64::try_from(coordinator.meter.peak).unwrap_or(0),
            computed: coordinator.meter.time,
            read: coordinator.read,
            longest_start: Duration::from_micros(coordinator.longest_start),
            time: Duration::from_micros(over),
            ideal: Duration::from_micros(ideal as Time),
            real,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |part: u64| 100.0 * part as f64 / self.matches as f64;
        let Failed {
            killed,
            stopped,
            cut_off,
            server,
            coordinator,
            cleared,
            mended,
            lies,
            dead,
        } = self.failed;
        let Most {
            jobs,
            leased,
            waiting,
            results,
        } = self.most;
        writeln!(f, "matches in the log, each once: {}", self.matches)?;
        writeln!(
            f,
            "workers killed {killed}, stopped {stopped}, cut off {cut_off}; server restarted {server}, \
             coordinator {coordinator}, finished jobs removed from the queue {cleared}, queue begun anew {mended} times; \
             wrong results {lies}, groups refused {dead}"
        )?;
        for (what, count) in [
            ("played twice", self.twice),
            ("given up by workers that were killed", self.given_up),
            ("played again to compare", self.rechecked),
            ("with wrong results", self.lies),
        ] {
            writeln!(f, "matches {what}: {count} ({:.2} %)", share(count))?;
        }
        writeln!(
            f,
            "clock of the tournament: {:.0} s; without failures and waiting {:.0} s",
            self.time.as_secs_f64(),
            self.ideal.as_secs_f64()
        )?;
        writeln!(
            f,
            "coordinator: at most {:.1} MB on the heap, computed {:.1} s, read {} results, at most \
             {:.0} s from its start until it played on",
            self.memory as f64 / 1e6,
            self.computed.as_secs_f64(),
            self.read,
            self.longest_start.as_secs_f64()
        )?;
        writeln!(
            f,
            "server, at most at a time: jobs {jobs}, leased {leased}, slots that wait {waiting}, results \
             {results}; jobs left at the end {}",
            self.left
        )?;
        writeln!(f, "simulated in {:.1} s", self.real.as_secs_f64())?;
        writeln!(f)?;
        writeln!(f, "| {:<18} | {:>12} | {:>10} |", "what", "messages", "MB")?;
        writeln!(f, "|{:-<20}|{:->13}:|{:->11}:|", "", "", "")?;
        write!(f, "{}", self.traffic)
    }
}
