//! Several things of a `FixedPool` at once: to be changed, or to be taken out.

use core::array;
use core::ops::Index;

use super::{Content, FixedPool};
use crate::error::HandleError;
use crate::handle::Handle;
use crate::thing::Thing;

impl<T: Thing, const N: usize> FixedPool<T, N> {
    /// Gives several things at once, to be changed, each with an answer of its own. A handle that
    /// is given twice gets the thing once. Looks at every slot.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{FixedPool, Handle, HandleError, Thing};
    /// # #[derive(Thing, Default)] struct Voice { pitch: f32 }
    /// let mut voices = FixedPool::<Voice, 8>::new();
    /// let [a, b] = [220.0, 440.0].map(|pitch| voices.spawn(Voice { pitch }));
    /// if let [Ok(b), Ok(a)] = voices.get_disjoint_mut([b, a]) {
    ///     std::mem::swap(a, b);
    /// }
    /// assert_eq!((voices[a].pitch, voices[b].pitch), (440.0, 220.0));
    /// assert!(matches!(voices.get_disjoint_mut([a, a]), [Ok(_), Err(HandleError::Twice { .. })]));
    /// assert!(matches!(voices.get_disjoint_mut([Handle::NIL, b]), [Err(HandleError::Nil), Ok(_)]));
    /// ```
    pub fn get_disjoint_mut<const K: usize>(
        &mut self,
        handles: [Handle<T>; K],
    ) -> [Result<&mut T, HandleError>; K] {
        let mut answers = array::from_fn(|i| match self.check(handles[i]) {
            Ok(()) => Err(HandleError::Twice { handle: handles[i].name() }), // unless it is found below
            Err(error) => Err(error),
        });
        for (handle, thing) in self.iter_mut() {
            if let Some(first) = handles.iter().position(|wanted| *wanted == handle) {
                answers[first] = Ok(thing);
            }
        }
        answers
    }

    /// Takes the things out for which `which` says so, one by one as they are asked for, in slot
    /// order. Those that are not asked for stay.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{FixedPool, Thing};
    /// # #[derive(Thing, Default)] struct Voice { pitch: f32 }
    /// let mut voices = FixedPool::<Voice, 8>::new();
    /// for pitch in [220.0, 330.0, 440.0] { voices.spawn(Voice { pitch }); }
    /// let high = voices.extract_if(|_, voice| voice.pitch > 300.0);
    /// assert_eq!(high.map(|(_, voice)| voice.pitch).sum::<f32>(), 770.0);
    /// assert_eq!(voices.len(), 1);
    /// ```
    pub fn extract_if(
        &mut self,
        mut which: impl FnMut(Handle<T>, &mut T) -> bool,
    ) -> impl Iterator<Item = (Handle<T>, T)> {
        (1..=Self::CAPACITY).filter_map(move |index| {
            let slot = &mut self.slots[index as usize - 1];
            let Content::Live(thing) = &mut slot.content else { return None };
            let handle = Handle::from_parts(index, slot.stamp);
            if which(handle, thing) { self.take(handle).map(|thing| (handle, thing)) } else { None }
        })
    }
}

/// `pool[handle]` is [`read`](FixedPool::read): a stale handle shows the nil thing. There is no
/// `IndexMut`, since nobody may write to that.
impl<T: Thing, const N: usize> Index<Handle<T>> for FixedPool<T, N> {
    type Output = T;

    fn index(&self, handle: Handle<T>) -> &T {
        self.read(handle)
    }
}
