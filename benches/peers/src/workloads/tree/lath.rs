//! lath, by the calls that its guide shows.

use lath_core::{Handle, Mut, Pool, Ref, Thing};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::forest::{Affine, Forest, Transforms, local};

/// What a thing of these trees is.
pub(super) trait Numbered: Thing<Storage = lath_core::Rows<Self>> {
    fn numbered(number: u32) -> Self;
    fn number(&self) -> u32;
}

#[derive(Thing, Default)]
pub(super) struct Small {
    number: u32,
}

impl Numbered for Small {
    fn numbered(number: u32) -> Self {
        Self { number }
    }

    fn number(&self) -> u32 {
        self.number
    }
}

#[derive(Thing, Default)]
pub(super) struct Placed {
    number: u32,
    local: Affine,
    world: Affine,
}

impl Numbered for Placed {
    fn numbered(number: u32) -> Self {
        Self { number, local: local(number), world: [0.0; 12] }
    }

    fn number(&self) -> u32 {
        self.number
    }
}

/// A pool, and threads for the sweeps if there is to be more than one.
pub(super) struct Lath<T: Thing, const THREADS: usize = 1>(Pool<T>, Option<ThreadPool>);

impl<T: Numbered, const THREADS: usize> Forest for Lath<T, THREADS> {
    type Key = Handle<T>;

    fn new() -> Self {
        let threads = || ThreadPoolBuilder::new().num_threads(THREADS).build().expect("threads");
        Self(Pool::new(), (THREADS > 1).then(threads))
    }

    #[inline(always)]
    fn spawn(&mut self, number: u32) -> Handle<T> {
        self.0.spawn(T::numbered(number))
    }

    #[inline(always)]
    fn spawn_child(&mut self, parent: Handle<T>, number: u32) -> Handle<T> {
        self.0.spawn_child(parent, T::numbered(number)).unwrap()
    }

    fn attach(&mut self, child: Handle<T>, parent: Handle<T>) {
        // A cycle is an error, and nothing happens.
        let _ = self.0.tree_mut().attach(child, parent);
    }

    fn despawn(&mut self, top: Handle<T>) {
        self.0.despawn(top);
    }

    fn walk(&self, root: Handle<T>, mut f: impl FnMut(u32)) {
        self.0.tree().descendants(root).for_each(|at| f(self.0[at].number()));
    }
}

type Places<'a> = (Ref<'a, placed::local>, Mut<'a, placed::world>);

#[inline(always)]
fn place(parent: Option<Ref<'_, placed::world>>, (local, mut world): Places<'_>) {
    *world = parent.map_or(*local, |parent| super::forest::compose(&parent, &local));
}

impl<const THREADS: usize> Transforms for Lath<Placed, THREADS> {
    fn update_all(&mut self, _: &[Handle<Placed>]) {
        let mut tree = self.0.tree_mut();
        match &self.1 {
            None => tree.cascade::<Ref<placed::world>, Places>(place),
            Some(threads) => threads.install(|| tree.par_cascade::<Ref<placed::world>, Places>(place)),
        }
    }

    fn update_below(&mut self, marked: &[Handle<Placed>]) {
        let mut tree = self.0.tree_mut();
        for &top in marked {
            tree.mark(top);
        }
        match &self.1 {
            None => tree.cascade_dirty::<Ref<placed::world>, Places>(place),
            Some(threads) => threads.install(|| tree.par_cascade_dirty::<Ref<placed::world>, Places>(place)),
        };
    }

    fn world(&self, key: Handle<Placed>) -> Affine {
        self.0[key].world
    }
}
