//! Where the bots of a configuration are.

use std::sync::Arc;

use bundle::Bundles;

/// Where the bots of a configuration are.
#[derive(Clone, Debug, Default)]
pub enum BotPlaces {
    /// Where the configuration says.
    #[default]
    Configured,
    /// In folders that were unpacked from bundles; those that no bundle is needed for are where the
    /// configuration says. Bots that are not set up yet have to be, with `Tournament::set_up`.
    Bundles(Arc<Bundles>),
    /// As a stranger has announced them: in bundles, if there are some, and no variables of this process's
    /// environment are put into their texts.
    Announced(Option<Arc<Bundles>>),
    /// Perhaps not on this machine, because none of them is started here.
    Elsewhere,
}

impl BotPlaces {
    /// The bundles, if bots are played from some.
    pub(crate) fn bundles(&self) -> Option<&Bundles> {
        match self {
            BotPlaces::Bundles(bundles) | BotPlaces::Announced(Some(bundles)) => Some(bundles),
            BotPlaces::Configured | BotPlaces::Announced(None) | BotPlaces::Elsewhere => None,
        }
    }

    /// Whether texts may name variables of this process's environment.
    pub(crate) fn have_variables(&self) -> bool {
        !matches!(self, BotPlaces::Announced(_))
    }

    /// Whether bots need not be here.
    pub(crate) fn are_elsewhere(&self) -> bool {
        matches!(self, BotPlaces::Elsewhere)
    }
}
