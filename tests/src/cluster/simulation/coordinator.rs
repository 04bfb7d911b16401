//! The coordinator: the program's own, as a future that is polled in virtual time. What it asks the server,
//! reports, and has examined goes through the agenda.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc as blocking;
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use async_nats::{Message, RequestErrorKind};
use cluster::{ANSWER, JobResult};
use schedule::{Schedule, ScheduledGroup};
use tokio::sync::{mpsc, watch};
use tokio::task::unconstrained;
use tournament::playing::queue::Queue;
use tournament::reports::FromSlot;
use tournament::{Run, Stop};
use workers::examine::Examiner;
use workers::{CoordinatorSession, Examined, RemoteError};

use super::client::{AnswerSender, Request, SimulatedClient, bare};
use super::parts::{Agenda, Options, Simulation};
use super::samples::Samples;
use super::time::{LEASE, Time, micros};

/// Time to write a match to the log.
const WRITING: Time = 30;
/// Reports that wait to be written, at most.
const MOST_REPORTS: usize = 32;
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The coordinator, whether it is up or not.
pub(super) struct SimulatedCoordinator {
    /// Counts how often it was started.
    life: u32,
    session: Option<Session>,
    pub(super) meter: Meter,
    /// Copies of each match in the log.
    log: Vec<u8>,
    pub(super) logged: u64,
    /// Results that were read in all.
    pub(super) read: u64,
    /// The longest time from a start until workers were told of the tournament.
    pub(super) longest_start: Time,
    /// When the tournament was over.
    pub(super) over: Option<Time>,
}

/// What is lost when the coordinator is killed.
struct Session {
    life: u32,
    playing: Pin<Box<dyn Future<Output = Result<(), RemoteError>>>>,
    woken: Arc<Woken>,
    client: SimulatedClient,
    queue: Arc<Queue>,
    reports: mpsc::Receiver<FromSlot>,
    work: blocking::Receiver<(Vec<ScheduledGroup>, JobResult)>,
    examined: mpsc::UnboundedSender<Examined>,
    began: Time,
    examiner_is_free: Time,
    writer_is_free: Time,
}

/// True if the coordinator can go on.
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Measures what the coordinator has on the heap, and how long it computes: what happens in
/// [`Meter::run`] is the coordinator's, nothing else is.
pub(super) struct Meter {
    heap: fn() -> usize,
    held: i64,
    pub(super) peak: i64,
    pub(super) time: Duration,
}

impl Meter {
    fn run<T>(&mut self, what: impl FnOnce() -> T) -> T {
        let (before, began) = ((self.heap)(), Instant::now());
        let done = what();
        self.time += began.elapsed();
        self.held += (self.heap)() as i64 - before as i64;
        self.peak = self.peak.max(self.held);
        done
    }

    /// Takes what the coordinator no longer has.
    fn take<T: Clone>(&mut self, value: T) -> T {
        let copy = value.clone();
        self.run(|| drop(value));
        copy
    }
}

impl SimulatedCoordinator {
    pub(super) fn new(options: &Options, samples: &Samples) -> Self {
        let total = Schedule::new(&samples.config.shape()).total();
        SimulatedCoordinator {
            life: 0,
            session: None,
            meter: Meter {
                heap: options.heap,
                held: 0,
                peak: 0,
                time: Duration::ZERO,
            },
            log: vec![0; usize::try_from(total).expect("a number")],
            logged: 0,
            read: 0,
            longest_start: 0,
            over: None,
        }
    }

    pub(super) fn is_up(&self) -> bool {
        self.session.is_some()
    }

    pub(super) fn is_woken(&self) -> bool {
        let session = self.session.as_ref();
        session.is_some_and(|it| it.woken.0.load(Ordering::Relaxed))
    }

    pub(super) fn kill(&mut self) {
        let session = self.session.take();
        self.meter.run(|| drop(session));
    }

    /// Passes on what a worker publishes.
    pub(super) fn hear(&mut self, subject: &str, payload: &[u8]) {
        let Some(session) = &self.session else {
            return;
        };
        let connection = session.client.connection();
        for (subjects, subscriber) in &connection.subscriptions {
            if subject.starts_with(subjects.trim_end_matches('*')) {
                let message = || bare(subject.into(), payload.to_vec());
                // It may not listen any more.
                self.meter.run(|| drop(subscriber.send(message())));
            }
        }
    }

    pub(super) fn is_announced(&mut self, now: Time) {
        if let Some(session) = &self.session {
            self.longest_start = self.longest_start.max(now - session.began);
        }
    }

    /// Matches that are not in the log once.
    pub(super) fn wrong(&self) -> usize {
        self.log.iter().filter(|&&times| times != 1).count()
    }

    /// Starts, or is resumed with what is in the log.
    fn start(&mut self, samples: &Samples, seed: u64, now: Time) {
        self.life += 1;
        let (life, log) = (self.life, &self.log);
        let secret = [seed, u64::from(life)];
        self.session = Some(self.meter.run(|| {
            let mut schedule = Schedule::new(&samples.config.shape());
            let numbers = (1..).zip(log).filter(|(_, times)| **times > 0);
            numbers.for_each(|(number, _)| schedule.finish(number, &[0.5, 0.5]));
            let queue = Arc::new(Queue::new(schedule));
            let (reporter, reports) = mpsc::channel(MOST_REPORTS);
            let (examiner, work) = blocking::channel();
            let (examined, done) = mpsc::unbounded_channel();
            let examiner = Examiner {
                work: examiner,
                done,
            };
            let run = Run {
                config: samples.config.clone(),
                folder: samples.config.source.folder.clone(),
                queue: queue.clone(),
                reports: reporter,
                stop: watch::channel(Stop::No).1,
            };
            let client = SimulatedClient::default();
            let (connection, id) = (client.clone(), samples.id.clone());
            let announced = samples.announced.clone();
            let playing = async move {
                if !run.queue.schedule().is_over() {
                    let coordinator = workers::open(&connection, &id, LEASE).await?;
                    let session =
                        CoordinatorSession::new(run, coordinator, &announced, examiner, secret);
                    session.play().await?;
                }
                Ok(workers::close(&connection, &id).await?)
            };
            Session {
                life,
                // Tokio's budget is for tasks that it polls itself.
                playing: Box::pin(unconstrained(playing)),
                woken: Arc::new(Woken(AtomicBool::new(true))),
                client,
                queue,
                reports,
                work,
                examined,
                began: now,
                examiner_is_free: now,
                writer_is_free: now,
            }
        }));
    }
}

impl Session {
    /// Its requests are on their way.
    fn send(&mut self, meter: &mut Meter, agenda: &mut Agenda, half_way: Time) {
        let now = agenda.now;
        for request in self.client.connection().requests.drain(..) {
            let request = Request {
                subject: meter.take(request.subject),
                payload: meter.take(request.payload),
                answer: request.answer,
            };
            agenda.after(half_way, move |it| it.asked(now, request));
        }
    }

    /// Matches are written to the log one by one.
    fn write(&mut self, meter: &mut Meter, agenda: &mut Agenda) {
        let life = self.life;
        while let Ok(report) = self.reports.try_recv() {
            if let FromSlot::Finished(number, _) = report {
                self.writer_is_free = self.writer_is_free.max(agenda.now) + WRITING;
                agenda.at(self.writer_is_free, move |it| it.written(life, number));
            }
            meter.run(|| drop(report));
        }
    }

    /// Results are replayed one by one.
    fn examine(&mut self, agenda: &mut Agenda, replay: Time) {
        let life = self.life;
        while let Ok((groups, result)) = self.work.try_recv() {
            let begins = self.examiner_is_free.max(agenda.now);
            let matches: usize = groups.iter().map(|group| group.matches.len()).sum();
            self.examiner_is_free = begins + matches as Time * replay;
            let examined = move |it: &mut Simulation| it.examined(life, groups, result);
            agenda.at(self.examiner_is_free, examined);
        }
    }
}

impl Simulation {
    pub(super) fn start_coordinator(&mut self) {
        if self.coordinator.over.is_none() {
            let (seed, now) = (self.options.seed, self.agenda.now);
            self.coordinator.start(&self.samples, seed, now);
        }
    }

    /// Lets the coordinator go on as far as it can without anything more happening.
    pub(super) fn run_coordinator(&mut self) {
        let coordinator = &mut self.coordinator;
        while let Some(session) = &mut coordinator.session
            && session.woken.0.swap(false, Ordering::Relaxed)
        {
            let waker = Waker::from(session.woken.clone());
            let playing = session.playing.as_mut();
            let polled = (coordinator.meter).run(|| playing.poll(&mut Context::from_waker(&waker)));
            if let Poll::Ready(ended) = polled {
                ended.expect("a tournament that gets on");
                assert!(session.queue.schedule().is_over(), "it ends too early");
                coordinator.over = Some(self.agenda.now);
                return coordinator.kill();
            }
            let half_way = micros(self.options.round_trip) / 2;
            session.send(&mut coordinator.meter, &mut self.agenda, half_way);
            session.write(&mut coordinator.meter, &mut self.agenda);
            session.examine(&mut self.agenda, micros(self.options.replay));
        }
    }

    /// A request is with the server.
    fn asked(&mut self, sent: Time, request: Request) {
        let now = self.agenda.now;
        if self.server.up_at > now {
            // A client sends it when it has reconnected, unless it was given up.
            let later = self.server.up_at + 1;
            if later < sent + micros(ANSWER) {
                self.agenda.at(later, move |it| it.asked(sent, request));
            } else {
                self.unanswered(sent, request.answer);
            }
            return;
        }
        let message = self.serve(&request.subject, &request.payload);
        let (epoch, to) = (self.server.epoch, request.answer);
        let answered = move |it: &mut Simulation| it.answered(sent, epoch, to, Some(message));
        self.agenda.after(self.half_way(), answered);
    }

    fn unanswered(&mut self, sent: Time, to: AnswerSender) {
        let silence = move |it: &mut Simulation| it.answered(sent, 0, to, None);
        self.agenda.at(sent + micros(ANSWER), silence);
    }

    /// The answer to a request is here, or there is none.
    fn answered(&mut self, sent: Time, epoch: u32, to: AnswerSender, message: Option<Message>) {
        if message.is_some() && epoch != self.server.epoch {
            return self.unanswered(sent, to);
        }
        self.coordinator.meter.run(|| {
            // Its copy is on its own heap.
            let copy = message.as_ref().map(|message| Message {
                payload: message.payload.to_vec().into(),
                ..message.clone()
            });
            // It may have been killed since.
            let _ = to.send(copy.ok_or(RequestErrorKind::TimedOut.into()));
        });
    }

    /// A result was replayed.
    fn examined(&mut self, life: u32, groups: Vec<ScheduledGroup>, result: JobResult) {
        let (samples, coordinator) = (&self.samples, &mut self.coordinator);
        let numbers = &self.field.stored[&result.job];
        coordinator.meter.run(|| {
            let is_packed = |payload: &Vec<u8>| payload.starts_with(&GZIP);
            let records = match &result.result {
                Ok(payload) if is_packed(payload) => {
                    let is_in =
                        |group: &&ScheduledGroup| numbers.contains(&group.matches[0].number);
                    let records = groups.iter();
                    let records = records.map(|group| Some(group).filter(is_in));
                    let records = records.map(|group| Some(samples.records(group?)));
                    Ok(records.collect())
                }
                _ => Err("invalid gzip header".to_owned()),
            };
            drop(groups);
            // It may have been killed since.
            if let Some(session) = coordinator.session.as_ref().filter(|it| it.life == life) {
                let _ = session.examined.send(Examined { result, records });
            }
        });
    }

    /// A match is in the log. What was not written when the coordinator was killed is not.
    fn written(&mut self, life: u32, number: usize) {
        let coordinator = &mut self.coordinator;
        let session = coordinator.session.as_ref();
        let Some(session) = session.filter(|it| it.life == life) else {
            return;
        };
        let copies = &mut coordinator.log[number - 1];
        *copies += 1;
        assert_eq!(*copies, 1, "match {number} is in the log again");
        coordinator.logged += 1;
        let queue = &session.queue;
        (coordinator.meter).run(|| queue.finish(number, &[0.5, 0.5], || None));
    }
}
