//! One child process with everything that it starts: started, measured, stopped, and ended by a
//! supervisor, which is a process of its own between the referee and the child.

pub(crate) mod children;
pub(crate) mod cores;
pub(crate) mod cpu_meter;
pub(crate) mod environment;
pub mod exec_error;
pub(crate) mod freezer;
pub(crate) mod handle;
pub mod plan;
pub mod process_tree;
pub(crate) mod stall;
pub mod supervisor;
pub(crate) mod time_slice;
pub(crate) mod watched_limits;

pub use children::OwnChild;
