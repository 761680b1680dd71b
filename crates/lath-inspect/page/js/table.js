// The table of things. Only the rows that are seen are there; a million rows scroll like a hundred.

import { get } from "./api.js";
import { amount, byId, el, later } from "./dom.js";
import { pick, poolInfo, state, tell } from "./main.js";

const PAGE = 100; // rows that are asked for at once
const [HANDLE, NUMBER] = [68, 80]; // how wide columns are
const TALLEST = 8_000_000; // pixels: beyond that browsers give up

const view = byId("view-things");
let list = null; // the number of the list that the inspector keeps for us
let total = 0;
let pages = new Map(); // from number to rows
let loading = new Set();
let sort = null;
let descending = false;
let cursor = -1; // the row that keys move
let listedAt = 0;
let listTook = 0;
let generation = 0; // of what is asked for: answers to older questions are dropped
let listing = false;
let scroll, space, head, count, wrong, filter, menu, chips;
let wanted = new Map(); // tags that things should have, or (false) should not

const chosen = {}; // columns by pool

const columnsOf = (pool) => chosen[pool.name] ??= load(pool);

// A position is shown as its numbers, which are easier to read and to sort by than its text.
function load(pool) {
  const saved = localStorage.getItem(`lath-columns-${pool.name}`);
  const all = pool.fields.map((field) => field.name);
  const names = saved ? JSON.parse(saved).filter((name) => all.includes(name.split(".")[0])) : [];
  // What a thing is called comes first.
  const usual = inOrder(pool).flatMap((field) => field.parts.length && field.parts.length <= 4
    ? field.parts.map((part) => `${field.name}.${part}`) : [field.name]);
  return names.length ? names : usual.slice(0, 14);
}

const inOrder = (pool) => [...pool.fields].sort((a, b) => (b.name === pool.label) - (a.name === pool.label));

function build() {
  filter = el("input", {
    type: "search", id: "filter", spellcheck: false,
    oninput: later(() => relist(true), 250),
    "aria-label": "Filter",
  });
  count = el("span.note");
  chips = el("div.bar.chips", { role: "group", "aria-label": "Tags" });
  wrong = el("div.error", { role: "alert" });
  menu = el("div", { hidden: true });
  head = el("div.head");
  space = el("div.space");
  scroll = el("div.scroll", { tabIndex: 0, onscroll: draw, onkeydown: keys, role: "grid", "aria-label": "Things" }, head, space);
  view.replaceChildren(
    el("div.bar", {},
      filter,
      count,
      el("button", { onclick: spawn, id: "spawn", title: "A new thing, as its default" }, "Spawn"),
      el("span.menu", {}, el("button", { onclick: () => { menu.hidden = !menu.hidden; drawMenu(); } }, "Columns"), menu),
    ),
    chips,
    wrong,
    el("div.table", {}, scroll),
  );
}

async function spawn() {
  const thing = await tell("spawn", { pool: state.pool });
  if (thing) { pick(state.pool, thing.id); relist(true); }
}

export function show() {
  if (!scroll) build();
  const pool = poolInfo();
  if (!pool) { view.querySelector(".table").hidden = true; return; }
  view.querySelector(".table").hidden = false;
  byId("spawn").disabled = state.world.read_only;
  if (view.dataset.pool !== pool.name) {
    view.dataset.pool = pool.name;
    filter.value = "";
    filter.placeholder = example(pool);
    wanted = new Map();
    sort = null;
    cursor = -1;
    scroll.scrollTop = 0;
  }
  drawHead();
  drawChips();
  draw(); // as far as is known, in what may be another size
  relist(true);
}

// A tag that is clicked must be there, clicked again must not be there, and a third time is not asked for.
function drawChips() {
  const field = poolInfo()?.fields.find((field) => field.tags);
  chips.hidden = !field;
  chips.replaceChildren(...(field?.flags ?? []).map((flag) => {
    const has = wanted.get(flag);
    return el(has === undefined ? "button.flag" : has ? "button.flag.on" : "button.flag.not", {
      "data-tag": flag,
      title: has === undefined ? `Only with ${flag}` : has ? `Only without ${flag}` : `With ${flag} or without`,
      "aria-pressed": has === undefined ? "false" : has ? "true" : "mixed",
      onclick: () => {
        if (has === undefined) wanted.set(flag, true); else if (has) wanted.set(flag, false); else wanted.delete(flag);
        drawChips();
        chips.querySelector(`[data-tag="${CSS.escape(flag)}"]`)?.focus();
        relist(true);
      },
    }, flag);
  }));
}

// A filter that could be typed for this pool.
function example(pool) {
  const number = pool.fields.find((field) => field.number && !field.bool)?.name;
  const tags = pool.fields.find((field) => field.tags);
  const parts = [number && `${number} < 10`, pool.label && `${pool.label} ~ "a"`, tags?.flags.length && `${tags.name} has ${tags.flags[0]}`];
  return parts.filter(Boolean).join(" && ");
}

// The tags that are asked for, and what was typed: as one filter, and where in it the typed part begins.
function wholeFilter() {
  const field = poolInfo()?.fields.find((field) => field.tags)?.name;
  const tags = [...wanted].map(([flag, has]) => `${has ? "" : "!"}(${field} has ${flag})`).join(" && ");
  if (!tags || !filter.value.trim()) return { text: tags || filter.value, start: 0 };
  return { text: `${tags} && (${filter.value})`, start: tags.length + 5 };
}

export const changed = () => refresh();

// A new list: what passes the filter now, in order.
async function relist(again) {
  if (listing && !again) return;
  const mine = again ? ++generation : generation;
  const pool = poolInfo();
  if (!pool) return;
  listing = true;
  const began = performance.now();
  try {
    const first = firstRow();
    const from = Math.max(0, Math.floor(first / PAGE) * PAGE);
    const page = await get("things", { ...question(pool), offset: from, limit: 2 * PAGE });
    if (mine !== generation) return;
    list = page.list;
    total = page.total;
    listTook = performance.now() - began;
    listedAt = performance.now();
    pages = new Map([[from, page.rows.slice(0, PAGE)], [from + PAGE, page.rows.slice(PAGE)]]);
    loading = new Set();
    wrong.textContent = "";
    draw();
  } catch (error) {
    if (mine !== generation) return;
    const column = error.column && Math.min(filter.value.length + 1, Math.max(1, error.column - wholeFilter().start));
    const pointer = column ? `${" ".repeat(column - 1)}^\n` : "";
    const message = column ? error.message.replace(`column ${error.column}`, `column ${column}`) : error.message;
    wrong.textContent = column ? `${filter.value}\n${pointer}${message}` : message;
  } finally {
    if (mine === generation) listing = false;
  }
}

const question = (pool) => ({
  pool: pool.name, columns: columnsOf(pool).join(","), filter: wholeFilter().text, sort, descending: sort ? descending : undefined,
});

// The rows that are seen, as they are now, in the order that they had.
async function refresh() {
  if (list === null) return;
  const first = firstRow();
  await fill(Math.floor(first / PAGE) * PAGE);
  const last = first + seen();
  if (Math.floor(last / PAGE) !== Math.floor(first / PAGE)) await fill(Math.floor(last / PAGE) * PAGE);
}

async function fill(from) {
  const pool = poolInfo();
  if (!pool || list === null || from >= total && total > 0 || loading.has(from)) return;
  loading.add(from);
  const mine = generation;
  try {
    const page = await get("things", { pool: pool.name, columns: columnsOf(pool).join(","), list, offset: from, limit: PAGE });
    if (mine !== generation || page.list !== list) return;
    pages.set(from, page.rows);
    if (pages.size > 40) pages.delete(pages.keys().next().value);
    draw();
  } catch (error) {
    if (error.status === 410 && mine === generation) relist(true);
  } finally {
    loading.delete(from);
  }
}

const rowHeight = () => parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--row"));
const seen = () => Math.ceil((scroll.clientHeight - rowHeight()) / rowHeight()) + 1;
const height = () => Math.min(total * rowHeight(), TALLEST);

// Where the first row is that is seen, and by how much of it is scrolled away. Beyond the tallest, pixels stand for rows.
function firstRow() {
  if (!scroll) return 0;
  const row = rowHeight();
  const real = total * row;
  if (real <= TALLEST) return Math.floor(scroll.scrollTop / row);
  const room = scroll.clientHeight - row;
  const share = scroll.scrollTop / Math.max(1, TALLEST - room);
  return Math.min(Math.floor(share * (total - seen() + 2)), Math.max(0, total - seen() + 2));
}

function drawHead() {
  const pool = poolInfo();
  const names = columnsOf(pool);
  const isNumber = (name) => name.includes(".") || name === "generation" || pool.fields.find((field) => field.name === name)?.number;
  const widths = names.map((name) => {
    const usual = isNumber(name) ? NUMBER : pool.fields.find((field) => field.name === name)?.flags ? 130 : 120;
    return Math.max(usual, Math.ceil(name.length * 7.2) + 20);
  });
  // Those that are not numbers share what is left.
  const grid = widths.map((width, at) => isNumber(names[at]) ? `${width}px` : `minmax(${width}px, 1fr)`);
  view.style.setProperty("--columns", `${HANDLE}px ${grid.join(" ")}`);
  view.style.setProperty("--total", `${widths.reduce((sum, width) => sum + width, HANDLE)}px`);
  head.style.gridTemplateColumns = "var(--columns)";
  head.replaceChildren(
    heading("handle", "slot"),
    ...names.map((name) => heading(name, name, isNumber(name))),
  );
}

function heading(text, by, isNumber = false) {
  const mark = sort === by ? (descending ? " ↓" : " ↑") : "";
  return el(isNumber ? "button.number" : "button", {
    title: `Sort by ${text}`,
    "data-sort": by,
    onclick: () => {
      if (sort !== by) { sort = by; descending = false; } else if (!descending) descending = true; else sort = null;
      drawHead();
      relist(true);
    },
  }, text + mark);
}

function draw() {
  const row = rowHeight();
  space.style.height = `${height()}px`;
  count.textContent = `${amount(total)} ${wholeFilter().text ? "pass" : "things"}`;
  const first = firstRow();
  const isScaled = total * row > TALLEST;
  const last = Math.min(total, first + seen());
  for (let at = first; at < last; at += 1) {
    const top = isScaled ? Math.min(scroll.scrollTop, TALLEST - seen() * row) + (at - first) * row : at * row;
    // Rows are used again: what is being clicked stays where it is.
    const node = space.children[at - first] ?? space.appendChild(newRow());
    drawRow(node, at, top);
  }
  while (space.children.length > Math.max(0, last - first)) space.lastChild.remove();
  for (const at of [first, first + seen() - 1]) {
    const from = Math.floor(at / PAGE) * PAGE;
    if (!pages.has(from)) wait(from);
  }
}

// While scrolling fast, what is only passed by is not asked for.
const wait = later((from) => fill(from), 40);

const rowAt = (at) => pages.get(Math.floor(at / PAGE) * PAGE)?.[at % PAGE];

function newRow() {
  const node = el("div.row", { role: "row", style: "grid-template-columns:var(--columns)" });
  node.onclick = () => { if (node.dataset.id) { cursor = Number(node.dataset.at); pick(state.pool, node.dataset.id); } };
  return node;
}

function drawRow(node, at, top) {
  const data = rowAt(at);
  node.style.top = `${top}px`;
  node.dataset.at = at;
  node.classList.toggle("gone", Boolean(data?.gone));
  node.classList.toggle("on", Boolean(data) && state.picked?.id === data.id && state.picked.pool === state.pool);
  if (at === cursor) node.setAttribute("aria-current", "true"); else node.removeAttribute("aria-current");
  if (data && !data.gone) node.dataset.id = data.id; else delete node.dataset.id;
  const cells = !data ? [{ text: "…" }] : data.gone ? [{ text: "gone" }] : [{ text: data.name }, ...data.cells];
  cells.forEach((cell, number) => drawCell(node.children[number] ?? node.appendChild(el("span")), cell, number));
  while (node.children.length > cells.length) node.lastChild.remove();
}

function drawCell(node, data, number) {
  const isNumber = data.number !== undefined && data.number !== null;
  const kind = number === 0 ? "cell soft" : isNumber ? "cell number" : "cell";
  const key = `${kind} ${data.text}`;
  if (node.dataset.key === key) return;
  node.dataset.key = key;
  node.className = kind;
  node.title = data.text;
  if (data.flags) node.replaceChildren(...data.flags.map((flag) => el("span.flag", {}, flag)));
  // Five digits are enough to look at; all of them are in the title.
  else node.textContent = isNumber && !Number.isInteger(data.number) ? String(+data.number.toPrecision(5)) : data.text;
}

function keys(event) {
  const move = { ArrowDown: 1, ArrowUp: -1, PageDown: seen() - 2, PageUp: 2 - seen(), Home: -Infinity, End: Infinity }[event.key];
  if (event.key === "Enter" && rowAt(cursor)) pick(state.pool, rowAt(cursor).id);
  if (move === undefined || !total) return;
  event.preventDefault();
  cursor = Math.max(0, Math.min(total - 1, cursor + move));
  const first = firstRow();
  if (cursor < first || cursor >= first + seen() - 2) {
    const row = rowHeight();
    const top = cursor < first ? cursor : cursor - seen() + 3;
    scroll.scrollTop = total * row <= TALLEST ? top * row
      : top / Math.max(1, total - seen() + 2) * (TALLEST - scroll.clientHeight + row);
  }
  draw();
  if (rowAt(cursor)) pick(state.pool, rowAt(cursor).id);
}

export function picked() {
  if (!scroll) return;
  for (const row of space.children) {
    row.classList.toggle("on", state.picked?.pool === state.pool && row.dataset.id === state.picked.id);
  }
}

function drawMenu() {
  const pool = poolInfo();
  if (!pool || menu.hidden) return;
  const names = inOrder(pool).flatMap((field) => [field.name, ...field.parts.map((part) => `${field.name}.${part}`)]);
  menu.replaceChildren(...[...names, "generation"].map((name) => el("label", {},
    el("input", {
      type: "checkbox",
      checked: columnsOf(pool).includes(name),
      onchange: (event) => {
        const wanted = new Set(columnsOf(pool));
        if (event.target.checked) wanted.add(name); else wanted.delete(name);
        chosen[pool.name] = [...names, "generation"].filter((name) => wanted.has(name));
        localStorage.setItem(`lath-columns-${pool.name}`, JSON.stringify(chosen[pool.name]));
        drawHead();
        relist(true);
      },
    }), ` ${name}`)));
}

// Values follow the world; the list itself is made again as often as it is cheap.
let refreshed = 0;
export function beat() {
  const now = performance.now();
  if (!listing && now - listedAt > Math.max(1000, 20 * listTook)) { relist(false); return; }
  if (now - refreshed > 400) { refreshed = now; refresh(); }
}

document.addEventListener("click", (event) => { if (menu && !event.target.closest(".menu")) menu.hidden = true; });
