// A figure's own page: the picture with its tools, the parameters, and what changes along.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const main = document.getElementById("figure");
  if (!main) return;
  const stage = document.getElementById("stage");
  const form = document.getElementById("knobs");
  const name = main.dataset.name;

  // ---- the picture: themes, zoom, pan ---------------------------------------------------------------------------

  let zoom = null; // null: as wide as there is room

  const panes = () => [...document.querySelectorAll("#stage .pane")];

  function show(which) {
    const found = panes();
    const single = found.length < 2;
    for (const pane of found) pane.hidden = !(single || which === "both" || pane.dataset.theme === which);
    for (const tool of document.querySelectorAll("#stage [data-tool^=show-]"))
      tool.setAttribute("aria-pressed", String(tool.dataset.tool === `show-${which}`));
    document.getElementById("stage").dataset.shown = single ? "one" : which;
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

  function stand() {
    if (!document.querySelector("#stage .pane")) return;
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

  // Another picture in the same place: loaded and decoded before it is shown, the one that is seen first.
  async function paint(pictures, alt) {
    const ordered = panes().sort((one, other) => Number(one.hidden) - Number(other.hidden));
    await Promise.all(
      ordered.map(async (pane) => {
        const next = pictures[pane.dataset.theme];
        const old = pane.querySelector("img");
        if (!next) return;
        if (old.getAttribute("src") === next.src) {
          old.alt = alt;
          return;
        }
        const image = old.cloneNode();
        image.src = next.src;
        image.alt = alt;
        image.setAttribute("width", next.width);
        image.setAttribute("height", next.height);
        if (zoom !== null) image.style.width = `${Math.round(next.width * zoom)}px`;
        pane.dataset.next = next.src;
        if (!pane.hidden) await figmill.ready(image);
        if (pane.dataset.next === next.src) pane.querySelector("img").replaceWith(image);
      }),
    );
  }

  function part(which) {
    return document.querySelector(`[data-part="${which}"]`);
  }

  // What the server has said of each part: one that it says again stays as it is, with focus and all.
  const said = {};
  for (const there of document.querySelectorAll("[data-part]")) said[there.dataset.part] = there.innerHTML;

  function fill(which, html) {
    const there = part(which);
    if (!there || said[which] === html) return;
    said[which] = html;
    there.innerHTML = html;
  }

  // Words that keep their width where a reader's font is wider. The drawing is parsed here, and not run.
  async function squeezed() {
    const image = document.querySelector("#stage .pane img");
    if (!image) return;
    const text = await (await fetch(image.getAttribute("src"))).text();
    const drawing = new DOMParser().parseFromString(text, "image/svg+xml");
    const words = [...drawing.querySelectorAll("[textLength]")].map((node) => node.textContent.trim());
    const list = document.createElement(words.length ? "ul" : "p");
    if (!words.length) list.textContent = "No words.";
    for (const word of new Set(words)) {
      const row = document.createElement("li");
      row.textContent = word;
      list.append(row);
    }
    part("squeezed").replaceChildren(list);
  }
  let later = 0;
  function squeezedSoon() {
    clearTimeout(later);
    later = setTimeout(squeezed, 400);
  }
  squeezedSoon();

  // ---- the parameters -------------------------------------------------------------------------------------------

  const told = () => document.getElementById("told");
  const knobs = () => [...document.querySelectorAll("[data-knob]")];
  const inputs = (knob) => [...knob.querySelectorAll("input:not([data-switch]), select")];
  const declared = (knob) => JSON.parse(knob.dataset.value);
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

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

  function slide(knob, value) {
    const slider = knob.querySelector("input[type=range]");
    const box = knob.querySelector("input[type=number]");
    if (value > Number(slider.max)) slider.max = Math.min(3 * value, box.max === "" ? Infinity : Number(box.max));
    if (value < Number(slider.min)) slider.min = box.min === "" ? Math.min(3 * value, 0) : Number(box.min);
    slider.value = value;
    slider.setAttribute("aria-valuetext", `${value} ${knob.dataset.unit || ""}`.trim());
  }

  function read(knob) {
    const turned = knob.querySelector("[data-switch]");
    return turned && !turned.checked ? null : READ[knob.dataset.sort](knob);
  }

  function write(knob, value) {
    const turned = knob.querySelector("[data-switch]");
    if (turned) turned.checked = value !== null;
    WRITE[knob.dataset.sort](knob, value);
    enable(knob);
  }

  function enable(knob) {
    const turned = knob.querySelector("[data-switch]");
    for (const input of inputs(knob)) input.disabled = turned !== null && !turned.checked;
  }

  // The parameters that differ from the question's; null where a control holds no value.
  function wishes() {
    const found = {};
    for (const knob of knobs()) {
      const value = read(knob);
      if (value === undefined) return null;
      if (!same(value, declared(knob))) found[knob.dataset.knob] = value;
    }
    return found;
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

  // One step back for each thing that was turned, however far: the address follows a slider, the history does not.
  let gesture = null;
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

  async function turn(params) {
    const wish = JSON.stringify(params);
    if (underWay) {
      pending = params;
      return;
    }
    if (wish === painted) return;
    underWay = true;
    main.classList.add("drawing");
    try {
      const answer = await figmill.post(`/what-if/${encodeURI(name)}`, {page: figmill.page, params});
      if (answer.pictures) {
        await paint(answer.pictures, answer.alt);
        for (const [which, html] of Object.entries(answer.parts)) fill(which, html);
        painted = wish;
        main.dataset.painted = wish;
        complain(null);
        const words = answer.unmet ? `${answer.unmet} ${answer.unmet === 1 ? "expectation is" : "expectations are"} not met.` : "";
        told().textContent = words;
        main.classList.toggle("unmet", answer.unmet > 0);
        squeezedSoon();
      } else if (answer.errors) {
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

  function turned(knob) {
    const params = wishes();
    if (params === null) return;
    buttons(params);
    turn(params);
    rememberSoon(knob);
  }

  function buttons(params) {
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
    if (event.target.closest("[data-knob]")) gesture = null; // released: what comes next is another step
  });
  document.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("click", async (event) => {
    if (event.target.id === "reset") {
      for (const knob of knobs()) write(knob, declared(knob));
      turned("reset");
      gesture = null;
    }
    if (event.target.id === "link") {
      await navigator.clipboard.writeText(location.origin + address(wishes() || {}));
      told().textContent = "The link is copied.";
    }
  });
  addEventListener("popstate", () => {
    gesture = null;
    begin();
  });

  function begin() {
    if (!knobs().length) return;
    fromAddress();
    for (const knob of knobs()) enable(knob);
    const params = wishes() || {};
    buttons(params);
    if (painted !== null || Object.keys(params).length) turn(params);
  }

  const TURNED = new Set(["facts", "texts", "expected", "findings"]);

  // ---- what the book does -----------------------------------------------------------------------------------------

  figmill.listeners.push(async (news) => {
    if (news.lost) return;
    if (news.gone.includes(name) || (news.whole && !(name in news.changed))) {
      document.getElementById("trouble").textContent = "This figure is gone from the book.";
      return;
    }
    const stamp = news.changed[name];
    if (!stamp || stamp === main.dataset.stamp) return;
    const answer = await fetch(location.pathname);
    if (!answer.ok) return;
    const next = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("figure");
    const params = wishes() || {};
    main.dataset.stamp = next.dataset.stamp;
    main.dataset.status = next.dataset.status;
    document.title = next.querySelector("h1").textContent;
    const isTurned = Object.keys(params).length > 0;
    for (const there of next.querySelectorAll("[data-part]")) {
      const which = there.dataset.part;
      if (which === "squeezed") continue;
      if (!(isTurned && TURNED.has(which))) fill(which, there.innerHTML); // else the next answer tells them
    }
    const pictures = {};
    for (const pane of next.querySelectorAll(".pane")) {
      const image = pane.querySelector("img");
      pictures[pane.dataset.theme] = {src: image.getAttribute("src"), width: image.getAttribute("width"), height: image.getAttribute("height")};
    }
    const themes = (root) => [...root.querySelectorAll(".pane")].map((pane) => pane.dataset.theme).join();
    if (themes(next) !== themes(document)) {
      document.querySelector("#stage").replaceChildren(...next.querySelector("#stage").childNodes);
      document.querySelector("#stage").className = next.querySelector("#stage").className;
      stand();
    } else if (!isTurned) {
      await paint(pictures, next.querySelector(".pane img")?.alt || "");
    }
    painted = null;
    for (const knob of knobs()) if (knob.dataset.knob in params) write(knob, params[knob.dataset.knob]);
    for (const knob of knobs()) enable(knob);
    buttons(wishes() || {});
    if (isTurned) turn(wishes() || {});
    squeezedSoon();
  });

  begin();
});
