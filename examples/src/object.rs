//! The one fat struct: everything in the colony, from a worker to a grain of wheat, is an `Object`.
//!
//! What an object *is* are its tags. What it is *made of*, what it *wears* and what is *in* it are
//! links: see `Carried`.

use lath::inspect::Inspect;
use lath::prelude::*;
use serde::{Deserialize, Serialize};

use crate::market::Offer;
use crate::pose::{Pose, Vec2};

bitflags! {
    /// What an object is, and what is the matter with it. Systems filter by them; changing one is a
    /// bit flip.
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    pub(crate) struct Tags: u32 {
        const WORKER = 1;
        const CART = 1 << 1;
        const WHEEL = 1 << 2;
        const MULE = 1 << 3;
        const BAG = 1 << 4;
        const ITEM = 1 << 5;
        const SITE = 1 << 6;
        const HALL = 1 << 7;
        const BIN = 1 << 8;

        /// Its place follows from its pose, tick by tick.
        const MOVES = 1 << 16;
        /// Lies about: who comes by may take it, and if nobody does it rots.
        const LOOSE = 1 << 17;
        const ASLEEP = 1 << 18;
        /// Sits on a cart.
        const RIDING = 1 << 19;
    }
}

/// What there is to dig, carry, eat and trade.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Goods {
    #[default]
    Grain,
    Wood,
    Ore,
}

impl Goods {
    pub(crate) const ALL: [Self; 3] = [Self::Grain, Self::Wood, Self::Ore];

    pub(crate) fn index(self) -> usize {
        self as usize
    }
}

/// What a worker is about to do at its target.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Task {
    #[default]
    Idle,
    Dig,
    Haul,
    Dine,
    Fetch,
    Sleep,
}

/// What a cart is about to do where it is bound for.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Errand {
    #[default]
    None,
    Buy,
    Sell,
}

/// Anything in the colony. Kept in columns: a system that needs two of these fields does not load
/// the others.
#[derive(Thing, Save, Inspect, Default)]
#[thing(columns)]
pub(crate) struct Object {
    #[thing(tags)]
    pub(crate) tags: Tags,
    /// Where it is, seen from what it is attached to. By itself: seen from the origin.
    pub(crate) local: Pose,
    /// Where it is in the world. Worked out from `local`, parents first: see `place` in `cart.rs`.
    pub(crate) place: Pose,
    /// How far it goes in a tick.
    pub(crate) step: Vec2,
    /// Ticks until it does something again.
    pub(crate) wait: u16,
    /// What is left of its life. Who has none left is buried.
    pub(crate) health: i16,
    pub(crate) town: u16,
    /// No two objects ever have the same. Only to show that handles are right: `think` in
    /// `worker.rs` looks.
    pub(crate) serial: u32,
    pub(crate) weight: u32,
    pub(crate) gold: i32,
    /// Of an item, a site or a bin: what it is, or is full of.
    pub(crate) goods: Goods,
    /// Of a site: how much is left. Of a bin: how many items are in it.
    pub(crate) ore: u32,
    pub(crate) stock: u32,

    // Of workers. Nobody clears the target when it goes: its handle is stale then, and the worker
    // notices.
    pub(crate) task: Task,
    pub(crate) target: Handle<Object>,
    pub(crate) target_serial: u32,
    pub(crate) food: i16,
    pub(crate) strokes: u8,
    /// What they put things into; a cart has one, too. It may be torn or lost.
    pub(crate) bag: Handle<Object>,

    // Of carts. The load is what they weigh with all that they carry.
    pub(crate) load: u32,
    pub(crate) errand: Errand,
    pub(crate) deal: Handle<Offer>,
    pub(crate) bound_for: u16,
    pub(crate) rider: Handle<Object>,

    /// Few have one, so it is kept out of the way.
    #[thing(cold)]
    pub(crate) name: String,
}

/// What is in a bag, on a mule, in a store. If a bag is torn, what was in it is in what the bag was
/// in; see `life.rs` for what becomes of the things of the dead.
///
/// What is *fixed* to something, such as the wheels of a cart, is in the default tree, and goes
/// when that goes.
pub(crate) enum Carried {}

impl Relation for Carried {
    const ORPHANS: Orphans = Orphans::Adopt;
}
