//! Work that takes its time, in threads of its own.

use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;

use crate::answer::{Answer, Refusal};

/// Does work that blocks, such as asking a rules program.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Answer<T> + Send + 'static,
) -> Answer<T> {
    tokio::task::spawn_blocking(work).await?
}

/// Does asynchronous work until it is done, the server ends, or nobody waits any more.
pub(crate) async fn apart<T, F>(
    ended: &CancellationToken,
    work: impl FnOnce() -> F + Send + 'static,
) -> Answer<T>
where
    T: Send + 'static,
    F: Future<Output = Answer<T>>,
{
    let unwanted = ended.child_token();
    let _cancels = unwanted.clone().drop_guard();
    blocking(move || {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            tokio::select! {
                done = work() => done,
                () = unwanted.cancelled() => Err(Refusal::new("the server has ended")),
            }
        })
    })
    .await
}
