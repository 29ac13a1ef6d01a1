// The controls of the parameters: what they say, and how they are set.

// ---- the parameters -------------------------------------------------------------------------------------------

export const knobs = () => [...document.querySelectorAll("[data-knob]")];
const inputs = (knob) => [...knob.querySelectorAll("input:not([data-switch]), select")];
export const declared = (knob) => JSON.parse(knob.dataset.value);
export const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

// What a control says; undefined while it is no value, such as an empty box.
const READ = {
  radio: (knob) => {
    const chosen = knob.querySelector("input:not([data-switch]):checked");
    return chosen ? JSON.parse(chosen.value) : undefined;
  },
  select: (knob) => JSON.parse(knob.querySelector("select").value),
  checkbox: (knob) => knob.querySelector("input:not([data-switch])").checked,
  text: (knob) => knob.querySelector("input[type=text]").value,
  number: (knob) => {
    const box = knob.querySelector("input[type=number]");
    return box.value === "" || !box.checkValidity() ? undefined : Number(box.value);
  },
};
const WRITE = {
  radio: (knob, value) => {
    for (const button of inputs(knob)) button.checked = button.value === JSON.stringify(value);
  },
  select: (knob, value) => (knob.querySelector("select").value = JSON.stringify(value)),
  checkbox: (knob, value) => (knob.querySelector("input:not([data-switch])").checked = value === true),
  text: (knob, value) => (knob.querySelector("input[type=text]").value = value ?? ""),
  number: (knob, value) => {
    if (value === null) return;
    knob.querySelector("input[type=number]").value = value;
    slide(knob, value);
  },
};

export function slide(knob, value) {
  const slider = knob.querySelector("input[type=range]");
  const box = knob.querySelector("input[type=number]");
  if (value > Number(slider.max)) slider.max = Math.min(3 * value, box.max === "" ? Infinity : Number(box.max));
  if (value < Number(slider.min)) slider.min = box.min === "" ? Math.min(3 * value, 0) : Number(box.min);
  slider.value = value;
  slider.setAttribute("aria-valuetext", `${value} ${knob.dataset.unit || ""}`.trim());
}

export function read(knob) {
  const turned = knob.querySelector("[data-switch]");
  return turned && !turned.checked ? null : READ[knob.dataset.sort](knob);
}

export function write(knob, value) {
  const turned = knob.querySelector("[data-switch]");
  if (turned) turned.checked = value !== null;
  WRITE[knob.dataset.sort](knob, value);
  enable(knob);
}

export function enable(knob) {
  const turned = knob.querySelector("[data-switch]");
  for (const input of inputs(knob)) input.disabled = turned !== null && !turned.checked;
}

// The parameters that differ from the question's; null where a control holds no value.
export function wishes() {
  const found = {};
  for (const knob of knobs()) {
    const value = read(knob);
    if (value === undefined) return null;
    if (!same(value, declared(knob))) found[knob.dataset.knob] = value;
  }
  return found;
}

// What the first control needs that holds no value: `ranks must be a whole number from 1 to 64.`
export function lacking() {
  const knob = knobs().find((one) => read(one) === undefined);
  const box = knob?.querySelector("input[type=number]");
  if (!box) return "";
  const bounds = [];
  if (box.min !== "" && box.max !== "") bounds.push(`from ${box.min} to ${box.max}`);
  else if (box.min !== "") bounds.push(`from ${box.min} on`);
  else if (box.max !== "") bounds.push(`of at most ${box.max}`);
  const what = knob.dataset.whole === undefined ? "a number" : "a whole number";
  return `${[knob.dataset.knob, "must be", what, ...bounds].join(" ")}.`;
}
