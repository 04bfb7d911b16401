//! The thread of a factory: it starts the processes of services and owns the parts of them that
//! need a runtime. Callers write to the process themselves, without a runtime.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::task::JoinSet;

use super::connection::Connection;
use super::failure::ServiceFailure;
use super::process::{Kind, ServiceProcess};
use crate::process::cores::Cores;
use crate::process::stall::{self, Stall};
use crate::spec::BotSpec;
use crate::streams::stderr::Stderr;
use crate::system::children::END_TIMEOUT;

/// The time to wait for the exit of a process that has closed a pipe, and then for the end of its
/// stderr.
const EXIT_WAIT: Duration = Duration::from_secs(2);

/// Shared by all processes of a factory.
#[derive(Debug)]
pub(super) struct Template {
    pub(super) spec: BotSpec,
    pub(super) kind: Kind,
    /// The longest answer, in bytes without the line end.
    pub(super) max_line: usize,
}

/// The factory's end of the connection to its thread, which runs until all services are gone.
#[derive(Debug)]
pub(super) struct Host {
    orders: UnboundedSender<Order>,
    leaving: Arc<Leaving>,
}

/// A process to start.
struct Order {
    cores: Option<Cores>,
    stderr: Stderr,
    leaving: Arc<Leaving>,
    reply: SyncSender<Result<(Connection, Link), ServiceFailure>>,
}

/// A service's end of the connection to the task that owns its process. When this is dropped, the
/// process is ended after a grace period.
#[derive(Debug)]
pub(super) struct Link {
    requests: UnboundedSender<Request>,
    /// The process is gone.
    ended: Arc<AtomicBool>,
    leaving: Arc<Leaving>,
}

/// Requests to end the process.
enum Request {
    Explain(SyncSender<Explanation>),
    /// With the inode of the pipe that the process reads.
    Diagnose(u64, SyncSender<Option<Stall>>),
}

/// The end of a process.
#[derive(Debug)]
pub(super) struct Explanation {
    pub(super) exit: String,
    /// An excerpt of the last line of its stderr.
    pub(super) stderr: Option<String>,
}

impl Host {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the machine does not let it run.
    pub(super) fn new(template: Arc<Template>) -> io::Result<Self> {
        let (orders, inbox) = mpsc::unbounded_channel();
        let (reply, ready) = sync_channel(1);
        let thread = thread::Builder::new().name("services".to_owned());
        thread.spawn(move || run(&template, inbox, &reply))?;
        ready.recv().map_err(io::Error::other)??;
        Ok(Host {
            orders,
            leaving: Arc::default(),
        })
    }

    /// Starts a process on the cores of the current thread.
    pub(super) fn start(&self, stderr: Stderr) -> Result<(Connection, Link), ServiceFailure> {
        let (reply, started) = sync_channel(1);
        let order = Order {
            cores: Cores::of_this_thread(),
            stderr,
            leaving: self.leaving.clone(),
            reply,
        };
        // If the thread is gone, there is no reply.
        let _ = self.orders.send(order);
        let lost = |_| ServiceFailure::NotStarted {
            why: "cannot be started: the thread that starts processes is gone".to_owned(),
        };
        started.recv().map_err(lost)?
    }

    /// Waits until the processes of all services that were dropped are gone.
    pub(super) fn all_gone(&self) {
        self.leaving.wait();
    }
}

impl Link {
    /// True if the process is known to be gone.
    pub(super) fn ended(&self) -> &AtomicBool {
        &self.ended
    }

    /// The end of a process that has closed a pipe. If it still runs, it is ended now.
    pub(super) fn explain(&self) -> Explanation {
        let explained = self.ask(Request::Explain);
        explained.unwrap_or_else(|| Explanation {
            exit: "is gone".to_owned(),
            stderr: None,
        })
    }

    /// Diagnoses a process that does not answer, and ends it.
    pub(super) fn diagnose(&self, stdin: u64) -> Option<Stall> {
        self.ask(|reply| Request::Diagnose(stdin, reply)).flatten()
    }

    fn ask<T>(&self, request: impl FnOnce(SyncSender<T>) -> Request) -> Option<T> {
        let (reply, answer): (_, Receiver<T>) = sync_channel(1);
        // If the task is gone, there is no answer.
        let _ = self.requests.send(request(reply));
        answer.recv().ok()
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // Before the connection is closed, because that ends the process.
        self.leaving.enter();
    }
}

/// Counts dropped services whose processes still run.
#[derive(Debug, Default)]
struct Leaving {
    count: Mutex<usize>,
    changed: Condvar,
}

impl Leaving {
    fn enter(&self) {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
    }

    fn leave(&self) {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.changed.notify_all();
    }

    fn wait(&self) {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        // Only a process that hangs in a device can take longer.
        let _ = self
            .changed
            .wait_timeout_while(count, 2 * END_TIMEOUT, |count| *count > 0);
    }
}

/// The thread: carries out orders until there can be no more and all processes are gone.
fn run(
    template: &Arc<Template>,
    mut inbox: UnboundedReceiver<Order>,
    ready: &SyncSender<io::Result<()>>,
) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let (runtime, built) = match runtime {
        Ok(runtime) => (Some(runtime), Ok(())),
        Err(error) => (None, Err(error)),
    };
    let _ = ready.send(built);
    let Some(runtime) = runtime else { return };
    runtime.block_on(async {
        let mut services = JoinSet::new();
        while let Some(order) = inbox.recv().await {
            // Forget those that are gone.
            while services.try_join_next().is_some() {}
            services.spawn(carry_out(template.clone(), order));
        }
        while services.join_next().await.is_some() {}
    });
}

/// Starts a process and serves its requests until it is gone.
async fn carry_out(template: Arc<Template>, order: Order) {
    let Template {
        spec,
        kind,
        max_line,
    } = &*template;
    let started = kind.start(spec, order.cores, order.stderr).await;
    let connected = started.and_then(|started| {
        let connection = Connection::new(started.stdin, started.stdout, *max_line);
        let connection = connection.map_err(|error| ServiceFailure::Unreachable {
            why: error.to_string(),
        })?;
        Ok((connection, started.process))
    });
    let (connection, process) = match connected {
        Ok(connected) => connected,
        Err(failure) => {
            let _ = order.reply.send(Err(failure));
            return;
        }
    };
    let (requests, inbox) = mpsc::unbounded_channel();
    let ended = Arc::new(AtomicBool::new(false));
    let leaving = order.leaving;
    let link = Link {
        requests,
        ended: ended.clone(),
        leaving: leaving.clone(),
    };
    // If the factory is gone, the link is dropped, and the process ended like any other.
    let _ = order.reply.send(Ok((connection, link)));
    serve(process, inbox, &ended).await;
    leaving.leave();
}

/// Answers requests about a process until its service is dropped, and ends it then.
async fn serve(
    mut process: ServiceProcess,
    mut inbox: UnboundedReceiver<Request>,
    ended: &AtomicBool,
) {
    loop {
        tokio::select! {
            request = inbox.recv() => match request {
                Some(request) => {
                    answer(&mut process, request).await;
                    process.kill().await;
                    ended.store(true, Ordering::Release);
                }
                None => break,
            },
            () = process.gone(), if !ended.load(Ordering::Acquire) => {
                ended.store(true, Ordering::Release);
            }
        }
    }
    process.end().await;
}

async fn answer(process: &mut ServiceProcess, request: Request) {
    match request {
        Request::Explain(reply) => {
            let exit = process.exit(EXIT_WAIT).await;
            let stderr = process.last_line(EXIT_WAIT).await;
            let _ = reply.send(Explanation {
                exit: exit.unwrap_or_else(|| "closed its output".to_owned()),
                stderr,
            });
        }
        Request::Diagnose(stdin, reply) => {
            let _ = reply.send(stall::diagnose(|| process.all(), stdin).await);
        }
    }
}
