//! Leases: a worker holds a job as long as it renews the lease; then another one gets it.

use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::Job;

/// Renews a lease until it is dropped.
#[derive(Debug)]
pub struct LeaseRenewal(JoinHandle<()>);

impl Drop for LeaseRenewal {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The interval between renewals of a lease.
pub fn renewal(lease: Duration) -> Duration {
    lease / 3
}

impl Job {
    /// Renews the lease every third of its length until the returned value is dropped.
    #[must_use = "dropping it stops the renewals"]
    pub fn renew_lease(&self, lease: Duration) -> LeaseRenewal {
        let client = self.worker.connection.client.clone();
        let acknowledge = self.acknowledge.clone();
        // The server counts from the delivery.
        let mut ticks = interval_at(Instant::now() + renewal(lease), renewal(lease));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        LeaseRenewal(tokio::spawn(async move {
            loop {
                ticks.tick().await;
                if let Err(error) = client.publish(acknowledge.clone(), "+WPI".into()).await {
                    tracing::info!("a lease was not renewed: {error}");
                }
            }
        }))
    }
}
