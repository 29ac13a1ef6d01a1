/* figmill: enlarge a figure. A tap on a picture, its button, or a pinch opens it in a dialog, in the page's theme,
   at no less than its size there; readers can zoom and move it. Needs no server. Without this script the page shows the same figures; narrow
   screens scroll them. After adding figures to a page: figmillZoom(). */
"use strict";
(() => {
  const STEPS = [1, 1.5, 2, 3, 4]; // sizes, as multiples of the first
  const PINCH = 1.15; // how far two fingers must have spread

  const WORDS = {
    ar: { "Enlarge": "تكبير", "Enlarge: {0}": "تكبير: {0}", "Close": "إغلاق", "Smaller": "أصغر", "Larger": "أكبر", "Fit": "ملاءمة", "Picture": "صورة", "Figure": "شكل" },
    de: { "Enlarge": "Vergrößern", "Enlarge: {0}": "Vergrößern: {0}", "Close": "Schließen", "Smaller": "Kleiner", "Larger": "Größer", "Fit": "Einpassen", "Picture": "Bild", "Figure": "Abbildung" },
    es: { "Enlarge": "Ampliar", "Enlarge: {0}": "Ampliar: {0}", "Close": "Cerrar", "Smaller": "Más pequeño", "Larger": "Más grande", "Fit": "Ajustar", "Picture": "Imagen", "Figure": "Figura" },
    fr: { "Enlarge": "Agrandir", "Enlarge: {0}": "Agrandir : {0}", "Close": "Fermer", "Smaller": "Plus petit", "Larger": "Plus grand", "Fit": "Ajuster", "Picture": "Image", "Figure": "Figure" },
    it: { "Enlarge": "Ingrandisci", "Enlarge: {0}": "Ingrandisci: {0}", "Close": "Chiudi", "Smaller": "Più piccolo", "Larger": "Più grande", "Fit": "Adatta", "Picture": "Immagine", "Figure": "Figura" },
    ja: { "Enlarge": "拡大", "Enlarge: {0}": "拡大：{0}", "Close": "閉じる", "Smaller": "縮小", "Larger": "拡大", "Fit": "全体", "Picture": "画像", "Figure": "図" },
    pt: { "Enlarge": "Ampliar", "Enlarge: {0}": "Ampliar: {0}", "Close": "Fechar", "Smaller": "Menor", "Larger": "Maior", "Fit": "Ajustar", "Picture": "Imagem", "Figure": "Figura" },
    zh: { "Enlarge": "放大", "Enlarge: {0}": "放大：{0}", "Close": "关闭", "Smaller": "缩小", "Larger": "放大", "Fit": "适合窗口", "Picture": "图片", "Figure": "图" },
  };

  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  /** The words of this script in the language of the page around an element; `figmillWords` may have others. */
  const speaker = (element) => {
    const code = (element.closest("[lang]")?.lang ?? "").toLowerCase().split(/[-_]/)[0];
    return (text, ...values) => (window.figmillWords?.[text] ?? WORDS[code]?.[text] ?? text).replace("{0}", () => values[0]);
  };
  const isSeen = (element) => element.getClientRects().length > 0;
  const picture = (wrapper) => [...wrapper.querySelectorAll("img, svg")].find(isSeen);

  /** The name of a figure: its caption, or the first words of its alt text. */
  function nameOf(figure) {
    const words = figure.querySelector("figcaption")?.textContent || picture(figure)?.alt || picture(figure)?.querySelector("desc")?.textContent || "";
    const text = words.replaceAll("\u00b6", "").replace(/\s+/g, " ").trim();
    return text.length > 120 ? `${text.slice(0, 119)}\u2026` : text || speaker(figure)("Figure");
  }

  /** The colour behind an element. */
  function paper(element) {
    for (let one = element; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if (!/^(transparent|rgba\(.*, 0\))$/.test(colour)) return colour;
    }
    return "Canvas";
  }

  function open(figure, wrapper, opener) {
    const shown = picture(wrapper);
    if (!shown) return;
    const say = speaker(figure);
    const close = make("button", { type: "button", class: "figmill-close" }, say("Close"));
    const smaller = make("button", { type: "button" }, say("Smaller"));
    const larger = make("button", { type: "button" }, say("Larger"));
    const whole = make("button", { type: "button" }, say("Fit"));
    const percent = make("span", { role: "status", class: "figmill-size" });
    const copy = wrapper.cloneNode(true);
    copy.querySelectorAll(".figmill-words, .figmill-enlarge").forEach((one) => one.remove());
    copy.querySelectorAll("[id]").forEach((one) => { if (one.localName === "img") one.removeAttribute("id"); });
    for (const name of ["id", "tabindex", "role", "aria-label", "style"]) copy.removeAttribute(name);
    copy.classList.remove("figmill-more");
    const pane = make("div", { class: "figmill-pane", dir: "ltr", tabindex: "0", role: "group", "aria-label": say("Picture") }, copy);
    const bar = make("div", { class: "figmill-bar" }, smaller, larger, whole, percent, close);
    const dialog = make("dialog", { class: "figmill-zoom", "aria-label": nameOf(figure) }, bar, pane);
    dialog.style.background = paper(figure);
    dialog.style.color = getComputedStyle(figure).color;
    figure.after(dialog); // beside the figure, so that the page's theme applies

    const [across, down] = [shown.getAttribute("width"), shown.getAttribute("height")].map(Number);
    const box = shown.getBoundingClientRect();
    const ratio = across && down ? down / across : box.height / (box.width || 1);
    const start = Math.max(0, wrapper.getBoundingClientRect().left - box.left) / (box.width || 1); // scrolled to, as a share
    let step = 1; // 0: all of it is visible
    let width = 0;
    /** The widths in px, the smallest first. The first but one is at least the width in the page. */
    function sizes() {
      const [room, high] = [pane.clientWidth - 16, (pane.clientHeight - 16) / ratio];
      const first = Math.max(box.width, Math.min(room, Math.max(high, across || 320)));
      return [Math.min(room, high, first), ...STEPS.map((by) => by * first)];
    }
    function size() {
      const all = sizes();
      const middle = [pane.scrollLeft + pane.clientWidth / 2, pane.scrollTop + pane.clientHeight / 2]
        .map((at, index) => at / ([pane.scrollWidth, pane.scrollHeight][index] || 1));
      const isFirst = !width;
      width = all[step];
      for (const one of copy.querySelectorAll("img, svg")) {
        Object.assign(one.style, { width: `${width}px`, height: "auto", maxWidth: "none", minWidth: "0", maxHeight: "none" });
      }
      if (isFirst) pane.scrollTo(start * width, 0);
      else pane.scrollTo(middle[0] * pane.scrollWidth - pane.clientWidth / 2, step > 1 ? middle[1] * pane.scrollHeight - pane.clientHeight / 2 : 0);
      const fits = width <= all[0];
      for (const [button, is] of [[smaller, fits], [whole, fits], [larger, step === STEPS.length]]) button.setAttribute("aria-disabled", is);
      percent.textContent = `${Math.round(100 * width / (across || box.width))} %`;
    }
    function go(wanted) {
      const [whole, first] = sizes();
      const next = Math.min(STEPS.length, Math.max(whole < first ? 0 : 1, wanted));
      if (next !== step) { step = next; size(); }
    }
    smaller.addEventListener("click", () => go(step - 1));
    larger.addEventListener("click", () => go(step + 1));
    whole.addEventListener("click", () => go(0));
    close.addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
    dialog.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const next = { "+": step + 1, "=": step + 1, "-": step - 1, "0": 0 }[event.key];
      if (next !== undefined) { go(next); event.preventDefault(); }
      event.stopPropagation(); // the page's own keys, such as those of its search
    });
    const watcher = new ResizeObserver(() => size());
    dialog.addEventListener("close", () => {
      watcher.disconnect();
      dialog.remove();
      opener.focus({ preventScroll: true });
    });
    dialog.showModal();
    close.focus();
    watcher.observe(pane);
  }

  function enlargeable(wrapper) {
    const figure = wrapper.closest("figure");
    if (!figure || wrapper.dataset.figmillZoom || wrapper.closest("dialog, a") || wrapper.querySelector("a > img")) return;
    wrapper.dataset.figmillZoom = "yes";
    const say = speaker(figure);
    const button = make("button", { type: "button", class: "figmill-enlarge", "aria-haspopup": "dialog" }, say("Enlarge"));
    const name = nameOf(figure);
    button.setAttribute("aria-label", say("Enlarge: {0}", name));
    const place = wrapper.nextElementSibling;
    if (place?.matches(".figmill-tools")) place.append(button);
    else wrapper.after(button);
    button.addEventListener("click", () => open(figure, wrapper, button));
    wrapper.addEventListener("click", (event) => {
      if (event.target.closest("a")) return; // of a drawing
      if (event.target.closest("img, svg") && !String(getSelection())) open(figure, wrapper, button);
    });
    let spread = 0;
    const distance = ({ touches: [one, other] }) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
    wrapper.addEventListener("touchstart", (event) => { spread = event.touches.length === 2 ? distance(event) : 0; }, { passive: true });
    wrapper.addEventListener("touchmove", (event) => {
      if (spread && event.touches.length === 2 && distance(event) > PINCH * spread) {
        spread = 0;
        open(figure, wrapper, button);
      }
    }, { passive: true });
    wrapper.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.target === wrapper) open(figure, wrapper, button);
    });

    // The button appears where enlarging helps: where the picture is smaller than it was drawn, or does not fit.
    function look() {
      const shown = picture(wrapper);
      if (!shown) return;
      const scrolls = wrapper.scrollWidth > wrapper.clientWidth + 1;
      const drawn = Number(shown.getAttribute("width")) || shown.naturalWidth || 0;
      const isSmall = shown.getBoundingClientRect().width < drawn - 1;
      button.classList.toggle("figmill-quiet", !scrolls && !isSmall);
      wrapper.classList.toggle("figmill-fits", !scrolls); // Chromium keeps the fade of a box that has become wide enough
      wrapper.classList.toggle("figmill-more", scrolls && Math.abs(wrapper.scrollLeft) + wrapper.clientWidth < wrapper.scrollWidth - 1);
      if (wrapper.getAttribute("role") === "group") wrapper.tabIndex = scrolls ? 0 : -1; // no needless stop of the Tab key
    }
    new ResizeObserver(look).observe(wrapper);
    wrapper.addEventListener("scroll", look, { passive: true });
    wrapper.addEventListener("load", look, true);
    look();
  }

  const start = (root = document) =>
    root.querySelectorAll("figure.figmill > div.figmill-picture").forEach(enlargeable);
  window.figmillZoom = start;
  // Material and Zensical replace pages in place, and announce it; but not for pages opened from a disk.
  window.document$?.subscribe?.(() => start());
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => start());
  else start();
})();
