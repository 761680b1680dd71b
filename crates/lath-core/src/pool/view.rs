//! Looking at some fields only.

use super::Pool;
use crate::cells::Views;
use crate::field::{Field, Fields};
use crate::handle::Handle;
use crate::thing::Thing;
use crate::view::View;

impl<T: Fields> Pool<T> {
    /// Replaces one field of the thing that `handle` names: the way to give a thing a cold field
    /// that it does not have. Gives the value back if there is no such thing.
    ///
    /// # Errors
    ///
    /// The value.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Handle, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Actor { #[thing(cold)] name: String }
    /// let mut actors = Pool::new();
    /// let ada = actors.spawn(Actor::default());
    /// actors.set::<actor::name>(ada, "Ada".into()).unwrap();
    /// assert_eq!(actors.read(ada).name, "Ada");
    /// assert_eq!(actors.set::<actor::name>(Handle::NIL, "Lin".into()), Err("Lin".to_string()));
    /// ```
    pub fn set<F: Field<Thing = T>>(
        &mut self,
        handle: Handle<T>,
        value: F::Value,
    ) -> Result<(), F::Value> {
        self.cells.set::<F>(handle, value)
    }
}

impl<T: Thing> Pool<T> {
    /// All things as a view shows them: to look some up, to go through them all, to count them. For
    /// views that do not write; for others there is [`view_mut`](Self::view_mut).
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32, name: String }
    /// let mut actors = Pool::new();
    /// let ada = actors.spawn(Actor { hp: 3.0, ..Default::default() });
    /// let hp = actors.view::<Ref<actor::hp>>();
    /// assert_eq!(hp.get(ada).map(|hp| *hp), Some(3.0));
    /// assert_eq!(hp.iter().map(|hp| *hp).sum::<f32>(), 3.0);
    /// ```
    #[inline(always)]
    pub fn view<V: View<Thing = T>>(&self) -> Views<'_, V> {
        self.cells.view()
    }

    /// All things as a view shows them, to be changed.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Mut, Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Actor { pos: f32, vel: f32 }
    /// let mut actors = Pool::new();
    /// let ada = actors.spawn(Actor { pos: 0.0, vel: 2.0 });
    /// actors.view_mut::<(Mut<actor::pos>, Ref<actor::vel>)>().each(|(mut pos, vel)| *pos += *vel);
    /// if let Some(mut vel) = actors.view_mut::<Mut<actor::vel>>().get_mut(ada) { *vel = 0.0; }
    /// assert_eq!((actors[ada].pos, actors[ada].vel), (2.0, 0.0));
    /// ```
    #[inline(always)]
    pub fn view_mut<V: View<Thing = T>>(&mut self) -> Views<'_, V> {
        self.cells.view_mut()
    }
}
