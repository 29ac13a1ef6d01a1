/* figmill: interactive figures. Finds each [data-figmill-explore], makes the controls in it work, and changes the picture
   of the figure around it. Needs no server: every picture is a file beside the others. Without this script, and on paper,
   the page shows the figure as its author declared it. After adding figures to a page: figmillExplore(). */
"use strict";
(() => {
  const NEAR = 24; // pictures that are loaded before they are asked for
  const REST = 200; // ms until the address follows a control: browsers limit how often it may change
  const WORDS = {
    ar: { "Reset": "إعادة الضبط", "Data": "البيانات", "Copy CSV": "نسخ CSV", "Copied": "تم النسخ", "Save CSV": "حفظ CSV", "Save JSON": "حفظ JSON", "Data of this figure": "بيانات هذا الشكل", "Change this figure": "تغيير هذا الشكل", "none": "لا شيء", "This picture could not be loaded.": "تعذر تحميل هذه الصورة.", "The address asks for {0}, which this figure does not have.": "يطلب العنوان {0}، وهذا غير موجود في هذا الشكل.", " and ": " و" },
    de: { "Reset": "Zurücksetzen", "Data": "Daten", "Copy CSV": "CSV kopieren", "Copied": "Kopiert", "Save CSV": "CSV speichern", "Save JSON": "JSON speichern", "Data of this figure": "Daten dieser Abbildung", "Change this figure": "Diese Abbildung ändern", "none": "keine", "This picture could not be loaded.": "Dieses Bild konnte nicht geladen werden.", "The address asks for {0}, which this figure does not have.": "Die Adresse verlangt {0}; das hat diese Abbildung nicht.", " and ": " und ", ".": "," },
    es: { "Reset": "Restablecer", "Data": "Datos", "Copy CSV": "Copiar CSV", "Copied": "Copiado", "Save CSV": "Guardar CSV", "Save JSON": "Guardar JSON", "Data of this figure": "Datos de esta figura", "Change this figure": "Cambiar esta figura", "none": "ninguno", "This picture could not be loaded.": "No se pudo cargar esta imagen.", "The address asks for {0}, which this figure does not have.": "La dirección pide {0}, que esta figura no tiene.", " and ": " y ", ".": "," },
    fr: { "Reset": "Réinitialiser", "Data": "Données", "Copy CSV": "Copier en CSV", "Copied": "Copié", "Save CSV": "Enregistrer en CSV", "Save JSON": "Enregistrer en JSON", "Data of this figure": "Données de cette figure", "Change this figure": "Modifier cette figure", "none": "aucune", "This picture could not be loaded.": "Cette image n’a pas pu être chargée.", "The address asks for {0}, which this figure does not have.": "L’adresse demande {0}, que cette figure n’a pas.", " and ": " et ", ".": "," },
    it: { "Reset": "Ripristina", "Data": "Dati", "Copy CSV": "Copia CSV", "Copied": "Copiato", "Save CSV": "Salva CSV", "Save JSON": "Salva JSON", "Data of this figure": "Dati di questa figura", "Change this figure": "Modifica questa figura", "none": "nessuna", "This picture could not be loaded.": "Impossibile caricare questa immagine.", "The address asks for {0}, which this figure does not have.": "L’indirizzo chiede {0}, che questa figura non ha.", " and ": " e ", ".": "," },
    ja: { "Reset": "リセット", "Data": "データ", "Copy CSV": "CSVをコピー", "Copied": "コピーしました", "Save CSV": "CSVを保存", "Save JSON": "JSONを保存", "Data of this figure": "この図のデータ", "Change this figure": "この図を変更", "none": "なし", "This picture could not be loaded.": "この画像を読み込めませんでした。", "The address asks for {0}, which this figure does not have.": "アドレスが求める{0}は、この図にはありません。", " and ": "と" },
    pt: { "Reset": "Redefinir", "Data": "Dados", "Copy CSV": "Copiar CSV", "Copied": "Copiado", "Save CSV": "Salvar CSV", "Save JSON": "Salvar JSON", "Data of this figure": "Dados desta figura", "Change this figure": "Alterar esta figura", "none": "nenhuma", "This picture could not be loaded.": "Não foi possível carregar esta imagem.", "The address asks for {0}, which this figure does not have.": "O endereço pede {0}, que esta figura não tem.", " and ": " e ", ".": "," },
    zh: { "Reset": "重置", "Data": "数据", "Copy CSV": "复制 CSV", "Copied": "已复制", "Save CSV": "保存 CSV", "Save JSON": "保存 JSON", "Data of this figure": "此图的数据", "Change this figure": "更改此图", "none": "无", "This picture could not be loaded.": "无法加载此图片。", "The address asks for {0}, which this figure does not have.": "地址要求{0}，此图没有。", " and ": "和" },
  };
  let count = 0; // of all controls, for names that are unique in the page

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
  const words = (value) => (value === undefined ? "\u2013" : value === null ? "none" : String(value));
  /** A value as readers see it, with the decimal sign of their language. */
  const inWords = (value, say) =>
    value === null ? say("none") : typeof value === "number" ? words(value).replace(".", () => say(".")) : words(value);
  const spoken = (name) => name.replaceAll("_", " ");
  const letters = (text) => (text ?? "").replace(/[^\p{L}\p{N}]+/gu, "");
  const isSeen = (image) => getComputedStyle(image).display !== "none";

  /** The address of a file of the book. known, url: the path and the address of another file, which the page shows. */
  function address(path, known, url, base) {
    if (base !== undefined) return new URL(encodeURI(path.replace(/^(\.\.\/)+/, "")), new URL(base, document.baseURI)).href;
    const [to, from] = [path.split("/"), known.split("/")];
    while (from.length > 1 && to[0] === from[0]) [to, from].forEach((parts) => parts.shift());
    return new URL("../".repeat(from.length - 1) + to.map(encodeURIComponent).join("/"), url).href;
  }

  /** The text of the caption, if it is the figure's own and not the page's. */
  function captionOf(figure, text) {
    const caption = figure.querySelector("figcaption");
    if (!caption || !text) return null;
    const walker = document.createTreeWalker(caption, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) if (letters(walker.currentNode.data) === letters(text)) return walker.currentNode;
    return null;
  }

  /** The facts in a page that follow a figure: in its own caption, below it, or above the first of its kind. */
  function followers(figure, label) {
    const alike = [...document.querySelectorAll("figure [data-figmill-explore]")]
      .filter((one) => one.dataset.figmillFigure === label).map((one) => one.closest("figure"));
    const isAfter = (fact, one) => one.compareDocumentPosition(fact) & Node.DOCUMENT_POSITION_FOLLOWING;
    const leader = (fact) =>
      alike.find((one) => one.contains(fact)) ?? alike.findLast((one) => isAfter(fact, one)) ?? alike[0];
    return [...document.querySelectorAll("[data-figmill-fact]")]
      .filter((fact) => fact.dataset.figmillFact === label && leader(fact) === figure);
  }

  // ---- the address of the page: `?ID.parameter=value` for what the reader has changed ----

  /** The name of a figure in the address. The second copy in a page is `ID~2`; a copy in a dialog has its figure's name. */
  function nameOf(place) {
    const alike = [...document.querySelectorAll("[data-figmill-explore]")].filter((one) =>
      one.dataset.figmillFigure === place.dataset.figmillFigure && one.closest("dialog") === place.closest("dialog"));
    const number = alike.indexOf(place) + 1;
    return place.dataset.figmillFigure + (number > 1 ? `~${number}` : "");
  }

  /** The positions that the address asks for, and, as text, the requests that cannot be met. */
  function fromAddress(name, parameters, declared) {
    const query = new URLSearchParams(location.search);
    const missing = [];
    const chosen = Object.entries(parameters).map(([parameter, values], index) => {
      const text = query.get(`${name}.${parameter}`);
      const found = text === null ? -1 : values.findIndex((value) => words(value) === text);
      if (text !== null && found < 0) missing.push(`${spoken(parameter)} ${text}`);
      return found < 0 ? declared[index] : found;
    });
    return { chosen, missing };
  }

  /** Write the positions into the address, and the id, if any, so that a shared link leads to the figure. */
  function toAddress(name, parameters, declared, chosen, id) {
    const url = new URL(location.href);
    Object.entries(parameters).forEach(([parameter, values], index) => {
      const key = `${name}.${parameter}`;
      if (chosen[index] === declared[index]) url.searchParams.delete(key);
      else url.searchParams.set(key, words(values[chosen[index]]));
    });
    if (url.search === location.search) return;
    if (id && url.search) url.hash = id;
    try {
      history.replaceState(history.state, "", url);
    } catch {
      // this browser does not change the address of a page from a disk
    }
  }

  // ---- the data of a picture: its parameters and facts ----

  const asText = (value) => (typeof value === "object" && value !== null ? JSON.stringify(value) : words(value));
  const asCell = (text) => (/[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

  /** Rows of CSV as in RFC 4180: kind, name, value. */
  const asCsv = (rows) =>
    [["kind", "name", "value"], ...rows].map((row) => row.map((value) => asCell(asText(value))).join(",")).join("\r\n") + "\r\n";

  function save(name, text, type) {
    const link = make("a", { download: name, href: URL.createObjectURL(new Blob([text], { type })) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  /** The panel of a button: the data of the current picture as a table, to copy and to save. data: returns it. */
  function dataPanel(opener, data, say) {
    const panel = make("div", { class: "figmill-data", hidden: "" });
    const button = (label, act) => {
      const one = make("button", { type: "button" }, label);
      one.addEventListener("click", () => act(one));
      return one;
    };
    const copy = async (one) => {
      await navigator.clipboard.writeText(asCsv(data().rows));
      one.textContent = say("Copied");
      setTimeout(() => { one.textContent = say("Copy CSV"); }, 1500);
    };
    const body = make("tbody");
    const buttons = make("div", { class: "figmill-save" },
      ...(navigator.clipboard ? [button(say("Copy CSV"), copy)] : []), // only in pages that a browser trusts
      button(say("Save CSV"), () => save(`${data().name}.csv`, asCsv(data().rows), "text/csv")),
      button(say("Save JSON"), () => save(`${data().name}.json`, `${JSON.stringify(data().whole, null, 2)}\n`, "application/json")));
    const table = make("table", { class: "figmill-table" }, body);
    panel.append(make("div", { class: "figmill-rows", tabindex: "0", role: "region", "aria-label": say("Data of this figure") }, table), buttons);
    function tell() {
      if (panel.hidden) return;
      body.replaceChildren(...data().rows.map(([kind, name, value]) =>
        make("tr", { "data-kind": kind }, make("th", { scope: "row" }, spoken(name)), make("td", {}, value !== null && typeof value === "object" ? asText(value) : inWords(value, say)))));
    }
    opener.addEventListener("click", () => {
      panel.hidden = !panel.hidden;
      opener.setAttribute("aria-expanded", String(!panel.hidden));
      tell();
    });
    return { panel, tell };
  }

  // ---- controls ----

  /** Make a control work: a range, or radio buttons. choose: is called with the position of the new value. */
  function control(element, texts, start, choose) {
    const id = `figmill-control-${++count}`;
    const inputs = [...element.querySelectorAll("input")];
    for (const input of inputs) input.autocomplete = "off";
    if (inputs[0].type === "range") {
      const [range, output] = [inputs[0], element.querySelector(".figmill-value")];
      const tell = () => {
        output.textContent = texts[range.value];
        range.setAttribute("aria-valuetext", output.textContent); // its label says the name
      };
      range.id = element.querySelector("label").htmlFor = id;
      range.addEventListener("input", () => { tell(); choose(Number(range.value)); });
      const set = (at) => { range.value = at; tell(); };
      set(start);
      return { element, set };
    }
    inputs.forEach((input, at) => {
      Object.assign(input, { name: id, id: `${id}-${at}` });
      input.parentElement.htmlFor = input.id;
      input.addEventListener("change", () => choose(at));
    });
    inputs[start].checked = true;
    return { element, set: (at) => { inputs[at].checked = true; } };
  }

  function explore(place) {
    if (!place.hidden) return;
    const figure = place.closest("figure");
    const wrapper = figure?.querySelector(".figmill-picture");
    if (!wrapper?.querySelector("img")) return;
    const { parameters, declared, pictures, texts, lines } = JSON.parse(place.dataset.figmillExplore);
    const names = Object.keys(parameters);
    const say = speaker(figure);
    const own = [...wrapper.querySelectorAll("img")];
    const caption = captionOf(figure, pictures[declared].caption);
    const ownWords = caption?.data;
    const name = nameOf(place);
    const loaded = new Map(); // pictures by address, kept in memory
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
      place.remove(); // the page embeds its pictures: there are no files beside it
      return;
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

    /** The addresses of the pictures that one move of one control shows, nearest first, in the visible theme. */
    function neighbours() {
      const from = places(shown);
      const steps = from.flatMap((value, index) => parameters[names[index]].flatMap((_, to) =>
        to === value ? [] : [{ far: Math.abs(to - value), to: at(from.map((one, i) => (i === index ? to : one))) }]));
      const near = steps.sort((one, other) => one.far - other.far).slice(0, NEAR);
      const seen = own.filter((_, index) => isSeen(images[index]));
      return near.flatMap(({ to }) => seen.map((image) => urlOf(pictures[to], image))).filter((url) => !loaded.has(url));
    }

    let waiting = null; // the addresses to load while the browser is idle
    /** Load the neighbours one by one, when the browser has nothing else to do. */
    async function preload() {
      if (navigator.connection?.saveData) return;
      const isLoading = waiting !== null;
      waiting = neighbours();
      if (isLoading) return;
      while (waiting.length) {
        await new Promise((done) => (window.requestIdleCallback ? requestIdleCallback(done, { timeout: 2000 }) : setTimeout(done, REST)));
        const url = waiting.shift();
        if (!url || loaded.has(url)) continue;
        const one = new Image();
        loaded.set(url, one);
        one.fetchPriority = "low";
        await new Promise((done) => { one.onload = one.onerror = done; one.src = url; });
      }
      waiting = null;
    }

    const [group, status, reset, opener] = [".figmill-controls", ".figmill-facts", ".figmill-reset", "[aria-expanded]"]
      .map((selector) => place.querySelector(selector));

    /** Change the picture once the next one is ready to be painted; the latest choice wins. */
    async function show(wanted) {
      const mine = ++latest;
      const picture = pictures[wanted];
      const next = wanted === declared ? own : own.map((image) => twin(image, picture));
      const seen = next.filter((_, index) => isSeen(images[index])); // not that of the other theme
      try {
        await Promise.all(seen.map((image) => { image.loading = "eager"; return image.decode(); }));
      } catch {
        if (mine === latest) status.textContent = say("This picture could not be loaded.");
        return;
      }
      if (mine !== latest) return;
      put(next, picture);
      [images, shown] = [next, wanted];
      reset.disabled = wanted === declared;
      figure.dataset.figmillShown = wanted;
      status.textContent = lines[wanted];
      data.tell();
      figure.dispatchEvent(new CustomEvent("figmill-explore", { bubbles: true, detail: picture }));
      preload();
    }

    const chosen = places(declared);
    const anchor = place.dataset.figmillHash === "keep" ? "" : figure.id;
    let rest = 0;
    function turned() {
      show(at(chosen));
      clearTimeout(rest);
      const page = location.pathname; // a reader may be on another page before the address follows
      rest = setTimeout(() => {
        if (figure.isConnected && location.pathname === page) toAddress(name, parameters, places(declared), chosen, anchor);
      }, REST);
    }
    const controls = names.map((name, index) =>
      control(group.children[index], texts[name], chosen[index], (value) => { chosen[index] = value; turned(); }));
    function turn(positions) {
      positions.forEach((value, index) => { chosen[index] = value; controls[index].set(value); });
    }
    reset.textContent = say("Reset");
    reset.addEventListener("click", () => {
      turn(places(declared));
      controls[0].element.querySelector("input:checked, input")?.focus();
      turned();
    });
    opener.textContent = say("Data");
    const data = dataPanel(opener, () => {
      const picture = pictures[shown];
      const chosen = places(shown).map((position, index) => [names[index], parameters[names[index]][position]]);
      const stem = picture.files[0].path.split("/").pop().replace(/(\.dark)?\.svg$/, "");
      const label = place.dataset.figmillFigure;
      return {
        name: [...new Set([label.split("/").pop(), stem])].join("-"),
        rows: [
          ...chosen.map(([key, value]) => ["parameter", key, value]),
          ...Object.entries(picture.facts).map(([key, value]) => ["fact", key, value]),
        ],
        whole: { figure: label, parameters: Object.fromEntries(chosen), facts: picture.facts },
      };
    }, say);
    // The place of the picture is as tall as the tallest one, so that the controls below it do not move; but at most
    // twice as tall as the declared one, to avoid a blank page.
    const spare = wrapper.offsetHeight - (own.find(isSeen)?.offsetHeight ?? 0);
    function reserve() {
      const [like, across] = [own[0], wrapper.clientWidth];
      const { minWidth, maxWidth } = getComputedStyle(like);
      const room = maxWidth === "none" ? Infinity : Math.max(across, parseFloat(minWidth) || 0);
      const drawn = ({ width, height }) => {
        const scale = (Number(like.getAttribute("width")) || width) / Math.round(fileOf(pictures[declared], like).width);
        return height * Math.min(scale, room / width);
      };
      const heights = pictures.map((picture) => drawn(fileOf(picture, like)));
      wrapper.style.minHeight = `${Math.ceil(Math.min(Math.max(...heights), 2 * heights[declared]) + spare)}px`;
    }
    reserve(); // before anything is painted
    new ResizeObserver(reserve).observe(figure);

    group.setAttribute("aria-label", say("Change this figure"));
    place.append(data.panel);
    figure.querySelector(".figmill-room")?.remove();
    place.hidden = false;
    for (const event of ["pointerenter", "focusin"]) group.addEventListener(event, preload); // also after a change of theme

    /** Show what the address asks for. */
    function follow() {
      const { chosen: positions, missing } = fromAddress(name, parameters, places(declared));
      turn(positions);
      if (at(positions) !== shown) show(at(positions));
      if (missing.length) status.textContent = say("The address asks for {0}, which this figure does not have.", missing.join(say(" and ")));
    }
    follow();
    window.addEventListener("popstate", () => { if (figure.isConnected) follow(); });
    // Other scripts choose a picture by its number: `new CustomEvent("figmill-show", { detail: 3 })`.
    figure.addEventListener("figmill-show", ({ detail }) => { turn(places(Number(detail))); turned(); });

    // Print shows the declared picture.
    const plain = () => put(own, pictures[declared]);
    const again = () => put(images, pictures[shown]);
    window.addEventListener("beforeprint", plain);
    window.addEventListener("afterprint", again);
    matchMedia("print").addEventListener("change", (event) => (event.matches ? plain() : again()));

    const watcher = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watcher.disconnect();
      preload();
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
