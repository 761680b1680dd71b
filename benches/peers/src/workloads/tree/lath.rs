//! lath, by the calls that its guide shows.

use lath_core::{Handle, Mut, Pool, Ref, Thing};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::forest::{Affine, Forest, Transforms, local};

/// What a thing of these trees is, in either layout.
pub(super) trait Numbered: Thing {
    fn numbered(number: u32) -> Self;
    fn number(pool: &Pool<Self>, handle: Handle<Self>) -> u32;
}

macro_rules! things {
    ($layout:ident, $Small:ident, $Placed:ident, $placed:ident, |$pool:ident, $at:ident| $number:expr) => {
        #[derive(Thing, Default)]
        #[thing($layout)]
        pub(super) struct $Small {
            number: u32,
        }

        impl Numbered for $Small {
            fn numbered(number: u32) -> Self {
                Self { number }
            }

            #[inline(always)]
            fn number($pool: &Pool<Self>, $at: Handle<Self>) -> u32 {
                $number
            }
        }

        #[derive(Thing, Default)]
        #[thing($layout)]
        pub(super) struct $Placed {
            number: u32,
            local: Affine,
            world: Affine,
        }

        impl Numbered for $Placed {
            fn numbered(number: u32) -> Self {
                Self { number, local: local(number), world: [0.0; 12] }
            }

            #[inline(always)]
            fn number($pool: &Pool<Self>, $at: Handle<Self>) -> u32 {
                $number
            }
        }

        impl<const THREADS: usize> Transforms for Lath<$Placed, THREADS> {
            fn update_all(&mut self, _: &[Handle<$Placed>]) {
                let mut tree = self.0.tree_mut();
                match &self.1 {
                    None => tree.sweep::<Ref<$placed::world>, (Ref<$placed::local>, Mut<$placed::world>)>().down(
                        |parent, (local, mut world)| *world = place(parent.as_deref(), &local),
                    ),
                    Some(threads) => threads.install(|| {
                        tree.sweep::<Ref<$placed::world>, (Ref<$placed::local>, Mut<$placed::world>)>().par_down(
                            |parent, (local, mut world)| *world = place(parent.as_deref(), &local),
                        );
                    }),
                }
            }

            fn update_below(&mut self, marked: &[Handle<$Placed>]) {
                let mut tree = self.0.tree_mut();
                for &top in marked {
                    tree.mark(top);
                }
                match &self.1 {
                    None => tree.sweep::<Ref<$placed::world>, (Ref<$placed::local>, Mut<$placed::world>)>().down_dirty(
                        |parent, (local, mut world)| *world = place(parent.as_deref(), &local),
                    ),
                    Some(threads) => threads.install(|| {
                        tree.sweep::<Ref<$placed::world>, (Ref<$placed::local>, Mut<$placed::world>)>().par_down_dirty(
                            |parent, (local, mut world)| *world = place(parent.as_deref(), &local),
                        )
                    }),
                };
            }

            fn world(&self, key: Handle<$Placed>) -> Affine {
                self.0.view::<Ref<$placed::world>>().get(key).map_or([0.0; 12], |world| *world)
            }
        }
    };
}

things!(rows, Small, Placed, placed, |pool, at| pool[at].number);
things!(columns, ColumnSmall, ColumnPlaced, column_placed, |pool, at| *pool.read(at).number);

#[inline(always)]
fn place(parent: Option<&Affine>, local: &Affine) -> Affine {
    parent.map_or(*local, |parent| super::forest::compose(parent, local))
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
        self.0.tree().descendants(root).for_each(|at| f(T::number(&self.0, at)));
    }
}
