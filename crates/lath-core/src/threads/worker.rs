#![expect(
    unsafe_code,
    reason = "hands work that borrows from one thread to another, which waits for it"
)]
//! The worker of a thread pool that takes jobs from outside: it stays on one of the threads.
//!
//! Rayon takes jobs from other threads in a queue that allocates now and then. Handing them to
//! somebody who is inside already does not; and what is forked there, the other threads of the pool
//! take up.
//!
//! # Invariants
//!
//! - **J1** A job is on the stack of the thread that brings it, which neither returns nor unwinds
//!   before the worker has counted it as done. Until then only the worker uses it.
//! - **J2** A worker that is `free` has no job and does none, so whoever finds it free is the only
//!   one who has brought one.
//! - **J3** The worker counts a job as done and is free again in one step, so that whoever comes
//!   again finds it free.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::any::Any;
use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use rayon_core::{Yield, yield_now};

use super::Work;
use crate::guard::Guard;

/// How often a worker without a job looks for work of the other threads, while somebody waits in
/// rayon's queue: rayon counts on all of its threads.
const PAUSE: Duration = Duration::from_millis(1);

/// How often a worker that has done a job looks for another before it sleeps, as rayon's threads
/// do: being woken takes long.
const ROUNDS: u32 = 32;

/// Something to do, and what it panicked with.
struct Job<'a, 'w> {
    work: &'a mut Work<'w>,
    panic: Option<Box<dyn Any + Send>>,
}

/// Where a job is.
struct JobPointer(*mut Job<'static, 'static>);

// SAFETY: the work is `Send`, as is the payload of a panic, and one thread at a time uses the job
// (J1).
unsafe impl Send for JobPointer {}

#[derive(Default)]
struct Inbox {
    job: Option<JobPointer>,
    free: bool,
    asleep: bool,
    /// So many jobs have been done.
    done: u64,
    /// So many have gone by rayon's queue and are not done: the worker does not sleep through that.
    queued: usize,
    /// Nobody will come any more.
    closed: bool,
}

/// Where jobs from outside are handed over. Nothing panics while it is locked.
#[derive(Default)]
pub(super) struct Worker {
    inbox: Mutex<Inbox>,
    /// Wakes the worker.
    called: Condvar,
    /// Wakes those who wait for a job, or for the worker to arrive.
    told: Condvar,
}

impl Worker {
    /// Puts a worker on one of the threads, where it is when this returns. Later it might not get
    /// there: a thread that waits for something else could take it up meanwhile, and would not come
    /// back from it.
    pub(super) fn new(threads: &rayon_core::ThreadPool) -> Arc<Self> {
        let worker = Arc::new(Self::default());
        let arrives = Arc::clone(&worker);
        threads.spawn(move || arrives.stay());
        let mut inbox = worker.lock();
        while !inbox.free {
            inbox = wait(&worker.told, inbox);
        }
        drop(inbox);
        worker
    }

    /// Has the worker do it, and waits. If the worker is not free, nothing is done and the answer
    /// is no.
    ///
    /// # Panics
    ///
    /// If the work does, with its payload.
    pub(super) fn does(&self, work: &mut Work<'_>) -> bool {
        let mut inbox = self.lock();
        if !inbox.free {
            return false;
        }
        let mut job = Job { work, panic: None };
        inbox.free = false;
        inbox.job = Some(JobPointer((&raw mut job).cast()));
        let number = inbox.done + 1; // nobody else has brought one (J2)
        if inbox.asleep {
            self.called.notify_one();
        }
        while inbox.done < number {
            inbox = wait(&self.told, inbox);
        }
        drop(inbox);
        if let Some(payload) = job.panic {
            resume_unwind(payload);
        }
        true
    }

    /// Does something by way of rayon's queue, while the worker looks for it there now and then.
    pub(super) fn queue(&self, threads: &rayon_core::ThreadPool, work: &mut Work<'_>) {
        self.lock().queued += 1;
        self.called.notify_one();
        let _until_done = Guard::new(self, |worker| worker.lock().queued -= 1);
        threads.install(work);
    }

    /// Lets the worker go, so that the threads can end.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.called.notify_one();
    }

    fn stay(&self) {
        let mut inbox = self.lock();
        inbox.free = true;
        self.told.notify_all();
        let mut rounds = 0;
        while !inbox.closed {
            if let Some(JobPointer(job)) = inbox.job.take() {
                drop(inbox);
                // SAFETY: it is there, and nobody else uses it: whoever has brought it waits for
                // `done` (J1). Nothing of it is kept, so that it does not matter how long what it
                // borrows lives beyond that.
                let job = unsafe { &mut *job };
                job.panic = catch_unwind(AssertUnwindSafe(&mut *job.work)).err();
                inbox = self.lock();
                inbox.done += 1;
                inbox.free = true;
                self.told.notify_all();
                rounds = ROUNDS;
            } else if inbox.queued > 0 {
                inbox.free = false;
                drop(inbox);
                let found = yield_now() == Some(Yield::Executed);
                inbox = self.lock();
                inbox.free = true;
                if !found && !inbox.closed {
                    inbox.asleep = true;
                    let woken = self.called.wait_timeout(inbox, PAUSE);
                    (inbox, _) = woken.unwrap_or_else(PoisonError::into_inner);
                    inbox.asleep = false;
                }
            } else if rounds > 0 {
                rounds -= 1;
                drop(inbox);
                thread::yield_now();
                inbox = self.lock();
            } else {
                inbox.asleep = true;
                inbox = wait(&self.called, inbox);
                inbox.asleep = false;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn wait<'a>(condvar: &Condvar, inbox: MutexGuard<'a, Inbox>) -> MutexGuard<'a, Inbox> {
    condvar.wait(inbox).unwrap_or_else(PoisonError::into_inner)
}
