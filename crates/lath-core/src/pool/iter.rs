//! Walking the things of a pool, in slot order.

use super::Pool;
use crate::cells::{Iter, IterMut, Others};
use crate::handle::Handle;
use crate::storage::{ThingMut, ThingRef};
use crate::thing::Thing;

impl<T: Thing> Pool<T> {
    /// Looks at all live things, with their handles, in slot order. Free slots cost nothing,
    /// however many.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew { age: u32 }
    /// let mut crew: Pool<Crew> = [36, 20].map(|age| Crew { age }).into_iter().collect();
    /// crew.stage(Crew { age: 1 }); // iteration finds it after the commit
    /// assert_eq!(crew.iter().map(|(_, crew)| crew.age).sum::<u32>(), 56);
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'_, T> {
        Iter::new(&self.cells, false)
    }

    /// Gives all live things, to be changed, with their handles, in slot order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew { age: u32 }
    /// let mut crew: Pool<Crew> = [36, 20].map(|age| Crew { age }).into_iter().collect();
    /// for (_, who) in crew.iter_mut() { who.age += 1; }
    /// let [mut older, mut younger] = [0, 0];
    /// for (i, (_, who)) in crew.iter().enumerate() { if i == 0 { older = who.age } else { younger = who.age } }
    /// assert_eq!((older, younger), (37, 21));
    /// ```
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, T> {
        IterMut::new(&mut self.cells)
    }

    /// The handles of all live things, in slot order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew {}
    /// let mut crew = Pool::new();
    /// let [a, b, c] = [(); 3].map(|()| crew.spawn(Crew {}));
    /// crew.despawn(b);
    /// assert_eq!(crew.handles().collect::<Vec<_>>(), [a, c]);
    /// ```
    pub fn handles(&self) -> impl ExactSizeIterator<Item = Handle<T>> + Clone {
        self.iter().map(|(handle, _)| handle)
    }

    /// Calls `f` with every live thing, to be changed, beside a look at all the others. New things
    /// can be [staged](Others::stage) meanwhile; they are not visited.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Ship { x: f32, target: Handle<Ship> }
    /// let mut ships = Pool::new();
    /// let prey = ships.spawn(Ship { x: 8.0, ..Default::default() });
    /// let hunter = ships.spawn(Ship { x: 0.0, target: prey });
    ///
    /// ships.each_with_rest(|_, me, all| {
    ///     if let Some(target) = all.get(me.target) { me.x += (target.x - me.x) / 2.0; }
    /// });
    /// assert_eq!(ships[hunter].x, 4.0);
    /// ```
    ///
    /// Nothing of one round can be kept for the next:
    ///
    /// ```compile_fail,E0521
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Ship { x: f32 }
    /// # let mut ships = Pool::<Ship>::new();
    /// let mut kept = Vec::new();
    /// ships.each_with_rest(|_, me, _| kept.push(me));
    /// ```
    #[inline]
    pub fn each_with_rest(&mut self, f: impl FnMut(Handle<T>, ThingMut<'_, T>, &Others<'_, T>)) {
        self.cells.each_with_rest(f);
    }
}

impl<'a, T: Thing> IntoIterator for &'a Pool<T> {
    type Item = (Handle<T>, ThingRef<'a, T>);
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T: Thing> IntoIterator for &'a mut Pool<T> {
    type Item = (Handle<T>, ThingMut<'a, T>);
    type IntoIter = IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}
