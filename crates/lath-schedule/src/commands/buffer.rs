//! The commands that a system has given, and the free slots that it has been dealt.

use std::any::TypeId;
use std::panic::resume_unwind;

use lath_core::{Handle, Lane, SpawnFault};

use super::queue::{Command, Panic, Queue, forget};
use crate::world::{Resident, World};

/// What belongs to one system, or to one part of a loop inside it.
pub(crate) struct Buffer {
    queue: Queue,
    /// Which of how many systems that give commands this is, between two barriers.
    lane: (u32, u32),
    lanes: Vec<Dealt>,
    parts: Vec<Buffer>,
}

/// The slots of one pool.
struct Dealt {
    of: TypeId,
    lane: Lane,
}

impl Default for Buffer {
    fn default() -> Self {
        Self { queue: Queue::default(), lane: (0, 1), lanes: Vec::new(), parts: Vec::new() }
    }
}

impl Buffer {
    /// Says which of how many systems that give commands this is.
    pub(crate) fn set_lane(&mut self, number: u32, of: u32) {
        if self.lane != (number, of) {
            self.lane = (number, of);
            self.lanes.clear();
        }
    }

    /// Starts again: pools have changed since.
    pub(crate) fn start(&mut self) {
        self.lanes.iter_mut().for_each(|dealt| dealt.lane.reset());
    }

    pub(crate) fn push(&mut self, command: impl Command) {
        self.queue.push(command);
    }

    pub(crate) fn len(&self) -> usize {
        self.queue.len()
    }

    /// The handle for a thing that is to be spawned.
    pub(crate) fn deal<T: Resident>(
        &mut self,
        world: &World,
        thing: &T,
    ) -> Result<Handle<T>, SpawnFault> {
        let number = self.lanes.iter().position(|dealt| dealt.of == TypeId::of::<T>());
        let number = number.unwrap_or_else(|| {
            let lane = Lane::new(self.lane.0, self.lane.1);
            self.lanes.push(Dealt { of: TypeId::of::<T>(), lane });
            self.lanes.len() - 1
        });
        world.pool_or_empty::<T>().deal(&mut self.lanes[number].lane, thing)
    }

    /// Divides what has been dealt into parts, for a loop that runs on several threads.
    pub(crate) fn divide(&mut self, count: u32) -> &mut [Buffer] {
        let Self { lane, lanes, parts, .. } = self;
        while parts.len() < count as usize {
            parts.push(Self::default());
        }
        for (number, part) in (0..count).zip(parts.iter_mut()) {
            // Nothing is left there, unless the system has caught a panic of the loop before.
            part.discard().unwrap_or_else(|panic| resume_unwind(panic));
            part.lane = (lane.0 + lane.1 * number, lane.1 * count);
            part.lanes.truncate(lanes.len());
            for (at, dealt) in lanes.iter().enumerate() {
                if part.lanes.len() == at {
                    part.lanes.push(Dealt { of: dealt.of, lane: Lane::default() });
                }
                part.lanes[at].of = dealt.of;
                dealt.lane.split(number, count, &mut part.lanes[at].lane);
            }
        }
        &mut parts[..count as usize]
    }

    /// Takes the commands of the parts, in order, and notes what they have used.
    pub(crate) fn unite(&mut self, count: u32) {
        let Self { queue, lane, lanes, parts, .. } = self;
        for (number, part) in (0..count).zip(parts.iter_mut()) {
            queue.append(&mut part.queue);
            for used in &part.lanes {
                let at = lanes.iter().position(|dealt| dealt.of == used.of).unwrap_or_else(|| {
                    lanes.push(Dealt { of: used.of, lane: Lane::new(lane.0, lane.1) });
                    lanes.len() - 1
                });
                lanes[at].lane.join(number, &used.lane);
            }
        }
    }

    /// Whether any of the commands runs code of the user's.
    pub(crate) fn does_anything(&self) -> bool {
        self.queue.does_anything()
    }

    /// Keeps what the commands need for when it is their turn.
    pub(crate) fn reserve(&mut self, world: &mut World) {
        self.queue.reserve(world);
    }

    /// Applies all commands, in order.
    ///
    /// # Errors
    ///
    /// What the first one to panic panicked with. Those after it are given up.
    pub(crate) fn apply(&mut self, world: &mut World) -> Result<(), Panic> {
        self.queue.apply(world, |world, done| match done {
            true => world.counts.applied += 1,
            false => world.counts.missed += 1,
        })
    }

    /// Drops all commands.
    ///
    /// # Errors
    ///
    /// What the first `Drop` to panic panicked with. All are dropped nevertheless.
    pub(crate) fn discard(&mut self) -> Result<(), Panic> {
        let result = self.queue.clear();
        self.parts.iter_mut().fold(result, |result, part| result.and(part.discard()))
    }

    /// Drops all commands of a system that has failed already: what they panic with is not of
    /// interest any more.
    pub(crate) fn give_up(&mut self) {
        self.discard().unwrap_or_else(forget);
    }
}
