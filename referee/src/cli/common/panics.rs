//! Panics: one sentence for the user, and an exit code of their own.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::atomic::{AtomicBool, Ordering};

use report::print_notice;

/// The exit code after a panic.
pub(crate) const CODE: u8 = 101;

/// True once any thread has panicked.
static HAPPENED: AtomicBool = AtomicBool::new(false);

/// From here on, a panic prints one sentence on stderr, followed by the backtrace that
/// `RUST_BACKTRACE` asks for.
pub(crate) fn report_in_a_sentence() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        HAPPENED.store(true, Ordering::SeqCst);
        print_notice(sentence(info));
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|wanted| wanted != "0") {
            usual(info);
        }
    }));
}

fn sentence(info: &PanicHookInfo<'_>) -> String {
    let reason = text(info.payload()).unwrap_or("for no reason that it says");
    let place = info.location().map_or_else(String::new, |place| {
        format!(" at {}, line {}", place.file(), place.line())
    });
    let reason = protocol::excerpt(reason.as_bytes(), LONGEST_REASON);
    format!("error: the referee itself has a fault, which please report{place}: {reason}\n")
}

/// The message of a panic.
fn text(payload: &dyn Any) -> Option<&str> {
    let owned = payload.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| payload.downcast_ref::<&str>().copied())
}

/// Longest message, in characters.
const LONGEST_REASON: usize = 500;

/// True if some thread has panicked, so that its work is not done.
pub(crate) fn happened() -> bool {
    HAPPENED.load(Ordering::SeqCst)
}

/// The result of a call; `None` if it panics.
pub(crate) fn caught<T>(act: impl FnOnce() -> T) -> Option<T> {
    // Only the flag that it may have changed is used afterwards.
    panic::catch_unwind(AssertUnwindSafe(act)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_noticed_in_whatever_thread() {
        assert_eq!(
            (text(&"why"), text(&"why".to_owned()), text(&7)),
            (Some("why"), Some("why"), None)
        );
        assert_eq!(caught(|| 7), Some(7));
        report_in_a_sentence();
        assert_eq!(caught(|| panic!("a test")), None::<()>);
        assert!(happened());
        HAPPENED.store(false, Ordering::SeqCst);
        let thread = std::thread::spawn(|| panic!("another one"));
        assert!(thread.join().is_err() && happened());
        drop(panic::take_hook());
    }
}
