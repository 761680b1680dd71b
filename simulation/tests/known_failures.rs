//! What lath is known to do wrong, found by the game. Each is a test that must fail, with the issue
//! that will mend it: then it leaves this list, and what `src/known.rs` keeps away from the game
//! comes back.

use lath::prelude::*;

#[global_allocator]
static POISONED: lath_simulation::poison::Poisoned = lath_simulation::poison::Poisoned;

/// Passes as long as something is wrong.
fn must_fail(issue: u32, shows: impl FnOnce() + std::panic::UnwindSafe) {
    assert!(
        lath_simulation::fuse::hushed(shows).is_err(),
        "this is right now: take it from the list of known failures, with issue {issue}"
    );
}

/// How much memory a pool has depends on its layout, and the order of slots that were never used on
/// how much it has.
#[test]
fn first_in_first_out_hands_out_the_same_slots_in_every_layout() {
    #[derive(Thing, Default)]
    struct Row {}
    #[derive(Thing, Default)]
    #[thing(columns)]
    struct Column {}

    fn slots<T: Thing>() -> Vec<u32> {
        let mut pool = Pool::<T>::new();
        pool.set_reuse(Reuse::Fifo);
        (0..3000)
            .map(|_| {
                let [one, two] = [(); 2].map(|()| pool.spawn(T::default()));
                pool.despawn(one);
                two.index()
            })
            .collect()
    }
    must_fail(23, || assert_eq!(slots::<Row>(), slots::<Column>()));
}

/// An image of a group that is not full has the slots between as well, which nobody has written.
/// With this goes `IMAGES_HOLD_UNWRITTEN_MEMORY`.
#[test]
fn an_image_holds_no_memory_that_nobody_has_written() {
    use lath_simulation::adapter::copies::is_written;
    use lath_simulation::adapter::things::{Piece, first, second};
    use lath_simulation::body::{Body, Id};

    fn all_is_written<T: Piece>() -> bool {
        let mut pool = Pool::<T>::new();
        let things: Vec<_> = (0..40).map(|n| pool.spawn(T::make(&Body::new(n, Id::NIL)))).collect();
        assert!(pool.despawn(things[7]));
        is_written(&pool)
    }
    must_fail(22, || {
        assert!(all_is_written::<first::Spark>() && all_is_written::<second::Spark>());
        assert!(all_is_written::<first::Ship>() && all_is_written::<second::Ship>());
        assert!(all_is_written::<first::Crew>() && all_is_written::<second::Crew>());
    });
}
