//! The layers that sandboxes are made of. [`build`](super::build) decides which of them a bot gets.

pub mod bubblewrap;
pub mod cgroup;
#[cfg(target_os = "linux")]
pub mod kernel_files;
pub mod landlock;
pub mod ownership;
pub mod seccomp;
