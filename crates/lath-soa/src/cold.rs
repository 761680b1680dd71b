#![expect(
    unsafe_code,
    reason = "raw memory: values on the heap behind two levels of pointers, the first of them in the block"
)]
//! Cold fields: kept out of the columns, for the things that have them at all.
//!
//! ```text
//! block:  | … columns … | per cold field: a pointer for each 64 slots |
//!                          │ null: none of the 64 has the field
//!                          ▼
//!                          64 pointers ──▶ a value on the heap, or null: the field is at its default
//! ```
//!
//! A thing that leaves the field at its default costs an eighth of a byte. Values do not move, so
//! that they can be looked at while others are staged.
//!
//! # Invariants
//!
//! - **K3** A pointer to a value is not null exactly while its slot holds a thing whose field is
//!   not at its default. It is written by whoever may write the value of the slot.

use alloc::boxed::Box;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

use lath_core::{Field, FieldInfo, Home};

use crate::layout::cold_rank;

/// The values of 64 slots.
struct Table<V>([AtomicPtr<V>; 64]);

/// Where the values of a cold field are, for one slot: a cell of the block and a number below 64.
pub(crate) struct Cell<V> {
    /// Points into a block, which lives as long as the columns.
    tables: *const AtomicPtr<Table<V>>,
    slot: usize,
}

impl<V> Cell<V> {
    /// # Safety
    ///
    /// `tables` points to a cell of a live block that is used for values of type `V` only.
    pub(crate) unsafe fn new(tables: *mut u8, slot: usize) -> Self {
        Self { tables: tables.cast_const().cast(), slot: slot % 64 }
    }

    fn table(&self) -> Option<&Table<V>> {
        // SAFETY: a cell of a live block (by `new`), which is cleared before anybody asks. What is
        // not null is a table that `table_or_new` made and that is freed with the block.
        unsafe { (*self.tables).load(Ordering::Acquire).as_ref() }
    }

    fn table_or_new(&self) -> &Table<V> {
        if let Some(table) = self.table() {
            return table;
        }
        let fresh = Box::into_raw(Box::new(Table([const { AtomicPtr::new(ptr::null_mut()) }; 64])));
        // SAFETY: as in `table`.
        let cell = unsafe { &*self.tables };
        match cell.compare_exchange(ptr::null_mut(), fresh, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: installed just now, and freed with the block only.
            Ok(_) => unsafe { &*fresh },
            Err(other) => {
                // SAFETY: made above, and nobody else has seen it.
                drop(unsafe { Box::from_raw(fresh) });
                // SAFETY: somebody else's table, freed with the block only.
                unsafe { &*other }
            }
        }
    }

    /// The value, if the field is not at its default.
    #[inline]
    pub(crate) fn get(&self) -> Option<*mut V> {
        let value = self.table()?.0[self.slot].load(Ordering::Acquire);
        (!value.is_null()).then_some(value)
    }

    /// Puts a value where there is none.
    pub(crate) fn put(&self, value: V) {
        debug_assert!(self.get().is_none());
        self.table_or_new().0[self.slot].store(Box::into_raw(Box::new(value)), Ordering::Release);
    }

    /// Takes the value away.
    ///
    /// # Safety
    ///
    /// Nobody else uses the value.
    pub(crate) unsafe fn take(&self) -> Option<V> {
        let value = self.get()?;
        self.table()?.0[self.slot].store(ptr::null_mut(), Ordering::Release);
        // SAFETY: `put` made it out of a box, and it is reachable no more.
        Some(*unsafe { Box::from_raw(value) })
    }
    /// Says that none of the 64 slots has the field.
    ///
    /// # Safety
    ///
    /// The block is new, and nobody has asked the cell yet.
    pub(crate) unsafe fn clear(&self) {
        // SAFETY: a cell of a live block (by `new`).
        unsafe { self.tables.cast_mut().write(AtomicPtr::new(ptr::null_mut())) };
    }

    /// Moves the value of this slot, if it has one, to another, which has none.
    ///
    /// # Safety
    ///
    /// Nobody else uses the values of the two slots.
    pub(crate) unsafe fn transfer(&self, to: &Self) {
        if let Some(value) = self.get() {
            to.table_or_new().0[to.slot].store(value, Ordering::Release);
            if let Some(table) = self.table() {
                table.0[self.slot].store(ptr::null_mut(), Ordering::Release);
            }
        }
    }

    /// Frees the table of these 64 slots. Values still in it are leaked: they are taken first.
    ///
    /// # Safety
    ///
    /// Nobody uses the table any more.
    pub(crate) unsafe fn free_table(&self) {
        // SAFETY: as in `table`.
        let table = unsafe { (*self.tables).swap(ptr::null_mut(), Ordering::AcqRel) };
        if !table.is_null() {
            // SAFETY: `table_or_new` made it out of a box, and nobody uses it any more (by the
            // caller).
            drop(unsafe { Box::from_raw(table) });
        }
    }
}

/// Whether a field is cold.
pub(crate) const fn is_cold<F: Field>() -> bool {
    use lath_core::Fields;
    matches!(F::Thing::FIELDS[F::INDEX].home, Home::Cold)
}

/// The defaults of the cold fields, to be looked at where a thing has none: a pointer per field, by
/// rank.
pub(crate) struct Defaults(pub(crate) Box<[*mut u8]>);

// SAFETY: the pointers are to boxes that are looked at only: by whoever may look at the things.
unsafe impl Send for Defaults {}
// SAFETY: as above.
unsafe impl Sync for Defaults {}

impl Defaults {
    /// No defaults yet, with room for all.
    pub(crate) fn room(fields: &[FieldInfo]) -> Self {
        Self((0..cold_rank(fields, fields.len())).map(|_| ptr::null_mut()).collect())
    }
}
