//! What can go wrong with a schedule, in words.

use std::any::Any;
use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::panic::Location;

use crate::access::Conflict;
use crate::missing::Missing;
use crate::system::AnyError;

/// A system, as errors name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemName {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Where it was added.
    pub at: &'static Location<'static>,
}

impl fmt::Display for SystemName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}` (added at {}:{})", self.name, self.at.file(), self.at.line())
    }
}

/// A system cannot be added, or a schedule cannot be put in order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// Two parameters of a system cannot be had together.
    Conflict {
        /// The system.
        system: SystemName,
        /// The parameters.
        conflict: Conflict,
    },
    /// A system says that it comes before or after something that there is not.
    Unknown {
        /// The system.
        system: SystemName,
        /// What it names.
        label: String,
        /// What was probably meant.
        suggestion: Option<String>,
    },
    /// Systems each of which comes before the next, and the last before the first.
    Cycle {
        /// The systems, and barriers between them.
        systems: Vec<SystemName>,
    },
    /// There is no system of a name that was asked for.
    NoSuchSystem {
        /// The name.
        name: String,
        /// What was probably meant.
        suggestion: Option<String>,
    },
    /// A rate of fixed steps that is not a positive number.
    BadRate {
        /// Where the steps were added.
        at: SystemName,
        /// The rate, in text.
        hz: String,
    },
    /// A number of threads that cannot be had.
    Threads(String),
}

impl fmt::Display for PlanError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Its `write!` is a call; that of a `Formatter` is copied to each place.
        let out: &mut dyn fmt::Write = out;
        match self {
            Self::Conflict { system, conflict } => {
                write!(out, "system {system} cannot run: {conflict}")
            }
            Self::Unknown { system, label, suggestion } => {
                write!(
                    out,
                    "system {system} is to run before, after or in no order with `{label}`, "
                )?;
                write!(out, "but there is no system or set of that name")?;
                match suggestion {
                    Some(meant) => write!(out, "; was `{meant}` meant?"),
                    None => write!(out, ": add it, or correct the name"),
                }
            }
            Self::Cycle { systems } => {
                write!(out, "these systems wait for each other in a circle:")?;
                for system in systems {
                    write!(out, "\n  {system}, which must come before")?;
                }
                match systems.first() {
                    Some(first) => write!(
                        out,
                        "\n  {first}: drop one of the `before` and `after`, or move a barrier"
                    ),
                    None => Ok(()),
                }
            }
            Self::NoSuchSystem { name, suggestion } => {
                write!(out, "there is no system of the name `{name}`")?;
                suggestion.as_ref().map_or(Ok(()), |meant| write!(out, "; was `{meant}` meant?"))
            }
            Self::BadRate { at, hz } => {
                write!(
                    out,
                    "{at} cannot have {hz} steps a second: the rate must be a positive number"
                )
            }
            Self::Threads(reason) => write!(out, "{reason}"),
        }
    }
}

impl Error for PlanError {}

/// A run has ended early.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunError {
    /// The schedule cannot be put in order. Nothing has run.
    Plan(PlanError),
    /// A system needs something that the world does not have. For systems without conditions this
    /// is found before anything runs.
    Missing {
        /// The system.
        system: SystemName,
        /// What it needs.
        missing: Missing,
    },
    /// A system has returned an error. Systems that had begun have finished, the others have not
    /// run.
    Failed {
        /// The system.
        system: SystemName,
        /// Its error.
        error: AnyError,
    },
    /// A system, or a command of one, has panicked. Systems that had begun have finished, the
    /// others have not run.
    Panicked {
        /// The system.
        system: SystemName,
        /// What it panicked with.
        payload: Payload,
    },
    /// The time step is not a number, infinite or negative. Nothing has run.
    BadTime {
        /// The step, in text.
        dt: String,
    },
}

/// What a system panicked with.
pub struct Payload(pub Box<dyn Any + Send>);

impl Payload {
    /// The message, if it was one.
    ///
    /// # Examples
    ///
    /// ```
    /// let payload = lath_schedule::Payload(Box::new("no fuel"));
    /// assert_eq!(payload.message(), Some("no fuel"));
    /// ```
    pub fn message(&self) -> Option<&str> {
        let text = self.0.downcast_ref::<&'static str>().copied();
        text.or_else(|| self.0.downcast_ref::<String>().map(String::as_str))
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Payload").field(&self.message()).finish()
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Its `write!` is a call; that of a `Formatter` is copied to each place.
        let out: &mut dyn fmt::Write = out;
        match self {
            Self::Plan(error) => write!(out, "{error}"),
            Self::Missing { system, missing } => {
                write!(out, "system {system} cannot run: {missing}")
            }
            Self::Failed { system, error } => write!(out, "system {system} failed: {error}"),
            Self::Panicked { system, payload } => {
                write!(
                    out,
                    "system {system} panicked: {}",
                    payload.message().unwrap_or("(not with a message)")
                )
            }
            Self::BadTime { dt } => {
                write!(
                    out,
                    "the time step `Time::dt` is {dt}: it must be a number of seconds, 0 or more. \
                     Nothing has run"
                )
            }
        }
    }
}

impl Error for RunError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Plan(error) => Some(error),
            Self::Missing { missing, .. } => Some(missing),
            Self::Failed { error, .. } => Some(&**error),
            Self::Panicked { .. } | Self::BadTime { .. } => None,
        }
    }
}

impl From<PlanError> for RunError {
    fn from(error: PlanError) -> Self {
        Self::Plan(error)
    }
}
