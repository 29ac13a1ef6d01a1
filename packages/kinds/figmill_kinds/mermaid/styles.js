// How elements look: sheets and inline style, and what of them decides where words stand.
"use strict";

globalThis.__styles = (function () {
  const { changes } = __tree;
  const dashed = (name) => (name.startsWith("--") ? name : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));

  // Declarations: property -> [value, whether it is important].
  const VARIABLE = /var\(\s*--[\w-]+\s*,\s*([^()]*)\)/g;  // with a value for pages that do not set it, like this one
  const declared = (text) => {
    const found = new Map();
    for (const part of __selectors.parts(text, ";")) {
      const [, name, value, important] = /^\s*([\w-]+)\s*:\s*([\s\S]*?)\s*(!\s*important)?\s*$/.exec(part) ?? [];
      if (!name || !value) continue;
      const key = name.startsWith("--") ? name : name.toLowerCase();
      found.delete(key);
      found.set(key, [value.replace(VARIABLE, "$1"), Boolean(important)]);
    }
    return found;
  };
  const written = (rows) => [...rows].map(([name, [value, isImportant]]) => `${name}: ${value}${isImportant ? " !important" : ""};`).join(" ");

  // Declarations as scripts see them; `get` and `set` say where they are kept.
  const declaration = (get, set) => {
    const own = {
      getPropertyValue: (name) => get().get(dashed(name))?.[0] ?? "",
      getPropertyPriority: (name) => (get().get(dashed(name))?.[1] ? "important" : ""),
      setProperty: (name, value, priority) => {
        const rows = new Map(get()), key = dashed(name);
        if (value === "" || value === null || value === undefined) rows.delete(key);
        else rows.set(key, [String(value), priority === "important"]);
        set(rows);
      },
      removeProperty: (name) => own.setProperty(name, ""),
      item: (at) => [...get().keys()][at] ?? "",
    };
    return new Proxy(own, {
      get: (all, name) => (name === "cssText" ? written(get()) : name === "length" ? get().size : typeof name === "symbol" || name in all ? all[name] : all.getPropertyValue(name)),
      set: (all, name, value) => { if (name === "cssText") set(declared(value)); else all.setProperty(name, value); return true; },
    });
  };

  // The rules of a sheet. What stands in a block that is for some pages only, or says how things move, is kept as text.
  const bare = (text) => text.replace(/\/\*[\s\S]*?\*\//g, "");
  const rulesOf = (text) => {
    const found = [];
    for (const part of __selectors.parts(bare(text).replace(/\}/g, "}\u0000"), "\u0000")) {
      const open = part.indexOf("{"), head = part.slice(0, open).trim().replace(/^(?:@(?:import|charset)[^;]*;\s*)+/, "");
      if (open < 0) continue;
      if (head.startsWith("@")) found.push({ cssText: part.trim(), selectorText: "", style: declaration(() => new Map(), () => {}), rows: new Map() });
      else found.push(ruleOf(head, part.slice(open + 1, part.lastIndexOf("}"))));
    }
    return found;
  };
  const ruleOf = (selectorText, text) => {
    const rule = { selectorText, rows: declared(text), get cssText() { return `${selectorText} { ${written(rule.rows)} }`; } };
    rule.style = declaration(() => rule.rows, (rows) => { rule.rows = rows; });
    return rule;
  };
  class CSSStyleSheet {
    cssRules = [];
    insertRule(text, at = 0) {
      this.cssRules.splice(at, 0, ...rulesOf(text));
      return at;
    }
    deleteRule(at) { this.cssRules.splice(at, 1); }
    replaceSync(text) { this.cssRules = rulesOf(text); }
  }
  globalThis.CSSStyleSheet = CSSStyleSheet;

  // Rules by the property that they set, those that win first.
  let key = "", byProperty = new Map(), at = -1;
  const known = new Map();
  const indexed = (text) => {
    const found = new Map();
    rulesOf(text).forEach(({ selectorText, rows }, order) => {
      let all;
      try { all = selectorText ? __selectors.list(selectorText) : []; } catch { return; }
      for (const [name, [value, isImportant]] of rows) {
        if (!found.has(name)) found.set(name, []);
        for (const { matches, weight } of all) found.get(name).push({ matches, value, isImportant, weight: (isImportant ? 1e9 : 0) + weight, order });
      }
    });
    for (const rows of found.values()) rows.sort((one, other) => other.weight - one.weight || other.order - one.order);
    return found;
  };
  const NONE = [];
  const rulesFor = (property) => {
    if (at !== changes.count) {
      at = changes.count;
      const text = __tree.sheets().map((one) => one.textContent).join("\n");
      if (text !== key) {
        key = text;
        byProperty = known.get(text) ?? indexed(text);
        if (known.size > 8) known.clear();
        known.set(text, byProperty);
      }
    }
    return byProperty.get(property) ?? NONE;
  };

  const inlineRows = new Map();  // text of an attribute -> its declarations
  const rowsOf = (element) => {
    const text = element.getAttribute("style");
    if (!text) return null;
    let rows = inlineRows.get(text);
    if (!rows) {
      if (inlineRows.size > 2000) inlineRows.clear();
      inlineRows.set(text, (rows = declared(text)));
    }
    return rows;
  };
  const EMPTY = new Map();
  const inline = (element) => declaration(() => rowsOf(element) ?? EMPTY, (rows) => (rows.size ? element.setAttribute("style", written(rows)) : element.removeAttribute("style")));

  // What a property is on an element itself: an important rule, inline style, another rule, an attribute; or null.
  const own = (element, property) => {
    const said = rowsOf(element)?.get(property);
    if (said?.[1]) return said[0];
    const rule = rulesFor(property).find(({ matches }) => matches(element));
    if (rule && (rule.isImportant || !said)) return rule.value;
    return said?.[0] ?? (element.namespaceURI === __tree.SVG ? element.getAttribute(property) : null);
  };

  // What is true of an element is known until the tree changes.
  let since = -1, fonts = new Map(), others = new Map();
  const fresh = () => {
    if (since !== changes.count) [since, fonts, others] = [changes.count, new Map(), new Map()];
  };
  const inherited = (element, property) => {
    fresh();
    if (!others.has(property)) others.set(property, new Map());
    const all = others.get(property);
    if (all.has(element)) return all.get(element);
    const value = own(element, property);
    const found = value !== null && value !== "inherit" ? value : element.parentElement ? inherited(element.parentElement, property) : "";
    all.set(element, found);
    return found;
  };
  const [PT, ROOT] = [4 / 3, 16];
  const WORDS = { "xx-small": 9, "x-small": 10, small: 13, medium: 16, large: 18, "x-large": 24, "xx-large": 32 };
  // A length in px; null for one that depends on what is not known here.
  const length = (text, size, whole = null) => {
    const [, number, unit] = /^\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*(px|em|rem|pt|ex|%)?\s*$/i.exec(text ?? "") ?? [];
    if (number === undefined) return null;
    const by = { em: size, rem: ROOT, pt: PT, ex: size / 2, "%": whole === null ? NaN : whole / 100 }[unit?.toLowerCase()] ?? 1;
    return Number.isNaN(by) ? null : Number(number) * by;
  };
  const TOP = { size: ROOT, family: "sans-serif", weight: "normal", style: "normal" };
  const set = (value) => (value === null || value === "" || value === "inherit" || value === "unset" ? null : value);
  const font = (element) => {
    if (element?.nodeType !== 1) return TOP;
    fresh();
    const found = fonts.get(element);
    if (found) return found;
    const above = font(element.parentNode), size = set(own(element, "font-size"));
    const tag = element.namespaceURI === __tree.HTML ? element.localName : "";
    const made = {
      size: (size === null ? null : WORDS[size] ?? length(size, above.size, above.size)) ?? above.size,
      family: set(own(element, "font-family")) ?? above.family,
      weight: set(own(element, "font-weight")) ?? (/^(?:b|strong|th|h[1-6])$/.test(tag) ? "bold" : above.weight),
      style: set(own(element, "font-style")) ?? (/^(?:i|em|cite)$/.test(tag) ? "italic" : above.style),
    };
    fonts.set(element, made);
    return made;
  };

  // What a script is told of an element's look. Nothing here has room around it unless somebody says so.
  const EDGES = /^(?:margin|padding|border-\w+-width)/;
  const computed = (element) => {
    const value = (name) => {
      const { size, family, weight, style } = font(element);
      return { "font-size": `${size}px`, "font-family": family, "font-weight": weight, "font-style": style }[name] ?? (inherited(element, name) || (EDGES.test(name) ? "0px" : ""));
    };
    return new Proxy({ getPropertyValue: (name) => value(dashed(name)) }, { get: (all, name) => (typeof name === "symbol" || name in all ? all[name] : value(dashed(name))) });
  };
  return { inline, computed, own, inherited, font, length };
})();
