#![expect(
    unsafe_code,
    reason = "declares the unsafe trait of views, and turns pointers to fields into references"
)]
//! Views: the fields that one piece of code reads and writes.
//!
//! A view is asked in two steps. `base` finds where its fields begin for a run of slots that lie at
//! equal distances; `at` makes the references for one row of the run: base + row × stride, with
//! strides known at compile time. That is the same for rows and for columns, and it is all that a
//! loop does per thing.

use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut, Range};
use core::slice;

use crate::field::{Field, Fields};
use crate::handle::Handle;
use crate::prefetch::SomeFields;
use crate::rows::Rows;
use crate::storage::Storage;
use crate::thing::Thing;

/// The storage of the thing that a view looks at.
pub type StorageOf<V> = <<V as View>::Thing as Thing>::Storage;

/// A place in that storage.
pub type PlaceOf<V> = <StorageOf<V> as Storage<<V as View>::Thing>>::Place;

/// Some fields of a thing, each to be read or to be written: derive it on a struct of references,
/// or use a tuple of [`Ref`], [`Mut`] and [`Handle`].
///
/// # Safety
///
/// - [`READS`](Self::READS) and [`WRITES`](Self::WRITES) name, by field number, every field that an
///   item refers to, and the fields in `WRITES` are referred to once.
/// - [`at`](Self::at) touches only what its item refers to.
///
/// # Examples
///
/// ```
/// use lath_core::{Pool, Thing, View};
///
/// #[derive(Thing, Default)]
/// struct Actor { pos: f32, vel: f32, name: String }
///
/// #[derive(View)]
/// #[view(Actor)]
/// struct Moving<'a> { pos: &'a mut f32, vel: &'a f32 }
///
/// let mut actors = Pool::new();
/// let ada = actors.spawn(Actor { vel: 2.0, ..Default::default() });
/// actors.view_mut::<Moving>().each(|m| *m.pos += *m.vel);
/// assert_eq!(actors.read(ada).pos, 2.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a view",
    note = "a view is a struct with `#[derive(View)] #[view(Actor)]`, or a tuple of `Ref<actor::field>`, \
            `Mut<actor::field>` and `Handle<Actor>`; for things in rows also `&Actor` and `&mut Actor`"
)]
pub unsafe trait View: Sized {
    /// The thing whose fields these are.
    type Thing: Thing;
    /// The view of one thing, for as long as it is borrowed.
    type Item<'a>: View<Thing = Self::Thing>;
    /// The fields that are read, a bit for each.
    const READS: u64;
    /// The fields that are written, a bit for each.
    const WRITES: u64;
    /// The tags that a thing must have to be seen.
    const WITH: u64 = 0;
    /// The tags that a thing must not have to be seen.
    const WITHOUT: u64 = 0;
    /// Where the fields begin for a run of slots.
    type Base: Copy;

    /// Finds where the fields begin for the run of slots that starts with `index`, at `place`.
    ///
    /// # Safety
    ///
    /// The place is that of `index` in this storage.
    unsafe fn base(storage: &StorageOf<Self>, place: PlaceOf<Self>, index: u32) -> Self::Base;

    /// The view of row `row` of the run.
    ///
    /// # Safety
    ///
    /// The row is within the run and its slot holds a value. While the item lives, so does the
    /// storage, nobody writes to the fields in `READS`, and nobody else uses the fields in
    /// `WRITES`.
    unsafe fn at<'a>(base: Self::Base, row: usize) -> Self::Item<'a>;
}

/// The fields that a view reads or writes.
pub(crate) struct Used<V>(PhantomData<V>);

impl<V: View> SomeFields for Used<V> {
    const FIELDS: u64 = V::READS | V::WRITES;
}

/// Reads one field: `Ref<actor::hp>`.
///
/// # Examples
///
/// ```
/// use lath_core::{Handle, Pool, Ref, Thing};
/// # #[derive(Thing, Default)] struct Actor { hp: f32 }
/// let mut actors: Pool<Actor> = [3.0, 0.0].map(|hp| Actor { hp }).into_iter().collect();
/// let mut dead = Vec::new();
/// actors.view_mut::<(Handle<Actor>, Ref<actor::hp>)>().each(|(who, hp)| if *hp <= 0.0 { dead.push(who) });
/// assert_eq!(dead.len(), 1);
/// ```
pub struct Ref<'a, F: Field>(&'a F::Value);

/// Writes one field: `Mut<actor::pos>`.
///
/// # Examples
///
/// ```
/// use lath_core::{Mut, Pool, Ref, Thing};
/// # #[derive(Thing, Default)] struct Actor { pos: f32, vel: f32 }
/// let mut actors: Pool<Actor> = [1.0, 2.0].map(|vel| Actor { pos: 0.0, vel }).into_iter().collect();
/// actors.view_mut::<(Mut<actor::pos>, Ref<actor::vel>)>().each(|(mut pos, vel)| *pos += *vel);
/// assert_eq!(actors.iter().map(|(_, actor)| actor.pos).sum::<f32>(), 3.0);
/// ```
pub struct Mut<'a, F: Field>(&'a mut F::Value);

impl<'a, F: Field> Ref<'a, F> {
    /// The plain reference, for as long as the thing is borrowed.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// let actors: Pool<Actor> = [3.0, 4.0].map(|hp| Actor { hp }).into_iter().collect();
    /// let all: Vec<&f32> = actors.view::<Ref<actor::hp>>().iter().map(|hp| hp.into_inner()).collect();
    /// assert_eq!(all, [&3.0, &4.0]);
    /// ```
    #[inline(always)]
    pub fn into_inner(self) -> &'a F::Value {
        self.0
    }
}

impl<'a, F: Field> Mut<'a, F> {
    /// The plain reference, for as long as the thing is borrowed.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Mut, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// let mut actors: Pool<Actor> = [3.0, 4.0].map(|hp| Actor { hp }).into_iter().collect();
    /// let hp = actors.view_mut::<Mut<actor::hp>>();
    /// let mut all: Vec<&mut f32> = hp.into_iter().map(|hp| hp.into_inner()).collect();
    /// *all[1] = 0.0;
    /// ```
    #[inline(always)]
    pub fn into_inner(self) -> &'a mut F::Value {
        self.0
    }
}

impl<F: Field> Clone for Ref<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Field> Copy for Ref<'_, F> {}

impl<F: Field> Deref for Ref<'_, F> {
    type Target = F::Value;

    #[inline(always)]
    fn deref(&self) -> &F::Value {
        self.0
    }
}

impl<F: Field> Deref for Mut<'_, F> {
    type Target = F::Value;

    #[inline(always)]
    fn deref(&self) -> &F::Value {
        self.0
    }
}

impl<F: Field> DerefMut for Mut<'_, F> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut F::Value {
        self.0
    }
}

impl<F: Field<Value: fmt::Debug>> fmt::Debug for Ref<'_, F> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl<F: Field<Value: fmt::Debug>> fmt::Debug for Mut<'_, F> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// Where the values of a field begin for a run.
pub struct FieldBase<F: Field>(*mut F::Value);

impl<F: Field> Clone for FieldBase<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Field> Copy for FieldBase<F> {}

impl<F: Field> FieldBase<F> {
    /// # Safety
    ///
    /// The row is within the run.
    #[inline(always)]
    pub(crate) unsafe fn row(self, row: usize) -> *mut F::Value {
        // SAFETY: in bounds: the pointer is good for the whole run, whose rows lie a stride apart
        // (`Storage::field`), and the caller stays within the run.
        unsafe { self.0.byte_add(row * <F::Thing as Thing>::Storage::stride::<F>()) }
    }
}

// SAFETY: the item refers to one field, which is in `READS`.
unsafe impl<F: Field> View for Ref<'_, F> {
    type Thing = F::Thing;
    type Item<'a> = Ref<'a, F>;
    const READS: u64 = 1 << F::INDEX;
    const WRITES: u64 = 0;
    type Base = FieldBase<F>;

    #[inline(always)]
    unsafe fn base(storage: &StorageOf<Self>, place: PlaceOf<Self>, _: u32) -> Self::Base {
        // SAFETY: the place is of this storage (by the caller).
        FieldBase(unsafe { storage.field::<F>(place) })
    }

    #[inline(always)]
    unsafe fn at<'a>(base: Self::Base, row: usize) -> Ref<'a, F> {
        // SAFETY: within the run; the slot holds a value, so the field is initialised; nobody
        // writes to it while the reference lives (all by the caller).
        Ref(unsafe { &*base.row(row) })
    }
}

// SAFETY: the item refers to one field, once, and it is in `WRITES`.
unsafe impl<F: Field> View for Mut<'_, F> {
    type Thing = F::Thing;
    type Item<'a> = Mut<'a, F>;
    const READS: u64 = 0;
    const WRITES: u64 = {
        assert!(
            !matches!(F::Thing::TAGS_FIELD, Some(tags) if tags == F::INDEX),
            "tags are not written through a view: use `set_tags`, `insert_tags` and `remove_tags` of the pool"
        );
        1 << F::INDEX
    };
    type Base = FieldBase<F>;

    #[inline(always)]
    unsafe fn base(storage: &StorageOf<Self>, place: PlaceOf<Self>, _: u32) -> Self::Base {
        // SAFETY: the place is of this storage (by the caller).
        FieldBase(unsafe { storage.field::<F>(place) })
    }

    #[inline(always)]
    unsafe fn at<'a>(base: Self::Base, row: usize) -> Mut<'a, F> {
        // SAFETY: within the run; the slot holds a value, so the field is initialised; nobody else
        // uses it while the reference lives (all by the caller).
        Mut(unsafe { &mut *base.row(row) })
    }
}

/// Where the cold values of a run are asked for.
pub struct ColdBase<T: Thing>(*const T::Storage, <T::Storage as Storage<T>>::Place);

impl<T: Thing> Clone for ColdBase<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Thing> Copy for ColdBase<T> {}

impl<T: Fields> ColdBase<T> {
    /// # Safety
    ///
    /// The storage lives, and the row is within the run.
    unsafe fn row<F: Field<Thing = T>>(self, row: usize) -> Option<*mut F::Value> {
        // SAFETY: the storage lives (by the caller); the place is within the run of the first.
        unsafe { (*self.0).optional::<F>(T::Storage::step(self.1, row as u32)) }
    }
}

/// Reads a cold field where the thing has one: `Option<Ref<actor::name>>`. Kept in rows, every
/// thing has one.
// SAFETY: the item refers to one field, which is in `READS`.
unsafe impl<F: Field> View for Option<Ref<'_, F>> {
    type Thing = F::Thing;
    type Item<'a> = Option<Ref<'a, F>>;
    const READS: u64 = <Ref<'_, F> as View>::READS;
    const WRITES: u64 = 0;
    type Base = ColdBase<F::Thing>;

    #[inline(always)]
    unsafe fn base(storage: &StorageOf<Self>, place: PlaceOf<Self>, _: u32) -> Self::Base {
        ColdBase(storage, place)
    }

    #[inline]
    unsafe fn at<'a>(base: Self::Base, row: usize) -> Option<Ref<'a, F>> {
        // SAFETY: as for `Ref::at`; and the storage lives while the item does.
        unsafe { base.row::<F>(row).map(|value| Ref(&*value)) }
    }
}

/// Writes a cold field where the thing has one: `Option<Mut<actor::name>>`. To give it one there is
/// `Pool::set`.
// SAFETY: the item refers to one field, once, and it is in `WRITES`.
unsafe impl<F: Field> View for Option<Mut<'_, F>> {
    type Thing = F::Thing;
    type Item<'a> = Option<Mut<'a, F>>;
    const READS: u64 = 0;
    const WRITES: u64 = <Mut<'_, F> as View>::WRITES;
    type Base = ColdBase<F::Thing>;

    #[inline(always)]
    unsafe fn base(storage: &StorageOf<Self>, place: PlaceOf<Self>, _: u32) -> Self::Base {
        ColdBase(storage, place)
    }

    #[inline]
    unsafe fn at<'a>(base: Self::Base, row: usize) -> Option<Mut<'a, F>> {
        // SAFETY: as for `Mut::at`; and the storage lives while the item does.
        unsafe { base.row::<F>(row).map(|value| Mut(&mut *value)) }
    }
}

/// Views whose fields can be had as slices, over runs of slots: [`Ref`] and [`Mut`], tuples of
/// them, and derived views of plain references, which become a struct with a slice for each field.
///
/// # Safety
///
/// [`slices`](Self::slices) touches only what [`at`](View::at) would for the same rows.
pub unsafe trait Slices: View {
    /// The slices, in the order of the view: `(&mut [Vec2], &[Vec2])`; or under the names of the
    /// fields.
    type Slices<'a>;

    /// Whether every field lies densely, so that there can be slices.
    fn dense() -> bool;

    /// The slices over some rows of a run.
    ///
    /// # Safety
    ///
    /// As [`at`](View::at) for each of the rows; and the fields are dense.
    unsafe fn slices<'a>(base: Self::Base, rows: Range<usize>) -> Self::Slices<'a>;
}

// SAFETY: the rows' own values, as `Ref::at` would refer to.
unsafe impl<F: Field> Slices for Ref<'_, F> {
    type Slices<'a> = &'a [F::Value];

    fn dense() -> bool {
        is_dense::<F>()
    }

    #[inline(always)]
    unsafe fn slices<'a>(base: Self::Base, rows: Range<usize>) -> &'a [F::Value] {
        // SAFETY: dense, within the run, initialised, and not written to while the slice lives (all
        // by the caller).
        unsafe { slice::from_raw_parts(base.row(rows.start), rows.len()) }
    }
}

// SAFETY: the rows' own values, as `Mut::at` would refer to.
unsafe impl<F: Field> Slices for Mut<'_, F> {
    type Slices<'a> = &'a mut [F::Value];

    fn dense() -> bool {
        is_dense::<F>()
    }

    #[inline(always)]
    unsafe fn slices<'a>(base: Self::Base, rows: Range<usize>) -> &'a mut [F::Value] {
        // SAFETY: dense, within the run, initialised, and used by nobody else while the slice lives
        // (all by the caller).
        unsafe { slice::from_raw_parts_mut(base.row(rows.start), rows.len()) }
    }
}

fn is_dense<F: Field>() -> bool {
    <F::Thing as Thing>::Storage::stride::<F>() == size_of::<F::Value>()
}

// SAFETY: the item refers to nothing.
unsafe impl<T: Thing> View for Handle<T> {
    type Thing = T;
    type Item<'a> = Handle<T>;
    const READS: u64 = 0;
    const WRITES: u64 = 0;
    type Base = (*const u32, u32);

    #[inline(always)]
    unsafe fn base(_: &StorageOf<Self>, place: PlaceOf<Self>, index: u32) -> Self::Base {
        (T::Storage::stamp(place).cast_const(), index)
    }

    #[inline(always)]
    unsafe fn at<'a>((stamps, first): Self::Base, row: usize) -> Self::Item<'a> {
        // SAFETY: within the run, whose stamps lie a stride apart. A plain read: the slot holds a
        // value that handles reach, and its stamp does not change while the storage is borrowed.
        let stamp = unsafe { stamps.byte_add(row * T::Storage::STAMP_STRIDE).read() };
        Handle::from_parts(first + row as u32, stamp)
    }
}

/// Whole things as rows, to look at.
// SAFETY: the item refers to all fields, once, and all are in `READS`.
unsafe impl<T: Fields<Storage = Rows<T>>> View for &T {
    type Thing = T;
    type Item<'a> = &'a T;
    const READS: u64 = all_fields::<T>();
    const WRITES: u64 = 0;
    type Base = *mut u8;

    #[inline(always)]
    unsafe fn base(storage: &Rows<T>, place: PlaceOf<Self>, _: u32) -> *mut u8 {
        // SAFETY: the place is of this storage (by the caller).
        unsafe { storage.value(place) }.cast()
    }

    #[inline(always)]
    unsafe fn at<'a>(base: *mut u8, row: usize) -> &'a T {
        // SAFETY: within the run; the slot holds a value, which nobody writes to while the
        // reference lives (by the caller).
        unsafe { &*base.add(row * Rows::<T>::STAMP_STRIDE).cast::<T>() }
    }
}

/// Whole things as rows, to be changed. Their tags are changed through the pool: what is written to
/// the field is not seen.
// SAFETY: the item refers to all fields, once, and all are in `WRITES`.
unsafe impl<T: Fields<Storage = Rows<T>>> View for &mut T {
    type Thing = T;
    type Item<'a> = &'a mut T;
    const READS: u64 = 0;
    const WRITES: u64 = all_fields::<T>();
    type Base = *mut u8;

    #[inline(always)]
    unsafe fn base(storage: &Rows<T>, place: PlaceOf<Self>, _: u32) -> *mut u8 {
        // SAFETY: the place is of this storage (by the caller).
        unsafe { storage.value(place) }.cast()
    }

    #[inline(always)]
    unsafe fn at<'a>(base: *mut u8, row: usize) -> &'a mut T {
        // SAFETY: within the run; the slot holds a value, which nobody else uses while the
        // reference lives (by the caller).
        unsafe { &mut *base.add(row * Rows::<T>::STAMP_STRIDE).cast::<T>() }
    }
}

const fn all_fields<T: Fields>() -> u64 {
    match T::FIELDS.len() {
        0 => 0,
        len => u64::MAX >> (64 - len),
    }
}

/// Puts the access of the parts of a view together, and refuses a field that is used twice with one
/// of them mutable.
const fn merge(parts: &[(u64, u64)]) -> (u64, u64) {
    let (mut reads, mut writes) = (0, 0);
    let mut i = 0;
    while i < parts.len() {
        let (part_reads, part_writes) = parts[i];
        assert!(
            part_writes & (reads | writes) == 0 && part_reads & writes == 0,
            "the view uses a field twice, and one of the uses is mutable: drop one of them"
        );
        reads |= part_reads;
        writes |= part_writes;
        i += 1;
    }
    (reads, writes)
}

macro_rules! tuple_views {
    ($(($first:ident $(, $rest:ident)*))*) => {$(
        // SAFETY: the item refers to what its parts refer to; `merge` refuses parts that would
        // share a field mutably.
        unsafe impl<$first: View $(, $rest: View<Thing = $first::Thing>)*> View for ($first, $($rest,)*) {
            type Thing = $first::Thing;
            type Item<'a> = ($first::Item<'a>, $($rest::Item<'a>,)*);
            const READS: u64 = merge(&[($first::READS, $first::WRITES) $(, ($rest::READS, $rest::WRITES))*]).0;
            const WRITES: u64 = merge(&[($first::READS, $first::WRITES) $(, ($rest::READS, $rest::WRITES))*]).1;
            const WITH: u64 = $first::WITH $(| $rest::WITH)*;
            const WITHOUT: u64 = $first::WITHOUT $(| $rest::WITHOUT)*;
            type Base = ($first::Base, $($rest::Base,)*);

            #[inline(always)]
            unsafe fn base(storage: &StorageOf<Self>, place: PlaceOf<Self>, index: u32) -> Self::Base {
                // SAFETY: passed on from the caller.
                unsafe { ($first::base(storage, place, index), $($rest::base(storage, place, index),)*) }
            }

            #[inline(always)]
            #[allow(non_snake_case, reason = "parts are named after their types")]
            unsafe fn at<'a>(($first, $($rest,)*): Self::Base, row: usize) -> Self::Item<'a> {
                // SAFETY: passed on from the caller.
                unsafe { ($first::at($first, row), $($rest::at($rest, row),)*) }
            }
        }

        // SAFETY: passed on to the parts.
        unsafe impl<$first: Slices $(, $rest: Slices<Thing = $first::Thing>)*> Slices for ($first, $($rest,)*) {
            type Slices<'a> = ($first::Slices<'a>, $($rest::Slices<'a>,)*);

            fn dense() -> bool {
                $first::dense() $(&& $rest::dense())*
            }

            #[inline(always)]
            #[allow(non_snake_case, reason = "parts are named after their types")]
            unsafe fn slices<'a>(($first, $($rest,)*): Self::Base, rows: Range<usize>) -> Self::Slices<'a> {
                // SAFETY: passed on from the caller.
                unsafe { ($first::slices($first, rows.clone()), $($rest::slices($rest, rows.clone()),)*) }
            }
        }
    )*};
}

tuple_views! {
    (A) (A, B) (A, B, C) (A, B, C, D) (A, B, C, D, E) (A, B, C, D, E, F) (A, B, C, D, E, F, G) (A, B, C, D, E, F, G, H)
}
