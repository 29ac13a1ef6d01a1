/* The gallery: search, filters, the switch of themes, one figure large, and what is copied. Without this script the page
   shows every figure as it is. */
"use strict";
(() => {
  const KEY = "figmill-theme";
  const root = document.documentElement;
  const stored = () => { try { return localStorage.getItem(KEY); } catch { return null; } };
  const store = (theme) => { try { localStorage.setItem(KEY, theme); } catch { /* a page without storage */ } };
  const theme = ["light", "dark"].find((name) => name === stored()) ?? "auto";
  root.dataset.theme = theme; // in the head, before anything is painted

  function begin() {
    const find = (selector) => document.querySelector(selector);
    const cards = [...document.querySelectorAll("main > figure.card")];
    const [search, count, none] = [find("#search"), find("#count"), find("#none")];
    const dialog = find("dialog");
    const inside = dialog.querySelector(".large");
    const status = find("#status");
    const filters = [...document.querySelectorAll("select[data-filter]")];
    // The cards as loaded, before a script fills them: of these the large ones are copied.
    const interactive = cards.filter((card) => card.querySelector("[data-figmill-explore]"));
    const declared = new Map(interactive.map((card) => [card, card.cloneNode(true)]));
    let texts = null; // of all cards, once a reader searches

    // Themes -------------------------------------------------------------------------------------------------------
    for (const input of document.querySelectorAll("input[name=theme]")) {
      input.checked = input.value === theme;
      input.addEventListener("change", () => { root.dataset.theme = input.value; store(input.value); });
    }

    // Search and filters -------------------------------------------------------------------------------------------
    const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
    const textOf = (card) => plain(`${card.id} ${card.textContent} ${card.querySelector("img")?.alt ?? ""}`);
    for (const select of filters) {
      const values = [...new Set(cards.map((card) => card.dataset[select.dataset.filter]))].sort();
      for (const value of values) select.append(new Option(value, value));
      select.parentElement.hidden = values.length < 2;
      select.addEventListener("change", narrow);
    }
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
      const all = cards.length === 1 ? "1 figure" : `${cards.length} figures`;
      count.textContent = left === cards.length ? all : `${left} of ${all}`;
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
    /** Turn a figure to the picture that its other copy shows. */
    function turnLike(one, other) {
      const detail = one?.dataset.figmillShown;
      if (detail !== undefined && detail !== other.dataset.figmillShown) other.dispatchEvent(new CustomEvent("figmill-show", { detail }));
    }
    const cardOf = (id) => cards.find((card) => card.id === id);
    function putBack() {
      const card = cardOf(dialog.dataset.id);
      if (card) turnLike(inside.querySelector("figure"), card);
      inside.replaceChildren();
      return card;
    }
    function open(card) {
      putBack();
      const copy = (declared.get(card) ?? card).cloneNode(true);
      copy.removeAttribute("id");
      copy.hidden = false;
      copy.querySelectorAll("details").forEach((details) => { details.open = true; });
      const heading = copy.querySelector("h2");
      heading.id = "large-title";
      heading.querySelector("a").replaceWith(heading.querySelector("a").textContent);
      inside.append(copy);
      dialog.dataset.id = card.id;
      window.figmillExplore?.(inside);
      turnLike(card, copy);
      status.textContent = "";
      if (!dialog.open) dialog.showModal();
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
      const card = putBack();
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
    const asText = (value) => Array.isArray(value) ? value.map(asText).join(", ")
      : typeof value === "number" ? String(Number(value.toPrecision(6))) : String(value);
    document.addEventListener("figmill-explore", ({ target, detail }) => {
      for (const name of target.querySelectorAll("dt")) {
        if (name.textContent in detail.facts) name.nextElementSibling.textContent = asText(detail.facts[name.textContent]);
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
      status.textContent = `Copied ${text}`;
    }
    const ACTIONS = {
      id: () => copy(dialog.dataset.id),
      markdown: () => copy(`![](figmill:${dialog.dataset.id})`),
      before: () => step(-1),
      next: () => step(1),
      close: () => dialog.close(),
    };
    for (const button of dialog.querySelectorAll("[data-do]")) button.addEventListener("click", ACTIONS[button.dataset.do]);

    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
      if (dialog.open) {
        if (event.key === "ArrowLeft") step(-1);
        if (event.key === "ArrowRight") step(1);
      } else if (event.key === "/") {
        event.preventDefault();
        search.focus();
      }
    });
    find(".tools").hidden = false;
    narrow();
    follow();
  }
  document.addEventListener("DOMContentLoaded", begin);
})();
