//! Where systems, and the loops inside them, run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lath_core::Workers;
#[cfg(feature = "parallel")]
use lath_core::threads;

/// The threads that a schedule runs on.
#[derive(Clone, Default)]
pub(crate) struct Threads {
    #[cfg(feature = "parallel")]
    own: Option<Arc<threads::ThreadPool>>,
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
            0 => {
                Err("a schedule cannot run on 0 threads: `threads(1)` runs it on the caller's"
                    .into())
            }
            1 => Ok(Self::one()),
            #[cfg(feature = "parallel")]
            _ => {
                let own = threads::ThreadPool::new(count)
                    .map_err(|why| format!("{count} threads could not be had: {why}"))?;
                Ok(Self { own: Some(own.into()), ..Self::default() })
            }
            #[cfg(not(feature = "parallel"))]
            _ => Ok(Self::one()),
        }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        #[cfg(feature = "parallel")]
        if !self.one {
            return self.own.as_ref().map_or_else(threads::count, |own| own.count());
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

    /// Calls `f` on one of the threads, unless this is one.
    #[cfg(feature = "parallel")]
    pub(crate) fn inside<R: Send>(&self, f: impl FnOnce() -> R + Send) -> R {
        let (mut f, mut result) = (Some(f), None);
        self.go(&mut || result = f.take().map(|f| f()));
        result.unwrap_or_else(|| unreachable!("the threads do what they are given"))
    }

    #[cfg(feature = "parallel")]
    fn go(&self, work: &mut threads::Work<'_>) {
        match &self.own {
            Some(own) => own.enter(work),
            None => threads::enter(work),
        }
    }
}

/// For loops inside systems.
impl Workers for Threads {
    fn count(&self) -> usize {
        self.count()
    }

    fn enter(&self, work: &mut (dyn FnMut() + Send + '_)) {
        #[cfg(feature = "parallel")]
        if !self.one {
            self.note_used();
            return self.go(work);
        }
        work();
    }
}

/// A number for the current thread, for traces.
pub(crate) fn thread_number() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local!(static NUMBER: u64 = NEXT.fetch_add(1, Ordering::Relaxed));
    NUMBER.with(|number| *number)
}
