#![expect(
    unsafe_code,
    reason = "walks raw runs of slots; calls the loop that is compiled for AVX2"
)]
//! The loops over views: straight through full groups, bit by bit through the others, and twice
//! compiled.
//!
//! A closure loop is compiled once for the baseline of the target and once for AVX2; which one runs
//! is decided once per call. Neither fuses nor reorders floating-point operations, so the results
//! are the same, bit by bit.

use core::ops::Range;

use crate::slots::GROUP;
use crate::storage::Storage;
use crate::tags::Filter;
use crate::view::{Slices, StorageOf, View};

/// Calls `f` with the view of every slot that matches, in the groups of a range.
///
/// # Safety
///
/// The slots that match hold values. For as long as `'a`, the storage lives, nobody writes to the
/// fields in `V::READS`, and nobody else uses those in `V::WRITES`.
#[inline]
pub(crate) unsafe fn each<'a, V: View>(
    storage: &'a StorageOf<V>,
    filter: Filter<'_>,
    groups: Range<u32>,
    mut f: impl FnMut(V::Item<'a>),
) {
    let _checked = const { (V::READS, V::WRITES) };
    // SAFETY: every row that the runs name is of a slot that matches, and comes once; the rest is
    // up to the caller.
    let per_row = |base: V::Base, row: usize| f(unsafe { V::at(base, row) });
    // SAFETY: passed on from the caller.
    unsafe { runs::<V>(storage, filter, groups, EachRow(per_row)) }
}

/// Calls `f` with slices over every run of slots that match, in the groups of a range.
///
/// # Safety
///
/// As [`each`]; and the fields of the view are dense.
#[inline]
pub(crate) unsafe fn each_run<'a, V: Slices>(
    storage: &'a StorageOf<V>,
    filter: Filter<'_>,
    groups: Range<u32>,
    mut f: impl FnMut(V::Slices<'a>),
) {
    let _checked = const { (V::READS, V::WRITES) };
    // SAFETY: every row that the runs name is of a slot that matches, and comes once; the rest is
    // up to the caller.
    let per_run = |base: V::Base, rows: Range<usize>| f(unsafe { V::slices(base, rows) });
    // SAFETY: passed on from the caller.
    unsafe { runs::<V>(storage, filter, groups, EachRun(per_run)) }
}

/// What is done with the rows of a run.
pub(crate) trait OnRun<B> {
    /// All rows of a range.
    fn full(&mut self, base: B, rows: Range<usize>);
    /// The rows of a group whose bits are set: more than one run of neighbours.
    fn partial(&mut self, base: B, first: usize, bits: u64);
}

/// So many elements of a column, whatever their size, are a whole number of cache lines, if they
/// are a multiple of four bytes.
const LINE: usize = 16;

/// A closure for every single row.
struct EachRow<F>(F);

impl<B: Copy, F: FnMut(B, usize)> OnRun<B> for EachRow<F> {
    #[inline(always)]
    fn full(&mut self, base: B, rows: Range<usize>) {
        // To the next cache line first, so that the wide loads and stores of the rest do not cross
        // them. Slot 0 is the nil thing's: nearly every walk begins at row 1.
        let mut row = rows.start;
        while row < rows.end {
            let end =
                if row % LINE == 0 { rows.end } else { rows.end.min(row.next_multiple_of(LINE)) };
            while row < end {
                (self.0)(base, row);
                row += 1;
            }
        }
    }

    #[inline(always)]
    fn partial(&mut self, base: B, first: usize, mut bits: u64) {
        while bits != 0 {
            (self.0)(base, first + bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
    }
}

/// A closure for every run of rows.
struct EachRun<F>(F);

impl<B: Copy, F: FnMut(B, Range<usize>)> OnRun<B> for EachRun<F> {
    #[inline(always)]
    fn full(&mut self, base: B, rows: Range<usize>) {
        (self.0)(base, rows);
    }

    #[inline(always)]
    fn partial(&mut self, base: B, first: usize, mut bits: u64) {
        while bits != 0 {
            let start = bits.trailing_zeros();
            let len = (!(bits >> start)).trailing_zeros();
            (self.0)(base, first + start as usize..first + (start + len) as usize);
            bits &= u64::MAX.checked_shl(start + len).unwrap_or(0);
        }
    }
}

/// Finds the runs of matching slots, in the version of the loop that suits the machine.
///
/// # Safety
///
/// As [`each`], for whatever `on_run` does with the rows it is given.
#[inline]
pub(crate) unsafe fn runs<V: View>(
    storage: &StorageOf<V>,
    filter: Filter<'_>,
    groups: Range<u32>,
    on_run: impl OnRun<V::Base>,
) {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if std::is_x86_feature_detected!("avx2")
        && std::is_x86_feature_detected!("bmi1")
        && std::is_x86_feature_detected!("popcnt")
    {
        // SAFETY: the processor has all of that, as was asked just now; the rest is passed on from
        // the caller.
        return unsafe { runs_avx2::<V>(storage, filter, groups, on_run) };
    }
    // SAFETY: passed on from the caller.
    unsafe { runs_plain::<V>(storage, filter, groups, on_run) }
}

/// # Safety
///
/// As [`runs`]; and the processor has AVX2, BMI1 and POPCNT: wide arithmetic, and counting of bits.
#[cfg(all(target_arch = "x86_64", feature = "std"))]
#[target_feature(enable = "avx2,bmi1,popcnt")]
unsafe fn runs_avx2<V: View>(
    storage: &StorageOf<V>,
    filter: Filter<'_>,
    groups: Range<u32>,
    on_run: impl OnRun<V::Base>,
) {
    // SAFETY: passed on from the caller.
    unsafe { runs_plain::<V>(storage, filter, groups, on_run) }
}

/// # Safety
///
/// As [`runs`].
#[inline(always)]
unsafe fn runs_plain<V: View>(
    storage: &StorageOf<V>,
    filter: Filter<'_>,
    range: Range<u32>,
    mut on_run: impl OnRun<V::Base>,
) {
    let filter = filter.known(V::WITH, V::WITHOUT);
    let mut from = range.start;
    while let Some(start) = filter.next(from).filter(|start| *start < range.end) {
        let index = start * GROUP;
        let Some(place) = storage.place(index) else {
            unreachable!("a slot that matches has memory")
        };
        let len = (storage.memory().run_len(index) / GROUP).min(range.end - start);
        let groups = filter.groups(start);
        // SAFETY: the place is that of the index.
        let base = unsafe { V::base(storage, place, index) };
        // The compiler must not know that all columns are parts of one block: it would take them to
        // overlap, and the loop below would be slower by half.
        let base = core::hint::black_box(base);
        let mut n = 0;
        while n < len {
            let bits = groups.word(n);
            let first = (n * GROUP) as usize;
            n += 1;
            if bits == 0 {
                // Passes over groups that have nothing.
                match filter.next(start + n) {
                    Some(next) => n = next - start,
                    None => return,
                }
                continue;
            }
            let skipped = bits.trailing_zeros();
            let neighbours = (bits >> skipped).trailing_ones();
            if bits.count_ones() != neighbours {
                on_run.partial(base, first, bits);
                continue;
            }
            // One run of neighbours, which may go on through full groups into the beginning of
            // another.
            let mut end = first + (skipped + neighbours) as usize;
            if skipped + neighbours == GROUP {
                n = groups.full_until(n, len);
                end = (n * GROUP) as usize;
                let rest = if n < len { groups.word(n) } else { 0 };
                if rest & rest.wrapping_add(1) == 0 && rest != 0 {
                    end += rest.trailing_ones() as usize;
                    n += 1;
                }
            }
            on_run.full(base, first + skipped as usize..end);
        }
        from = start + n;
    }
}

/// Group numbers are below this.
pub(crate) const ALL: Range<u32> = 0..1 << 26;
