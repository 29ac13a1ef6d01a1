// Exploring: when a control moves, the address follows, the newest picture is drawn, and the facts change with it.

import {declared, enable, fits, isWhole, controls, need, read, remark, same, slide, wishes, write} from "./controls.js";
import {fill, hold, isSingle, main, name, paint, seen, squeezedSoon} from "./stage.js";

const {word} = figmill;
// A message about the picture. unmet: how many expectations it does not meet; then it is an error.
function tell(text, unmet = 0) {
  const line = document.getElementById("message");
  line.classList.toggle("unmet", unmet > 0);
  if (line.textContent !== text) line.textContent = text;
}
// The picture is the declared one: there is nothing to say about it here.
export function calm() {
  if (!document.getElementById("message")) return;
  tell("");
  complain(null);
}

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

// One step back for each control that was moved, however far: the address follows a slider, the history does not.
let gesture = null; // the control that still moves
let due = null; // {params, control, isLast, timer}: the address that is about to be set
export function settled() {
  if (due) due.isLast = true;
  else gesture = null; // what comes next is another step
}
function remember() {
  const {params, control, isLast, timer} = due;
  clearTimeout(timer);
  due = null;
  const next = address(params);
  if (next !== location.pathname + location.search) {
    if (gesture === control) history.replaceState(null, "", next);
    else history.pushState(null, "", next);
  }
  gesture = isLast ? null : control;
}
function rememberSoon(control) {
  if (due && due.control !== control) remember(); // another step
  clearTimeout(due?.timer);
  due = {params: wishes(), control, isLast: false, timer: setTimeout(remember, 150)}; // a browser takes some 200 changes in 30 s
}
// The address now has the values of the controls.
export function reached() {
  clearTimeout(due?.timer);
  due = gesture = null;
}

// What the address asks for. A value that a control cannot hold is reported beside it; the others count.
function fromAddress() {
  const query = new URLSearchParams(location.search);
  for (const control of controls()) {
    const given = query.get(control.dataset.control);
    const isText = control.dataset.sort === "text";
    let value = given === null ? declared(control) : decode(given);
    if (isText && value !== null && typeof value !== "string") value = given;
    const isFit = given === null || fits(control, value);
    if (!isFit) value = declared(control);
    if (!same(read(control), value)) write(control, value);
    if (!isFit) remark(control, word("The address says {0}; {1}. The question's value is shown.", given, need(control)), true);
  }
}

// ---- one render at a time, and only the latest newer request -------------------------------------------------------

const PATIENCE = 400; // ms after which a render gives way to a newer request, and is announced
let underWay = null; // {params, theme, began, abort, hurry, isOld}
let pending = null; // {params, theme}
let painted = null; // what the picture shows; null: it may be an old one
let last = {}; // what the picture showed last
let partial = null; // the parameters that were drawn in the visible theme only
let resting = 0;
let isRefused = false; // whether there is no picture of the controls' values
let isMissed = false; // whether the server was unreachable
// The book has changed: what is shown, or on its way, may be of the old one.
export function forget() {
  painted = null;
  if (underWay) underWay.isOld = true;
}

// While a control moves, only the visible picture is drawn; the other theme, and the messages about both, once it
// rests.
function restSoon(params) {
  clearTimeout(resting);
  partial = params;
  resting = setTimeout(rest, 300);
}
function rest() {
  if (partial !== null) request(partial, null);
}
document.addEventListener("click", (event) => {
  if (event.target.closest("#stage [data-tool^=show-]")) rest();
});
document.addEventListener("figmill-theme", rest);

// Request nothing while another request of this page is pending: a newer one would replace it at the server.
let isHushed = false;
export function hush() {
  clearTimeout(resting);
  pending = null;
  isHushed = true;
}
export function resume() {
  isHushed = false;
  request(wishes());
  if (partial !== null) restSoon(partial);
}

export function request(params, theme = seen()) {
  if (isHushed) return;
  if (underWay) {
    const isSame = same(params, underWay.params) && theme === underWay.theme && !underWay.isOld;
    pending = isSame ? null : {params, theme};
    clearTimeout(underWay.hurry);
    if (pending) underWay.hurry = setTimeout(give, underWay.began + PATIENCE - performance.now(), underWay);
    return;
  }
  if (JSON.stringify(params) === painted && (theme !== null || partial === null)) return;
  clearTimeout(resting);
  partial = null;
  draw({params, theme, began: performance.now(), abort: new AbortController(), hurry: 0, isOld: false});
}

// A slow render gives way to a newer request.
function give(mine) {
  if (mine === underWay && pending) mine.abort.abort();
}

async function draw(mine) {
  underWay = mine;
  const clock = setInterval(tick, 100);
  main.classList.add("rendering");
  try {
    const {params, theme} = mine;
    const asked = theme === null ? {page: figmill.page, params} : {page: figmill.page, params, theme};
    await answered(mine, await figmill.post(`${figmill.base}/what-if/${encodeURI(name)}`, asked, mine.abort.signal));
  } finally {
    clearInterval(clock);
    clearTimeout(mine.hurry);
    underWay = null;
    main.classList.remove("rendering");
    tick();
    const next = pending;
    pending = null;
    if (next) request(next.params, next.theme);
  }
}

async function answered(mine, answer) {
  const {params, theme} = mine;
  if (answer.aborted || answer.superseded) return;
  isMissed = answer.status === 0;
  if (answer.pictures) {
    await paint(answer.pictures, answer.alt);
    const isPart = theme !== null && !isSingle();
    const isDeclared = Object.keys(params).length === 0;
    if (!isDeclared) hold(true);
    for (const [which, html] of Object.entries(answer.parts))
      if (!isPart || which !== "findings") fill(which, html); // some are of the other theme
    painted = mine.isOld ? null : JSON.stringify(params);
    last = params;
    main.dataset.painted = JSON.stringify(params);
    complain(null);
    const unmet = word(answer.unmet > 1 ? "{0} expectations are not met." : "1 expectation is not met.", answer.unmet);
    tell(answer.unmet ? unmet : "", answer.unmet);
    squeezedSoon();
    if (isPart) restSoon(params);
    else if (isDeclared) hold(false); // nothing has changed
  } else if (answer.errors) {
    tell(""); // the messages about the last picture
    complain(answer.errors);
    painted = null;
  } else {
    tell(answer.error);
    painted = null;
  }
}

// A render that takes longer is announced, and can be cancelled.
function tick() {
  const spent = underWay ? performance.now() - underWay.began : 0;
  document.getElementById("drawing").hidden = spent < PATIENCE;
  document.getElementById("seconds").textContent = `${word("Drawing, {0} s", Math.floor(spent / 1000))} `;
}

// The controls go back to what the picture shows.
export function stop() {
  if (!underWay) return;
  pending = null;
  underWay.abort.abort(); // the server draws as long as the request is open
  for (const control of controls()) {
    const wish = control.dataset.control in last ? last[control.dataset.control] : declared(control);
    write(control, fits(control, wish) ? wish : declared(control));
  }
  complain(null);
  tell(word("Cancelled: the controls show what the picture shows."));
  buttons();
  rememberSoon("stop");
}
addEventListener("pagehide", () => underWay?.abort.abort());
addEventListener("pageshow", (event) => {
  if (event.persisted) request(wishes()); // a page from the cache of the browser goes on
});

// A server that was unreachable is back: ask it again.
figmill.listeners.push((news) => {
  if (!news.whole || !isMissed) return;
  isMissed = false;
  request(wishes());
});

function complain(errors) {
  isRefused = errors !== null;
  main.classList.toggle("cannot", isRefused);
  buttons();
  let there = document.getElementById("cannot");
  if (!isRefused) {
    there?.remove();
    return;
  }
  if (!there) {
    there = document.createElement("div");
    there.id = "cannot";
    there.className = "error";
    there.setAttribute("role", "alert");
    document.getElementById("message").after(there);
  }
  there.replaceChildren(
    ...errors.map((wrong) => {
      const row = document.createElement("p");
      Object.assign(row, {lang: "en", dir: "ltr"}); // messages of figmill are in English
      row.innerHTML = wrong.place; // a link of ours
      row.append(` ${wrong.message}`);
      return row;
    }),
  );
}

function changed(control) {
  for (const one of controls()) {
    const isWrong = read(one) === undefined;
    if (!isWrong || one.dataset.control === control) remark(one, isWrong ? `${need(one)}.` : "");
  }
  buttons();
  request(wishes());
  rememberSoon(control);
}

// Only what has been drawn can be written: nothing, while a control holds no value, or there is no picture.
export function buttons() {
  const params = wishes();
  const isChanged = Object.keys(params).length > 0;
  const isOff = {reset: !isChanged && isWhole(), link: !isChanged, write: !isChanged || !isWhole() || isRefused};
  isOff.fork = isOff.write;
  for (const [id, off] of Object.entries(isOff)) {
    const button = document.getElementById(id);
    if (button) button.disabled = off;
  }
  for (const control of controls()) control.classList.toggle("changed", control.dataset.control in params);
}

document.addEventListener("input", (event) => {
  const control = event.target.closest("[data-control]");
  if (!control) return;
  if (event.target.type === "range") {
    control.querySelector("input[type=number]").value = event.target.value;
    event.target.setAttribute("aria-valuetext", `${event.target.value} ${control.dataset.unit || ""}`.trim());
  } else if (event.target.type === "number" && event.target.value !== "" && event.target.checkValidity()) {
    slide(control, Number(event.target.value));
  }
  enable(control);
  changed(control.dataset.control);
});
document.addEventListener("change", (event) => {
  if (event.target.closest("[data-control]")) settled();
});
// Enter in a box: use this value, and try again if the last render failed.
document.addEventListener("submit", (event) => {
  event.preventDefault();
  settled();
  request(wishes());
});
document.addEventListener("click", async (event) => {
  if (event.target.id === "reset") {
    for (const control of controls()) write(control, declared(control));
    changed("reset");
    settled();
  }
  if (event.target.id === "stop") stop();
  if (event.target.id === "link") {
    await navigator.clipboard.writeText(location.origin + address(wishes()));
    tell(word("The link is copied."));
  }
});

addEventListener("popstate", () => {
  reached();
  begin();
});

export function begin() {
  if (!controls().length) return;
  fromAddress();
  for (const control of controls()) enable(control);
  const params = wishes();
  const more = document.querySelector("#controls .more");
  if (more?.querySelector(Object.keys(params).map((key) => `[data-control="${CSS.escape(key)}"]`).join() || "none")) more.open = true;
  const clean = address(params);
  if (clean !== location.pathname + location.search) history.replaceState(null, "", clean + location.hash);
  buttons();
  if (painted !== null || Object.keys(params).length) request(params);
}
