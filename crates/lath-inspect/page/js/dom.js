// Small helpers: making elements, drawing sharp on any screen, telling the user.

// el("div.row", { onclick }, child, "text"): an element with classes, properties and children.
export function el(what, props = {}, ...children) {
  const [tag, ...classes] = what.split(".");
  const node = document.createElement(tag || "div");
  node.className = classes.join(" ");
  for (const [name, value] of Object.entries(props)) {
    if (name === "style") node.style.cssText = value;
    else if (name.startsWith("aria-") || name.startsWith("data-") || name === "role") node.setAttribute(name, value);
    else node[name] = value;
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export const byId = (id) => document.getElementById(id);

let hide = 0;
export function toast(text) {
  const box = byId("toast");
  box.textContent = text;
  box.hidden = false;
  clearTimeout(hide);
  hide = setTimeout(() => { box.hidden = true; }, 4000);
}

// A canvas in the size of its box, in the pixels of the screen. Answers a context that is measured in CSS pixels.
export function sharpen(canvas) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const scale = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

// A colour of the style sheet, as it is now.
export function colour(name) {
  const probe = colour.probe ??= document.body.appendChild(el("i", { style: "display:none" }));
  probe.style.color = `var(--${name})`;
  return getComputedStyle(probe).color;
}

// Colours that differ, for things that have no order.
export const shade = (number) => `hsl(${(205 + number * 137.5) % 360} 55% ${[55, 40, 70][Math.floor(number / 5) % 3]}%)`;

export function amount(number) {
  if (number === null || number === undefined) return "";
  return Number.isInteger(number) ? number.toLocaleString("en").replaceAll(",", " ") : String(+number.toPrecision(6));
}

// Round numbers between two others, about `wanted` of them: 1, 2 or 5 times a power of ten apart.
export function rounds(least, most, wanted) {
  const rough = (most - least) / wanted;
  if (!(rough > 0) || !Number.isFinite(rough)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(least / step);
  const count = Math.min(50, Math.floor(most / step) - first + 1);
  return Array.from({ length: Math.max(0, count) }, (_, at) => +((first + at) * step).toPrecision(12));
}

// Three digits, for what is read in passing.
export const brief = (number) => amount(Number.isInteger(number) ? number : +number.toPrecision(3));

export const micros = (time) => time >= 1000 ? `${(time / 1000).toFixed(2)} ms` : `${time.toFixed(time < 10 ? 2 : 1)} µs`;

// Calls f when nobody has called for a while.
export function later(f, wait) {
  let timer = 0;
  return (...args) => { clearTimeout(timer); timer = setTimeout(() => f(...args), wait); };
}
