//! How certain a share is.

use serde::Serialize;

/// How many standard deviations around the mean hold 95% of a normal distribution.
pub(super) const Z: f64 = 1.959_963_984_540_054;

/// A range that holds the true value in 95 of 100 cases.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The lower end of the range.
    pub low: f64,
    /// The upper end of the range.
    pub high: f64,
}

impl Interval {
    /// Wilson's interval for a share of `won` out of `of`; draws may count as halves.
    pub fn wilson(won: f64, of: f64) -> Self {
        if of <= 0.0 {
            return Self { low: 0.0, high: 1.0 };
        }
        let (share, spread) = (won / of, Z * Z / of);
        let middle = (share + spread / 2.0) / (1.0 + spread);
        let half = Z / (1.0 + spread) * (share * (1.0 - share) / of + spread / of / 4.0).sqrt();
        Self { low: (middle - half).max(0.0), high: (middle + half).min(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures are those of Wilson's formula as textbooks print them.
    #[test]
    fn it_is_wilsons() {
        for (won, of, low, high) in
            [(0.0, 10.0, 0.0, 0.2775), (5.0, 10.0, 0.2366, 0.7634), (260.0, 400.0, 0.6021, 0.6951)]
        {
            let Interval { low: found_low, high: found_high } = Interval::wilson(won, of);
            assert!((found_low - low).abs() < 1e-4 && (found_high - high).abs() < 1e-4, "{found_low} {found_high}");
        }
        assert_eq!(Interval::wilson(0.0, 0.0), Interval { low: 0.0, high: 1.0 });
        assert!(Interval::wilson(10.0, 10.0).high > 0.999_999);
    }
}
