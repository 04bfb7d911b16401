//! Which of many comparisons are marked as sure: the false-discovery rate (Benjamini and Hochberg
//! 1995).
//!
//! Among eight equal bots there are 28 comparisons, of which some pass 97.5 % in half of all
//! tournaments. So not each is held to 95 % alone, but all marks of a table together: on average at
//! most 5 % of them are false. If all bots are equal every mark is false, so that there is none in
//! 95 % of tournaments.
//!
//! Comparisons of the same bots depend on each other. Benjamini and Yekutieli's correction, which
//! holds under any dependence, would ask for four times the evidence with 28 comparisons. The
//! differences of a common set of means do not need it: simulated tournaments (in the tests) stay
//! below 5 % without.

/// The share of marks that may be false.
pub const FALSE_DISCOVERIES: f64 = 0.05;

/// For each p-value, the least rate of false discoveries at which it is one; `None` is no
/// comparison.
pub(crate) fn rates(p_values: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut order: Vec<(usize, f64)> = p_values
        .iter()
        .enumerate()
        .filter_map(|(index, p)| Some((index, (*p)?)))
        .collect();
    order.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    let mut rates = vec![None; p_values.len()];
    let mut least: f64 = 1.0;
    for (rank, (index, p)) in order.iter().enumerate().rev() {
        least = least.min(p * order.len() as f64 / (rank + 1) as f64);
        rates[*index] = Some(least);
    }
    rates
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked by hand: the largest p-value below its line takes all smaller ones with it.
    #[test]
    fn rates_are_those_of_benjamini_and_hochberg() {
        let p = [0.01, 0.04, 0.03, 0.005, 0.6].map(Some);
        let found = rates(&p);
        let expected = [0.025, 0.05, 0.05, 0.025, 0.6];
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (found.expect("there") - expected).abs() < 1e-12,
                "{found:?}"
            );
        }
        assert_eq!(rates(&[None, Some(0.2), None]), [None, Some(0.2), None]);
        assert_eq!(rates(&[]), []);
    }
}
