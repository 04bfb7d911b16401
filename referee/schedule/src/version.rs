//! Versions of the schedule. The matches that follow from a configuration must not change during a
//! tournament, so each tournament keeps the version that it started with.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// In games of three and four seats, `rotations` has one cyclic order for each group; Swiss
    /// rounds are paired by a search from the top.
    First,
    /// Cyclic orders change from round to round and are balanced; Swiss rounds are paired by a
    /// matching of least cost.
    #[default]
    Second,
}

impl Version {
    /// The version of new tournaments.
    pub const NEWEST: Version = Version::Second;

    /// The number in the folder of a tournament.
    pub fn number(self) -> u32 {
        match self {
            Version::First => 1,
            Version::Second => 2,
        }
    }

    pub fn of(number: u32) -> Option<Version> {
        [Version::First, Version::Second]
            .into_iter()
            .find(|version| version.number() == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_for_versions() {
        assert_eq!(Version::NEWEST, Version::default());
        assert_eq!(Version::of(1), Some(Version::First));
        assert_eq!(Version::of(Version::NEWEST.number()), Some(Version::NEWEST));
        assert_eq!(Version::of(Version::NEWEST.number() + 1), None);
    }
}
