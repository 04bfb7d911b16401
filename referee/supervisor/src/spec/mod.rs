//! Specs of bots from the configuration: command, folder, time control, sandbox and limits.

pub mod bot;
pub mod bounds;
pub mod command;
pub mod resources;
pub mod sandbox;
pub mod shebang;
pub mod system_files;

pub(crate) use bot::REFEREE_VARIABLE;
pub use bot::{BotSpec, GgpPlayer, Idle, REFEREE, Restart, file_name, resolved};
pub use resources::{CpuTime, Resources, ResourcesTable, Size, TooLittle};
pub use sandbox::{Tier, Wanted};
pub use system_files::is_system_file;
