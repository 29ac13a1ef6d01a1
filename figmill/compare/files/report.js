"use strict";
(async () => {
  async function read(node) {
    if (node.type === "application/json") return JSON.parse(node.textContent);
    const bytes = Uint8Array.from(atob(node.textContent), (letter) => letter.charCodeAt(0));
    const whole = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(whole).json();
  }
  const data = await read(document.getElementById("data"));
  const MODES = [["sides", "Side by side"], ["slider", "Slider"], ["onion", "Onion skin"], ["blink", "Blink"], ["difference", "Difference"]];
  const themesOf = (figure) => figure.states.flatMap((one) => one.themes);
  const hasOne = data.figures.some((figure) => themesOf(figure).some((theme) => theme.change));
  if (hasOne) MODES.push(["change", "Change"]); // key 6, but the first to be shown
  const VERBS = { create: "new", change: "changed", rename: "renamed", remove: "gone", fail: "failed" };
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const state = { mode: hasOne ? "change" : "sides", theme: "light", only: false, words: "", at: "" };
  const urls = new Map();
  const cards = new Map();
  const main = document.getElementById("page");

  function make(tag, properties = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (name === "class") node.className = value;
      else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (name in node && !name.startsWith("aria")) node[name] = value;
      else node.setAttribute(name, value);
    }
    node.append(...children.filter((child) => child !== null));
    return node;
  }

  const text = (numbers) => numbers.map((number) => data.lines[number]).join("\n");

  /** The width and height of an SVG in whole px. */
  function sizeOf(svg) {
    const [head] = /<svg[^>]*>/.exec(text(svg)) ?? [""];
    return ["width", "height"].map((name) => Math.round(Number(new RegExp(` ${name}="([0-9.]+)"`).exec(head)?.[1] ?? 1)));
  }

  // An SVG is shown as a picture: its scripts do not run, and it loads nothing.
  function picture(svg, words) {
    if (!urls.has(svg)) urls.set(svg, URL.createObjectURL(new Blob([text(svg)], { type: "image/svg+xml" })));
    const [width, height] = sizeOf(svg); // known before it is loaded, so that nothing moves
    return make("img", { src: urls.get(svg), alt: words, width, height });
  }

  function shareOf(share) {
    if (share === 0) return "no pixel differs";
    const percent = share >= 0.001 ? (100 * share).toFixed(1) : "under 0.1";
    return `${percent} % of the pixels differ`;
  }

  // A box around each place that differs; the last child of the element that holds the picture.
  function marks(theme, image) {
    const all = theme.boxes.map(() => make("span", { class: "mark" }));
    const place = () => {
      const scale = image.clientWidth / image.naturalWidth;
      theme.boxes.forEach(([left, top, right, bottom], number) => {
        const { style } = all[number];
        style.left = `${left * scale - 3}px`;
        style.top = `${top * scale - 3}px`;
        style.width = `${(right - left) * scale + 6}px`;
        style.height = `${(bottom - top) * scale + 6}px`;
      });
    };
    image.addEventListener("load", place);
    new ResizeObserver(place).observe(image);
    return all;
  }

  function side(name, svg, theme, box) {
    const image = svg === null ? null : picture(svg, `${name}, ${theme.name}`);
    const canvas = make("div", { class: "canvas" });
    if (image) {
      const over = make("div", { class: "over" }, image);
      if (box) over.append(...marks(theme, image));
      canvas.append(over);
    } else canvas.append(make("p", {}, "There is none."));
    return make("figure", {}, make("figcaption", {}, name), canvas);
  }

  function control(label, value, change) {
    const input = make("input", { type: "range", min: "0", max: "100", value: String(value), "aria-label": label });
    input.addEventListener("input", () => change(Number(input.value)));
    change(value);
    return make("label", { class: "control" }, label, input);
  }

  // One picture over the other, at the same scale, in as much room as the larger one needs.
  function layers(...pairs) {
    const widths = pairs.map(([, svg]) => sizeOf(svg)[0]);
    const widest = Math.max(...widths);
    pairs.forEach(([image], number) => { image.style.width = `${100 * widths[number] / widest}%`; });
    const over = make("div", { class: "over layers" }, ...pairs.map(([image]) => image));
    over.style.width = `${widest}px`;
    return over;
  }

  // The pictures of an interactive figure that differ: a choice in its card sets which one is shown.
  const shownOf = (figure) => figure.states[figure.at ?? 0];

  function chooser(figure, changed) {
    if (figure.states.length < 2) return null;
    const options = figure.states.map((one, number) => make("option", { value: String(number) }, one.name || "as declared"));
    const select = make("select", {}, ...options);
    select.value = String(figure.at);
    select.addEventListener("change", () => { figure.at = Number(select.value); changed(); });
    return make("label", { class: "choose" }, "Picture ", select);
  }

  function stage(figure) {
    const themes = shownOf(figure)?.themes ?? [];
    const theme = themes.find((one) => one.name === state.theme) || themes[0];
    if (!theme) return null;
    const before = theme.before;
    const after = theme.same ? theme.before : theme.after;
    const box = make("div", { class: `stage ${theme.name}` });
    if (state.mode === "change" && theme.change) {
      const image = picture(theme.change, `The change, ${theme.name}: ${[...theme.legend, ...figure.said].join("; ")}`);
      const legend = make("ul", { class: "legend" }, ...theme.legend.map((text) => make("li", {}, text)));
      box.append(make("div", { class: "canvas" }, image), legend);
      return box;
    }
    if (before === null || after === null || state.mode === "sides" || state.mode === "change") {
      if (state.mode === "change" && before !== null && after !== null && !theme.same) box.append(make("p", { class: "control" }, "This change is not shown as one picture: it is a plot, too much is different, or nothing that the picture could mark."));
      box.append(make("div", { class: "sides" }, side("Before", before, theme, false), side("After", after, theme, true)));
      return box;
    }
    const old = picture(before, `Before, ${theme.name}`);
    const now = picture(after, `After, ${theme.name}`);
    const over = layers([old, before], [now, after]);
    box.append(make("div", { class: "canvas" }, over));
    if (state.mode === "difference") over.classList.add("differs");
    if (state.mode === "slider") {
      box.append(control("How much of the new picture is shown, from the right", 50, (value) => {
        now.style.clipPath = `inset(0 0 0 ${100 - value}%)`;
        old.style.clipPath = `inset(0 ${value}% 0 0)`;
      }));
    }
    if (state.mode === "onion") {
      box.append(control("Opacity of the new picture", 50, (value) => { now.style.opacity = String(value / 100); }));
    }
    if (state.mode === "blink") {
      over.classList.add("blinks");
      const button = make("button", { type: "button", onclick: () => over.classList.toggle("before") }, "Switch by hand");
      box.append(make("div", { class: "control" }, still.matches ? "Blinking is off, as this machine asks for less motion." : "Once a second.", button));
    }
    return box;
  }

  // At most once a second, and never if the reader prefers reduced motion.
  setInterval(() => {
    if (state.mode !== "blink" || still.matches) return;
    for (const over of document.querySelectorAll(".blinks")) over.classList.toggle("before");
  }, 1000);

  function table(caption, rows) {
    if (!rows.length) return null;
    const head = make("tr", {}, ...["", "Before", "After"].map((name) => make("th", { scope: "col" }, name || caption)));
    return make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows.map(([name, old, now]) => make("tr", {},
      make("th", { scope: "row" }, name), make("td", {}, old === null ? "(none)" : old), make("td", {}, now === null ? "(none)" : now === old ? "the same" : now)))));
  }

  function card(figure) {
    const heading = make("h2", {}, figure.label);
    const link = make("a", { href: `#${address(figure.label)}` }, "link");
    const node = make("article", { class: figure.verb, tabIndex: -1, "aria-label": figure.label },
      make("div", { class: "head" }, heading, make("span", { class: "verb" }, VERBS[figure.verb]),
        make("span", { class: "share" }, figure.verb === "change" ? shareOf(figure.share) : ""), link),
      figure.errors.length ? make("ul", { class: "said bad" }, ...figure.errors.map((text) => make("li", {}, text))) : null,
      figure.said.length ? make("ul", { class: "said" }, ...figure.said.map((text) => make("li", {}, text))) : null,
      figure.reasons.length ? make("p", { class: "reasons" }, `Why: ${figure.reasons.join(", ")}`) : null);
    const place = make("div", {});
    const differs = figure.states.findIndex((one) => one.themes.some(({ share }) => share > 0));
    figure.at = Math.max(0, differs);
    const choose = chooser(figure, () => { cards.get(figure.label).shown = ""; draw(cards.get(figure.label)); });
    if (choose) node.append(choose);
    node.append(place);
    const texts = table("Words", figure.texts.filter(([, old, now]) => old !== now));
    const facts = table("Facts", figure.facts);
    if (texts) node.append(texts);
    if (facts) node.append(facts);
    for (const theme of themesOf(figure)) {
      if (theme.trouble) node.append(make("p", { class: "bad" }, `${theme.name}: ${theme.trouble}`));
      if (theme.diff.length) node.append(make("details", {}, make("summary", {}, `Text of ${theme.path}`), make("pre", { tabIndex: 0 }, theme.diff.map((line) => typeof line === "string" ? line : line[0] + data.lines[line[1]]).join("\n"))));
    }
    link.addEventListener("click", (event) => { event.preventDefault(); go(figure.label); });
    return { figure, node, place, shown: "" };
  }

  const address = (label) => new URLSearchParams({ figure: label, mode: state.mode, theme: state.theme }).toString();

  // Pictures are made when their card nears the window, so three hundred figures stay fast.
  const near = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const one = [...cards.values()].find(({ node }) => node === entry.target);
      one.near = entry.isIntersecting;
      if (one.near) draw(one);
    }
  }, { rootMargin: "800px" });

  function draw(one) {
    const wanted = `${state.mode} ${state.theme}`;
    if (one.shown === wanted) return;
    one.shown = wanted;
    one.place.replaceChildren(...[stage(one.figure)].filter((node) => node !== null));
  }

  /** Draw a card and those beside it at once: what is scrolled to stays where it is. */
  function drawAround(label) {
    const shown = [...cards.values()].filter(({ node }) => !node.hidden);
    const at = shown.findIndex(({ figure }) => figure.label === label);
    for (const one of shown.slice(Math.max(0, at - 2), at + 3)) draw(one);
  }

  function update() {
    for (const one of cards.values()) {
      const text = [one.figure.label, ...one.figure.said, ...one.figure.errors, ...one.figure.texts.flat()].join(" ").toLowerCase();
      one.node.hidden = (state.only && !one.figure.seen) || !text.includes(state.words.toLowerCase());
      if (one.near) draw(one); else one.shown = "";
      one.node.classList.toggle("current", one.figure.label === state.at);
    }
    none.hidden = !cards.size || [...cards.values()].some(({ node }) => !node.hidden);
    for (const button of document.querySelectorAll("button[data-mode]")) button.setAttribute("aria-pressed", String(button.dataset.mode === state.mode));
    for (const button of document.querySelectorAll("button[data-theme]")) button.setAttribute("aria-pressed", String(button.dataset.theme === state.theme));
  }

  function remember() {
    history.replaceState(null, "", `#${address(state.at)}`);
  }

  function go(label) {
    if (!cards.has(label)) return;
    state.at = label;
    update();
    remember();
    drawAround(label);
    const { node } = cards.get(label);
    node.scrollIntoView({ block: "start", behavior: "auto" });
    node.focus({ preventScroll: true });
  }

  function step(by) {
    const shown = [...cards.values()].filter(({ node }) => !node.hidden).map(({ figure }) => figure.label);
    if (!shown.length) return;
    const at = shown.indexOf(state.at);
    go(shown[at < 0 ? 0 : Math.max(0, Math.min(shown.length - 1, at + by))]);
  }

  function setMode(mode) { state.mode = mode; update(); remember(); }
  function setTheme(theme) { state.theme = theme; update(); remember(); }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === "j" || event.key === "n") step(1);
    else if (event.key === "k" || event.key === "p") step(-1);
    else if (event.key === "t") setTheme(state.theme === "light" ? "dark" : "light");
    else if (event.key >= "1" && event.key <= String(MODES.length)) setMode(MODES[Number(event.key) - 1][0]);
    else return;
    event.preventDefault();
  });

  const search = make("input", { type: "search", placeholder: "Search", "aria-label": "Search in the changed figures" });
  search.addEventListener("input", () => { state.words = search.value; update(); });
  const none = make("p", { role: "status", hidden: true }, "No changed figure has this text.");
  const only = make("input", { type: "checkbox" });
  only.addEventListener("change", () => { state.only = only.checked; update(); });
  main.append(
    make("p", { class: "keys" }, "Keys: ", make("kbd", {}, "j"), " next, ", make("kbd", {}, "k"), " previous, ", make("kbd", {}, "1"), " to ", make("kbd", {}, String(MODES.length)), " how they are compared, ", make("kbd", {}, "t"), " theme."),
    make("div", { class: "find" },
      make("fieldset", {}, make("legend", {}, "Compare"), ...[...MODES.slice(5), ...MODES.slice(0, 5)].map(([mode, name]) => make("button", { type: "button", "data-mode": mode, onclick: () => setMode(mode) }, name))),
      make("fieldset", {}, make("legend", {}, "Theme"), ...["light", "dark"].map((theme) => make("button", { type: "button", "data-theme": theme, onclick: () => setTheme(theme) }, theme))),
      make("label", { class: "search" }, search), make("label", {}, only, "only what can be seen")), none);
  for (const figure of data.figures) {
    const one = card(figure);
    cards.set(figure.label, one);
    main.append(one.node);
    near.observe(one.node);
  }
  const first = [...cards.keys()][0];
  if (first) drawAround(first); // before anything is painted
  if (!data.figures.length) main.append(make("p", {}, "No figure differs."));
  function follow() {
    const asked = new URLSearchParams(location.hash.slice(1));
    if (MODES.some(([mode]) => mode === asked.get("mode"))) state.mode = asked.get("mode");
    if (["light", "dark"].includes(asked.get("theme"))) state.theme = asked.get("theme");
    update();
    if (asked.get("figure")) go(asked.get("figure"));
  }
  addEventListener("hashchange", follow);
  follow();
})();
