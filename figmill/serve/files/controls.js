// The controls of the parameters: their values, how they are set, and the errors in them.

const {word} = figmill;
export const controls = () => [...document.querySelectorAll("[data-control]")];
const inputs = (control) => [...control.querySelectorAll("input:not([data-switch]), select")];
const box = (control) => control.querySelector("input[type=number]");
export const declared = (control) => JSON.parse(control.dataset.value);
export const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

// The value of a control; undefined while it has none, such as an empty box.
const READ = {
  radio: (control) => {
    const chosen = control.querySelector("input:not([data-switch]):checked");
    return chosen ? JSON.parse(chosen.value) : undefined;
  },
  select: (control) => JSON.parse(control.querySelector("select").value),
  checkbox: (control) => control.querySelector("input:not([data-switch])").checked,
  text: (control) => control.querySelector("input[type=text]").value,
  number: (control) => (box(control).value === "" || !box(control).checkValidity() ? undefined : Number(box(control).value)),
};
const WRITE = {
  radio: (control, value) => {
    for (const button of inputs(control)) button.checked = same(JSON.parse(button.value), value);
  },
  select: (control, value) => {
    for (const option of control.querySelectorAll("option")) option.selected = same(JSON.parse(option.value), value);
  },
  checkbox: (control, value) => (control.querySelector("input:not([data-switch])").checked = value === true),
  text: (control, value) => (control.querySelector("input[type=text]").value = value ?? ""),
  number: (control, value) => {
    if (value === null) return;
    box(control).value = value;
    slide(control, value);
  },
};
const choices = (control) => [...control.querySelectorAll("input[type=radio], option")].map((one) => JSON.parse(one.value));
const isChoice = (control, value) => choices(control).some((one) => same(one, value));
const FITS = {
  radio: isChoice,
  select: isChoice,
  checkbox: (_, value) => typeof value === "boolean",
  text: (_, value) => typeof value === "string",
  number: (control, value) => {
    const probe = box(control).cloneNode();
    probe.disabled = false;
    probe.value = value;
    return typeof value === "number" && probe.value !== "" && probe.checkValidity();
  },
};

export function slide(control, value) {
  const slider = control.querySelector("input[type=range]");
  const {min, max} = box(control);
  if (value > Number(slider.max)) slider.max = Math.min(3 * value, max === "" ? Infinity : Number(max));
  if (value < Number(slider.min)) slider.min = min === "" ? Math.min(3 * value, 0) : Number(min);
  slider.value = value;
  slider.setAttribute("aria-valuetext", `${value} ${control.dataset.unit || ""}`.trim());
}

export function read(control) {
  const toggle = control.querySelector("[data-switch]");
  return toggle && !toggle.checked ? null : READ[control.dataset.sort](control);
}

export function write(control, value) {
  const toggle = control.querySelector("[data-switch]");
  if (toggle) toggle.checked = value !== null;
  WRITE[control.dataset.sort](control, value);
  enable(control);
  remark(control, "");
}

export function fits(control, value) {
  return value === null ? control.querySelector("[data-switch]") !== null : FITS[control.dataset.sort](control, value);
}

export function enable(control) {
  const toggle = control.querySelector("[data-switch]");
  for (const input of inputs(control)) input.disabled = toggle !== null && !toggle.checked;
}

// The last value of each control: it counts while the control holds none, so that the others can be moved.
const last = new Map();

// The parameters that differ from the question's.
export function wishes() {
  const found = {};
  for (const control of controls()) {
    const value = read(control);
    if (value !== undefined) last.set(control.dataset.control, value);
    const counts = value !== undefined ? value : last.has(control.dataset.control) ? last.get(control.dataset.control) : declared(control);
    if (!same(counts, declared(control))) found[control.dataset.control] = counts;
  }
  return found;
}
export const isWhole = () => controls().every((control) => read(control) !== undefined);

// ---- the error of a control is shown beside it -------------------------------------------------------------------

// What it accepts: `ranks must be a whole number from 1 to 64`.
export function need(control) {
  const found = choices(control);
  const must = (what) => word("{0} must be {1}", control.dataset.control, what);
  if (found.length) {
    return must(found.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).reduce((all, one) => word("{0} or {1}", all, one)));
  }
  if (!box(control)) return must(word(control.dataset.sort === "checkbox" ? "true or false" : "a text"));
  const {min, max} = box(control);
  const what = word(control.dataset.whole === undefined ? "a number" : "a whole number");
  if (min !== "" && max !== "") return must(word("{0} from {1} to {2}", what, min, max));
  if (min !== "") return must(word("{0} of at least {1}", what, min));
  return must(max === "" ? what : word("{0} of at most {1}", what, max));
}

// Show a message at a control. None: all is well. isFirst: it is there before anything is moved.
export function remark(control, words, isFirst = false) {
  for (const input of inputs(control)) {
    const isWrong = words && input.type !== "range" && read(control) === undefined;
    if (isWrong) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }
  let there = control.querySelector(".wrong:not(.first)");
  if (!words) {
    there?.remove();
    control.querySelector(".first")?.classList.add("past"); // it leaves its place empty: nothing moves
    return;
  }
  if (!there) {
    there = document.createElement("p");
    there.className = isFirst ? "wrong first" : "wrong";
    there.setAttribute("role", "alert");
    control.append(there);
  }
  if (there.textContent !== words) there.textContent = words;
}

// ---- what survives a new form, as after an error in the script: what was changed, and what was half typed --------

const kept = new Map();

export function keep() {
  for (const control of controls()) {
    const value = read(control);
    const isChanged = value === undefined || !same(value, declared(control));
    if (isChanged) kept.set(control.dataset.control, {value, typed: box(control)?.value});
    else kept.delete(control.dataset.control);
  }
}

export function restore() {
  for (const control of controls()) {
    const was = kept.get(control.dataset.control);
    if (was === undefined) continue;
    if (was.value !== undefined && fits(control, was.value)) write(control, was.value);
    else if (was.value === undefined && box(control)) box(control).value = was.typed;
  }
}
