// The tree: opened level by level, a piece at a time. Dragging a thing onto another puts it below that.

import { get } from "./api.js";
import { byId, el, toast } from "./dom.js";
import { pick, poolInfo, state, tell } from "./main.js";

const PIECE = 100;
const view = byId("view-tree");
let box, choice, lone;
let open = new Set(); // handles of things whose children are shown
let levels = new Map(); // from handle ("" for the top) to { nodes, more }
let pieces = new Map(); // how many pieces of a level are shown
let drawn = "";

function build() {
  choice = el("select", { onchange: forget, "aria-label": "Tree" });
  lone = el("input", { type: "checkbox", onchange: forget });
  box = el("div.tree", { role: "tree", tabIndex: 0, onkeydown: keys, "aria-label": "Tree" });
  allow(box, null);
  view.replaceChildren(
    el("div.bar", {}, choice, el("label.note", {}, lone, " things without links, too"),
      el("span.note", {}, "Drag a thing onto another to move it; onto empty space to free it.")),
    box,
  );
}

function forget() {
  open = new Set();
  levels = new Map();
  pieces = new Map();
  load();
}

export function show() {
  if (!box) build();
  const pool = poolInfo();
  if (!pool) { box.replaceChildren(); return; }
  if (view.dataset.pool !== pool.name) {
    view.dataset.pool = pool.name;
    choice.replaceChildren(...pool.trees.map((tree) => el("option", { value: tree }, tree)));
    choice.hidden = pool.trees.length < 2;
    forget();
  } else {
    load();
  }
}

async function level(parent) {
  const nodes = [];
  let more = true;
  for (let piece = 0; more && piece < (pieces.get(parent) ?? 1); piece += 1) {
    const after = nodes.at(-1)?.id;
    const answer = await get("tree", {
      pool: state.pool, tree: choice.value, parent, after, limit: PIECE, lone: parent ? undefined : lone.checked || undefined,
    });
    nodes.push(...answer.nodes);
    more = answer.more;
  }
  levels.set(parent, { nodes, more });
}

let isLoading = false;
async function load() {
  if (isLoading) return;
  isLoading = true;
  try {
    await level("");
    for (const id of [...open]) {
      // A thing that has gone takes what was opened below it along.
      await level(id).catch(() => { open.delete(id); levels.delete(id); });
    }
  } catch (error) {
    toast(error.message);
  }
  isLoading = false;
  draw();
}

function draw() {
  const focused = document.activeElement === box;
  const rows = [];
  const add = (parent, depth) => {
    const { nodes, more } = levels.get(parent) ?? { nodes: [], more: false };
    for (const node of nodes) {
      rows.push(row(node, depth, parent));
      if (open.has(node.id) && node.has_children && depth < 200) add(node.id, depth + 1);
    }
    if (more) {
      rows.push(el("div.node", { style: `padding-left:${depth * 16 + 24}px` }, el("button.link", {
        onclick: () => { pieces.set(parent, (pieces.get(parent) ?? 1) + 1); load(); },
      }, "more …")));
    }
  };
  add("", 0);
  if (!rows.length) rows.push(el("div.node.soft", { style: "padding-left:12px" }, "No thing of this pool has a parent or a child."));
  const shape = JSON.stringify([...levels].concat([...open], state.picked?.id ?? ""));
  if (shape === drawn && box.children.length) return;
  drawn = shape;
  box.replaceChildren(...rows);
  if (focused) box.focus();
}

function row(node, depth, parent) {
  const isOpen = open.has(node.id);
  const line = el(state.picked?.id === node.id ? "div.node.on" : "div.node", {
    style: `padding-left:${depth * 16 + 4}px`,
    draggable: !state.world.read_only,
    role: "treeitem",
    "data-id": node.id,
    "data-parent": parent,
    onclick: () => pick(state.pool, node.id),
    ondblclick: () => toggle(node.id),
  },
    node.has_children
      ? el("button.twist", { onclick: (event) => { event.stopPropagation(); toggle(node.id); }, "aria-label": isOpen ? "Close" : "Open", tabIndex: -1 }, isOpen ? "▾" : "▸")
      : el("span.twist"),
    el("span", {}, node.label || "(no name)"),
    el("span.handle", {}, node.name),
  );
  if (node.has_children) line.setAttribute("aria-expanded", isOpen);
  line.ondragstart = (event) => event.dataTransfer.setData("text/plain", node.id);
  allow(line, node.id);
  return line;
}

// Takes what is dropped.
function allow(target, parent) {
  target.ondragover = (event) => {
    event.preventDefault();
    event.stopPropagation();
    if (parent) target.classList.add("drop");
  };
  target.ondragleave = () => target.classList.remove("drop");
  target.ondrop = async (event) => {
    event.preventDefault();
    event.stopPropagation();
    target.classList.remove("drop");
    const id = event.dataTransfer.getData("text/plain");
    if (id && id !== parent) await move(id, parent);
  };
}

export async function move(id, parent) {
  const where = { pool: state.pool, id, tree: choice?.value || undefined };
  if (await (parent ? tell("attach", { ...where, parent }) : tell("detach", where))) {
    if (parent) open.add(parent);
    load();
    pick(state.pool, id);
  }
}

function toggle(id) {
  if (open.has(id)) { open.delete(id); levels.delete(id); draw(); } else { open.add(id); load(); }
}

function keys(event) {
  const rows = [...box.querySelectorAll("[data-id]")];
  const at = rows.findIndex((row) => row.dataset.id === state.picked?.id);
  const go = (to) => { const row = rows[Math.max(0, Math.min(rows.length - 1, to))]; if (row) { pick(state.pool, row.dataset.id); row.scrollIntoView({ block: "nearest" }); } };
  const here = rows[at];
  const does = {
    ArrowDown: () => go(at + 1),
    ArrowUp: () => go(at - 1),
    Home: () => go(0),
    End: () => go(rows.length - 1),
    ArrowRight: () => { if (here?.getAttribute("aria-expanded") === "false") toggle(here.dataset.id); else go(at + 1); },
    ArrowLeft: () => {
      if (here?.getAttribute("aria-expanded") === "true") toggle(here.dataset.id);
      else if (here?.dataset.parent) go(rows.findIndex((row) => row.dataset.id === here.dataset.parent));
    },
  }[event.key];
  if (does) { event.preventDefault(); does(); }
}

export function picked() {
  if (!box) return;
  for (const row of box.querySelectorAll("[data-id]")) row.classList.toggle("on", row.dataset.id === state.picked?.id);
}

export const changed = () => load();

let loaded = 0;
export function beat() {
  if (performance.now() - loaded > 1000) { loaded = performance.now(); load(); }
}
