// One thing: every field, editable where it can be; its links; who lived in its slot.

import { get, post } from "./api.js";
import { byId, el, toast } from "./dom.js";
import { pick, pickPool, poolInfo, refreshWorld, state, tell } from "./main.js";

const box = byId("details");
let shown = null; // the thing, as it was last told
let inputs = new Map(); // by field

export async function show() {
  if (!state.picked) { shown = null; box.replaceChildren(el("p.soft", {}, "Pick a thing to see all of it.")); return; }
  await load();
}

async function load() {
  const { pool, id } = state.picked ?? {};
  if (!id) return;
  try {
    const thing = await get("thing", { pool, id });
    if (state.picked?.id !== id) return;
    if (shown && shown.id === thing.id && shown.pool === thing.pool) update(thing); else draw(thing);
    shown = thing;
  } catch (error) {
    if (state.picked?.id !== id) return;
    shown = null;
    box.replaceChildren(el("h2", {}, pool), el("p.error", {}, error.message));
  }
}

function draw(thing) {
  const info = poolInfo(thing.pool);
  const readOnly = state.world.read_only;
  inputs = new Map();
  box.replaceChildren(
    el("h2", {}, thing.label || thing.pool, " ", el("span.soft.mono", {}, thing.name)),
    el("div.bar", {},
      el("button", { disabled: readOnly, id: "add-child", onclick: () => add(thing) }, "Add child"),
      el("button", { disabled: readOnly, onclick: () => tell("detach", { pool: thing.pool, id: thing.id }).then(load) }, "Free"),
      el("button", { disabled: readOnly, id: "despawn", onclick: () => despawn(thing) }, "Despawn"),
    ),
    el("h3", {}, "Fields"),
    ...thing.fields.map((field) => drawField(thing, field, info?.fields.find((one) => one.name === field.name), readOnly)),
    el("div", { id: "links" }),
  );
  drawLinks(thing);
}

async function add(thing) {
  const child = await tell("spawn", { pool: thing.pool, parent: thing.id });
  if (child) pick(child.pool, child.id);
}

async function despawn(thing) {
  const answer = await tell("despawn", { pool: thing.pool, id: thing.id });
  if (answer && !answer.can_be_undone) toast(`${answer.despawned} gone. This cannot be taken back.`);
  if (answer) load();
}

function drawLinks(thing) {
  const links = thing.trees.flatMap((tree) => ["parent", "first_child", "last_child", "previous", "next"]
    .filter((name) => tree[name])
    .map((name) => line(thing.trees.length > 1 ? `${tree.name}: ${name}` : name.replace("_", " "), reference(tree[name]))));
  byId("links").replaceChildren(
    el("h3", {}, "Links"),
    ...links.length ? links : [el("div.soft", {}, "Neither parent nor child.")],
    el("h3", {}, "Handle"),
    line("slot", el("span.plain", {}, String(thing.slot))),
    line("generation", el("span.plain", {}, `${thing.generation}: life number ${thing.lives} of this slot`)),
    line("bits", el("span.plain", {}, thing.id)),
    ...thing.kind ? [line("kind", el("span.plain", {}, String(thing.kind)))] : [],
    ...thing.seen.map((life) => line(`v${life.generation}`, el("span.plain", {}, `${life.label || "(no name)"}, seen from tick ${life.first_seen_at_tick}`))),
  );
}

const line = (name, what) => el("div.field", {}, el("span.name", {}, name), what);

function reference(to) {
  if (!to) return el("span.plain.soft", {}, "nil");
  if (!to.live) return el("span.plain.soft", { title: to.why }, `stale (${to.id})`);
  return el("button.link", { style: "text-align:left", onclick: () => { pickPool(to.pool); pick(to.pool, to.id); } }, `${to.label || to.pool} ${to.name}`);
}

function drawField(thing, field, info, readOnly) {
  const name = el("span.name", {}, field.name, el("small", {}, field.type));
  const wrong = el("div.wrong", { role: "alert" });
  const send = async (body) => {
    wrong.textContent = "";
    try {
      const answer = await post("edit", { pool: thing.pool, id: thing.id, field: field.name, ...body });
      // Another thing, or none, may be shown by now.
      if (shown?.id === answer.id && shown.pool === answer.pool) { update(answer); shown = answer; }
      refreshWorld();
      return true;
    } catch (error) {
      wrong.textContent = error.message;
      return false;
    }
  };
  const editor = makeEditor(field, info, readOnly, send);
  inputs.set(field.name, editor);
  return el("div.field", { "data-field": field.name }, name, editor.node, wrong);
}

// What shows a field, { node, update }, and lets it be changed.
function makeEditor(field, info, readOnly, send) {
  if (info?.flags) {
    const boxes = info.flags.map((flag) => el("input", { type: "checkbox", disabled: readOnly, checked: field.flags.includes(flag) }));
    boxes.forEach((one) => {
      one.onchange = () => send({ value: info.flags.filter((_, at) => boxes[at].checked).concat(rest) });
    });
    let rest = field.flags.filter((flag) => !info.flags.includes(flag));
    return {
      node: el("div.flags", {}, ...boxes.map((one, at) => el("label", {}, one, ` ${info.flags[at]}`))),
      update: (now) => {
        rest = now.flags.filter((flag) => !info.flags.includes(flag));
        boxes.forEach((one, at) => { one.checked = now.flags.includes(info.flags[at]); });
      },
    };
  }
  if (info?.bool && field.editable) {
    const one = el("input", { type: "checkbox", disabled: readOnly, checked: field.value === true, "aria-label": field.name });
    one.onchange = () => send({ value: one.checked });
    return { node: el("div", {}, one), update: (now) => { one.checked = now.value === true; } };
  }
  if (info?.link !== null && info?.link !== undefined) {
    const slot = el("div");
    const draw = (now) => {
      const take = el("button", {
        disabled: readOnly || !state.picked, title: "The bits of a handle, or nothing", style: "padding:0 6px",
        onclick: () => {
          const bits = prompt(`The bits of a handle for ${field.name}, or nothing for nil`, now.value ?? "");
          if (bits !== null) send({ value: bits.trim() || null });
        },
      }, "…");
      slot.replaceChildren(reference(now.leads_to), " ", take);
    };
    draw(field);
    let last = JSON.stringify(field);
    return { node: slot, update: (now) => { if (JSON.stringify(now) !== last) { last = JSON.stringify(now); draw(now); } } };
  }
  if (field.editable && field.json !== undefined) {
    const isText = typeof field.value === "string";
    const text = (now) => typeof now.value === "string" && isText ? now.value : now.json;
    const long = text(field).length > 24;
    const input = long ? el("textarea", { rows: text(field).length > 60 ? 4 : 2 }) : el("input", { type: "text" });
    Object.assign(input, { value: text(field), disabled: readOnly, spellcheck: false });
    input.setAttribute("aria-label", field.name);
    let current = text(field);
    let sent = null; // what was sent last: it is not sent again when the focus leaves
    const keep = async () => {
      if (input.value === current || input.value === sent) return;
      sent = input.value;
      const isKept = await send(isText ? { value: sent } : { json: sent });
      if (isKept) { sent = null; input.classList.remove("changed"); }
    };
    input.oninput = () => input.classList.toggle("changed", input.value !== current);
    input.onkeydown = (event) => {
      if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); keep(); }
      if (event.key === "Escape") { input.value = current; sent = null; input.classList.remove("changed"); }
    };
    input.onblur = keep;
    return {
      node: input,
      update: (now) => {
        const isBusy = document.activeElement === input || input.classList.contains("changed");
        const next = text(now);
        if (!isBusy && input.value !== next) input.value = next;
        if (!isBusy || input.value === next) { current = next; input.classList.toggle("changed", input.value !== next); }
      },
    };
  }
  const plain = el("span.plain", {}, field.text);
  return { node: plain, update: (now) => { if (plain.textContent !== now.text) plain.textContent = now.text; } };
}

function update(thing) {
  for (const field of thing.fields) inputs.get(field.name)?.update(field);
  const links = JSON.stringify([thing.trees, thing.seen]);
  if (update.links !== links) { update.links = links; drawLinks(thing); }
}

let loaded = 0;
export function beat() {
  if (state.picked && shown && performance.now() - loaded > 300) { loaded = performance.now(); load(); }
}
