// The page: tabs, pace, keys, and what is picked. Each view is a module with show(), hide() and, if it likes, beat().

import { get, listen, post } from "./api.js";
import { amount, byId, toast } from "./dom.js";
import * as charts from "./charts.js";
import * as details from "./details.js";
import * as map from "./map.js";
import * as pools from "./pools.js";
import * as schedule from "./schedule.js";
import * as table from "./table.js";
import * as tree from "./tree.js";

const views = { things: table, tree, map, schedule, charts };

// What all views share.
export const state = { world: null, pool: null, picked: null, view: "things", beat: null };

export function poolInfo(name = state.pool) {
  return state.world?.pools.find((pool) => pool.name === name && pool.known) ?? null;
}

export function pickPool(name) {
  if (state.pool === name) return;
  state.pool = name;
  remember();
  pools.draw();
  views[state.view].show();
}

// Shows a thing in the details, and marks it wherever it is listed.
export function pick(pool, id) {
  state.picked = id ? { pool, id } : null;
  remember();
  details.show();
  for (const view of Object.values(views)) view.picked?.();
}

let asked = 0;
let answered = 0; // an answer that comes after that to a later question is old
export async function refreshWorld() {
  const mine = ++asked;
  const hadPool = Boolean(poolInfo());
  try {
    const world = await get("world");
    if (state.world && mine < answered) return;
    answered = mine;
    state.world = world;
  } catch (error) {
    status(error.message, true);
    return;
  }
  const known = state.world.pools.filter((pool) => pool.known);
  if (!poolInfo() && known.length) state.pool = known[0].name;
  byId("undo").disabled = state.world.read_only || !state.world.undo.length;
  byId("undo").title = state.world.undo.length ? `Take back: ${state.world.undo[0]} (ctrl+z)` : "Nothing to take back";
  for (const id of ["pause", "step", "speed"]) byId(id).disabled = state.world.read_only;
  pace(state.world.pace);
  pools.draw();
  // The program may not have answered, or not known its pools, when the view was opened.
  if (!hadPool && poolInfo() && !byId(`view-${state.view}`).hidden) views[state.view].show();
}

// Tells the program to do something, and says so when it will not.
export async function tell(path, body) {
  try {
    const answer = await post(path, body);
    refreshWorld();
    return answer;
  } catch (error) {
    toast(error.message);
    return null;
  }
}

function status(text, bad = false) {
  const box = byId("status");
  box.textContent = text;
  box.classList.toggle("bad", bad);
}

function pace({ paused, speed }) {
  state.paused = paused;
  byId("pause").textContent = paused ? "Go on" : "Pause";
  byId("pause").classList.toggle("on", paused);
  const select = byId("speed");
  if (document.activeElement !== select) select.value = String(speed);
}

const control = (body) => tell("control", body).then((answer) => {
  if (!answer) return;
  answered = asked; // what was asked before says how it was before
  pace(answer);
});
const pause = () => control({ paused: !state.paused });
const step = () => control({ step: 1 });
const undo = () => tell("undo", {}).then((answer) => {
  if (!answer) return;
  toast(`Taken back: ${answer.undone}`);
  // Who was despawned is there again, by another handle.
  if (answer.id && state.picked) pick(state.picked.pool, answer.id); else details.show();
  views[state.view].changed?.();
});

export function open(name) {
  if (state.view !== name) views[state.view].hide?.();
  state.view = name;
  for (const [other] of Object.entries(views)) {
    byId(`view-${other}`).hidden = other !== name;
    byId(`tab-${other}`).setAttribute("aria-selected", other === name);
    byId(`tab-${other}`).tabIndex = other === name ? 0 : -1;
  }
  remember();
  views[name].show();
}

// After a reload all is as it was.
function remember() {
  const { pool, view, picked } = state;
  sessionStorage.setItem("lath", JSON.stringify({ pool, view, picked }));
}

function recall() {
  try {
    Object.assign(state, JSON.parse(sessionStorage.getItem("lath") ?? "{}"));
  } catch { /* as if there were nothing */ }
  if (!views[state.view]) state.view = "things";
}

function theme() {
  const root = document.documentElement;
  const isDark = root.classList.contains("dark")
    || !root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches;
  root.classList.remove("dark", "light");
  root.classList.add(isDark ? "light" : "dark");
  localStorage.setItem("lath-theme", isDark ? "light" : "dark");
  views[state.view].show();
}

const isTyping = (target) => target.closest("input, textarea, select, [contenteditable]");

function keys(event) {
  if (event.key === "Escape" && isTyping(event.target)) event.target.blur();
  if (isTyping(event.target) || byId("help").open) return;
  if ((event.ctrlKey || event.metaKey) && event.key === "z") { event.preventDefault(); undo(); return; }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const names = Object.keys(views);
  const does = {
    " ": () => event.target.closest("button") ? null : pause(),
    ".": step,
    "/": () => { open("things"); byId("filter")?.focus(); },
    "?": () => byId("help").showModal(),
    t: theme,
  }[event.key] ?? (names[event.key - 1] ? () => open(names[event.key - 1]) : null);
  if (!does) return;
  if (event.key !== " " || !event.target.closest("button")) event.preventDefault();
  does();
}

async function start() {
  const chosen = localStorage.getItem("lath-theme");
  if (chosen) document.documentElement.classList.add(chosen);
  recall();
  byId("pause").onclick = pause;
  byId("step").onclick = step;
  byId("speed").onchange = (event) => control({ speed: Number(event.target.value) });
  byId("undo").onclick = undo;
  byId("theme").onclick = theme;
  byId("help-button").onclick = () => byId("help").showModal();
  for (const tab of document.querySelectorAll("[role=tab]")) tab.onclick = () => open(tab.dataset.view);
  document.addEventListener("keydown", keys);
  addEventListener("resize", () => views[state.view].show());
  await refreshWorld();
  open(state.view);
  details.show();
  listen((beat) => {
    state.beat = beat;
    const time = beat.tick_ms === null ? "" : ` · ${beat.tick_ms.toFixed(2)} ms`;
    status(`tick ${amount(beat.tick)}${time}${beat.pace.paused ? " · paused" : ""}`);
    pace(beat.pace);
    pools.beat(beat);
    details.beat();
    views[state.view].beat?.(beat);
  }, () => status("the program does not answer", true));
  setInterval(refreshWorld, 3000);
}

start();
