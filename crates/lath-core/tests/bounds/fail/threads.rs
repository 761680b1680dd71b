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
    pool.view_mut::<Ref<crew::given>>().par_each(|_| ());
    pool.view_mut::<Mut<crew::kept>>().par_each(|_| ());
    pool.view_mut::<&mut Crew>().par_each(|_| ());
}
