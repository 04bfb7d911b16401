//! Pages without a server: one file, and a folder.

mod file;
mod site;
