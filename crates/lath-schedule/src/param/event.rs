#![expect(unsafe_code, reason = "hands out events that the system has declared")]
//! Reading and sending events.

use std::any::type_name;

use super::lent::Lent;
use super::{Context, Param, Res};
use crate::access::{Access, EVENTS};
use crate::event::{Events, Reader};
use crate::missing::Missing;
use crate::type_map::{Found, TypeKey};
use crate::world::World;

/// Reads the events of a type: each one once.
///
/// # Examples
///
/// ```
/// use lath_schedule::{EventReader, Schedule, World};
/// struct Bang;
/// let mut world = World::new();
/// let mut schedule = Schedule::new();
/// schedule.add(|mut bangs: EventReader<Bang>| println!("{} bangs", bangs.read().count()));
/// schedule.run(&mut world); // from now on it reads
/// world.send(Bang);
/// assert_eq!(world.events_mut::<Bang>().len(), 1); // kept until it has been read
/// schedule.run(&mut world);
/// assert_eq!(world.events_mut::<Bang>().len(), 0);
/// ```
pub struct EventReader<'w, E> {
    events: &'w Events<E>,
    reader: Reader,
}

impl<'w, E> EventReader<'w, E> {
    /// The events that this reader has not read yet, oldest first. They count as read, even if the
    /// iterator is dropped early.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{EventReader, EventWriter, Schedule, World};
    /// let mut schedule = Schedule::new();
    /// schedule.add(|mut numbers: EventWriter<u32>| numbers.extend([1, 2, 3]));
    /// schedule.add(|mut numbers: EventReader<u32>| {
    ///     assert_eq!(numbers.read().next(), Some(&1)); // dropped early: the others are read, too
    ///     assert_eq!(numbers.read().next(), None);
    /// });
    /// schedule.run(&mut World::new());
    /// ```
    pub fn read(&mut self) -> impl Iterator<Item = &'w E> + use<'w, E> {
        self.events.read(&self.reader)
    }

    /// How many events there are to read.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_schedule::{EventReader, Schedule, World};
    /// struct Bang;
    /// let mut schedule = Schedule::new();
    /// schedule.add(|bangs: EventReader<Bang>| assert_eq!((bangs.len(), bangs.missed()), (0, 0)));
    /// schedule.run(&mut World::new());
    /// ```
    pub fn len(&self) -> usize {
        self.events.unread(&self.reader).0
    }

    /// Whether there is nothing to read.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{EventReader, EventWriter, Schedule, World};
    /// let mut schedule = Schedule::new();
    /// schedule.add(|mut numbers: EventWriter<u32>| numbers.send(7));
    /// schedule.add(|mut numbers: EventReader<u32>| {
    ///     assert!(!numbers.is_empty());
    ///     numbers.read();
    ///     assert!(numbers.is_empty());
    /// });
    /// schedule.run(&mut World::new());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many of the events that this reader has not read were dropped, because of the
    /// [cap](Events::set_cap). Reading resets it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{EventReader, EventWriter, Schedule, World};
    /// let mut world = World::new();
    /// world.events_mut::<u32>().set_cap(Some(2));
    /// let mut schedule = Schedule::new();
    /// schedule.add(|mut numbers: EventWriter<u32>| numbers.extend(0..5));
    /// schedule.add(|mut numbers: EventReader<u32>| {
    ///     assert_eq!(numbers.missed(), 3);
    ///     assert!(numbers.read().eq(&[3, 4]));
    ///     assert_eq!(numbers.missed(), 0);
    /// });
    /// schedule.run(&mut world);
    /// ```
    pub fn missed(&self) -> u64 {
        self.events.unread(&self.reader).1
    }
}

/// Sends events of a type.
///
/// # Examples
///
/// ```
/// use lath_schedule::{EventReader, EventWriter, Schedule, World};
/// let mut schedule = Schedule::new();
/// schedule.add(|mut numbers: EventReader<u32>| println!("{:?}", numbers.read().next()));
/// schedule.add(|mut numbers: EventWriter<u32>| numbers.send(7));
/// let mut world = World::new();
/// schedule.run(&mut world);
/// assert_eq!(world.events_mut::<u32>().len(), 1); // the reader comes first: in the next run
/// schedule.run(&mut world);
/// ```
pub struct EventWriter<'w, E>(&'w mut Events<E>);

impl<E> EventWriter<'_, E> {
    /// Sends an event. Systems that come later in the order read it in this run, those before in
    /// the next.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{EventWriter, Schedule, World};
    /// let mut world = World::new();
    /// world.events_mut::<u32>().set_cap(Some(1));
    /// let mut schedule = Schedule::new();
    /// schedule.add(|mut numbers: EventWriter<u32>| {
    ///     numbers.send(1);
    ///     numbers.send(2); // the cap is one: the oldest is dropped
    /// });
    /// schedule.run(&mut world);
    /// assert_eq!(world.events_mut::<u32>().dropped(), 1);
    /// ```
    pub fn send(&mut self, event: E) {
        self.0.send(event);
    }
}

impl<E> Extend<E> for EventWriter<'_, E> {
    fn extend<I: IntoIterator<Item = E>>(&mut self, events: I) {
        events.into_iter().for_each(|event| self.send(event));
    }
}

// SAFETY: looks at the events that it declares; what it has read it notes in an atomic of its own.
unsafe impl<E: Send + Sync + 'static> Param for EventReader<'_, E> {
    type State = (TypeKey<Events<E>>, Reader);
    type Item<'w, 's> = EventReader<'w, E>;

    fn declare(access: &mut Access) {
        access.resource::<Events<E>>(EVENTS, type_name::<E>(), false);
    }

    fn init(world: &mut World) -> Self::State {
        let reader = world.events_mut::<E>().add_reader();
        (world.hidden_key(), reader)
    }

    fn check((events, _): &Self::State, world: &World) -> Result<(), Missing> {
        Res::<Events<E>>::check(events, world)
    }

    unsafe fn fetch<'w, 's>(
        (events, reader): &'s mut Self::State,
        context: Context<'w>,
    ) -> EventReader<'w, E> {
        // SAFETY: passed on from the caller: the same was declared.
        let events = unsafe { Res::<Events<E>>::fetch(events, context) };
        EventReader { events: events.0, reader: reader.clone() }
    }
}

// SAFETY: lends out the events that it declares to write.
unsafe impl<E: Send + Sync + 'static> Lent for EventWriter<'_, E> {
    type Value = Events<E>;
    type Lent<'w> = EventWriter<'w, E>;

    fn declare(access: &mut Access) {
        access.resource::<Events<E>>(EVENTS, type_name::<E>(), true);
    }

    fn key(world: &mut World) -> TypeKey<Events<E>> {
        world.events_mut::<E>();
        world.hidden_key()
    }

    unsafe fn lend<'w>(events: Found<'w, Events<E>>, _: Context<'w>) -> Option<EventWriter<'w, E>> {
        // SAFETY: nobody else uses these events (by the caller, and what was declared).
        Some(EventWriter(unsafe { events.change() }))
    }
}
