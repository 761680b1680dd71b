//! What a side is asked, what it answers, and what can be seen of it.

use crate::body::{Body, Id};
use crate::program::Call;
use crate::spec::{Ended, Ran, SystemsLook};

/// A step whose things have been chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// What is called.
    pub call: Call,
    /// On which pool.
    pub pool: usize,
    /// The handles that it is called with.
    pub who: [Id; 4],
    /// Which way, and how many.
    pub b: u16,
    /// Which value.
    pub v: u16,
}

impl Ask {
    /// The call that this one makes while memory is refused.
    pub fn with_memory(&self) -> Self {
        let calls = match self.b / 32 % 2 {
            0 => [Call::Spawn, Call::Stage, Call::SpawnAt, Call::Reserve],
            _ => [Call::Attach, Call::SpawnChild, Call::Beside, Call::Attach],
        };
        let call = calls[usize::from(self.b / 8) % calls.len()];
        // A plain reservation.
        let b = if call == Call::Reserve { 1 } else { self.b };
        // A body with nothing in a cold field.
        let v = if self.v % 5 == 0 { self.v ^ 1 } else { self.v };
        Self { call, b, v, ..self.clone() }
    }
}

/// What a call answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing that could be compared.
    Done,
    /// Yes or no.
    Is(bool),
    /// How many.
    Count(u64),
    /// A handle that was handed out.
    New(Id),
    /// Handles that were handed out, in order.
    NewOnes(Vec<Id>),
    /// Handles that were found.
    Found(Vec<Id>),
    /// It was refused, for this reason.
    Refused(Refusal),
    /// What was seen, in the order in which it was.
    Saw(Vec<(Id, Option<Body>)>),
    /// Several answers.
    All(Vec<Answer>),
    /// Words that only twins compare.
    Words(String),
    /// All that can be seen of another world, which was made of this one.
    Look(Box<Look>),
    /// How a run of a schedule went.
    Ran(Box<Ran>),
}

impl Answer {
    /// What a system of a run has panicked with.
    pub fn panic(&self) -> Option<&str> {
        match self {
            Self::Ran(ran) => match &ran.ended {
                Some(Ended::Panicked(_, message)) => Some(message),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Why something was refused, as far as the model tells reasons apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The pool is full.
    Full,
    /// The slot is taken.
    Occupied,
    /// A kind that does not fit.
    Kind,
    /// A handle that is no good.
    Handle,
    /// A link that is no good: something is not there.
    Stale,
    /// A link that would close a circle.
    Cycle,
    /// A thing without a parent has no siblings.
    NoParent,
    /// No memory.
    Memory,
    /// Anything else.
    Other,
}

/// What a handle of the first life of a slot is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The slot is at this generation.
    At(u32),
    /// The slot is never used again.
    Retired,
    /// The first life of the slot is what is there, or is to come.
    First,
}

/// What occupies a slot although no lookup finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// Its value has not come yet.
    Reserved,
    /// It is over, and kept until an epoch.
    Buried(u64),
}

/// What can be seen of a pool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PoolLook {
    /// Live things, in slot order.
    pub live: Vec<(Id, Body)>,
    /// Staged things, in slot order.
    pub staged: Vec<(Id, Body)>,
    /// How many are live, staged, reserved, buried, retired.
    pub counts: [u32; 5],
    /// How many have each of the three tags.
    pub tagged: [u32; 3],
    /// Things that have a value beside them, and the value, in slot order.
    pub beside: Vec<(Id, String)>,
    /// In each tree the things with children, and these in order.
    pub links: [Vec<(Id, Vec<Id>)>; 3],
}

/// What can be seen of a world.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Each pool.
    pub pools: Vec<PoolLook>,
    /// Single values, by name, that the model knows as well.
    pub values: Vec<(String, String)>,
    /// What is beside the pools.
    pub systems: SystemsLook,
    /// What only twins can compare: counts of generations, order of reuse.
    pub twins: Vec<String>,
}
