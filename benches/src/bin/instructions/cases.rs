//! The hot paths, one step of each many times over.
//!
//! What a case sets up does not depend on the number of rounds, so that the difference between two
//! numbers of rounds is nothing but steps.

use std::hint::black_box;

use lath_core::bitflags::bitflags;
use lath_core::{Handle, Mut, Pool, Ref, Thing};
use lath_schedule::{Schedule, World};

use crate::callgrind::MANY;

/// One hot path.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// Steps in a round.
    pub(crate) steps: u32,
    /// Sets up, and does the steps of so many rounds, at most [`MANY`].
    pub(crate) run: fn(u32),
}

/// Things in a round.
const THINGS: u32 = 4096;
/// Things in all rounds, for what can be done to each only once.
const ALL: u32 = THINGS * MANY;

/// Every case, in the order in which they are shown.
pub(crate) const CASES: &[Case] = &[
    case("get-rows", "`get` with a live handle, rows", rows::get),
    case("get-stale", "`get` with a stale handle, rows", rows::get_stale),
    case("read-rows", "`read` with a live handle, rows", rows::read),
    case("look-rows", "`get` of a view, live handles, rows", rows::look),
    case("view-columns", "`view` of one field, columns", columns::view),
    case("view-hot", "`view` of a hot field, columns", columns::view_hot),
    case("look-columns", "`get` of a view of one field, columns", columns::look),
    case("look-hot", "`get` of a view of a hot field, columns", columns::look_hot),
    case("spawn-rows", "`spawn` into a slot that was used before, rows", rows::spawn),
    case("spawn-columns", "`spawn` into a slot that was used before, columns", columns::spawn),
    case("spawn-tagged", "`spawn` of a thing that can have tags, columns", tagged::spawn),
    case("spawn-fresh", "`spawn` into a new pool, its growth included, rows", rows::spawn_fresh),
    case("despawn-rows", "`despawn`, rows", rows::despawn),
    case("despawn-columns", "`despawn`, columns", columns::despawn),
    case("despawn-tagged", "`despawn` of a thing that can have tags, columns", tagged::despawn),
    case("attach", "`attach` of a leaf below a thing that has children", rows::attach),
    case("detach", "`detach` of a child between others", rows::detach),
    case("spawn-child", "`spawn_child` below a thing that has children", rows::spawn_child),
    case("despawn-leaf", "`despawn` of a leaf, rows", rows::despawn_leaf),
    case("despawn-subtree", "one thing of a `despawn` of 1 + 15 below it", rows::despawn_subtree),
    case("retain", "one thing of `retain`, half of them go, rows", rows::retain),
    case("clear", "one thing of `clear`, rows", rows::clear),
    case("each-rows", "one thing of `each`, three floats, rows", rows::each),
    case("each-columns", "one thing of `each`, three floats, columns", columns::each),
    case(
        "each-holes",
        "one thing of `each` where every other slot is free, columns",
        columns::each_holes,
    ),
    case("zip-slices", "the same as each-columns by zipped slices, as others do it", zip_slices),
    case("iter-rows", "one thing of `for … in &pool`, rows", rows::iter),
    case("insert-tags", "`insert_tags` of one tag", tagged::insert_tags),
    case("remove-tags", "`remove_tags` of one tag", tagged::remove_tags),
    Case {
        name: "empty-system",
        about: "one system that does nothing, on the caller's thread",
        steps: SYSTEMS * RUNS,
        run: empty_system,
    },
];

const fn case(name: &'static str, about: &'static str, run: fn(u32)) -> Case {
    Case { name, about, steps: THINGS, run }
}

#[derive(Clone, Copy, Default)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

impl std::ops::AddAssign for Vec3 {
    fn add_assign(&mut self, other: Self) {
        self.x += other.x;
        self.y += other.y;
        self.z += other.z;
    }
}

impl std::ops::Mul<f32> for Vec3 {
    type Output = Self;
    fn mul(self, by: f32) -> Self {
        Self { x: self.x * by, y: self.y * by, z: self.z * by }
    }
}

bitflags! {
    #[derive(Clone, Copy, Default)]
    struct Tags: u32 { const MARKED = 1; }
}

/// What both layouts do alike, with tags and without.
macro_rules! alike {
    ($layout:ident, $Body:ident $(, $tags:ident)?) => {
        #[derive(Thing, Clone, Copy, Default)]
        #[thing($layout)]
        struct $Body {
            $(#[thing($tags)] tags: Tags,)?
            pos: Vec3,
            vel: Vec3,
            #[thing(hot)]
            heat: f32,
        }

        fn new(n: u32) -> $Body {
            $Body { vel: Vec3 { x: n as f32, ..Vec3::default() }, heat: 1.0, ..$Body::default() }
        }

        fn pool(count: u32) -> (Pool<$Body>, Vec<Handle<$Body>>) {
            let mut pool = Pool::new();
            let handles = (0..count).map(|n| pool.spawn(new(n))).collect();
            (pool, handles)
        }

        /// The handles of this many rounds.
        fn part(handles: &[Handle<$Body>], rounds: u32) -> &[Handle<$Body>] {
            &handles[..(rounds * THINGS) as usize]
        }

        pub(super) fn spawn(rounds: u32) {
            let (mut pool, mut handles) = pool(ALL);
            pool.clear();
            handles.clear();
            for n in 0..rounds * THINGS {
                handles.push(pool.spawn(new(n)));
            }
            assert_eq!(pool.len(), handles.len());
        }

        pub(super) fn despawn(rounds: u32) {
            let (mut pool, handles) = pool(ALL);
            for &handle in part(&handles, rounds) {
                pool.despawn(handle);
            }
            assert_eq!(pool.len(), (ALL - rounds * THINGS) as usize);
        }
    };
}

/// The loop of both layouts.
macro_rules! steps {
    ($Body:ident, $body:ident) => {
        /// `pos += vel · dt` by an ordinary closure.
        fn step(pool: &mut Pool<$Body>, rounds: u32) {
            let dt = black_box(0.1);
            for _ in 0..rounds {
                pool.view_mut::<(Mut<$body::pos>, Ref<$body::vel>)>()
                    .each(|(mut pos, vel)| *pos += *vel * dt);
            }
            black_box(pool);
        }

        pub(super) fn each(rounds: u32) {
            step(&mut pool(THINGS).0, rounds);
        }
    };
}

mod rows {
    use super::*;

    alike!(rows, RowBody);
    steps!(RowBody, row_body);

    fn sum_of_gets(pool: &Pool<RowBody>, handles: &[Handle<RowBody>], rounds: u32) -> f32 {
        let mut sum = 0.0;
        for _ in 0..rounds {
            sum += handles
                .iter()
                .map(|&handle| pool.get(handle).map_or(0.0, |body| body.heat))
                .sum::<f32>();
        }
        sum
    }

    pub(super) fn get(rounds: u32) {
        let (pool, handles) = pool(THINGS);
        assert_eq!(sum_of_gets(&pool, &handles, rounds), (rounds * THINGS) as f32);
    }

    pub(super) fn look(rounds: u32) {
        let (pool, handles) = pool(THINGS);
        let mut sum = 0.0;
        for _ in 0..rounds {
            let bodies = pool.view::<&RowBody>();
            sum += handles
                .iter()
                .map(|&handle| bodies.get(handle).map_or(0.0, |body| body.heat))
                .sum::<f32>();
        }
        assert_eq!(sum, (rounds * THINGS) as f32);
    }

    pub(super) fn get_stale(rounds: u32) {
        let (mut pool, handles) = pool(THINGS);
        pool.clear();
        pool.extend((0..THINGS).map(new));
        assert_eq!(sum_of_gets(&pool, &handles, rounds), 0.0);
    }

    pub(super) fn read(rounds: u32) {
        let (pool, handles) = pool(THINGS);
        let mut sum = 0.0;
        for _ in 0..rounds {
            sum += handles.iter().map(|&handle| pool.read(handle).heat).sum::<f32>();
        }
        assert_eq!(sum, (rounds * THINGS) as f32);
    }

    pub(super) fn spawn_fresh(rounds: u32) {
        let (pool, _) = pool(rounds * THINGS);
        assert_eq!(pool.len(), (rounds * THINGS) as usize);
    }

    pub(super) fn attach(rounds: u32) {
        let (mut pool, handles) = pool(ALL + 1);
        let (root, mut tree) = (handles[ALL as usize], pool.tree_mut());
        tree.attach(handles[ALL as usize - 1], root).expect("both are there");
        tree.detach(handles[ALL as usize - 1]).expect("it is there");
        for &handle in part(&handles, rounds) {
            tree.attach(handle, root).expect("both are there");
        }
        assert_eq!(pool.tree().child_count(root), (rounds * THINGS) as usize);
    }

    pub(super) fn detach(rounds: u32) {
        let (mut pool, handles) = pool(ALL + 1);
        let (root, mut tree) = (handles[ALL as usize], pool.tree_mut());
        for &handle in part(&handles, MANY) {
            tree.attach(handle, root).expect("both are there");
        }
        for &handle in part(&handles, rounds) {
            tree.detach(handle).expect("it is there");
        }
        black_box(&pool);
    }

    pub(super) fn spawn_child(rounds: u32) {
        let (mut pool, handles) = pool(2);
        pool.tree_mut().attach(handles[1], handles[0]).expect("both are there");
        for n in 0..rounds * THINGS {
            assert!(pool.spawn_child(handles[0], new(n)).is_ok());
        }
        assert_eq!(pool.len(), (rounds * THINGS) as usize + 2);
    }

    /// Roots with 15 below each: three, and four below each of those.
    fn forest() -> (Pool<RowBody>, Vec<Handle<RowBody>>) {
        let (mut pool, mut handles) = pool(ALL);
        for branch in handles.chunks(16) {
            for n in 1..16 {
                let parent = if n % 5 == 1 { 0 } else { n - (n - 1) % 5 };
                pool.tree_mut().attach(branch[n], branch[parent]).expect("both are there");
            }
        }
        (pool, std::mem::take(&mut handles))
    }

    pub(super) fn despawn_leaf(rounds: u32) {
        let (mut pool, handles) = forest();
        let leaves = handles.iter().enumerate().filter(|(n, _)| n % 16 % 5 != 1 && n % 16 != 0);
        for (_, &handle) in leaves.take((rounds * THINGS / 2) as usize) {
            pool.despawn(handle);
        }
        assert_eq!(pool.len(), (ALL - rounds * THINGS / 2) as usize);
    }

    pub(super) fn despawn_subtree(rounds: u32) {
        let (mut pool, handles) = forest();
        for &top in part(&handles, rounds).iter().step_by(16) {
            pool.despawn(top);
        }
        assert_eq!(pool.len(), (ALL - rounds * THINGS) as usize);
    }

    pub(super) fn retain(rounds: u32) {
        let (mut pool, _) = pool(rounds * THINGS);
        pool.retain(|handle, body| handle.index() % 2 == 0 || body.heat < 1.0);
        assert_eq!(pool.len(), (rounds * THINGS / 2) as usize);
    }

    pub(super) fn clear(rounds: u32) {
        let (mut pool, _) = pool(rounds * THINGS);
        pool.clear();
        assert!(pool.is_empty());
    }

    pub(super) fn iter(rounds: u32) {
        let (pool, _) = pool(THINGS);
        let mut sum = 0.0;
        for _ in 0..rounds {
            for (_, body) in &pool {
                sum += body.heat;
            }
        }
        assert_eq!(sum, (rounds * THINGS) as f32);
    }
}

mod columns {
    use super::*;

    alike!(columns, ColumnBody);
    steps!(ColumnBody, column_body);

    pub(super) fn view(rounds: u32) {
        let (pool, handles) = pool(THINGS);
        let mut sum = 0.0;
        for _ in 0..rounds {
            let field = |&handle: &_| {
                pool.view::<Ref<column_body::pos>>().get(handle).map_or(1.0, |pos| pos.x)
            };
            sum += handles.iter().map(field).sum::<f32>();
        }
        assert_eq!(sum, 0.0);
    }

    pub(super) fn look(rounds: u32) {
        let (pool, handles) = pool(THINGS);
        let mut sum = 0.0;
        for _ in 0..rounds {
            let places = pool.view::<Ref<column_body::pos>>();
            sum += handles
                .iter()
                .map(|&handle| places.get(handle).map_or(1.0, |pos| pos.x))
                .sum::<f32>();
        }
        assert_eq!(sum, 0.0);
    }

    pub(super) fn look_hot(rounds: u32) {
        let (pool, handles) = pool(THINGS);
        let mut sum = 0.0;
        for _ in 0..rounds {
            let heat = pool.view::<Ref<column_body::heat>>();
            sum += handles
                .iter()
                .map(|&handle| heat.get(handle).map_or(0.0, |heat| *heat))
                .sum::<f32>();
        }
        assert_eq!(sum, (rounds * THINGS) as f32);
    }

    pub(super) fn view_hot(rounds: u32) {
        let (pool, handles) = pool(THINGS);
        let mut sum = 0.0;
        for _ in 0..rounds {
            let field = |&handle: &_| {
                pool.view::<Ref<column_body::heat>>().get(handle).map_or(0.0, |heat| *heat)
            };
            sum += handles.iter().map(field).sum::<f32>();
        }
        assert_eq!(sum, (rounds * THINGS) as f32);
    }

    pub(super) fn each_holes(rounds: u32) {
        let (mut pool, handles) = pool(2 * THINGS);
        handles.iter().step_by(2).for_each(|&handle| assert!(pool.despawn(handle)));
        step(&mut pool, rounds);
    }
}

mod tagged {
    use super::*;

    alike!(columns, TaggedBody, tags);

    pub(super) fn insert_tags(rounds: u32) {
        let (mut pool, handles) = pool(ALL);
        pool.insert_tags(handles[ALL as usize - 1], Tags::MARKED);
        pool.remove_tags(handles[ALL as usize - 1], Tags::MARKED);
        for &handle in part(&handles, rounds) {
            pool.insert_tags(handle, Tags::MARKED);
        }
        assert_eq!(pool.count_tagged(Tags::MARKED), (rounds * THINGS) as usize);
    }

    pub(super) fn remove_tags(rounds: u32) {
        let (mut pool, handles) = pool(ALL);
        for &handle in &handles {
            pool.insert_tags(handle, Tags::MARKED);
        }
        for &handle in part(&handles, rounds) {
            pool.remove_tags(handle, Tags::MARKED);
        }
        assert_eq!(pool.count_tagged(Tags::MARKED), (ALL - rounds * THINGS) as usize);
    }
}

/// `pos += vel · dt` by the zipped slices that everybody else uses.
fn zip_slices(rounds: u32) {
    let (mut pos, vel, dt) =
        (vec![Vec3::default(); THINGS as usize], vec![Vec3::default(); THINGS as usize], 0.1);
    let (vel, dt) = black_box((vel, dt));
    for _ in 0..rounds {
        for (pos, vel) in pos.iter_mut().zip(&vel) {
            *pos += *vel * dt;
        }
        black_box(&mut pos);
    }
}

const SYSTEMS: u32 = 100;
/// Runs in a round: a schedule looks at the clock in one run of 64.
const RUNS: u32 = 64;

fn empty_system(rounds: u32) {
    fn empty() {}
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    for _ in 0..SYSTEMS {
        schedule.add(empty);
    }
    for _ in 0..rounds * RUNS {
        schedule.run_serial(&mut world);
    }
}
