//! The median of many measurements and how far they spread.

/// The quartiles of a set of measurements: half of them lie between `low` and `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) low: f64,
    pub(crate) median: f64,
    pub(crate) high: f64,
}

impl Spread {
    /// Sorts out the quartiles of at least one measurement.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        Self {
            low: quantile(&values, 0.25),
            median: quantile(&values, 0.5),
            high: quantile(&values, 0.75),
        }
    }
}

/// The value at `part` of the way through sorted values, between two of them if need be.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = part * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_outlier_does_not_move_the_quartiles() {
        let spread = Spread::of([3.0, 1.0, 2.0, 1000.0, 4.0]);
        assert_eq!(spread, Spread { low: 2.0, median: 3.0, high: 4.0 });
    }

    #[test]
    fn an_even_number_of_values_has_its_median_between_two() {
        assert_eq!(Spread::of([1.0, 2.0]).median, 1.5);
    }
}
