//! Images that are taken while others stage: nothing is copied that somebody is writing.
//! `scripts/tsan.sh` runs this, too.

mod common;

use std::collections::HashSet;
use std::thread;

use common::things::{MixedColumns, PlainColumns, PlainRow, Subject};
use lath_core::{Handle, Pool};
use lath_snapshot::image::PoolImage;

const STAGED: u32 = 500;

/// All that there is to see in a pool.
fn seen<T: Subject>(pool: &Pool<T>) -> Vec<(Handle<T>, String)> {
    pool.iter().map(|(who, thing)| (who, T::seen(thing))).collect()
}

/// Takes images of a pool with holes, into which two threads stage meanwhile, and puts them back.
fn take_while_others_stage<T: Subject>() {
    let mut pool: Pool<T> = (0..3000).map(T::new).collect();
    // Full groups, groups with one hole, and groups with many.
    pool.retain(|who, _| {
        who.index() % 500 != 7 && (who.index() / 700 != 2 || who.index() % 3 != 0)
    });
    let before = seen(&pool);
    let values = |thread: u32| (0..STAGED).map(move |n| T::new(10_000 * (thread + 1) + n));
    let staged: HashSet<_> =
        seen(&(0..2).flat_map(values).collect()).into_iter().map(|(_, seen)| seen).collect();
    let mut images = [(); 10].map(|()| PoolImage::new());
    thread::scope(|scope| {
        for thread in 0..2 {
            let pool = &pool;
            scope.spawn(move || {
                for (n, value) in values(thread).enumerate() {
                    assert!(pool.contains(pool.stage(value)));
                    if n % 5 == 0 {
                        pool.reserve();
                    }
                }
            });
        }
        images.iter_mut().for_each(|image| image.capture(&pool));
    });
    for image in images {
        let mut other = Pool::new();
        image.restore(&mut other).unwrap();
        assert_eq!((other.check_invariants(), seen(&other)), (Ok(()), before.clone()));
        // What was staged by then is whole.
        other.commit();
        let news = seen(&other).into_iter().filter(|one| !before.contains(one));
        assert!(news.into_iter().all(|(_, seen)| staged.contains(&seen)));
        assert_eq!(other.check_invariants(), Ok(()));
    }
}

#[test]
fn an_image_may_be_taken_while_others_stage_plain_rows() {
    take_while_others_stage::<PlainRow>();
}

#[test]
fn an_image_may_be_taken_while_others_stage_plain_columns() {
    take_while_others_stage::<PlainColumns>();
}

#[test]
fn an_image_may_be_taken_while_others_stage_columns_with_values_that_are_cloned() {
    take_while_others_stage::<MixedColumns>();
}
