//! bevy_ecs: `World` with prepared queries, by the calls that its documentation recommends for
//! speed: loops over whole tables as slices, without change detection; lookups through one query
//! for all of them. A tag that comes and goes is kept in a sparse set, as its documentation says;
//! one that stays, in a table.

use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_ecs::query::{QueryState, With};
use bevy_ecs::world::World;

use crate::parts::{Data, Health, InParts, Match, Position, Velocity, of_mover, with_kind};
use crate::store::{Clear, Kinds, Lookup, Movers, SpawnMany, Store, Tagging};
use crate::things::{DT, Mover, Vec3};

/// Things in parts.
pub(crate) struct Bevy {
    world: World,
    healths: QueryState<&'static Health>,
}

impl<T: InParts> Store<T> for Bevy {
    type Key = Entity;

    fn new() -> Self {
        let mut world = World::new();
        let healths = world.query();
        Self { world, healths }
    }

    #[inline(always)]
    fn spawn(&mut self, thing: T) -> Entity {
        self.world.spawn(thing.parts()).id()
    }

    #[inline(always)]
    fn despawn(&mut self, key: Entity) {
        self.world.despawn(key);
    }
}

impl<T: InParts> SpawnMany<T> for Bevy {
    #[inline(always)]
    fn spawn_many(&mut self, things: impl ExactSizeIterator<Item = T>, keys: &mut Vec<Entity>) {
        keys.extend(self.world.spawn_batch(things.map(T::parts)));
    }
}

impl<T: InParts> Lookup<T> for Bevy {
    #[inline(always)]
    fn field(&self, key: Entity) -> f32 {
        self.world.get::<Health>(key).map_or(0.0, |health| health.0)
    }

    #[inline(always)]
    fn sum(&mut self, keys: &[Entity]) -> u32 {
        let query = self.healths.query(&self.world);
        let field = |key| query.get(key).map_or(0.0, |health| health.0);
        keys.iter().fold(0, |sum, &key| sum.wrapping_add(field(key).to_bits()))
    }
}

impl Clear for Bevy {
    fn clear(&mut self) {
        self.world.clear_entities();
    }
}

/// Movers, all of which match.
pub(crate) struct BevyMovers {
    world: World,
    moving: QueryState<(&'static mut Position, &'static Velocity)>,
}

impl Movers for BevyMovers {
    fn new() -> Self {
        let mut world = World::new();
        let moving = world.query();
        Self { world, moving }
    }

    fn spawn(&mut self, mover: Mover, _: bool) {
        self.world.spawn(of_mover(mover));
    }

    fn step(&mut self) {
        for (mut positions, velocities) in
            self.moving.contiguous_iter_mut(&mut self.world).expect("in tables")
        {
            step(positions.bypass_change_detection(), velocities);
        }
    }

    fn positions(&mut self, mut see: impl FnMut(Vec3)) {
        self.moving.iter(&self.world).for_each(|(position, _)| see(position.0));
    }
}

/// Movers, some of which have the component [`Match`].
pub(crate) struct BevyMatching {
    world: World,
    moving: QueryState<(&'static mut Position, &'static Velocity), With<Match>>,
}

impl Movers for BevyMatching {
    fn new() -> Self {
        let mut world = World::new();
        let moving = world.query_filtered();
        Self { world, moving }
    }

    fn spawn(&mut self, mover: Mover, matches: bool) {
        if matches {
            self.world.spawn((of_mover(mover), Match()));
        } else {
            self.world.spawn(of_mover(mover));
        }
    }

    fn step(&mut self) {
        for (mut positions, velocities) in
            self.moving.contiguous_iter_mut(&mut self.world).expect("in tables")
        {
            step(positions.bypass_change_detection(), velocities);
        }
    }

    fn positions(&mut self, mut see: impl FnMut(Vec3)) {
        self.moving.iter(&self.world).for_each(|(position, _)| see(position.0));
    }
}

#[inline(always)]
fn step(positions: &mut [Position], velocities: &[Velocity]) {
    for (position, velocity) in positions.iter_mut().zip(velocities) {
        position.0 += velocity.0 * DT;
    }
}

/// Things of 26 kinds: 26 archetypes.
pub(crate) struct BevyKinds {
    world: World,
    data: QueryState<&'static mut Data>,
}

impl Kinds for BevyKinds {
    fn new() -> Self {
        let mut world = World::new();
        let data = world.query();
        Self { world, data }
    }

    fn spawn(&mut self, kind: usize, data: f32) {
        with_kind!(kind, Kind => self.world.spawn((Data(data), Kind::default())));
    }

    fn scale(&mut self, by: f32) {
        for mut data in self.data.contiguous_iter_mut(&mut self.world).expect("in tables") {
            data.bypass_change_detection().iter_mut().for_each(|data| data.0 *= by);
        }
    }

    fn data(&mut self, mut see: impl FnMut(f32)) {
        self.data.iter(&self.world).for_each(|data| see(data.0));
    }
}

/// Comes and goes.
#[derive(Component)]
#[component(storage = "SparseSet")]
struct Tag;

/// Numbers that get and lose the component [`Tag`].
pub(crate) struct BevyTagging {
    world: World,
    tagged: QueryState<(), With<Tag>>,
}

impl Tagging for BevyTagging {
    type Key = Entity;

    fn new() -> Self {
        let mut world = World::new();
        let tagged = world.query_filtered();
        Self { world, tagged }
    }

    fn spawn(&mut self, data: f32) -> Entity {
        self.world.spawn(Data(data)).id()
    }

    fn tag(&mut self, keys: &[Entity]) {
        for &key in keys {
            self.world.entity_mut(key).insert(Tag);
        }
    }

    fn untag(&mut self, keys: &[Entity]) {
        for &key in keys {
            self.world.entity_mut(key).remove::<Tag>();
        }
    }

    fn tagged(&mut self) -> usize {
        self.tagged.iter(&self.world).count()
    }
}
