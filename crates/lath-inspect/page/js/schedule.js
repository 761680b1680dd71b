// The schedule: when systems ran, who waits for whom and why, how long each takes.

import { get } from "./api.js";
import { amount, byId, colour, el, micros, shade, sharpen } from "./dom.js";
import { state, tell } from "./main.js";

const view = byId("view-schedule");
const LANE = 22;
let canvas, hover, graph, table, all, why;
let data = null;
let frozen = false; // while the mouse is over the timeline it stands still
let chosen = null; // the system that is looked at

function build() {
  canvas = el("canvas", { role: "img", "aria-label": "Timeline", style: "height:150px" });
  hover = el("div.hover", { hidden: true });
  graph = el("div.wide");
  table = el("div.wide");
  why = el("div.soft");
  all = el("input", { type: "checkbox", onchange: measure });
  const box = el("div.card", { style: "position:relative" }, el("h2", {}, "Timeline"), canvas, hover);
  view.replaceChildren(
    el("div.bar", {}, el("label.note", {}, all, " measure every run, also of systems that take next to no time")),
    el("div.scrolling", {}, box, el("div.card", {}, el("h2", {}, "Who waits for whom"), graph, why), el("div.card", {}, el("h2", {}, "Systems"), table)),
  );
  canvas.onmousemove = point;
  canvas.onmouseenter = () => { frozen = true; };
  canvas.onmouseleave = () => { frozen = false; hover.hidden = true; };
}

export function show() {
  if (!canvas) build();
  load();
}

let told = 0; // answers that were asked for before the box was clicked do not change it
async function measure() {
  told += 1;
  await tell("control", { measure_all: all.checked });
  told += 1;
}

let isLoading = false;
async function load() {
  if (isLoading) return;
  isLoading = true;
  try {
    const before = told;
    data = await get("schedule", { spans: 500 });
    if (told === before && told % 2 === 0) all.checked = data.measure_all;
    all.disabled = state.world.read_only;
    drawTimeline();
    drawGraph();
    drawTable();
  } catch (error) {
    why.textContent = error.message;
  }
  isLoading = false;
}

// The last ticks: a system that runs again begins a new one, and so does a pause. What is between ticks is left out.
function ticks() {
  const groups = [];
  let end = -Infinity;
  let ran = new Set();
  for (const span of data.spans) {
    if (!groups.length || span.began_us >= end && (ran.has(span.system) || span.began_us - end > 1000)) {
      groups.push([]);
      ran = new Set();
    }
    groups.at(-1).push(span);
    ran.add(span.system);
    end = Math.max(end, span.began_us + span.took_us);
  }
  return groups.slice(-8);
}

let boxes = [];
function drawTimeline() {
  const groups = ticks();
  const threads = [...new Set(groups.flat().map((span) => span.thread))].sort((a, b) => a - b);
  canvas.style.height = `${Math.max(1, threads.length) * LANE + 34}px`;
  const { context, width, height } = sharpen(canvas);
  boxes = [];
  if (!groups.length) {
    context.fillStyle = colour("soft");
    context.fillText("Nothing was measured yet.", 8, 20);
    return;
  }
  const lengths = groups.map((group) => Math.max(...group.map((span) => span.began_us + span.took_us)) - group[0].began_us);
  const sum = lengths.reduce((a, b) => a + b, 0) || 1;
  const gap = 10;
  const scale = (width - gap * (groups.length + 1)) / sum;
  let left = gap;
  let written = 0; // up to where there is text above the ticks
  context.font = "10px system-ui";
  groups.forEach((group, number) => {
    const start = group[0].began_us;
    const length = micros(lengths[number]);
    if (left >= written) {
      context.fillStyle = colour("soft");
      context.fillText(length, left, 10);
      written = left + context.measureText(length).width + 6;
    }
    context.strokeStyle = colour("line");
    context.strokeRect(left - 1, 14, lengths[number] * scale + 2, height - 20);
    for (const span of group) {
      const box = {
        x: left + (span.began_us - start) * scale,
        y: 18 + threads.indexOf(span.thread) * LANE,
        w: Math.max(1.5, span.took_us * scale),
        h: LANE - 6,
        span,
      };
      boxes.push(box);
      context.fillStyle = span.system === null ? colour("soft") : shade(span.system);
      context.globalAlpha = chosen === null || chosen === span.system ? 1 : 0.4;
      context.fillRect(box.x, box.y, box.w, box.h);
      context.globalAlpha = 1;
      // Fixed steps last as long as the systems within them, which are drawn upon them.
      const isCovered = group.some((other) => other !== span && other.thread === span.thread
        && other.began_us >= span.began_us && other.began_us < span.began_us + span.took_us);
      const name = isCovered ? "" : (data.systems[span.system]?.name ?? "").split(" / ").at(-1);
      if (name && box.w > name.length * 5.5 + 6) {
        context.fillStyle = chosen === null || chosen === span.system ? "#fff" : colour("text");
        context.fillText(name, box.x + 4, box.y + 11);
      }
    }
    left += lengths[number] * scale + gap;
  });
}

function point(event) {
  const box = boxes.find((box) => event.offsetX >= box.x - 1 && event.offsetX <= box.x + box.w + 1 && event.offsetY >= box.y && event.offsetY <= box.y + box.h);
  hover.hidden = !box;
  if (!box) return;
  hover.textContent = `${data.systems[box.span.system]?.name ?? "?"}: ${micros(box.span.took_us)} on thread ${box.span.thread}`;
  hover.style.left = `${Math.min(event.offsetX + 16, canvas.clientWidth - 220)}px`;
  hover.style.top = `${event.offsetY + 40}px`;
}

const SVG = "http://www.w3.org/2000/svg";
function svg(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

let drawnGraph = "";
function drawGraph() {
  const shape = JSON.stringify([data.systems.map((one) => [one.name, one.stage]), data.edges, chosen]);
  if (shape === drawnGraph) return;
  drawnGraph = shape;
  // A column is one further than the furthest of those that a system waits for.
  const column = data.systems.map(() => 0);
  for (let round = 0; round < data.systems.length; round += 1) {
    let moved = false;
    for (const { before, after } of data.edges) {
      if (column[after] < column[before] + 1) { column[after] = column[before] + 1; moved = true; }
    }
    if (!moved) break;
  }
  const used = [];
  const widths = data.systems.map((one) => Math.max(70, one.name.length * 6.6 + 16));
  const columns = Math.max(0, ...column) + 1;
  const wide = Array.from({ length: columns }, (_, at) => Math.max(70, ...widths.filter((_, one) => column[one] === at)));
  const left = wide.map((_, at) => wide.slice(0, at).reduce((a, b) => a + b + 56, 8));
  const places = data.systems.map((_, at) => {
    const row = used[column[at]] = (used[column[at]] ?? -1) + 1;
    return { x: left[column[at]], y: 10 + row * 38 };
  });
  const height = Math.max(1, ...used.map((row) => row + 1)) * 38 + 14;
  const width = left.at(-1) + wide.at(-1) + 12;
  const drawing = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Graph of the systems" });
  for (const { before, after, reason } of data.edges) {
    const [from, to] = [places[before], places[after]];
    const [x1, y1, x2, y2] = [from.x + widths[before], from.y + 13, to.x, to.y + 13];
    const isOn = chosen === before || chosen === after;
    const path = svg("path", {
      d: `M${x1} ${y1} C${x1 + 28} ${y1} ${x2 - 28} ${y2} ${x2} ${y2}`, class: isOn ? "on" : "",
    }, svg("title", {}, `${data.systems[after].name} waits for ${data.systems[before].name}: ${reason}`));
    drawing.append(path);
  }
  data.systems.forEach((one, at) => {
    const { x, y } = places[at];
    const group = svg("g", { tabindex: 0, role: "button", "data-system": one.name, style: "cursor:pointer" },
      svg("rect", { x, y, width: widths[at], height: 26, rx: 5, class: chosen === at ? "on" : "" }),
      svg("rect", { x, y, width: 4, height: 26, rx: 2, style: `fill:${shade(at)};stroke:none` }),
      svg("text", { x: x + 10, y: y + 17 }, one.name),
      svg("title", {}, `${one.name}, added at ${one.added_at}`));
    const choose = () => { chosen = chosen === at ? null : at; explain(); drawGraph(); drawTimeline(); };
    group.addEventListener("click", choose);
    group.addEventListener("keydown", (event) => { if (event.key === "Enter") choose(); });
    drawing.append(group);
  });
  graph.replaceChildren(drawing);
  explain();
}

function explain() {
  if (chosen === null) { why.textContent = "Pick a system to see why it waits."; return; }
  const one = data.systems[chosen];
  const lines = data.edges.filter((edge) => edge.after === chosen).map((edge) => `waits for ${data.systems[edge.before].name}: ${edge.reason}`)
    .concat(data.edges.filter((edge) => edge.before === chosen).map((edge) => `${data.systems[edge.after].name} waits for it: ${edge.reason}`));
  const facts = [`stage ${one.stage}`, one.alone && `alone: ${one.alone}`, one.commands && "gives commands", one.conditional && "runs on a condition", `added at ${one.added_at}`];
  why.replaceChildren(el("b", {}, one.name), ` (${facts.filter(Boolean).join(", ")})`, ...lines.map((text) => el("div", {}, text)));
}

function drawTable() {
  const time = (value) => value === null ? "" : micros(value);
  table.replaceChildren(el("table", {},
    el("thead", {}, el("tr", {}, ...["system", "stage", "runs", "last", "mean", "most", "things"].map((name) => el("th", {}, name)))),
    el("tbody", {}, ...data.systems.map((one) => el("tr", {},
      ...[one.name, one.stage, amount(one.runs), time(one.last_us), time(one.mean_us), time(one.max_us), amount(one.rows)].map((text) => el("td", {}, String(text))))))));
}

let loaded = 0;
export function beat() {
  if (!frozen && performance.now() - loaded > 500) { loaded = performance.now(); load(); }
}
