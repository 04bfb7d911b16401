//! Network namespaces: a process in one reaches the test's server through a virtual cable that can
//! be pulled.

use std::process::{Command, Stdio};

/// A namespace with a cable, which goes when this does.
#[derive(Debug)]
pub struct Namespace {
    name: String,
    number: u8,
}

impl Namespace {
    /// A namespace, if this user may make one.
    pub fn new() -> Option<Self> {
        // Different for all that run on this machine, nearly always.
        let number = (std::process::id() % 250) as u8;
        let namespace = Namespace {
            name: format!("referee-test-{number}"),
            number,
        };
        let Namespace { name, .. } = &namespace;
        let (here, there) = (namespace.end("a"), namespace.end("b"));
        let made = ip(&format!("netns add {name}"))
            && ip(&format!(
                "link add {here} type veth peer name {there} netns {name}"
            ))
            && ip(&format!("addr add {}/30 dev {here}", namespace.outside()))
            && ip(&format!("link set {here} up"))
            && ip(&format!(
                "-n {name} addr add 10.213.{number}.2/30 dev {there}"
            ))
            && ip(&format!("-n {name} link set lo up"))
            && namespace.plug(true);
        made.then_some(namespace)
    }

    fn end(&self, side: &str) -> String {
        format!("rf{}{side}", self.number)
    }

    /// The test's own address, at which processes in the namespace find it.
    pub fn outside(&self) -> String {
        format!("10.213.{}.1", self.number)
    }

    /// Plugs the cable in, or pulls it out.
    pub fn plug(&self, is_in: bool) -> bool {
        let how = if is_in { "up" } else { "down" };
        ip(&format!(
            "-n {} link set {} {how}",
            self.name,
            self.end("b")
        ))
    }

    /// A command that runs another one in the namespace, which has to be added.
    pub fn command(&self) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name]);
        command
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        ip(&format!("netns del {}", self.name));
        // It goes with the other end, but not at once.
        ip(&format!("link del {}", self.end("a")));
    }
}

fn ip(words: &str) -> bool {
    let mut command = Command::new("ip");
    command.args(words.split(' '));
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
