//! shipyard: sparse sets, by the calls that its guide recommends for speed: `for_each`, views that
//! are borrowed once for a whole loop, `bulk_add_entity`. Its advice on deleting (ask only the
//! storages that matter) changes nothing here: all of them do.

use shipyard::{Component, EntityId, Get, IntoIter, View, ViewMut, World};

use crate::parts::{Data, Health, InParts, Match, Position, Velocity, of_mover, with_kind};
use crate::store::{Clear, Kinds, Lookup, Movers, SpawnMany, Store, Tagging};
use crate::things::{DT, Fat, Mover, Small, Vec3};

/// What shipyard takes are tuples of known length, not any bundle.
pub(crate) trait Ship: InParts {
    fn add(self, world: &mut World) -> EntityId;
    fn add_many(world: &mut World, things: impl Iterator<Item = Self>, keys: &mut Vec<EntityId>);
}

macro_rules! ships {
    ($($thing:ty),+) => {$(
        impl Ship for $thing {
            #[inline(always)]
            fn add(self, world: &mut World) -> EntityId {
                world.add_entity(self.parts())
            }

            #[inline(always)]
            fn add_many(world: &mut World, things: impl Iterator<Item = Self>, keys: &mut Vec<EntityId>) {
                keys.extend(world.bulk_add_entity(things.map(Self::parts)));
            }
        }
    )+};
}

ships!(Small, Fat);

/// Things in parts; lookups through one view for all of them.
pub(crate) struct Shipyard(World);

impl<T: Ship> Store<T> for Shipyard {
    type Key = EntityId;

    fn new() -> Self {
        Self(World::new())
    }

    #[inline(always)]
    fn spawn(&mut self, thing: T) -> EntityId {
        thing.add(&mut self.0)
    }

    #[inline(always)]
    fn despawn(&mut self, key: EntityId) {
        self.0.delete_entity(key);
    }
}

impl<T: Ship> SpawnMany<T> for Shipyard {
    #[inline(always)]
    fn spawn_many(&mut self, things: impl ExactSizeIterator<Item = T>, keys: &mut Vec<EntityId>) {
        T::add_many(&mut self.0, things, keys);
    }
}

impl<T: Ship> Lookup<T> for Shipyard {
    #[inline(always)]
    fn field(&self, key: EntityId) -> f32 {
        self.0.get::<&Health>(key).map_or(0.0, |health| health.0)
    }

    #[inline(always)]
    fn sum(&mut self, keys: &[EntityId]) -> u32 {
        let view = view::<Health>(&self.0);
        let field = |key| (&view).get(key).map_or(0.0, |health: &Health| health.0);
        keys.iter().fold(0, |sum, &key| sum.wrapping_add(field(key).to_bits()))
    }
}

fn view<C: Component + Send + Sync>(world: &World) -> View<'_, C> {
    world.borrow::<View<C>>().expect("nobody else has it")
}

impl Clear for Shipyard {
    fn clear(&mut self) {
        self.0.clear();
    }
}

/// Movers, all of which match.
pub(crate) struct ShipyardMovers(World);

impl Movers for ShipyardMovers {
    fn new() -> Self {
        Self(World::new())
    }

    fn spawn(&mut self, mover: Mover, _: bool) {
        self.0.add_entity(of_mover(mover));
    }

    fn step(&mut self) {
        self.0.run(|mut positions: ViewMut<Position>, velocities: View<Velocity>| {
            (&mut positions, &velocities)
                .iter()
                .for_each(|(position, velocity)| position.0 += velocity.0 * DT);
        });
    }

    fn positions(&mut self, mut see: impl FnMut(Vec3)) {
        view::<Position>(&self.0).iter().for_each(|position| see(position.0));
    }
}

/// Movers, some of which have the component [`Match`].
pub(crate) struct ShipyardMatching(World);

impl Movers for ShipyardMatching {
    fn new() -> Self {
        Self(World::new())
    }

    fn spawn(&mut self, mover: Mover, matches: bool) {
        let (position, velocity) = of_mover(mover);
        if matches {
            self.0.add_entity((position, velocity, Match()));
        } else {
            self.0.add_entity((position, velocity));
        }
    }

    fn step(&mut self) {
        self.0.run(
            |mut positions: ViewMut<Position>,
             velocities: View<Velocity>,
             matching: View<Match>| {
                let all = (&mut positions, &velocities, &matching).iter();
                all.for_each(|(position, velocity, _)| position.0 += velocity.0 * DT);
            },
        );
    }

    fn positions(&mut self, mut see: impl FnMut(Vec3)) {
        self.0.run(|positions: View<Position>, matching: View<Match>| {
            (&positions, &matching).iter().for_each(|(position, _)| see(position.0));
        });
    }
}

/// Things of 26 kinds: what they have in common is one array.
pub(crate) struct ShipyardKinds(World);

impl Kinds for ShipyardKinds {
    fn new() -> Self {
        Self(World::new())
    }

    fn spawn(&mut self, kind: usize, data: f32) {
        with_kind!(kind, Kind => { self.0.add_entity((Data(data), Kind::default())); });
    }

    fn scale(&mut self, by: f32) {
        self.0.run(|mut data: ViewMut<Data>| (&mut data).iter().for_each(|data| data.0 *= by));
    }

    fn data(&mut self, mut see: impl FnMut(f32)) {
        self.0.run(|data: View<Data>| data.iter().for_each(|data| see(data.0)));
    }
}

/// Numbers that get and lose the component [`Match`].
pub(crate) struct ShipyardTagging(World);

impl Tagging for ShipyardTagging {
    type Key = EntityId;

    fn new() -> Self {
        Self(World::new())
    }

    fn spawn(&mut self, data: f32) -> EntityId {
        self.0.add_entity((Data(data),))
    }

    fn tag(&mut self, keys: &[EntityId]) {
        self.0.run(|entities: shipyard::EntitiesView, mut matching: ViewMut<Match>| {
            keys.iter().for_each(|&key| entities.add_component(key, &mut matching, Match()));
        });
    }

    fn untag(&mut self, keys: &[EntityId]) {
        use shipyard::Delete;
        self.0.run(|mut matching: ViewMut<Match>| {
            keys.iter().for_each(|&key| {
                matching.delete(key);
            });
        });
    }

    fn tagged(&mut self) -> usize {
        self.0.run(|matching: View<Match>| matching.len())
    }
}
