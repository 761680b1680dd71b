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
