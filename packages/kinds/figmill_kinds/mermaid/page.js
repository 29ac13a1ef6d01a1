// What a page gives its scripts besides a document: timers without a clock, encodings, a screen. Nothing leaves V8.
"use strict";

(function () {
  const nothing = () => {};
  const QUIET = ["log", "info", "warn", "error", "debug", "trace"];

  // Timers run one at a time, the earliest first, and time jumps to each: nobody waits.
  const FRAME = 16;  // ms
  let now = 0, last = 0, waiting = [];
  const later = (run, ms, given, every = null) => {
    last += 1;
    waiting.push({ id: last, due: now + Math.max(0, Number(ms) || 0), run, given, every });
    return last;
  };
  const stop = (id) => { waiting = waiting.filter((one) => one.id !== id); };
  globalThis.__runNextTimer = () => {
    if (!waiting.length) return false;
    const next = waiting.reduce((first, one) => (one.due < first.due ? one : first));
    now = Math.max(now, next.due);
    if (next.every === null) stop(next.id);
    else next.due = now + next.every;
    try { next.run(...next.given); } catch { /* as in a page: one timer does not end the others */ }
    return true;
  };

  const copied = (value, known) => {
    if (typeof value !== "object" || value === null) return value;
    if (known.has(value)) return known.get(value);
    const kept = (copy) => { known.set(value, copy); return copy; };
    if (value instanceof Date) return kept(new Date(value.getTime()));
    if (value instanceof Map) {
      const copy = kept(new Map());
      for (const [key, one] of value) copy.set(copied(key, known), copied(one, known));
      return copy;
    }
    if (value instanceof Set) {
      const copy = kept(new Set());
      for (const one of value) copy.add(copied(one, known));
      return copy;
    }
    const copy = kept(Array.isArray(value) ? [] : {});
    for (const key of Object.keys(value)) copy[key] = copied(value[key], known);
    return copy;
  };

  const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const btoa = (text) => {
    let found = "";
    for (let at = 0; at < text.length; at += 3) {
      const [a, b, c] = [0, 1, 2].map((by) => text.charCodeAt(at + by));
      const bits = (a << 16) | ((b || 0) << 8) | (c || 0);
      found += [18, 12, 6, 0].map((by) => DIGITS[(bits >> by) & 63]).join("").slice(0, Math.min(3, text.length - at) + 1).padEnd(4, "=");
    }
    return found;
  };
  const atob = (text) => {
    const bare = text.replace(/[\s=]/g, "");
    let found = "", bits = 0, count = 0;
    for (const letter of bare) {
      bits = ((bits << 6) | DIGITS.indexOf(letter)) & 0xffffff;
      count += 6;
      if (count >= 8) { count -= 8; found += String.fromCharCode((bits >> count) & 255); }
    }
    return found;
  };

  const ADDRESS = /^([a-z][a-z\d+.-]*:)(?:\/\/(?:[^/?#@]*@)?([^/?#:]*)(?::(\d+))?)?([^?#]*)(\?[^#]*)?(#.*)?$/i;
  class URL {
    constructor(text) {
      const parts = ADDRESS.exec(String(text).trim());
      if (!parts || (/^https?:/i.test(parts[1]) && !parts[2])) throw new TypeError("Invalid URL");
      [, this.protocol, this.hostname = "", this.port = "", this.pathname, this.search = "", this.hash = ""] = parts;
      if (this.hostname && !this.pathname) this.pathname = "/";
    }
    static canParse(text) { try { return Boolean(new URL(text)); } catch { return false; } }
    get host() { return this.hostname + (this.port && `:${this.port}`); }
    get href() { return `${this.protocol}${this.host && `//${this.host}`}${this.pathname}${this.search}${this.hash}`; }
    toString() { return this.href; }
  }

  // The colours that CSS has a name for, and those that it computes.
  const NAMED = new Set(`
    aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown burlywood
    cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan darkgoldenrod
    darkgray darkgreen darkgrey darkkhaki darkmagenta darkolivegreen darkorange darkorchid darkred darksalmon
    darkseagreen darkslateblue darkslategray darkslategrey darkturquoise darkviolet deeppink deepskyblue dimgray
    dimgrey dodgerblue firebrick floralwhite forestgreen fuchsia gainsboro ghostwhite gold goldenrod gray green
    greenyellow grey honeydew hotpink indianred indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon
    lightblue lightcoral lightcyan lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon
    lightseagreen lightskyblue lightslategray lightslategrey lightsteelblue lightyellow lime limegreen linen magenta
    maroon mediumaquamarine mediumblue mediumorchid mediumpurple mediumseagreen mediumslateblue mediumspringgreen
    mediumturquoise mediumvioletred midnightblue mintcream mistyrose moccasin navajowhite navy oldlace olive
    olivedrab orange orangered orchid palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru
    pink plum powderblue purple rebeccapurple red rosybrown royalblue saddlebrown salmon sandybrown seagreen
    seashell sienna silver skyblue slateblue slategray slategrey snow springgreen steelblue tan teal thistle tomato
    transparent turquoise violet wheat white whitesmoke yellow yellowgreen currentcolor`.trim().split(/\s+/));
  const isColour = (text) => NAMED.has(text.toLowerCase()) || /^(?:#[\da-f]{3,8}|(?:rgb|hsl)a?\s*\([\d\s.,%/a-z+-]*\d[\d\s.,%/a-z+-]*\))$/i.test(text);

  class Observer { observe() {} unobserve() {} disconnect() {} takeRecords() { return []; } }
  Object.assign(globalThis, {
    window: globalThis, self: globalThis, console: Object.fromEntries(QUIET.map((name) => [name, nothing])), Intl: {},
    addEventListener: nothing, removeEventListener: nothing, dispatchEvent: () => true,
    navigator: { userAgent: "", language: "en" }, location: { href: "about:blank", protocol: "about:", host: "", origin: "null", pathname: "blank", search: "", hash: "" },
    screen: { width: 1600, height: 1200, availWidth: 1600, availHeight: 1200 },  // px: C4 diagrams fill rows as wide as a screen
    scrollX: 0, scrollY: 0, performance: { now: () => now, mark: nothing, measure: nothing },
    setTimeout: (run, ms, ...given) => later(run, ms, given), clearTimeout: stop,
    setInterval: (run, ms, ...given) => later(run, ms, given, Math.max(1, Number(ms) || 0)), clearInterval: stop,
    requestAnimationFrame: (run) => later(() => run(now), FRAME, []), cancelAnimationFrame: stop,
    queueMicrotask: (run) => { Promise.resolve().then(run); },
    structuredClone: (value) => copied(value, new Map()), btoa, atob, URL,
    TextEncoder: class { encode(text) { return Uint8Array.from(unescape(encodeURIComponent(text)), (letter) => letter.charCodeAt(0)); } },
    MutationObserver: Observer, ResizeObserver: Observer, IntersectionObserver: Observer,
    matchMedia: () => ({ matches: false, addListener: nothing, removeListener: nothing, addEventListener: nothing, removeEventListener: nothing }),
    CSS: { supports: (name, value) => name === "color" && isColour(String(value).trim()), escape: (text) => String(text).replace(/^(?=-?\d)|[^\w\u0080-\uffff-]/g, (sign) => (sign ? `\\${sign}` : "\\3")).replace(/^\\3(-?)(\d)/, (all, dash, digit) => `${dash && "\\-"}\\3${digit} `) },
  });
})();
