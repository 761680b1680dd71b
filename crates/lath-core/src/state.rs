//! What a slot is doing, and what that means for a handle that names it.

use crate::error::{HandleError, SpawnFault};
use crate::generation::{SPENT, StampBits, is_live};
use crate::handle::Handle;
use crate::thing::Thing;

/// What a slot is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "alloc"), allow(dead_code, reason = "a fixed pool knows three of these"))]
pub(crate) enum State {
    Free,
    Live,
    /// Reserved or staged; the stamp says which.
    Claimed,
    Buried,
    /// Retired, slot 0, or beyond the limit.
    OutOfUse,
}

/// A slot as seen by a question about a handle.
#[derive(Clone, Copy)]
pub(crate) struct Sight {
    pub(crate) state: State,
    /// `None` where there is no memory for the slot, or beyond the limit.
    pub(crate) stamp: Option<u32>,
    /// How many slots there are (for lookups) or can be (for `spawn_at`).
    pub(crate) slots: u32,
}

/// Why a handle that does not resolve does not.
pub(crate) fn why_not<T: Thing>(handle: Handle<T>, sight: Sight) -> HandleError {
    let name = handle.name();
    let bits = Handle::<T>::STAMP;
    match sight {
        _ if handle.is_nil() => HandleError::Nil,
        Sight { stamp: None, slots, .. } => HandleError::OutOfRange { handle: name, slots },
        Sight { state: State::Claimed, stamp: Some(stamp), .. } if is_pending(handle, stamp) => {
            HandleError::Pending { handle: name }
        }
        Sight { stamp: Some(stamp), .. } if bits.generation_of(stamp) == handle.generation() => {
            HandleError::WrongKind {
                handle: name,
                kind: handle.kind(),
                expected: bits.kind_of(stamp),
            }
        }
        Sight { state: State::OutOfUse, .. }
        | Sight { state: State::Buried, stamp: Some(SPENT), .. } => {
            HandleError::Retired { handle: name }
        }
        Sight { stamp: Some(stamp), .. } => {
            HandleError::Stale { handle: name, current: bits.generation_of(stamp) }
        }
    }
}

/// Whether a value of kind `kind` may be put where `handle` says.
pub(crate) fn may_spawn_at<T: Thing>(
    handle: Handle<T>,
    kind: u32,
    sight: Sight,
) -> Result<(), SpawnFault> {
    let name = handle.name();
    let kind = fitting_kind(Handle::<T>::STAMP, kind)?;
    let stamp = sight.stamp.unwrap_or(0);
    let current = Handle::<T>::STAMP.generation_of(stamp);
    let error = match sight.state {
        _ if handle.is_nil() => HandleError::Nil,
        _ if handle.index() > sight.slots => {
            HandleError::OutOfRange { handle: name, slots: sight.slots }
        }
        _ if handle.kind() != kind => {
            HandleError::WrongKind { handle: name, kind: handle.kind(), expected: kind }
        }
        State::Free if current < handle.generation() => return Ok(()),
        State::Claimed if is_pending(handle, stamp) => return Ok(()),
        State::Live | State::Claimed | State::Buried => {
            return Err(SpawnFault::Occupied { handle: name, current });
        }
        State::Free => HandleError::Stale { handle: name, current },
        State::OutOfUse => HandleError::Retired { handle: name },
    };
    Err(SpawnFault::Handle(error))
}

/// Whether a claimed slot with this stamp is reserved under this handle.
pub(crate) fn is_pending<T: Thing>(handle: Handle<T>, stamp: u32) -> bool {
    !is_live(stamp) && stamp + 1 == handle.stamp()
}

/// The kind, if the bits can hold it.
#[inline]
pub(crate) fn fitting_kind(bits: StampBits, kind: u32) -> Result<u32, SpawnFault> {
    if u64::from(kind) < bits.kinds() {
        Ok(kind)
    } else {
        Err(SpawnFault::KindTooLarge { kind, bits: bits.kind })
    }
}
