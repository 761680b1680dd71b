#![expect(
    unsafe_code,
    reason = "says where a slot's element of a column is, without a check of bounds"
)]
//! Where a slot of a block has its elements.

use alloc::alloc::Layout;
use core::hint::assert_unchecked;

use super::*;

/// Names the extents of a thing's columns. There is never a value of it.
pub struct Block<T>(PhantomData<T>);

// SAFETY: the layout is that of the columns, which have room for `slots` slots (K1), stamps at
// least. The entry leads to the head of a slot, and everything else is found from there. `open`
// writes stamps, and the pointers to cold values, which are all that places rely on.
unsafe impl<T: Columnar> Extent for Block<T> {
    type Entry = Whole;

    const SHIFT: u32 = 10;

    fn layout(slots: usize) -> Result<Layout, OutOfMemory> {
        let extent = const { extent(T::FIELDS) };
        let layout =
            extent.size(slots).and_then(|size| Layout::from_size_align(size, extent.align).ok());
        layout.ok_or(OutOfMemory { bytes: usize::MAX })
    }

    fn entry(base: NonNull<u8>, first: u32, slots: u32) -> Whole {
        let Column { prefix, shift, stride, .. } = const { head_column(T::FIELDS) };
        let head = base.as_ptr().wrapping_add(slots as usize * prefix + shift);
        let origin = head.wrapping_sub((first as usize).wrapping_mul(stride));
        Whole { origin, first, len: slots }
    }

    unsafe fn open(entry: Whole, first: u32) {
        let place = entry.place::<T>(first);
        // The stamps and what lies beside them, so that no byte of it is unwritten where a group is
        // copied whole.
        let head = const { head_column(T::FIELDS) };
        // SAFETY: 64 elements of the extent, by the caller, side by side.
        unsafe { place.element(head).write_bytes(0, 64 * head.stride) };
        T::visit(&mut ClearCells(place));
    }

    unsafe fn close(entry: Whole, first: u32) {
        T::visit(&mut FreeTables(entry.place(first)));
    }
}

/// A whole extent: its first slot, how many it has, and where the stamp of slot 0 would be if it
/// went back so far: a lookup adds the index to that as it is, and needs to know neither of the
/// others to compare stamps.
#[derive(Clone, Copy, PartialEq)]
pub struct Whole {
    origin: *mut u8,
    first: u32,
    len: u32,
}

impl Whole {
    /// The place of a slot of this block.
    #[inline(always)]
    pub(super) fn place<T>(self, index: u32) -> Place<T> {
        Place { block: self, index: index as usize, thing: PhantomData }
    }
}

/// The memory of one slot of a block.
pub struct Place<T> {
    block: Whole,
    /// As wide as an address, to be widened once.
    index: usize,
    thing: PhantomData<T>,
}

impl<T> Clone for Place<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Place<T> {}

impl<T: Fields> Place<T> {
    /// The place `by` slots further on in the same block.
    #[inline(always)]
    pub(super) fn step(self, by: u32) -> Self {
        Self { index: self.index + by as usize, ..self }
    }

    /// Where this slot's element of a column is.
    ///
    /// What the column has in its own way is told from what the head has: the stride, and how much
    /// comes before it in the block. All of that are constants, most of them 0 for the head itself.
    #[inline(always)]
    pub(super) fn element(self, column: Column) -> *mut u8 {
        let head = const { head_column(T::FIELDS) };
        let Whole { origin, first, len } = self.block;
        let offset = self
            .index
            .wrapping_mul(column.stride)
            .wrapping_add((len as usize).wrapping_mul(column.prefix.wrapping_sub(head.prefix)))
            .wrapping_sub((first as usize).wrapping_mul(column.stride.wrapping_sub(head.stride)))
            .wrapping_add(column.shift.wrapping_sub(head.shift).wrapping_add(column.within));
        let element = origin.wrapping_add(offset);
        // SAFETY: in bounds, and so not null: `layout.rs` puts every element of a block of `len`
        // slots inside its extent (K1), and places are made for slots of existing blocks only.
        unsafe { assert_unchecked(!element.is_null()) };
        element
    }

    /// Where the block begins.
    fn start(self) -> *mut u8 {
        let Column { prefix, shift, stride, .. } = const { head_column(T::FIELDS) };
        let Whole { origin, first, len } = self.block;
        origin
            .wrapping_add((first as usize).wrapping_mul(stride))
            .wrapping_sub(len as usize * prefix + shift)
    }

    /// Where the value of a field is. Does not compile for a cold field.
    #[inline(always)]
    pub(super) fn field<F: Field<Thing = T>>(self) -> *mut F::Value {
        self.element(const { field_column(F::Thing::FIELDS, F::INDEX) }).cast()
    }

    /// The same, in code that is compiled for cold fields too but does not run for them.
    #[inline(always)]
    pub(super) fn field_unless_cold<F: Field<Thing = T>>(self) -> *mut F::Value {
        self.element(const { column_unless_cold::<F>() }).cast()
    }

    /// The value of a cold field, if there is one.
    #[inline]
    pub(super) fn cold<F: Field<Thing = T>>(self) -> Cell<F::Value> {
        let (extent, rank) = const { (extent(T::FIELDS), cold_rank(T::FIELDS, F::INDEX)) };
        let (len, row) = (self.block.len as usize, self.index - self.block.first as usize);
        let Some(offset) = extent.cold_table(len, row / 64, rank) else {
            unreachable!("the block was allocated")
        };
        // SAFETY: in bounds: `layout.rs` puts the pointers inside the extent of the block (K1).
        // Each cell of the block is used for one field only, by its rank.
        unsafe { Cell::new(self.start().add(offset), row) }
    }

    #[inline(always)]
    pub(super) fn stamp(self) -> *mut u32 {
        self.element(const { head_column(T::FIELDS) }).cast()
    }
}

// SAFETY: columns share values between threads only as the pool does, which hands out references to
// fields (so `T: Sync`) and takes values through a shared reference when staging (so `T: Send`). A
// thing is `Sync` only if all its fields are, unless its author says otherwise and vouches for it.
unsafe impl<T: Send + Sync> Sync for Block<T> {}
// SAFETY: blocks own the things in them.
unsafe impl<T: Send> Send for Block<T> {}

/// The column of a field. Only asked for where the field is not cold; the head stands in for those
/// that are.
const fn column_unless_cold<F: Field>() -> Column {
    if is_cold::<F>() {
        head_column(F::Thing::FIELDS)
    } else {
        field_column(F::Thing::FIELDS, F::INDEX)
    }
}
