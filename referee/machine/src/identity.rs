//! The description of this machine for the log.

use std::fs;
use std::sync::OnceLock;
use std::thread;

use protocol::{Machine, excerpt};

/// Characters of a name, and of a CPU's model, that are logged: they are in each line.
const LONGEST: usize = 40;
const CPU_INFO: &str = "/proc/cpuinfo";
/// Parts of CPU models without information.
const EMPTY_WORDS: [&str; 5] = ["(R)", "(TM)", "(tm)", " CPU", " Processor"];

/// This machine, by its host name unless another one is given, without its speed.
pub fn here(name: Option<&str>) -> Machine {
    static HERE: OnceLock<Machine> = OnceLock::new();
    let here = HERE.get_or_init(|| Machine {
        name: cut(&host_name()),
        cpu: fs::read_to_string(CPU_INFO)
            .ok()
            .as_deref()
            .and_then(model)
            .map(|model| cut(&model)),
        cores: cores(),
        speed: None,
    });
    Machine {
        name: name.map_or_else(|| here.name.clone(), cut),
        ..here.clone()
    }
}

/// The number of cores, cached because the query is slow.
pub fn cores() -> u32 {
    static CORES: OnceLock<u32> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, |n| n.get() as u32))
}

fn host_name() -> String {
    let name = rustix::system::uname();
    name.nodename().to_string_lossy().into_owned()
}

fn cut(text: &str) -> String {
    excerpt(text.trim().as_bytes(), LONGEST)
}

/// The model of the first core, without the words that say nothing.
fn model(info: &str) -> Option<String> {
    let line = info.lines().find(|line| line.starts_with("model name"))?;
    let mut model = line.split_once(':')?.1.to_owned();
    for word in EMPTY_WORDS {
        model = model.replace(word, "");
    }
    let words: Vec<&str> = model.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_short() {
        let info = "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) CPU           E5-2673 v4 @ 2.30GHz\n\
                    model name\t: other\n";
        assert_eq!(
            model(info),
            Some("Intel Xeon E5-2673 v4 @ 2.30GHz".to_owned())
        );
        assert_eq!(model("Features : fp asimd\n"), None);
    }

    #[test]
    fn a_machine_has_the_name_that_it_is_given() {
        assert_eq!(here(Some("rack 7")).name, "rack 7");
        let long = here(Some(&"x".repeat(100))).name;
        assert_eq!(long, format!("{}…", "x".repeat(LONGEST)));
        assert_eq!(here(None), here(None));
    }
}
