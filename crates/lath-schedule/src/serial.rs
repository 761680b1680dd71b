//! What belongs into a save of the world's own resources, for serde: time, clocks, timers, states.
//! Each is written as a tuple.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use crate::state::State;
use crate::time::{Cooldown, FixedClocks, Time, Timer};

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.dt.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        f32::deserialize(from).map(|dt| Self { dt })
    }
}

impl Serialize for FixedClocks {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (&self.left, &self.given_up).serialize(to)
    }
}

impl<'de> Deserialize<'de> for FixedClocks {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let (left, given_up) = <(Vec<f64>, Vec<f64>)>::deserialize(from)?;
        for seconds in left.iter().chain(&given_up) {
            check(*seconds)?;
        }
        Ok(Self { left, given_up })
    }
}

/// What is left of it, if it is not done, its length, and whether it repeats.
impl Serialize for Timer {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let left = (!self.is_done()).then_some(self.left);
        (left, self.period, self.repeats).serialize(to)
    }
}

impl<'de> Deserialize<'de> for Timer {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let (left, period, repeats) = <(Option<f32>, f32, bool)>::deserialize(from)?;
        check(period)?;
        if let Some(left) = left {
            check(left)?;
        }
        if repeats && (period == 0.0 || left.is_none()) {
            return Err(D::Error::custom("a repeating timer has a length and is never done"));
        }
        Ok(Self { left: left.unwrap_or(f32::NEG_INFINITY), period, repeats })
    }
}

impl Serialize for Cooldown {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (self.seconds, self.left).serialize(to)
    }
}

impl<'de> Deserialize<'de> for Cooldown {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let (seconds, left) = <(f32, f32)>::deserialize(from)?;
        check(seconds)?;
        check(left)?;
        Ok(Self { seconds, left })
    }
}

impl<X: Serialize> Serialize for State<X> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (&self.now, &self.next, &self.left, self.entered, self.started).serialize(to)
    }
}

impl<'de, X: Deserialize<'de>> Deserialize<'de> for State<X> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let (now, next, left, entered, started) = Deserialize::deserialize(from)?;
        Ok(Self { now, next, left, entered, started })
    }
}

/// A length of time is a number of seconds, and not less than none.
fn check<E: Error>(seconds: impl Into<f64>) -> Result<(), E> {
    let seconds = seconds.into();
    if seconds.is_finite() && seconds >= 0.0 {
        return Ok(());
    }
    Err(E::custom(format_args!("{seconds} seconds is no length of time")))
}
