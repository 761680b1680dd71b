//! Who takes part: one file per candidate.
//!
//! `raw` comes in several shapes, because an expert writes for the workload at hand.

#[cfg(feature = "ecs")]
mod bevy_ecs;
#[cfg(feature = "ecs")]
mod evenio;
mod flagged;
#[cfg(feature = "flecs")]
mod flecs;
#[cfg(feature = "ecs")]
mod hecs;
mod lath;
mod lath_columns;
mod lath_views;
mod raw_fields;
mod raw_flat;
mod raw_packed;
mod raw_rows;
#[cfg(feature = "ecs")]
mod shipyard;
mod slotmap;
#[cfg(feature = "ecs")]
mod soa_rs;
#[cfg(feature = "ecs")]
mod sparsey;
mod thunderdome;

#[cfg(feature = "ecs")]
pub(crate) use self::bevy_ecs::{Bevy, BevyKinds, BevyMatching, BevyMovers, BevyTagging};
#[cfg(feature = "ecs")]
pub(crate) use self::evenio::{Evenio, EvenioKinds, EvenioMatching, EvenioMovers, EvenioTagging};
pub(crate) use self::flagged::{
    RawTagging, SlotMapKinds, SlotMapMatching, SlotMapMovers, SlotMapTagging, ThunderdomeKinds,
    ThunderdomeMatching, ThunderdomeMovers, ThunderdomeTagging,
};
#[cfg(feature = "flecs")]
pub(crate) use self::flecs::{Flecs, FlecsKinds, FlecsMatching, FlecsMovers, FlecsTagging};
#[cfg(feature = "ecs")]
pub(crate) use self::hecs::{Hecs, HecsKinds, HecsMatching, HecsMovers, HecsTagging};
pub(crate) use self::lath::{Grown, LathRows, LathRowsMany, LathRowsRead};
pub(crate) use self::lath_columns::{LathColumns, LathColumnsMany};
pub(crate) use self::lath_views::{
    LathColumnKinds, LathColumnMatching, LathColumnMovers, LathColumnTagging, LathRowKinds,
    LathRowMatching, LathRowMovers, LathRowTagging,
};
pub(crate) use self::raw_fields::RawFields;
pub(crate) use self::raw_flat::{RawKinds, RawMovers};
pub(crate) use self::raw_packed::RawPacked;
pub(crate) use self::raw_rows::RawRows;
#[cfg(feature = "ecs")]
pub(crate) use self::shipyard::{
    Shipyard, ShipyardKinds, ShipyardMatching, ShipyardMovers, ShipyardTagging,
};
pub(crate) use self::slotmap::{SlotMapBasic, SlotMapDense, SlotMapHop};
#[cfg(feature = "ecs")]
pub(crate) use self::soa_rs::{SoaRs, SoaRsKinds, SoaRsMatching, SoaRsMovers};
#[cfg(feature = "ecs")]
pub(crate) use self::sparsey::{
    Sparsey, SparseyKinds, SparseyMatching, SparseyMovers, SparseyTagging,
};
pub(crate) use self::thunderdome::Thunderdome;
