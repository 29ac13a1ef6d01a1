// The controls of the parameters: their values, how they are set, and the errors in them.

const {word} = figmill;
export const knobs = () => [...document.querySelectorAll("[data-knob]")];
const inputs = (knob) => [...knob.querySelectorAll("input:not([data-switch]), select")];
const box = (knob) => knob.querySelector("input[type=number]");
export const declared = (knob) => JSON.parse(knob.dataset.value);
export const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

// The value of a control; undefined while it has none, such as an empty box.
const READ = {
  radio: (knob) => {
    const chosen = knob.querySelector("input:not([data-switch]):checked");
    return chosen ? JSON.parse(chosen.value) : undefined;
  },
  select: (knob) => JSON.parse(knob.querySelector("select").value),
  checkbox: (knob) => knob.querySelector("input:not([data-switch])").checked,
  text: (knob) => knob.querySelector("input[type=text]").value,
  number: (knob) => (box(knob).value === "" || !box(knob).checkValidity() ? undefined : Number(box(knob).value)),
};
const WRITE = {
  radio: (knob, value) => {
    for (const button of inputs(knob)) button.checked = same(JSON.parse(button.value), value);
  },
  select: (knob, value) => {
    for (const option of knob.querySelectorAll("option")) option.selected = same(JSON.parse(option.value), value);
  },
  checkbox: (knob, value) => (knob.querySelector("input:not([data-switch])").checked = value === true),
  text: (knob, value) => (knob.querySelector("input[type=text]").value = value ?? ""),
  number: (knob, value) => {
    if (value === null) return;
    box(knob).value = value;
    slide(knob, value);
  },
};
const choices = (knob) => [...knob.querySelectorAll("input[type=radio], option")].map((one) => JSON.parse(one.value));
const isChoice = (knob, value) => choices(knob).some((one) => same(one, value));
const FITS = {
  radio: isChoice,
  select: isChoice,
  checkbox: (_, value) => typeof value === "boolean",
  text: (_, value) => typeof value === "string",
  number: (knob, value) => {
    const probe = box(knob).cloneNode();
    probe.disabled = false;
    probe.value = value;
    return typeof value === "number" && probe.value !== "" && probe.checkValidity();
  },
};

export function slide(knob, value) {
  const slider = knob.querySelector("input[type=range]");
  const {min, max} = box(knob);
  if (value > Number(slider.max)) slider.max = Math.min(3 * value, max === "" ? Infinity : Number(max));
  if (value < Number(slider.min)) slider.min = min === "" ? Math.min(3 * value, 0) : Number(min);
  slider.value = value;
  slider.setAttribute("aria-valuetext", `${value} ${knob.dataset.unit || ""}`.trim());
}

export function read(knob) {
  const toggle = knob.querySelector("[data-switch]");
  return toggle && !toggle.checked ? null : READ[knob.dataset.sort](knob);
}

export function write(knob, value) {
  const toggle = knob.querySelector("[data-switch]");
  if (toggle) toggle.checked = value !== null;
  WRITE[knob.dataset.sort](knob, value);
  enable(knob);
  remark(knob, "");
}

export function fits(knob, value) {
  return value === null ? knob.querySelector("[data-switch]") !== null : FITS[knob.dataset.sort](knob, value);
}

export function enable(knob) {
  const toggle = knob.querySelector("[data-switch]");
  for (const input of inputs(knob)) input.disabled = toggle !== null && !toggle.checked;
}

// The last value of each control: it counts while the control holds none, so that the others can be moved.
const last = new Map();

// The parameters that differ from the question's.
export function wishes() {
  const found = {};
  for (const knob of knobs()) {
    const value = read(knob);
    if (value !== undefined) last.set(knob.dataset.knob, value);
    const counts = value !== undefined ? value : last.has(knob.dataset.knob) ? last.get(knob.dataset.knob) : declared(knob);
    if (!same(counts, declared(knob))) found[knob.dataset.knob] = counts;
  }
  return found;
}
export const isWhole = () => knobs().every((knob) => read(knob) !== undefined);

// ---- the error of a control is shown beside it -------------------------------------------------------------------

// What it accepts: `ranks must be a whole number from 1 to 64`.
export function need(knob) {
  const found = choices(knob);
  const must = (what) => word("{0} must be {1}", knob.dataset.knob, what);
  if (found.length) {
    return must(found.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).reduce((all, one) => word("{0} or {1}", all, one)));
  }
  if (!box(knob)) return must(word(knob.dataset.sort === "checkbox" ? "true or false" : "a text"));
  const {min, max} = box(knob);
  const what = word(knob.dataset.whole === undefined ? "a number" : "a whole number");
  if (min !== "" && max !== "") return must(word("{0} from {1} to {2}", what, min, max));
  if (min !== "") return must(word("{0} of at least {1}", what, min));
  return must(max === "" ? what : word("{0} of at most {1}", what, max));
}

// Show a message at a control. None: all is well. isFirst: it is there before anything is moved.
export function remark(knob, words, isFirst = false) {
  for (const input of inputs(knob)) {
    const isWrong = words && input.type !== "range" && read(knob) === undefined;
    if (isWrong) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }
  let there = knob.querySelector(".wrong:not(.first)");
  if (!words) {
    there?.remove();
    knob.querySelector(".first")?.classList.add("past"); // it leaves its place empty: nothing moves
    return;
  }
  if (!there) {
    there = document.createElement("p");
    there.className = isFirst ? "wrong first" : "wrong";
    there.setAttribute("role", "alert");
    knob.append(there);
  }
  if (there.textContent !== words) there.textContent = words;
}

// ---- what survives a new form, as after an error in the script: what was changed, and what was half typed --------

const kept = new Map();

export function keep() {
  for (const knob of knobs()) {
    const value = read(knob);
    const isChanged = value === undefined || !same(value, declared(knob));
    if (isChanged) kept.set(knob.dataset.knob, {value, typed: box(knob)?.value});
    else kept.delete(knob.dataset.knob);
  }
}

export function restore() {
  for (const knob of knobs()) {
    const was = kept.get(knob.dataset.knob);
    if (was === undefined) continue;
    if (was.value !== undefined && fits(knob, was.value)) write(knob, was.value);
    else if (was.value === undefined && box(knob)) box(knob).value = was.typed;
  }
}
