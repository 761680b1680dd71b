//! Who takes part: one file per candidate.
//!
//! `raw` comes in three shapes, because an expert writes for the workload at hand.

mod lath;
mod raw_fields;
mod raw_packed;
mod raw_rows;
mod slotmap;
mod thunderdome;

pub(crate) use self::lath::{LathRows, LathRowsRead};
pub(crate) use self::raw_fields::RawFields;
pub(crate) use self::raw_packed::RawPacked;
pub(crate) use self::raw_rows::RawRows;
pub(crate) use self::slotmap::{SlotMapBasic, SlotMapDense, SlotMapHop};
pub(crate) use self::thunderdome::Thunderdome;
