#![expect(
    unsafe_code,
    reason = "raw memory: slots that hold a value or not, side by side with their stamps"
)]
//! Array-of-structs storage: every thing whole, its stamp beside it, so that a lookup touches one
//! cache line.

use alloc::alloc::Layout;
use core::cell::UnsafeCell;
use core::mem::{ManuallyDrop, MaybeUninit, needs_drop, offset_of};
use core::ops::Range;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use crate::blocks::{Fine, FineChart, Zeroed, found_by_entry};
use crate::error::OutOfMemory;
use crate::field::{Field, Fields};
use crate::prefetch::prefetch;
use crate::slots::GROUP;
use crate::storage::{CloneStorage, Storage};
use crate::thing::Thing;
use crate::wait::wait;

mod strips;

/// Things as whole structs in blocks: the default layout.
///
/// # Examples
///
/// ```
/// use lath_core::{Rows, Thing};
///
/// #[derive(Thing, Default)]
/// #[thing(rows)] // the default, may be left out
/// struct Ship { hull: f32 }
///
/// fn is_rows<T: Thing<Storage = Rows<T>>>() {}
/// is_rows::<Ship>();
/// ```
pub struct Rows<T: Thing> {
    slots: Fine<Row<T>>,
    /// All slots below this have memory and a stamp. The block that this lies in, if it has memory,
    /// has neither stamps nor values from here on; the blocks after it, if they have memory, were
    /// made out of order, with stamps of 0 throughout.
    ready: AtomicU64,
    /// Up to here slots that are not ready have memory and no stamps, in whatever block: it was
    /// made in one go. The end of a block, or 0.
    bare: u64,
    /// Held by whoever makes more slots ready.
    extending: AtomicBool,
}

/// One slot. `#[repr(C)]` only to say that the stamp is in front; any order would do.
#[repr(C)]
pub struct Row<T: Thing> {
    stamp: AtomicU32,
    /// What the pool knows the tags to be, out of reach of whoever gets the value. Initialised
    /// whenever the value is.
    tags: UnsafeCell<MaybeUninit<T::Tags>>,
    value: UnsafeCell<MaybeUninit<T>>,
}

// SAFETY: zero bytes are a valid `AtomicU32`, and anything is a valid `MaybeUninit`.
unsafe impl<T: Thing> Zeroed for Row<T> {
    /// An array that begins where a cache line does, as copies of it do: copying between them is
    /// quicker then.
    fn layout(len: usize) -> Result<Layout, OutOfMemory> {
        let rows = Layout::array::<Self>(len).and_then(|rows| rows.align_to(64));
        rows.map_err(|_| OutOfMemory { bytes: usize::MAX })
    }

    found_by_entry!();
}

// SAFETY: rows share values between threads only as the pool does, which hands out `&T` (so
// `T: Sync`) and takes values through a shared reference when staging (so `T: Send`). Tags are
// both, by `TagSet`.
unsafe impl<T: Thing + Send + Sync> Sync for Row<T> {}

impl<T: Thing> Rows<T> {
    /// How far ahead of the row that is written memory is fetched: as far as the next stamps, which
    /// are set all at once, and a little more.
    const AHEAD: usize = {
        let stamps = Self::AT_ONCE as usize * size_of::<Row<T>>();
        if stamps < 1 << 15 { stamps + 1024 } else { 1024 }
    };

    /// Where the value of a slot is. The pointer is good for the whole block.
    ///
    /// # Safety
    ///
    /// The place is of these rows.
    #[inline(always)]
    pub(crate) unsafe fn value(&self, place: NonNull<Row<T>>) -> *mut T {
        // SAFETY: in bounds; no reference is made, so the pointer keeps the reach of the place.
        unsafe { place.as_ptr().byte_add(offset_of!(Row<T>, value)).cast() }
    }

    /// The place of a slot that the table does not have. Not in the trait: there `#[cold]` is not
    /// heeded, and loops spill registers for it.
    #[cold]
    fn look_beyond(&self, index: u32) -> Option<NonNull<Row<T>>> {
        // The block first, the mark after: who has seen a block that is being made ready sees a
        // mark within it, or past it. The other way round, the block could be installed in between.
        let place = self.slots.element(index)?;
        let ready = self.ready.load(Ordering::Acquire);
        if u64::from(index) >= ready && self.is_next(index, ready) { None } else { Some(place) }
    }

    /// Whether `index`, which is not ready, lies in the block that the first slot that is not ready
    /// lies in, or has memory that was made with it.
    fn is_next(&self, index: u32, ready: u64) -> bool {
        let block = Fine::<Row<T>>::bounds(index);
        u64::from(index) < self.bare
            || u32::try_from(ready).is_ok_and(|ready| block.contains(&ready))
    }

    /// Makes slots ready, from `first` on to `end`, whole groups of one block; or, if they are not
    /// next, that whole block. If `bare`, they have no stamps yet.
    ///
    /// # Safety
    ///
    /// Nobody looks at a slot that has no stamp.
    unsafe fn extend(&self, first: u32, end: u64, bare: bool) -> Result<(), OutOfMemory> {
        debug_assert!(
            u64::from(*Fine::<Row<T>>::bounds(first).end()) + 1 >= end,
            "slots of two blocks"
        );
        let ready = self.ready.load(Ordering::Relaxed);
        if u64::from(first) < ready {
            return Ok(());
        }
        if !self.is_next(first, ready) {
            return self.slots.grow(first).map(|_| ());
        }
        // SAFETY: no slot is looked at before it is ready, but for `place_beyond`, which passes
        // over this block.
        unsafe { self.slots.grow_uninit(first) }?;
        // The stamps of a group are set just before its slots are filled: they are in the cache
        // then, which they would not be if the whole block had been cleared.
        let (first, mut end) = (u64::from(first), end);
        let stamped = if bare { first } else { end };
        let mut next = ready;
        while next < stamped {
            let Some(row) = self.slots.element(next as u32) else {
                unreachable!("the block was made above, or before")
            };
            let len = u64::from(Fine::<Row<T>>::run_len(next as u32)).min(stamped - next);
            for n in 0..len as usize {
                // SAFETY: there is memory for the whole block, which these slots lie in. Nobody
                // else writes here: they were not ready, and only one thread extends at a time.
                unsafe { (&raw mut (*row.add(n).as_ptr()).stamp).write(AtomicU32::new(0)) };
            }
            next += len;
        }
        // Blocks that were made out of order and come next are ready throughout.
        while let Some(next) =
            u32::try_from(end).ok().filter(|next| Fine::<Row<T>>::bounds(*next).start() == next)
        {
            if end < self.bare || self.slots.element(next).is_none() {
                break;
            }
            end = u64::from(*Fine::<Row<T>>::bounds(next).end()) + 1;
        }
        self.ready.store(end, Ordering::Release);
        Ok(())
    }
}

// SAFETY:
// - Places: `Fine` never moves an element, and gives different indices different elements.
// - Fresh stamps are 0: `extend` sets them before `place` gives a slot away, or `Fine` does.
// - Only the value of the place is touched: every method below goes through `value` of that one
//   row.
unsafe impl<T: Thing> Storage<T> for Rows<T> {
    type Ref<'a> = &'a T;
    type Mut<'a> = &'a mut T;
    type Place = NonNull<Row<T>>;

    const NEEDS_DROP: bool = needs_drop::<T>();

    fn new() -> Self {
        Self {
            slots: Fine::new(),
            ready: AtomicU64::new(0),
            bare: 0,
            extending: AtomicBool::new(false),
        }
    }

    type Chart<'a> = FineChart<'a, Row<T>>;

    #[inline(always)]
    fn chart(&self) -> Self::Chart<'_> {
        self.slots.chart()
    }

    #[inline(always)]
    fn place_by(chart: Self::Chart<'_>, index: u32) -> Option<Self::Place> {
        chart.element(index)
    }

    #[inline(always)]
    fn place_noted(&self, index: u32) -> Option<Self::Place> {
        self.slots.noted_element(index)
    }

    #[inline(always)]
    fn place_beyond(&self, index: u32) -> Option<Self::Place> {
        self.look_beyond(index)
    }

    fn know(&mut self) -> Result<(), OutOfMemory> {
        self.slots.know(*self.ready.get_mut())
    }

    #[inline]
    fn prefetch(&self, place: Self::Place) {
        let size = size_of::<Row<T>>().min(256);
        for line in (0..size).step_by(64) {
            prefetch(place.as_ptr().wrapping_byte_add(line));
        }
        // Rows begin anywhere in a cache line: the last byte may be on one more.
        prefetch(place.as_ptr().wrapping_byte_add(size - 1));
    }

    #[inline(always)]
    fn prefetch_on(&self, place: Self::Place) {
        let after = place.as_ptr().wrapping_byte_add(Self::AHEAD);
        prefetch(after);
        if size_of::<Row<T>>() > 64 {
            prefetch(after.wrapping_byte_add(64));
        }
    }

    fn grow(&self, index: u32) -> Result<Self::Place, OutOfMemory> {
        // A few dozen stores, and sometimes a block, under a lock of its own: between threads that
        // stage at the same time, somebody has to be first.
        let mut rounds = 0;
        while self
            .extending
            .compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed)
            .is_err()
        {
            wait(&mut rounds);
        }
        let first = index - index % GROUP; // groups do not cross blocks
        // SAFETY: all slots get stamps.
        let extended = unsafe { self.extend(first, u64::from(first) + u64::from(GROUP), false) };
        self.extending.store(false, Ordering::Release);
        extended?;
        Ok(self.place(index).unwrap_or_else(|| unreachable!("grown just now")))
    }

    #[inline]
    unsafe fn grow_bare(&mut self, first: u32, len: u32) -> Result<Self::Place, OutOfMemory> {
        // SAFETY: nobody else can look (`&mut self`), and the caller does not before there are
        // stamps.
        unsafe { self.extend(first, u64::from(first) + u64::from(len), true) }?;
        _ = self.know(); // refused: these slots are found more slowly
        Ok(self.place(first).unwrap_or_else(|| unreachable!("grown just now")))
    }

    fn make_room(&mut self, end: u64) -> Result<(), OutOfMemory> {
        // From where nothing has memory yet: where the last such piece ends, or the block of the
        // first slot that is not ready.
        let ready = *self.ready.get_mut();
        let from = match u32::try_from(ready) {
            _ if ready < self.bare => self.bare,
            Ok(next) if self.slots.element(next).is_some() => {
                u64::from(*Fine::<Row<T>>::bounds(next).end()) + 1
            }
            _ => ready,
        };
        if let (Ok(first), Ok(last), true) =
            (u32::try_from(from), u32::try_from(end - 1), from < end)
        {
            // SAFETY: no slot is looked at before it is ready, but for `look_beyond`, which passes
            // over what is bare.
            self.bare = unsafe { self.slots.grow_together_uninit(first, last) }?;
        }
        Ok(())
    }

    fn slots(&self) -> u64 {
        self.ready.load(Ordering::Acquire)
    }

    fn ranges(&self) -> impl Iterator<Item = Range<u64>> {
        // Others may be growing: the mark before and after, so that a block that is being made
        // ready is not taken for one that was made out of order. Whoever sees such a block sees a
        // mark that has come to its start.
        loop {
            let ready = self.ready.load(Ordering::Acquire);
            let blocks = self.slots.ranges();
            if self.ready.load(Ordering::Acquire) == ready {
                let bare = self.bare;
                let later = blocks.filter(move |block| block.start > ready && block.start >= bare);
                return core::iter::once(0..ready).chain(later);
            }
        }
    }

    /// As many groups as fit into 4 kB.
    const AT_ONCE: u32 = {
        let groups = 4096 / (GROUP as usize * size_of::<Row<T>>());
        match groups {
            0 => GROUP,
            1..16 => GROUP << groups.ilog2(),
            _ => 16 * GROUP,
        }
    };

    fn run_len(index: u32) -> u32 {
        Fine::<Row<T>>::run_len(index)
    }

    const STAMP_STRIDE: usize = size_of::<Row<T>>();

    #[inline(always)]
    fn stride<F: Field<Thing = T>>() -> usize
    where
        T: Fields,
    {
        size_of::<Row<T>>()
    }

    #[inline(always)]
    unsafe fn field<F: Field<Thing = T>>(&self, place: Self::Place) -> *mut F::Value
    where
        T: Fields,
    {
        // SAFETY: the place is ours (by the caller). In bounds: `FIELDS` is true (`Fields` is
        // unsafe to implement).
        unsafe { self.value(place).byte_add(T::FIELDS[F::INDEX].offset).cast() }
    }

    #[inline(always)]
    unsafe fn optional<F: Field<Thing = T>>(&self, place: Self::Place) -> Option<*mut F::Value>
    where
        T: Fields,
    {
        // SAFETY: passed on from the caller.
        Some(unsafe { self.field::<F>(place) })
    }

    unsafe fn set_field<F: Field<Thing = T>>(&self, place: Self::Place, value: F::Value)
    where
        T: Fields,
    {
        // SAFETY: the place is ours and holds a value that nobody else uses (by the caller); the
        // old one is dropped.
        unsafe { *self.field::<F>(place) = value };
    }

    #[inline(always)]
    unsafe fn tags(&self, place: Self::Place) -> T::Tags {
        // SAFETY: the place is ours and holds a value (by the caller), so its tags are initialised.
        unsafe { (*place.as_ref().tags.get()).assume_init() }
    }

    #[inline(always)]
    unsafe fn set_tags(&self, place: Self::Place, tags: T::Tags) {
        // SAFETY: the place is ours and holds a value that nobody else uses (by the caller).
        unsafe {
            (*place.as_ref().tags.get()).write(tags);
            self.get_mut(place).put_tags(tags);
        }
    }

    #[inline(always)]
    unsafe fn step(place: Self::Place, by: u32) -> Self::Place {
        // SAFETY: in bounds: a run lies within one block, and the caller stays within the run.
        unsafe { place.add(by as usize) }
    }

    #[inline(always)]
    unsafe fn stamp(&self, place: Self::Place) -> &AtomicU32 {
        // SAFETY: the caller says that the place is ours: rows live as long as `self` and their
        // stamps are initialised.
        unsafe { &place.as_ref().stamp }
    }

    #[inline(always)]
    unsafe fn stamps(&self, place: Self::Place) -> *const u32 {
        // SAFETY: in bounds; no reference is made, so the pointer keeps the reach of the place,
        // which is its whole block.
        unsafe { place.as_ptr().byte_add(offset_of!(Row<T>, stamp)).cast() }
    }

    #[inline(always)]
    unsafe fn write(&self, place: Self::Place, value: T) {
        let row = place.as_ptr();
        // SAFETY: the place is ours and nobody else uses the value (both by the caller);
        // `UnsafeCell` allows the writes. No reference to the row is made, which may have no stamp
        // yet.
        unsafe {
            UnsafeCell::raw_get(&raw const (*row).tags).write(MaybeUninit::new(value.tags()));
            UnsafeCell::raw_get(&raw const (*row).value).write(MaybeUninit::new(value));
        }
    }

    type Asked = T::Tags;

    fn ask(value: &T) -> T::Tags {
        value.tags()
    }

    unsafe fn put(&self, place: Self::Place, value: &mut ManuallyDrop<T>, tags: T::Tags) {
        // SAFETY: as in `write`; the value counts as gone afterwards (by the caller).
        unsafe {
            (*place.as_ref().tags.get()).write(tags);
            (*place.as_ref().value.get()).write(ManuallyDrop::take(value));
        }
    }

    #[inline(always)]
    unsafe fn take(&self, place: Self::Place) -> T {
        // SAFETY: the place is ours and holds a value that is given up here (both by the caller).
        unsafe { (*place.as_ref().value.get()).assume_init_read() }
    }

    #[inline(always)]
    unsafe fn drop_in_place(&self, place: Self::Place) {
        // SAFETY: as in `take`.
        unsafe { (*place.as_ref().value.get()).assume_init_drop() };
    }

    #[inline(always)]
    unsafe fn get(&self, place: Self::Place) -> &T {
        // SAFETY: the place is ours and holds a value that nobody changes while the reference lives
        // (by the caller).
        unsafe { (*place.as_ref().value.get()).assume_init_ref() }
    }

    #[inline(always)]
    unsafe fn get_mut(&self, place: Self::Place) -> &mut T {
        // SAFETY: the place is ours and holds a value that nobody else uses while the reference
        // lives (by the caller).
        unsafe { (*place.as_ref().value.get()).assume_init_mut() }
    }
}

// SAFETY: looks at the value of the place only.
unsafe impl<T: Thing + Clone> CloneStorage<T> for Rows<T> {
    unsafe fn clone_value(&self, place: Self::Place) -> T {
        // SAFETY: as the caller promises for `get`.
        unsafe { self.get(place) }.clone()
    }
}
