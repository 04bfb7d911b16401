//! People who play and watch.

mod connections;
mod human;
mod watch;
mod web_play;
