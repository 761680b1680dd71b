//! Two systems that have much to do and nothing in common: what a second core brings.

use super::lath;
#[cfg(feature = "ecs")]
use super::{bevy, legion, shipyard};
use crate::cores::{go_anywhere, stay_on};
use crate::workload::{Bar, Trial, Workload};
use crate::workloads::mix;

/// One thread for both, against a thread for each: 1.8 times as fast.
const BARS: &[Bar] = &[Bar { candidate: "lath", against: "lath-serial", at_most: 1.0 / 1.8 }];

/// Things, each with a number for either system.
pub(super) const THINGS: u32 = 50_000;

/// The workload. A system keeps its thread on a core of its own, if it may run beside the other.
/// flecs is not here: on several threads it splits one system after the other.
pub(super) fn workload() -> Workload {
    let about = "two independent heavy systems (raw: on one thread)";
    let workload = Workload::new("systems-2-heavy", about, BARS)
        .with("raw", Run::<Raw<false>>::new)
        .with("raw on two", Run::<Raw<true>>::new);
    #[cfg(feature = "ecs")]
    let workload = workload
        .with("bevy single", Run::<bevy::Heavy<false>>::new)
        .with("bevy multi", Run::<bevy::Heavy<true>>::new)
        .with("legion", Run::<legion::Heavy>::new)
        .with("shipyard", Run::<shipyard::Heavy>::new);
    workload
        .with("lath-serial", Run::<lath::Heavy<false>>::new)
        .with("lath", Run::<lath::Heavy<true>>::new)
}

/// A way to run the two systems.
pub(super) trait Heavy: 'static {
    /// `THINGS` things of the numbers n and n + 0.5.
    fn new() -> Self;

    /// [`toil`] on the first numbers, and on the second ones.
    fn run(&mut self);

    /// Both numbers of every thing, in any order.
    fn values(&mut self, f: impl FnMut(f32, f32));
}

/// The numbers of the n-th thing.
pub(super) fn numbers(n: u32) -> [f32; 2] {
    [n as f32, n as f32 + 0.5]
}

/// Adds what a hundred steps that depend on each other come to.
#[inline(always)]
pub(super) fn toil(number: &mut f32) {
    *number += (0..100).fold(*number, |number, _| (number + 1.0).sqrt());
}

/// Called by a system that may run beside the other: keeps its thread on the core of that number.
pub(super) fn keep_apart(threads: bool, core: usize) {
    if threads {
        stay_on(core);
    }
}

/// Goes on from the numbers that the last run left.
struct Run<H>(H);

impl<H: Heavy> Run<H> {
    fn new() -> Self {
        Self(H::new())
    }
}

impl<H: Heavy> Trial for Run<H> {
    fn run(&mut self) {
        self.0.run();
        go_anywhere(); // this thread, which may have been one of those
    }

    fn answer(&mut self) -> u64 {
        let mut answer = 0u64;
        let bits = |number: f32| u64::from(number.to_bits());
        self.0.values(|first, second| answer = answer.wrapping_add(mix(bits(first), bits(second))));
        answer
    }
}

/// Two arrays.
struct Raw<const TWO: bool>(Vec<f32>, Vec<f32>);

impl<const TWO: bool> Heavy for Raw<TWO> {
    fn new() -> Self {
        let (first, second) = (0..THINGS).map(|n| numbers(n).into()).unzip();
        Self(first, second)
    }

    fn run(&mut self) {
        let Self(first, second) = self;
        let all = |numbers: &mut [f32]| numbers.iter_mut().for_each(toil);
        if TWO {
            let on = |core: usize, numbers: &mut [f32]| {
                keep_apart(true, core);
                all(numbers);
            };
            rayon::join(|| on(0, first), || on(1, second));
        } else {
            all(first);
            all(second);
        }
    }

    fn values(&mut self, mut f: impl FnMut(f32, f32)) {
        self.0.iter().zip(&self.1).for_each(|(&first, &second)| f(first, second));
    }
}
