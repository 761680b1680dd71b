// The pools, with how many things each has.

import { amount, byId, el } from "./dom.js";
import { pickPool, state } from "./main.js";

export function draw() {
  const box = byId("pools");
  const list = state.world.pools.map((pool) => el(
    pool.name === state.pool ? "button.pool.on" : "button.pool",
    {
      onclick: () => pickPool(pool.name),
      disabled: !pool.known,
      title: pool.known ? pool.type : `${pool.type}: derive Inspect and name it to see its fields`,
      "data-pool": pool.name,
    },
    pool.name,
    el("span.count", {}, amount(pool.stats.live)),
  ));
  const pool = state.world.pools.find((pool) => pool.name === state.pool);
  const facts = pool ? Object.entries(pool.stats).filter(([name]) => name !== "live") : [];
  box.replaceChildren(
    el("h2", {}, "Pools"),
    ...list,
    el("div.more", {},
      el("h3", {}, pool ? `About ${pool.name}` : ""),
      ...facts.map(([name, value]) => el("div.fact", {},
        el("span", {}, name.replaceAll("_", " ")), el("span", {}, typeof value === "number" ? amount(value) : value ? "yes" : "no"))),
      el("h3", {}, "Resources"),
      ...state.world.resources.map((name) => el("div.soft", {}, name)),
    ),
  );
}

export function beat({ live }) {
  for (const button of document.querySelectorAll("#pools .pool")) {
    const count = live[button.dataset.pool];
    if (count !== undefined) button.querySelector(".count").textContent = amount(count);
  }
}
