//! Requirements of services.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{env, thread};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use protocol::TimeControl;
use supervisor::spec::Tier;
use supervisor::{
    BotFactory, BotSpec, MAX_ANSWER, Service, ServiceFactory, ServiceFailure, Stall, Tracer,
};

use crate::harness::{self, Test};
use crate::program;

/// All tests here.
pub(crate) const ALL: &[Test] = harness::tests![
    requests_are_answered_in_order,
    big_lines_go_both_ways,
    many_requests_take_little_time,
    a_service_works_inside_of_runtimes,
    a_late_answer_is_diagnosed,
    an_answer_without_a_line_end_is_quoted,
    a_program_that_does_not_read_is_named,
    an_answer_may_be_too_long,
    one_request_has_one_answer,
    an_end_in_the_middle_is_explained,
    an_end_before_the_first_answer_is_explained,
    a_program_that_is_no_program_is_explained,
    too_much_memory_is_named,
    nothing_is_left_of_a_service_that_hangs,
    nothing_is_left_of_a_referee_that_is_killed,
    time_in_which_the_referee_is_stopped_does_not_count,
    processes_keep_to_the_cores_of_who_starts_them,
    plain_children_answer_and_fail_alike,
    plain_children_run_inside_a_sandbox,
    stderr_and_traces_are_kept,
    bots_that_are_gone_are_not_mixed_up_with_services,
];

/// Longer than anything takes here.
const LONG: Duration = Duration::from_secs(200);
/// Long enough for a program to begin with what it is asked for.
const SHORT: Duration = Duration::from_secs(1);

/// The program that answers.
pub(crate) fn spec() -> BotSpec {
    let myself = env::current_exe().unwrap();
    let command = vec![
        myself.to_string_lossy().into_owned(),
        program::ANSWER.to_owned(),
    ];
    let dir = env::temp_dir();
    let time = TimeControl::default();
    let mut spec = BotSpec::new("rules".to_owned(), command, dir, &time);
    spec.shows_dir = false;
    spec
}

fn confined(spec: BotSpec) -> ServiceFactory {
    ServiceFactory::new(spec, &[]).unwrap()
}

/// Both kinds of factories.
fn factories() -> [ServiceFactory; 2] {
    [confined(spec()), ServiceFactory::plain(spec()).unwrap()]
}

/// The answer to a request without its line end.
fn ask(service: &mut Service, request: &str, timeout: Duration) -> Result<String, ServiceFailure> {
    let answer = service.ask(format!("{request}\n").as_bytes(), timeout)?;
    Ok(String::from_utf8(answer.to_vec()).unwrap())
}

/// The failure of a request, which is the failure of each further one.
fn failure(service: &mut Service, request: &str, timeout: Duration) -> ServiceFailure {
    let failure = ask(service, request, timeout).unwrap_err();
    assert!(!service.is_running());
    assert_eq!(ask(service, "echo 1", LONG), Err(failure.clone()));
    failure
}

fn pid(service: &mut Service) -> Pid {
    Pid::from_raw(ask(service, "pid", LONG).unwrap().parse().unwrap())
}

/// True if a process exists and has not ended.
fn is_there(pid: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| !stat.rsplit(')').next().unwrap().starts_with(" Z"))
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + LONG;
    while !is_so() {
        assert!(Instant::now() < end, "no {what}");
        sleep(Duration::from_millis(5));
    }
}

fn requests_are_answered_in_order() {
    for factory in factories() {
        let mut service = factory.start().unwrap();
        for number in 0..20 {
            let answer = ask(&mut service, &format!("echo {number}"), LONG).unwrap();
            assert_eq!(answer, number.to_string());
        }
        assert!(service.is_running());
        let referee = ask(&mut service, "env REFEREE", LONG).unwrap();
        assert_eq!(Path::new(&referee), env::current_exe().unwrap());
        let mut other = factory.start().unwrap();
        assert_ne!(pid(&mut other), pid(&mut service));
    }
}

fn big_lines_go_both_ways() {
    for factory in factories() {
        let mut service = factory.start().unwrap();
        let text = "x".repeat(MAX_ANSWER);
        let answer = ask(&mut service, &format!("echo {text}"), LONG).unwrap();
        assert!(answer == text);
        assert_eq!(ask(&mut service, "echo small", LONG).unwrap(), "small");
    }
}

fn many_requests_take_little_time() {
    for factory in factories() {
        let mut service = factory.start().unwrap();
        let began = Instant::now();
        for _ in 0..1000 {
            service.ask(b"echo x\n", LONG).unwrap();
        }
        // They take some 10 ms.
        let took = began.elapsed();
        assert!(took < Duration::from_secs(20), "{took:?}");
    }
}

fn a_service_works_inside_of_runtimes() {
    let run = || {
        for factory in factories() {
            let mut service = factory.start().unwrap();
            assert_eq!(ask(&mut service, "echo 1", LONG).unwrap(), "1");
            failure(&mut service, "exit x", LONG);
        }
    };
    use tokio::runtime::Builder;
    let own = Builder::new_current_thread().enable_all().build().unwrap();
    own.block_on(async { run() });
    let shared = Builder::new_multi_thread()
        .worker_threads(1)
        .build()
        .unwrap();
    shared.block_on(async { tokio::spawn(async move { run() }).await.unwrap() });
}

fn a_late_answer_is_diagnosed() {
    for factory in factories() {
        let mut service = factory.start().unwrap();
        let pid = pid(&mut service);
        let failure = failure(&mut service, "spin", SHORT);
        let expected = ServiceFailure::Late {
            after: SHORT,
            stall: Some(Stall::Computing),
        };
        assert_eq!(failure, expected);
        let words = "did not answer within 1000 ms; it is still computing";
        assert_eq!(failure.to_string(), words);
        wait_until("end", || !is_there(pid));
    }
}

fn an_answer_without_a_line_end_is_quoted() {
    for factory in factories() {
        let mut service = factory.start().unwrap();
        let failure = failure(&mut service, "half rubbish", SHORT);
        assert!(
            failure.to_string().contains("`rubbish`, has no line end"),
            "{failure}"
        );
    }
}

fn a_program_that_does_not_read_is_named() {
    for factory in factories() {
        let mut service = factory.start().unwrap();
        let answer = ask(&mut service, "deaf", LONG).unwrap();
        assert_eq!(answer, "not a word more");
        let failure = failure(&mut service, &"x".repeat(1 << 20), SHORT);
        assert!(
            matches!(failure, ServiceFailure::NotRead { .. }),
            "{failure}"
        );
    }
}

fn an_answer_may_be_too_long() {
    let mut little = spec();
    little.wanted.resources.output_bytes = 5000;
    for (spec, max) in [(spec(), MAX_ANSWER), (little, 5000)] {
        let factory = confined(spec);
        let mut service = factory.start().unwrap();
        let fits = ask(&mut service, &format!("big {max}"), LONG).unwrap();
        assert_eq!(fits.len(), max);
        let failure = failure(&mut service, &format!("big {}", max + 1), LONG);
        assert_eq!(failure, ServiceFailure::TooLong { max });
    }
}

fn one_request_has_one_answer() {
    let mut service = confined(spec()).start().unwrap();
    assert_eq!(ask(&mut service, "two", LONG).unwrap(), "one");
    let failure = failure(&mut service, "echo 1", LONG);
    assert!(failure.to_string().contains("`two"), "{failure}");
}

fn an_end_in_the_middle_is_explained() {
    for factory in factories() {
        let mut service = factory.start().unwrap();
        ask(&mut service, "echo 1", LONG).unwrap();
        let exited = failure(&mut service, "exit why", LONG);
        assert_eq!(
            exited.to_string(),
            "exited with code 3; the last it printed on stderr: the last words: why"
        );
        let mut service = factory.start().unwrap();
        ask(&mut service, "echo 1", LONG).unwrap();
        let aborted = failure(&mut service, "abort", LONG).to_string();
        assert!(aborted.contains("signal 6 (SIGABRT)"), "{aborted}");
        // One that ends while nobody asks.
        let mut service = factory.start().unwrap();
        kill(pid(&mut service), Signal::SIGKILL).unwrap();
        wait_until("end", || !service.is_running());
        let killed = failure(&mut service, "echo 1", LONG).to_string();
        assert!(killed.contains("signal 9 (SIGKILL)"), "{killed}");
    }
}

fn an_end_before_the_first_answer_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("rules");
    fs::write(&script, "echo no rules today >&2; exit 7\n").unwrap();
    let mut executable = Command::new("chmod");
    assert!(
        executable
            .arg("+x")
            .arg(&script)
            .status()
            .unwrap()
            .success()
    );
    let mut spec = spec();
    spec.command = vec!["sh".to_owned(), "rules".to_owned()];
    spec.dir = folder.path().canonicalize().unwrap();
    let plain = ServiceFactory::plain(spec.clone()).unwrap();
    for factory in [confined(spec), plain] {
        let mut service = factory.start().unwrap();
        let failure = failure(&mut service, "echo 1", LONG).to_string();
        let words = "exited with code 7; the last it printed on stderr: no rules today";
        assert_eq!(failure, words);
    }
}

fn a_program_that_is_no_program_is_explained() {
    let mut missing = spec();
    missing.command = vec!["./no-such-program".to_owned()];
    for error in [
        ServiceFactory::new(missing.clone(), &[]).unwrap_err(),
        ServiceFactory::plain(missing).unwrap_err(),
    ] {
        let error = error.to_string();
        let expected = "rules program `rules`: there is no program `./no-such-program`";
        assert!(error.starts_with(expected), "{error}");
    }
    // One that was there before.
    let folder = tempfile::tempdir().unwrap();
    let mut homeless = spec();
    homeless.dir = folder.path().canonicalize().unwrap();
    let plain = ServiceFactory::plain(homeless.clone()).unwrap();
    let factories = [confined(homeless), plain];
    folder.close().unwrap();
    for factory in factories {
        let failure = factory.start().unwrap_err();
        assert!(matches!(failure, ServiceFailure::NotStarted { .. }));
        let words = failure.to_string();
        assert!(
            words.contains("` cannot be started: No such file"),
            "{words}"
        );
    }
}

fn too_much_memory_is_named() {
    let mut spec = spec();
    spec.wanted.tier = Tier::Limits;
    spec.wanted.best_effort = true;
    spec.wanted.resources.memory = Some(100 << 20);
    let mut service = confined(spec).start().unwrap();
    ask(&mut service, "allocate 1000000", LONG).unwrap();
    let failure = failure(&mut service, "allocate 1000000000", LONG).to_string();
    assert!(failure.contains("memory"), "{failure}");
}

fn nothing_is_left_of_a_service_that_hangs() {
    for factory in factories() {
        let mut hanging = factory.start().unwrap();
        let mut idle = factory.start().unwrap();
        let pids = [pid(&mut hanging), pid(&mut idle)];
        // From here on it does not see that its input is closed.
        ask(&mut hanging, "deaf", LONG).unwrap();
        drop((hanging, idle));
        factory.all_gone();
        assert_eq!(pids.map(is_there), [false, false]);
    }
}

/// Starts another process that asks a service.
fn asker(how: &str, request: &str, seconds: u64) -> Child {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args([program::ASK, how, request, &seconds.to_string()]);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command.spawn().unwrap()
}

/// Waits until the program of an asker has made this file, and returns its process.
fn waiting(file: &Path) -> Pid {
    let mut found = None;
    wait_until("request", || {
        let text = fs::read_to_string(file).unwrap_or_default();
        found = text.parse().ok().map(Pid::from_raw);
        found.is_some()
    });
    found.unwrap()
}

fn nothing_is_left_of_a_referee_that_is_killed() {
    for how in ["confined", "plain"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("waits");
        let mut asker = asker(how, &format!("wait {}", file.display()), 1000);
        let program = waiting(&file);
        assert!(is_there(program));
        asker.kill().unwrap();
        asker.wait().unwrap();
        wait_until("end", || !is_there(program));
    }
}

fn time_in_which_the_referee_is_stopped_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("waits");
    let asker = asker("confined", &format!("wait {}", file.display()), 6);
    waiting(&file);
    let pid = Pid::from_raw(asker.id() as i32);
    kill(pid, Signal::SIGSTOP).unwrap();
    sleep(Duration::from_secs(7));
    kill(pid, Signal::SIGCONT).unwrap();
    // It would fail at once.
    sleep(Duration::from_millis(200));
    fs::remove_file(&file).unwrap();
    let output = asker.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "done\n");
}

#[cfg(target_os = "linux")]
fn processes_keep_to_the_cores_of_who_starts_them() {
    use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};

    let this_thread = Pid::from_raw(0);
    let allowed = sched_getaffinity(this_thread).unwrap();
    let cores = (0..CpuSet::count()).filter(|core| allowed.is_set(*core).unwrap());
    let cores: Vec<usize> = cores.collect();
    for factory in factories() {
        let mut service = factory.start().unwrap();
        let all = ask(&mut service, "cores", LONG).unwrap();
        assert_eq!(all, format!("{cores:?}"));
        for core in &cores {
            let pinned = || {
                let mut one = CpuSet::new();
                one.set(*core).unwrap();
                sched_setaffinity(this_thread, &one).unwrap();
                ask(&mut factory.start().unwrap(), "cores", LONG).unwrap()
            };
            let pinned = thread::scope(|scope| scope.spawn(pinned).join().unwrap());
            assert_eq!(pinned, format!("[{core}]"));
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn processes_keep_to_the_cores_of_who_starts_them() {}

fn plain_children_answer_and_fail_alike() {
    let factory = ServiceFactory::plain(spec()).unwrap();
    assert!(factory.sandbox().is_none() && factory.warnings().is_empty());
    let mut service = factory.start().unwrap();
    let program = pid(&mut service);
    let stat = fs::read_to_string(format!("/proc/{program}/stat")).unwrap();
    let parent = stat.rsplit(')').next().unwrap().split_whitespace().nth(1);
    // There is nobody between the two.
    assert_eq!(parent, Some(&*std::process::id().to_string()));
    drop(service);
    factory.all_gone();
    assert!(!is_there(program));
}

fn plain_children_run_inside_a_sandbox() {
    for tier in [Tier::Restricted, Tier::Strict] {
        let mut spec = spec();
        spec.wanted.tier = tier;
        let factory = match ServiceFactory::new(spec, &[]) {
            Ok(factory) => factory,
            Err(error) => {
                skip(&error.to_string());
                continue;
            }
        };
        let mut service = factory.start().unwrap();
        assert_eq!(ask(&mut service, "inner echo 1", LONG).unwrap(), "1");
        let outer = ask(&mut service, "pid", LONG).unwrap();
        assert_ne!(ask(&mut service, "inner pid", LONG).unwrap(), outer);
        let answer = ask(&mut service, "inner exit why", LONG).unwrap();
        assert!(answer.contains("exited with code 3"), "{answer}");
    }
}

/// Notes that a test is skipped in part, where `tests/run` lists it.
fn skip(reason: &str) {
    let line = format!("plain_children_run_inside_a_sandbox: {reason}\n");
    eprint!("SKIPPED: {line}");
    if let Some(path) = env::var_os("SKIPPED_TESTS") {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .unwrap();
        file.write_all(line.as_bytes()).unwrap();
    }
}

fn stderr_and_traces_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let tracer = Tracer::new(&at("traces")).unwrap();
    let factory = ServiceFactory::new(spec(), &[]).unwrap();
    let bots = BotFactory::new(&[], &[], Some(at("stderr"))).unwrap();
    factory.share_records(&bots.after(6).traced(Some(tracer)));
    let mut service = factory.start().unwrap();
    ask(&mut service, "echo 1", LONG).unwrap();
    failure(&mut service, "exit why", LONG);
    let stderr = fs::read_to_string(at("stderr/rules.7.log")).unwrap();
    assert_eq!(stderr, "the last words: why\n");
    let trace = fs::read_to_string(at("traces/rules.7.jsonl")).unwrap();
    for part in [
        "started: ",
        r#""to_bot":"echo 1""#,
        r#""from_bot":"1""#,
        r#""event":"exited with code 3"#,
    ] {
        assert!(trace.contains(part), "{part} in {trace}");
    }
}

fn bots_that_are_gone_are_not_mixed_up_with_services() {
    for factory in factories() {
        let mut service = factory.start().unwrap();
        let bots = BotFactory::new(&[], &[], None).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(bots.all_gone());
        assert_eq!(ask(&mut service, "echo 1", LONG).unwrap(), "1");
    }
}
