//! Time: the step, steps at a fixed rate, timers.

use crate::error::{PlanError, RunError, SystemName};
use crate::run::Threads;
use crate::schedule::Schedule;
use crate::world::World;

/// How much time a run stands for: a resource, which the program sets before each run. Within
/// [fixed steps](Schedule::fixed) it is the length of a step.
///
/// # Examples
///
/// ```
/// use lath_schedule::{Res, Schedule, Time, World};
/// let mut world = World::new();
/// world.insert(Time { dt: 1.0 / 60.0 });
/// let mut schedule = Schedule::new();
/// schedule.add(|time: Res<Time>| assert_eq!(time.dt, 1.0 / 60.0));
/// schedule.run(&mut world);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Time {
    /// In seconds.
    pub dt: f32,
}

impl Time {
    /// Whether the world's time, if it has one, is a number of seconds.
    pub(crate) fn check(world: &World) -> Result<(), RunError> {
        match world.peek::<Self>() {
            Some(time) if !time.dt.is_finite() || time.dt < 0.0 => {
                Err(RunError::BadTime { dt: time.dt.to_string() })
            }
            _ => Ok(()),
        }
    }
}

/// How the last [fixed steps](Schedule::fixed) went: a resource.
///
/// # Examples
///
/// ```
/// use lath_schedule::{FixedTime, Schedule, Time, World};
/// let mut schedule = Schedule::new();
/// schedule.fixed(4.0, |_| ());
/// let mut world = World::new();
/// world.insert(Time { dt: 0.625 });
/// schedule.run(&mut world);
/// let fixed = world.resource::<FixedTime>();
/// assert_eq!((fixed.step, fixed.steps, fixed.alpha), (0.25, 2, 0.5));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FixedTime {
    /// The length of a step, in seconds.
    pub step: f32,
    /// How many steps the last run took.
    pub steps: u32,
    /// How far the time is on the way from the last step to the next: from 0 to 1, to draw things
    /// in between.
    pub alpha: f32,
    /// How much time was given up so far because a run would have taken more steps than the limit,
    /// in seconds.
    pub given_up: f64,
}

/// The time that fixed steps have not used yet: a resource, so that it is saved and rolled back
/// with the rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FixedClocks {
    /// In seconds, in the order in which the steps were added to their schedule; see
    /// [`Schedule::clocks_from`] where there are several.
    pub left: Vec<f64>,
    /// How much time each has given up, in seconds.
    pub given_up: Vec<f64>,
}

/// Systems that run at a fixed rate.
pub(crate) struct Fixed {
    pub(crate) schedule: Schedule,
    pub(crate) hz: f64,
    pub(crate) limit: u32,
    /// Which of the schedule's fixed steps this is.
    pub(crate) number: usize,
}

impl Fixed {
    pub(crate) fn check(&self, at: SystemName) -> Result<(), PlanError> {
        if self.hz.is_finite() && self.hz > 0.0 && (1.0 / self.hz).is_finite() {
            return Ok(());
        }
        Err(PlanError::BadRate { at, hz: self.hz.to_string() })
    }

    /// Makes the resources that steps come with, and looks whether all is there that their systems
    /// need.
    pub(crate) fn make_ready(&mut self, world: &mut World) -> Result<(), RunError> {
        if world.try_resource::<Time>().is_err() {
            world.insert(Time::default());
        }
        if world.try_resource::<FixedTime>().is_err() {
            world.insert(FixedTime::default());
        }
        if world.try_resource::<FixedClocks>().is_err() {
            world.insert(FixedClocks::default());
        }
        self.schedule.make_ready(world)
    }

    /// Takes as many steps as fit into the time that has passed.
    pub(crate) fn run(&mut self, world: &mut World, threads: &Threads) -> Result<(), RunError> {
        let step = 1.0 / self.hz;
        let before = world.peek::<Time>().copied().unwrap_or_default();
        if world.peek::<FixedClocks>().is_none() {
            world.insert(FixedClocks::default());
        }
        let clocks = world.resource_mut::<FixedClocks>();
        clocks.left.resize(clocks.left.len().max(self.number + 1), 0.0);
        clocks.given_up.resize(clocks.left.len(), 0.0);
        let left = &mut clocks.left[self.number];
        *left += f64::from(before.dt);
        // A little early rather than late: sixty steps of a sixtieth add up to a second, or almost.
        let fits = ((*left + step * 1e-6) / step).floor();
        let steps = if fits > f64::from(self.limit) { self.limit } else { fits as u32 };
        *left = (*left - f64::from(steps) * step).max(0.0);
        if fits > f64::from(steps) {
            let given_up = (fits - f64::from(steps)) * step;
            *left = (*left - given_up).max(0.0);
            clocks.given_up[self.number] += given_up;
        }
        let alpha = (clocks.left[self.number] / step).clamp(0.0, 1.0) as f32;
        let given_up = clocks.given_up[self.number];
        world.insert(FixedTime { step: step as f32, steps, alpha, given_up });
        world.insert(Time { dt: step as f32 });
        let result = (0..steps).try_for_each(|_| self.schedule.run_within(world, threads));
        // As it was, also after an error.
        world.insert(before);
        result
    }
}

/// Counts down, once or again and again.
///
/// # Examples
///
/// ```
/// use lath_schedule::Timer;
/// let mut spawn = Timer::repeating(0.5);
/// assert_eq!(spawn.tick(0.4), 0);
/// assert_eq!(spawn.tick(0.7), 2); // twice since
/// let mut fuse = Timer::once(1.0);
/// assert_eq!(fuse.tick(5.0), 1);
/// assert_eq!(fuse.tick(5.0), 0);
/// assert!(fuse.is_done());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timer {
    /// Until it fires, in seconds.
    pub(crate) left: f32,
    pub(crate) period: f32,
    pub(crate) repeats: bool,
}

impl Timer {
    /// Fires once.
    ///
    /// # Panics
    ///
    /// If the time is not a number, infinite or negative.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::Timer;
    /// let mut fuse = Timer::once(0.0);
    /// assert_eq!(fuse.tick(0.0), 1); // at once, but not without being asked
    /// ```
    #[must_use]
    #[track_caller]
    pub fn once(seconds: f32) -> Self {
        assert!(seconds.is_finite() && seconds >= 0.0, "a timer cannot take {seconds} seconds");
        Self { left: seconds, period: seconds, repeats: false }
    }

    /// Fires again and again.
    ///
    /// # Panics
    ///
    /// If the time is not a positive number.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::Timer;
    /// let mut spawn = Timer::repeating(0.5);
    /// assert_eq!((0..4).map(|_| spawn.tick(0.25)).sum::<u32>(), 2);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn repeating(seconds: f32) -> Self {
        assert!(
            seconds.is_finite() && seconds > 0.0,
            "a repeating timer cannot take {seconds} seconds"
        );
        Self { left: seconds, period: seconds, repeats: true }
    }

    /// Lets time pass; answers how often it has fired. Time that is not a number or negative does
    /// not pass.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::Timer;
    /// let mut spawn = Timer::repeating(0.5);
    /// assert_eq!(spawn.tick(1.75), 3);
    /// assert_eq!(spawn.tick(f32::NAN), 0);
    /// assert_eq!(spawn.tick(0.25), 1); // a quarter of a second was left
    /// ```
    pub fn tick(&mut self, dt: f32) -> u32 {
        if self.is_done() {
            return 0;
        }
        self.left -= dt.max(0.0); // 0 for what is not a number
        if self.left > 0.0 {
            return 0;
        }
        if !self.repeats {
            self.left = f32::NEG_INFINITY;
            return 1;
        }
        let fired = ((-self.left / self.period).floor() as u32).saturating_add(1);
        self.left += fired as f32 * self.period;
        // Rounding must not make it fire again at once.
        if self.left <= 0.0 {
            self.left = self.period;
        }
        fired
    }

    /// Whether it fires no more.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::Timer;
    /// let (mut fuse, mut spawn) = (Timer::once(1.0), Timer::repeating(1.0));
    /// assert!(!fuse.is_done());
    /// fuse.tick(1.0);
    /// spawn.tick(1.0);
    /// assert!(fuse.is_done() && !spawn.is_done());
    /// ```
    pub fn is_done(&self) -> bool {
        !self.repeats && self.left == f32::NEG_INFINITY
    }

    /// Starts again.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::Timer;
    /// let mut fuse = Timer::once(1.0);
    /// fuse.tick(2.0);
    /// fuse.restart();
    /// assert!(!fuse.is_done());
    /// ```
    pub fn restart(&mut self) {
        self.left = self.period;
    }

    /// How far it is: from 0 to 1.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::Timer;
    /// let mut fuse = Timer::once(4.0);
    /// fuse.tick(1.0);
    /// assert_eq!(fuse.progress(), 0.25);
    /// ```
    pub fn progress(&self) -> f32 {
        if self.is_done() || self.period == 0.0 {
            1.0
        } else {
            (1.0 - self.left / self.period).clamp(0.0, 1.0)
        }
    }
}

/// Something that can be done again only after a while.
///
/// # Examples
///
/// ```
/// use lath_schedule::Cooldown;
/// let mut gun = Cooldown::new(0.5);
/// assert!(gun.try_use());
/// assert!(!gun.try_use());
/// gun.tick(0.5);
/// assert!(gun.is_ready());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cooldown {
    pub(crate) seconds: f32,
    pub(crate) left: f32,
}

impl Cooldown {
    /// Ready at first.
    ///
    /// # Panics
    ///
    /// If the time is not a number, infinite or negative.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::Cooldown;
    /// assert!(Cooldown::new(0.5).is_ready());
    /// ```
    #[must_use]
    #[track_caller]
    pub fn new(seconds: f32) -> Self {
        assert!(seconds.is_finite() && seconds >= 0.0, "a cooldown cannot take {seconds} seconds");
        Self { seconds, left: 0.0 }
    }

    /// Lets time pass. Time that is not a number or negative does not pass.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::Cooldown;
    /// let mut gun = Cooldown::new(0.5);
    /// gun.try_use();
    /// gun.tick(0.25);
    /// gun.tick(-1.0); // time does not run backwards
    /// gun.tick(0.25);
    /// assert!(gun.is_ready());
    /// ```
    pub fn tick(&mut self, dt: f32) {
        if dt > 0.0 {
            self.left = (self.left - dt).max(0.0);
        }
    }

    /// Whether it can be used.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::Cooldown;
    /// let mut gun = Cooldown::new(0.5);
    /// assert!(gun.is_ready() && gun.is_ready()); // asking does not use it
    /// gun.try_use();
    /// assert!(!gun.is_ready());
    /// ```
    pub fn is_ready(&self) -> bool {
        self.left == 0.0
    }

    /// Uses it, if it is ready; answers whether it was.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::Cooldown;
    /// let mut gun = Cooldown::new(0.5);
    /// assert!(gun.try_use());
    /// gun.tick(0.25);
    /// assert!(!gun.try_use()); // which does not make it wait longer
    /// gun.tick(0.25);
    /// assert!(gun.try_use());
    /// ```
    pub fn try_use(&mut self) -> bool {
        let ready = self.is_ready();
        if ready {
            self.left = self.seconds;
        }
        ready
    }
}
