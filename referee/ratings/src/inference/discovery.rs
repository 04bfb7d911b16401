//! Multiple comparisons: the false-discovery rate (Benjamini and Hochberg 1995).
//!
//! Among eight equal bots there are 28 comparisons, and in half of all tournaments one of them passes
//! 97.5 %. So the rate of false marks is controlled for a table as a whole: on average, at most 5 % of its
//! marks are false. If all bots are equal every mark is false, so that 95 % of tournaments have none.
//!
//! Comparisons that share bots are dependent. The correction of Benjamini and Yekutieli, which holds under
//! any dependence, would require four times the evidence for 28 comparisons. Differences of a common set of
//! means do not need it: simulated tournaments (in the tests) stay below 5 % without it.

/// The share of marks that may be false.
pub const FALSE_DISCOVERIES: f64 = 0.05;

/// For each p-value, the least false-discovery rate at which it is marked.
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
    use games::Rng;

    use super::*;
    use crate::evidence::{Evidence, Placing};
    use crate::model::ELO;
    use crate::report::Difference;
    use crate::report::{Ratings, rate};
    use crate::simulate::uniform;

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

    /// A round robin of swapped pairs without draws.
    fn tournament(strengths: &[f64], pairs: usize, rng: &mut Rng) -> Ratings {
        let mut evidence = Evidence::new(strengths.len(), vec![2]);
        for one in 0..strengths.len() {
            for other in 0..one {
                for _ in 0..pairs {
                    let mut play = |first: usize, second: usize| {
                        let lead = (strengths[first] - strengths[second]) / ELO;
                        let won = uniform(rng) < 1.0 / (1.0 + (-lead).exp());
                        let points = f64::from(u8::from(won));
                        Placing::new(0, &[first, second], &[points, 1.0 - points])
                    };
                    evidence.add(&[play(one, other), play(other, one)]);
                }
            }
        }
        rate(&evidence, None)
    }

    /// Of the tournaments of eight equal bots, those with a mark, and those in which some likelihood
    /// alone would pass 97.5 %.
    fn false_marks(tournaments: u64, pairs: usize) -> [f64; 2] {
        let mut found = [0.0; 2];
        for number in 0..tournaments {
            let mut rng = Rng::from_parts(&[21, number]);
            let ratings = tournament(&[0.0; 8], pairs, &mut rng);
            let likely = |it: &Difference| !(0.025..=0.975).contains(&it.superiority);
            let all = &ratings.differences;
            found[0] += f64::from(u8::from(all.iter().any(Difference::is_sure)));
            found[1] += f64::from(u8::from(all.iter().any(likely)));
        }
        found.map(|count| count / tournaments as f64)
    }

    #[test]
    fn equal_bots_are_seldom_marked() {
        let [marked, likely] = false_marks(200, 6);
        // Three standard errors above 5 %.
        assert!(marked < 0.096, "{marked}");
        assert!(likely > 0.3, "{likely}");
    }

    /// A measurement, for changes of the intervals: `cargo test -p referee --lib marks_in -- --ignored
    /// --nocapture`.
    #[test]
    #[ignore = "takes minutes"]
    fn marks_in_tournaments_of_equal_bots() {
        for pairs in [2, 6, 20] {
            let [marked, likely] = false_marks(2000, pairs);
            println!("{pairs} pairs each: marked in {marked:.4}, above 97.5 % in {likely:.4}");
            assert!(marked < 0.065);
        }
    }

    #[test]
    fn bots_that_are_stronger_are_marked() {
        let strengths = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 300.0];
        let (mut found, mut wrong, mut marks) = (0, 0, 0);
        for number in 0..20 {
            let ratings = tournament(&strengths, 10, &mut Rng::from_parts(&[22, number]));
            for difference in ratings.differences.iter().filter(|it| it.is_sure()) {
                marks += 1;
                match difference.bots {
                    [_, 7] if difference.superiority < 0.5 => found += 1,
                    _ => wrong += 1,
                }
            }
        }
        assert!(found > 20 * 6 && wrong * 10 < marks, "{found} {wrong}");
    }
}
