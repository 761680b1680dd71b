#![expect(
    unsafe_code,
    reason = "hands work that borrows from one thread to another, which waits for it"
)]
//! The host of a crew: a job that stays on one of its threads and does there what others bring.
//!
//! Rayon takes work from other threads in a queue that allocates now and then. Handing it to
//! somebody who is inside already does not; and what is forked there, the other threads of the crew
//! take up.
//!
//! # Invariants
//!
//! - **J1** An errand is on the stack of the thread that brings it, which neither returns nor
//!   unwinds before the host has counted it as done. Until then only the host uses it.
//! - **J2** A host that is `free` has no errand and does none, so whoever finds it free is the only
//!   one who has brought one.
//! - **J3** The host counts an errand as done and is free again in one step, so that who comes
//!   again finds it free.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::any::Any;
use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use rayon_core::{ThreadPool, Yield, yield_now};

use super::Work;

/// How often a host that has nothing to do looks for work of the other threads, while there are
/// guests.
const PAUSE: Duration = Duration::from_millis(1);

/// How often a host that has done an errand looks for another before it sleeps, as rayon's threads
/// do: being woken takes long.
const ROUNDS: u32 = 32;

/// Something to do, and what came of it.
struct Errand<'a, 'w> {
    work: &'a mut Work<'w>,
    panic: Option<Box<dyn Any + Send>>,
}

/// Where an errand is.
struct Brought(*mut Errand<'static, 'static>);

// SAFETY: the work is `Send`, as is the payload of a panic, and one thread at a time uses the
// errand (J1).
unsafe impl Send for Brought {}

#[derive(Default)]
struct Post {
    brought: Option<Brought>,
    free: bool,
    asleep: bool,
    /// So many errands have been done.
    done: u64,
    /// So many are on their way in by the queue, or inside: the host does not sleep through that.
    guests: usize,
    /// Nobody will come any more.
    closed: bool,
}

/// Where the host waits. Nothing panics while it is locked.
#[derive(Default)]
pub(super) struct Host {
    post: Mutex<Post>,
    /// For the host.
    called: Condvar,
    /// For those who have brought something, or wait for the host to arrive.
    told: Condvar,
}

impl Host {
    /// Makes one of the threads the host, which is at its post when this returns. Later it might
    /// not get there: a thread that waits for something else could take the job up meanwhile, and
    /// would not come back from it.
    pub(super) fn new(pool: &ThreadPool) -> Arc<Self> {
        let host = Arc::new(Self::default());
        let arrives = Arc::clone(&host);
        pool.spawn(move || arrives.stay());
        let mut post = host.lock();
        while !post.free {
            post = wait(&host.told, post);
        }
        drop(post);
        host
    }

    /// Has the host do it, and waits. If the host is not free, nothing is done and the answer is
    /// no.
    ///
    /// # Panics
    ///
    /// If the work does, with its payload.
    pub(super) fn does(&self, work: &mut Work<'_>) -> bool {
        let mut post = self.lock();
        if !post.free {
            return false;
        }
        let mut errand = Errand { work, panic: None };
        let place = (&raw mut errand).cast::<Errand<'static, 'static>>();
        post.free = false;
        post.brought = Some(Brought(place));
        let number = post.done + 1; // nobody else has brought one (J2)
        if post.asleep {
            self.called.notify_one();
        }
        while post.done < number {
            post = wait(&self.told, post);
        }
        drop(post);
        match errand.panic {
            Some(payload) => resume_unwind(payload),
            None => true,
        }
    }

    /// Lets the host know of somebody who comes in by the queue, for as long as that is inside.
    pub(super) fn admit(&self) -> Guest<'_> {
        self.lock().guests += 1;
        self.called.notify_one();
        Guest(self)
    }

    /// Lets the host go, so that the threads can end.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.called.notify_one();
    }

    fn stay(&self) {
        let mut post = self.lock();
        post.free = true;
        self.told.notify_all();
        let mut rounds = 0;
        while !post.closed {
            if let Some(Brought(errand)) = post.brought.take() {
                drop(post);
                // SAFETY: it is there, and nobody else uses it: whoever has brought it waits for
                // `done` (J1). Nothing of it is kept, so that it does not matter how long what it
                // borrows lives beyond that.
                let errand = unsafe { &mut *errand };
                errand.panic = catch_unwind(AssertUnwindSafe(&mut *errand.work)).err();
                post = self.lock();
                post.done += 1;
                post.free = true;
                self.told.notify_all();
                rounds = ROUNDS;
            } else if post.guests == 0 && rounds > 0 {
                rounds -= 1;
                drop(post);
                thread::yield_now();
                post = self.lock();
            } else if post.guests == 0 {
                post.asleep = true;
                post = wait(&self.called, post);
                post.asleep = false;
            } else {
                post.free = false;
                drop(post);
                let found = yield_now() == Some(Yield::Executed);
                post = self.lock();
                post.free = true;
                if !found && !post.closed {
                    post.asleep = true;
                    (post, _) = self
                        .called
                        .wait_timeout(post, PAUSE)
                        .unwrap_or_else(PoisonError::into_inner);
                    post.asleep = false;
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Post> {
        self.post.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn wait<'a>(condvar: &Condvar, post: MutexGuard<'a, Post>) -> MutexGuard<'a, Post> {
    condvar.wait(post).unwrap_or_else(PoisonError::into_inner)
}

/// Somebody who has come in by the queue.
pub(super) struct Guest<'a>(&'a Host);

impl Drop for Guest<'_> {
    fn drop(&mut self) {
        self.0.lock().guests -= 1;
    }
}
