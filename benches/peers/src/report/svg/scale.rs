//! A logarithmic axis: from values to places in the picture.

/// Values from `low` to `high` between two places.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// Puts `low` at the place `from` and `high` at the place `to`, wherever that is: pictures grow
    /// downwards.
    pub(super) fn new((low, high): (f64, f64), (from, to): (f64, f64)) -> Self {
        Self { low: low.ln(), high: high.ln(), from, to }
    }

    /// Where a value is.
    pub(super) fn place(self, value: f64) -> f64 {
        self.from + (value.ln() - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Round values within: 1, 2 and 5 times the powers of ten, or these powers alone if that would
    /// be too many.
    pub(super) fn round_values(self) -> Vec<f64> {
        let decades = (self.high - self.low) / 10_f64.ln();
        let steps: &[f64] = if decades <= 3.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let slack = 1e-9;
        (-12..=12)
            .flat_map(|power| steps.iter().map(move |step| step * 10_f64.powi(power)))
            .filter(|value| (self.low - slack..=self.high + slack).contains(&value.ln()))
            .collect()
    }
}

/// The least and the greatest of some values, with some room on both sides.
pub(super) fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    (low / 1.15, high * 1.15)
}

/// A number for an axis: as short as it can be.
pub(super) fn short(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{}M", (v / 1e6 * 100.0).round() / 100.0),
        v if v >= 1e4 || v == 1e3 => format!("{}k", (v / 1e3 * 100.0).round() / 100.0),
        v => format!("{}", (v * 1e6).round() / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_factors_are_equal_distances() {
        let scale = Scale::new((1.0, 100.0), (0.0, 200.0));
        assert_eq!([1.0, 10.0, 100.0].map(|value| scale.place(value).round()), [0.0, 100.0, 200.0]);
    }

    #[test]
    fn axes_have_round_values_and_not_too_many() {
        assert_eq!(Scale::new((0.9, 6.0), (0.0, 1.0)).round_values(), [1.0, 2.0, 5.0]);
        assert_eq!(Scale::new((1.0, 1e4), (0.0, 1.0)).round_values(), [1.0, 10.0, 100.0, 1e3, 1e4]);
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [0.5, 1024.0, 1000.0, 10_000.0, 1e7].map(short),
            ["0.5", "1024", "1k", "10k", "10M"]
        );
    }
}
