//! A lying worker: it takes jobs as others do, and invents results.

use std::collections::HashMap;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use cluster::{Connection, Delivered, HEARTBEAT, Job, Presence, Role, Server, Worker};
use flate2::read::GzDecoder;
use serde_json::{Value, json};

use crate::cluster::announcer::compressed;

/// Number of ways to lie.
pub const WAYS: u32 = 16;

/// A liar at work, until it is dropped.
#[derive(Debug)]
pub struct Liar {
    stop: Arc<AtomicBool>,
    lies: Arc<AtomicU32>,
    thread: Option<JoinHandle<()>>,
}

impl Liar {
    /// Starts a worker with at most this many lies, whose name ends with another number after each
    /// second lie; the log has the true results, which it changes.
    pub fn start(address: &str, name: &str, log: &Path, most: u32) -> Self {
        let server = Server {
            address: address.to_owned(),
            credentials: None,
        };
        let name = name.to_owned();
        let log = fs::read_to_string(log).expect("a log");
        let truth: HashMap<String, Value> = log
            .lines()
            .map(|line| {
                let record: Value = serde_json::from_str(line).expect("a match");
                (record["match"].as_str().expect("an id").to_owned(), record)
            })
            .collect();
        let (stop, lies) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicU32::new(0)),
        );
        let (stopped, count) = (stop.clone(), lies.clone());
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            let lying = lie(&server, &name, &truth, &stopped, &count, most);
            runtime.expect("a runtime").block_on(lying);
        });
        Liar {
            stop,
            lies,
            thread: Some(thread),
        }
    }

    /// Number of stored wrong results.
    pub fn lies(&self) -> u32 {
        self.lies.load(Relaxed)
    }
}

impl Drop for Liar {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn lie(
    server: &Server,
    name: &str,
    truth: &HashMap<String, Value>,
    stop: &AtomicBool,
    lies: &AtomicU32,
    most: u32,
) {
    let Ok(connection) = Connection::open(server, Role::Worker).await else {
        return;
    };
    while !stop.load(Relaxed) && lies.load(Relaxed) < most {
        let number = lies.load(Relaxed);
        // A worker that was wrong three times is ignored.
        let name = format!("{name}-{}", number / 2);
        let worker = Worker::new(&connection, &name.parse().expect("a name"));
        worker.send_heartbeat(&presence(&name)).await;
        let announced = worker.announcement_after(0).await;
        let Ok(Some(announced)) = announced else {
            tokio::time::sleep(HEARTBEAT / 10).await;
            continue;
        };
        let taken = worker.take(&announced.id, Duration::from_millis(300)).await;
        let Ok(Delivered::Job(job)) = taken else {
            continue;
        };
        if submit(&job, truth, number).await {
            lies.fetch_add(1, Relaxed);
        }
    }
}

fn presence(name: &str) -> Presence {
    Presence {
        name: name.to_owned(),
        slots: 1,
        busy: 1,
        matches: 1_000_000,
        since: "2026-01-01T00:00:00Z".to_owned(),
        tournaments: Vec::new(),
    }
}

/// Submits a wrong result; returns true if it was stored.
async fn submit(job: &Job, truth: &HashMap<String, Value>, number: u32) -> bool {
    let way = number % WAYS;
    let mut records = asked(job, truth);
    if records.is_empty() {
        job.give_back(Duration::ZERO).await;
        return false;
    }
    match way {
        0 => return stored(job, b"no result at all".to_vec()).await,
        1 => return stored(job, packed(&json!({"records": []}))).await,
        2 => records.iter_mut().for_each(|record| {
            let outcome = record["result"]["outcome"].as_array_mut();
            outcome.expect("an outcome").reverse();
        }),
        3 => records.iter_mut().for_each(|record| {
            let moves = record["moves"].as_array_mut().expect("moves");
            moves.pop();
        }),
        4 => records
            .iter_mut()
            .for_each(|record| record["seed"] = json!(1)),
        5 => records.iter_mut().for_each(|record| {
            record["players"].as_array_mut().expect("players").reverse();
        }),
        6 => records.iter_mut().for_each(|record| {
            // A match that could have been, but from another start.
            let others = truth.values();
            let other = others
                .clone()
                .find(|other| other["moves"] != record["moves"]);
            if let Some(other) = other {
                for field in ["start", "opening", "moves", "result"] {
                    record[field] = other[field].clone();
                }
            }
            record["time"]["per_move_ms"] = json!(1);
        }),
        7 => records.truncate(1),
        _ => return stored(job, made_up(way, records)).await,
    }
    stored(job, packed(&json!({ "records": records }))).await
}

/// More ways to lie: too much of everything, and malformed matches.
fn made_up(way: u32, mut records: Vec<Value>) -> Vec<u8> {
    let each = |records: &mut Vec<Value>, change: &dyn Fn(&mut Value)| {
        records.iter_mut().for_each(change);
        json!({ "records": records })
    };
    let message = match way {
        8 => {
            records.extend(records.clone());
            json!({ "records": records })
        }
        9 => each(&mut records, &|record| {
            record["moves"][5]["info"] = json!({"text": "x".repeat(100_000)});
        }),
        10 => {
            records[0]["moves"][5]["info"] = json!("deep");
            let text = json!({ "records": records }).to_string();
            let deep = text.replace("\"deep\"", &"[".repeat(1 << 20));
            return compressed(deep.as_bytes());
        }
        11 => {
            let long = format!("{{\"records\":[{}0]}}", "0,".repeat(4 << 20));
            return compressed(long.as_bytes());
        }
        12 => each(&mut records, &|record| {
            record["result"]["outcome"] = json!([1.0, 1.0]);
        }),
        13 => each(&mut records, &|record| {
            record["prev"] = json!("0".repeat(64))
        }),
        14 => each(&mut records, &|record| {
            record["result"]["faults"] =
                json!([{"seat": 0, "code": "timeout", "ply": 3, "message": "x".repeat(30 << 20)}]);
        }),
        _ => each(&mut records, &|record| {
            record["moves"][5]["ms"] = json!(-5);
        }),
    };
    packed(&message)
}

async fn stored(job: &Job, result: Vec<u8>) -> bool {
    matches!(job.finish(result).await, Ok(cluster::Finished::Stored))
}

/// The true matches of a job.
fn asked(job: &Job, truth: &HashMap<String, Value>) -> Vec<Value> {
    let mut text = String::new();
    let read = GzDecoder::new(&*job.payload).read_to_string(&mut text);
    let asked: Value = match read {
        Ok(_) => serde_json::from_str(&text).expect("a job"),
        Err(_) => return Vec::new(),
    };
    let numbers = asked["matches"].as_array().into_iter().flatten();
    let ids = numbers.filter_map(|scheduled| scheduled["number"].as_u64());
    let records = ids.filter_map(|number| truth.get(&format!("m-{number:06}")).cloned());
    records
        .map(|mut record| {
            record.as_object_mut().expect("a match").remove("prev");
            record
        })
        .collect()
}

fn packed(value: &Value) -> Vec<u8> {
    compressed(value.to_string().as_bytes())
}
