//! bevy_ecs: entities with `ChildOf` and `Children`, which it keeps up to date by itself; and
//! transforms, once by a loop of our own over its queries, once by the systems of bevy_transform.
//!
//! bevy_ecs looks for no cycles, so that is done here. A loop of our own marks what has changed in
//! a component, as raw does; bevy_transform goes by bevy's change detection.

use std::cell::RefCell;

use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_ecs::hierarchy::{ChildOf, Children};
use bevy_ecs::query::QueryState;
use bevy_ecs::schedule::{IntoScheduleConfigs, Schedule, SingleThreadedExecutor};
use bevy_ecs::world::World;
use bevy_transform::components::{GlobalTransform, Transform};
use bevy_transform::systems::{
    StaticTransformOptimizations, mark_dirty_trees, propagate_parent_transforms,
    sync_simple_transforms,
};

use super::forest::{Affine, Forest, Transforms, angle, compose, local};

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
    fn parts(number: u32) -> impl bevy_ecs::bundle::Bundle;
}

pub(super) struct Small;

impl Kind for Small {
    fn parts(number: u32) -> impl bevy_ecs::bundle::Bundle {
        Number(number)
    }
}

pub(super) struct Placed;

impl Kind for Placed {
    fn parts(number: u32) -> impl bevy_ecs::bundle::Bundle {
        (Local(local(number)), Place([0.0; 12]), Marked(false))
    }
}

type Places = QueryState<(&'static Local, &'static mut Place, Option<&'static Children>)>;

pub(super) struct Bevy<K> {
    world: World,
    children: RefCell<QueryState<&'static Children>>,
    numbers: RefCell<QueryState<&'static Number>>,
    parents: QueryState<&'static ChildOf>,
    marks: QueryState<(&'static mut Marked, Option<&'static ChildOf>)>,
    places: Places,
    stack: Vec<(Entity, Option<Affine>)>,
    _kind: std::marker::PhantomData<K>,
}

impl<K: Kind> Forest for Bevy<K> {
    type Key = Entity;

    fn new() -> Self {
        let mut world = World::new();
        let (children, numbers) = (RefCell::new(world.query()), RefCell::new(world.query()));
        let (parents, marks, places) = (world.query(), world.query(), world.query());
        Self {
            world,
            children,
            numbers,
            parents,
            marks,
            places,
            stack: Vec::new(),
            _kind: std::marker::PhantomData,
        }
    }

    fn spawn(&mut self, number: u32) -> Entity {
        self.world.spawn(K::parts(number)).id()
    }

    fn spawn_child(&mut self, parent: Entity, number: u32) -> Entity {
        self.world.spawn((K::parts(number), ChildOf(parent))).id()
    }

    fn attach(&mut self, child: Entity, parent: Entity) {
        let parents = self.parents.query(&self.world);
        if child != parent && parents.iter_ancestors(parent).all(|above| above != child) {
            self.world.entity_mut(child).insert(ChildOf(parent));
        }
    }

    fn despawn(&mut self, top: Entity) {
        self.world.despawn(top);
    }

    fn walk(&self, root: Entity, mut f: impl FnMut(u32)) {
        let (mut children, mut numbers) = (self.children.borrow_mut(), self.numbers.borrow_mut());
        let (children, numbers) = (children.query(&self.world), numbers.query(&self.world));
        children
            .iter_descendants_depth_first(root)
            .for_each(|at| f(numbers.get(at).expect("has a number").0));
    }
}

impl Bevy<Placed> {
    /// Computes the places of what is on the stack, and of all below it.
    fn place(&mut self) {
        let mut places = self.places.query_mut(&mut self.world);
        while let Some((at, above)) = self.stack.pop() {
            let Ok((local, mut place, children)) = places.get_mut(at) else { continue };
            let world = above.map_or(local.0, |above| compose(&above, &local.0));
            place.bypass_change_detection().0 = world;
            if let Some(children) = children {
                self.stack.extend(children.iter().map(|&child| (child, Some(world))));
            }
        }
    }

    fn mark(&mut self, marked: &[Entity], is: bool) {
        let mut marks = self.marks.query_mut(&mut self.world);
        for &top in marked {
            marks.get_mut(top).expect("is there").0.bypass_change_detection().0 = is;
        }
    }
}

impl Transforms for Bevy<Placed> {
    fn update_all(&mut self, roots: &[Entity]) {
        self.stack.extend(roots.iter().map(|&root| (root, None)));
        self.place();
    }

    fn update_below(&mut self, marked: &[Entity]) {
        self.mark(marked, true);
        for &top in marked {
            let marks = self.marks.query(&self.world);
            let parent =
                |at| marks.get(at).ok().and_then(|(_, child_of)| child_of).map(ChildOf::parent);
            let mut above = parent(top);
            while let Some(at) =
                above.filter(|&at| marks.get(at).is_ok_and(|(marked, _)| !marked.0))
            {
                above = parent(at);
            }
            if above.is_none() {
                let outer = parent(top)
                    .and_then(|parent| self.world.get::<Place>(parent))
                    .map(|place| place.0);
                self.stack.push((top, outer));
                self.place();
            }
        }
        self.mark(marked, false);
    }

    fn world(&self, key: Entity) -> Affine {
        self.world.get::<Place>(key).expect("is there").0
    }
}

/// What bevy's own engine does.
pub(super) struct BevyTransform {
    world: World,
    systems: Schedule,
    transforms: QueryState<&'static mut Transform>,
}

impl Forest for BevyTransform {
    type Key = Entity;

    fn new() -> Self {
        let mut world = World::new();
        world.init_resource::<StaticTransformOptimizations>();
        // One of the systems spreads the roots over bevy's threads, whatever the schedule says.
        bevy_tasks::ComputeTaskPool::get_or_init(bevy_tasks::TaskPool::default);
        let mut systems = Schedule::default();
        systems.set_executor(SingleThreadedExecutor::new());
        systems.add_systems(
            (mark_dirty_trees, propagate_parent_transforms, sync_simple_transforms).chain(),
        );
        let transforms = world.query();
        Self { world, systems, transforms }
    }

    fn spawn(&mut self, number: u32) -> Entity {
        self.world.spawn(transform(number)).id()
    }

    fn spawn_child(&mut self, parent: Entity, number: u32) -> Entity {
        self.world.spawn((transform(number), ChildOf(parent))).id()
    }

    fn attach(&mut self, child: Entity, parent: Entity) {
        self.world.entity_mut(child).insert(ChildOf(parent));
    }

    fn despawn(&mut self, top: Entity) {
        self.world.despawn(top);
    }

    fn walk(&self, _: Entity, _: impl FnMut(u32)) {
        unreachable!("it has transforms and no numbers");
    }
}

impl Transforms for BevyTransform {
    /// Transforms are a turn, a scale and a step, not a matrix: what is computed with them is
    /// rounded in other places.
    const EXACT: bool = false;

    fn touch(&mut self, keys: &[Entity]) {
        let mut transforms = self.transforms.query_mut(&mut self.world);
        for &key in keys {
            transforms.get_mut(key).expect("is there").set_changed();
        }
    }

    fn update_all(&mut self, _: &[Entity]) {
        self.systems.run(&mut self.world);
    }

    fn update_below(&mut self, _: &[Entity]) {
        self.systems.run(&mut self.world);
    }

    fn world(&self, key: Entity) -> Affine {
        let affine = self.world.get::<GlobalTransform>(key).expect("is there").affine();
        let [x, y, z] = [affine.matrix3.x_axis, affine.matrix3.y_axis, affine.matrix3.z_axis];
        let step = affine.translation;
        [x.x, y.x, z.x, step.x, x.y, y.y, z.y, step.y, x.z, y.z, z.z, step.z]
    }
}

/// The same turn and step as `local`.
fn transform(number: u32) -> Transform {
    let affine = local(number);
    let mut transform = Transform::from_xyz(affine[3], affine[7], affine[11]);
    transform.rotate_z(angle(number));
    transform
}
