//! hecs: `World`, by the calls that its documentation shows; exclusive queries and views, which
//! skip the run-time borrow checks. A tag is a component without data.

use hecs::{Entity, With, World};

use crate::parts::{Data, Health, InParts, Match, Position, Velocity, of_mover, with_kind};
use crate::store::{Clear, Kinds, Lookup, Movers, SpawnMany, Store, Tagging};
use crate::things::{Mover, Vec3};

/// Things in parts; lookups through one view for all of them.
pub(crate) struct Hecs(World);

impl<T: InParts> Store<T> for Hecs {
    type Key = Entity;

    fn new() -> Self {
        Self(World::new())
    }

    #[inline(always)]
    fn spawn(&mut self, thing: T) -> Entity {
        self.0.spawn(thing.parts())
    }

    #[inline(always)]
    fn despawn(&mut self, key: Entity) {
        // An error says that the entity was gone already.
        let _ = self.0.despawn(key);
    }
}

impl<T: InParts> SpawnMany<T> for Hecs {
    #[inline(always)]
    fn spawn_many(&mut self, things: impl ExactSizeIterator<Item = T>, keys: &mut Vec<Entity>) {
        keys.extend(self.0.spawn_batch(things.map(T::parts)));
    }
}

impl<T: InParts> Lookup<T> for Hecs {
    #[inline(always)]
    fn field(&self, key: Entity) -> f32 {
        self.0.get::<&Health>(key).map_or(0.0, |health| health.0)
    }

    #[inline(always)]
    fn sum(&mut self, keys: &[Entity]) -> u32 {
        let view = self.0.view_mut::<&Health>();
        let field = |key| view.get(key).map_or(0.0, |health: &Health| health.0);
        keys.iter().fold(0, |sum, &key| sum.wrapping_add(field(key).to_bits()))
    }
}

impl Clear for Hecs {
    fn clear(&mut self) {
        self.0.clear();
    }
}

/// Movers, all of which match.
pub(crate) struct HecsMovers(World);

impl Movers for HecsMovers {
    fn new() -> Self {
        Self(World::new())
    }

    fn spawn(&mut self, mover: Mover, _: bool) {
        self.0.spawn(of_mover(mover));
    }

    fn step(&mut self) {
        self.0.query_mut::<(&mut Position, &Velocity)>().into_iter().for_each(step);
    }

    fn positions(&mut self, mut see: impl FnMut(Vec3)) {
        self.0.query_mut::<&Position>().into_iter().for_each(|position| see(position.0));
    }
}

/// Movers, some of which have the component [`Match`].
pub(crate) struct HecsMatching(World);

impl Movers for HecsMatching {
    fn new() -> Self {
        Self(World::new())
    }

    fn spawn(&mut self, mover: Mover, matches: bool) {
        let (position, velocity) = of_mover(mover);
        if matches {
            self.0.spawn((position, velocity, Match()));
        } else {
            self.0.spawn((position, velocity));
        }
    }

    fn step(&mut self) {
        self.0.query_mut::<With<(&mut Position, &Velocity), &Match>>().into_iter().for_each(step);
    }

    fn positions(&mut self, mut see: impl FnMut(Vec3)) {
        self.0
            .query_mut::<With<&Position, &Match>>()
            .into_iter()
            .for_each(|position| see(position.0));
    }
}

#[inline(always)]
fn step((position, velocity): (&mut Position, &Velocity)) {
    position.0 += velocity.0 * crate::things::DT;
}

/// Things of 26 kinds: 26 archetypes.
pub(crate) struct HecsKinds(World);

impl Kinds for HecsKinds {
    fn new() -> Self {
        Self(World::new())
    }

    fn spawn(&mut self, kind: usize, data: f32) {
        with_kind!(kind, Kind => self.0.spawn((Data(data), Kind::default())));
    }

    fn scale(&mut self, by: f32) {
        self.0.query_mut::<&mut Data>().into_iter().for_each(|data| data.0 *= by);
    }

    fn data(&mut self, mut see: impl FnMut(f32)) {
        self.0.query_mut::<&Data>().into_iter().for_each(|data| see(data.0));
    }
}

/// Numbers that get and lose the component [`Match`].
pub(crate) struct HecsTagging(World);

impl Tagging for HecsTagging {
    type Key = Entity;

    fn new() -> Self {
        Self(World::new())
    }

    fn spawn(&mut self, data: f32) -> Entity {
        self.0.spawn((Data(data),))
    }

    fn tag(&mut self, keys: &[Entity]) {
        for &key in keys {
            self.0.insert_one(key, Match()).expect("alive");
        }
    }

    fn untag(&mut self, keys: &[Entity]) {
        for &key in keys {
            self.0.remove_one::<Match>(key).expect("alive and tagged");
        }
    }

    fn tagged(&mut self) -> usize {
        self.0.query_mut::<&Match>().into_iter().count()
    }
}
