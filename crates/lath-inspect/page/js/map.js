// The map: any two numbers of the things of a pool, as points, coloured by their tags.

import { get } from "./api.js";
import { amount, byId, colour, el, later, rounds, shade, sharpen } from "./dom.js";
import { pick, poolInfo, state } from "./main.js";

const view = byId("view-map");
let x, y, filter, canvas, legend, wrong, hover;
let data = null;
let frame = null; // what is seen of the plane, { left, right, bottom, top }; null to see all
let bounds = null; // what all points need, growing slowly so that the picture does not jump

function build() {
  const choice = (label) => el("select", { onchange: () => { frame = null; bounds = null; load(); }, "aria-label": label });
  x = choice("Across");
  y = choice("Up");
  filter = el("input", { type: "search", placeholder: "filter", spellcheck: false, oninput: later(load, 250), "aria-label": "Filter" });
  canvas = el("canvas", { role: "img", "aria-label": "Map" });
  legend = el("div.legend");
  wrong = el("div.error");
  hover = el("div.hover", { hidden: true });
  view.replaceChildren(
    el("div.bar", {}, "across", x, "up", y, filter, el("button", { onclick: () => { frame = null; bounds = null; draw(); } }, "See all")),
    wrong,
    el("div.drawing", {}, canvas, hover),
    legend,
  );
  canvas.onclick = (event) => { const point = nearest(event); if (point !== null) pick(data.pool, data.id[point]); };
  canvas.onmousemove = (event) => { drag(event) || point(event); };
  canvas.onmouseleave = () => { hover.hidden = true; };
  canvas.onwheel = zoom;
}

export function show() {
  if (!canvas) build();
  const pool = poolInfo();
  if (!pool) return;
  if (view.dataset.pool !== pool.name) {
    view.dataset.pool = pool.name;
    const numbers = pool.fields.flatMap((field) => field.number ? [field.name] : field.parts.map((part) => `${field.name}.${part}`));
    for (const select of [x, y]) select.replaceChildren(...numbers.map((name) => el("option", { value: name }, name)));
    // A position is two parts of one field, as a rule, and that field has one of a few names.
    const pairs = pool.fields.filter((field) => field.parts.length >= 2);
    const pair = pairs.find((field) => ["pos", "position", "place", "location", "at", "xy"].includes(field.name)) ?? pairs[0];
    x.value = pair ? `${pair.name}.${pair.parts[0]}` : numbers[0] ?? "";
    y.value = pair ? `${pair.name}.${pair.parts[1]}` : numbers[1] ?? numbers[0] ?? "";
    filter.value = "";
    data = null;
    frame = null;
    bounds = null;
  }
  load();
}

let isLoading = false;
async function load() {
  if (isLoading || !x.value) return;
  isLoading = true;
  try {
    data = await get("map", { pool: state.pool, x: x.value, y: y.value, filter: filter.value, limit: 6000 });
    wrong.textContent = "";
    draw();
  } catch (error) {
    wrong.textContent = error.message;
  }
  isLoading = false;
}

function extent(values) {
  let least = Infinity;
  let most = -Infinity;
  for (const value of values) { if (value < least) least = value; if (value > most) most = value; }
  if (least > most) return [0, 1];
  const room = (most - least || 1) * 0.04;
  return [least - room, most + room];
}

function seen() {
  if (frame) return frame;
  const [left, right] = extent(data.x);
  const [bottom, top] = extent(data.y);
  bounds = bounds
    ? { left: Math.min(bounds.left, left), right: Math.max(bounds.right, right), bottom: Math.min(bounds.bottom, bottom), top: Math.max(bounds.top, top) }
    : { left, right, bottom, top };
  return bounds;
}

const across = (value, box, width) => (value - box.left) / (box.right - box.left) * width;
const up = (value, box, height) => height - (value - box.bottom) / (box.top - box.bottom) * height;

function draw() {
  if (!data || view.hidden) return;
  const { context, width, height } = sharpen(canvas);
  const box = seen();
  context.font = "10px system-ui";
  context.strokeStyle = colour("line");
  const lines = (values, where, draw) => values.forEach((value) => {
    context.beginPath();
    draw(where(value));
    context.globalAlpha = 0.5;
    context.stroke();
    context.globalAlpha = 1;
  });
  const columns = rounds(box.left, box.right, width / 120);
  const rows = rounds(box.bottom, box.top, height / 90);
  lines(columns, (value) => across(value, box, width), (px) => { context.moveTo(px, 0); context.lineTo(px, height); });
  lines(rows, (value) => up(value, box, height), (py) => { context.moveTo(0, py); context.lineTo(width, py); });
  const size = data.x.length > 2000 ? 2 : data.x.length > 300 ? 3 : 5;
  data.sets.forEach((_, set) => {
    context.fillStyle = shade(set);
    for (let at = 0; at < data.x.length; at += 1) {
      if (data.set[at] !== set) continue;
      context.fillRect(across(data.x[at], box, width) - size / 2, up(data.y[at], box, height) - size / 2, size, size);
    }
  });
  // In front of the points, so that they can be read.
  const label = (text, px, py) => {
    context.fillStyle = colour("panel");
    context.globalAlpha = 0.75;
    context.fillRect(px - 2, py - 9, context.measureText(text).width + 4, 12);
    context.globalAlpha = 1;
    context.fillStyle = colour("soft");
    context.fillText(text, px, py);
  };
  for (const value of columns) label(amount(value), across(value, box, width) + 3, height - 5);
  for (const value of rows) label(amount(value), 4, up(value, box, height) - 3);
  const picked = state.picked?.pool === data.pool ? data.id.indexOf(state.picked.id) : -1;
  if (picked >= 0) {
    context.strokeStyle = colour("text");
    context.lineWidth = 2;
    context.beginPath();
    context.arc(across(data.x[picked], box, width), up(data.y[picked], box, height), 8, 0, 7);
    context.stroke();
    context.lineWidth = 1;
  }
  legend.replaceChildren(
    ...data.sets.slice(0, 12).map((names, set) => el("span", {}, el("i", { style: `background:${shade(set)}` }), names.join(" ") || "no tags")),
    el("span", {}, `${amount(data.x.length)} points${data.sampled ? ", a sample" : ""}`),
  );
}

function nearest(event) {
  if (!data) return null;
  const box = seen();
  const { clientWidth: width, clientHeight: height } = canvas;
  let found = null;
  let best = 14 * 14;
  for (let at = 0; at < data.x.length; at += 1) {
    const dx = across(data.x[at], box, width) - event.offsetX;
    const dy = up(data.y[at], box, height) - event.offsetY;
    if (dx * dx + dy * dy < best) { best = dx * dx + dy * dy; found = at; }
  }
  return found;
}

function point(event) {
  const at = nearest(event);
  hover.hidden = at === null;
  if (at === null) return;
  hover.textContent = `${amount(data.x[at])}, ${amount(data.y[at])} · ${data.sets[data.set[at]].join(" ") || "no tags"}`;
  hover.style.left = `${Math.min(event.offsetX + 12, canvas.clientWidth - 200)}px`;
  hover.style.top = `${event.offsetY + 12}px`;
}

function drag(event) {
  if (event.buttons !== 1) return false;
  const box = { ...seen() };
  const dx = event.movementX / canvas.clientWidth * (box.right - box.left);
  const dy = event.movementY / canvas.clientHeight * (box.top - box.bottom);
  frame = { left: box.left - dx, right: box.right - dx, bottom: box.bottom + dy, top: box.top + dy };
  hover.hidden = true;
  draw();
  return true;
}

function zoom(event) {
  event.preventDefault();
  if (!data) return;
  const box = seen();
  const by = event.deltaY > 0 ? 1.2 : 1 / 1.2;
  const cx = box.left + event.offsetX / canvas.clientWidth * (box.right - box.left);
  const cy = box.top - event.offsetY / canvas.clientHeight * (box.top - box.bottom);
  frame = { left: cx + (box.left - cx) * by, right: cx + (box.right - cx) * by, bottom: cy + (box.bottom - cy) * by, top: cy + (box.top - cy) * by };
  draw();
}

export const picked = () => draw();

let loaded = 0;
export function beat() {
  if (performance.now() - loaded > 150) { loaded = performance.now(); load(); }
}
