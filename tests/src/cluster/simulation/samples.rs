//! Real messages, from matches that were really played: their sizes are the sizes in the simulation.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cluster::{Presence, TournamentId, WorkerName};
use protocol::Record;
use referee::Config;
use referee::log::LogFile;
use schedule::ScheduledGroup;
use serde_json::{Value, json};
use workers::wire::{Announced, PlayedJob, Unplayable, WorkerNews, pack};

use super::jetstream::INBOX;
use super::traffic::message;

/// The subject on which a job is acknowledged, without the names of stream and consumer.
const ACK: &str = "$JS.ACK...1.1000000.1000000.1700000000000000000.10000";

/// One of each kind.
pub(super) struct Samples {
    pub(super) config: Arc<Config>,
    pub(super) announced: Announced,
    pub(super) id: TournamentId,
    /// Groups that were played: the message, and the matches in it.
    played: Vec<(Vec<u8>, Vec<Record>)>,
    pub(super) dead: Vec<u8>,
    presence: Presence,
    lengths: Lengths,
}

/// The lengths of subjects, and of whole messages that are always alike.
struct Lengths {
    ack: usize,
    result_headers: usize,
    stored: usize,
    heartbeat: usize,
}

impl Samples {
    pub(super) fn new(rounds: u64, lease: Duration, match_time: Duration) -> Self {
        let config = config(rounds);
        let announced = Announced::new(&config, lease).expect("nothing has to be read");
        let id = TournamentId::of(&config.name, u64::MAX);
        let presence = Presence {
            name: worker_name(1000, 3),
            slots: 4,
            busy: 4,
            matches: 1000,
            since: "2026-01-01T00:00:00Z".to_owned(),
            tournaments: vec![id.to_string()],
        };
        let heartbeat = serde_json::to_vec(&presence).expect("a heartbeat");
        let stored = json!({"stream": id.results(), "seq": 100_000}).to_string();
        let header = format!("NATS/1.0\r\nReferee-Worker: {}\r\n\r\n", presence.name);
        let lengths = Lengths {
            ack: ACK.len() + id.jobs().len() + "workers".len(),
            result_headers: header.len(),
            stored: stored.len(),
            heartbeat: heartbeat.len(),
        };
        Samples {
            announced,
            id,
            config: Arc::new(config),
            played: played(match_time),
            dead: pack(&Unplayable {
                why: "its result cannot be sent".to_owned(),
                broken_rules: false,
            }),
            presence,
            lengths,
        }
    }

    pub(super) fn presence(&self, name: &str, slots: u32, busy: u32, matches: u64) -> Vec<u8> {
        let presence = Presence {
            name: name.to_owned(),
            slots,
            busy,
            matches,
            ..self.presence.clone()
        };
        serde_json::to_vec(&presence).expect("a heartbeat")
    }

    /// The message with the result of a job.
    pub(super) fn result(&self, job: u64) -> &[u8] {
        &self.sample(job).0
    }

    /// The matches of a result.
    pub(super) fn records(&self, group: &ScheduledGroup) -> Vec<Record> {
        let samples = self.sample(group.number as u64).1.iter().cycle();
        let records = group
            .matches
            .iter()
            .zip(samples)
            .map(|(scheduled, record)| {
                let mut record = record.clone();
                record.match_id = scheduled.id();
                record
            });
        records.collect()
    }

    fn sample(&self, job: u64) -> &(Vec<u8>, Vec<Record>) {
        &self.played[(job / 2 % self.played.len() as u64) as usize]
    }

    /// The bytes of a job as it is delivered.
    pub(super) fn delivery(&self, job: u64, payload: usize) -> u64 {
        message(self.id.job(job).len(), self.lengths.ack, 0, payload)
    }

    /// The answer that a result is stored, or not.
    pub(super) fn stored(&self) -> u64 {
        message(INBOX.len(), 0, 0, self.lengths.stored)
    }

    pub(super) fn pull(&self) -> u64 {
        let subject = format!("$JS.API.CONSUMER.MSG.NEXT.{}.workers", self.id.jobs());
        let body = json!({"batch": 1, "expires": 2_000_000_000_u64}).to_string();
        message(subject.len(), INBOX.len(), 0, body.len())
    }

    /// That there is no job.
    pub(super) fn none(&self) -> u64 {
        let header = "NATS/1.0 408 Request Timeout\r\nNats-Pending-Messages: 1\r\nNats-Pending-Bytes: 0\r\n\r\n";
        message(INBOX.len(), 0, header.len(), 0)
    }

    pub(super) fn acknowledgement(&self) -> u64 {
        message(self.lengths.ack, INBOX.len(), 0, "+ACK".len())
    }

    pub(super) fn noted(&self) -> u64 {
        message(INBOX.len(), 0, 0, 0)
    }

    pub(super) fn progress(&self) -> u64 {
        message(self.lengths.ack, 0, 0, "+WPI".len())
    }

    pub(super) fn news(&self, payload: usize) -> u64 {
        let subject = self.id.news(&self.presence.name);
        message(subject.len(), 0, 0, payload)
    }

    pub(super) fn begins(news: &WorkerNews) -> Vec<u8> {
        serde_json::to_vec(news).expect("news")
    }

    pub(super) fn store(&self, job: u64, payload: usize) -> u64 {
        let subject = self.id.result(job).len();
        message(subject, INBOX.len(), self.lengths.result_headers, payload)
    }

    pub(super) fn heartbeat(&self) -> u64 {
        let name = WorkerName::of(&self.presence.name);
        message(name.heartbeats().len(), 0, 0, self.lengths.heartbeat)
    }
}

pub(super) fn worker_name(number: usize, generation: u32) -> String {
    format!("machine-{number}-{}", 10_000 + generation)
}

/// Five bots of which all pairings are played: 20 matches a round.
fn config(rounds: u64) -> Config {
    let bots: Vec<String> = (1..=5)
        .map(|n| {
            format!("[[bots]]\nname = \"bot-{n}\"\ncommand = [\"true\"]\ndeterministic = true\n")
        })
        .collect();
    let text = format!(
        "name = \"simulation\"\nrounds = {rounds}\ngames = [{{ id = \"amazons\", options = {{ size = 5 }} }}]\n\
         [time]\nper_move = \"1s\"\n{}",
        bots.concat()
    );
    Config::parse(&text, Path::new("/")).expect("a configuration")
}

/// Pairs of matches of two bots, from the log of a real tournament, with the machine that logs have today. Their
/// first moves take all of this time.
fn played(match_time: Duration) -> Vec<(Vec<u8>, Vec<Record>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/tournament-0.1");
    let machine = json!({"name": "machine-1000", "cpu": "AMD EPYC 7763 64-Core Processor", "cores": 4, "speed": 310.5});
    let records = LogFile::open(&folder).expect("a log").map(|record| {
        let record = record.expect("a match");
        let mut value: Value = serde_json::to_value(&record).expect("JSON");
        value["machine"] = machine.clone();
        let mut record: Record = serde_json::from_value(value).expect("a match");
        record.moves[0].ms = match_time.into();
        record.duration_ms = match_time.into();
        record
    });
    let records: Vec<Record> = records.filter(|it| it.players.len() == 2).collect();
    let pairs = records.chunks_exact(2).map(|pair| {
        let records = pair.to_vec();
        let payload = pack(&PlayedJob {
            records: records.clone(),
        });
        (payload, records)
    });
    pairs.collect()
}
