//! Handles inside values: finding them, and replacing them by others.

use std::any::TypeId;

use lath_core::{Handle, Thing};

/// Which handle takes the place of which. See [`Linked`].
pub struct Relink<'a> {
    thing: TypeId,
    map: &'a mut dyn FnMut(u64) -> u64,
}

impl<'a> Relink<'a> {
    /// Replaces handles of `T` by what `map` answers. Only prefabs ask for that.
    #[cfg(feature = "text")]
    pub(crate) fn new<T: Thing>(map: &'a mut dyn FnMut(u64) -> u64) -> Self {
        Self { thing: TypeId::of::<T>(), map }
    }

    /// The handle that takes the place of `handle`.
    ///
    /// # Examples
    ///
    /// See [`Linked`].
    pub fn get<T: Thing>(&mut self, handle: Handle<T>) -> Handle<T> {
        if TypeId::of::<T>() == self.thing {
            Handle::from_bits((self.map)(handle.to_bits()))
        } else {
            handle
        }
    }
}

/// A value that has handles in it, which a prefab replaces when it is spawned.
///
/// Handles, options, arrays, vectors and pairs of them need nothing. A struct of your own that is a
/// field of a thing and has handles in it implements this by hand; one that does not is taken to
/// have none.
///
/// # Examples
///
/// ```
/// use lath_core::{Handle, Thing};
/// use lath_snapshot::{Linked, Relink};
///
/// # #[derive(Thing, Default)] struct Ship {}
/// struct Orders { follow: Handle<Ship>, pace: f32 }
///
/// impl Linked for Orders {
///     fn relink(&mut self, links: &mut Relink<'_>) {
///         self.follow = links.get(self.follow);
///     }
/// }
/// ```
pub trait Linked {
    /// Replaces every handle in it by what `links` says.
    fn relink(&mut self, links: &mut Relink<'_>);
}

impl<T: Thing> Linked for Handle<T> {
    fn relink(&mut self, links: &mut Relink<'_>) {
        *self = links.get(*self);
    }
}

impl<L: Linked> Linked for Option<L> {
    fn relink(&mut self, links: &mut Relink<'_>) {
        self.iter_mut().for_each(|inner| inner.relink(links));
    }
}

impl<L: Linked> Linked for Vec<L> {
    fn relink(&mut self, links: &mut Relink<'_>) {
        self.iter_mut().for_each(|inner| inner.relink(links));
    }
}

impl<L: Linked> Linked for Box<L> {
    fn relink(&mut self, links: &mut Relink<'_>) {
        (**self).relink(links);
    }
}

impl<L: Linked, const N: usize> Linked for [L; N] {
    fn relink(&mut self, links: &mut Relink<'_>) {
        self.iter_mut().for_each(|inner| inner.relink(links));
    }
}

impl<A: Linked, B: Linked> Linked for (A, B) {
    fn relink(&mut self, links: &mut Relink<'_>) {
        self.0.relink(links);
        self.1.relink(links);
    }
}
