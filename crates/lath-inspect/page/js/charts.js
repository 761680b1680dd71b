// Charts over time: the last ticks, or the last while.

import { get } from "./api.js";
import { amount, brief, byId, colour, el, rounds, sharpen } from "./dom.js";

const view = byId("view-charts");
let grid, span;
const cards = new Map();

function build() {
  span = el("select", { onchange: load, "aria-label": "Span" },
    el("option", { value: "fine" }, "the last 600 ticks"), el("option", { value: "coarse" }, "means of 64 ticks"));
  grid = el("div.grid");
  view.replaceChildren(el("div.bar", {}, span), el("div.scrolling", {}, grid));
}

export function show() {
  if (!grid) build();
  load();
}

let isLoading = false;
async function load() {
  if (isLoading) return;
  isLoading = true;
  try {
    const charts = await get("charts");
    for (const series of charts.series) draw(series.name, series[span.value]);
  } catch { /* the next beat tries again */ }
  isLoading = false;
}

function card(name) {
  let one = cards.get(name);
  if (!one) {
    one = { canvas: el("canvas", { "aria-label": name, role: "img" }), now: el("span.soft") };
    grid.append(el("div.card", {}, el("h2", {}, name, " ", one.now), one.canvas));
    cards.set(name, one);
  }
  return one;
}

function draw(name, values) {
  const { canvas, now } = card(name);
  const { context, width, height } = sharpen(canvas);
  if (!values.length || !width) return;
  const most = Math.max(...values);
  const least = Math.min(0, ...values);
  const top = most > least ? most : least + 1;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  now.textContent = `${brief(values.at(-1))} · mean ${brief(mean)} · most ${brief(most)}`;
  const x = (at) => 4 + at / Math.max(1, values.length - 1) * (width - 8);
  const y = (value) => height - 14 - (value - least) / (top - least) * (height - 28);
  context.strokeStyle = colour("line");
  context.fillStyle = colour("soft");
  context.font = "10px system-ui";
  for (const value of rounds(least, top, 3)) {
    context.beginPath();
    context.moveTo(0, y(value));
    context.lineTo(width, y(value));
    context.stroke();
    context.fillText(amount(value), 2, y(value) - 2);
  }
  context.beginPath();
  values.forEach((value, at) => context.lineTo(x(at), y(value)));
  context.strokeStyle = colour("accent");
  context.lineWidth = 1.5;
  context.stroke();
}

let loaded = 0;
export function beat() {
  if (performance.now() - loaded > 250) { loaded = performance.now(); load(); }
}
