// A document for PlantUML to draw in: elements of SVG, and words as wide as in the book's fonts. No window, no network.
"use strict";

// {faces: {name: {widths by code point in em, ascent, descent}}, extra: widths of characters of one source}
globalThis.__fonts = { faces: {}, extra: {} };

(function () {
  const escaped = (text, quotes) => {
    const plain = String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
    return quotes ? plain.replace(/"/g, "&quot;") : plain;
  };

  class Node {
    constructor(tag) { this.tagName = this.nodeName = this.localName = tag; this.nodeType = 1; this.attributes = new Map(); this.childNodes = []; this.parentNode = null; this.style = {}; }
    get ownerDocument() { return globalThis.document; }
    get firstChild() { return this.childNodes[0] ?? null; }
    get children() { return this.childNodes.filter((one) => one instanceof Node && one.nodeType === 1); }
    setAttribute(name, value) { this.attributes.set(name, String(value)); }
    setAttributeNS(_, name, value) { if (name !== "xlink:href" || !this.attributes.has("href")) this.setAttribute(name, value); }
    getAttribute(name) { return this.attributes.get(name) ?? null; }
    removeAttribute(name) { this.attributes.delete(name); }
    appendChild(node) { node.parentNode?.removeChild(node); node.parentNode = this; this.childNodes.push(node); return node; }
    removeChild(node) { const at = this.childNodes.indexOf(node); if (at >= 0) this.childNodes.splice(at, 1); node.parentNode = null; return node; }
    get textContent() { return this.childNodes.map((one) => one.textContent).join(""); }
    set textContent(text) { this.childNodes = text === "" || text == null ? [] : [new Words(text)]; }
    getBBox() {
      const px = Number(this.getAttribute("font-size")) || 16, face = faceOf(this.getAttribute("font-family"), this.getAttribute("font-weight"), this.getAttribute("font-style"));
      return { x: 0, y: -face.ascent * px, width: em(this.textContent, face) * px, height: (face.ascent + face.descent) * px };
    }
    getContext() { return (this.canvas ??= new Canvas()); }
    toDataURL() {  // sprites.py makes shapes of it
      const { width, data } = this.canvas.image;
      return `pixels:${width}:${Array.from(data, (value) => value.toString(16).padStart(2, "0")).join("")}`;
    }
    get outer() {
      const given = [...this.attributes].map(([name, value]) => ` ${name}="${escaped(value, true)}"`).join("");
      const inner = this.childNodes.map((one) => one.outer).join("");
      return inner ? `<${this.tagName}${given}>${inner}</${this.tagName}>` : `<${this.tagName}${given}/>`;
    }
  }
  class Words {
    constructor(text) { this.nodeType = 3; this.textContent = String(text); this.parentNode = null; }
    get outer() { return escaped(this.textContent); }
  }
  class Unseen extends Words {  // a comment or a processing instruction: PlantUML's copy of the source
    get textContent() { return ""; }
    set textContent(_) {}
    get outer() { return ""; }
  }
  class Markup {  // a picture that PlantUML hands over as text: an icon
    constructor(text) { this.nodeType = 1; this.text = text; this.parentNode = null; this.tagName = "svg"; this.textContent = ""; }
    get outer() { return this.text.replace(/^[^]*?(?=<svg)/, ""); }
  }
  class Canvas {
    constructor() { this.font = ""; this.image = null; }
    createImageData(width, height) { return { width, height, data: new Uint8ClampedArray(4 * width * height) }; }
    putImageData(image) { this.image = image; }
    measureText(text) {
      const [, style, size, family] = /^(.*?)([\d.]+)px (.*)$/.exec(this.font) ?? [null, "", "16", ""];
      const px = Number(size), face = faceOf(family, style, style), width = em(text, face) * px, above = face.ascent * px, below = face.descent * px;
      return { width, actualBoundingBoxAscent: above, actualBoundingBoxDescent: below, fontBoundingBoxAscent: above, fontBoundingBoxDescent: below };
    }
  }

  const faceOf = (family, weight, style) => {
    const bold = /bold/i.test(String(weight ?? "")) || Number(weight) >= 600;
    const slanted = /italic|oblique/i.test(String(style ?? ""));
    const mono = /mono|courier|consolas|menlo/i.test(String(family ?? ""));
    return __fonts.faces[(mono ? "mono" : "sans") + (bold ? " bold" : "") + (slanted ? " italic" : "")];
  };
  const em = (text, face) => {
    let sum = 0;
    for (const letter of String(text ?? "")) sum += face.widths[letter.codePointAt(0)] ?? __fonts.extra[letter] ?? face.widths[120];
    return sum;
  };

  globalThis.window = globalThis.self = globalThis;
  globalThis.document = {
    head: new Node("head"), body: new Node("body"),
    createElementNS: (_, tag) => new Node(tag),
    createElement: (tag) => new Node(tag),
    createTextNode: (text) => new Words(text),
    createComment: (text) => new Unseen(text),
    createProcessingInstruction: (_, text) => new Unseen(text),
    createDocumentFragment: () => new Node("g"),
    importNode: (node) => node,
    getElementById: () => null,
  };
  globalThis.DOMParser = class { parseFromString(text) { return { documentElement: new Markup(text) }; } };
  globalThis.XMLSerializer = class { serializeToString(node) { return node.outer; } };
  globalThis.console = { log() {}, info() {}, warn() {}, error() {}, debug() {} };

  // Timers run one after the other when the caller asks for the next.
  const waiting = [];
  let number = 0;
  globalThis.setTimeout = (call, delay, ...given) => { waiting.push([++number, () => call(...given)]); return number; };
  globalThis.clearTimeout = (id) => { const at = waiting.findIndex(([one]) => one === id); if (at >= 0) waiting.splice(at, 1); };
  globalThis.__runNextTimer = () => { const next = waiting.shift(); next?.[1](); return next !== undefined; };

  // The clock stands still, and random numbers start anew with each diagram.
  const EPOCH = Date.UTC(2000, 0, 1), OwnDate = Date;
  globalThis.Date = class extends OwnDate {
    constructor(...given) { given.length ? super(...given) : super(EPOCH); }
    static now() { return EPOCH; }
  };
  let state = 1;
  Math.random = () => { state = (state * 48271) % 2147483647; return state / 2147483647; };  // of Park and Miller
  globalThis.__restart = () => { state = 1; waiting.length = 0; };

  // Further scripts of the package as functions, which PlantUML asks for by name: themes, icons, emoji. The libraries
  // of !include <...> are not in it.
  globalThis.__scripts = {};
  globalThis.PLANTUML_STDLIB_LOADER = (name, done, failed) => {
    if (__scripts[name] === undefined) return failed(`missing ${name}`);
    __scripts[name]();
    done();
  };

  let answer = null;
  globalThis.__answer = () => answer;
  globalThis.__begin = (name, given) => {
    answer = null;
    __restart();
    const failed = (error) => { answer = JSON.stringify({ error: { message: String(error?.message ?? error) } }); };
    try {
      globalThis[name](...given).then((value) => { answer = JSON.stringify({ value }); }, failed);
    } catch (error) { failed(error); }
  };
  // PlantUML tries the type of the last diagram first, and many lines fit more than one type. So a short sequence, the
  // first type that PlantUML tries when it starts, comes before each diagram.
  const FIRST = ["@startuml", "participant A", "A -> A : x", "@enduml"];
  const drawn = (lines) => new Promise((resolve, reject) => { __plantuml.renderToString(lines, resolve, reject); });
  globalThis.__draw = async (lines, extra) => {
    __fonts.extra = extra;
    await drawn(FIRST);
    return drawn(lines);
  };
})();
