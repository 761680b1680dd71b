//! The worlds that are soaked: what goes on in each, and what must hold.

use std::time::Duration;

use lath::inspect::Inspector;
use lath::prelude::*;
use lath_examples::{Charter, Colony, Order};

use crate::beings::{self, Being, Letter};

/// A world in which everything follows from its state, and from `meddle`.
pub(crate) trait Story {
    const NAME: &'static str;
    /// Requests to the inspector that have an answer.
    const REQUESTS: &'static [&'static str];

    /// A world that knows what to save, with nothing in it.
    fn empty() -> World;
    fn populated(seed: u64) -> World;
    fn schedule() -> Schedule;
    /// Does something to the world from outside, the same for the same lot.
    fn meddle(world: &mut World, lot: u64);
    /// Whether nothing was lost, and all is whole.
    fn check(world: &World) -> Result<(), String>;
    fn show(inspector: &mut Inspector);

    /// The schedule, on so many threads.
    fn on_threads(threads: usize) -> Schedule {
        let mut schedule = Self::schedule();
        schedule.threads(threads).parallel_from(Duration::ZERO);
        schedule
    }
}

/// The showcase. From outside come orders: some spawn things by the hundred, some let many die,
/// some move them from one store to another.
pub(crate) struct Showcase;

impl Story for Showcase {
    const NAME: &'static str = "the colony";
    const REQUESTS: &'static [&'static str] = &[
        "/",
        "/api/v1/world",
        "/api/v1/things?pool=Object&sort=gold&descending=true&limit=50",
        "/api/v1/things?pool=Object&filter=food+%3E+10+%26%26+tags+has+WORKER",
        "/api/v1/things?pool=Offer&limit=5",
        "/api/v1/tree?pool=Object",
        "/api/v1/schedule",
        "/api/v1/charts",
    ];

    fn empty() -> World {
        Colony::empty().world
    }

    fn populated(seed: u64) -> World {
        Colony::found(Charter { seed, things: 2400 }).world
    }

    fn schedule() -> Schedule {
        Colony::empty().schedule
    }

    fn meddle(world: &mut World, lot: u64) {
        // Mostly nothing, so that towns recover.
        if let Some(order) = Order::ALL.get((lot % 100) as usize) {
            order.carry_out(world).expect("the colony has all that orders need");
        }
    }

    fn check(world: &World) -> Result<(), String> {
        Colony::check_world(world)
    }

    fn show(inspector: &mut Inspector) {
        Colony::show(inspector);
    }
}

/// A small world of beings and letters, with much coming and going, whose books are kept by hooks.
pub(crate) struct Beings;

impl Story for Beings {
    const NAME: &'static str = "beings";
    const REQUESTS: &'static [&'static str] = &[
        "/",
        "/api/v1/world",
        "/api/v1/things?pool=Being&sort=age&descending=true&limit=50",
        "/api/v1/things?pool=Being&filter=age+%3E+10+%26%26+tags+has+LOUD",
        "/api/v1/things?pool=Letter&limit=5",
        "/api/v1/tree?pool=Being",
        "/api/v1/schedule",
        "/api/v1/charts",
    ];

    fn empty() -> World {
        beings::empty()
    }

    fn populated(seed: u64) -> World {
        beings::populated(seed)
    }

    fn schedule() -> Schedule {
        beings::schedule()
    }

    fn meddle(_: &mut World, _: u64) {}

    fn check(world: &World) -> Result<(), String> {
        beings::check(world)
    }

    fn show(inspector: &mut Inspector) {
        inspector.pool::<Being>().pool::<Letter>();
    }
}
