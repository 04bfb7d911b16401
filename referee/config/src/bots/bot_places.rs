//! Folders and bundles of the bots in a configuration.

use std::sync::Arc;

use bundle::Bundles;

#[derive(Clone, Debug, Default)]
pub enum BotPlaces {
    /// As configured.
    #[default]
    Configured,
    /// In folders unpacked from bundles; bots that need no bundle are where the configuration says.
    /// Set them up with `Tournament::set_up` before they start.
    Bundles(Arc<Bundles>),
    /// As announced by an untrusted coordinator: in bundles, if there are any, and without the
    /// environment variables of this process.
    Announced(Option<Arc<Bundles>>),
    /// Not necessarily on this machine, because no bot is started here.
    Elsewhere,
}

impl BotPlaces {
    /// `None` if bots are not played from bundles.
    pub(crate) fn bundles(&self) -> Option<&Bundles> {
        match self {
            BotPlaces::Bundles(bundles) | BotPlaces::Announced(Some(bundles)) => Some(bundles),
            BotPlaces::Configured | BotPlaces::Announced(None) | BotPlaces::Elsewhere => None,
        }
    }

    /// True if texts may use environment variables of this process.
    pub(crate) fn have_variables(&self) -> bool {
        !matches!(self, BotPlaces::Announced(_))
    }

    /// True if bots may be missing on this machine.
    pub(crate) fn are_elsewhere(&self) -> bool {
        matches!(self, BotPlaces::Elsewhere)
    }
}
