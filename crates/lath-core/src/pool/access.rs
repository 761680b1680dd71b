//! Looking things up by handle.

use core::ops::Index;

use super::Pool;
use crate::cells::Others;
use crate::error::HandleError;
use crate::handle::Handle;
use crate::rows::Rows;
use crate::storage::{ThingMut, ThingRef};
use crate::thing::Thing;

impl<T: Thing> Pool<T> {
    /// Whether `handle` names a thing: a live or a staged one.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew {}
    /// let mut crew = Pool::new();
    /// let ada = crew.spawn(Crew {});
    /// assert!(crew.contains(ada));
    /// assert!(!crew.contains(Handle::NIL));
    /// ```
    #[inline]
    pub fn contains(&self, handle: Handle<T>) -> bool {
        self.cells.contains(handle)
    }

    /// Looks at the thing that `handle` names; `None` if there is none.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew { age: u32 }
    /// let mut crew = Pool::new();
    /// let ada = crew.spawn(Crew { age: 36 });
    /// assert_eq!(crew.get(ada).map(|ada| ada.age), Some(36));
    /// crew.clear();
    /// assert!(crew.get(ada).is_none());
    /// ```
    #[inline]
    pub fn get(&self, handle: Handle<T>) -> Option<ThingRef<'_, T>> {
        self.cells.get(handle)
    }

    /// Gives the thing that `handle` names, to be changed; `None` if there is none.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew { age: u32 }
    /// let mut crew = Pool::new();
    /// let ada = crew.spawn(Crew { age: 36 });
    /// if let Some(ada) = crew.get_mut(ada) { ada.age += 1; }
    /// assert_eq!(crew[ada].age, 37);
    /// assert!(crew.get_mut(Handle::NIL).is_none()); // nobody writes to the nil thing
    /// ```
    #[inline]
    pub fn get_mut(&mut self, handle: Handle<T>) -> Option<ThingMut<'_, T>> {
        self.cells.get_mut(handle)
    }

    /// Looks at the thing that `handle` names, or at the **nil thing**, `T::default()`, if there is
    /// none. Never fails.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew { age: u32, boss: Handle<Crew> }
    /// let mut crew = Pool::new();
    /// let ada = crew.spawn(Crew { age: 36, ..Default::default() });
    /// // The boss of the boss of somebody without a boss: no `Option` in sight.
    /// let boss = crew.read(crew.read(ada).boss).boss;
    /// assert_eq!(crew.read(boss).age, 0);
    /// ```
    #[inline]
    pub fn read(&self, handle: Handle<T>) -> ThingRef<'_, T> {
        match self.cells.get(handle) {
            Some(thing) => thing,
            None => self.cells.nil(),
        }
    }

    /// Changes the thing that `handle` names; does nothing, and answers `false`, if there is none.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew { age: u32 }
    /// let mut crew = Pool::new();
    /// let ada = crew.spawn(Crew { age: 36 });
    /// assert!(crew.edit(ada, |ada| ada.age += 1));
    /// crew.despawn(ada);
    /// assert!(!crew.edit(ada, |_| unreachable!()));
    /// ```
    #[inline]
    pub fn edit(&mut self, handle: Handle<T>, f: impl FnOnce(ThingMut<'_, T>)) -> bool {
        self.get_mut(handle).map(f).is_some()
    }

    /// Says why [`get`](Self::get) finds nothing.
    ///
    /// A handle of another pool of the same type cannot always be told from one's own: where slot
    /// and generation happen to agree it resolves. Keep one pool per type, or give each its own
    /// type.
    ///
    /// # Errors
    ///
    /// [`HandleError`]: nil, out of range, stale, retired, pending, or of the wrong kind.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, HandleError, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew {}
    /// let mut crew = Pool::new();
    /// assert_eq!(crew.check(Handle::NIL), Err(HandleError::Nil));
    /// let ada = crew.reserve();
    /// assert!(matches!(crew.check(ada), Err(HandleError::Pending { .. })));
    /// crew.spawn_at(ada, Crew {}).unwrap();
    /// assert_eq!(crew.check(ada), Ok(()));
    /// ```
    pub fn check(&self, handle: Handle<T>) -> Result<(), HandleError> {
        if self.contains(handle) { Ok(()) } else { Err(self.cells.why_not(handle)) }
    }

    /// Gives several things at once, each with an answer of its own. A handle that comes twice is
    /// refused the second time.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{HandleError, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew { coins: u32 }
    /// let mut crew = Pool::new();
    /// let [ada, lin] = [7, 0].map(|coins| crew.spawn(Crew { coins }));
    ///
    /// if let [Ok(from), Ok(to)] = crew.get_disjoint_mut([ada, lin]) {
    ///     std::mem::swap(&mut from.coins, &mut to.coins);
    /// }
    /// assert_eq!(crew[lin].coins, 7);
    /// assert!(matches!(crew.get_disjoint_mut([ada, ada]), [Ok(_), Err(HandleError::Twice { .. })]));
    /// ```
    pub fn get_disjoint_mut<const N: usize>(
        &mut self,
        handles: [Handle<T>; N],
    ) -> [Result<ThingMut<'_, T>, HandleError>; N] {
        self.cells.get_disjoint_mut(handles)
    }

    /// Gives one thing, to be changed, and a look at all the others.
    ///
    /// # Examples
    ///
    /// See [`Others`].
    #[inline]
    pub fn split(&mut self, handle: Handle<T>) -> Option<(ThingMut<'_, T>, Others<'_, T>)> {
        self.cells.split(handle)
    }
}

/// `pool[handle]` is [`read`](Pool::read): a stale handle shows the nil thing. There is no
/// `IndexMut`, since nobody may write to that.
impl<T: Thing<Storage = Rows<T>>> Index<Handle<T>> for Pool<T> {
    type Output = T;

    #[inline]
    fn index(&self, handle: Handle<T>) -> &T {
        self.read(handle)
    }
}
