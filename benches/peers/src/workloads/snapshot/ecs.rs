//! Those who keep components in columns and have no snapshots of their own: the columns are copied
//! out, ids included, and copied back.
//!
//! That is the best case for them: it works as long as nothing has come, gone or moved in between,
//! which is checked by the ids. lath's snapshots put any world back.

use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity as BevyEntity;
use bevy_ecs::query::QueryState;
use soa_rs::{Soa, Soars};

use super::{Row, THINGS};
use crate::workload::Trial;

#[derive(Component, Clone, Copy)]
#[expect(dead_code, reason = "is only copied")]
struct Pos([f32; 3]);
#[derive(Component, Clone, Copy)]
#[expect(dead_code, reason = "is only copied")]
struct Vel([f32; 3]);
#[derive(Component, Clone, Copy)]
struct Hp(f32);
#[derive(Component, Clone, Copy)]
#[expect(dead_code, reason = "is only copied")]
struct Id(u32);

fn parts(n: usize) -> (Pos, Vel, Hp, Id) {
    let Row { pos, vel, hp, id } = Row::new(n);
    (Pos(pos), Vel(vel), Hp(hp), Id(id))
}

/// What was copied.
struct Kept<K> {
    ids: Vec<K>,
    pos: Vec<Pos>,
    vel: Vec<Vel>,
    hp: Vec<Hp>,
    id: Vec<Id>,
}

impl<K: Copy + PartialEq> Kept<K> {
    fn new() -> Self {
        Self { ids: Vec::new(), pos: Vec::new(), vel: Vec::new(), hp: Vec::new(), id: Vec::new() }
    }

    fn take(&mut self, ids: &[K], pos: &[Pos], vel: &[Vel], hp: &[Hp], id: &[Id]) {
        fn copy<T: Copy>(to: &mut Vec<T>, from: &[T]) {
            to.clear();
            to.extend_from_slice(from);
        }
        copy(&mut self.ids, ids);
        copy(&mut self.pos, pos);
        copy(&mut self.vel, vel);
        copy(&mut self.hp, hp);
        copy(&mut self.id, id);
    }

    fn restore(&self, ids: &[K], pos: &mut [Pos], vel: &mut [Vel], hp: &mut [Hp], id: &mut [Id]) {
        assert!(self.ids == ids, "nothing has come or gone");
        pos.copy_from_slice(&self.pos);
        vel.copy_from_slice(&self.vel);
        hp.copy_from_slice(&self.hp);
        id.copy_from_slice(&self.id);
    }
}

/// hecs: columns of an archetype.
pub(super) struct Hecs {
    world: hecs::World,
    kept: Kept<u32>,
    one: hecs::Entity,
}

impl Hecs {
    pub(super) fn new() -> Self {
        let mut world = hecs::World::new();
        let all: Vec<_> = world.spawn_batch((0..THINGS).map(parts)).collect();
        Self { world, kept: Kept::new(), one: all[77] }
    }
}

fn archetype(world: &hecs::World) -> &hecs::Archetype {
    world.archetypes().find(|archetype| archetype.has::<Hp>()).expect("all things are in one")
}

impl Trial for Hecs {
    fn run(&mut self) {
        let here = "has them all";
        {
            let archetype = archetype(&self.world);
            let (pos, vel) =
                (archetype.get::<&Pos>().expect(here), archetype.get::<&Vel>().expect(here));
            let (hp, id) =
                (archetype.get::<&Hp>().expect(here), archetype.get::<&Id>().expect(here));
            self.kept.take(archetype.ids(), &pos, &vel, &hp, &id);
        }
        self.world.get::<&mut Hp>(self.one).expect("is there").0 = 0.0;
        let archetype = archetype(&self.world);
        let (mut pos, mut vel) =
            (archetype.get::<&mut Pos>().expect(here), archetype.get::<&mut Vel>().expect(here));
        let (mut hp, mut id) =
            (archetype.get::<&mut Hp>().expect(here), archetype.get::<&mut Id>().expect(here));
        self.kept.restore(archetype.ids(), &mut pos, &mut vel, &mut hp, &mut id);
    }

    fn answer(&mut self) -> u64 {
        u64::from(self.world.get::<&Hp>(self.one).expect("is there").0 == 77.0)
    }
}

type All = (BevyEntity, &'static mut Pos, &'static mut Vel, &'static mut Hp, &'static mut Id);

/// bevy_ecs: whole tables as slices, without change detection.
pub(super) struct Bevy {
    world: bevy_ecs::world::World,
    all: QueryState<All>,
    kept: Kept<BevyEntity>,
    one: BevyEntity,
}

impl Bevy {
    pub(super) fn new() -> Self {
        let mut world = bevy_ecs::world::World::new();
        let all: Vec<_> = world.spawn_batch((0..THINGS).map(parts)).collect();
        Self { all: world.query(), world, kept: Kept::new(), one: all[77] }
    }
}

impl Trial for Bevy {
    fn run(&mut self) {
        for (ids, pos, vel, hp, id) in self.all.contiguous_iter(&self.world).expect("in tables") {
            self.kept.take(ids, pos, vel, hp, id);
        }
        self.world.get_mut::<Hp>(self.one).expect("is there").0 = 0.0;
        for (ids, mut pos, mut vel, mut hp, mut id) in
            self.all.contiguous_iter_mut(&mut self.world).expect("in tables")
        {
            let (pos, vel) = (pos.bypass_change_detection(), vel.bypass_change_detection());
            self.kept.restore(
                ids,
                pos,
                vel,
                hp.bypass_change_detection(),
                id.bypass_change_detection(),
            );
        }
    }

    fn answer(&mut self) -> u64 {
        u64::from(self.world.get::<Hp>(self.one).expect("is there").0 == 77.0)
    }
}

/// sparsey: the arrays of its sparse sets.
pub(super) struct Sparsey {
    world: sparsey::World,
    kept: Kept<sparsey::Entity>,
    one: sparsey::Entity,
}

impl Sparsey {
    pub(super) fn new() -> Self {
        let mut world = sparsey::World::builder().add_group::<(Pos, Vel, Hp, Id)>().build();
        let one = world.extend((0..THINGS).map(parts))[77];
        Self { world, kept: Kept::new(), one }
    }
}

impl Trial for Sparsey {
    fn run(&mut self) {
        let world = &self.world;
        {
            let (pos, vel) = (world.borrow::<Pos>(), world.borrow::<Vel>());
            let (hp, id) = (world.borrow::<Hp>(), world.borrow::<Id>());
            self.kept.take(
                world.entities(),
                pos.as_slice(),
                vel.as_slice(),
                hp.as_slice(),
                id.as_slice(),
            );
        }
        world.borrow_mut::<Hp>().get_mut(self.one).expect("is there").0 = 0.0;
        let (mut pos, mut vel) = (world.borrow_mut::<Pos>(), world.borrow_mut::<Vel>());
        let (mut hp, mut id) = (world.borrow_mut::<Hp>(), world.borrow_mut::<Id>());
        let (pos, vel) = (pos.as_mut_slice(), vel.as_mut_slice());
        self.kept.restore(world.entities(), pos, vel, hp.as_mut_slice(), id.as_mut_slice());
    }

    fn answer(&mut self) -> u64 {
        u64::from(self.world.borrow::<Hp>().get(self.one).expect("is there").0 == 77.0)
    }
}

#[derive(Soars)]
struct Columns {
    pos: [f32; 3],
    vel: [f32; 3],
    hp: f32,
    id: u32,
}

/// soa-rs: the slices of its fields. There are no generations to copy.
pub(super) struct SoaRs {
    live: Soa<Columns>,
    kept: Soa<Columns>,
}

impl SoaRs {
    pub(super) fn new() -> Self {
        let new = |n| {
            let Row { pos, vel, hp, id } = Row::new(n);
            Columns { pos, vel, hp, id }
        };
        Self { live: (0..THINGS).map(new).collect(), kept: (0..THINGS).map(new).collect() }
    }

    fn copy(to: &mut Soa<Columns>, from: &Soa<Columns>) {
        let (to, from) = (to.slices_mut(), from.slices());
        to.pos.copy_from_slice(from.pos);
        to.vel.copy_from_slice(from.vel);
        to.hp.copy_from_slice(from.hp);
        to.id.copy_from_slice(from.id);
    }
}

impl Trial for SoaRs {
    fn run(&mut self) {
        Self::copy(&mut self.kept, &self.live);
        self.live.hp_mut()[77] = 0.0;
        Self::copy(&mut self.live, &self.kept);
    }

    fn answer(&mut self) -> u64 {
        u64::from(self.live.hp()[77] == 77.0)
    }
}
