//! sparsey: `World` with groups for what is walked together, and walks over slices, as its
//! documentation recommends for speed.

use sparsey::{Entity, World};

use crate::parts::{
    Data, Health, InParts, Links, Match, Position, Rotation, Velocity, of_mover, with_kind,
};
use crate::store::{Clear, Kinds, Lookup, Movers, SpawnMany, Store, Tagging};
use crate::things::{DT, KINDS, Mover, Vec3};

/// Things in parts; lookups through one view for all of them.
pub(crate) struct Sparsey(World);

impl<T: InParts> Store<T> for Sparsey {
    type Key = Entity;

    fn new() -> Self {
        let mut builder = World::builder();
        builder.register::<Position>().register::<Velocity>().register::<Rotation>();
        Self(builder.register::<Links>().register::<Health>().build())
    }

    #[inline(always)]
    fn spawn(&mut self, thing: T) -> Entity {
        self.0.create(thing.parts())
    }

    #[inline(always)]
    fn despawn(&mut self, key: Entity) {
        self.0.destroy(key);
    }
}

impl<T: InParts> SpawnMany<T> for Sparsey {
    #[inline(always)]
    fn spawn_many(&mut self, things: impl ExactSizeIterator<Item = T>, keys: &mut Vec<Entity>) {
        keys.extend(self.0.extend(things.map(T::parts)));
    }
}

impl<T: InParts> Lookup<T> for Sparsey {
    #[inline(always)]
    fn field(&self, key: Entity) -> f32 {
        self.0.borrow::<Health>().get(key).map_or(0.0, |health| health.0)
    }

    #[inline(always)]
    fn sum(&mut self, keys: &[Entity]) -> u32 {
        let view = self.0.borrow::<Health>();
        let field = |key| view.get(key).map_or(0.0, |health| health.0);
        keys.iter().fold(0, |sum, &key| sum.wrapping_add(field(key).to_bits()))
    }
}

impl Clear for Sparsey {
    fn clear(&mut self) {
        self.0.clear();
    }
}

/// Movers, all of which match: one group.
pub(crate) struct SparseyMovers(World);

impl Movers for SparseyMovers {
    fn new() -> Self {
        Self(World::builder().add_group::<(Position, Velocity)>().build())
    }

    fn spawn(&mut self, mover: Mover, _: bool) {
        self.0.create(of_mover(mover));
    }

    fn step(&mut self) {
        let mut moving = self.0.query_all::<(&mut Position, &Velocity)>();
        let (positions, velocities) = moving.slice().expect("a group");
        step(positions, velocities);
    }

    fn positions(&mut self, mut see: impl FnMut(Vec3)) {
        self.0.borrow::<Position>().as_slice().iter().for_each(|position| see(position.0));
    }
}

/// Movers, some of which have the component [`Match`] too: they are the group.
pub(crate) struct SparseyMatching(World);

impl Movers for SparseyMatching {
    fn new() -> Self {
        Self(World::builder().add_group::<(Position, Velocity, Match)>().build())
    }

    fn spawn(&mut self, mover: Mover, matches: bool) {
        let (position, velocity) = of_mover(mover);
        if matches {
            self.0.create((position, velocity, Match()));
        } else {
            self.0.create((position, velocity));
        }
    }

    fn step(&mut self) {
        let mut moving = self.0.query_all::<(&mut Position, &Velocity)>().include::<&Match>();
        let (positions, velocities) = moving.slice().expect("a group");
        step(positions, velocities);
    }

    fn positions(&mut self, mut see: impl FnMut(Vec3)) {
        self.0.query_all::<&Position>().include::<&Match>().for_each(|position| see(position.0));
    }
}

#[inline(always)]
fn step(positions: &mut [Position], velocities: &[Velocity]) {
    for (position, velocity) in positions.iter_mut().zip(velocities) {
        position.0 += velocity.0 * DT;
    }
}

/// Things of 26 kinds: what they have in common is one array.
pub(crate) struct SparseyKinds(World);

impl Kinds for SparseyKinds {
    fn new() -> Self {
        let mut world = World::builder().register::<Data>().build();
        for kind in 0..KINDS {
            with_kind!(kind, Kind => world.register::<Kind>());
        }
        Self(world)
    }

    fn spawn(&mut self, kind: usize, data: f32) {
        with_kind!(kind, Kind => self.0.create((Data(data), Kind::default())));
    }

    fn scale(&mut self, by: f32) {
        self.0.borrow_mut::<Data>().as_mut_slice().iter_mut().for_each(|data| data.0 *= by);
    }

    fn data(&mut self, mut see: impl FnMut(f32)) {
        self.0.borrow::<Data>().as_slice().iter().for_each(|data| see(data.0));
    }
}

/// Numbers that get and lose the component [`Match`].
pub(crate) struct SparseyTagging(World);

impl Tagging for SparseyTagging {
    type Key = Entity;

    fn new() -> Self {
        Self(World::builder().register::<Data>().register::<Match>().build())
    }

    fn spawn(&mut self, data: f32) -> Entity {
        self.0.create((Data(data),))
    }

    fn tag(&mut self, keys: &[Entity]) {
        for &key in keys {
            self.0.insert(key, (Match(),));
        }
    }

    fn untag(&mut self, keys: &[Entity]) {
        for &key in keys {
            self.0.delete::<(Match,)>(key);
        }
    }

    fn tagged(&mut self) -> usize {
        self.0.borrow::<Match>().len()
    }
}
