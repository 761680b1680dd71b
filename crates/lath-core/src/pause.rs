//! Waiting for another thread that will be done in a moment.

/// Lets others go first. Whoever is waited for may need this very processor: where threads have fixed priorities, one that only spins
/// would keep it for ever.
#[inline]
pub(crate) fn pause() {
    #[cfg(feature = "std")]
    std::thread::yield_now();
    #[cfg(not(feature = "std"))]
    core::hint::spin_loop();
}
