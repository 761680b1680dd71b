//! Events: values that are sent to whoever reads them, and kept until every reader has.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The events of one type, in the order in which they were sent.
///
/// Systems send by [`EventWriter`](crate::EventWriter) and read by
/// [`EventReader`](crate::EventReader). Every reader reads every event that is sent after the
/// reader was registered, which is when its schedule first runs in this world; an event is kept
/// until all of them have. Events that nobody reads are gone after the run.
///
/// # Examples
///
/// ```
/// use lath_schedule::{EventReader, EventWriter, ResMut, Schedule, World};
///
/// struct Bang { loudness: f32 }
/// struct Noise(f32);
///
/// let mut world = World::new();
/// world.insert(Noise(0.0));
/// let mut schedule = Schedule::new();
/// schedule.add(|mut bangs: EventWriter<Bang>| bangs.send(Bang { loudness: 2.0 }));
/// schedule.add(|mut bangs: EventReader<Bang>, mut noise: ResMut<Noise>| {
///     for bang in bangs.read() { noise.0 += bang.loudness; }
/// });
/// schedule.run(&mut world);
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Noise>().0, 4.0);
/// ```
pub struct Events<E> {
    events: VecDeque<E>,
    /// The number of the first event that is still there: how many came and went before it.
    first: u64,
    /// Per reader: the number of the event that it reads next.
    readers: Vec<Reader>,
    cap: Option<usize>,
    dropped: u64,
}

/// What the events and one reader of them share: the number of the event that it reads next. Once
/// the reader is gone, this is the last one.
pub(crate) type Reader = Arc<AtomicU64>;

impl<E> Default for Events<E> {
    fn default() -> Self {
        Self { events: VecDeque::new(), first: 0, readers: Vec::new(), cap: None, dropped: 0 }
    }
}

impl<E> Events<E> {
    /// Sends an event. If that makes more than the cap, the oldest is dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut events = lath_schedule::Events::default();
    /// events.set_cap(Some(1));
    /// events.send("first");
    /// events.send("second");
    /// assert!(events.iter().eq(&["second"]));
    /// ```
    pub fn send(&mut self, event: E) {
        self.events.push_back(event);
        self.keep_to_cap();
    }

    /// How many events are kept.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut events = lath_schedule::Events::default();
    /// assert_eq!(events.len(), 0);
    /// events.send("bang");
    /// assert_eq!(events.len(), 1);
    /// ```
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether no event is kept.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(lath_schedule::Events::<u32>::default().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Keeps at most so many events, for readers that do not come: the oldest ones are dropped, and
    /// counted. There is no limit at first.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut events = lath_schedule::Events::default();
    /// events.set_cap(Some(2));
    /// for number in 0..5 { events.send(number); }
    /// assert_eq!((events.len(), events.dropped()), (2, 3));
    /// assert!(events.iter().eq(&[3, 4]));
    /// ```
    pub fn set_cap(&mut self, cap: Option<usize>) {
        self.cap = cap;
        self.keep_to_cap();
    }

    /// How many events were dropped because of the cap, before everyone had read them.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut events = lath_schedule::Events::default();
    /// events.send(1);
    /// events.clear(); // asked for: not counted
    /// events.set_cap(Some(0));
    /// events.send(2);
    /// assert_eq!(events.dropped(), 1);
    /// ```
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The events that are kept, oldest first.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut events = lath_schedule::Events::default();
    /// events.send(1);
    /// events.send(2);
    /// assert_eq!(events.iter().sum::<i32>(), 3);
    /// assert_eq!(events.iter().count(), 2); // a look does not count as read
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = &E> {
        self.events.iter()
    }

    /// Forgets all events, read or not.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut events = lath_schedule::Events::default();
    /// events.send(1);
    /// events.clear();
    /// assert!(events.is_empty());
    /// ```
    pub fn clear(&mut self) {
        self.first += self.events.len() as u64;
        self.events.clear();
    }

    fn keep_to_cap(&mut self) {
        while self.cap.is_some_and(|cap| self.events.len() > cap) {
            // Counted before it is dropped, which may panic.
            let _oldest = self.events.pop_front();
            self.first += 1;
            self.dropped += 1;
        }
    }

    /// Registers a reader, who reads what is sent from now on.
    pub(crate) fn add_reader(&mut self) -> Reader {
        let reader = Reader::new(AtomicU64::new(self.first + self.events.len() as u64));
        self.readers.push(reader.clone());
        reader
    }

    /// How many events a reader has not read, and how many of those are gone.
    pub(crate) fn unread(&self, reader: &Reader) -> (usize, u64) {
        let next = reader.load(Ordering::Relaxed);
        let missed = self.first.saturating_sub(next);
        let read = next.saturating_sub(self.first);
        (self.events.len().saturating_sub(read as usize), missed)
    }

    /// What a reader has not read yet. It counts as read now. Only one thread reads for one reader.
    pub(crate) fn read<'e>(&'e self, reader: &Reader) -> impl Iterator<Item = &'e E> + use<'e, E> {
        let (unread, _) = self.unread(reader);
        let end = self.first + self.events.len() as u64;
        reader.store(end, Ordering::Relaxed);
        self.events.range(self.events.len() - unread..)
    }

    /// Forgets what all readers have read, and readers that are gone.
    pub(crate) fn tidy(&mut self) {
        let end = self.first + self.events.len() as u64;
        self.readers.retain(|reader| Arc::strong_count(reader) > 1);
        let read =
            self.readers.iter().map(|next| next.load(Ordering::Relaxed)).min().unwrap_or(end);
        let gone = (read.saturating_sub(self.first) as usize).min(self.events.len());
        self.first += gone as u64;
        self.events.drain(..gone);
    }
}
