//! Pause, step and speed: how often the world is to be run.

use serde_json::{Value, json};

/// The slowest and the fastest.
const SPEEDS: std::ops::RangeInclusive<f64> = 0.01..=64.0;

/// The most steps that can be asked for at once.
const MOST_STEPS: usize = 1_000_000;

pub(crate) struct Pace {
    pub(crate) paused: bool,
    /// Runs that were asked for while paused.
    pending: usize,
    speed: f64,
    /// The part of a run that is still owed, at speeds that are not whole.
    owed: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { paused: false, pending: 0, speed: 1.0, owed: 0.0 }
    }
}

impl Pace {
    /// How often to run the world in this tick.
    pub(crate) fn steps(&mut self) -> u32 {
        if self.paused {
            let step = u32::from(self.pending > 0);
            self.pending = self.pending.saturating_sub(1);
            return step;
        }
        self.owed += self.speed;
        let whole = self.owed.floor();
        self.owed -= whole;
        whole as u32
    }

    pub(crate) fn pause(&mut self, paused: bool) {
        self.paused = paused;
        self.pending = 0;
        self.owed = 0.0;
    }

    /// Pauses, and runs so many times.
    pub(crate) fn step(&mut self, steps: usize) {
        if !self.paused {
            self.pause(true);
        }
        self.pending = (self.pending + steps).min(MOST_STEPS);
    }

    pub(crate) fn set_speed(&mut self, speed: f64) -> Result<(), String> {
        if !SPEEDS.contains(&speed) {
            return Err(format!(
                "the speed must be from {} to {}, not {speed}",
                SPEEDS.start(),
                SPEEDS.end()
            ));
        }
        self.speed = speed;
        self.owed = 0.0;
        Ok(())
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({ "paused": self.paused, "pending": self.pending, "speed": self.speed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_speed_runs_every_other_tick_and_double_speed_twice() {
        let mut pace = Pace::default();
        assert_eq!(pace.steps(), 1);
        pace.set_speed(0.5).unwrap();
        assert_eq!([(); 4].map(|()| pace.steps()), [0, 1, 0, 1]);
        pace.set_speed(2.5).unwrap();
        assert_eq!([(); 4].map(|()| pace.steps()), [2, 3, 2, 3]);
        for bad in [0.0, -1.0, 1000.0, f64::NAN] {
            assert!(pace.set_speed(bad).is_err());
        }
    }

    #[test]
    fn a_step_pauses_and_runs_as_often_as_asked() {
        let mut pace = Pace::default();
        pace.step(2);
        assert_eq!([(); 4].map(|()| pace.steps()), [1, 1, 0, 0]);
        pace.pause(false);
        assert_eq!(pace.steps(), 1);
    }
}
