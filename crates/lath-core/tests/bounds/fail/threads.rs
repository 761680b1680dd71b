//! Loops on several threads take views that may go there.

use std::cell::Cell;
use std::rc::Rc;

use lath_core::{Mut, Pool, Ref, Thing};

#[derive(Thing, Default)]
struct Crew {
    given: Cell<u32>,
    kept: Rc<u32>,
}

fn main() {
    let mut pool = Pool::<Crew>::new();
    pool.par_each(|_: Ref<crew::given>| ());
    pool.par_each(|_: Mut<crew::kept>| ());
    pool.par_each(|_: &mut Crew| ());
}
