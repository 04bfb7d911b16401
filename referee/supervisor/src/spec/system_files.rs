//! Files and folders that belong to the system and not to a user.

use std::path::Path;

/// The system's folders, on any system: some do not have all of them.
pub(crate) const SYSTEM: [&str; 10] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix/store",
];
/// Files and folders in them that no bot has to see.
pub(crate) const SECRET: [&str; 8] = [
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssh",
    "/etc/ssl/private",
];

/// True for a file of the system, secret or not.
pub fn is_system_file(path: &Path) -> bool {
    SYSTEM.iter().any(|folder| path.starts_with(folder))
}

/// True for a file or folder that every bot sees.
pub(crate) fn is_visible_to_all(path: &Path) -> bool {
    is_system_file(path) && !SECRET.iter().any(|secret| path.starts_with(secret))
}
