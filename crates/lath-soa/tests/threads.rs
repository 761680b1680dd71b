//! Columns under several threads: things with hot, cold and plain fields are staged while others
//! look, and loops and sweeps that are shared out leave what one thread leaves.
//!
//! The loops are short, so that they also run under ThreadSanitizer.

use std::collections::BTreeSet;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use lath_core::bitflags::bitflags;
use lath_core::{Handle, Mut, Pool, Ref, Thing, View};

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    struct Tags: u32 {
        const LEFT = 1;
        const RIGHT = 2;
    }
}

#[derive(Thing, Clone, Default)]
#[thing(columns)]
struct Crew {
    #[thing(tags)]
    tags: Tags,
    number: u64,
    #[thing(hot)]
    twice: u64,
    /// The number again, for every third; a half-written thing would show.
    #[thing(cold)]
    name: String,
    /// For every other one.
    #[thing(cold)]
    badge: Badge,
    plain: f32,
}

/// Counts how many there are.
#[derive(Debug, PartialEq)]
struct Badge(u64);

static BADGES: AtomicUsize = AtomicUsize::new(0);

impl Badge {
    fn new(number: u64) -> Self {
        BADGES.fetch_add(1, Ordering::Relaxed);
        Self(number)
    }
}

impl Default for Badge {
    fn default() -> Self {
        Self::new(0)
    }
}

impl Clone for Badge {
    fn clone(&self) -> Self {
        Self::new(self.0)
    }
}

impl Drop for Badge {
    fn drop(&mut self) {
        BADGES.fetch_sub(1, Ordering::Relaxed);
    }
}

type H = Handle<Crew>;

fn name(number: u64) -> String {
    if number > 0 && number % 3 == 0 { number.to_string() } else { String::new() }
}

fn badge(number: u64) -> u64 {
    if number % 2 == 0 { number } else { 0 }
}

fn crew(number: u64) -> Crew {
    let tags = [Tags::empty(), Tags::LEFT, Tags::RIGHT][number as usize % 3];
    let badge = Badge::new(badge(number));
    Crew { tags, number, twice: 2 * number, name: name(number), badge, plain: number as f32 }
}

/// The thing is that of its number, whole, by every way of looking.
fn assert_whole(pool: &Pool<Crew>, who: H) -> u64 {
    let seen = pool.read(who);
    let number = *seen.number;
    assert_eq!((*seen.twice, *seen.plain), (2 * number, number as f32));
    assert_eq!((seen.name, seen.badge.0), (&name(number), badge(number)));
    type Cold<'a> = (Option<Ref<'a, crew::name>>, Option<Ref<'a, crew::badge>>);
    if let Some((has_name, has_badge)) = pool.view::<Cold>().get(who) {
        assert_eq!((has_name.is_some(), has_badge.is_some()), (number % 3 == 0, number % 2 == 0));
    }
    number
}

/// Runs `f(0)` to `f(threads - 1)` at once and collects what they answer.
fn at_once<R: Send>(threads: u64, f: impl Fn(u64) -> R + Sync) -> Vec<R> {
    let start = Barrier::new(threads as usize);
    thread::scope(|scope| {
        let run = |thread| {
            let (start, f) = (&start, &f);
            scope.spawn(move || {
                start.wait();
                f(thread)
            })
        };
        let running: Vec<_> = (0..threads).map(run).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// One test for all that counts badges: tests run side by side.
#[test]
fn things_with_cold_fields_are_staged_from_several_threads_and_none_is_torn_lost_or_leaked() {
    const EACH: u64 = 500;
    let before = BADGES.load(Ordering::Relaxed);
    for round in 0..3 {
        let mut pool = Pool::new();
        // Worn: cold tables that were used, slots of several generations, both kinds of clusters.
        let old: Vec<H> = pool.spawn_many((1..=round * 200).map(crew)).collect();
        old.iter().step_by(2).for_each(|&who| assert!(pool.despawn(who)));
        let live = pool.len();
        let told = AtomicU64::new(0);
        let staged = at_once(4, |thread| {
            let mut made = Vec::new();
            for n in 0..EACH {
                if thread < 3 {
                    let number = (thread * EACH + n + 1) * 6 / (n % 6 + 1) + 1;
                    let who = pool.stage(crew(number));
                    assert_eq!(assert_whole(&pool, who), number);
                    // Relaxed: only the pool makes sure that the value is seen with its handle.
                    told.store(who.to_bits(), Ordering::Relaxed);
                    made.push((who, number));
                } else {
                    assert_whole(&pool, Handle::from_bits(told.load(Ordering::Relaxed)));
                    assert_eq!(pool.iter().count(), live, "staged things are not live yet");
                    if n % 16 == 0 {
                        pool.iter_with_staged()
                            .for_each(|(who, _)| assert!(assert_whole(&pool, who) > 0));
                    }
                }
            }
            made
        })
        .concat();
        let slots: BTreeSet<u32> = staged.iter().map(|(who, _)| who.index()).collect();
        assert_eq!(slots.len(), 3 * EACH as usize, "a slot was handed out twice");
        assert_eq!(pool.check_invariants(), Ok(()));
        assert_eq!(pool.commit(), 3 * EACH as u32);
        for &(who, number) in &staged {
            assert_eq!(assert_whole(&pool, who), number);
            assert_eq!(pool.tags(who), crew(number).tags);
        }
        assert_eq!((pool.len(), pool.check_invariants()), (live + staged.len(), Ok(())));
        // Out again, by several ways.
        for (n, &(who, number)) in staged.iter().enumerate() {
            match n % 3 {
                0 => assert!(pool.despawn(who)),
                1 => assert_eq!(
                    pool.take(who).map(|crew| (crew.number, crew.name)),
                    Some((number, name(number)))
                ),
                _ => assert_eq!(assert_whole(&pool, who), number),
            }
        }
        drop(pool.clone());
        drop(pool);
        assert_eq!(
            BADGES.load(Ordering::Relaxed),
            before,
            "round {round}: values leaked, or were dropped twice"
        );
    }
}

#[derive(Thing, Clone, Default)]
#[thing(columns)]
struct Body {
    #[thing(tags)]
    tags: Tags,
    pos: [f32; 3],
    vel: [f32; 3],
    total: f32,
    #[thing(cold)]
    label: String,
}

#[derive(View)]
#[view(Body, with = Tags::LEFT)]
struct Left<'a> {
    pos: &'a mut [f32; 3],
    vel: &'a [f32; 3],
}

#[derive(View)]
#[view(Body, without = Tags::LEFT)]
struct Vel<'a> {
    vel: &'a [f32; 3],
}

/// Everything that is shared out, one after the other.
fn work(pool: &mut Pool<Body>, roots: &[Handle<Body>], par: bool) {
    fn lead(
        parent: Option<Ref<'_, body::pos>>,
        (mut pos, vel): (Mut<'_, body::pos>, Ref<'_, body::vel>),
    ) {
        let above = parent.map_or([1.0; 3], |parent| *parent);
        *pos = [0, 1, 2].map(|i| above[i] * 0.7 + vel[i] + pos[i] * 0.1);
    }
    fn sum<'x>(
        children: impl Iterator<Item = Ref<'x, body::total>>,
        (mut total, pos): (Mut<'_, body::total>, Ref<'_, body::pos>),
    ) {
        *total = children.fold(pos[0], |sum, child| sum * 0.9 + *child);
    }
    let left =
        |left: Left<'_>| left.pos.iter_mut().zip(left.vel).for_each(|(pos, vel)| *pos += vel * 0.5);
    let keep = |(mut pos, view): (Mut<'_, body::pos>, Vel<'_>)| pos[0] += view.vel[0];
    let fill = |(totals, pos): (&mut [f32], &[[f32; 3]])| {
        totals.iter_mut().zip(pos).for_each(|(total, pos)| *total = pos[1])
    };
    let name = |label: Option<Mut<'_, body::label>>| {
        if let Some(mut label) = label {
            label.push('!');
        }
    };
    roots.iter().for_each(|&root| assert!(pool.tree_mut().mark(root)));
    if par {
        pool.view_mut::<Left>().par_each(left);
        pool.view_mut::<(Mut<body::pos>, Vel)>().par_each(keep);
        pool.view_mut::<(Mut<body::total>, Ref<body::pos>)>().par_slices(fill);
        pool.view_mut::<Option<Mut<body::label>>>().par_each(name);
        pool.tree_mut().sweep::<Ref<body::pos>, (Mut<body::pos>, Ref<body::vel>)>().par_down(lead);
        pool.tree_mut()
            .sweep::<Ref<body::total>, (Mut<body::total>, Ref<body::pos>)>()
            .par_up(|all, me| sum(all, me));
        pool.tree_mut()
            .sweep::<Ref<body::pos>, (Mut<body::pos>, Ref<body::vel>)>()
            .par_down_dirty(lead);
    } else {
        pool.view_mut::<Left>().each(left);
        pool.view_mut::<(Mut<body::pos>, Vel)>().each(keep);
        pool.view_mut::<(Mut<body::total>, Ref<body::pos>)>().slices(fill);
        pool.view_mut::<Option<Mut<body::label>>>().each(name);
        pool.tree_mut().sweep::<Ref<body::pos>, (Mut<body::pos>, Ref<body::vel>)>().down(lead);
        pool.tree_mut()
            .sweep::<Ref<body::total>, (Mut<body::total>, Ref<body::pos>)>()
            .up(|all, me| sum(all, me));
        pool.tree_mut()
            .sweep::<Ref<body::pos>, (Mut<body::pos>, Ref<body::vel>)>()
            .down_dirty(lead);
    }
}

fn bits(pool: &Pool<Body>) -> Vec<([u32; 3], u32, String)> {
    pool.iter()
        .map(|(_, body)| (body.pos.map(f32::to_bits), body.total.to_bits(), body.label.clone()))
        .collect()
}

#[test]
fn loops_and_sweeps_on_any_number_of_threads_leave_the_same_bytes() {
    let mut random = fastrand::Rng::with_seed(2);
    let mut pool = Pool::new();
    let spawn = |n: u32| {
        let tags = [Tags::empty(), Tags::LEFT, Tags::RIGHT, Tags::all()][n as usize % 4];
        let label = if n % 7 == 0 { n.to_string() } else { String::new() };
        let vel = [random.f32(), random.f32(), random.f32()];
        Body { tags, pos: [n as f32; 3], vel, total: 0.0, label }
    };
    let mut all: Vec<_> = pool.spawn_many((0..9000).map(spawn)).collect();
    random.shuffle(&mut all);
    for n in 1..all.len() {
        let parent = if n % 2 == 0 { n / 6 } else { random.usize(..n) };
        pool.tree_mut().attach(all[n], all[parent]).unwrap();
    }
    for &gone in all.iter().rev().step_by(9) {
        pool.despawn_with(gone, lath_core::Orphans::Adopt);
    }
    let roots: Vec<_> = pool.tree().roots().collect();
    let mut alone = pool.clone();
    (0..2).for_each(|_| work(&mut alone, &roots, false));
    for threads in [1, 2, 3, 8] {
        let mut together = pool.clone();
        let threads = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        threads.install(|| (0..2).for_each(|_| work(&mut together, &roots, true)));
        assert!(bits(&alone) == bits(&together), "{threads:?}");
        assert_eq!(together.check_invariants(), Ok(()));
    }
}
