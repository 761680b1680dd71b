//! flecs: entities with `ChildOf`, ordered children, and transforms by a query that goes down the
//! tree (`cascade`), as its example for hierarchies does. What has changed is marked in a
//! component, as raw does; flecs looks for no cycles, so that is done here.

use flecs_ecs::prelude::*;

use super::forest::{Affine, Forest, Transforms, compose, local};

#[derive(Component)]
struct Number(u32);

#[derive(Component)]
struct Local(Affine);

#[derive(Component)]
struct Place(Affine);

#[derive(Component)]
struct Marked(bool);

/// What an entity of a tree is made of.
pub(super) trait Kind: 'static {
    fn set(entity: EntityView<'_>, number: u32);
}

pub(super) struct Small;

impl Kind for Small {
    fn set(entity: EntityView<'_>, number: u32) {
        entity.set(Number(number));
    }
}

pub(super) struct Placed;

impl Kind for Placed {
    fn set(entity: EntityView<'_>, number: u32) {
        entity.set(Local(local(number))).set(Place([0.0; 12])).set(Marked(false));
    }
}

type Places = Query<(&'static Local, Option<&'static Place>, &'static mut Place)>;

pub(super) struct Flecs<K> {
    places: Places,
    world: World,
    _kind: std::marker::PhantomData<K>,
}

impl<K> Flecs<K> {
    fn at(&self, key: Entity) -> EntityView<'_> {
        self.world.entity_from_id(key)
    }
}

impl<K: Kind> Forest for Flecs<K> {
    type Key = Entity;

    fn new() -> Self {
        let world = World::new();
        let places = world.query().term_at(1).parent().cascade().set_cached().build();
        Self { places, world, _kind: std::marker::PhantomData }
    }

    fn spawn(&mut self, number: u32) -> Entity {
        let entity = self.world.entity().add(flecs::OrderedChildren::ID);
        K::set(entity, number);
        entity.id()
    }

    fn spawn_child(&mut self, parent: Entity, number: u32) -> Entity {
        let entity = self.world.entity().add(flecs::OrderedChildren::ID).child_of(parent);
        K::set(entity, number);
        entity.id()
    }

    fn attach(&mut self, child: Entity, parent: Entity) {
        let mut above = Some(self.at(parent));
        while let Some(at) = above {
            if at.id() == child {
                return;
            }
            above = at.parent();
        }
        let child = self.at(child);
        if child.parent().is_some_and(|at| at.id() == parent) {
            child.remove((flecs::ChildOf::ID, parent)); // it would stay where it is among its siblings; everybody else puts it last
        }
        child.child_of(parent);
    }

    fn despawn(&mut self, top: Entity) {
        self.at(top).destruct();
    }

    fn walk(&self, root: Entity, mut f: impl FnMut(u32)) {
        below(self.at(root), &mut f);
    }
}

/// Children, each followed by its own.
fn below(parent: EntityView<'_>, f: &mut impl FnMut(u32)) {
    parent.each_child(|child| {
        f(child.get::<&Number>(|number| number.0));
        below(child, f);
    });
}

/// Computes the place of an entity, and of all below it.
fn place(entity: EntityView<'_>, above: Option<Affine>) {
    let place_of = |local: &Affine| above.map_or(*local, |above| compose(&above, local));
    let world = entity.get::<(&Local, &mut Place)>(|(local, place)| {
        place.0 = place_of(&local.0);
        place.0
    });
    entity.each_child(|child| place(child, Some(world)));
}

impl Flecs<Placed> {
    fn mark(&self, marked: &[Entity], is: bool) {
        marked.iter().for_each(|&top| self.at(top).get::<&mut Marked>(|marked| marked.0 = is));
    }
}

impl Transforms for Flecs<Placed> {
    fn update_all(&mut self, _: &[Entity]) {
        self.places.each(|(local, above, place)| {
            place.0 = above.map_or(local.0, |above| compose(&above.0, &local.0))
        });
    }

    fn update_below(&mut self, marked: &[Entity]) {
        self.mark(marked, true);
        for &top in marked {
            let mut above = self.at(top).parent();
            while let Some(at) = above.filter(|at| !at.get::<&Marked>(|marked| marked.0)) {
                above = at.parent();
            }
            if above.is_none() {
                let outer =
                    self.at(top).parent().map(|parent| parent.get::<&Place>(|place| place.0));
                place(self.at(top), outer);
            }
        }
        self.mark(marked, false);
    }

    fn world(&self, key: Entity) -> Affine {
        self.at(key).get::<&Place>(|place| place.0)
    }
}
