//! Work on several threads: those of the rayon pool that the caller is in, of a thread pool that
//! all of the program shares, or of one of the caller's own. No other file knows rayon, but for
//! `threads/worker.rs`.
//!
//! Of rayon only its core is needed, which has the threads and `join`. What is to be done comes as
//! a reference to a closure of any type, so that all of this is compiled once, and not with every
//! loop of every program.

mod worker;

use alloc::sync::Arc;
use alloc::vec;
use core::fmt::Display;
use std::sync::OnceLock;

use rayon_core::ThreadPoolBuilder;

use self::worker::Worker;

/// Something to do.
pub type Work<'a> = dyn FnMut() + Send + 'a;

/// How many threads there are. Asking does not start any.
pub fn count() -> usize {
    if is_inside() { rayon_core::current_num_threads() } else { usual_count() }
}

/// Does something on one of the threads, unless this is one or there are no others.
pub fn enter(work: &mut Work<'_>) {
    static SHARED: OnceLock<Option<ThreadPool>> = OnceLock::new();
    if is_inside() || usual_count() == 1 {
        return work();
    }
    match SHARED.get_or_init(|| ThreadPool::new(usual_count()).ok()) {
        Some(threads) => threads.enter(work),
        None => rayon_core::scope(|_| work()), // rayon knows what to do where threads cannot be had
    }
}

/// Whether this is a thread of a rayon pool: of one of ours, or of the user's.
fn is_inside() -> bool {
    rayon_core::current_thread_index().is_some()
}

/// How many threads there are outside of all pools: as many as rayon would have.
fn usual_count() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| {
        let asked = std::env::var("RAYON_NUM_THREADS").ok().and_then(|count| count.parse().ok());
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        asked.filter(|&count| count > 0).unwrap_or_else(cores)
    })
}

/// Does both, at the same time if a thread is idle. Nothing is allocated. If one panics, so does
/// this, after the other has ended.
pub fn join(one: &mut Work<'_>, other: &mut Work<'_>) {
    enter(&mut || fork(&mut |_| one(), &mut |_| other()));
}

/// Calls `f` with every number below `count`: neighbours on one thread, unless another is idle.
pub fn for_each(count: usize, f: &(dyn Fn(usize) + Sync)) {
    // Units take no memory.
    for_each_mut(&mut vec![(); count], &|number, ()| f(number));
}

/// As [`for_each`], for few pieces of work of which each is worth a thread.
pub(crate) fn for_each_apart(count: usize, f: &(dyn Fn(usize) + Sync)) {
    spread(&mut vec![(); count], count, &|number, ()| f(number));
}

/// Calls `f` with every part and its number: neighbours on one thread, unless another is idle.
pub fn for_each_mut<B: Send>(parts: &mut [B], f: &(dyn Fn(usize, &mut B) + Sync)) {
    spread(parts, count(), f);
}

/// Shares the parts out on the threads, if there are several.
fn spread<B: Send>(parts: &mut [B], splits: usize, f: &(dyn Fn(usize, &mut B) + Sync)) {
    let several = parts.len() > 1;
    let mut all = || share_out(parts, 0, (splits, false), f);
    if several { enter(&mut all) } else { all() }
}

/// Halves the parts, and the halves, until there are enough for all threads. A half that another
/// thread has taken shows that there are idle ones: it is halved that often again. Those who are at
/// work find the end of their parts quickly, and loops of one length cost few forks.
fn share_out<B: Send>(
    parts: &mut [B],
    first: usize,
    (splits, taken): (usize, bool),
    f: &(dyn Fn(usize, &mut B) + Sync),
) {
    let middle = parts.len() / 2;
    if middle == 0 || splits == 0 && !taken {
        return (first..).zip(parts).for_each(|(number, part)| f(number, part));
    }
    let splits = if taken { count().max(splits / 2) } else { splits / 2 };
    let (near, far) = parts.split_at_mut(middle);
    fork(&mut |taken| share_out(near, first, (splits, taken), f), &mut |taken| {
        share_out(far, first + middle, (splits, taken), f);
    });
}

/// Does both, and tells each whether another thread has taken it.
fn fork(one: &mut (dyn FnMut(bool) + Send), other: &mut (dyn FnMut(bool) + Send)) {
    if !is_inside() {
        one(false); // there are no others: see `enter`
        return other(false);
    }
    rayon_core::join_context(
        |context| one(context.migrated()),
        |context| other(context.migrated()),
    );
}

/// Threads of one's own. One of them waits for the jobs that come from outside.
pub struct ThreadPool {
    threads: rayon_core::ThreadPool,
    worker: Arc<Worker>,
}

impl ThreadPool {
    /// So many of them, with names.
    ///
    /// # Errors
    ///
    /// The system has no more threads.
    pub fn new(count: usize) -> Result<Self, impl Display> {
        let threads = ThreadPoolBuilder::new()
            .num_threads(count)
            .thread_name(|n| alloc::format!("lath {n}"))
            .build();
        threads.map(|threads| Self { worker: Worker::new(&threads), threads })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.threads.current_num_threads()
    }

    /// Does something on one of them, unless this is one.
    ///
    /// Nothing is allocated if the worker does it. If that is busy the others do, by way of rayon's
    /// queue. So they do for a thread of another pool, which goes on with the work of that pool
    /// meanwhile.
    pub fn enter(&self, work: &mut Work<'_>) {
        if self.threads.current_thread_index().is_some() {
            return work();
        }
        if is_inside() || !self.worker.does(work) {
            self.worker.queue(&self.threads, work);
        }
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.worker.close();
    }
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::{AtomicUsize, Ordering};
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::vec::Vec;

    use super::*;

    #[test]
    fn every_number_comes_once_whoever_has_the_threads() {
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for length in [0, 1, 2, 3, 7, 64, 1000] {
                let seen: Vec<AtomicUsize> = (0..length).map(|_| AtomicUsize::new(0)).collect();
                let see = |number: usize| _ = seen[number].fetch_add(1, Ordering::Relaxed);
                pool.install(|| for_each(length, &see));
                pool.install(|| for_each_apart(length, &see));
                for_each(length, &see);
                assert!(
                    seen.iter().all(|count| count.load(Ordering::Relaxed) == 3),
                    "{length} on {threads} threads"
                );
            }
        }
    }

    #[test]
    fn parts_come_with_their_numbers() {
        let mut parts = [0; 100];
        for_each_mut(&mut parts, &|number, part| *part += number + 1);
        assert!(parts.iter().enumerate().all(|(number, &part)| part == number + 1));
    }

    #[test]
    fn work_is_done_on_the_threads_of_a_rayon_pool_that_it_is_called_in() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        pool.install(|| {
            assert_eq!(count(), 3);
            for_each(100, &|_| assert!(pool.current_thread_index().is_some()));
            enter(&mut || assert!(pool.current_thread_index().is_some()));
        });
        let two = ThreadPool::new(2).map_err(|why| std::format!("{why}")).unwrap();
        assert_eq!(two.count(), 2);
        let mut seen = 0;
        two.enter(&mut || two.enter(&mut || seen = count()));
        assert_eq!(seen, 2);
    }

    #[test]
    fn pieces_are_done_at_the_same_time_where_there_are_threads_for_them() {
        for threads in [2, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let all_are_here = std::sync::Barrier::new(threads); // whoever waits for all others has a thread of its own
            let meet = |_: usize| _ = all_are_here.wait();
            pool.install(|| for_each(threads, &meet));
            pool.install(|| for_each_apart(threads, &meet));
        }
    }

    #[test]
    fn a_panic_comes_back_after_everybody_has_ended() {
        let ended = AtomicUsize::new(0);
        let fail = |number: usize| {
            assert_ne!(number, 0, "the first one");
            ended.fetch_add(1, Ordering::Relaxed);
        };
        assert!(catch_unwind(AssertUnwindSafe(|| for_each_apart(8, &fail))).is_err());
        let so_far = ended.load(Ordering::Relaxed);
        std::thread::yield_now();
        assert_eq!(ended.load(Ordering::Relaxed), so_far);
    }
}
