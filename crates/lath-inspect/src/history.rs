//! What was measured in the last ticks, for the charts: one value per series and tick, and one per
//! 64 ticks.

use std::collections::VecDeque;

use serde_json::{Value, json};

/// How many values are kept, of the last ticks and of the last spans of 64 ticks.
const KEPT: usize = 600;

/// How many ticks make a coarse value.
const SPAN: u32 = 64;

#[derive(Default)]
pub(crate) struct History {
    series: Vec<Series>,
    pub(crate) ticks: u64,
}

struct Series {
    name: String,
    fine: VecDeque<f32>,
    coarse: VecDeque<f32>,
    sum: f64,
    count: u32,
}

impl Series {
    fn note(&mut self, value: f64) {
        push(&mut self.fine, value as f32);
        self.sum += value;
        self.count += 1;
        if self.count == SPAN {
            push(&mut self.coarse, (self.sum / f64::from(SPAN)) as f32);
            self.sum = 0.0;
            self.count = 0;
        }
    }
}

fn push(ring: &mut VecDeque<f32>, value: f32) {
    if ring.len() == KEPT {
        ring.pop_front();
    }
    ring.push_back(value);
}

impl History {
    /// Notes a value. Series are found by their place first: they come in the same order in every
    /// tick.
    pub(crate) fn note(&mut self, place: usize, name: &str, value: f64) {
        if let Some(series) = self.series.get_mut(place).filter(|series| series.name == name) {
            return series.note(value);
        }
        match self.series.iter_mut().find(|series| series.name == name) {
            Some(series) => series.note(value),
            None => {
                let (fine, coarse) = (VecDeque::with_capacity(KEPT), VecDeque::with_capacity(KEPT));
                let mut series = Series { name: name.to_owned(), fine, coarse, sum: 0.0, count: 0 };
                series.note(value);
                self.series.push(series);
            }
        }
    }

    /// The last value of a series.
    pub(crate) fn last(&self, name: &str) -> Option<f32> {
        self.series.iter().find(|series| series.name == name)?.fine.back().copied()
    }

    pub(crate) fn to_json(&self) -> Value {
        let series = self.series.iter().map(
            |series| json!({ "name": series.name, "fine": series.fine, "coarse": series.coarse }),
        );
        json!({ "tick": self.ticks, "span": SPAN, "series": series.collect::<Vec<_>>() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_values_are_forgotten_and_coarse_ones_are_means() {
        let mut history = History::default();
        for tick in 0..1000 {
            history.note(0, "a", f64::from(tick));
        }
        let json = history.to_json();
        let fine = json["series"][0]["fine"].as_array().unwrap();
        assert_eq!((fine.len(), &fine[0], &fine[599]), (600, &json!(400.0), &json!(999.0)));
        let coarse = json["series"][0]["coarse"].as_array().unwrap();
        assert_eq!((coarse.len(), &coarse[0], &coarse[1]), (15, &json!(31.5), &json!(95.5)));
        assert_eq!(history.last("a"), Some(999.0));
    }
}
