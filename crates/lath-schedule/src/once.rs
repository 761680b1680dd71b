//! One system, once, now.

use crate::config::IntoSystem;
use crate::error::RunError;
use crate::run::Threads;
use crate::schedule::Schedule;
use crate::world::World;

impl World {
    /// Runs one system once, now, and applies its commands.
    ///
    /// # Errors
    ///
    /// [`RunError`]: something is missing, or the system has returned an error or has panicked.
    ///
    /// # Panics
    ///
    /// If two parameters of the system cannot be had together.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_schedule::{ResMut, World};
    /// struct Score(u32);
    /// let mut world = World::new();
    /// world.insert(Score(1));
    /// world.run_once(|mut score: ResMut<Score>| score.0 += 1)?;
    /// assert_eq!(world.resource::<Score>().0, 2);
    /// # Ok::<(), lath_schedule::RunError>(())
    /// ```
    #[track_caller]
    pub fn run_once<M>(&mut self, system: impl IntoSystem<M>) -> Result<(), RunError> {
        let mut schedule = Schedule::new();
        schedule.add(system.into_system());
        schedule.run_within(self, &Threads::default())
    }
}
