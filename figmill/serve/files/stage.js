// The picture of a figure's page: both themes, zoom, pan, and another picture in its place without a flash.

export const main = document.getElementById("figure");
export const name = main.dataset.name;
const stage = document.getElementById("stage");

// ---- the picture: themes, zoom, pan ---------------------------------------------------------------------------

let zoom = null; // null: as wide as there is room

const PADDING = 16; // px around a picture
const panes = () => [...document.querySelectorAll("#stage .pane")];

function show(which) {
  const found = panes();
  const single = found.length < 2;
  for (const pane of found) pane.hidden = !(single || which === "both" || pane.dataset.theme === which);
  for (const tool of document.querySelectorAll("#stage [data-tool^=show-]"))
    tool.setAttribute("aria-pressed", String(tool.dataset.tool === `show-${which}`));
  document.getElementById("stage").dataset.shown = single ? "one" : which;
  frame();
}

// The picture of an interactive figure has one place, however large it becomes: the height of the declared picture,
// within bounds of serve.css. Nothing moves while a control does.
let size = null; // of the declared picture
export function frame(picture = size) {
  size = picture;
  const room = document.querySelector("#stage .panes");
  const pane = panes().find((one) => !one.hidden);
  if (!room || !pane || !size || !document.getElementById("controls")) return;
  const inner = pane.clientWidth - 2 * PADDING;
  const height = size.height * Math.min(1, inner / size.width) + 2 * PADDING;
  room.style.setProperty("--frame", `${Math.round(height)}px`);
  room.classList.add("framed");
}
addEventListener("resize", () => {
  hold(false);
  frame();
});

// The text beside a picture keeps its height while controls move; longer text scrolls.
export function hold(isHeld) {
  const about = document.querySelector(".details");
  if (!about || about.classList.contains("held") === isHeld) return;
  const sections = [...about.querySelectorAll(":scope > section")];
  const heights = sections.map((section) => section.getBoundingClientRect().height);
  about.classList.toggle("held", isHeld);
  sections.forEach((section, number) => {
    section.style.height = isHeld ? `${heights[number]}px` : "";
    if (isHeld) section.tabIndex = 0; // so that keys can scroll it
    else section.removeAttribute("tabindex");
  });
}

function scale(to, at) {
  for (const pane of panes()) {
    const image = pane.querySelector("img");
    const before = image.getBoundingClientRect().width || 1;
    zoom = to;
    image.style.width = to === null ? "" : `${Math.round(image.getAttribute("width") * to)}px`;
    pane.classList.toggle("zoomed", to !== null);
    const factor = image.getBoundingClientRect().width / before;
    const x = at ? at.x - pane.getBoundingClientRect().left : pane.clientWidth / 2;
    const y = at ? at.y - pane.getBoundingClientRect().top : pane.clientHeight / 2;
    pane.scrollLeft = (pane.scrollLeft + x) * factor - x;
    pane.scrollTop = (pane.scrollTop + y) * factor - y;
  }
}

function current() {
  const image = panes().find((pane) => !pane.hidden)?.querySelector("img");
  return image ? image.getBoundingClientRect().width / image.getAttribute("width") : 1;
}

const within = (number) => Math.min(16, Math.max(0.1, number));
const TOOLS = {
  "show-light": () => show("light"),
  "show-dark": () => show("dark"),
  "show-both": () => show("both"),
  in: () => scale(within(current() * 1.25)),
  out: () => scale(within(current() / 1.25)),
  fit: () => scale(null),
  actual: () => scale(1),
};
const KEYS = {"+": "in", "=": "in", "-": "out", 0: "fit", 1: "actual"};

export function stand() {
  const image = document.querySelector("#stage .pane img");
  if (!image) return;
  size ??= {width: Number(image.getAttribute("width")), height: Number(image.getAttribute("height"))};
  show(document.documentElement.dataset.theme);
}

document.addEventListener("click", (event) => {
  const tool = event.target.closest("#stage [data-tool]");
  if (tool) TOOLS[tool.dataset.tool]();
});
document.addEventListener("keydown", (event) => {
  const pane = event.target.closest?.("#stage .pane");
  if (!pane || event.ctrlKey || event.metaKey || event.altKey || !(event.key in KEYS)) return;
  event.preventDefault();
  TOOLS[KEYS[event.key]]();
});
stage.addEventListener(
  "wheel",
  (event) => {
    if (!event.ctrlKey || !event.target.closest(".pane")) return; // a plain wheel scrolls
    event.preventDefault();
    scale(within(current() * Math.exp(-event.deltaY / 300)), {x: event.clientX, y: event.clientY});
  },
  {passive: false},
);
stage.addEventListener("pointerdown", (event) => {
  const pane = event.target.closest(".pane.zoomed");
  if (!pane || event.button !== 0 || event.pointerType === "touch") return; // fingers scroll by themselves
  const from = {x: event.clientX + pane.scrollLeft, y: event.clientY + pane.scrollTop};
  pane.setPointerCapture(event.pointerId);
  pane.classList.add("held");
  const move = (moved) => {
    pane.scrollLeft = from.x - moved.clientX;
    pane.scrollTop = from.y - moved.clientY;
  };
  const end = () => {
    pane.classList.remove("held");
    pane.removeEventListener("pointermove", move);
  };
  pane.addEventListener("pointermove", move);
  pane.addEventListener("lostpointercapture", end, {once: true});
});
document.addEventListener("figmill-theme", stand);
stand();

// The address of a picture at the server, whether it came from there or with an answer.
const address = (image) => image.dataset.address || image.getAttribute("src");

// The only visible theme; null: both are visible.
export function seen() {
  const found = panes().filter((pane) => !pane.hidden);
  return found.length === 1 ? found[0].dataset.theme : null;
}
export const isSingle = () => panes().length < 2;

// Another picture in the same place: loaded and decoded before it is shown, the one that is seen first.
export async function paint(pictures, alt) {
  const ordered = panes().sort((one, other) => Number(one.hidden) - Number(other.hidden));
  await Promise.all(
    ordered.map(async (pane) => {
      const next = pictures[pane.dataset.theme];
      const old = pane.querySelector("img");
      if (!next) return;
      pane.dataset.next = next.src; // what is still being decoded comes too late
      if (address(old) === next.src) {
        old.alt = alt;
        return;
      }
      const image = document.createElement("img"); // a clone would ask for the old picture again
      image.draggable = false;
      image.loading = pane.hidden ? "lazy" : "eager"; // what is hidden takes no time from what is visible
      image.src = next.svg ? URL.createObjectURL(new Blob([next.svg], {type: "image/svg+xml"})) : next.src;
      image.dataset.address = next.src;
      image.alt = alt;
      image.setAttribute("width", next.width);
      image.setAttribute("height", next.height);
      if (zoom !== null) image.style.width = `${Math.round(next.width * zoom)}px`;
      if (!pane.hidden && !(await figmill.ready(image))) return;
      if (pane.dataset.next !== next.src) return;
      const gone = pane.querySelector("img");
      gone.replaceWith(image);
      if (gone.src.startsWith("blob:")) URL.revokeObjectURL(gone.src);
    }),
  );
}

export function part(which) {
  return document.querySelector(`[data-part="${which}"]`);
}

// The last HTML of each part from the server: a part that comes again stays as it is, with its focus.
const shown = {};
for (const there of document.querySelectorAll("[data-part]")) shown[there.dataset.part] = there.innerHTML;

export function fill(which, html) {
  const there = part(which);
  if (!there || shown[which] === html) return;
  shown[which] = html;
  there.innerHTML = html;
}

// The texts that keep their width even if a reader's font is wider. The drawing is parsed here, and not run.
async function squeezed() {
  const image = document.querySelector("#stage .pane img");
  if (!image) return;
  const answer = await fetch(address(image));
  const text = await answer.text();
  if (!answer.ok || !image.isConnected) return; // messages about the new picture follow soon
  const drawing = new DOMParser().parseFromString(text, "image/svg+xml");
  const words = [...drawing.querySelectorAll("[textLength]")].map((node) => node.textContent.trim());
  const list = document.createElement(words.length ? "ul" : "p");
  if (!words.length) list.textContent = figmill.word("No words.");
  for (const word of new Set(words)) {
    const row = document.createElement("li");
    row.dir = "auto";
    row.textContent = word;
    list.append(row);
  }
  part("squeezed").replaceChildren(list);
}
let later = 0;
export function squeezedSoon() {
  clearTimeout(later);
  later = setTimeout(squeezed, 400);
}
squeezedSoon();
