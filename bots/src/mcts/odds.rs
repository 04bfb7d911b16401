//! Odds and the exponential function that turns log odds into them.

/// The factor by which the odds of seat 0 change when the log odds that count as even change.
pub(super) fn odds(before: f32, zero: f32) -> f32 {
    exp(before - zero)
}

/// A value, an expected outcome in [0, 1], with its odds multiplied.
pub(super) fn shifted(value: f32, odds: f32) -> f32 {
    value * odds / (1.0 - value + value * odds)
}

/// The exponential function, within a few millionths. It is made of sums and products alone, so that it
/// is the same on every machine.
#[inline]
pub(super) fn exp(x: f32) -> f32 {
    /// Rounds to a whole number when added and subtracted.
    const ROUND: f32 = 12_582_912.0;
    let x = x.clamp(-80.0, 80.0) * std::f32::consts::LOG2_E;
    let whole = (x + ROUND) - ROUND;
    let rest = (x - whole) * std::f32::consts::LN_2;
    let part = 1.0 / 120.0 * rest + 1.0 / 24.0;
    let part = ((part * rest + 1.0 / 6.0) * rest + 0.5) * rest + 1.0;
    f32::from_bits((((whole as i32) + 127) as u32) << 23) * (1.0 + part * rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_right() {
        for step in -700..700 {
            let x = step as f32 / 10.0;
            let error = exp(x) / x.exp() - 1.0;
            assert!(error.abs() < 1e-5, "{x}: {error}");
        }
    }
}
