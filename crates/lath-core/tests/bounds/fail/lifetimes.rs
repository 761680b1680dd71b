//! Nothing of a pool outlives the borrow that it came from.

use lath_core::{Mut, Pool, Ref, Thing};

#[derive(Thing, Default)]
struct Crew {
    age: u32,
}

fn of_a_call() {
    let mut pool = Pool::<Crew>::new();
    let mut kept = None;
    pool.each_with_rest(|_, thing, _| kept = Some(thing));
}

fn of_the_rest() {
    let mut pool = Pool::<Crew>::new();
    let mut kept = None;
    pool.each_with_rest(|who, _, rest| kept = rest.get(who));
}

fn across_a_spawn() {
    let mut pool = Pool::<Crew>::new();
    let who = pool.spawn(Crew { age: 1 });
    let age = pool.view::<Ref<crew::age>>().get(who);
    pool.spawn(Crew { age: 2 });
    drop(age);
}

fn across_another_loop() {
    let mut pool = Pool::<Crew>::new();
    let mut kept = Vec::new();
    let mut ages = pool.view_mut::<Mut<crew::age>>();
    ages.each(|age| kept.push(age));
    ages.each(|age| kept.push(age));
}

fn beyond_the_pool() -> &'static u32 {
    let pool = Pool::<Crew>::new();
    &pool.read(lath_core::Handle::NIL).age
}

fn of_a_sweep() {
    let mut pool = Pool::<Crew>::new();
    let mut kept = None;
    pool.tree_mut().sweep::<Ref<crew::age>, Mut<crew::age>>().down(|parent, _| kept = parent);
}

fn main() {}
