//! What makes a struct a thing: how its handles are laid out and where its values are kept.

#[cfg(feature = "alloc")]
use crate::storage::Storage;
use crate::tags::TagSet;

/// The integer that a handle is made of: `u64`, `u32` or `u16`.
///
/// Sealed: the three sizes that `#[thing(handle(bits = …))]` accepts are all there are.
pub trait HandleBits:
    Copy + Ord + core::hash::Hash + Send + Sync + Unpin + 'static + sealed::Bits
{
}

impl<B: sealed::Bits> HandleBits for B {}

pub(crate) mod sealed {
    /// The arithmetic that handles need, widened to `u64`.
    pub trait Bits: Copy + Ord + core::hash::Hash + Send + Sync + Unpin + 'static {
        const WIDTH: u32;
        const ZERO: Self;
        fn widen(self) -> u64;
        /// Keeps the low bits.
        fn narrow(bits: u64) -> Self;
    }

    macro_rules! bits {
        ($($int:ty),*) => {$(
            impl Bits for $int {
                const WIDTH: u32 = <$int>::BITS;
                const ZERO: Self = 0;
                #[inline(always)]
                fn widen(self) -> u64 {
                    u64::from(self)
                }
                #[inline(always)]
                fn narrow(bits: u64) -> Self {
                    bits as $int
                }
            }
        )*};
    }

    impl Bits for u64 {
        const WIDTH: u32 = 64;
        const ZERO: Self = 0;
        #[inline(always)]
        fn widen(self) -> u64 {
            self
        }
        #[inline(always)]
        fn narrow(bits: u64) -> Self {
            bits
        }
    }

    bits!(u32, u16);
}

/// A struct that can live in a [`Pool`](crate::Pool): derive it.
///
/// `T::default()` is the *nil thing*: what [`Pool::read`](crate::Pool::read) shows for a handle
/// that names nothing.
///
/// # Examples
///
/// ```
/// use lath_core::{Handle, Thing};
///
/// #[derive(Thing, Default)]
/// struct Ship {
///     hull: f32,
///     target: Handle<Ship>, // `Handle::NIL` by default
/// }
///
/// #[derive(Thing, Default)]
/// #[thing(handle(bits = 32, index = 20))] // a million slots, 12 bits of generation
/// struct Spark {
///     heat: f32,
/// }
///
/// assert_eq!(size_of::<Handle<Ship>>(), 8);
/// assert_eq!(size_of::<Handle<Spark>>(), 4);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a thing",
    label = "only things can live in a pool and be named by handles",
    note = "put `#[derive(Thing, Default)]` on the struct"
)]
pub trait Thing: Default + Sized + 'static {
    /// The integer that `Handle<Self>` is made of.
    type Bits: HandleBits;

    /// How many bits of a handle name the slot: 1 to 32. The pool holds at most `2^INDEX_BITS - 1`
    /// things.
    const INDEX_BITS: u32;

    /// How many bits of a handle name the kind. The generation gets the rest, up to 32 bits with
    /// the kind.
    const KIND_BITS: u32 = 0;

    /// Where the values are kept: `Rows<Self>` unless the struct says otherwise.
    #[cfg(feature = "alloc")]
    type Storage: Storage<Self>;

    /// Where the values are kept: `Rows<Self>` unless the struct says otherwise.
    #[cfg(not(feature = "alloc"))]
    type Storage;

    /// The type of the field marked `#[thing(tags)]`; [`NoTags`](crate::NoTags) if there is none.
    type Tags: TagSet;

    /// The tags of this value, from the field marked `#[thing(tags)]`.
    fn tags(&self) -> Self::Tags {
        Self::Tags::narrow(0)
    }

    /// Puts tags into the field marked `#[thing(tags)]`.
    fn put_tags(&mut self, _: Self::Tags) {}

    /// The kind of this value, from the field marked `#[thing(kind)]`. It must fit in
    /// [`KIND_BITS`](Self::KIND_BITS).
    ///
    /// A handle keeps the kind that its thing was spawned with; changing the field later does not
    /// change it.
    fn kind(&self) -> u32 {
        0
    }
}

/// Stands in for the storage where there is no heap: only [`FixedPool`](crate::FixedPool) keeps
/// things then.
#[cfg(not(feature = "alloc"))]
pub struct Rows<T>(core::marker::PhantomData<T>);
