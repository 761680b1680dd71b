//! What changes the world.

use lath_schedule::{Schedule, World};
use serde_json::{Value, json};

use crate::api::thing::details;
use crate::fields::FieldMeta;
use crate::inner::Core;
use crate::response::{Fault, Params};
use crate::table::Table;
use crate::undo::{Back, Change};

/// `POST edit`
pub(crate) fn edit(
    core: &mut Core,
    world: &mut World,
    _: &mut Schedule,
    params: Params<'_>,
) -> Result<Value, Fault> {
    params.only(&["pool", "id", "field", "value", "json"])?;
    let (number, table) = core.table(world, params.needed("pool")?)?;
    let thing = params.needed_handle("id")?;
    let name = params.needed("field")?;
    let meta = table.meta();
    let Some(field) = meta.fields.iter().position(|field| field.name == name) else {
        let known: Vec<_> = meta.fields.iter().map(|field| field.name).collect();
        return Err(Fault::new(
            404,
            format!("{} has no field `{name}`, but {}", meta.name, known.join(", ")),
        ));
    };
    let value = match (params.0.get("value"), params.text("json")?) {
        (Some(value), None) => value.clone(),
        (None, Some(text)) => serde_json::from_str(text).map_err(|error| {
            Fault::new(422, format!("`{name}` cannot be that: it is not JSON: {error}"))
        })?,
        _ => return Err(Fault::new(400, "either `value` or `json` is needed".into())),
    };
    let known = &meta.fields[field];
    if !known.is_editable {
        let message = format!(
            "`{name}` cannot be changed: its type does not implement serde's `Deserialize`"
        );
        return Err(Fault::new(422, message));
    }
    // A handle that leads nowhere is a mistake, unless it is nil.
    if let (Some(leads_to), Some(bits)) =
        (known.link, value.as_str().and_then(|text| text.parse::<u64>().ok()))
    {
        if let Some(target) = core.tables.iter().find(|table| table.meta().thing_id == leads_to) {
            if bits != 0 {
                let found = target.row(world, bits, &mut |_| {});
                found.map_err(|fault| {
                    Fault::new(422, format!("`{name}` cannot be that: {}", fault.message))
                })?;
            }
        }
    }
    let (mut before, mut called) = (None, String::new());
    table.row(world, thing, &mut |row| {
        before = row.json(field);
        called = row.name();
    })?;
    table.write(world, thing, field, value)?;
    if let Some(value) = before {
        let words = format!("{name} of {} {called}", meta.name);
        core.undo.note(Change { words, table: number, back: Back::Write { thing, field, value } });
    }
    details(core, world, number, &*table, thing)
}

/// `POST spawn`
pub(crate) fn spawn(
    core: &mut Core,
    world: &mut World,
    _: &mut Schedule,
    params: Params<'_>,
) -> Result<Value, Fault> {
    params.only(&["pool", "parent", "tree"])?;
    let (number, table) = core.table(world, params.needed("pool")?)?;
    let tree = Core::tree(&*table, params.text("tree")?)?;
    let parent = params.handle("parent")?;
    if let Some(parent) = parent {
        table.row(world, parent, &mut |_| {})?;
    }
    let thing = table.spawn(world)?;
    if let Some(parent) = parent {
        table.attach(world, tree, thing, parent)?;
    }
    let words = format!("a new thing of {}", table.meta().name);
    core.undo.note(Change { words, table: number, back: Back::Despawn { thing } });
    details(core, world, number, &*table, thing)
}

/// `POST despawn`
pub(crate) fn despawn(
    core: &mut Core,
    world: &mut World,
    _: &mut Schedule,
    params: Params<'_>,
) -> Result<Value, Fault> {
    params.only(&["pool", "id"])?;
    let (number, table) = core.table(world, params.needed("pool")?)?;
    let thing = params.needed_handle("id")?;
    let kept = kept(&*table, world, thing)?;
    let gone = table.despawn(world, thing)?;
    let can_be_undone = kept.is_some() && gone == 1;
    if let (Some((words, back)), true) = (kept, can_be_undone) {
        core.undo.note(Change { words, table: number, back });
    }
    Ok(json!({ "despawned": gone, "can_be_undone": can_be_undone }))
}

/// What is needed to spawn a thing again: all its fields and its parents. `None` if a field cannot
/// be written, if it has children, which go with it or elsewhere, or if it is of a kind, which only
/// who spawns it can say.
fn kept(table: &dyn Table, world: &World, thing: u64) -> Result<Option<(String, Back)>, Fault> {
    let meta = table.meta();
    let (mut fields, mut words, mut kind) = (None, String::new(), 0);
    table.row(world, thing, &mut |row| {
        let read = |(at, field): (usize, &FieldMeta)| {
            Some((at, row.json(at).filter(|_| field.is_editable)?))
        };
        fields = meta.fields.iter().enumerate().map(read).collect::<Option<Vec<_>>>();
        words = format!("the end of {} {}", meta.name, row.name());
        kind = row.kind();
    })?;
    let links: Vec<_> = (0..meta.trees.len()).map(|tree| table.links(world, tree, thing)).collect();
    let is_alone = links.iter().all(|links| links.first.is_none());
    let parents =
        links.iter().enumerate().filter_map(|(tree, links)| Some((tree, links.parent?))).collect();
    let fields = fields.filter(|_| is_alone && kind == 0);
    Ok(fields.map(|fields| (words, Back::Again { thing, fields, parents })))
}

/// `POST attach`
pub(crate) fn attach(
    core: &mut Core,
    world: &mut World,
    _: &mut Schedule,
    params: Params<'_>,
) -> Result<Value, Fault> {
    params.only(&["pool", "id", "parent", "tree"])?;
    let parent = params.needed_handle("parent")?;
    relink(core, world, &params, Some(parent))
}

/// `POST detach`
pub(crate) fn detach(
    core: &mut Core,
    world: &mut World,
    _: &mut Schedule,
    params: Params<'_>,
) -> Result<Value, Fault> {
    params.only(&["pool", "id", "tree"])?;
    relink(core, world, &params, None)
}

fn relink(
    core: &mut Core,
    world: &mut World,
    params: &Params<'_>,
    parent: Option<u64>,
) -> Result<Value, Fault> {
    let (number, table) = core.table(world, params.needed("pool")?)?;
    let thing = params.needed_handle("id")?;
    let tree = Core::tree(&*table, params.text("tree")?)?;
    let before = table.links(world, tree, thing).parent;
    match parent {
        Some(parent) => table.attach(world, tree, thing, parent)?,
        None => table.detach(world, tree, thing)?,
    }
    let words = format!("the parent of a thing of {}", table.meta().name);
    core.undo.note(Change {
        words,
        table: number,
        back: Back::Attach { tree, thing, parent: before },
    });
    details(core, world, number, &*table, thing)
}

/// `POST undo`
pub(crate) fn undo(
    core: &mut Core,
    world: &mut World,
    _: &mut Schedule,
    params: Params<'_>,
) -> Result<Value, Fault> {
    params.only(&[])?;
    core.undo(world)
}
