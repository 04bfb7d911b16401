//! The options of the bot `chat`, as flags and as values.

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use thiserror::Error;
use ureq::http::Uri;

/// The variable with the key, if no other is named.
pub const USUAL_KEY: &str = "OPENAI_API_KEY";
/// No request takes longer.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// The flags of the bot `chat` alone. None has a default here, so that those given to other bots show.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Options of chat")]
pub struct ChatArgs {
    /// The server, with its path up to `/chat/completions`, as in http://127.0.0.1:8080/v1
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// The model, as the server calls it
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// What the model learns of the legal moves [default: list]
    #[arg(long, value_enum, value_name = "HOW")]
    legal: Option<LegalMoves>,
    /// Ask at most N times again in a turn, if an answer is no legal move [default: 3]
    #[arg(long, value_name = "N")]
    rethink: Option<u32>,
    /// The temperature of sampling [default: 0]
    #[arg(long, value_name = "T")]
    temperature: Option<f64>,
    /// The most tokens of an answer [default: the server's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_tokens: Option<u32>,
    /// Show the model its last N turns again [default: 0]
    #[arg(long, value_name = "N")]
    history: Option<u32>,
    /// The variable of the environment that has the key [default: OPENAI_API_KEY, if it is set]
    #[arg(long, value_name = "VARIABLE")]
    key_from: Option<String>,
    /// The longest time for one answer of the server; the turn's clock counts as well [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    timeout: Option<Duration>,
    /// A folder with texts of your own: system.txt, turn.txt, rethink.txt
    #[arg(long, value_name = "DIR")]
    prompt: Option<PathBuf>,
    /// Print what a model is sent at the start of this game, and ask nobody
    #[arg(long, value_name = "GAME")]
    pub show_prompt: Option<String>,
}

/// What a model learns of the legal moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LegalMoves {
    /// Each message lists them
    #[default]
    List,
    /// Nothing
    None,
    /// The server lets it write nothing else
    Grammar,
}

/// The options of the bot `chat`.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatOptions {
    /// The URL of the requests.
    pub(super) url: String,
    pub(super) model: String,
    pub(super) legal: LegalMoves,
    /// How many times it is asked again in a turn.
    pub(super) rethink: u32,
    pub(super) temperature: f64,
    pub(super) max_tokens: Option<u32>,
    /// The number of earlier turns in each request.
    pub(super) history: usize,
    /// The variable that has the key; `None` for [`USUAL_KEY`], if it is set.
    pub(super) key_from: Option<String>,
    /// For each request.
    pub(super) timeout: Duration,
    /// Where the prompts are; `None` for the built-in ones.
    pub(super) prompt: Option<PathBuf>,
    /// The seed that the server is asked to use.
    pub(super) seed: Option<u64>,
}

/// The fault in the options of the bot `chat`.
#[derive(Debug, Error)]
pub enum ChatError {
    #[error("the bot `chat` needs {0}")]
    Missing(&'static str),
    #[error("--url: `{url}` {why}")]
    Url { url: String, why: &'static str },
    #[error("--temperature: {0} is not from 0 to 2")]
    Temperature(f64),
}

impl ChatArgs {
    /// The flags, and which of them are given.
    pub(crate) fn given(&self) -> [(&'static str, bool); 11] {
        [
            ("--url", self.url.is_some()),
            ("--model", self.model.is_some()),
            ("--legal", self.legal.is_some()),
            ("--rethink", self.rethink.is_some()),
            ("--temperature", self.temperature.is_some()),
            ("--max-tokens", self.max_tokens.is_some()),
            ("--history", self.history.is_some()),
            ("--key-from", self.key_from.is_some()),
            ("--timeout", self.timeout.is_some()),
            ("--prompt", self.prompt.is_some()),
            ("--show-prompt", self.show_prompt.is_some()),
        ]
    }

    /// The options; a server and a model are not needed where a prompt is only shown.
    ///
    /// # Errors
    /// If one is missing, or makes no sense.
    pub(crate) fn options(&self, seed: Option<u64>) -> Result<ChatOptions, ChatError> {
        let shows = self.show_prompt.is_some();
        let url = match &self.url {
            Some(url) => completions(url)?,
            None if shows => String::new(),
            None => return Err(ChatError::Missing("--url, the server to ask")),
        };
        let model = match &self.model {
            Some(model) => model.clone(),
            None if shows => String::new(),
            None => return Err(ChatError::Missing("--model, the name of the model")),
        };
        let temperature = self.temperature.unwrap_or(0.0);
        if !(0.0..=2.0).contains(&temperature) {
            return Err(ChatError::Temperature(temperature));
        }
        Ok(ChatOptions {
            url,
            model,
            legal: self.legal.unwrap_or_default(),
            rethink: self.rethink.unwrap_or(3),
            temperature,
            max_tokens: self.max_tokens,
            history: self.history.unwrap_or(0) as usize,
            key_from: self.key_from.clone(),
            timeout: self.timeout.unwrap_or(Duration::from_secs(60)),
            prompt: self.prompt.clone(),
            seed,
        })
    }
}

/// The URL of the requests, from the one that is given.
fn completions(url: &str) -> Result<String, ChatError> {
    let wrong = |why| {
        // Whatever stands before an `@` or after a `?` may be a password.
        let shown = url.rsplit('@').next().unwrap_or_default();
        let shown = shown.split('?').next().unwrap_or_default();
        let url = shown.chars().take(100).collect();
        Err(ChatError::Url { url, why })
    };
    let Ok(uri) = url.parse::<Uri>() else {
        return wrong("is no URL");
    };
    let Some(authority) = uri
        .authority()
        .filter(|authority| !authority.host().is_empty())
    else {
        return wrong("is no URL: it needs a scheme and a host, as in http://127.0.0.1:8080/v1");
    };
    if authority.as_str().contains('@') {
        return wrong("has a name or a password in it: a key comes from the environment alone");
    }
    if uri.query().is_some() {
        return wrong("has a `?`: a key comes from the environment alone");
    }
    match uri.scheme_str() {
        Some("http") => {}
        Some("https") if cfg!(feature = "tls") => {}
        Some("https") => {
            return wrong("is https, which needs a build with the feature `tls`");
        }
        _ => return wrong("must begin with http:// or https://"),
    }
    let base = url
        .split('#')
        .next()
        .unwrap_or_default()
        .trim_end_matches('/');
    let base = base.strip_suffix("/chat/completions").unwrap_or(base);
    Ok(format!("{base}/chat/completions"))
}

/// A duration with its unit, as in configurations.
fn seconds(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(time) if !time.is_zero() && time <= LONGEST => Ok(time),
        Ok(_) => Err("must be longer than zero, and at most a day".to_owned()),
        Err(_) => Err("must be a time with its unit, as in 60s or 500ms".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_lead_to_the_interface_and_hold_no_secret() {
        let of = |url: &str| completions(url).map_err(|error| error.to_string());
        let expected = "http://127.0.0.1:8080/v1/chat/completions";
        for url in [
            "http://127.0.0.1:8080/v1",
            "http://127.0.0.1:8080/v1/",
            "http://127.0.0.1:8080/v1/chat/completions",
        ] {
            assert_eq!(of(url).as_deref(), Ok(expected));
        }
        for (url, part) in [
            ("127.0.0.1:8080", "must begin with http://"),
            ("/v1", "scheme"),
            ("ftp://host/v1", "must begin with http://"),
            ("http://", "no URL"),
            ("http://host/v1?key=secret", "comes from the environment"),
            ("http://me:secret@host/v1", "comes from the environment"),
        ] {
            let error = of(url).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
        for url in ["http://me:secret@host/v1", "http://host/v1?key=secret"] {
            assert!(!of(url).unwrap_err().contains("secret"));
        }
    }

    #[cfg(not(feature = "tls"))]
    #[test]
    fn https_names_the_feature() {
        let error = completions("https://host/v1").unwrap_err().to_string();
        assert!(error.contains("feature `tls`"), "{error}");
    }

    #[test]
    fn times_have_units() {
        assert_eq!(seconds("60s"), Ok(Duration::from_secs(60)));
        assert_eq!(seconds("1m 30s"), Ok(Duration::from_secs(90)));
        assert_eq!(seconds("250ms"), Ok(Duration::from_millis(250)));
        for wrong in [
            "60",
            "s",
            "-1s",
            "0s",
            "1e400s",
            "2d",
            "9999999999999999999h",
        ] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
