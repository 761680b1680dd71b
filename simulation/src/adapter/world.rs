//! One world, played along one route.

use lath::Resident;
use lath::prelude::*;

use super::Setup;
use super::copies::{self, Copies, Rewind};
use super::pool;
use super::systems::{self, Systems, Threads};
use super::things::{Layout, Piece, Tags};
use crate::answer::{Answer, Ask, Hidden, Look, Slot};
use crate::body::{Body, Id};
use crate::program::Call;
use crate::spec::Notes;

/// Which way a world takes. All ways lead to the same world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// Straight on.
    Straight,
    /// Every pool is replaced by its clone before each step.
    Clones,
    /// Every few steps are undone and made again.
    Rewinds,
    /// Every few steps the world is saved, and the game goes on in one that was loaded.
    Saves,
}

/// A world that can be asked.
pub trait Side {
    /// What it is called in messages.
    fn name(&self) -> String;
    /// Which way it takes.
    fn route(&self) -> Route;
    /// How its things are laid out.
    fn layout(&self) -> &'static str;
    /// Makes a call.
    fn play(&mut self, ask: &Ask) -> Answer;
    /// All that can be seen.
    fn look(&self) -> Look;
    /// What systems noted down in the last call.
    fn notes(&mut self) -> Notes;
    /// After a panic somewhere: brings what cannot be seen into a known state.
    fn settle(&mut self);
    /// What these slots of a pool are at.
    fn slots(&self, pool: usize, slots: &[u32]) -> Vec<(u32, Slot)>;
    /// What occupies some of these slots although no lookup finds it.
    fn hidden(&self, pool: usize, slots: &[u32]) -> Vec<(Id, Hidden)>;
}

/// Does something with each pool of a world in turn.
macro_rules! with_pool {
    ($layout:ident, $number:expr, $t:ident => $do:expr) => {
        match $number {
            0 => {
                type $t<L> = <L as Layout>::Crew;
                $do
            }
            1 => {
                type $t<L> = <L as Layout>::Ship;
                $do
            }
            2 => {
                type $t<L> = <L as Layout>::Spark;
                $do
            }
            3 => {
                type $t<L> = <L as Layout>::Token;
                $do
            }
            4 => {
                type $t<L> = <L as Layout>::Block;
                $do
            }
            _ => {
                type $t<L> = <L as Layout>::Ticket;
                $do
            }
        }
    };
}

pub(super) use with_pool;

/// A world in which nothing has happened.
pub(super) fn empty<L: Layout>(setup: &Setup) -> World {
    let mut world = World::new();
    for number in 0..super::things::POOLS {
        with_pool!(L, number, T => {
            let pool = match setup.fixed[number] {
                Some(most) => Pool::fixed(usize::from(most)).expect("a small pool"),
                None => Pool::<T<L>>::new(),
            };
            world.add_pool(pool);
        });
    }
    copies::register::<L>(&mut world);
    world
}

/// A world of lath.
pub struct Real<L: Layout> {
    world: World,
    systems: Option<Systems>,
    threads: Threads,
    route: Route,
    copies: Copies<L>,
    rewind: Rewind,
}

impl<L: Layout> Real<L> {
    /// A world in which nothing has happened.
    pub fn new(setup: &Setup, route: Route, threads: Threads) -> Self {
        let mut world = empty::<L>(setup);
        let systems = setup.systems.then(|| Systems::new(&mut world, threads));
        Self {
            world,
            systems,
            threads,
            route,
            copies: Copies::new(setup),
            rewind: Rewind::default(),
        }
    }

    /// Makes a call, without any detour.
    fn straight(&mut self, ask: &Ask) -> Answer {
        if let Some(answer) = self.copies.call(&mut self.world, ask) {
            return answer;
        }
        match &mut self.systems {
            Some(systems) if ask.call.is_of_systems() => systems.play::<L>(&mut self.world, ask),
            _ => with_pool!(L, ask.pool, T => call::<T<L>>(&mut self.world, ask)),
        }
    }

    /// Undoes the last few steps, and makes them again.
    fn rewind(&mut self) {
        let Some((before, done)) = self.rewind.take() else { return };
        copies::put_back(&mut self.world, &before);
        for (ask, answer) in done {
            let again = self.straight(&ask);
            assert!(
                again == answer || ask.call.is_about_ticks(),
                "{ask:?} was answered {answer:?}, and {again:?} when it was made again"
            );
        }
    }

    fn clone_pools(&mut self) {
        for number in 0..super::things::POOLS {
            with_pool!(L, number, T => {
                let copy = self.world.pool::<T<L>>().clone();
                self.world.add_pool(copy);
            });
        }
    }
}

/// Calls on a world about one pool.
pub(super) fn call<T: Piece + Resident>(world: &mut World, ask: &Ask) -> Answer {
    let one = pool::handle::<T>(ask.who[0]);
    match ask.call {
        Call::WorldSpawn => {
            let body = Body::new(ask.v, ask.who[1]);
            pool::spawned(&body, world.try_spawn(pool::make::<T>(&body)))
        }
        Call::WorldDespawn => Answer::Is(world.despawn(one)),
        Call::WorldTags => Answer::Is(world.set_tags(one, T::tags_of((ask.v % 8) as u8))),
        Call::GetMut if ask.b % 2 == 0 => {
            Answer::Is(world.get_mut(one).map(|mut thing| T::change(&mut thing, ask.v)).is_some())
        }
        Call::MoveOut => {
            let pool = world.remove_pool::<T>().expect("it is there");
            assert!(!world.has_pool::<T>() && world.try_pool::<T>().is_err());
            assert!(world.add_pool(pool).is_none());
            Answer::Done
        }
        _ => pool::call(world.pool_mut::<T>(), ask),
    }
}

impl<L: Layout> Side for Real<L> {
    fn name(&self) -> String {
        format!("{:?}, {:?}, {}", self.route, self.threads, L::NAME)
    }

    fn route(&self) -> Route {
        self.route
    }

    fn layout(&self) -> &'static str {
        L::NAME
    }

    fn play(&mut self, ask: &Ask) -> Answer {
        match self.route {
            Route::Clones => self.clone_pools(),
            Route::Rewinds if ask.call.is_outside_of_the_world() || self.rewind.is_long() => {
                self.rewind();
            }
            Route::Saves if ask.v % 4 == 0 => self.copies.save_and_load(&mut self.world),
            _ => {}
        }
        if self.route != Route::Rewinds || ask.call.is_outside_of_the_world() {
            return self.straight(ask);
        }
        self.rewind.begin(&self.world, ask);
        let answer = self.straight(ask);
        self.rewind.note(ask, &answer);
        answer
    }

    fn notes(&mut self) -> Notes {
        self.systems.as_mut().map(Systems::notes).unwrap_or_default()
    }

    fn settle(&mut self) {
        if let Some(systems) = &mut self.systems {
            systems.settle::<L>(&mut self.world);
        }
    }

    fn slots(&self, number: usize, slots: &[u32]) -> Vec<(u32, Slot)> {
        with_pool!(L, number, T => {
            let pool = self.world.pool::<T<L>>();
            slots.iter().map(|&slot| (slot, pool::slot(pool, slot))).collect()
        })
    }

    fn hidden(&self, number: usize, slots: &[u32]) -> Vec<(Id, Hidden)> {
        with_pool!(L, number, T => pool::hidden(self.world.pool::<T<L>>(), slots))
    }

    fn look(&self) -> Look {
        let mut look = look::<L>(&self.world);
        if self.systems.is_some() {
            look.systems = systems::look(&self.world);
        }
        look
    }
}

/// All that can be seen of a world.
pub(super) fn look<L: Layout>(world: &World) -> Look {
    let mut look = Look::default();
    for number in 0..super::things::POOLS {
        with_pool!(L, number, T => {
            let pool = world.pool::<T<L>>();
            look.pools.push(pool::look(pool));
            look.twins.push(pool::twin_look(pool));
        });
    }
    let counted: [usize; 3] =
        [Tags::A, Tags::B, Tags::C].map(|tag| world.pool::<L::Crew>().count_tagged(tag));
    assert_eq!(counted.map(|count| count as u32), look.pools[0].tagged);
    look.values.push(copies::value(world));
    look
}
