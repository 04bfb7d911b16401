//! Permissions of submissions, whose authors are not trusted: all their paths are checked against
//! those that the organiser allows.

use std::path::{Path, PathBuf};

use supervisor::{BotSpec, OutOfBounds};

use crate::bots::build::BuildPlan;
use crate::error::{Diagnostic, KeyProblem};
use crate::reading::variables;
use crate::tables::ConfigFile;

pub(crate) struct Allowed {
    variables: Vec<String>,
    /// Files and folders besides their own, as real paths.
    files: Vec<PathBuf>,
}

impl Allowed {
    /// Reads the permissions; relative paths start at `folder`.
    pub(crate) fn of(file: &ConfigFile, folder: &Path) -> Result<Self, Diagnostic> {
        let given = &file.submissions;
        let mut variables = given.variables.iter();
        if let Some(wrong) = variables.find(|name| !variables::is_name(name)) {
            let message = format!(
                "{wrong:?} is not the name of an environment variable, as in [\"JAVA_HOME\"]"
            );
            return Err(Diagnostic::value("submissions.variables", message));
        }
        let files = file.readable.iter().chain(&given.readable);
        // Missing files cannot be named.
        let files = files.filter_map(|path| folder.join(path).canonicalize().ok());
        Ok(Allowed {
            variables: given.variables.clone(),
            files: files.collect(),
        })
    }

    /// The paths that a submission in this folder may name.
    pub(crate) fn bounds(&self, dir: &Path) -> Vec<PathBuf> {
        let own = [dir.to_owned()];
        own.into_iter().chain(self.files.iter().cloned()).collect()
    }

    /// Refuses a variable that a submission may not use.
    ///
    /// # Errors
    /// Why, as a sentence.
    pub(crate) fn check_variables(&self, text: &str) -> Result<(), String> {
        let named = variables::variables_in(text);
        let Some(name) = named.iter().find(|name| !self.variables.contains(name)) else {
            return Ok(());
        };
        let known = match self.variables.is_empty() {
            true => "there are none".to_owned(),
            false => format!("those are {}", self.variables.join(", ")),
        };
        Err(format!(
            "`${{{name}}}` is not a variable that a submission may use: the organiser lists those in \
             `[submissions] variables` ({known}); `$${{` is a plain `${{`"
        ))
    }
}

/// Refuses anything but a digest.
///
/// # Errors
/// Why, as a sentence.
pub(crate) fn check_digest(text: &str) -> Result<(), String> {
    let is_one = text.len() == 64 && text.chars().all(|c| c.is_ascii_hexdigit());
    match is_one {
        true => Ok(()),
        false => Err(format!(
            "{text:?} is not a SHA-256 of 64 hexadecimal digits"
        )),
    }
}

/// Refuses the files of others, for the bot itself, its build and its setup.
///
/// # Errors
/// The key that names it, and why not.
pub(crate) fn check_bounds(spec: &BotSpec, plan: &BuildPlan) -> Result<(), KeyProblem> {
    if spec.bounds.is_none() {
        return Ok(());
    }
    let refused = |spec: &BotSpec, command_key: &'static str| match spec.out_of_bounds() {
        None => Ok(()),
        Some(OutOfBounds { key, message }) => {
            let key = if key == "command" { command_key } else { key };
            Err(KeyProblem { key, message })
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
