//! The coordinator's session with a NATS server. Executes the dispatcher's decisions: sends requests,
//! receives messages of workers, has results examined and reports credible ones. All time is tokio's, and
//! all that comes from outside is passed in, so that a simulation can run it in virtual time.

use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use cluster::{Client, ClusterError, Coordinator};
use config::Config;
use games::BrokenRules;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior, interval};
use tournament::Run;
use tournament::playing::openings;
use tournament::playing::queue::Queue;
use tournament::playing::slots::describe;
use tournament::reports::FromSlot;
use tournament::stop::{self, Stop};

use super::dispatch::{Action, Answer, Dealer, Dispatcher, Ending, Event, Request, Setup, TICK};
use super::error::RemoteError;
use super::examine::Examiner;
use super::wire::{Announced, pack, unpack};

/// A tournament that workers play.
pub struct CoordinatorSession<C> {
    config: Arc<Config>,
    queue: Arc<Queue>,
    coordinator: Coordinator<C>,
    reports: mpsc::Sender<FromSlot>,
    stop: watch::Receiver<Stop>,
    examiner: Examiner,
    dispatcher: Dispatcher,
    /// The announcement as a message.
    announcement: Vec<u8>,
    began: Instant,
}

impl<C: Client> CoordinatorSession<C> {
    /// `secret` selects the groups that are rechecked, so that no worker can predict it.
    pub fn new(
        run: Run,
        coordinator: Coordinator<C>,
        announced: &Announced,
        examiner: Examiner,
        secret: [u64; 2],
    ) -> Self {
        let config = run.config;
        let dispatcher = Dispatcher::new(Setup {
            tournament: coordinator.id().to_string(),
            config: announced.hash.clone(),
            bots: config.bots.iter().map(|spec| spec.name.clone()).collect(),
            deterministic: config.deterministic.clone(),
            recheck: config.recheck,
            secret,
            lease: announced.lease(),
            dealer: {
                let config = config.clone();
                Dealer::new(move |first| openings::pairing_deal(&config, first))
            },
        });
        CoordinatorSession {
            config,
            queue: run.queue,
            coordinator,
            reports: run.reports,
            stop: run.stop,
            examiner,
            dispatcher,
            announcement: pack(announced),
            began: Instant::now(),
        }
    }

    /// Runs until no more matches begin, or until it is asked to stop.
    ///
    /// # Errors
    /// If workers cannot continue.
    pub async fn play(mut self) -> Result<(), RemoteError> {
        let ending = self.until_the_end().await;
        // Jobs that no worker has taken are not needed now; results of the rest wait for --resume.
        let withdrawn = self.coordinator.withdraw().await;
        if let Err(error) = withdrawn {
            let what = format!("matches that no worker has taken are still offered: {error}");
            let _ = self.report(FromSlot::Warning(what.into())).await;
        }
        match ending {
            Ending::Finished => Ok(()),
            Ending::BrokenRules(what) => {
                let report = FromSlot::Failed(BrokenRules::new(what).into());
                let _ = self.report(report).await;
                Ok(())
            }
            Ending::Remote(error) => Err(error),
        }
    }

    async fn until_the_end(&mut self) -> Ending {
        let queue = self.queue.clone();
        let reports = self.reports.clone();
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            while let Some(action) = self.dispatcher.next_action() {
                if let Err(ending) = self.perform(action).await {
                    return ending;
                }
            }
            let wanted = self.dispatcher.wanted_groups();
            // Events come before requests: during a round trip to the server, workers send more messages
            // than could be received otherwise.
            let event = tokio::select! {
                biased;
                _ = stop::asked(&mut self.stop, Stop::Finish) => return Ending::Finished,
                () = reports.closed() => return Ending::Finished,
                _ = ticks.tick() => Event::Tick,
                Some(examined) = self.examiner.done.recv() => Event::Examined(examined),
                message = self.coordinator.next_message() => Event::Message(message),
                groups = queue.next_groups(wanted), if wanted > 0 => Event::Groups(groups),
                () = ready(()), if self.dispatcher.has_request() => {
                    self.ask().await;
                    continue;
                }
            };
            self.dispatcher.handle(self.now(), event);
        }
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    async fn perform(&self, action: Action) -> Result<(), Ending> {
        let report = match action {
            Action::Examine(groups, result) => {
                self.examiner.examine(groups, result);
                return Ok(());
            }
            Action::Begins(scheduled) => FromSlot::Started(describe(&self.config, &scheduled)),
            Action::Finished(number, record) => FromSlot::Finished(number, record),
            Action::Report(what) => FromSlot::Warning(what.into()),
            Action::Workers(seen) => FromSlot::Workers(seen),
            Action::End(ending) => return Err(ending),
        };
        self.report(report).await
    }

    /// Ends the session if the receiver is gone.
    async fn report(&self, report: FromSlot) -> Result<(), Ending> {
        self.reports
            .send(report)
            .await
            .map_err(|_| Ending::Finished)
    }

    /// Sends the dispatcher's next request.
    async fn ask(&mut self) {
        let Some(request) = self.dispatcher.next_request(self.now()) else {
            return;
        };
        let answer = self.answer(&request).await;
        let now = self.now();
        let schedule = self.queue.schedule();
        self.dispatcher.answered(now, &schedule, request, answer);
    }

    async fn answer(&mut self, request: &Request) -> Result<Answer, ClusterError> {
        let coordinator = &mut self.coordinator;
        Ok(match request {
            Request::Announced => {
                let before = coordinator.announced().await?;
                let before = before.and_then(|bytes| unpack::<Announced>(&bytes).ok());
                Answer::Announced(before.map(|before| before.hash))
            }
            Request::Announce => {
                coordinator.announce(self.announcement.clone()).await?;
                Answer::Done
            }
            Request::Withdraw => {
                coordinator.withdraw().await?;
                Answer::Done
            }
            Request::Publish { job, payload } => {
                coordinator.publish(*job, payload.clone()).await?;
                Answer::Done
            }
            Request::Refuse(result) => {
                coordinator.refuse(result).await?;
                Answer::Done
            }
            Request::NextResult => Answer::Result(coordinator.next_result().await?),
            Request::ResultOf(job) => Answer::Result(coordinator.result_of(*job).await?),
            Request::Queued => Answer::Queued(coordinator.queued().await?),
            Request::CheckResults => {
                coordinator.check_results().await?;
                Answer::Done
            }
            Request::RepairQueue { all_idle, done } => {
                Answer::Repaired(coordinator.repair_queue(*all_idle, done).await?)
            }
        })
    }
}
