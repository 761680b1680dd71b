//! Threads of one's own do what they are given, for whoever comes, and go when nobody needs them.
#![cfg(feature = "parallel")]

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use lath_core::threads::{self, ThreadPool};

fn pool(count: usize) -> ThreadPool {
    ThreadPool::new(count).map_err(|why| why.to_string()).unwrap()
}

/// What `f` answers on one of the threads.
fn inside<R: Send>(pool: &ThreadPool, f: impl FnOnce() -> R + Send) -> R {
    let (mut f, mut answer) = (Some(f), None);
    pool.enter(&mut || answer = f.take().map(|f| f()));
    answer.expect("it was done")
}

/// Fails, instead of waiting for ever, if `f` does not come to an end.
fn ends(f: impl FnOnce() + Send + 'static) {
    goes_on(|_| f());
}

/// The same for something long: it says when it goes on, and may take its time on a busy machine.
fn goes_on(f: impl FnOnce(&dyn Fn()) + Send + 'static) {
    let (tell, told) = mpsc::channel();
    let runs = thread::spawn(move || f(&|| tell.send(()).unwrap()));
    let over = loop {
        match told.recv_timeout(Duration::from_secs(300)) {
            Ok(()) => {}
            Err(over) => break over,
        }
    };
    assert_ne!(over, mpsc::RecvTimeoutError::Timeout, "somebody waits for ever");
    runs.join().unwrap();
}

fn name() -> Option<String> {
    thread::current().name().map(str::to_owned)
}

#[test]
fn work_is_done_on_one_of_the_threads_once() {
    for count in [1, 2, 3] {
        let pool = pool(count);
        assert_eq!(pool.count(), count);
        let mut times = 0;
        pool.enter(&mut || {
            times += 1;
            assert!(name().unwrap().starts_with("lath "), "{:?}", name());
            assert_eq!(threads::count(), count);
        });
        assert_eq!(times, 1);
    }
}

#[test]
fn one_thread_is_the_worker_from_the_beginning() {
    for _ in 0..100 {
        let pool = pool(3);
        let first = inside(&pool, name);
        assert!((0..10).all(|_| inside(&pool, name) == first));
    }
}

#[test]
fn what_is_forked_inside_is_taken_up_by_the_others() {
    for count in [1, 2, 3, 8] {
        let pool = pool(count);
        for _ in 0..20 {
            let all_are_here = Barrier::new(count); // whoever waits for all others has a thread of its own
            pool.enter(&mut || threads::for_each(count, &|_| _ = all_are_here.wait()));
        }
    }
}

#[test]
fn loops_from_outside_are_done_on_threads_of_ours() {
    if threads::count() == 1 {
        return; // nobody else is there
    }
    let me = thread::current().id();
    let elsewhere =
        |_: usize| assert!(thread::current().id() != me && name().unwrap().starts_with("lath "));
    threads::for_each(100, &elsewhere);
    threads::for_each_mut(&mut [0; 100], &|number, _| elsewhere(number));
    threads::join(&mut || elsewhere(0), &mut || elsewhere(1));
    threads::enter(&mut || elsewhere(0));
}

#[test]
fn a_panic_reaches_who_has_brought_the_work_and_the_next_one_notices_nothing() {
    struct Why(u32);
    for count in [1, 2, 3] {
        let pool = pool(count);
        for round in 0..100 {
            let panics = || pool.enter(&mut || panic_any(Why(round)));
            let payload = catch_unwind(AssertUnwindSafe(panics)).unwrap_err();
            assert_eq!(payload.downcast_ref::<Why>().unwrap().0, round);
            assert_eq!(inside(&pool, || round + 1), round + 1);
        }
        // The same by way of the queue.
        let another = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let panics = || another.install(|| pool.enter(&mut || panic_any(Why(7))));
        assert_eq!(
            catch_unwind(AssertUnwindSafe(panics)).unwrap_err().downcast_ref::<Why>().unwrap().0,
            7
        );
        assert_eq!(inside(&pool, || 3), 3);
    }
}

#[test]
fn who_comes_at_the_same_time_has_the_work_done_before_going_on() {
    for count in [1, 2, 3] {
        ends(move || {
            let pool = pool(count);
            let done = AtomicUsize::new(0);
            thread::scope(|scope| {
                for _ in 0..5 {
                    scope.spawn(|| {
                        for round in 0..400 {
                            // What is written to is gone if somebody does it late.
                            let mut parts = vec![0_u64; 50];
                            pool.enter(&mut || {
                                threads::for_each_mut(&mut parts, &|number, part| {
                                    *part += number as u64
                                })
                            });
                            assert_eq!(
                                parts.iter().sum::<u64>(),
                                49 * 50 / 2,
                                "round {round} on {count} threads"
                            );
                            done.fetch_add(1, Ordering::Relaxed);
                        }
                    });
                }
            });
            assert_eq!(done.into_inner(), 2000);
        });
    }
}

#[test]
fn thread_pools_can_be_entered_from_each_other() {
    for (count, other) in [(1, 1), (1, 2), (2, 1), (2, 2), (3, 2)] {
        ends(move || {
            let (one, two) = (pool(count), pool(other));
            for round in 0..50 {
                let there_and_back =
                    || inside(&two, || inside(&one, || inside(&two, || (round, threads::count()))));
                assert_eq!(inside(&one, there_and_back), (round, other));
                assert_eq!(
                    inside(&one, || inside(&one, || inside(&one, name))),
                    inside(&one, name)
                );
            }
            // By all threads of one, and by one that is in no pool.
            thread::scope(|scope| {
                scope.spawn(|| (0..50).for_each(|round| assert_eq!(inside(&two, || round), round)));
                one.enter(&mut || {
                    threads::for_each(50, &|round| assert_eq!(inside(&two, || round), round))
                });
            });
        });
    }
}

#[test]
fn two_who_wait_for_each_other_meet_on_two_threads() {
    ends(|| {
        let pool = pool(2);
        for _ in 0..500 {
            let both_are_here = Barrier::new(2);
            let meet = || pool.enter(&mut || _ = both_are_here.wait());
            thread::scope(|scope| {
                scope.spawn(meet);
                meet();
            });
        }
    });
}

#[test]
fn who_waits_in_the_queue_does_not_wait_for_a_thread_while_the_worker_is_free() {
    // One has the worker, another the other thread, and a third waits in the queue when the worker is
    // done. The second waits for the third.
    ends(|| {
        let pool = &pool(2);
        let (first_may_go, third_is_here) = (&Barrier::new(2), &Barrier::new(2));
        let both_are_busy = &Barrier::new(3);
        thread::scope(|scope| {
            scope.spawn(|| {
                pool.enter(&mut || {
                    both_are_busy.wait();
                    first_may_go.wait();
                });
            });
            scope.spawn(|| {
                pool.enter(&mut || {
                    both_are_busy.wait();
                    third_is_here.wait();
                });
            });
            both_are_busy.wait();
            scope.spawn(|| pool.enter(&mut || _ = third_is_here.wait()));
            thread::sleep(Duration::from_millis(20)); // the third is in the queue by now
            first_may_go.wait();
        });
    });
}

#[test]
fn a_word_to_all_threads_reaches_the_worker_while_another_is_inside() {
    // `broadcast` waits for each thread, the worker too, who has nothing to do: the one who calls
    // came in from another pool.
    ends(|| {
        let pool = pool(3);
        let another = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let heard = another.install(|| inside(&pool, || rayon::broadcast(|_| 1)));
        assert_eq!(heard, [1, 1, 1]);
    });
}

thread_local! {
    static LEAVES: Cell<Option<Leaves>> = const { Cell::new(None) };
}

/// Counts down when its thread ends.
struct Leaves(Arc<AtomicUsize>);

impl Drop for Leaves {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Has all threads of a pool counted for as long as they are there.
fn count_threads(pool: &ThreadPool, there: &Arc<AtomicUsize>) {
    let all_are_here = Barrier::new(pool.count());
    pool.enter(&mut || {
        threads::for_each(pool.count(), &|_| {
            there.fetch_add(1, Ordering::Relaxed);
            LEAVES.set(Some(Leaves(Arc::clone(there))));
            all_are_here.wait();
        });
    });
}

fn assert_all_leave(there: &AtomicUsize) {
    let start = Instant::now();
    while there.load(Ordering::Relaxed) > 0 {
        assert!(start.elapsed() < Duration::from_secs(300), "{there:?} threads are still there");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn threads_end_when_their_pool_is_dropped() {
    for count in [1, 2, 3] {
        let there = Arc::new(AtomicUsize::new(0));
        let pool = pool(count);
        count_threads(&pool, &there);
        assert!(
            catch_unwind(AssertUnwindSafe(|| pool.enter(&mut || panic!("on purpose")))).is_err()
        );
        thread::sleep(Duration::from_millis(5));
        assert_eq!(there.load(Ordering::Relaxed), count);
        drop(pool);
        assert_all_leave(&there);
    }
}

#[test]
fn thread_pools_that_come_and_go_do_not_pile_up() {
    let there = Arc::new(AtomicUsize::new(0));
    for round in 0..300 {
        let pool = pool(1 + round % 3);
        count_threads(&pool, &there);
    }
    assert_all_leave(&there);
}

#[test]
#[cfg(target_os = "linux")]
fn thread_pools_that_nobody_enters_do_not_pile_up_either() {
    let threads = || std::fs::read_dir("/proc/self/task").unwrap().count();
    let (pools, some) = (200, 200); // other tests have threads, too
    (0..pools).for_each(|_| drop(pool(4)));
    let start = Instant::now();
    while threads() > some {
        assert!(start.elapsed() < Duration::from_secs(300), "there are {} threads", threads());
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn no_call_is_missed_in_a_hundred_thousand() {
    goes_on(|goes_on| {
        for count in [1, 2] {
            let pool = pool(count);
            let mut times = 0;
            for round in 0..50_000 {
                pool.enter(&mut || times += 1);
                goes_on();
                // The worker looks around for a while before it sleeps. Come at all times: before,
                // when it is about to, and after.
                let (start, pause) = (Instant::now(), Duration::from_micros(round % 40));
                while start.elapsed() < pause {}
                if round % 37 == 0 {
                    thread::sleep(pause * 10);
                }
            }
            assert_eq!(times, 50_000);
        }
    });
}
