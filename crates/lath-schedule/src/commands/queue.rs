#![expect(
    unsafe_code,
    reason = "keeps commands of any type one after another in one piece of memory"
)]
//! Commands of any type, one after another, in memory that is kept.
//!
//! # Invariants
//!
//! - **Q1** From `done` to the end, `words` is a row of entries: how many words the command takes,
//!   its `Handler`, and the command itself, which is of the type that this is for. All commands in
//!   it are whole.

use std::any::Any;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::world::World;

/// Something that is done to the world later. Answers whether there was anything to do it to.
pub(crate) trait Command: Send + 'static {
    /// Whether it runs code of the user's, which may do anything to the world.
    const DOES_ANYTHING: bool = false;

    fn apply(self, world: &mut World) -> bool;

    /// Sees to it that nobody takes what the command needs before it is its turn.
    fn reserve(&self, _: &mut World) {}

    /// Gives up what was reserved.
    fn cancel(self, _: &mut World)
    where
        Self: Sized,
    {
    }
}

/// What something panicked with.
pub(crate) type Panic = Box<dyn Any + Send>;

/// Drops what nobody wants to know any more, even if that panics in turn.
pub(crate) fn forget(panic: Panic) {
    if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        std::mem::forget(another);
    }
}

/// A word of memory; pointers, so that the addresses of functions can be kept.
type Word = MaybeUninit<*const ()>;

/// What is done with a command.
enum Step<'a> {
    Reserve(&'a mut World),
    Apply(&'a mut World),
    Cancel(&'a mut World),
    Drop,
}

/// Does something with the command at a place; moves it out, but for [`Step::Reserve`].
type Handler = unsafe fn(*const Word, Step<'_>) -> bool;

/// Commands in the order in which they were given.
#[derive(Default)]
pub(crate) struct Queue {
    words: Vec<Word>,
    /// Where the first command is that has not been applied.
    done: usize,
    len: usize,
    does_anything: bool,
}

// SAFETY: commands are `Send`, and behind a shared reference nothing can be done to them.
unsafe impl Send for Queue {}
// SAFETY: as above.
unsafe impl Sync for Queue {}

/// How many words a command takes.
const fn words_of<C>() -> usize {
    size_of::<C>().div_ceil(size_of::<Word>())
}

impl Queue {
    /// How many commands wait.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether any of the commands runs code of the user's.
    pub(crate) fn does_anything(&self) -> bool {
        self.does_anything
    }

    pub(crate) fn push<C: Command>(&mut self, command: C) {
        self.does_anything |= C::DOES_ANYTHING;
        if align_of::<C>() > align_of::<Word>() {
            return self.push_entry(Boxed(Box::new(command)));
        }
        self.push_entry(command);
    }

    fn push_entry<C: Command>(&mut self, command: C) {
        // First, since it may panic.
        self.words.reserve(2 + words_of::<C>());
        let at = self.words.len();
        self.words.push(MaybeUninit::new(std::ptr::without_provenance(words_of::<C>())));
        let run: Handler = run::<C>;
        self.words.push(MaybeUninit::new(run as *const ()));
        self.words.resize(at + 2 + words_of::<C>(), MaybeUninit::uninit());
        // SAFETY: the words behind the entry's head are large enough, and aligned: no more than a
        // word is asked for.
        unsafe { self.words.as_mut_ptr().add(at + 2).cast::<C>().write(command) };
        self.len += 1;
    }

    /// All commands of another queue, after those that are here.
    pub(crate) fn append(&mut self, other: &mut Queue) {
        debug_assert_eq!(other.done, 0);
        self.words.append(&mut other.words);
        self.len += std::mem::take(&mut other.len);
        self.does_anything |= std::mem::take(&mut other.does_anything);
    }

    /// The entry at a place: where its command is, where the next entry is, and what runs it.
    fn entry(&self, at: usize) -> Option<(*const Word, usize, Handler)> {
        let [words, run] = self.words.get(at..at + 2)? else { return None };
        // SAFETY: Q1: an entry begins here, or at the end of the words, where there is none.
        let (words, run) = unsafe { (words.assume_init().addr(), run.assume_init()) };
        // SAFETY: Q1: it was made of a `Handler`.
        let run = unsafe { std::mem::transmute::<*const (), Handler>(run) };
        // SAFETY: in bounds: the command lies behind the head of its entry.
        Some((unsafe { self.words.as_ptr().add(at + 2) }, at + 2 + words, run))
    }

    /// Takes the next command out and does something with it.
    fn next(&mut self, what: Step<'_>) -> Option<bool> {
        let (command, end, run) = self.entry(self.done)?;
        // Before it is run: it is taken out even if it panics.
        self.done = end;
        self.len -= 1;
        // SAFETY: Q1: there is a command of the type that `run` is for; it is not used again.
        Some(unsafe { run(command, what) })
    }

    /// Lets every command reserve what it needs.
    pub(crate) fn reserve(&mut self, world: &mut World) {
        let mut at = self.done;
        while let Some((command, end, run)) = self.entry(at) {
            // SAFETY: Q1: there is a command of the type that `run` is for, which stays where it
            // is.
            unsafe { run(command, Step::Reserve(world)) };
            at = end;
        }
    }

    /// Applies all commands. `note` hears of each whether there was anything to do. If one panics,
    /// those after it are given up.
    ///
    /// # Errors
    ///
    /// What the first one to panic panicked with.
    pub(crate) fn apply(
        &mut self,
        world: &mut World,
        mut note: impl FnMut(&mut World, bool),
    ) -> Result<(), Panic> {
        let applied = catch_unwind(AssertUnwindSafe(|| {
            while let Some(done) = self.next(Step::Apply(world)) {
                note(world, done);
            }
        }));
        let given_up = self.empty(|queue| queue.next(Step::Cancel(world)).is_some());
        applied.and(given_up)
    }

    /// Drops all commands. A `Drop` that panics does not keep the others from being dropped.
    ///
    /// # Errors
    ///
    /// What the first one to panic panicked with.
    pub(crate) fn clear(&mut self) -> Result<(), Panic> {
        self.empty(|queue| queue.next(Step::Drop).is_some())
    }

    /// Takes out all commands, by a call for each, whatever panics.
    fn empty(&mut self, mut take_one: impl FnMut(&mut Self) -> bool) -> Result<(), Panic> {
        let mut result = Ok(());
        loop {
            match catch_unwind(AssertUnwindSafe(|| take_one(self))) {
                Ok(true) => {}
                Ok(false) => break,
                Err(panic) if result.is_ok() => result = Err(panic),
                Err(panic) => forget(panic),
            }
        }
        self.words.clear();
        self.done = 0;
        self.does_anything = false;
        result
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        match self.clear() {
            Err(panic) if !std::thread::panicking() => resume_unwind(panic),
            Err(panic) => forget(panic),
            Ok(()) => {}
        }
    }
}

/// # Safety
///
/// At `at` there is a `C`, which is not used again, but after [`Step::Reserve`].
unsafe fn run<C: Command>(at: *const Word, what: Step<'_>) -> bool {
    let at = at.cast::<C>();
    if let Step::Reserve(world) = what {
        // SAFETY: there is a command (by the caller), and words are aligned as it needs.
        unsafe { &*at }.reserve(world);
        return true;
    }
    // SAFETY: as above; it is not used again (by the caller).
    let command = unsafe { at.read() };
    match what {
        Step::Apply(world) => return command.apply(world),
        Step::Cancel(world) => command.cancel(world),
        Step::Reserve(_) | Step::Drop => drop(command),
    }
    false
}

/// A command that needs more alignment than words have.
struct Boxed<C>(Box<C>);

impl<C: Command> Command for Boxed<C> {
    fn apply(self, world: &mut World) -> bool {
        (*self.0).apply(world)
    }

    fn reserve(&self, world: &mut World) {
        self.0.reserve(world);
    }

    fn cancel(self, world: &mut World) {
        (*self.0).cancel(world);
    }
}
