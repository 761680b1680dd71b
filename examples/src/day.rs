//! Day and night: the clock, and what happens at dawn. The market has its own idea of dusk:
//! `market.rs`.

use lath::prelude::*;
use serde::{Deserialize, Serialize};

use crate::dice::Dice;
use crate::object::{Object, Tags, object};

/// Ticks in a second of the colony; fixed steps are taken so many times a second.
pub(crate) const TICKS_PER_SECOND: u64 = 60;
pub(crate) const STEPS_PER_SECOND: f64 = 4.0;
/// A day and a night, in ticks.
const DAY: u64 = 900;
const DUSK: u64 = 600;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Phase {
    Day,
    Night,
}

/// The time, and the seed that all randomness comes from.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Clock {
    pub(crate) seed: u64,
    pub(crate) tick: u64,
}

impl Clock {
    /// Dice for one thing in this tick. Everybody has their own, so that it does not matter who
    /// rolls first.
    pub(crate) fn dice(&self, whose: u32) -> Dice {
        Dice::new(
            self.seed ^ self.tick.wrapping_mul(0xd134_2543_de82_ef95) ^ u64::from(whose) << 20,
        )
    }

    /// Which day it is, and the hour: 0 to 23, with dawn at six.
    pub(crate) fn day_and_hour(&self) -> (u64, u64) {
        let ticks = self.tick + DAY / 4;
        (1 + ticks / DAY, ticks % DAY * 24 / DAY)
    }
}

pub(crate) fn tick(mut clock: ResMut<Clock>, mut phase: ResMut<State<Phase>>) {
    clock.tick += 1;
    match clock.tick % DAY {
        0 => phase.set(Phase::Day),
        DUSK => phase.set(Phase::Night),
        _ => {}
    }
}

#[derive(View)]
#[view(Object, with = Tags::ASLEEP)]
pub(crate) struct Sleeper<'a> {
    who: Handle<Object>,
    wait: &'a mut u16,
}

/// Everybody who sleeps gets up, some sooner than others. Runs once, when the day begins.
pub(crate) fn wake(mut sleepers: Query<Sleeper>, mut commands: Commands) {
    for Sleeper { who, wait } in &mut sleepers {
        *wait = who.index() as u16 % 60;
        commands.remove_tags(who, Tags::ASLEEP);
    }
}
