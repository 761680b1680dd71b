#![expect(
    unsafe_code,
    reason = "`mallopt` of the C library can only be called through its foreign interface"
)]
//! Keeps freed pages in the process, so that page faults do not drown the workloads that allocate.
//!
//! glibc gives large blocks a mapping of their own and hands it back to the kernel when they are
//! freed; the next round would fault every page in again, at several times the cost of filling it.
//! With mappings off and trimming off, all blocks come from one heap that only grows, and from the
//! second round on no candidate sees a fresh page.
//!
//! Elsewhere than on Linux with glibc nothing is done, and the rows `spawn-1m` and `spawn-bulk-1m`
//! mean less.

/// Asks the allocator to keep what it is given. Call it once, before any measurement.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn keep_pages() {
    // SAFETY: `mallopt` takes plain integers and may be called at any time; unknown options are
    // refused, not undefined. No other thread is running yet that could allocate meanwhile.
    let accepted = unsafe {
        libc::mallopt(libc::M_MMAP_MAX, 0) == 1 && libc::mallopt(libc::M_TRIM_THRESHOLD, -1) == 1
    };
    if !accepted {
        eprintln!(
            "lath-peers: the allocator would not keep its pages; expect page faults in the spawn workloads"
        );
    }
}

/// Does nothing: there is no such switch here.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn keep_pages() {}
