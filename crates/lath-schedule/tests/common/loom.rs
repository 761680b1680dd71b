#![expect(unsafe_code, reason = "looks into loom's cells, which notice who else does")]
//! How systems are handed from thread to thread (E3 in `run/parallel.rs`), in every interleaving
//! that there can be: each runs once, after all that it waits for, and sees what those have done;
//! those that must be apart are.
//!
//! A model: rayon's `join` is a thread here, and a system is a look at some cells and a write to
//! others. `scripts/loom.sh` runs it.

use std::sync::Arc;

use loom::cell::UnsafeCell;
use loom::sync::Mutex;
use loom::sync::atomic::Ordering::{self, AcqRel, Relaxed};
use loom::sync::atomic::{AtomicU32, AtomicUsize};
use loom::thread;

/// What is known of a stage: who follows whom, who must be apart, what is read and written.
struct Stage {
    followers: Vec<Vec<usize>>,
    apart: Vec<(usize, usize)>,
    reads: Vec<Vec<usize>>,
    writes: Vec<Vec<usize>>,
    counters: Vec<AtomicU32>,
    turns: Mutex<(Vec<usize>, Vec<(usize, usize)>)>,
    cells: Vec<UnsafeCell<u32>>,
    ran: Vec<AtomicUsize>,
    order: Ordering,
}

// SAFETY: loom's cells notice when two threads use them at the same time.
unsafe impl Sync for Stage {}
// SAFETY: as above.
unsafe impl Send for Stage {}

impl Stage {
    fn new(
        edges: &[(usize, usize)],
        apart: &[(usize, usize)],
        touches: &[(&[usize], &[usize])],
        order: Ordering,
    ) -> Arc<Self> {
        let count = touches.len();
        let followers: Vec<Vec<usize>> = (0..count)
            .map(|at| edges.iter().filter(|edge| edge.0 == at).map(|edge| edge.1).collect())
            .collect();
        let waits = |at: usize| edges.iter().filter(|edge| edge.1 == at).count() as u32;
        Arc::new(Self {
            apart: apart.to_vec(),
            reads: touches.iter().map(|touch| touch.0.to_vec()).collect(),
            writes: touches.iter().map(|touch| touch.1.to_vec()).collect(),
            counters: (0..count).map(|at| AtomicU32::new(waits(at))).collect(),
            turns: Mutex::new((Vec::new(), Vec::new())),
            cells: (0..4).map(|_| UnsafeCell::new(0)).collect(),
            ran: (0..count).map(|_| AtomicUsize::new(0)).collect(),
            followers,
            order,
        })
    }

    fn apart_from(&self, at: usize) -> Vec<usize> {
        self.apart
            .iter()
            .filter_map(|&(a, b)| if a == at { Some(b) } else { (b == at).then_some(a) })
            .collect()
    }

    /// As `Together::go_on`: with a thread for every second system that becomes ready.
    fn go_on(self: &Arc<Self>, first: usize) {
        let mut list = vec![first];
        let mut forks = Vec::new();
        while let Some(at) = list.pop() {
            if !self.may_run(at) {
                continue;
            }
            self.run(at);
            self.take_up(at, &mut list);
            let ready: Vec<_> = self.followers[at]
                .iter()
                .copied()
                .filter(|&after| self.counters[after].fetch_sub(1, self.order) == 1)
                .collect();
            for (number, after) in ready.into_iter().enumerate() {
                if number == 0 {
                    list.push(after);
                } else {
                    let this = self.clone();
                    forks.push(thread::spawn(move || this.go_on(after)));
                }
            }
        }
        forks.into_iter().for_each(|fork| fork.join().unwrap());
    }

    fn run(&self, at: usize) {
        assert_eq!(self.ran[at].fetch_add(1, Relaxed), 0, "{at} runs twice");
        for &cell in &self.reads[at] {
            // SAFETY: loom notices if somebody writes to it.
            self.cells[cell].with(|value| unsafe { *value });
        }
        for &cell in &self.writes[at] {
            // SAFETY: loom notices if somebody else uses it.
            self.cells[cell].with_mut(|value| unsafe { *value += 1 });
        }
    }

    fn may_run(&self, at: usize) -> bool {
        let apart = self.apart_from(at);
        if apart.is_empty() {
            return true;
        }
        let mut turns = self.turns.lock().unwrap();
        match apart.into_iter().find(|other| turns.0.contains(other)) {
            Some(other) => turns.1.push((at, other)),
            None => {
                turns.0.push(at);
                return true;
            }
        }
        false
    }

    fn take_up(&self, at: usize, list: &mut Vec<usize>) {
        if self.apart_from(at).is_empty() {
            return;
        }
        let mut turns = self.turns.lock().unwrap();
        turns.0.retain(|&other| other != at);
        list.extend(turns.1.iter().filter(|waiting| waiting.1 == at).map(|waiting| waiting.0));
        turns.1.retain(|waiting| waiting.1 != at);
    }

    /// Runs all, from some roots, each on a thread of its own, and looks whether all have run.
    fn play(self: Arc<Self>, roots: &[usize]) {
        let others: Vec<_> = roots[1..]
            .iter()
            .map(|&root| {
                let this = self.clone();
                thread::spawn(move || this.go_on(root))
            })
            .collect();
        self.go_on(roots[0]);
        others.into_iter().for_each(|other| other.join().unwrap());
        assert!(self.ran.iter().all(|ran| ran.load(Relaxed) == 1), "one has not run");
    }
}

/// One before two, and those before one: the last one reads what all have written.
fn diamond(order: Ordering) {
    loom::model(move || {
        let touches: [(&[usize], &[usize]); 4] =
            [(&[], &[0]), (&[0], &[1]), (&[0], &[2]), (&[0, 1, 2], &[3])];
        Stage::new(&[(0, 1), (0, 2), (1, 3), (2, 3)], &[], &touches, order).play(&[0]);
    });
}

#[test]
fn whoever_counts_down_to_zero_runs_the_system_once_and_sees_what_was_done_before() {
    diamond(AcqRel);
}

#[test]
#[should_panic]
fn with_a_weaker_order_that_is_not_so() {
    diamond(Relaxed);
}

#[test]
fn three_that_one_waits_for() {
    loom::model(|| {
        let touches: [(&[usize], &[usize]); 4] =
            [(&[], &[0]), (&[], &[1]), (&[], &[2]), (&[], &[0, 1, 2])];
        Stage::new(&[(0, 3), (1, 3), (2, 3)], &[], &touches, AcqRel).play(&[0, 1, 2]);
    });
}

#[test]
fn those_in_no_order_are_never_at_the_same_time_and_none_is_forgotten() {
    loom::model(|| {
        let touches: [(&[usize], &[usize]); 3] = [(&[], &[0]), (&[], &[0]), (&[], &[0])];
        Stage::new(&[], &[(0, 1), (0, 2), (1, 2)], &touches, AcqRel).play(&[0, 1, 2]);
    });
}

#[test]
fn one_that_is_taken_up_counts_down_its_followers() {
    loom::model(|| {
        let touches: [(&[usize], &[usize]); 3] = [(&[], &[0]), (&[], &[0]), (&[0], &[1])];
        Stage::new(&[(0, 2), (1, 2)], &[(0, 1)], &touches, AcqRel).play(&[0, 1]);
    });
}
