//! Attacks by announcers of tournaments on workers, and by workers on a coordinator.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use super::super::judge::Verdict;
use super::super::site::{Site, as_user};
use super::scene::{Scene, Stage, Tiers};
use crate::cluster::announcer::{Announcer, Answered, Attempt, exploding, malformed, reaching};
use crate::cluster::liar::{Liar, WAYS};
use crate::cluster::nats::NatsServer;
use crate::cluster::workers::{Field, config, log_of, undisturbed};
use crate::wait_until;

pub(super) const SCENES: &[Scene] = &[
    Scene {
        name: "announcements",
        by: "a coordinator",
        cannot: "read files or variables of a worker that does not trust it, or end it",
        tiers: Tiers::Any,
        promised: |_, _| true,
        play: announcements,
    },
    Scene {
        name: "results",
        by: "a worker",
        cannot: "have a match in the log that was not scheduled, does not follow from the rules or is there twice",
        tiers: Tiers::Any,
        promised: |_, _| true,
        play: results,
    },
];

/// A secret that no one may read.
const SECRET: &str = "the-secret-of-this-machine";

/// A worker of this user, which ends with this value.
struct Worker {
    child: Child,
    said: PathBuf,
}

impl Worker {
    fn start(stage: &Stage, site: &Site, address: &str) -> Self {
        let said = site.arena.path("tmp/said");
        let mut command = as_user(stage.user, &stage.programs.referee());
        command.args(["worker", address, "--name", "one", "--slots", "1"]);
        command
            .arg("--bundle-cache")
            .arg(site.arena.path("tmp/cache"));
        command
            .env("SECRET", SECRET)
            .env("TMPDIR", site.arena.path("tmp"));
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(fs::File::create(&said).expect("a file"));
        let child = command.spawn().expect("a worker");
        let worker = Worker { child, said };
        wait_until("the worker", || worker.said().contains("waits for matches"));
        worker
    }

    fn said(&self) -> String {
        fs::read_to_string(&self.said).unwrap_or_default()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn announcements(stage: &Stage) -> Verdict {
    let site = Site::new(stage.programs, stage.user, None);
    site.open("tmp");
    let nats = NatsServer::start();
    let mut worker = Worker::start(stage, &site, &nats.address());
    let secret = site.arena.path("private/secret");
    let mut verdict = Verdict::default();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(announce_all(stage, &secret, &nats, &mut verdict));
    let said = worker.said();
    verdict.tried("the variable SECRET is said", said.contains(SECRET));
    verdict.tried("it panics", said.contains("panicked"));
    let has_ended = worker.child.try_wait().is_ok_and(|end| end.is_some());
    verdict.tried("it ends", has_ended);
    verdict
}

async fn announce_all(stage: &Stage<'_>, secret: &Path, nats: &NatsServer, verdict: &mut Verdict) {
    let mut announcer = Announcer::open(&nats.address()).await;
    let others: Vec<Attempt> = if stage.short {
        Vec::new()
    } else {
        malformed().into_iter().chain([exploding()]).collect()
    };
    for attempt in reaching(secret) {
        let answered = announcer.announce(&attempt, "one").await;
        verdict.tried(&attempt.name, answered == Answered::Serves);
        if answered == Answered::Silence {
            verdict.unknown.push(format!("{}: no answer", attempt.name));
        }
    }
    for attempt in others {
        let answered = announcer.announce(&attempt, "one").await;
        verdict.tried(&attempt.name, answered == Answered::Silence);
    }
}

/// The coordinator needs no rights, so its user does not matter.
fn results(stage: &Stage) -> Verdict {
    let rounds = if stage.short { 4 } else { 12 };
    let config = config(&format!(
        "rounds = {rounds}\ngames = [{{ id = \"amazons\", options = {{ size = 5 }} }}]\n\
         opening = {{ random_plies = 2 }}\n"
    ));
    let (reference, expected) = undisturbed(&config);
    let mut field = Field::new(&config);
    let mut coordinator = field.coordinator(&[]).spawn().expect("a coordinator");
    let liar = Liar::start(&field.nats.address(), "liar", &log_of(&reference), 2 * WAYS);
    wait_until("wrong results", || liar.lies() >= WAYS);
    let lies = liar.lies();
    drop(liar);
    field.worker("one", &[]);
    field.ends_well(&mut coordinator);
    let mut verdict = Verdict::default();
    let what = format!("{lies} wrong results, in {WAYS} ways");
    verdict.tried(what, field.matches() != expected);
    verdict.tried("something is left on the server", !field.left().is_empty());
    verdict
}
