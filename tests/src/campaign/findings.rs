//! Findings of a campaign.

use std::fmt;

#[derive(Debug, Default)]
pub struct Findings {
    /// Measurements, a line each.
    pub figures: Vec<String>,
    /// Failures.
    pub wrong: Vec<String>,
    /// Measurements above their limits; the machine may be to blame.
    pub slow: Vec<String>,
}

impl Findings {
    pub(super) fn figure(&mut self, text: impl Into<String>) {
        self.figures.push(text.into());
    }

    pub(super) fn wrong_unless(&mut self, holds: bool, text: impl FnOnce() -> String) {
        if !holds {
            self.wrong.push(text());
        }
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for figure in &self.figures {
            writeln!(f, "{figure}")?;
        }
        for wrong in &self.wrong {
            writeln!(f, "WRONG: {wrong}")?;
        }
        for slow in &self.slow {
            writeln!(f, "SLOW: {slow}")?;
        }
        Ok(())
    }
}
