//! Clusters: which slot a thing with tags gets, in pools that are large enough for stretches,
//! against the plain rule.

mod common;

use common::owners::{COMMON, GROUP, Owners};
use fastrand::Rng;
use lath_core::bitflags::bitflags;
use lath_core::{Handle, Pool, Thing};

bitflags! {
    #[derive(Clone, Copy, Default, PartialEq, Debug)]
    struct Tags: u8 {
        const A = 1;
        const B = 2;
        const C = 4;
    }
}

#[derive(Thing, Clone, Default)]
struct Body {
    #[thing(tags)]
    tags: Tags,
}

/// Which slots are taken and who owns which group: nothing else decides where the next thing goes.
#[derive(Clone)]
struct Model {
    /// Per group.
    taken: Vec<u64>,
    owners: Owners,
}

impl Model {
    fn new(groups: usize) -> Self {
        let mut taken = vec![0; groups];
        taken[0] = 1; // the nil thing
        Self { taken, owners: Owners::default() }
    }

    fn next(&self, tags: u64) -> u32 {
        let free_in = |group: u32| {
            let free = !self.taken.get(group as usize)?;
            (free != 0).then(|| group * GROUP + free.trailing_zeros())
        };
        self.owners
            .next(tags, self.taken.len() as u32, free_in)
            .expect("the pool has no limit that matters here")
    }

    fn take(&mut self, index: u32, tags: u64) {
        self.taken[(index / GROUP) as usize] |= 1 << (index % GROUP);
        self.owners.note_live(index / GROUP, tags);
    }

    fn free(&mut self, index: u32) {
        let group = index / GROUP;
        let taken = &mut self.taken[group as usize];
        *taken &= !(1 << (index % GROUP));
        if *taken & !u64::from(group == 0) == 0 {
            self.owners.note_idle(group);
        }
    }
}

/// Spawns and despawns in bursts, so that clusters grow large, are thinned, vanish and come back.
fn play(seed: u64) {
    let mut random = Rng::with_seed(seed);
    let (mut pool, mut model) = (Pool::<Body>::new(), Model::new(2000));
    let mut handles: Vec<Handle<Body>> = Vec::new();
    for burst in 0..60 {
        let sets: Vec<u8> = (0..random.usize(1..4)).map(|_| random.u8(..8)).collect();
        match random.u8(..6) {
            0 => {
                // Everything that was spawned with one of these.
                let (gone, kept) =
                    handles.into_iter().partition(|&who| sets.contains(&pool.tags(who).bits()));
                handles = kept;
                let gone: Vec<Handle<Body>> = gone;
                gone.into_iter().for_each(|who| despawn(&mut pool, &mut model, who));
            }
            1 => {
                for _ in 0..random.usize(..=handles.len() / 2) {
                    let who = handles.swap_remove(random.usize(..handles.len()));
                    despawn(&mut pool, &mut model, who);
                }
            }
            _ => {
                for _ in 0..random.usize(..4000) {
                    let tags = Tags::from_bits_retain(sets[random.usize(..sets.len())]);
                    handles.push(spawn(&mut pool, &mut model, tags));
                }
            }
        }
        assert_eq!(pool.check_invariants(), Ok(()), "seed {seed}, burst {burst}");
        if random.u8(..10) == 0 {
            pool = pool.clone(); // knows all that matters
        }
    }
}

fn spawn(pool: &mut Pool<Body>, model: &mut Model, tags: Tags) -> Handle<Body> {
    let expected = model.next(tags.bits().into());
    let who = pool.spawn(Body { tags });
    assert_eq!(who.index(), expected, "{tags:?}");
    model.take(expected, tags.bits().into());
    who
}

fn despawn(pool: &mut Pool<Body>, model: &mut Model, who: Handle<Body>) {
    assert!(pool.despawn(who));
    model.free(who.index());
}

#[test]
fn the_next_slot_follows_from_free_slots_and_owners_alone() {
    (0..2).for_each(play);
}

#[test]
fn a_cluster_that_has_lost_its_last_group_takes_a_new_one() {
    let (mut pool, mut model) = (Pool::<Body>::new(), Model::new(100));
    // The common groups are full, and each of two clusters has a group.
    for _ in 1..COMMON * GROUP {
        spawn(&mut pool, &mut model, Tags::A);
    }
    let [mine, _, again] =
        [Tags::B, Tags::A, Tags::B].map(|tags| spawn(&mut pool, &mut model, tags));
    for who in [mine, again] {
        despawn(&mut pool, &mut model, who);
    }
    for tags in [Tags::B, Tags::B, Tags::A, Tags::B] {
        spawn(&mut pool, &mut model, tags);
        assert_eq!(pool.check_invariants(), Ok(()));
    }
}

#[test]
fn a_cluster_without_groups_does_not_move_into_those_of_another() {
    let (mut pool, mut model) = (Pool::<Body>::new(), Model::new(100));
    for _ in 1..COMMON * GROUP {
        spawn(&mut pool, &mut model, Tags::A);
    }
    // One cluster has two groups, the other has one, and loses it while there is room in the second
    // of the first.
    let theirs: Vec<_> = (0..2 * GROUP).map(|_| spawn(&mut pool, &mut model, Tags::B)).collect();
    let mine = spawn(&mut pool, &mut model, Tags::C);
    for who in [theirs[2 * GROUP as usize - 1], mine] {
        despawn(&mut pool, &mut model, who);
    }
    let again = spawn(&mut pool, &mut model, Tags::C);
    assert_eq!(again.index(), mine.index());
}

#[test]
fn a_staged_thing_does_not_move_into_the_group_of_another_cluster() {
    let (mut pool, mut model) = (Pool::<Body>::new(), Model::new(100));
    for _ in 1..COMMON * GROUP {
        spawn(&mut pool, &mut model, Tags::A);
    }
    let theirs: Vec<_> = (0..GROUP).map(|_| spawn(&mut pool, &mut model, Tags::B)).collect();
    // The lowest free slot of all is theirs.
    despawn(&mut pool, &mut model, theirs[0]);
    assert_eq!(pool.stage(Body { tags: Tags::C }).index(), (COMMON + 1) * GROUP);
    assert_eq!(pool.stage(Body { tags: Tags::B }).index(), COMMON * GROUP);
    pool.despawn(Handle::from_bits(1 << 32 | 7));
    assert_eq!(pool.stage(Body { tags: Tags::A }).index(), 7);
}

#[test]
fn a_few_things_of_each_of_many_kinds_lie_side_by_side() {
    let mut pool = Pool::new();
    for tags in 0..8 {
        pool.extend((0..20).map(|_| Body { tags: Tags::from_bits_retain(tags) }));
    }
    assert!(pool.handles().map(|who| who.index()).eq(1..=160));
}

#[test]
fn a_large_cluster_lies_in_long_stretches_although_others_grow_at_the_same_time() {
    let mut random = Rng::with_seed(3);
    let mut pool = Pool::new();
    for _ in 0..200_000 {
        pool.spawn(Body { tags: if random.u8(..10) == 0 { Tags::A } else { Tags::B } });
    }
    let groups: std::collections::BTreeSet<u32> = pool
        .handles()
        .filter(|&who| pool.has(who, Tags::A))
        .map(|who| who.index() / GROUP)
        .collect();
    let stretches =
        groups.iter().filter(|&&group| group >= COMMON && !groups.contains(&(group - 1))).count();
    assert!(
        groups.len() > 300 && stretches < 20,
        "{stretches} stretches of {} groups",
        groups.len()
    );
    let highest = pool.handles().map(|who| who.index()).max().unwrap();
    assert!(
        highest < 200_000 * 5 / 4,
        "{highest}: more than a quarter is left between the stretches"
    );
}

/// The longest stretches need clusters of more groups than the game above has.
#[test]
fn the_longest_stretches_follow_the_rule_where_there_are_gaps_too() {
    let mut random = Rng::with_seed(11);
    let (mut pool, mut model) = (Pool::new(), Model::new(8000));
    let mut things = Vec::new();
    for round in 0..3 {
        for n in 0..100_000 {
            // One set alone first, which leaves gaps of three quarters of a stretch later.
            let tags = [Tags::C, Tags::A, Tags::B, Tags::B, Tags::B]
                [if n < 60_000 - 20_000 * round { 0 } else { random.usize(..5) }];
            let who = pool.spawn(Body { tags });
            // Whether it is the slot that the rule says takes long to say: asked where a group is
            // begun.
            if who.index() % GROUP == 0 {
                assert_eq!(
                    who.index(),
                    model.next(tags.bits().into()),
                    "thing {n} of round {round}"
                );
            }
            model.take(who.index(), tags.bits().into());
            things.push((who, tags));
        }
        things.retain(|&(who, tags)| {
            let goes = tags == Tags::C && who.index() / (GROUP * 64) % 4 != 3;
            if goes {
                despawn(&mut pool, &mut model, who);
            }
            !goes
        });
    }
    let longest = |tags: Tags| {
        let groups: Vec<u32> = model.owners.of(tags.bits().into()).collect();
        groups.chunk_by(|one, next| one + 1 == *next).map(<[u32]>::len).max()
    };
    assert!(longest(Tags::B) >= Some(256), "{:?}", longest(Tags::B));
}

#[test]
fn a_cleared_pool_is_as_good_as_new_but_for_its_generations() {
    let mut random = Rng::with_seed(5);
    let mut pool = Pool::new();
    let mut new_tags = || Tags::from_bits_retain(random.u8(..8));
    let old: Vec<_> = (0..3000).map(|_| pool.spawn(Body { tags: new_tags() })).collect();
    for who in old.iter().step_by(7) {
        pool.despawn(*who);
    }
    let staged = pool.stage(Body { tags: Tags::A }); // in the way of the quick path
    pool.clear();
    assert!(old.iter().chain([&staged]).all(|&who| !pool.contains(who)));
    for _ in 0..3 {
        assert_eq!(
            (pool.len(), pool.count_tagged(Tags::A), pool.check_invariants()),
            (0, 0, Ok(()))
        );
        assert_eq!(pool.stats().high_water, 3000);
        let mut model = Model::new(200);
        for _ in 0..3000 {
            let tags = new_tags();
            let who = pool.spawn(Body { tags });
            assert_eq!(who.index(), model.next(tags.bits().into()));
            model.take(who.index(), tags.bits().into());
        }
        pool.clear();
    }
    assert_eq!(pool.stats().largest_generation, 9); // of the slot of the staged thing, which was free
}

/// There was room for the bitmaps and the sets of the first groups only: a copy had tags that no
/// filter saw.
#[test]
fn a_copy_knows_the_tags_of_things_that_are_far_from_all_others() {
    for slot in [600, 4200, 9000] {
        let mut pool = Pool::new();
        let far = Handle::<Body>::from_bits(slot | 1 << 32);
        pool.spawn_at(far, Body { tags: Tags::A | Tags::C }).unwrap();
        let mut copy = pool.clone();
        assert_eq!((copy.count_tagged(Tags::C), copy.check_invariants()), (1, Ok(())), "{slot}");
        assert_eq!(
            copy.spawn(Body { tags: Tags::A | Tags::C }),
            pool.spawn(Body { tags: Tags::A | Tags::C })
        );
        assert_eq!(copy.check_invariants(), Ok(()), "{slot}");
    }
}
