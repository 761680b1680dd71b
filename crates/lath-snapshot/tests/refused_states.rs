//! Every way in which the state of a pool can contradict itself, one at a time: it is refused, with
//! the sentence that says which. What is just within bounds is taken.

use lath_core::bitflags::bitflags;
use lath_core::{Handle, Pool, Reuse, Thing};
use lath_snapshot::Save;
use lath_snapshot::image::{ImageBuilder, PoolImage, PoolState, StateError};

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    struct Tags: u16 {
        const LEFT = 1;
        const RIGHT = 2;
    }
}

/// A generation of 16 bits, a kind of 2; slots up to 16383.
#[derive(Thing, Save, Clone, Default, Debug)]
#[thing(columns, handle(bits = 32, index = 14, kind = 2))]
struct Actor {
    #[thing(tags)]
    tags: Tags,
    #[thing(kind)]
    kind: u8,
    name: String,
}

/// A generation of 12 bits, and nothing above it.
#[derive(Thing, Save, Clone, Default, Debug)]
#[thing(handle(bits = 32, index = 20))]
struct Rock {
    size: u32,
}

/// Many slots, and tags.
#[derive(Thing, Save, Clone, Default, Debug)]
struct Star {
    #[thing(tags)]
    tags: Tags,
}

/// The words of a group.
const TAKEN: usize = 0;
const LIVE: usize = 1;
const CLAIMED: usize = 2;
const BURIED: usize = 3;

fn state_of<T: Save>(pool: &Pool<T>) -> PoolState {
    let mut image = PoolImage::new();
    image.capture(pool);
    image.state()
}

/// A pool that has some of everything, groups that have an owner among it.
fn worn(mut pool: Pool<Actor>, count: u32) -> PoolState {
    pool.set_reuse(Reuse::Fifo);
    pool.track_changes();
    let actor = |n: u32| Actor {
        tags: Tags::from_bits_retain((n % 4) as u16),
        kind: (n % 4) as u8,
        name: n.to_string(),
    };
    let all: Vec<Handle<Actor>> = pool.spawn_many((0..count).map(actor)).collect();
    for (n, &who) in all.iter().enumerate() {
        match n % 9 {
            0 => assert!(pool.despawn(who)),
            1 => assert!(pool.despawn_after(who, n as u64)),
            _ => {}
        }
    }
    for n in 0..5 {
        assert!(!pool.stage(actor(n)).is_nil() && !pool.reserve_kind(n % 4).is_nil());
    }
    state_of(&pool)
}

/// The first slot but slot 0 that is doing this and nothing else; free, if it is `TAKEN`: the place
/// of its group, and its bit.
fn slot(state: &PoolState, doing: usize) -> (usize, u32) {
    let all = (0..state.words.len()).flat_map(|at| (0..64).map(move |bit| (at, bit))).skip(1);
    let is = |(at, bit): (usize, u32), word: usize| state.words[at][word] >> bit & 1 == 1;
    all.into_iter()
        .find(|&place| is(place, doing) != (doing == TAKEN))
        .expect("the pool has some of everything")
}

/// Meddles with a state, and says what the pool says to it.
fn answer<T: Save>(
    pool: &Pool<T>,
    state: &PoolState,
    meddle: impl FnOnce(&mut PoolState),
) -> Result<(), StateError> {
    let mut state = state.clone();
    meddle(&mut state);
    ImageBuilder::new(pool, &state).map(|_| ())
}

#[track_caller]
fn refused(answer: Result<(), StateError>, sentence: &str, at: Option<u32>) {
    match answer {
        Err(StateError::Broken { what, slot }) => {
            assert!(what.contains(sentence), "{what}");
            assert!(at.is_none_or(|at| at == slot), "{what}: slot {slot}");
        }
        other => panic!("{other:?} instead of: {sentence}"),
    }
}

#[track_caller]
fn too_large(answer: Result<(), StateError>, wanted: u64, limit: u64) {
    match answer {
        Err(StateError::TooLarge { count, most, .. }) => assert_eq!((count, most), (wanted, limit)),
        other => panic!("{other:?} instead of {wanted} where {limit} are accepted"),
    }
}

#[test]
fn lists_that_do_not_fit_together_are_refused() {
    let (pool, state) = (Pool::<Actor>::new(), worn(Pool::new(), 3000));
    assert_eq!(answer(&pool, &state, |_| ()), Ok(()));
    let sentence = "do not fit together";
    refused(answer(&pool, &state, |state| *state = PoolState::default()), sentence, Some(0));
    refused(answer(&pool, &state, |state| state.groups[0] = 1), sentence, Some(0));
    refused(answer(&pool, &state, |state| _ = state.words.pop()), sentence, Some(0));
    refused(answer(&pool, &state, |state| state.words.push([0; 4])), sentence, Some(0));
    refused(answer(&pool, &state, |state| _ = state.stamps.pop()), sentence, Some(0));
    refused(answer(&pool, &state, |state| state.stamps.push(0)), sentence, Some(0));
    let (one, two) = (state.groups[1], state.groups[2]);
    refused(
        answer(&pool, &state, |state| state.groups[2] = one),
        "groups are not in order",
        Some(one * 64),
    );
    refused(
        answer(&pool, &state, |state| state.groups.swap(1, 2)),
        "groups are not in order",
        Some(one * 64),
    );
    assert!(two > one);
    for (number, last) in [(255, true), (256, false), (300, false)] {
        let answer = answer(&pool, &state, |state| {
            state.groups.push(number);
            state.words.push([0; 4]);
            state.stamps.extend([0; 64]);
        });
        match last {
            true => assert_eq!(answer, Ok(())),
            false => refused(answer, "beyond the last slot", Some(number * 64)),
        }
    }
}

#[test]
fn a_slot_in_two_states_is_refused() {
    let (pool, state) = (Pool::<Actor>::new(), worn(Pool::new(), 3000));
    for doing in [LIVE, CLAIMED, BURIED] {
        let (at, bit) = slot(&state, doing);
        for other in [LIVE, CLAIMED, BURIED].into_iter().filter(|&other| other != doing) {
            let answer = answer(&pool, &state, |state| state.words[at][other] |= 1 << bit);
            refused(answer, "S1", Some(state.groups[at] * 64));
        }
        let answer = answer(&pool, &state, |state| state.words[at][TAKEN] &= !(1 << bit));
        refused(answer, "S1", Some(state.groups[at] * 64));
    }
    refused(answer(&pool, &state, |state| state.words[0][TAKEN] &= !1), "S4", Some(0));
    for doing in [LIVE, CLAIMED, BURIED] {
        refused(answer(&pool, &state, |state| state.words[0][doing] |= 1), "S4", Some(0));
    }
}

#[test]
fn a_stamp_that_does_not_go_with_its_slot_is_refused() {
    let (pool, state) = (Pool::<Actor>::new(), worn(Pool::new(), 3000));
    let sentence = "does not go with the state";
    let with_stamp = |(at, bit): (usize, u32), stamp: u32| {
        let row = at * 64 + bit as usize;
        (
            answer(&pool, &state, |state| state.stamps[row] = stamp),
            Some(state.groups[at] * 64 + bit),
        )
    };
    let kind = 1 << 16;
    // Slot 0 is the nil thing, or was never made.
    assert_eq!(with_stamp((0, 0), 0).0, Ok(()));
    for stamp in [1, 3, 4] {
        let (answer, at) = with_stamp((0, 0), stamp);
        refused(answer, sentence, at);
    }
    for (doing, good, bad) in [
        (LIVE, vec![1, 7, 0xffff, 3 * kind + 1], vec![0, 2, 3 * kind]),
        (CLAIMED, vec![], vec![]),
        (BURIED, vec![0, 2, 0xfffe], vec![1, 0xffff, kind, 3 * kind + 2]),
        (TAKEN, vec![0, 2, 0xfffe], vec![1, 0xffff, kind, 3 * kind + 2]),
    ] {
        let place = slot(&state, doing);
        for stamp in good {
            assert_eq!(with_stamp(place, stamp).0, Ok(()), "{stamp}");
        }
        for stamp in bad {
            let (answer, at) = with_stamp(place, stamp);
            refused(answer, sentence, at);
        }
        for stamp in [4 * kind + 1, 4 * kind, 1 << 31] {
            let (answer, at) = with_stamp(place, stamp);
            refused(answer, "more bits", at);
        }
    }
    // A free slot that counts as taken is retired: it has no generation left.
    let (at, bit) = slot(&state, TAKEN);
    for (stamp, good) in [(0, true), (2, false), (1, false), (kind, false)] {
        let answer = answer(&pool, &state, |state| {
            state.words[at][TAKEN] |= 1 << bit;
            state.stamps[at * 64 + bit as usize] = stamp;
        });
        match good {
            true => assert_eq!(answer, Ok(())),
            false => refused(answer, sentence, Some(state.groups[at] * 64 + bit)),
        }
    }
    // Without kinds there is nothing above the generation.
    let mut pool = Pool::new();
    pool.spawn(Rock::default());
    let state = state_of(&pool);
    assert_eq!(answer(&pool, &state, |state| state.stamps[1] = 4095), Ok(()));
    refused(answer(&pool, &state, |state| state.stamps[1] = 4097), "more bits", Some(1));
}

#[test]
fn slots_beyond_the_last_one_are_out_of_use() {
    let pool = || Pool::<Actor>::fixed(100).unwrap();
    let state = worn(pool(), 80);
    let pool = pool();
    assert_eq!((answer(&pool, &state, |_| ()), state.groups.len()), (Ok(()), 2));
    let sentence = "does not go with the state";
    assert_eq!(answer(&pool, &state, |state| state.stamps[100] = 2), Ok(())); // the last one: free, and was used
    for beyond in [101, 102, 127] {
        refused(
            answer(&pool, &state, |state| state.stamps[beyond] = 2),
            sentence,
            Some(beyond as u32),
        );
        let answer = answer(&pool, &state, |state| state.words[1][TAKEN] |= 1 << (beyond - 64));
        refused(answer, sentence, Some(beyond as u32));
    }
}

#[test]
fn slots_that_were_used_before_are_elsewhere_and_in_order() {
    let (pool, state) = (Pool::<Actor>::new(), worn(Pool::new(), 3000));
    let (last, limit) = (state.groups.last().unwrap() * 64 + 63, 1 << 14);
    let with = |old: &[(u32, u32)]| answer(&pool, &state, |state| state.old = old.to_vec());
    assert_eq!(with(&[(last + 1, 2), (last + 2, 4), (limit - 1, 0xfffe)]), Ok(()));
    refused(with(&[(last + 2, 2), (last + 1, 2)]), "not in order", Some(last + 1));
    refused(with(&[(last + 2, 2), (last + 2, 2)]), "not in order", Some(last + 2));
    for (index, stamp) in [
        (last, 2),
        (limit, 2),
        (limit + 1, 2),
        (last + 1, 1),
        (last + 1, 1 << 16),
        (last + 1, 1 << 18),
    ] {
        refused(with(&[(index, stamp)]), "cannot be that", Some(index));
    }
}

#[test]
fn slots_that_are_far_from_all_others_are_refused() {
    let mut pool = Pool::new();
    pool.spawn(Rock::default());
    let state = state_of(&pool);
    assert_eq!(state.groups, [0]);
    // Twice as many as are known, and 65536.
    let most = 2 * (64 + 1) + 65536;
    assert_eq!(answer(&pool, &state, |state| state.old = vec![(most, 2)]), Ok(()));
    too_large(
        answer(&pool, &state, |state| state.old = vec![(most + 1, 2)]),
        u64::from(most) + 1,
        u64::from(most),
    );
    let with_group = |number: u32| {
        answer(&pool, &state, |state| {
            state.groups.push(number);
            state.words.push([0; 4]);
            state.stamps.extend([0; 64]);
        })
    };
    let most = 2 * 128 + 65536;
    assert_eq!(with_group(most / 64), Ok(()));
    too_large(with_group(most / 64 + 1), u64::from(most) + 64, u64::from(most));
}

#[test]
fn tags_that_are_not_those_of_the_things_are_refused() {
    let (pool, state) = (Pool::<Actor>::new(), worn(Pool::new(), 3000));
    refused(answer(&pool, &state, |state| _ = state.tags.pop()), "as many sets of tags", None);
    refused(answer(&pool, &state, |state| state.tags.push(0)), "as many sets of tags", None);
    assert_eq!(answer(&pool, &state, |state| state.tags[0] = 0xffff), Ok(()));
    refused(answer(&pool, &state, |state| state.tags[0] = 0x1_0000), "does not know", None);
    assert_eq!(answer(&pool, &state, |state| state.ledger.owners[0].1 = 0xffff), Ok(()));
    refused(
        answer(&pool, &state, |state| state.ledger.owners[0].1 = 0x1_0000),
        "does not know",
        None,
    );
    let rocks: Pool<Rock> = [Rock { size: 1 }].into_iter().collect();
    refused(
        answer(&rocks, &state_of(&rocks), |state| state.tags.push(0)),
        "as many sets of tags",
        None,
    );
}

#[test]
fn owners_of_groups_that_cannot_have_one_are_refused() {
    let (pool, state) = (Pool::<Actor>::new(), worn(Pool::new(), 3000));
    let owners = state.ledger.owners.clone();
    assert!(owners.len() > 3 && owners[0].0 == 8, "{owners:?}");
    let with = |owners: &[(u32, u64)]| {
        answer(&pool, &state, |state| state.ledger.owners = owners.to_vec())
    };
    assert_eq!(with(&[]), Ok(()));
    assert_eq!(with(&owners[2..]), Ok(()));
    refused(with(&[(7, 1)]), "L1", Some(7 * 64)); // common to all
    refused(with(&[owners[1], owners[0]]), "L1", Some(owners[0].0 * 64));
    refused(with(&[owners[1], owners[1]]), "L1", Some(owners[1].0 * 64));
    refused(with(&[(255, 1)]), "L1", Some(255 * 64)); // not there at all
    // A group has an owner as long as anything is in it, whatever that is.
    let pool = Pool::<Star>::new();
    for doing in [None, Some(LIVE), Some(CLAIMED), Some(BURIED)] {
        let mut state = state_of(&pool);
        state.groups.push(8);
        state.words.push([0; 4]);
        state.stamps.extend([0; 64]);
        state.ledger.owners.push((8, 1));
        if let Some(doing) = doing {
            (state.words[1][TAKEN], state.words[1][doing]) = (1, 1);
            state.stamps[64] = u32::from(doing == LIVE);
            state.tags.extend((doing != CLAIMED).then_some(0));
            state.ledger.graves.extend((doing == BURIED).then_some((1, 8 * 64)));
        }
        match answer(&pool, &state, |_| ()) {
            Ok(()) if doing.is_some() => {}
            answer => refused(answer, "L1", Some(8 * 64)),
        }
    }
}

#[test]
fn too_many_sets_of_tags_are_refused() {
    let pool = Pool::<Star>::new();
    for (sets, good) in [(8192u32, true), (8193, false)] {
        let groups = 8 + sets;
        let mut state = state_of(&pool);
        state.groups = (0..groups).collect();
        state.words = (0..groups)
            .map(|number| if number == 0 { [1, 0, 0, 0] } else { [1, 1, 0, 0] })
            .collect();
        state.stamps = (0..groups * 64).map(|row| u32::from(row % 64 == 0 && row > 0)).collect();
        state.tags = (1..groups).map(u64::from).collect();
        state.ledger.owners = (8..groups).map(|number| (number, u64::from(number))).collect();
        match good {
            true => assert_eq!(answer(&pool, &state, |_| ()), Ok(())),
            false => too_large(answer(&pool, &state, |_| ()), 8193, 8192),
        }
    }
}

#[test]
fn graves_that_are_not_those_of_the_buried_are_refused() {
    let (pool, state) = (Pool::<Actor>::new(), worn(Pool::new(), 3000));
    let sentence = "graves are not those";
    assert_eq!(answer(&pool, &state, |state| state.ledger.graves.reverse()), Ok(())); // the order does not matter
    refused(answer(&pool, &state, |state| _ = state.ledger.graves.pop()), sentence, None);
    refused(
        answer(&pool, &state, |state| state.ledger.graves.push(state.ledger.graves[0])),
        sentence,
        None,
    );
    let (at, bit) = slot(&state, LIVE);
    refused(
        answer(&pool, &state, |state| state.ledger.graves[0].1 = state.groups[at] * 64 + bit),
        sentence,
        None,
    );
}

#[test]
fn a_tick_or_an_order_of_reuse_that_there_is_not_is_refused() {
    let (pool, state) = (Pool::<Actor>::new(), worn(Pool::new(), 3000));
    assert_eq!(answer(&pool, &state, |state| state.ledger.tick = u64::MAX / 2), Ok(()));
    refused(answer(&pool, &state, |state| state.ledger.tick = u64::MAX / 2 + 1), "the tick", None);
    refused(answer(&pool, &state, |state| state.ledger.tick = u64::MAX), "the tick", None);
    for reuse in 0..=2 {
        assert_eq!(answer(&pool, &state, |state| state.ledger.reuse = reuse), Ok(()));
    }
    refused(answer(&pool, &state, |state| state.ledger.reuse = 3), "the order of reuse", None);
}
