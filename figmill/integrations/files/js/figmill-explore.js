/* figmill: interactive figures. Finds each [data-figmill-explore], puts controls there, and changes the picture of the
   figure around it. Needs no server: every picture is a file beside the others. Without this script, and on paper, the
   page shows the figure as its author declared it. After adding figures to a page: figmillExplore(). */
"use strict";
(() => {
  const RADIOS = 2; // numbers to choose from, above which they become a range
  const FACTS = 4; // shown at most
  let count = 0; // of all controls, for names that are unique in the page

  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const words = (value) => (value === undefined ? "\u2013" : value === null ? "none" : String(value));
  const spoken = (name) => name.replaceAll("_", " ");
  const letters = (text) => (text ?? "").replace(/[^\p{L}\p{N}]+/gu, "");
  const number = (value) => (Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4))));
  const isSeen = (image) => getComputedStyle(image).display !== "none";

  /** The address of a file of the book. known, url: the path and the address of another file, which the page shows. */
  function address(path, known, url, base) {
    if (base !== undefined) return new URL(encodeURI(path.replace(/^(\.\.\/)+/, "")), new URL(base, document.baseURI)).href;
    const [to, from] = [path.split("/"), known.split("/")];
    while (from.length > 1 && to[0] === from[0]) [to, from].forEach((parts) => parts.shift());
    return new URL("../".repeat(from.length - 1) + to.map(encodeURIComponent).join("/"), url).href;
  }

  /** The names of the first few facts that differ between pictures. */
  function varyingFacts(pictures) {
    const names = Object.keys(pictures[0].facts).filter((name) => {
      const values = pictures.map((picture) => picture.facts[name]);
      return values.every((value) => typeof value !== "object") && new Set(values).size > 1;
    });
    return names.slice(0, FACTS);
  }

  /** The text of the caption, where it is the figure's own and not the page's. */
  function captionOf(figure, text) {
    const caption = figure.querySelector("figcaption");
    if (!caption || !text) return null;
    const walker = document.createTreeWalker(caption, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) if (letters(walker.currentNode.data) === letters(text)) return walker.currentNode;
    return null;
  }

  /** The facts in the page's words that follow a figure: in its own caption, below it, or above the first of its kind. */
  function followers(figure, label) {
    const alike = [...document.querySelectorAll("figure [data-figmill-explore]")]
      .filter((one) => one.dataset.figmillFigure === label).map((one) => one.closest("figure"));
    const isAfter = (fact, one) => one.compareDocumentPosition(fact) & Node.DOCUMENT_POSITION_FOLLOWING;
    const leader = (fact) =>
      alike.find((one) => one.contains(fact)) ?? alike.findLast((one) => isAfter(fact, one)) ?? alike[0];
    return [...document.querySelectorAll("[data-figmill-fact]")]
      .filter((fact) => fact.dataset.figmillFact === label && leader(fact) === figure);
  }

  /** A range for numbers, radio buttons for all else. choose: is called with the position of the new value. */
  function control(name, values, start, choose) {
    const id = `figmill-knob-${++count}`;
    if (values.length > RADIOS && values.every((value) => typeof value === "number")) {
      const output = make("span", { class: "figmill-value", "aria-hidden": "true" }, words(values[start])); // the range says it
      const input = make("input", { type: "range", autocomplete: "off", id, min: 0, max: values.length - 1, step: 1, value: start });
      const tell = () => {
        output.textContent = words(values[input.value]);
        input.setAttribute("aria-valuetext", `${spoken(name)} ${words(values[input.value])}`);
      };
      input.addEventListener("input", () => { tell(); choose(Number(input.value)); });
      tell();
      const element = make("div", { class: "figmill-knob" }, make("label", { for: id }, spoken(name)), input, output);
      return { element, set: (at) => { input.value = at; tell(); } };
    }
    const inputs = values.map((_, at) => make("input", { type: "radio", autocomplete: "off", name: id, id: `${id}-${at}`, value: at }));
    inputs.forEach((input, at) => input.addEventListener("change", () => choose(at)));
    const labels = values.map((value, at) =>
      make("label", { for: `${id}-${at}` }, inputs[at], make("span", {}, words(value))));
    inputs[start].checked = true;
    const element = make("fieldset", { class: "figmill-knob" }, make("legend", {}, spoken(name)), ...labels);
    return { element, set: (at) => { inputs[at].checked = true; } };
  }

  function explore(place) {
    if (place.childElementCount) return;
    const figure = place.closest("figure");
    const wrapper = figure?.querySelector(".figmill-picture");
    if (!wrapper?.querySelector("img")) return;
    const { parameters, declared, pictures } = JSON.parse(place.dataset.figmillExplore);
    const names = Object.keys(parameters);
    const own = [...wrapper.querySelectorAll("img")];
    const caption = captionOf(figure, pictures[declared].caption);
    const ownWords = caption?.data;
    const factNames = varyingFacts(pictures);
    const loaded = new Map(); // of neighbours, kept in memory
    let [images, shown, latest] = [own, declared, 0];

    const places = (at) => {
      const positions = [];
      for (const name of [...names].reverse()) {
        positions.unshift(at % parameters[name].length);
        at = Math.floor(at / parameters[name].length);
      }
      return positions;
    };
    const at = (chosen) => names.reduce((sum, name, index) => sum * parameters[name].length + chosen[index], 0);
    const themeOf = (image) =>
      image.classList.contains("figmill-dark") || pictures[declared].files[0].theme === "dark" ? "dark" : "light";
    const fileOf = (picture, image) => picture.files.find((file) => file.theme === themeOf(image)) ?? picture.files[0];
    const urlOf = (picture, image) =>
      address(fileOf(picture, image).path, fileOf(pictures[declared], image).path, image.src, place.dataset.figmillBase);
    try {
      own.forEach((image) => urlOf(pictures.at(-1), image));
    } catch {
      return; // the page embeds its pictures: there are no files beside it
    }

    /** The element of a picture: a copy of the declared one with another source. */
    function twin(image, picture) {
      const [file, before] = [fileOf(picture, image), fileOf(pictures[declared], image)];
      const across = Number(image.getAttribute("width"));
      const scale = !across || across === Math.round(before.width) ? 1 : across / before.width;
      const one = image.cloneNode();
      one.alt = image.alt === pictures[declared].alt ? picture.alt : image.alt;
      one.width = Math.round(file.width * scale);
      one.height = Math.round(file.height * scale);
      one.src = urlOf(picture, image);
      return one;
    }

    function put(next, picture) {
      next.forEach((image, index) => {
        const before = own[index].isConnected ? own[index] : images[index];
        const link = before.parentElement;
        if (link?.localName === "a" && link.href === before.src) link.href = image.src;
        if (before !== image) before.replaceWith(image);
      });
      if (caption) caption.data = picture === pictures[declared] ? ownWords : picture.caption;
      for (const fact of followers(figure, place.dataset.figmillFigure)) {
        fact.textContent = fact.dataset.figmillTexts.split("\n")[pictures.indexOf(picture)];
      }
    }

    function preload() {
      const seen = own.filter((_, index) => isSeen(images[index]));
      const chosen = places(shown);
      chosen.forEach((value, index) => {
        for (const near of [value - 1, value + 1]) {
          if (near < 0 || near >= parameters[names[index]].length) continue;
          const picture = pictures[at(chosen.with ? chosen.with(index, near) : chosen.map((v, i) => (i === index ? near : v)))];
          for (const image of seen) {
            const url = urlOf(picture, image);
            if (loaded.has(url)) continue;
            const one = new Image();
            one.src = url;
            loaded.set(url, one);
          }
        }
      });
    }

    const status = make("p", { class: "figmill-facts", role: "status", "aria-live": "polite" });
    function tell(picture) {
      status.textContent = factNames.map((name) => {
        const value = picture.facts[name];
        return `${spoken(name)} ${typeof value === "number" ? number(value) : words(value)}`;
      }).join(" \u00b7 ");
    }

    /** Change the picture once the next one is ready to be painted; the latest choice wins. */
    async function show(wanted) {
      const mine = ++latest;
      const picture = pictures[wanted];
      const next = wanted === declared ? own : own.map((image) => twin(image, picture));
      const seen = next.filter((_, index) => isSeen(images[index])); // not that of the other theme
      try {
        await Promise.all(seen.map((image) => { image.loading = "eager"; return image.decode(); }));
      } catch {
        if (mine === latest) status.textContent = "This picture could not be loaded.";
        return;
      }
      if (mine !== latest) return;
      put(next, picture);
      [images, shown] = [next, wanted];
      reset.disabled = wanted === declared;
      figure.dataset.figmillShown = wanted;
      tell(picture);
      figure.dispatchEvent(new CustomEvent("figmill-explore", { bubbles: true, detail: picture }));
      preload();
    }

    const chosen = places(declared);
    const knobs = names.map((name, index) =>
      control(name, parameters[name], chosen[index], (value) => { chosen[index] = value; show(at(chosen)); }));
    const reset = make("button", { type: "button", class: "figmill-reset" }, "Reset");
    reset.disabled = true;
    reset.addEventListener("click", () => {
      places(declared).forEach((value, index) => { chosen[index] = value; knobs[index].set(value); });
      knobs[0].element.querySelector("input:checked, input")?.focus();
      show(declared);
    });
    // The place of the picture is as high as the highest one, so that the controls below it do not move; but at most
    // twice as high as the declared one, to avoid a blank page.
    const spare = wrapper.offsetHeight - (own.find(isSeen)?.offsetHeight ?? 0);
    function reserve() {
      const [like, across] = [own[0], wrapper.clientWidth];
      const drawn = ({ width, height }) => {
        const scale = (Number(like.getAttribute("width")) || width) / Math.round(fileOf(pictures[declared], like).width);
        return height * Math.min(scale, across / width);
      };
      const heights = pictures.map((picture) => drawn(fileOf(picture, like)));
      wrapper.style.minHeight = `${Math.ceil(Math.min(Math.max(...heights), 2 * heights[declared]) + spare)}px`;
    }
    new ResizeObserver(reserve).observe(figure);

    const group = make("div", { class: "figmill-knobs", role: "group", "aria-label": "Change this figure" });
    group.append(...knobs.map((knob) => knob.element));
    place.append(group, make("div", { class: "figmill-told" }, status, reset));
    tell(pictures[declared]);

    // Print shows the declared picture.
    const plain = () => put(own, pictures[declared]);
    const again = () => put(images, pictures[shown]);
    window.addEventListener("beforeprint", plain);
    window.addEventListener("afterprint", again);
    matchMedia("print").addEventListener("change", (event) => (event.matches ? plain() : again()));

    const watcher = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watcher.disconnect();
      (window.requestIdleCallback ?? setTimeout)(preload);
    });
    watcher.observe(figure);
  }

  const start = (root = document) => root.querySelectorAll("[data-figmill-explore]").forEach(explore);
  window.figmillExplore = start;
  // Material and Zensical replace pages in place, and announce it; but not for pages opened from a disk.
  window.document$?.subscribe?.(() => start());
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => start());
  else start();
})();
