//! Starts the processes of one service for all threads.

use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Service;
use super::failure::ServiceFailure;
use super::host::{Host, Template};
use super::process::Kind;
use crate::bot::factory::{BotFactory, FactoryError, other_programs};
use crate::sandbox::build::{Sandbox, SandboxError};
use crate::sandbox::machine::Machine;
use crate::spec::BotSpec;
use crate::streams::records::Records;
use crate::system::{children, suspension};

/// The longest answer of a service, in bytes without the line end, unless its resources allow less
/// output.
pub const MAX_ANSWER: usize = 16 << 20;

/// Starts processes of one program that answers requests.
#[derive(Debug)]
pub struct ServiceFactory {
    host: Host,
    template: Arc<Template>,
    records: Mutex<Records>,
    /// The bytes of stderr that all processes together may still write.
    stderr_left: Arc<AtomicU64>,
    warnings: Vec<String>,
}

impl ServiceFactory {
    /// A factory of processes that are supervised and sandboxed like bots. Sandboxes that hide
    /// files hide `hidden`. Stderr is passed on, unless [`ServiceFactory::share_records`] is
    /// called.
    ///
    /// The parts of the description that concern matches have no effect: clocks, freezing and
    /// restarts.
    ///
    /// # Errors
    /// If the machine does not allow this process to adopt orphans, or cannot confine the program.
    pub fn new(spec: BotSpec, hidden: &[PathBuf]) -> Result<Self, FactoryError> {
        suspension::watch();
        children::adopt_orphans()?;
        let machine = Machine::for_bots([&spec].into_iter());
        let mut hidden = hidden.to_vec();
        hidden.push(spec.dir.clone());
        let sandbox = Sandbox::build(&spec, &machine, &hidden);
        let sandbox = sandbox.map_err(|error| error.of(in_words(&spec)))?;
        let warnings = other_programs([(&spec.name, &sandbox)]);
        let mut factory = Self::of_kind(spec, Kind::Confined(Box::new(sandbox)))?;
        factory.warnings = warnings;
        Ok(factory)
    }

    /// A factory of ordinary child processes, for a referee that runs in a sandbox itself and
    /// cannot make another one. They end when their input is closed or this process ends, and their
    /// stderr is passed on.
    ///
    /// # Errors
    /// If the command cannot be run.
    pub fn plain(spec: BotSpec) -> Result<Self, FactoryError> {
        let program = spec.program().map_err(|error| SandboxError::Command {
            whose: in_words(&spec),
            error,
        })?;
        Self::of_kind(spec, Kind::Plain(program))
    }

    fn of_kind(spec: BotSpec, kind: Kind) -> Result<Self, FactoryError> {
        let resources = &spec.wanted.resources;
        let output = usize::try_from(resources.output_bytes).unwrap_or(usize::MAX);
        let stderr_left = Arc::new(AtomicU64::new(resources.stderr_bytes));
        let template = Arc::new(Template {
            spec,
            kind,
            max_line: MAX_ANSWER.min(output),
        });
        Ok(ServiceFactory {
            host: Host::new(template.clone())?,
            template,
            records: Mutex::new(Records::new(None)),
            stderr_left,
            warnings: Vec::new(),
        })
    }

    /// From now on, new processes share the folders for stderr and traces with these bots, and
    /// their numbers and limits.
    pub fn share_records(&self, bots: &BotFactory) {
        *self.records() = bots.records.clone();
    }

    fn records(&self) -> MutexGuard<'_, Records> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn spec(&self) -> &BotSpec {
        &self.template.spec
    }

    /// `None` for ordinary children.
    pub fn sandbox(&self) -> Option<&Sandbox> {
        match &self.template.kind {
            Kind::Confined(sandbox) => Some(sandbox),
            Kind::Plain(_) => None,
        }
    }

    /// For the user, about the sandbox.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Starts a process on the cores of the current thread, and blocks until it runs.
    ///
    /// # Errors
    /// If the process does not start.
    pub fn start(&self) -> Result<Service, ServiceFailure> {
        let spec = &self.template.spec;
        let (stderr, trace) = self.records().of_next(&spec.name, &self.stderr_left);
        let (connection, link) = self.host.start(stderr)?;
        Ok(Service::new(connection, link, trace, self.template.clone()))
    }

    /// Waits until the processes of all services that were dropped are gone.
    pub fn all_gone(&self) {
        self.host.all_gone();
    }
}

fn in_words(spec: &BotSpec) -> String {
    format!("rules program `{}`", spec.name)
}
