//! What several test files share.
#![allow(dead_code, reason = "each test file uses some of it")]

pub(crate) mod counted;
#[path = "../../../lath-core/tests/common/dice.rs"]
pub(crate) mod dice;

use std::sync::{Condvar, Mutex};
use std::time::Duration;

use lath_schedule::Schedule;

/// A schedule that runs as much as possible at the same time, on so many threads.
pub(crate) fn on_threads(threads: usize) -> Schedule {
    let mut schedule = Schedule::new();
    schedule.threads(threads).parallel_from(Duration::ZERO);
    schedule
}

/// A place where several threads wait for each other, but not for ever.
#[derive(Default)]
pub(crate) struct Meeting {
    here: Mutex<usize>,
    came: Condvar,
}

impl Meeting {
    /// Waits until so many have come; answers whether they have. Minutes at most.
    pub(crate) fn wait_for(&self, count: usize) -> bool {
        let mut here = self.here.lock().unwrap();
        *here += 1;
        self.came.notify_all();
        let (here, _) = self
            .came
            .wait_timeout_while(here, Duration::from_secs(300), |here| *here < count)
            .unwrap();
        *here >= count
    }
}
