//! The example configuration of a server: each role can do its work, and nothing else.

use std::time::Duration;

use cluster::{ClusterError, Connection, Coordinator, Role, Server, TournamentId, Worker, workers};
use tests::cluster::nats::NatsServer;
use tests::cluster::workers::{Field, config, undisturbed};
use tests::{referee, root, run};

const LEASE: Duration = Duration::from_secs(1);

fn guarded() -> NatsServer {
    NatsServer::with_config(&root().join("tournaments/nats.conf"))
}

async fn open(address: String, role: Role) -> Result<Connection, ClusterError> {
    let server = Server {
        address,
        credentials: None,
    };
    Connection::open(&server, role).await
}

#[test]
fn each_role_can_do_its_work() {
    let config = config(
        "rounds = 2\ngames = [{ id = \"amazons\", options = { size = 5 } }]\n\
         opening = { random_plies = 2 }\n",
    );
    let mut field = Field::with_server(&config, guarded());
    let [coordinator, worker, viewer] = [
        field.nats.address_of("coordinator", "one"),
        field.nats.address_of("worker", "two"),
        field.nats.address_of("viewer", "three"),
    ];
    let mut command = field.command("one", referee());
    let child = command
        .args(["worker", &worker, "--name", "one", "--trust"])
        .spawn();
    field.adopt("one", child.unwrap());
    let mut command = field.command("coordinator", referee());
    command
        .args(field.arena.tournament())
        .args(["--quiet", "--nats", &coordinator]);
    let status = command.status().unwrap();
    assert_eq!(status.code(), Some(0), "{}", field.stderr("coordinator"));
    let (_, expected) = undisturbed(&config);
    assert!(field.matches() == expected, "another log");
    let seen = run(["workers", &viewer, "--format", "json"]);
    assert!(
        seen.stdout.contains("\"name\": \"one\""),
        "{}{}",
        seen.stdout,
        seen.stderr
    );
    for said in [
        field.stderr("coordinator"),
        field.stderr("one"),
        seen.stderr,
    ] {
        assert!(!said.contains("ermission"), "{said}");
    }
    let outsider = run(["workers", &field.nats.address()]);
    tests::refused(&outsider, 4, "does not let this user in");
    assert!(
        !outsider.stderr.contains("password@127"),
        "{}",
        outsider.stderr
    );
}

#[tokio::test]
async fn nobody_can_do_the_work_of_others() {
    let nats = guarded();
    let id = TournamentId::of("evening", 1);
    let coordinator = open(nats.address_of("coordinator", "one"), Role::Coordinator).await;
    let coordinator = coordinator.unwrap();
    let mine = Coordinator::open(&coordinator, &id, LEASE).await.unwrap();
    mine.announce(b"here".to_vec()).await.unwrap();
    mine.publish(1, b"job".to_vec()).await.unwrap();
    for (user, password, role) in [
        ("worker", "two", Role::Worker),
        ("viewer", "three", Role::Viewer),
    ] {
        let connection = open(nats.address_of(user, password), role).await.unwrap();
        // Neither opens a tournament, nor removes one: nobody answers.
        let other = TournamentId::of("other", 2);
        let (opened, closed) = tokio::join!(
            Coordinator::open(&connection, &other, LEASE),
            Coordinator::close(&connection, &id),
        );
        assert!(opened.is_err_and(|error| error.is_passing()), "{user}");
        assert!(closed.is_err_and(|error| error.is_passing()), "{user}");
    }
    assert_eq!(mine.queued().await.unwrap().len(), 1);
    // A viewer sees no configurations.
    let viewer = open(nats.address_of("viewer", "three"), Role::Viewer)
        .await
        .unwrap();
    let looking = Worker::new(&viewer, &"me".parse().unwrap());
    let announced = looking.announcement_after(0).await;
    assert!(announced.is_err_and(|error| error.is_passing()));
    assert_eq!(
        workers(&viewer, Duration::from_millis(100)).await,
        Ok(Vec::new())
    );
    let wrong = open(nats.address_of("worker", "one"), Role::Worker)
        .await
        .unwrap_err();
    assert!(matches!(wrong, ClusterError::Denied(_)), "{wrong}");
}
