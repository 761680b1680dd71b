//! Waiting for another thread that is about to finish something short.

/// Waits a moment, longer if it was called before. With the standard library the processor is given
/// away after a few rounds: the other thread may be waiting for it, and where threads have
/// priorities nobody else would give it up.
pub(crate) fn wait(rounds: &mut u32) {
    *rounds = rounds.wrapping_add(1);
    #[cfg(feature = "std")]
    if *rounds % SPINS == 0 {
        std::thread::yield_now();
        return;
    }
    core::hint::spin_loop();
}

#[cfg(feature = "std")]
const SPINS: u32 = 64;

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn whoever_is_waited_for_comes_to_its_turn() {
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| done.store(true, Ordering::Release));
            let mut rounds = u32::MAX - 3; // the count may come to its end
            while !done.load(Ordering::Acquire) {
                wait(&mut rounds);
            }
        });
    }
}
