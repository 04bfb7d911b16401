//! A coordinator with announcements that no worker should take: configurations that reach for a
//! machine, and malformed messages.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cluster::{Connection, Coordinator, Role, Server, TournamentId, WorkerMessage, put_file};
use flate2::Compression;
use flate2::write::GzEncoder;
use referee::bundle::{Bundle, Digest};
use referee::supervisor::REFEREE_NAME;
use serde_json::{Value, json};
use workers::wire::{Announced, JobContent, pack};

/// Time limit for a worker's answer to an announcement.
const ANSWER: Duration = Duration::from_secs(90);
/// The lease of the jobs.
const LEASE: Duration = Duration::from_secs(1);
/// A harmless bot.
const PLAIN: &str = "command = \"referee bot random\"";

#[derive(Clone, Debug)]
pub struct Attempt {
    pub name: String,
    /// A part of the refusal.
    pub says: String,
    pub payload: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answered {
    /// It plays matches of the tournament.
    Serves,
    /// It declines, for this reason.
    Declines(String),
    /// No reaction.
    Silence,
}

/// A coordinator, for as many tournaments as it likes.
#[derive(Debug)]
pub struct Announcer {
    connection: Connection,
    number: u64,
}

impl Announcer {
    pub async fn open(address: &str) -> Self {
        let server = Server {
            address: address.to_owned(),
            credentials: None,
        };
        let connection = Connection::open(&server, Role::Coordinator).await;
        Announcer {
            connection: connection.expect("a server"),
            number: 0,
        }
    }

    /// Announces something, offers a job of it, and waits for the worker's reaction.
    pub async fn announce(&mut self, attempt: &Attempt, worker: &str) -> Answered {
        self.number += 1;
        let id = TournamentId::of("hostile", self.number);
        let opened = Coordinator::open(&self.connection, &id, LEASE).await;
        let mut coordinator = opened.expect("streams");
        let other = Digest::of(b"a bundle");
        let put = put_file(&self.connection, &id, other.as_str(), &b"another"[..]).await;
        put.expect("room for a bundle");
        let job = JobContent::new(String::new(), Vec::new());
        coordinator.publish(1, pack(&job)).await.expect("a job");
        let announced = coordinator.announce(attempt.payload.clone()).await;
        announced.expect("an announcement");
        let answer = tokio::time::timeout(ANSWER, answer(&mut coordinator, &id, worker)).await;
        let closed = Coordinator::close(&self.connection, &id).await;
        closed.expect("nothing is left");
        answer.unwrap_or(Answered::Silence)
    }
}

/// The worker's output about a tournament.
async fn answer(coordinator: &mut Coordinator, id: &TournamentId, worker: &str) -> Answered {
    loop {
        match coordinator.next_message().await {
            WorkerMessage::Heartbeat(presence) if presence.name == worker => {
                if presence.tournaments.contains(&id.to_string()) {
                    return Answered::Serves;
                }
            }
            WorkerMessage::News {
                worker: from,
                about,
            } if from == worker => {
                let news: Value = serde_json::from_slice(&about).unwrap_or_default();
                if let Some(why) = news["cannot_serve"]["why"].as_str() {
                    return Answered::Declines(why.to_owned());
                }
            }
            WorkerMessage::Heartbeat(_) | WorkerMessage::News { .. } => {}
        }
    }
}

/// An announcement of this configuration, with these files.
pub fn announced(config: &str, files: &[(&str, &str)]) -> Announced {
    let files = files.iter();
    let files = files.map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    Announced {
        referee: REFEREE_NAME.to_owned(),
        name: "hostile".to_owned(),
        config: config.to_owned(),
        hash: String::new(),
        folder: PathBuf::from("/"),
        files: files.collect(),
        bundles: BTreeMap::new(),
        lease_ms: 1000,
    }
    .sealed()
}

/// A configuration of two bots, the second of which has these lines; `head` comes first.
pub fn configuration(head: &str, lines: &str) -> String {
    format!(
        "name = \"hostile\"\n{head}\ngames = [{{ id = \"amazons\", options = {{ size = 5 }} }}]\n\
         [[bots]]\nname = \"other\"\n{PLAIN}\n[[bots]]\nname = \"spy\"\n{lines}\n"
    )
}

/// Every key by which a configuration reaches for a machine; `secret` is a file there, and `SECRET` a
/// variable.
pub fn reaching(secret: &Path) -> Vec<Attempt> {
    let file = secret.display();
    let folder = secret.parent().unwrap_or(Path::new("/")).display();
    let up = "../../../../../..";
    let heads = [
        ("readable", format!("readable = ['{file}']")),
        (
            "rules",
            format!("rules = [{{ command = ['sh', '{file}'] }}]"),
        ),
        (
            "rules",
            format!("rules = [{{ command = 'sh', dir = '{folder}' }}]"),
        ),
        (
            "rules",
            "rules = [{ command = 'sh', env = { X = '${SECRET}' } }]".to_owned(),
        ),
        (
            "network",
            "network = { ggp_hosts = ['127.0.0.2'] }".to_owned(),
        ),
        ("opening.book", format!("opening = {{ book = '{file}' }}")),
        ("include", format!("include = ['{file}']")),
        ("bots_from", format!("bots_from = '{folder}/*'")),
        ("seed_phrase", "seed_phrase = '${SECRET}'".to_owned()),
        ("format", "format = '${SECRET:-swiss}'".to_owned()),
    ];
    let bots = [
        ("readable", format!("{PLAIN}\nreadable = ['{file}']")),
        (
            "in_place",
            format!("{PLAIN}\nin_place = true\nreadable = ['{file}']"),
        ),
        ("dir", format!("command = 'cat secret'\ndir = '{folder}'")),
        ("dir", format!("{PLAIN}\ndir = '{up}{folder}'")),
        ("env", format!("{PLAIN}\nenv = {{ X = '${{SECRET}}' }}")),
        ("env", format!("{PLAIN}\nenv = {{ PATH = '{folder}' }}")),
        (
            "command",
            "command = ['sh', '-c', 'echo ${SECRET}']".to_owned(),
        ),
        (
            "command",
            "command = 'sh -c \"echo $\"\"{SECRET}\"'".to_owned(),
        ),
        ("command", format!("command = ['cat', '{file}']")),
        ("command", format!("command = ['cat', '{up}{file}']")),
        ("command", format!("command = '{file}'")),
        ("ggp", "ggp = 'http://127.0.0.1:9147'".to_owned()),
        (
            "resources.memory",
            format!("{PLAIN}\nresources = {{ memory = 'none' }}"),
        ),
    ];
    let heads = heads.map(|(key, head)| (key, configuration(&head, PLAIN), ""));
    let bots = bots.map(|(key, lines)| (key, configuration("", &lines), "bot `spy`: "));
    let all = heads.into_iter().chain(bots);
    let attempts = all.map(|(key, config, bot)| Attempt {
        name: format!("{key} in {config:?}"),
        says: format!("{bot}`{key}"),
        payload: pack(&announced(&config, &[])),
    });
    attempts.collect()
}

/// Malformed announcements.
pub fn malformed() -> Vec<Attempt> {
    let attempts = not_even_messages().into_iter().chain(not_what_they_say());
    let attempts = attempts.map(|(name, says, payload)| Attempt {
        name: name.to_owned(),
        says: says.to_owned(),
        payload,
    });
    attempts.collect()
}

/// A name, a part of the refusal, and a message.
type Malformed = (&'static str, &'static str, Vec<u8>);

fn not_even_messages() -> Vec<Malformed> {
    let honest = pack(&announced(&configuration("", PLAIN), &[]));
    let deep = "[".repeat(1 << 20);
    let in_a_field = format!("{{\"referee\":\"x\",\"files\":{deep}");
    vec![
        ("not compressed", "gzip", b"not compressed".to_vec()),
        ("cut off", "", honest[..40].to_vec()),
        ("nothing", "", Vec::new()),
        ("a bomb", "more than", compressed(&vec![b' '; 80 << 20])),
        ("deep JSON", "", compressed(deep.as_bytes())),
        ("deep in a field", "", compressed(in_a_field.as_bytes())),
    ]
}

fn not_what_they_say() -> Vec<Malformed> {
    let honest = announced(&configuration("", PLAIN), &[]);
    let changed = |key: &str, value: Value| {
        let mut message = serde_json::to_value(&honest).expect("JSON");
        message[key] = value;
        compressed(message.to_string().as_bytes())
    };
    let of = |config: &str| pack(&announced(config, &[]));
    let with_bundle = |bot: &str, lines: &str| {
        let mut announced = announced(&configuration("", lines), &[]);
        let bundle = Bundle {
            sha256: Digest::of(b"a bundle"),
            bytes: 7,
            setup: None,
        };
        announced.bundles = BTreeMap::from([(bot.to_owned(), bundle)]);
        pack(&announced.sealed())
    };
    let up = json!({"spy": {"sha256": "../../x", "bytes": 1}});
    let deep = format!("x = {}1{}\n", "[".repeat(100_000), "]".repeat(100_000));
    let mine = "command = \"./bot\"\ndir = \"mine\"";
    let no_hash = json!("0".repeat(64));
    vec![
        ("deep TOML", "", of(&deep)),
        ("no TOML", "cannot be read", of("name = ")),
        ("a giant", "", of(&"a = 1\n".repeat(5 << 20))),
        ("another hash", "hash", changed("hash", no_hash)),
        (
            "another version",
            "the coordinator is",
            changed("referee", json!("x")),
        ),
        ("a negative lease", "", changed("lease_ms", json!(-1))),
        ("a bundle up", "SHA-256", changed("bundles", up)),
        (
            "another archive",
            "is not the bundle",
            with_bundle("spy", mine),
        ),
        (
            "a bundle of nobody",
            "no such bot",
            with_bundle("../x", PLAIN),
        ),
        ("a sheet that is none", "", with_sheet("(role")),
    ]
}

/// An announcement of a game with this sheet, with paths that lead upwards.
fn with_sheet(text: &str) -> Vec<u8> {
    let config = configuration("rules = [\"x.kif\"]", PLAIN);
    let config = config.replace("{ id = \"amazons\", options = { size = 5 } }", "\"x\"");
    let files = [("x.kif", text), ("../../../x.kif", text)];
    pack(&announced(&config, &files))
}

/// A sheet with ten thousand million facts.
fn explosion() -> String {
    let numbers: String = (0..100).map(|n| format!("(n {n})\n")).collect();
    format!(
        "(role a)\n(role b)\n{numbers}\
         (<= (p ?a ?b ?c ?d ?e) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e))\n\
         (init (s 0))\n(<= (legal ?r noop) (role ?r))\n(<= terminal (p ?a ?b ?c ?d ?e))\n\
         (<= (goal ?r 50) (role ?r))\n"
    )
}

/// A sheet that a worker may take or not, if it goes on afterwards.
pub fn exploding() -> Attempt {
    Attempt {
        name: "a sheet that explodes".to_owned(),
        says: String::new(),
        payload: with_sheet(&explosion()),
    }
}

/// Plays a match, to see that the worker still works.
pub fn honest(lease_ms: u64) -> Attempt {
    let mut announced = announced(&configuration("", PLAIN), &[]);
    announced.lease_ms = lease_ms;
    Attempt {
        name: format!("an honest one with a lease of {lease_ms} ms"),
        says: String::new(),
        payload: pack(&announced.sealed()),
    }
}

/// Compresses bytes like a message.
pub(crate) fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// Publishes something under any subject, past all that clients check.
pub fn publish_raw(port: u16, subject: &str, payload: &[u8]) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a server");
    let limit = Some(Duration::from_secs(10));
    stream.set_read_timeout(limit).expect("a time limit");
    let begin = "CONNECT {\"verbose\":false}\r\n";
    let publish = format!("PUB {subject} {}\r\n", payload.len());
    for part in [
        begin.as_bytes(),
        publish.as_bytes(),
        payload,
        b"\r\nPING\r\n",
    ] {
        stream.write_all(part).expect("a server that reads");
    }
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let answered = lines.any(|line| line.starts_with("PONG"));
    assert!(answered, "an answer to `{subject}`");
}
