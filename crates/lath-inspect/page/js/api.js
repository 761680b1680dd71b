// Requests to the inspector. The token, if there is one, comes in the part of the address that browsers keep to themselves.

const token = new URLSearchParams(location.hash.slice(1)).get("token");
const headers = token ? { Authorization: `Bearer ${token}` } : {};

export class Refused extends Error {
  constructor(error) {
    super(error.message);
    this.status = error.status;
    this.column = error.column;
  }
}

async function ask(path, options) {
  let response;
  try {
    response = await fetch(`/api/v1/${path}`, options);
  } catch {
    throw new Refused({ status: 0, message: "the program does not answer" });
  }
  const body = await response.json();
  if (!response.ok) throw new Refused(body.error);
  return body;
}

export function get(path, params = {}, signal = undefined) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== null && value !== "") query.set(name, value);
  }
  return ask(`${path}?${query}`, { headers, signal });
}

export function post(path, body = {}) {
  return ask(path, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

// Calls `beat` a few times a second, and `lost` when nothing has come for a while.
export function listen(beat, lost) {
  const source = new EventSource(`/api/v1/events${token ? `?token=${encodeURIComponent(token)}` : ""}`);
  let last = performance.now();
  source.addEventListener("beat", (event) => {
    last = performance.now();
    beat(JSON.parse(event.data));
  });
  setInterval(() => { if (performance.now() - last > 3000) lost(); }, 1000);
}
