//! Budgets of bots that ask language models.

use schedule::FormatName;

use crate::error::Diagnostic;
use crate::tables::BudgetTable;

/// The most that each bot may use in a tournament, by what it reports itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Tokens in and out together.
    pub tokens: Option<u64>,
    /// Requests to servers.
    pub calls: Option<u64>,
}

impl Budget {
    /// `None` if nothing is limited.
    ///
    /// # Errors
    /// If the format cannot leave out matches.
    pub(crate) fn of(table: &BudgetTable, format: FormatName) -> Result<Option<Self>, Diagnostic> {
        let BudgetTable { tokens, calls } = *table;
        let key = match (tokens, calls) {
            (None, None) => return Ok(None),
            (Some(_), _) => "budget.tokens",
            (None, Some(_)) => "budget.calls",
        };
        if matches!(format, FormatName::Swiss | FormatName::Knockout) {
            let message = format!(
                "`format = \"{format}\"` cannot leave out matches; \"round-robin\", \"gauntlet\" and \"sprt\" can"
            );
            return Err(Diagnostic::value(key, message));
        }
        Ok(Some(Budget { tokens, calls }))
    }
}
