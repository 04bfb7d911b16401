//! Messages alone: jobs, leases, results.

use std::time::Duration;

use cluster::{
    ClusterError, Connection, Coordinator, Delivered, Finished, HEARTBEAT, Job, Presence,
    Published, Role, Server, TournamentId, Worker, WorkerMessage, WorkerName, workers,
};
use tests::cluster::nats::NatsServer;
use tokio::time::{sleep, timeout};

const LEASE: Duration = Duration::from_millis(400);
const SOON: Duration = Duration::from_secs(20);

fn server(address: String) -> Server {
    Server {
        address,
        credentials: None,
    }
}

async fn connected(nats: &NatsServer, role: Role) -> Connection {
    Connection::open(&server(nats.address()), role)
        .await
        .unwrap()
}

async fn worker(nats: &NatsServer, name: &str) -> Worker {
    Worker::new(&connected(nats, Role::Worker).await, &name.parse().unwrap())
}

/// A coordinator and its tournament.
async fn coordinator(nats: &NatsServer) -> (Coordinator, TournamentId) {
    let id = TournamentId::of("evening", 7);
    let connection = connected(nats, Role::Coordinator).await;
    (
        Coordinator::open(&connection, &id, LEASE).await.unwrap(),
        id,
    )
}

async fn take(worker: &Worker, id: &TournamentId) -> Box<Job> {
    for _ in 0..100 {
        match worker.take(id, Duration::from_secs(1)).await {
            Ok(Delivered::Job(job)) => return job,
            Ok(Delivered::None) => {}
            Ok(Delivered::TournamentOver) => panic!("it is over"),
            Err(error) => assert!(error.is_passing(), "{error}"),
        }
    }
    panic!("no job comes");
}

/// The results that are there, with their workers.
async fn results(coordinator: &mut Coordinator) -> Vec<(u64, String, Vec<u8>)> {
    let mut all = Vec::new();
    while let Some(result) = coordinator.next_result().await.unwrap() {
        all.push((result.job, result.worker, result.result.unwrap()));
    }
    all
}

#[tokio::test]
async fn jobs_are_done_once_and_results_taken_once() {
    let nats = NatsServer::start();
    let (mut coordinator, id) = coordinator(&nats).await;
    let one = worker(&nats, "one").await;
    assert!(one.announcement_after(0).await.unwrap().is_none());
    coordinator.announce(b"how to play".to_vec()).await.unwrap();
    let announced = one.announcement_after(0).await.unwrap().unwrap();
    assert_eq!(
        (announced.id, &*announced.payload),
        (id.clone(), &b"how to play"[..])
    );
    assert!(
        one.announcement_after(announced.sequence)
            .await
            .unwrap()
            .is_none()
    );
    for job in [3, 1] {
        let published = coordinator.publish(job, vec![job as u8]).await;
        assert_eq!(published, Ok(Published::Queued));
        assert_eq!(
            coordinator.publish(job, vec![9]).await,
            Ok(Published::AlreadyQueued)
        );
    }
    for expected in [3, 1] {
        let job = take(&one, &id).await;
        assert_eq!(
            (job.number, &*job.payload, job.deliveries),
            (expected, &[expected as u8][..], 1)
        );
        assert_eq!(job.finish(vec![7]).await, Ok(Finished::Stored));
    }
    assert!(coordinator.queued().await.unwrap().is_empty());
    let woken = timeout(SOON, coordinator.next_message()).await.unwrap();
    assert!(
        matches!(woken, WorkerMessage::News { worker, about } if worker == "one" && about.is_empty())
    );
    let expected = [3, 1].map(|job| (job, "one".to_owned(), vec![7]));
    assert_eq!(results(&mut coordinator).await, expected);
    assert_eq!(results(&mut coordinator).await, []);
    // A new coordinator gets them again.
    let connection = connected(&nats, Role::Coordinator).await;
    let mut again = Coordinator::open(&connection, &id, LEASE).await.unwrap();
    assert_eq!(again.announced().await.unwrap().unwrap(), b"how to play");
    assert_eq!(results(&mut again).await, expected);
    Coordinator::close(&connection, &id).await.unwrap();
    Coordinator::close(&connection, &id).await.unwrap();
    assert!(one.announcement(&id).await.unwrap().is_none());
    let taken = one.take(&id, Duration::from_secs(1)).await;
    assert!(matches!(taken, Ok(Delivered::TournamentOver)), "{taken:?}");
}

#[tokio::test]
async fn a_lost_lease_gives_the_job_to_another_worker_and_only_one_result_counts() {
    let nats = NatsServer::start();
    let (mut coordinator, id) = coordinator(&nats).await;
    let [one, two] = [worker(&nats, "one").await, worker(&nats, "two").await];
    coordinator.publish(1, Vec::new()).await.unwrap();
    let first = take(&one, &id).await;
    let second = take(&two, &id).await;
    assert_eq!((second.number, second.deliveries), (1, 2));
    // The late acknowledgement of the first ends the job for all.
    assert_eq!(first.finish(b"first".to_vec()).await, Ok(Finished::Stored));
    assert!(coordinator.queued().await.unwrap().is_empty());
    assert_eq!(
        second.finish(b"second".to_vec()).await,
        Ok(Finished::Duplicate)
    );
    assert_eq!(
        results(&mut coordinator).await,
        [(1, "one".to_owned(), b"first".to_vec())]
    );
}

#[tokio::test]
async fn a_kept_lease_lasts() {
    let nats = NatsServer::start();
    let (coordinator, id) = coordinator(&nats).await;
    let [one, two] = [worker(&nats, "one").await, worker(&nats, "two").await];
    coordinator.publish(1, Vec::new()).await.unwrap();
    let job = take(&one, &id).await;
    let kept = job.renew_lease(LEASE);
    for _ in 0..4 {
        let taken = two.take(&id, LEASE).await.unwrap();
        assert!(matches!(taken, Delivered::None), "{taken:?}");
    }
    drop(kept);
    assert_eq!(take(&two, &id).await.deliveries, 2);
}

#[tokio::test]
async fn jobs_are_given_back_buried_and_withdrawn() {
    let nats = NatsServer::start();
    let (mut coordinator, id) = coordinator(&nats).await;
    let one = worker(&nats, "one").await;
    coordinator.publish(1, Vec::new()).await.unwrap();
    take(&one, &id).await.give_back(Duration::ZERO).await;
    let job = take(&one, &id).await;
    assert_eq!(
        job.reject(b"it cannot be read".to_vec()).await,
        Ok(Finished::Stored)
    );
    assert!(coordinator.queued().await.unwrap().is_empty());
    let dead = coordinator.next_result().await.unwrap().unwrap();
    assert_eq!(dead.result, Err(b"it cannot be read".to_vec()));
    // Refused, another result can take its place.
    coordinator.refuse(&dead).await.unwrap();
    coordinator.refuse(&dead).await.unwrap();
    coordinator.publish(1, Vec::new()).await.unwrap();
    assert_eq!(
        take(&one, &id).await.finish(vec![1]).await,
        Ok(Finished::Stored)
    );
    assert_eq!(results(&mut coordinator).await.len(), 1);
    coordinator.publish(2, Vec::new()).await.unwrap();
    coordinator.publish(3, Vec::new()).await.unwrap();
    let held = take(&one, &id).await;
    assert_eq!(coordinator.queued().await.unwrap().len(), 2);
    coordinator.withdraw().await.unwrap();
    assert!(coordinator.queued().await.unwrap().is_empty());
    assert_eq!(held.finish(vec![2]).await, Ok(Finished::Stored));
    assert_eq!(results(&mut coordinator).await.len(), 1);
}

#[tokio::test]
async fn a_server_that_is_killed_and_restarted_has_lost_nothing() {
    let mut nats = NatsServer::start();
    let (mut coordinator, id) = coordinator(&nats).await;
    let one = worker(&nats, "one").await;
    for job in 1..=3 {
        coordinator.publish(job, Vec::new()).await.unwrap();
    }
    take(&one, &id).await.finish(vec![1]).await.unwrap();
    let held = take(&one, &id).await;
    nats.kill();
    let published = coordinator.publish(4, Vec::new()).await;
    assert!(
        matches!(&published, Err(error) if error.is_passing()),
        "{published:?}"
    );
    let finishing = tokio::spawn(async move { held.finish(vec![2]).await });
    sleep(Duration::from_millis(500)).await;
    nats.restart();
    let finished = timeout(SOON, finishing).await.unwrap().unwrap();
    assert_eq!(finished, Ok(Finished::Stored));
    // The server may have forgotten what was acknowledged last; then it delivers such a job once more.
    let mut got = Vec::new();
    while got.len() < 3 {
        if let Ok(Delivered::Job(job)) = one.take(&id, Duration::ZERO).await {
            job.finish(vec![job.number as u8]).await.unwrap();
        }
        while let Some(result) = coordinator.next_result().await.unwrap() {
            assert_eq!(result.result.unwrap(), [result.job as u8]);
            got.push(result.job);
        }
    }
    got.sort_unstable();
    assert_eq!(got, [1, 2, 3]);
}

#[tokio::test]
async fn workers_are_seen() {
    let nats = NatsServer::start();
    let (mut coordinator, id) = coordinator(&nats).await;
    let presence = |name: &str| Presence {
        name: name.to_owned(),
        slots: 4,
        busy: 1,
        matches: 9,
        since: "2026-01-01T00:00:00Z".to_owned(),
        tournaments: vec![id.to_string()],
    };
    for name in ["one", "two", "no.name"] {
        let worker = worker(&nats, &WorkerName::of(name).to_string()).await;
        let presence = presence(name);
        tokio::spawn(async move {
            loop {
                worker.send_heartbeat(&presence).await;
                sleep(HEARTBEAT / 20).await;
            }
        });
    }
    let received = timeout(SOON, coordinator.next_message()).await.unwrap();
    assert!(
        matches!(received, WorkerMessage::Heartbeat(_)),
        "{received:?}"
    );
    let viewer = connected(&nats, Role::Viewer).await;
    let seen = workers(&viewer, HEARTBEAT).await.unwrap();
    assert_eq!(seen, [presence("one"), presence("two")]);
}

#[tokio::test]
async fn what_does_not_work_is_said() {
    let nats = NatsServer::start();
    let (coordinator, id) = coordinator(&nats).await;
    let large = coordinator.publish(1, vec![0; 2 << 20]).await;
    assert!(
        matches!(large, Err(ClusterError::TooLarge { .. })),
        "{large:?}"
    );
    let one = worker(&nats, "one").await;
    let other = TournamentId::of("other", 1);
    assert!(matches!(
        one.take(&other, Duration::ZERO).await,
        Ok(Delivered::TournamentOver)
    ));
    let none = one.take(&id, Duration::ZERO).await;
    assert!(matches!(none, Ok(Delivered::None)), "{none:?}");
    let nobody = server("nats://127.0.0.1:9".to_owned());
    let error = Connection::open(&nobody, Role::Viewer).await.unwrap_err();
    assert!(matches!(error, ClusterError::Connect { .. }), "{error}");
}
