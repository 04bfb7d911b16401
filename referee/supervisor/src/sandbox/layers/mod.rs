//! The layers of sandboxes. [`build`](super::build) chooses those of a bot.

pub mod bubblewrap;
pub mod cgroup;
#[cfg(target_os = "linux")]
pub mod kernel_files;
pub mod landlock;
pub mod ownership;
pub mod seccomp;
