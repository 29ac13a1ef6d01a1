// Turning: the address follows, the newest wish is drawn, and facts and broken expectations change along.

import {declared, enable, knobs, lacking, read, same, slide, wishes, write} from "./controls.js";
import {fill, isSingle, main, name, paint, seen, squeezedSoon} from "./stage.js";

export const told = () => document.getElementById("told");

// In the address a text stands as it is, unless it could be read as something else.
const encode = (value) => {
  if (typeof value !== "string") return JSON.stringify(value);
  try {
    JSON.parse(value);
    return JSON.stringify(value);
  } catch {
    return value;
  }
};
const decode = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

function address(params) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) query.set(key, encode(value));
  const words = query.toString();
  return location.pathname + (words ? `?${words}` : "");
}

// One step back for each thing that was turned, however far: the address follows a slider, the history does not.
let gesture = null;
export function settled() {
  gesture = null; // what comes next is another step
}
function remember(params, knob) {
  const next = address(params);
  if (next === location.pathname + location.search) return;
  if (gesture === knob) history.replaceState(null, "", next);
  else history.pushState(null, "", next);
  gesture = knob;
}
let writing = 0;
function rememberSoon(knob) {
  clearTimeout(writing); // a browser takes some 200 changes of its address in 30 s
  writing = setTimeout(() => {
    const params = wishes();
    if (params) remember(params, knob);
  }, 150);
}

function fromAddress() {
  const query = new URLSearchParams(location.search);
  for (const knob of knobs()) {
    const given = query.get(knob.dataset.knob);
    const value = given === null ? declared(knob) : decode(given);
    if (!same(read(knob), value)) write(knob, value);
  }
}

// One render under way, and of all newer wishes the last one.
let underWay = false;
let pending = null;
let painted = null; // what the picture shows
let partial = null; // these parameters, of which only the theme that is seen was drawn
let resting = 0;
export function forget() {
  painted = null;
}

// While a knob is moved, the picture that is seen comes alone; the other theme, and what is told of both, when it rests.
function restSoon(params) {
  clearTimeout(resting);
  partial = params;
  resting = setTimeout(rest, 300);
}
function rest() {
  if (partial !== null) turn(partial, null);
}
document.addEventListener("click", (event) => {
  if (event.target.closest("#stage [data-tool^=show-]")) rest();
});
document.addEventListener("figmill-theme", rest);

export async function turn(params, theme = seen()) {
  const wish = JSON.stringify(params);
  if (underWay) {
    pending = params;
    return;
  }
  if (wish === painted && (theme !== null || partial === null)) return;
  clearTimeout(resting);
  partial = null;
  underWay = true;
  main.classList.add("drawing");
  try {
    const asked = theme === null ? {page: figmill.page, params} : {page: figmill.page, params, theme};
    const answer = await figmill.post(`/what-if/${encodeURI(name)}`, asked);
    if (answer.pictures) {
      await paint(answer.pictures, answer.alt);
      const isPart = theme !== null && !isSingle();
      for (const [which, html] of Object.entries(answer.parts))
        if (!isPart || which !== "findings") fill(which, html); // some are of the other theme
      painted = wish;
      main.dataset.painted = wish;
      complain(null);
      const words = answer.unmet ? `${answer.unmet} ${answer.unmet === 1 ? "expectation is" : "expectations are"} not met.` : "";
      told().textContent = words;
      main.classList.toggle("unmet", answer.unmet > 0);
      squeezedSoon();
      if (isPart) restSoon(params);
    } else if (answer.errors) {
      told().textContent = ""; // what was said of the picture before
      main.classList.remove("unmet");
      complain(answer.errors);
      painted = null;
    } else if (!answer.superseded) {
      told().textContent = answer.error || "The server does not answer.";
    }
  } catch {
    told().textContent = "The server does not answer.";
  } finally {
    underWay = false;
    main.classList.remove("drawing");
    if (pending) {
      const next = pending;
      pending = null;
      turn(next);
    }
  }
}

function complain(errors) {
  main.classList.toggle("cannot", errors !== null);
  let box = document.getElementById("cannot");
  if (errors === null) {
    box?.remove();
    return;
  }
  if (!box) {
    box = document.createElement("div");
    box.id = "cannot";
    box.className = "error";
    box.setAttribute("role", "alert");
    told().before(box);
  }
  box.replaceChildren(
    ...errors.map((wrong) => {
      const row = document.createElement("p");
      row.innerHTML = wrong.place; // a link of ours
      row.append(` ${wrong.message}`);
      return row;
    }),
  );
}

let before = null; // what was said until a control held no value
function turned(knob) {
  const params = wishes();
  if (params === null) {
    before ??= told().textContent;
    told().textContent = lacking();
    return;
  }
  if (before !== null) told().textContent = before;
  before = null;
  buttons(params);
  turn(params);
  rememberSoon(knob);
}

export function buttons(params) {
  const differs = Object.keys(params).length > 0;
  for (const id of ["reset", "link", "write", "fork"]) {
    const button = document.getElementById(id);
    if (button) button.disabled = !differs;
  }
  for (const knob of knobs()) knob.classList.toggle("turned", knob.dataset.knob in params);
}

document.addEventListener("input", (event) => {
  const knob = event.target.closest("[data-knob]");
  if (!knob) return;
  if (event.target.type === "range") {
    knob.querySelector("input[type=number]").value = event.target.value;
    event.target.setAttribute("aria-valuetext", `${event.target.value} ${knob.dataset.unit || ""}`.trim());
  } else if (event.target.type === "number" && event.target.value !== "" && event.target.checkValidity()) {
    slide(knob, Number(event.target.value));
  }
  enable(knob);
  turned(knob.dataset.knob);
});
document.addEventListener("change", (event) => {
  if (event.target.closest("[data-knob]")) settled();
});
document.addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("click", async (event) => {
  if (event.target.id === "reset") {
    for (const knob of knobs()) write(knob, declared(knob));
    turned("reset");
    settled();
  }
  if (event.target.id === "link") {
    await navigator.clipboard.writeText(location.origin + address(wishes() || {}));
    told().textContent = "The link is copied.";
  }
});

addEventListener("popstate", () => {
  settled();
  begin();
});

export function begin() {
  if (!knobs().length) return;
  fromAddress();
  for (const knob of knobs()) enable(knob);
  const params = wishes() || {};
  buttons(params);
  if (painted !== null || Object.keys(params).length) turn(params);
}
