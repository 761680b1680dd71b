#![expect(
    unsafe_code,
    reason = "`sched_setaffinity` of the C library can only be called through its foreign interface"
)]
//! A core for each thread, so that what is measured is what two cores bring, and not where the
//! kernel puts a thread.
//!
//! On a virtual machine the kernel takes a core that sleeps for one that is busy elsewhere, wakes a
//! second thread up where the first one runs, and moves it milliseconds later: then two threads
//! take nearly as long as one, whoever started them.

/// Keeps the calling thread on one core from now on. If that cannot be, it stays as it is.
#[cfg(target_os = "linux")]
pub(crate) fn stay_on(core: usize) {
    keep_to(|set| {
        // SAFETY: a set, and a number that it has room for.
        unsafe { libc::CPU_SET(core % libc::CPU_SETSIZE as usize, set) };
    });
}

/// Lets the calling thread go to any core again.
#[cfg(target_os = "linux")]
pub(crate) fn go_anywhere() {
    keep_to(|set| {
        for core in 0..libc::CPU_SETSIZE as usize {
            // SAFETY: a set, and a number that it has room for.
            unsafe { libc::CPU_SET(core, set) };
        }
    });
}

#[cfg(target_os = "linux")]
fn keep_to(fill: impl FnOnce(&mut libc::cpu_set_t)) {
    // SAFETY: zero bytes are an empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    fill(&mut set);
    // SAFETY: 0 is the calling thread; the set is read, and is as long as is said. What is refused
    // changes nothing.
    unsafe { libc::sched_setaffinity(0, size_of_val(&set), &raw const set) };
}

/// Does nothing: there is no such call here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn stay_on(_: usize) {}

/// Does nothing: there is no such call here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn go_anywhere() {}
