//! The slots and links of a pool, as bytes.

use lath_core::blocks::Ledger;

use super::bytes::{Reader, Sink};
use crate::error::SaveError;
use crate::image::{PoolState, TreeState};

/// Writes a state. What has no bearing on what happens next (counts, ticks) is left out of
/// checksums.
pub(crate) fn write_state(state: &PoolState, out: &mut impl Sink, for_checksum: bool) {
    out.list(&state.groups, |out, group| out.u32(*group));
    for words in &state.words {
        words.iter().for_each(|word| out.u64(*word));
    }
    out.put(bytes_of_stamps(&state.stamps).as_slice());
    out.list(&state.old, |out, (index, stamp)| {
        out.u32(*index);
        out.u32(*stamp);
    });
    out.list(&state.tags, |out, tags| out.u64(*tags));
    out.list(&state.ledger.owners, |out, (group, tags)| {
        out.u32(*group);
        out.u64(*tags);
    });
    out.u8(state.ledger.reuse);
    out.list(&state.ledger.freed, |out, (index, stamp)| {
        out.u32(*index);
        out.u32(*stamp);
    });
    out.u32(state.ledger.fresh);
    out.list(&state.ledger.graves, |out, (epoch, index)| {
        out.u64(*epoch);
        out.u32(*index);
    });
    if !for_checksum {
        out.u64(state.ledger.horizon);
        out.u32(state.ledger.high_water);
        out.u32(state.ledger.largest_generation);
        out.u64(state.ledger.tick);
    }
}

/// In the same order on every machine.
fn bytes_of_stamps(stamps: &[u32]) -> Vec<u8> {
    stamps.iter().flat_map(|stamp| stamp.to_le_bytes()).collect()
}

pub(crate) fn read_state(from: &mut Reader<'_>) -> Result<PoolState, SaveError> {
    let groups = from.list(4 + 32 + 256, Reader::u32)?; // of each there are also four words and 64 stamps
    let mut words = Vec::with_capacity(groups.len());
    for _ in &groups {
        words.push([from.u64()?, from.u64()?, from.u64()?, from.u64()?]);
    }
    let stamps = from.take(groups.len() * 256)?;
    let stamps = stamps
        .chunks_exact(4)
        .map(|stamp| u32::from_le_bytes([stamp[0], stamp[1], stamp[2], stamp[3]]));
    Ok(PoolState {
        groups,
        words,
        stamps: stamps.collect(),
        old: from.list(8, |from| Ok((from.u32()?, from.u32()?)))?,
        tags: from.list(8, Reader::u64)?,
        ledger: read_ledger(from)?,
    })
}

fn read_ledger(from: &mut Reader<'_>) -> Result<Ledger, SaveError> {
    Ok(Ledger {
        tags: Vec::new(), // follow from those of the values
        owners: from.list(12, |from| Ok((from.u32()?, from.u64()?)))?,
        reuse: from.u8()?,
        freed: from.list(8, |from| Ok((from.u32()?, from.u32()?)))?,
        fresh: from.u32()?,
        graves: from.list(12, |from| Ok((from.u64()?, from.u32()?)))?,
        horizon: from.u64()?,
        high_water: from.u32()?,
        largest_generation: from.u32()?,
        tick: from.u64()?,
    })
}

pub(crate) fn write_tree(tree: &TreeState, out: &mut impl Sink) {
    out.list(&tree.links, |out, (index, links)| {
        out.u32(*index);
        links.iter().for_each(|link| out.u32(*link));
    });
    out.list(&tree.marked, |out, index| out.u32(*index));
    out.u8(u8::from(tree.marks));
}

pub(crate) fn read_tree(from: &mut Reader<'_>) -> Result<TreeState, SaveError> {
    let row = |from: &mut Reader<'_>| {
        Ok((from.u32()?, [from.u32()?, from.u32()?, from.u32()?, from.u32()?, from.u32()?]))
    };
    Ok(TreeState {
        links: from.list(24, row)?,
        marked: from.list(4, Reader::u32)?,
        marks: from.u8()? != 0,
    })
}
