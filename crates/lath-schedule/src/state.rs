//! States: menu, play, pause; with what is done on the way in, on the way out, and while there.

use crate::param::{Res, ResMut};

/// Which of several states the program is in: a resource.
///
/// [`set`](Self::set) asks for a change, which is made at the next
/// [`Schedule::transitions`](crate::Schedule::transitions) in the order. Systems added after that,
/// with `on_exit`, `on_enter` and `while_in`, run as their names say.
///
/// # Examples
///
/// ```
/// use lath_schedule::{IntoSystem, ResMut, Schedule, State, World};
///
/// #[derive(Clone, Copy, PartialEq)]
/// enum Mode { Menu, Play }
/// struct Log(Vec<&'static str>);
///
/// let mut schedule = Schedule::new();
/// schedule.transitions::<Mode>();
/// schedule.add((|mut log: ResMut<Log>| log.0.push("leave menu")).on_exit(Mode::Menu));
/// schedule.add((|mut log: ResMut<Log>| log.0.push("enter play")).on_enter(Mode::Play));
/// schedule.add((|mut log: ResMut<Log>| log.0.push("play")).while_in(Mode::Play));
///
/// let mut world = World::new();
/// world.insert(Log(Vec::new()));
/// world.insert(State::new(Mode::Menu));
/// schedule.run(&mut world); // enters the menu: nobody listens
/// world.resource_mut::<State<Mode>>().set(Mode::Play);
/// schedule.run(&mut world);
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Log>().0, ["leave menu", "enter play", "play", "play"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State<S> {
    pub(crate) now: S,
    pub(crate) next: Option<S>,
    /// The state before the last transition, if that has changed it.
    pub(crate) left: Option<S>,
    /// Whether the last transition has entered `now`.
    pub(crate) entered: bool,
    /// Whether the state that it started in has been entered.
    pub(crate) started: bool,
}

impl<S> State<S> {
    /// Starts in a state, which is entered at the first transition.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{IntoSystem, Schedule, State, World};
    /// let mut schedule = Schedule::new();
    /// schedule.transitions::<bool>();
    /// schedule.add((|| println!("entered")).on_enter(false));
    /// let mut world = World::new();
    /// world.insert(State::new(false));
    /// schedule.run(&mut world); // the first transition enters the state that it started in
    /// # assert_eq!(schedule.report().lines[1].runs, 1);
    /// ```
    pub fn new(start: S) -> Self {
        Self { now: start, next: None, left: None, entered: false, started: false }
    }

    /// The present state.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut mode = lath_schedule::State::new("menu");
    /// mode.set("play");
    /// assert_eq!(*mode.get(), "menu"); // until the transition
    /// ```
    pub fn get(&self) -> &S {
        &self.now
    }

    /// Asks for a change of state at the next transition. Asking for the present state leaves it
    /// and enters it again.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut mode = lath_schedule::State::new("menu");
    /// mode.set("play");
    /// mode.set("pause"); // the last one counts
    /// assert_eq!(*mode.get(), "menu"); // until the transition
    /// ```
    pub fn set(&mut self, next: S) {
        self.next = Some(next);
    }

    fn go(&mut self) {
        self.left = None;
        self.entered = !std::mem::replace(&mut self.started, true);
        if let Some(next) = self.next.take() {
            self.left = Some(std::mem::replace(&mut self.now, next));
            self.entered = true;
        }
    }
}

/// The system that makes the change.
pub(crate) fn transition<S: Send + Sync + 'static>(mut state: ResMut<State<S>>) {
    state.go();
}

/// Whether the last transition has entered a state.
pub(crate) fn entering<S: PartialEq + Send + Sync + 'static>(
    state: S,
) -> impl FnMut(Res<State<S>>) -> bool + Send + 'static {
    move |now: Res<State<S>>| now.entered && now.now == state
}

/// Whether the last transition has left a state.
pub(crate) fn leaving<S: PartialEq + Send + Sync + 'static>(
    state: S,
) -> impl FnMut(Res<State<S>>) -> bool + Send + 'static {
    move |now: Res<State<S>>| now.left.as_ref() == Some(&state)
}
