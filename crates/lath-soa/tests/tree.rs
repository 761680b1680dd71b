//! Trees beside columns: links, sweeps and whole subtrees do the same as beside rows.

use fastrand::Rng;
use lath_core::bitflags::bitflags;
use lath_core::{Handle, Mut, Orphans, Pool, Ref, Thing, View};

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    struct Tags: u32 {
        const HIDDEN = 1;
        const NEVER = 2;
    }
}

/// The whole test, for one layout: what came out, to be compared.
macro_rules! for_layout {
    ($module:ident, $layout:ident, |$part:ident: $mutable:ty| $held_by:expr) => {
        mod $module {
            use super::*;

            #[derive(Thing, Clone, Default)]
            #[thing($layout)]
            pub(super) struct Part {
                #[thing(tags)]
                tags: Tags,
                local: u64,
                world: u64,
                total: u64,
                held_by: Handle<Part>,
                #[thing(cold)]
                name: String,
            }

            #[derive(View)]
            #[view(Part, without = Tags::HIDDEN)]
            struct World<'a> {
                local: &'a u64,
                world: &'a mut u64,
            }

            #[derive(View)]
            #[view(Part, with = Tags::NEVER)]
            struct Nobody<'a> {
                world: &'a mut u64,
            }

            fn held_by<'a>($part: &'a mut $mutable) -> &'a mut Handle<Part> {
                $held_by
            }

            pub(super) fn play(seed: u64) -> Vec<(u64, u64, u64, u64)> {
                let mut random = Rng::with_seed(seed);
                let mut pool = Pool::new();
                let mut all: Vec<Handle<Part>> = Vec::new();
                for local in 0..3000 {
                    let tags = if random.u8(..9) == 0 { Tags::HIDDEN } else { Tags::empty() };
                    let name = if random.u8(..9) == 0 { local.to_string() } else { String::new() };
                    all.push(pool.spawn(Part { tags, local, name, ..Default::default() }));
                    let (child, parent) =
                        (all[random.usize(..all.len())], all[random.usize(..all.len())]);
                    let _ = pool.tree_mut().attach(child, parent);
                    if random.u8(..20) == 0 {
                        let gone = all.swap_remove(random.usize(..all.len()));
                        pool.despawn_with(
                            gone,
                            [Orphans::Adopt, Orphans::Detach][random.usize(..2)],
                        );
                    }
                }
                assert_eq!(pool.check_invariants(), Ok(()));

                pool.tree_mut().sweep::<Ref<part::world>, World>().down(|parent, me| {
                    *me.world =
                        parent.map_or(7, |parent| *parent).wrapping_mul(31).wrapping_add(*me.local);
                });
                let mut seen = 0;
                pool.tree_mut()
                    .sweep::<Ref<part::world>, Nobody>()
                    .down(|_, me| seen += *me.world | 1);
                assert_eq!(seen, 0);
                pool.tree_mut()
                    .sweep::<Ref<part::total>, (Mut<part::total>, Ref<part::local>)>()
                    .up(|children, (mut total, local)| {
                        *total = *local + children.map(|child| *child).sum::<u64>()
                    });
                for &part in all.iter().step_by(17) {
                    pool.tree_mut().mark(part);
                }
                pool.tree_mut()
                    .sweep::<Ref<part::world>, World>()
                    .down_dirty(|_, me| *me.world ^= 1);
                let (tree, mut things) = pool.tree_and_things();
                for root in tree.roots() {
                    for below in tree.descendants(root) {
                        *things.view_mut::<Mut<part::held_by>>().get_mut(below).unwrap() = root;
                    }
                }

                // Every tree moves to another pool and back.
                let mut other = Pool::new();
                let roots: Vec<_> = pool.tree().roots().collect();
                for root in roots {
                    other.graft(pool.take_tree(root).unwrap(), |mut part, new| {
                        let held_by = held_by(&mut part);
                        *held_by = new.get(*held_by).unwrap_or_default();
                    });
                }
                assert_eq!((pool.check_invariants(), other.check_invariants()), (Ok(()), Ok(())));
                let look = |part: Handle<Part>| {
                    let (tree, root) = (other.tree(), other.tree().root_of(part));
                    type Seen<'a> =
                        (Ref<'a, part::held_by>, Ref<'a, part::world>, Ref<'a, part::total>);
                    let (held_by, world, total) = other.view::<Seen>().get(part).unwrap();
                    assert_eq!(*held_by, if root == part { Handle::NIL } else { root });
                    let name = other.view::<Option<Ref<part::name>>>().get(part).unwrap();
                    (
                        *world,
                        *total,
                        name.map_or(0, |name| name.len() as u64),
                        tree.depth(part) as u64,
                    )
                };
                other.handles().map(look).collect()
            }
        }
    };
}

for_layout!(in_columns, columns, |part: PartMut<'_>| part.held_by);
for_layout!(in_rows, rows, |part: &mut Part| &mut part.held_by);

#[test]
fn trees_beside_columns_do_what_they_do_beside_rows() {
    for seed in 0..5 {
        assert_eq!(in_columns::play(seed), in_rows::play(seed));
    }
}
