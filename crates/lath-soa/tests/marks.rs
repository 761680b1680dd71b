//! What is marked as changed, case by case; `changes.rs` compares every way to change something
//! with an oracle.

use lath_core::bitflags::bitflags;
use lath_core::{Handle, Mut, Pool, Thing};

bitflags! {
    #[derive(Clone, Copy, Default)]
    struct Tags: u32 {
        const MOVES = 1;
    }
}

/// They are spawned by a shorter way than those with tags.
#[test]
fn things_without_tags_are_reported_when_they_come_and_when_they_go() {
    #[derive(Thing, Default)]
    struct Row {
        hp: f32,
    }

    #[derive(Thing, Default)]
    #[thing(columns)]
    struct Column {
        hp: f32,
    }

    macro_rules! check {
        ($thing:ident, $field:ty) => {{
            let mut pool = Pool::new();
            let all: Vec<_> =
                pool.spawn_many((0..1000).map(|hp| $thing { hp: hp as f32 })).collect();
            pool.track_changes();
            let mut seen = pool.tick();
            let mut reported = |pool: &mut Pool<$thing>, who: Handle<$thing>| {
                let reported: Vec<_> = pool.changed_since::<$field>(seen).collect();
                assert!(
                    reported.iter().all(|other| other.index() / 64 == who.index() / 64),
                    "{who}"
                );
                seen = pool.tick();
                pool.next_tick();
                reported.contains(&who)
            };
            pool.next_tick();
            assert!(!reported(&mut pool, all[500]));
            assert!(pool.despawn(all[500]));
            assert!(reported(&mut pool, all[501]), "a neighbour");
            let one = pool.spawn($thing::default());
            assert!(reported(&mut pool, one), "spawn");
            assert!(pool.despawn(one));
            assert!(reported(&mut pool, all[501]), "despawn");
            let many = pool.spawn_many([$thing::default()]).next().unwrap();
            assert!(reported(&mut pool, many), "spawn_many");
            assert!(!reported(&mut pool, many));
        }};
    }
    check!(Row, row::hp);
    check!(Column, column::hp);
}

#[derive(Thing, Clone, Default)]
#[thing(columns)]
struct Barrel {
    #[thing(tags)]
    tags: Tags,
    load: f32,
}

#[test]
fn a_stale_handle_marks_nothing_whatever_it_is_used_for() {
    let mut pool = Pool::new();
    let crates: Vec<Handle<Barrel>> =
        pool.spawn_many((0..300).map(|_| Barrel::default())).collect();
    pool.track_changes();
    pool.despawn(crates[150]);
    pool.next_tick();
    let since = pool.tick();
    pool.next_tick();
    let stale = crates[150];
    assert!(
        pool.get_mut(stale).is_none() && !pool.edit(stale, |_| ()) && pool.split(stale).is_none()
    );
    assert!(pool.get_disjoint_mut([stale, Handle::NIL]).iter().all(Result::is_err));
    assert!(
        pool.view_mut::<Mut<barrel::load>>().get_mut(stale).is_none()
            && pool.set::<barrel::load>(stale, 1.0).is_err()
    );
    assert!(!pool.set_tags(stale, Tags::MOVES) && !pool.insert_tags(stale, Tags::MOVES));
    assert!(
        !pool.remove_tags(stale, Tags::MOVES)
            && !pool.despawn(stale)
            && !pool.despawn_after(stale, 1)
    );
    assert!(pool.take(stale).is_none());
    let (_, mut things) = pool.tree_and_things();
    assert!(
        things.get_mut(stale).is_none()
            && things.view_mut::<Mut<barrel::load>>().get_mut(stale).is_none()
    );
    assert_eq!(pool.changed_since::<barrel::load>(since).next(), None);
    assert_eq!(pool.changed_since::<barrel::tags>(since).next(), None);
    assert!(pool.set::<barrel::load>(crates[151], 1.0).is_ok());
    assert!(pool.changed_since::<barrel::load>(since).any(|who| who == crates[151]));
}

#[test]
fn a_change_far_away_is_reported_and_nothing_else() {
    let mut pool = Pool::new();
    pool.spawn(Barrel::default());
    let far = Handle::from_bits(1 << 32 | 300_000);
    pool.spawn_at(far, Barrel::default()).unwrap_or_else(|error| panic!("{error}"));
    pool.track_changes();
    let since = pool.tick();
    pool.next_tick();
    assert!(pool.set::<barrel::load>(far, 1.0).is_ok());
    assert!(pool.changed_since::<barrel::load>(since).eq([far]));
    assert_eq!(pool.changed_since::<barrel::tags>(since).next(), None);
    assert!(pool.edit(far, |_| ()));
    assert!(pool.changed_since::<barrel::tags>(since).eq([far]));
}
