#![expect(
    unsafe_code,
    reason = "computes whole groups of slots, free ones included, and puts those back"
)]
//! `map`: a pure function over plain fields, which may be computed for slots that nobody asks
//! about.
//!
//! Walking the set bits of a group costs several times as much as a straight loop over all of it.
//! So where most slots of a group match, the function is computed for all 64, and what was there
//! before is put back where it should not have been. That needs memory that holds something
//! everywhere, as columns do; in rows the set bits are walked.

use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::Range;

use bytemuck::AnyBitPattern;

use crate::each::{OnRun, runs};
use crate::field::Field;
use crate::slots::{GROUP, ones};
use crate::storage::Storage;
use crate::tags::Filter;
use crate::thing::Thing;
use crate::view::{FieldBase, Mut, Ref, StorageOf, View};

/// A view that reads plain fields: types of which every pattern of bits is a value, such as numbers
/// and vectors of them (`bytemuck`'s `AnyBitPattern`). A [`Ref`] of such a field is one, so is a
/// tuple of them, and so is a struct with `#[derive(View)]` that has nothing but shared references
/// to such fields, with its filter by tags if it has one.
///
/// # Safety
///
/// Every field is such a type, so that it can be read from a slot that is free, and the view writes
/// nothing.
///
/// # Examples
///
/// ```
/// use lath_core::{Pool, Thing, View, bitflags::bitflags};
///
/// bitflags! {
///     #[derive(Clone, Copy, Default)]
///     struct Tags: u32 { const MOVES = 1; const FROZEN = 2; }
/// }
///
/// #[derive(Thing, Default)]
/// struct Actor { #[thing(tags)] tags: Tags, pos: f32, vel: f32 }
///
/// #[derive(View)]
/// #[view(Actor, with = Tags::MOVES, without = Tags::FROZEN)]
/// struct Moving<'a> { vel: &'a f32 }
///
/// let mut actors = Pool::new();
/// let ball = actors.spawn(Actor { tags: Tags::MOVES, vel: 2.0, ..Default::default() });
/// let stuck = actors.spawn(Actor { tags: Tags::MOVES | Tags::FROZEN, vel: 2.0, ..Default::default() });
/// actors.map::<actor::pos, Moving>(|pos, m| pos + *m.vel * 0.5);
/// assert_eq!((actors[ball].pos, actors[stuck].pos), (1.0, 0.0));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a view that only reads plain fields",
    note = "`map` computes free slots too, so its view is made of `Ref`s or of shared references, to fields of which every \
            pattern of bits is a value (`bytemuck::AnyBitPattern`); for all others there is `each`"
)]
pub unsafe trait PlainView: View {}

// SAFETY: one field, of which every pattern of bits is a value; only read.
unsafe impl<F: Field<Value: AnyBitPattern>> PlainView for Ref<'_, F> {}

macro_rules! tuples {
    ($(($first:ident $(, $rest:ident)*))*) => {$(
        // SAFETY: as its parts.
        unsafe impl<$first: PlainView $(, $rest: PlainView<Thing = $first::Thing>)*> PlainView for ($first, $($rest,)*) {}
    )*};
}

tuples! { (A) (A, B) (A, B, C) (A, B, C, D) (A, B, C, D, E) (A, B, C, D, E, F) (A, B, C, D, E, F, G) (A, B, C, D, E, F, G, H) }

/// From this many matching slots on, a whole group is computed.
const WORTH: u32 = 16;

/// Replaces the field `F` of every slot that matches, in the groups of a range, by what `f` makes
/// of it and of the view.
///
/// # Safety
///
/// As [`each`](crate::each::each) for the view `(Mut<F>, V)`; and nobody else uses any slot of
/// these groups at all.
#[inline]
pub(crate) unsafe fn map<'a, F, V>(
    storage: &'a StorageOf<V>,
    filter: Filter<'_>,
    groups: Range<u32>,
    f: impl FnMut(F::Value, V::Item<'a>) -> F::Value,
) where
    F: Field<Thing = V::Thing, Value: AnyBitPattern>,
    V: PlainView,
{
    let _checked = const { (<(Mut<'_, F>, V) as View>::READS, <(Mut<'_, F>, V) as View>::WRITES) };
    let mut f = f;
    let step = |value: F::Value, base: V::Base, row: usize| {
        // SAFETY: the row is of a group that nobody else uses; and plain fields have a value
        // everywhere.
        f(value, unsafe { V::at(base, row) })
    };
    // SAFETY: passed on from the caller.
    unsafe {
        runs::<(Mut<'_, F>, V)>(storage, filter, groups, Mapped { step, field: PhantomData::<F> })
    }
}

/// Does a step for every row: old value, base and row to new value.
struct Mapped<F, S> {
    step: S,
    field: PhantomData<F>,
}

/// Does the step for one row.
///
/// # Safety
///
/// The row is one of the run, and nobody else uses its field.
#[inline(always)]
unsafe fn one<F: Field<Value: AnyBitPattern>, B>(
    step: &mut impl FnMut(F::Value, B, usize) -> F::Value,
    field: FieldBase<F>,
    base: B,
    row: usize,
) {
    // SAFETY: within the run and not used by anybody else (by the caller). The memory of a plain
    // field is a value, live or not: it began as zero bytes, and values of the type are all that
    // was ever written there.
    unsafe {
        let field = field.row(row);
        *field = step(*field, base, row);
    }
}

impl<F, B, S> OnRun<(FieldBase<F>, B)> for Mapped<F, S>
where
    F: Field<Value: AnyBitPattern>,
    B: Copy,
    S: FnMut(F::Value, B, usize) -> F::Value,
{
    #[inline(always)]
    fn full(&mut self, (field, base): (FieldBase<F>, B), rows: Range<usize>) {
        for row in rows {
            // SAFETY: a row of the run (by `runs`), whose group is ours alone (by `map`).
            unsafe { one(&mut self.step, field, base, row) };
        }
    }

    #[inline(always)]
    fn partial(&mut self, (field, base): (FieldBase<F>, B), first: usize, bits: u64) {
        if !<F::Thing as Thing>::Storage::ZEROED || bits.count_ones() < WORTH {
            for bit in ones(bits) {
                // SAFETY: as in `full`.
                unsafe { one(&mut self.step, field, base, first + bit as usize) };
            }
            return;
        }
        let _put_back = PutBack::new(field, first, !bits);
        for row in first..first + GROUP as usize {
            // SAFETY: as in `full`: a group lies within its run.
            unsafe { one(&mut self.step, field, base, row) };
        }
    }
}

/// The values of a group before, to be put back where the bits say; also if the function panics.
struct PutBack<F: Field> {
    field: FieldBase<F>,
    first: usize,
    bits: u64,
    before: [MaybeUninit<F::Value>; GROUP as usize],
}

impl<F: Field<Value: AnyBitPattern>> PutBack<F> {
    #[inline(always)]
    fn new(field: FieldBase<F>, first: usize, bits: u64) -> Self {
        let mut before = [const { MaybeUninit::uninit() }; GROUP as usize];
        for (i, before) in before.iter_mut().enumerate() {
            // SAFETY: a row of the run; plain memory is a value (see `one`).
            before.write(unsafe { field.row(first + i).read() });
        }
        Self { field, first, bits, before }
    }
}

impl<F: Field> Drop for PutBack<F> {
    #[inline(always)]
    fn drop(&mut self) {
        for bit in ones(self.bits) {
            // SAFETY: a row of the run, whose group is ours alone; every one of `before` was
            // written by `new`. Plain values are `Copy`: nothing is dropped.
            unsafe {
                self.field
                    .row(self.first + bit as usize)
                    .write(self.before[bit as usize].assume_init_read())
            };
        }
    }
}
