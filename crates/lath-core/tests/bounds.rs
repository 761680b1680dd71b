//! What may go to other threads, and what may outlive what.
//!
//! To write the messages anew after a change:
//! `TRYBUILD=overwrite cargo test -p lath-core --test bounds --features parallel`.

#![allow(
    clippy::assertions_on_constants,
    reason = "what the compiler knows of a type is the point"
)]

use std::cell::Cell;
use std::rc::Rc;

use lath_core::{Handle, Iter, IterMut, Mut, Others, Pool, Ref, Thing, ViewIter, Views};

#[test]
fn what_must_not_be_is_refused() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/bounds/fail/lifetimes.rs");
    #[cfg(feature = "parallel")]
    cases.compile_fail("tests/bounds/fail/threads.rs");
}

/// Whether a type is `Send` or `Sync`: the constant of the type itself is found if it is, that of
/// the trait if not.
struct Is<X: ?Sized>(std::marker::PhantomData<X>);

trait IsNot {
    const SEND: bool = false;
    const SYNC: bool = false;
}

impl<X: ?Sized> IsNot for Is<X> {}

impl<X: ?Sized + Send> Is<X> {
    const SEND: bool = true;
}

impl<X: ?Sized + Sync> Is<X> {
    const SYNC: bool = true;
}

#[derive(Thing, Default)]
struct Plain {
    value: u32,
}

/// May be given away, but not shared.
#[derive(Thing, Default)]
struct Given {
    value: Cell<u32>,
}

/// May be neither.
#[derive(Thing, Default)]
struct Kept {
    value: Rc<u32>,
}

#[test]
fn a_pool_goes_where_its_things_may_go() {
    assert!(Is::<Pool<Plain>>::SEND && Is::<Pool<Plain>>::SYNC);
    assert!(Is::<Pool<Given>>::SEND && !Is::<Pool<Given>>::SYNC);
    assert!(!Is::<Pool<Kept>>::SEND && !Is::<Pool<Kept>>::SYNC);
    // A handle is a number.
    assert!(Is::<Handle<Kept>>::SEND && Is::<Handle<Kept>>::SYNC);
}

#[test]
fn a_look_at_a_thing_goes_where_a_reference_may_go() {
    assert!(Is::<Ref<'_, plain::value>>::SEND && Is::<Mut<'_, plain::value>>::SEND);
    assert!(!Is::<Ref<'_, given::value>>::SEND && Is::<Mut<'_, given::value>>::SEND);
    assert!(!Is::<Ref<'_, kept::value>>::SEND && !Is::<Mut<'_, kept::value>>::SEND);
    assert!(
        Is::<Others<'_, Plain>>::SEND
            && !Is::<Others<'_, Given>>::SEND
            && !Is::<Others<'_, Kept>>::SEND
    );
    assert!(
        Is::<Views<'_, Ref<'_, plain::value>>>::SEND
            && !Is::<Views<'_, Ref<'_, given::value>>>::SEND
    );
    // They hold addresses, and nobody says that these may go elsewhere.
    assert!(!Is::<Iter<'_, Kept>>::SEND && !Is::<IterMut<'_, Kept>>::SEND);
    assert!(
        !Is::<ViewIter<'_, Mut<'_, given::value>>>::SYNC
            && !Is::<ViewIter<'_, Ref<'_, kept::value>>>::SEND
    );
}
