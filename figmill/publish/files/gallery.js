/* The gallery: thumbnails, search, filters, the choices of a theme and a language, one figure large, and what is copied.
   Without this script the page shows every figure large. */
"use strict";
(() => {
  const KEY = "figmill-theme";
  const root = document.documentElement;
  const stored = () => { try { return localStorage.getItem(KEY); } catch { return null; } };
  const store = (theme) => { try { localStorage.setItem(KEY, theme); } catch { /* a page without storage */ } };
  const theme = ["light", "dark"].find((name) => name === stored()) ?? "auto";
  root.dataset.theme = theme; // in the head, before anything is painted
  root.dataset.scripted = "";
  const asked = new URLSearchParams(location.search).get("language"); // that of the address, to share
  if (asked) root.style.visibility = "hidden"; // until the page is in this language

  function begin() {
    const find = (selector) => document.querySelector(selector);

    // Languages ----------------------------------------------------------------------------------------------------
    const languages = JSON.parse(find("#texts").textContent);
    const own = root.lang;
    const language = Object.keys(languages).find((code) => code === asked) ?? own;
    const say = (text, ...values) =>
      values.reduce((filled, value, at) => filled.replace(`{${at}}`, () => value), languages[language].texts[text] ?? text);
    const figuresOf = (number) => (number === 1 ? say("1 figure") : say("{0} figures", number));
    /** Put the page into the language of its address. A figure that lacks it stays in the book's own. */
    function speak() {
      for (const card of document.querySelectorAll(".cards > figure")) {
        Object.assign(card, { lang: own, dir: languages[own].dir });
      }
      for (const template of [...document.querySelectorAll(".cards > template")].filter((one) => one.lang === language)) {
        let card = template;
        while (card.localName === "template") card = card.previousElementSibling;
        card.replaceWith(template.content.firstElementChild);
      }
      Object.assign(root, { lang: language, dir: languages[language].dir });
      document.title = say("Figures");
      for (const one of document.querySelectorAll("[data-say]")) one.textContent = say(one.dataset.say);
      for (const one of document.querySelectorAll("[data-name]")) one.setAttribute("aria-label", say(one.dataset.name));
      for (const one of document.querySelectorAll("[data-count]")) {
        one.textContent = one.dataset.count === "1" ? say("1 warning") : say("{0} warnings", one.dataset.count);
      }
    }
    if (language !== own) speak();
    root.style.visibility = "";
    const picker = find("#language");
    if (picker) picker.value = language;
    picker?.addEventListener("change", () => {
      const next = new URL(location.href);
      if (picker.value === own) next.searchParams.delete("language");
      else next.searchParams.set("language", picker.value);
      location.assign(next);
    });
    const isLeftward = root.dir === "rtl"; // the next figure is on the left

    const cards = [...document.querySelectorAll(".cards > figure")];
    const [search, count, none] = [find("#search"), find("#count"), find("#none")];
    const dialog = find("dialog");
    const inside = dialog.querySelector(".large");
    const status = find("#status");
    const filters = [...document.querySelectorAll("select[data-filter]")];
    // The controls of a figure are in the large one alone.
    const explored = new Map();
    for (const place of document.querySelectorAll(".cards [data-figmill-explore]")) {
      explored.set(place.closest("figure"), place);
      place.remove();
    }
    let texts = null; // of all cards, once a reader searches

    // Themes -------------------------------------------------------------------------------------------------------
    const themes = find("#theme");
    themes.value = theme;
    themes.addEventListener("change", () => { root.dataset.theme = themes.value; store(themes.value); });

    // Search and filters -------------------------------------------------------------------------------------------
    const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
    const textOf = (card) => plain(`${card.id} ${card.textContent} ${card.querySelector("img")?.alt ?? ""}`);
    for (const select of filters) select.addEventListener("change", narrow);
    function narrow() {
      const words = plain(search.value).split(/\s+/).filter(Boolean);
      if (words.length) texts ??= cards.map(textOf);
      let left = 0;
      cards.forEach((card, index) => {
        const fits = filters.every((select) => !select.value || card.dataset[select.dataset.filter] === select.value)
          && words.every((word) => texts[index].includes(word));
        if (card.hidden === fits) card.hidden = !fits;
        left += fits;
      });
      const all = figuresOf(cards.length);
      count.textContent = left === cards.length ? all : say("{0} of {1}", left, all);
      none.hidden = left > 0 || !cards.length;
    }
    let waiting = 0;
    search.addEventListener("input", () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(narrow); });
    search.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !search.value) return;
      event.preventDefault();
      search.value = "";
      narrow();
    });

    // One figure, large --------------------------------------------------------------------------------------------
    const wanted = () => {
      try { return decodeURIComponent(location.hash.slice(1)); } catch { return ""; }
    };
    const shownCards = () => cards.filter((card) => !card.hidden);
    const cardOf = (id) => cards.find((card) => card.id === id);
    /** Show a figure large, once its picture is there, so that nothing moves below it. */
    async function open(card) {
      const copy = card.cloneNode(true);
      copy.removeAttribute("id");
      copy.hidden = false;
      if (explored.has(card)) copy.querySelector("figcaption").before(explored.get(card).cloneNode(true));
      copy.querySelectorAll("details").forEach((details) => { details.open = true; });
      const heading = copy.querySelector("h2");
      heading.id = "large-title";
      heading.querySelector("a").replaceWith(heading.querySelector("a").textContent);
      const at = [...card.querySelectorAll("img")].findIndex((image) => getComputedStyle(image).display !== "none");
      const seen = copy.querySelectorAll("img")[at];
      if (seen) {
        seen.loading = "eager";
        await seen.decode().catch(() => {}); // a picture that is gone
        if (wanted() !== card.id) return;
      }
      inside.replaceChildren(copy);
      dialog.dataset.id = card.id;
      status.textContent = "";
      if (!dialog.open) dialog.showModal();
      window.figmillExplore?.(inside);
    }
    function follow() {
      const card = cardOf(wanted());
      if (card) open(card);
      else if (dialog.open) dialog.close();
    }
    function step(by) {
      const all = shownCards();
      const at = all.findIndex((card) => card.id === dialog.dataset.id);
      const next = all[(at + by + all.length) % all.length];
      if (next) location.replace(`#${encodeURIComponent(next.id)}`);
    }
    dialog.addEventListener("close", () => {
      const card = cardOf(dialog.dataset.id);
      inside.replaceChildren();
      if (location.hash) history.replaceState(null, "", location.href.replace(/#.*$/, ""));
      card?.querySelector("h2 a").focus({ preventScroll: true });
    });
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
    document.querySelector("main").addEventListener("click", ({ target }) => {
      const card = target.closest(".figmill-picture img") && target.closest("figure.card");
      if (card && !String(getSelection())) location.hash = encodeURIComponent(card.id);
    });
    window.addEventListener("hashchange", follow);

    // The facts of a figure follow its controls.
    const asText = (value, sign) => Array.isArray(value) ? value.map((one) => asText(one, sign)).join(", ")
      : typeof value === "number" ? String(Number(value.toPrecision(6))).replace(".", sign) : String(value);
    document.addEventListener("figmill-explore", ({ target, detail }) => {
      for (const name of target.querySelectorAll("dt")) {
        if (!(name.textContent in detail.facts)) continue;
        name.nextElementSibling.firstElementChild.textContent = asText(detail.facts[name.textContent], target.dataset.decimal ?? ".");
      }
    });

    // Copying ------------------------------------------------------------------------------------------------------
    async function copy(text) {
      try {
        await navigator.clipboard.writeText(text);
      } catch { // a page without permission to copy
        const area = document.createElement("textarea");
        area.value = text;
        dialog.append(area);
        area.select();
        document.execCommand("copy");
        area.remove();
      }
      status.textContent = say("Copied {0}", text);
    }
    const ACTIONS = {
      id: () => copy(dialog.dataset.id),
      markdown: () => copy(`![](figmill:${dialog.dataset.id})`),
      before: () => step(-1),
      next: () => step(1),
      close: () => dialog.close(),
    };
    for (const button of dialog.querySelectorAll("[data-do]")) button.addEventListener("click", ACTIONS[button.dataset.do]);
    const keys = { before: isLeftward ? "ArrowRight" : "ArrowLeft", next: isLeftward ? "ArrowLeft" : "ArrowRight" };
    for (const [name, key] of Object.entries(keys)) find(`[data-do=${name}]`).setAttribute("aria-keyshortcuts", key);

    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
      if (dialog.open) {
        if (event.key === "ArrowLeft") step(isLeftward ? 1 : -1);
        if (event.key === "ArrowRight") step(isLeftward ? -1 : 1);
      } else if (event.key === "/") {
        event.preventDefault();
        search.focus();
      }
    });
    narrow();
    follow();
  }
  document.addEventListener("DOMContentLoaded", begin);
})();
