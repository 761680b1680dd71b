//! The world as a whole: its pools, charts, and how fast it runs.

use lath_core::Stats;
use lath_schedule::{Schedule, World};
use serde_json::{Value, json};

use crate::fields::FieldMeta;
use crate::how::short;
use crate::inner::Core;
use crate::response::{Fault, Params};

/// `GET world`
pub(crate) fn world(
    core: &mut Core,
    world: &mut World,
    _: &mut Schedule,
    params: Params<'_>,
) -> Result<Value, Fault> {
    params.only(&[])?;
    let mut pools: Vec<Value> = Vec::new();
    let present = world.pools();
    for table in &core.tables {
        let meta = table.meta();
        let fields: Vec<Value> = meta.fields.iter().map(|field| field_json(core, field)).collect();
        pools.push(json!({
            "name": meta.name,
            "type": meta.type_name,
            "known": true,
            "stats": table.stats(world).map_or_else(|| stats_json(&Stats::default()), |stats| stats_json(&stats)),
            "fields": fields,
            "trees": meta.trees,
            "label": meta.label.map(|label| meta.fields[label].name),
        }));
    }
    for pool in present {
        if !core.tables.iter().any(|table| table.meta().thing_id == pool.thing) {
            let name = short(pool.name);
            pools.push(json!({ "name": name, "type": pool.name, "known": false, "stats": stats_json(&pool.stats) }));
        }
    }
    let resources: Vec<String> = world.resource_names().into_iter().map(short).collect();
    Ok(json!({
        "version": 1,
        "lath": env!("CARGO_PKG_VERSION"),
        "read_only": core.read_only,
        "tick": core.history.ticks,
        "pace": core.pace.to_json(),
        "undo": core.undo.to_json(),
        "pools": pools,
        "resources": resources,
    }))
}

fn stats_json(stats: &Stats) -> Value {
    json!({
        "live": stats.live,
        "staged": stats.staged,
        "reserved": stats.reserved,
        "buried": stats.buried,
        "retired": stats.retired,
        "high_water": stats.high_water,
        "largest_generation": stats.largest_generation,
        "capacity": stats.capacity,
        "limit": stats.limit,
        "beyond_expected": stats.beyond_expected,
    })
}

pub(crate) fn field_json(core: &Core, field: &FieldMeta) -> Value {
    let leads_to = |thing| core.tables.iter().find(|table| table.meta().thing_id == thing);
    let flags =
        field.flags.as_ref().map(|flags| flags.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    json!({
        "name": field.name,
        "type": short(field.type_name),
        "number": field.is_number,
        "bool": field.is_bool,
        "tags": field.is_tags,
        "editable": field.is_editable,
        "flags": flags,
        "link": field.link.map(|thing| leads_to(thing).map(|table| table.meta().name.clone()).unwrap_or_default()),
        "parts": field.parts,
    })
}

/// `GET charts`
pub(crate) fn charts(
    core: &mut Core,
    _: &mut World,
    _: &mut Schedule,
    params: Params<'_>,
) -> Result<Value, Fault> {
    params.only(&[])?;
    Ok(core.history.to_json())
}

/// `POST control`
pub(crate) fn control(
    core: &mut Core,
    _: &mut World,
    schedule: &mut Schedule,
    params: Params<'_>,
) -> Result<Value, Fault> {
    params.only(&["paused", "step", "speed", "measure_all"])?;
    let (paused, speed) = (params.truth("paused")?, params.number("speed")?);
    let (step, measure_all) = (params.whole("step", 0, usize::MAX)?, params.truth("measure_all")?);
    if let Some(speed) = speed {
        core.pace.set_speed(speed).map_err(|error| Fault::new(422, error))?;
    }
    if let Some(paused) = paused {
        core.pace.pause(paused);
    }
    if step > 0 {
        core.pace.step(step);
    }
    if let Some(all) = measure_all {
        core.measure_all = all;
        schedule.measure_all(all);
    }
    let mut answer = core.pace.to_json();
    answer["measure_all"] = core.measure_all.into();
    Ok(answer)
}
