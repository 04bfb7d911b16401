//! The versions of the schedule: which matches follow from a configuration must not change while
//! a tournament is under way, so each tournament keeps the version that it began with.

/// How a schedule is made from its shape.
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
    /// What new tournaments get.
    pub const NEWEST: Version = Version::Second;

    /// The number that tournaments keep.
    pub fn number(self) -> u32 {
        match self {
            Version::First => 1,
            Version::Second => 2,
        }
    }

    /// The version of this number, if there is one.
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
