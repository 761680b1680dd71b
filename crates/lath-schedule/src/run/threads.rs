//! Where systems, and the loops inside them, run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The threads that a schedule runs on.
#[derive(Clone, Default)]
pub(crate) struct Threads {
    #[cfg(feature = "parallel")]
    own: Option<Arc<rayon::ThreadPool>>,
    /// Everything on the caller's thread.
    one: bool,
    /// Whether more than one was of use since this was last asked.
    used: Arc<AtomicBool>,
}

impl Threads {
    /// Everything on the caller's thread.
    pub(crate) fn one() -> Self {
        Self { one: true, ..Self::default() }
    }

    /// So many threads of its own.
    pub(crate) fn new(count: usize) -> Result<Self, String> {
        match count {
            0 => Err("a schedule cannot run on 0 threads: `threads(1)` runs it on the caller's".into()),
            1 => Ok(Self::one()),
            #[cfg(feature = "parallel")]
            _ => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(count).thread_name(|n| format!("lath {n}"));
                let pool = pool.build().map_err(|error| format!("{count} threads could not be had: {error}"))?;
                Ok(Self { own: Some(pool.into()), ..Self::default() })
            }
            #[cfg(not(feature = "parallel"))]
            _ => Ok(Self::one()),
        }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        #[cfg(feature = "parallel")]
        if !self.one {
            return self.own.as_ref().map_or_else(rayon::current_num_threads, |pool| pool.current_num_threads());
        }
        1
    }

    /// Notes that more than one is of use.
    #[cfg(feature = "parallel")]
    pub(crate) fn note_used(&self) {
        self.used.store(true, Ordering::Relaxed);
    }

    /// Whether more than one was of use since this was last asked.
    #[cfg(feature = "parallel")]
    pub(crate) fn take_used(&self) -> bool {
        self.used.load(Ordering::Relaxed) && self.used.swap(false, Ordering::Relaxed)
    }

    /// Calls `f` with every number below `count`, on any of the threads.
    pub(crate) fn for_each(&self, count: u32, f: impl Fn(u32) + Sync) {
        if self.one || count < 2 {
            return (0..count).for_each(f);
        }
        #[cfg(feature = "parallel")]
        self.note_used();
        #[cfg(feature = "parallel")]
        self.inside(|| {
            use rayon::iter::{IntoParallelIterator, ParallelIterator};
            (0..count).into_par_iter().for_each(&f);
        });
        #[cfg(not(feature = "parallel"))]
        (0..count).for_each(f);
    }

    /// Calls `f` with every part and its number, on any of the threads.
    pub(crate) fn for_each_mut<B: Send>(&self, parts: &mut [B], f: impl Fn(u32, &mut B) + Sync) {
        let one_by_one = |parts: &mut [B]| (0..).zip(parts).for_each(|(number, part)| f(number, part));
        if self.one || parts.len() < 2 {
            return one_by_one(parts);
        }
        #[cfg(feature = "parallel")]
        self.note_used();
        #[cfg(feature = "parallel")]
        self.inside(|| {
            use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
            parts.par_iter_mut().enumerate().for_each(|(number, part)| f(number as u32, part));
        });
        #[cfg(not(feature = "parallel"))]
        one_by_one(parts);
    }

    /// Calls `f` on one of the threads, unless this is one.
    #[cfg(feature = "parallel")]
    pub(crate) fn inside<R: Send>(&self, f: impl FnOnce() -> R + Send) -> R {
        match &self.own {
            Some(pool) if pool.current_thread_index().is_none() => pool.install(f),
            None if rayon::current_thread_index().is_none() => rayon::scope(|_| f()),
            _ => f(),
        }
    }
}

/// A number for the current thread, for traces.
pub(crate) fn thread_number() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local!(static NUMBER: u64 = NEXT.fetch_add(1, Ordering::Relaxed));
    NUMBER.with(|number| *number)
}
