//! Bundles of bots, which workers get from the server.

use std::fs;
use std::path::{Path, PathBuf};

use cluster::{Connection, FileError, Role, Server, TournamentId, get_file, put_file};
use tests::cluster::nats::NatsServer;
use tests::cluster::workers::{Field, config, matches};
use tests::{good, run_in, wait_until};

/// A bot with files of its own, which plays only after its setup.
const MINE: &str = "
[[bots]]
name = \"mine\"
command = [\"sh\", \"bot.sh\"]
dir = \"mine\"
setup = [\"sh\", \"-c\", \"echo once >> times; cp level.default level\"]
";

fn with_mine() -> String {
    let head = "rounds = 2\ngames = [{ id = \"amazons\", options = { size = 5 } }]\n";
    config(head) + MINE
}

/// A field with bundles, but without the folder of the bot.
fn field() -> Field {
    let field = Field::new(&with_mine());
    fs::create_dir(field.arena.path("mine")).unwrap();
    let script = ". ./level\nexec \"$REFEREE\" bot $level\n";
    field.arena.write("mine/bot.sh", script);
    field.arena.write("mine/level.default", "level=greedy\n");
    good(run_in(&field.arena, "bundle t.toml --out bundles"));
    fs::copy(
        field.arena.path("mine/level.default"),
        field.arena.path("mine/level"),
    )
    .unwrap();
    good(run_in(&field.arena, "tournament t.toml --quiet --out here"));
    fs::remove_dir_all(field.arena.path("mine")).unwrap();
    field
}

fn archive(field: &Field) -> PathBuf {
    let entries = fs::read_dir(field.arena.path("bundles")).unwrap();
    let mut paths = entries.map(|entry| entry.unwrap().path());
    let is_archive = |path: &PathBuf| path.extension().is_some_and(|end| end == "gz");
    paths.find(is_archive).unwrap()
}

fn hash(archive: &Path) -> String {
    let name = archive.file_name().unwrap().to_str().unwrap();
    name.strip_suffix(".tar.gz").unwrap().to_owned()
}

/// A worker on a machine that has none of the files, but this cache.
fn start_worker(field: &mut Field, name: &str, elsewhere: &Path, more: &[&str]) {
    let dir = elsewhere.display().to_string();
    let cache = elsewhere.join("cache").display().to_string();
    let mut args = vec!["--dir", &dir, "--bundle-cache", &cache];
    args.extend(more);
    field.worker(name, &args);
}

const FROM_BUNDLES: [&str; 4] = ["--bundles", "bundles", "--bundle-cache", "own-cache"];

#[test]
fn workers_take_bundles_from_the_server_once_a_machine() {
    let mut field = field();
    let elsewhere = tempfile::tempdir().unwrap();
    let cache = elsewhere.path().join("cache");
    // What a worker left that was killed.
    fs::create_dir(&cache).unwrap();
    let hash = hash(&archive(&field));
    let part = cache.join(format!(".fetch-{hash}"));
    fs::write(&part, "x".repeat(1 << 20)).unwrap();
    for name in ["one", "two"] {
        start_worker(&mut field, name, elsewhere.path(), &["--slots", "1"]);
    }
    field.play(&FROM_BUNDLES);
    let mut expected = matches(&field.arena.path("here/games.jsonl"));
    let mut found = field.matches();
    for record in expected.values_mut().chain(found.values_mut()) {
        for player in record["players"].as_array_mut().unwrap() {
            let player = player.as_object_mut().unwrap();
            let bundle = player.remove("bundle");
            assert!(bundle.is_none_or(|bundle| bundle == hash));
            player.remove("build");
        }
    }
    assert!(found == expected, "another log");
    assert_eq!(field.left(), Vec::<String>::new());
    assert!(!part.exists());
    let mut folders = fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap());
    let folder = folders.next().unwrap().path();
    assert!(folders.next().is_none());
    let times = fs::read_to_string(folder.join("files/times")).unwrap();
    assert_eq!(times, "once\n");
}

#[test]
fn a_worker_says_which_bundle_it_does_not_take() {
    let mut field = field();
    let elsewhere = tempfile::tempdir().unwrap();
    start_worker(
        &mut field,
        "small",
        elsewhere.path(),
        &["--max-bundle", "1B"],
    );
    let mut coordinator = field.coordinator(&FROM_BUNDLES).spawn().unwrap();
    wait_until("a word of the small worker", || {
        let said = field.stderr("coordinator");
        said.contains("the worker `small` plays no matches: the bundle of `mine` has ")
    });
    start_worker(&mut field, "large", elsewhere.path(), &[]);
    field.ends_well(&mut coordinator);
}

#[test]
fn an_archive_that_is_not_the_bundle_is_refused() {
    let mut field = field();
    let archive = archive(&field);
    // Somebody else has put something there, before the coordinator does.
    fs::create_dir(field.arena.path("out")).unwrap();
    field.arena.write("out/nats.toml", "id = \"evening-1\"\n");
    let address = field.nats.address();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let connection = connected(address, Role::Coordinator).await;
        let id: TournamentId = "evening-1".parse().unwrap();
        put_file(&connection, &id, &hash(&archive), &b"something else"[..])
            .await
            .unwrap();
    });
    let elsewhere = tempfile::tempdir().unwrap();
    start_worker(&mut field, "one", elsewhere.path(), &[]);
    let mut coordinator = field.coordinator(&FROM_BUNDLES).spawn().unwrap();
    wait_until("a word of the worker", || {
        let said = field.stderr("coordinator");
        said.contains("plays no matches: the archive ") && said.contains("is not the bundle")
    });
    coordinator.kill().unwrap();
    coordinator.wait().unwrap();
    // The coordinator looks at its archives, too, even if they were unpacked before.
    fs::write(&archive, "something else").unwrap();
    let status = field.coordinator(&["--resume"]).args(FROM_BUNDLES).status();
    assert_eq!(status.unwrap().code(), Some(4));
    let said = field.stderr("coordinator");
    assert!(
        said.matches("so it is not the bundle").count() > 1,
        "{said}"
    );
}

async fn connected(address: String, role: Role) -> Connection {
    let server = Server {
        address,
        credentials: None,
    };
    Connection::open(&server, role).await.unwrap()
}

#[tokio::test]
async fn files_come_whole_or_not_at_all() {
    let nats = NatsServer::start();
    let connection = connected(nats.address(), Role::Coordinator).await;
    let id = TournamentId::of("evening", 7);
    let get = async |name: &str, most| {
        let mut got = Vec::new();
        let done = get_file(&connection, &id, name, most, &mut got).await;
        done.map(|()| got)
    };
    // Servers do not answer where there is nothing at all.
    assert!(get("a", 9).await.is_err_and(|error| error.is_passing()));
    let large: Vec<u8> = (0..1_000_003_u32).map(|n| (n % 251) as u8).collect();
    // One that is cut off in the middle.
    let cut = Cut(&large[..500_000]);
    let put = put_file(&connection, &id, "a", cut).await;
    assert!(matches!(put, Err(FileError::Io(_))), "{put:?}");
    assert!(matches!(get("a", 9).await, Err(FileError::Missing)));
    put_file(&connection, &id, "a", &large[..]).await.unwrap();
    put_file(&connection, &id, "empty", &b""[..]).await.unwrap();
    // It is there.
    put_file(&connection, &id, "a", Cut(&[])).await.unwrap();
    assert!(get("a", 1_000_003).await.unwrap() == large);
    assert_eq!(get("empty", 0).await.unwrap(), b"");
    let error = get("a", 1_000_002).await.unwrap_err();
    assert!(matches!(error, FileError::TooLong { .. }), "{error}");
    cluster::Coordinator::close(&connection, &id).await.unwrap();
    assert!(get("a", 9).await.is_err_and(|error| error.is_passing()));
}

/// Something that cannot be read to its end.
struct Cut<'a>(&'a [u8]);

impl std::io::Read for Cut<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        match self.0.read(into)? {
            0 => Err(std::io::Error::other("cut off")),
            read => Ok(read),
        }
    }
}

#[tokio::test]
async fn a_full_server_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.conf");
    let text = "jetstream {\n  store_dir: \"x\"\n  max_file_store: 1MB\n}\n";
    fs::write(&path, text).unwrap();
    let nats = NatsServer::with_config(&path);
    let connection = connected(nats.address(), Role::Coordinator).await;
    let id = TournamentId::of("evening", 7);
    let large = vec![7; 3 << 20];
    let put = put_file(&connection, &id, "a", &large[..]).await;
    assert!(matches!(put, Err(FileError::Full)), "{put:?}");
}
