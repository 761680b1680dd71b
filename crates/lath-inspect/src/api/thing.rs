//! One thing: every field, its links, its handle.

use lath_schedule::{Schedule, World};
use serde_json::{Value, json};

use crate::column::{Column, label};
use crate::how::{Clip, short};
use crate::inner::Core;
use crate::response::{Fault, Params};
use crate::table::Table;

/// The most letters of a field.
const LETTERS: usize = 4000;

/// `GET thing`
pub(crate) fn thing(
    core: &mut Core,
    world: &mut World,
    _: &mut Schedule,
    params: Params<'_>,
) -> Result<Value, Fault> {
    params.only(&["pool", "id"])?;
    let (number, table) = core.table(world, params.needed("pool")?)?;
    let bits = params.needed_handle("id")?;
    details(core, world, number, &*table, bits)
}

pub(crate) fn details(
    core: &mut Core,
    world: &World,
    number: usize,
    table: &dyn Table,
    bits: u64,
) -> Result<Value, Fault> {
    let meta = table.meta();
    let mut answer = json!({});
    let (mut slot, mut generation) = (0, 0);
    table.row(world, bits, &mut |row| {
        (slot, generation) = (row.slot(), row.generation());
        let mut fields = Vec::new();
        for (at, field) in meta.fields.iter().enumerate() {
            let mut clip = Clip::new(LETTERS);
            row.show(at, &mut clip);
            let mut answer = Column::Field(at).cell(meta, row);
            answer["name"] = field.name.into();
            answer["type"] = short(field.type_name).into();
            answer["editable"] = field.is_editable.into();
            if field.flags.is_none() {
                answer["text"] = clip.text.into();
            }
            if let (Some(json), Some(text)) = (row.json(at), row.json_text(at)) {
                answer["value"] = json;
                answer["json"] = text.into();
            }
            if let Some(link) = row.link(at) {
                let to = core.tables.iter().find(|table| Some(table.meta().thing_id) == field.link);
                answer["leads_to"] =
                    to.map_or(Value::Null, |to| reference(world, &**to, Some(link)));
            }
            fields.push(answer);
        }
        answer = json!({
            "pool": meta.name,
            "id": bits.to_string(),
            "name": row.name(),
            "label": label(meta, row),
            "slot": slot,
            "generation": generation,
            "kind": row.kind(),
            // Odd while live: the first life is generation 1.
            "lives": generation / 2 + 1,
            "fields": fields,
        });
    })?;
    answer["seen"] = {
        let label = answer["label"].as_str().unwrap_or_default().to_owned();
        core.seen.note(number, slot, generation, core.history.ticks, &label)
    };
    answer["trees"] = (0..meta.trees.len())
        .map(|tree| {
            let links = table.links(world, tree, bits);
            json!({
                "name": meta.trees[tree],
                "parent": reference(world, table, links.parent),
                "first_child": reference(world, table, links.first),
                "last_child": reference(world, table, links.last),
                "next": reference(world, table, links.next),
                "previous": reference(world, table, links.previous),
            })
        })
        .collect();
    Ok(answer)
}

/// A thing that another leads to; `null` for nil.
pub(crate) fn reference(world: &World, table: &dyn Table, bits: Option<u64>) -> Value {
    let Some(bits) = bits.filter(|&bits| bits != 0) else { return Value::Null };
    let meta = table.meta();
    let mut answer = json!({ "pool": meta.name, "id": bits.to_string(), "live": false });
    let found = table.row(world, bits, &mut |row| {
        answer["name"] = row.name().into();
        answer["label"] = label(meta, row).into();
        answer["live"] = true.into();
    });
    if let Err(fault) = found {
        answer["why"] = fault.message.into();
    }
    answer
}
