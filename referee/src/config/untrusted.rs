//! What a bot may name whose author is not trusted: a submission. All it says is checked here against
//! what the organiser allows.

use std::path::{Path, PathBuf};

use supervisor::{BotSpec, OutOfBounds};

use super::bots::Entry;
use super::build::BuildPlan;
use super::error::WrongValue;
use super::file::ConfigFile;
use super::variables;

/// What submissions may name.
pub(super) struct Allowed {
    /// Variables of the environment.
    variables: Vec<String>,
    /// Files and folders besides their own, without links.
    files: Vec<PathBuf>,
}

impl Allowed {
    /// What a configuration allows; relative paths start at `folder`.
    pub(super) fn of(file: &ConfigFile, folder: &Path) -> Result<Self, WrongValue> {
        let given = &file.submissions;
        if let Some(wrong) = given
            .variables
            .iter()
            .find(|name| !variables::is_name(name))
        {
            let message = format!(
                "{wrong:?} is not the name of an environment variable, as in [\"JAVA_HOME\"]"
            );
            return Err(WrongValue::of("submissions.variables", message));
        }
        let files = file.readable.iter().chain(&given.readable);
        Ok(Allowed {
            variables: given.variables.clone(),
            // What is not there cannot be named.
            files: files
                .filter_map(|path| folder.join(path).canonicalize().ok())
                .collect(),
        })
    }
}

impl Entry<'_> {
    /// Whether the bot was handed in by somebody else.
    pub(super) fn is_submission(&self) -> bool {
        self.table.submission.is_some()
    }

    /// Where the files of the bot must be, which has this folder; `None` if that is its own affair.
    pub(super) fn bounds(&self, dir: &Path) -> Option<Vec<PathBuf>> {
        let mut bounds = vec![dir.to_owned()];
        bounds.extend(self.allowed.files.iter().cloned());
        self.is_submission().then_some(bounds)
    }

    /// Refuses a variable that the bot may not use.
    pub(super) fn check_variables(&self, key: &str, text: &str) -> Result<(), WrongValue> {
        if !self.is_submission() {
            return Ok(());
        }
        let allowed = &self.allowed.variables;
        let named = variables::variables_in(text);
        let Some(name) = named.iter().find(|name| !allowed.contains(name)) else {
            return Ok(());
        };
        let known = match allowed.is_empty() {
            true => "there are none".to_owned(),
            false => format!("those are {}", allowed.join(", ")),
        };
        Err(self.wrong(
            key,
            format!(
                "`${{{name}}}` is not a variable that a submission may use: the organiser lists those in \
                 `[submissions] variables` ({known}); `$${{` is a plain `${{`"
            ),
        ))
    }

    /// Refuses what is no digest in the place of one.
    pub(super) fn check_digest(&self) -> Result<(), WrongValue> {
        let is_hex = |text: &str| text.len() == 64 && text.chars().all(|c| c.is_ascii_hexdigit());
        match self.table.submission.as_deref() {
            Some(text) if !is_hex(text) => {
                let message = format!("{text:?} is not a SHA-256 of 64 hexadecimal digits");
                Err(self.wrong("submission", message))
            }
            _ => Ok(()),
        }
    }

    /// Refuses what names the files of somebody else: for the bot itself, its build and its setup.
    pub(super) fn check_bounds(&self, spec: &BotSpec, plan: &BuildPlan) -> Result<(), WrongValue> {
        if spec.bounds.is_none() {
            return Ok(());
        }
        let refused = |spec: &BotSpec, command_key: &str| match spec.out_of_bounds() {
            None => Ok(()),
            Some(OutOfBounds { key, message }) => {
                let key = if key == "command" { command_key } else { key };
                Err(self.wrong(key, message))
            }
        };
        refused(spec, "command")?;
        for (key, command) in [("build", &plan.command), ("setup", &plan.setup)] {
            if let Some(command) = command {
                let made = BotSpec {
                    command: command.clone(),
                    ..spec.clone()
                };
                refused(&made, key)?;
            }
        }
        Ok(())
    }
}
