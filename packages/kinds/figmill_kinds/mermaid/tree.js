// The document that Mermaid draws in: elements, text, and both ways between them and markup. selectors.js finds in it,
// styles.js says how it looks, boxes.js where it is.
"use strict";

(function () {
  const HTML = "http://www.w3.org/1999/xhtml", SVG = "http://www.w3.org/2000/svg", MATH = "http://www.w3.org/1998/Math/MathML";
  const VOID = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]);
  const AS_WRITTEN = new Set(["script", "style", "iframe", "xmp", "noembed", "noframes", "noscript"]);
  const changes = { count: 0 };  // of the tree, since the start: what is known of a tree holds until the next one
  const iterators = new Set();
  let sheets = [];  // all elements for rules of style, in this page or out of it

  class Node {
    static ELEMENT_NODE = 1;
    static TEXT_NODE = 3;
    static COMMENT_NODE = 8;
    static DOCUMENT_NODE = 9;
    static DOCUMENT_FRAGMENT_NODE = 11;
    #nodes = [];
    #above = null;
    #owner;
    constructor(owner) { this.#owner = owner; }
    get nodeType() { return this.constructor.type; }
    get nodeName() { return this.named(); }
    get childNodes() { return this.#nodes; }
    get parentNode() { return this.#above; }
    get parentElement() { return this.#above?.nodeType === 1 ? this.#above : null; }
    get ownerDocument() { return this.#owner; }
    get firstChild() { return this.#nodes[0] ?? null; }
    get lastChild() { return this.#nodes.at(-1) ?? null; }
    get nextSibling() { return this.#beside(1); }
    get previousSibling() { return this.#beside(-1); }
    #beside(by) { const all = this.#above?.childNodes; return all?.[all.indexOf(this) + by] ?? null; }
    get isConnected() { return this.getRootNode().nodeType === 9; }
    get nodeValue() { return null; }
    get textContent() { return this.#nodes.filter((one) => one.nodeType !== 8).map((one) => one.textContent).join(""); }
    set textContent(text) { this.replaceChildren(...(text === null || text === "" ? [] : [String(text)])); }
    getRootNode() { return this.#above ? this.#above.getRootNode() : this; }
    hasChildNodes() { return this.#nodes.length > 0; }
    contains(other) {
      for (let one = other; one; one = one.parentNode) if (one === this) return true;
      return false;
    }
    appendChild(node) { return this.insertBefore(node, null); }
    insertBefore(node, before) {
      if (node.nodeType === 11) {
        for (const one of [...node.childNodes]) this.insertBefore(one, before);
        return node;
      }
      if (node.contains(this)) throw new Error("a node cannot stand in itself");
      if (node === before) return node;
      node.parentNode?.removeChild(node);
      const at = before ? this.#nodes.indexOf(before) : this.#nodes.length;
      if (at < 0) throw new Error("a node stands before one that is elsewhere");
      this.#nodes.splice(at, 0, node);
      node.#above = this;
      changes.count += 1;
      return node;
    }
    removeChild(node) {
      const at = this.#nodes.indexOf(node);
      if (at < 0) throw new Error("a node is not where it is removed from");
      for (const one of iterators) one.leave(node);
      this.#nodes.splice(at, 1);
      node.#above = null;
      changes.count += 1;
      return node;
    }
    replaceChild(node, old) {
      this.insertBefore(node, old);
      return this.removeChild(old);
    }
    replaceChildren(...given) {
      for (const one of [...this.#nodes]) this.removeChild(one);
      this.append(...given);
    }
    #made(given) { return given instanceof Node ? given : (this.#owner ?? this).createTextNode(String(given)); }
    append(...given) { for (const one of given) this.appendChild(this.#made(one)); }
    prepend(...given) { const first = this.firstChild; for (const one of given) this.insertBefore(this.#made(one), first); }
    before(...given) { for (const one of given) this.#above?.insertBefore(this.#made(one), this); }
    after(...given) { const next = this.nextSibling; for (const one of given) this.#above?.insertBefore(this.#made(one), next); }
    replaceWith(...given) { this.before(...given); this.remove(); }
    remove() { this.#above?.removeChild(this); }
    normalize() {}
    cloneNode(isDeep) {
      const copy = this.copied();
      if (isDeep) for (const one of this.#nodes) copy.appendChild(one.cloneNode(true));
      return copy;
    }
    compareDocumentPosition(other) {
      if (this === other) return 0;
      if (this.contains(other)) return 20;
      if (other.contains(this)) return 10;
      const way = (node) => (node ? [...way(node.parentNode), node] : []);
      const [own, its] = [way(this), way(other)], at = own.findIndex((one, number) => one !== its[number]);
      if (at === 0) return 35;
      const all = own[at - 1].childNodes;
      return all.indexOf(own[at]) < all.indexOf(its[at]) ? 4 : 2;
    }
    addEventListener() {}
    removeEventListener() {}
    dispatchEvent() { return true; }
    get children() { return this.#nodes.filter((one) => one.nodeType === 1); }
    get firstElementChild() { return this.#nodes.find((one) => one.nodeType === 1) ?? null; }
    get lastElementChild() { return this.#nodes.findLast((one) => one.nodeType === 1) ?? null; }
    get childElementCount() { return this.children.length; }
    get nextElementSibling() { return this.#asideElement(1); }
    get previousElementSibling() { return this.#asideElement(-1); }
    #asideElement(by) { const all = this.#above?.children; return all?.[all.indexOf(this) + by] ?? null; }
    querySelector(text) { return __selectors.first(this, text); }
    querySelectorAll(text) { return __selectors.all(this, text); }
    getElementsByTagName(name) { return __selectors.every(this, name === "*" ? () => true : (one) => one.lowerName === name.toLowerCase()); }
    getElementsByClassName(names) { return this.querySelectorAll(names.trim().split(/\s+/).map((name) => `.${CSS.escape(name)}`).join("")); }
  }

  class CharacterData extends Node {
    #data;
    constructor(owner, data) { super(owner); this.#data = data; }
    get data() { return this.#data; }
    set data(text) { this.#data = String(text); changes.count += 1; }
    get nodeValue() { return this.#data; }
    set nodeValue(text) { this.data = text; }
    get textContent() { return this.#data; }
    set textContent(text) { this.data = text; }
    copied() { return new this.constructor(this.ownerDocument, this.#data); }
  }
  class Text extends CharacterData {
    static type = 3;
    named() { return "#text"; }
  }
  class Comment extends CharacterData {
    static type = 8;
    named() { return "#comment"; }
  }

  class NamedNodeMap {
    constructor(rows) {
      rows.forEach(([name, value], at) => { this[at] = { name, value, localName: name, namespaceURI: null, nodeName: name, nodeValue: value, specified: true }; });
      Object.defineProperty(this, "length", { value: rows.length });
    }
    item(at) { return this[at] ?? null; }
    getNamedItem(name) { return [...this].find((one) => one.name === name) ?? null; }
    *[Symbol.iterator]() { for (let at = 0; at < this.length; at += 1) yield this[at]; }
  }

  class Element extends Node {
    #attributes = new Map();
    #names;
    constructor(owner, uri, name) {
      super(owner);
      const local = uri === HTML ? name.toLowerCase() : name;
      this.#names = { uri, local, lower: local.toLowerCase(), tag: uri === HTML ? local.toUpperCase() : local };
    }
    static type = 1;
    get namespaceURI() { return this.#names.uri; }
    get localName() { return this.#names.local; }
    get lowerName() { return this.#names.lower; }
    get tagName() { return this.#names.tag; }
    named() { return this.#names.tag; }
    get prefix() { return null; }
    get attributes() { return new NamedNodeMap([...this.#attributes]); }
    getAttributeNames() { return [...this.#attributes.keys()]; }
    getAttribute(name) { return this.#attributes.get(name) ?? null; }
    hasAttribute(name) { return this.#attributes.has(name); }
    hasAttributes() { return this.#attributes.size > 0; }
    setAttribute(name, value) { this.#attributes.set(String(name), String(value)); changes.count += 1; }
    removeAttribute(name) { if (this.#attributes.delete(name)) changes.count += 1; }
    toggleAttribute(name, isOn = !this.hasAttribute(name)) { if (isOn) this.setAttribute(name, ""); else this.removeAttribute(name); return isOn; }
    getAttributeNode(name) { return this.attributes.getNamedItem(name); }
    removeAttributeNode({ name }) { this.removeAttribute(name); }
    // Attributes of other namespaces are known by their whole name.
    #whole(uri, name) { return uri === "http://www.w3.org/1999/xlink" && !name.includes(":") ? `xlink:${name}` : uri === "http://www.w3.org/XML/1998/namespace" && !name.includes(":") ? `xml:${name}` : name; }
    getAttributeNS(uri, name) { return this.getAttribute(this.#whole(uri, name)); }
    setAttributeNS(uri, name, value) { this.setAttribute(this.#whole(uri, name), value); }
    removeAttributeNS(uri, name) { this.removeAttribute(this.#whole(uri, name)); }
    hasAttributeNS(uri, name) { return this.hasAttribute(this.#whole(uri, name)); }
    get id() { return this.getAttribute("id") ?? ""; }
    set id(value) { this.setAttribute("id", value); }
    get className() { return this.getAttribute("class") ?? ""; }
    set className(value) { this.setAttribute("class", value); }
    get classList() {
      const names = () => this.className.split(/\s+/).filter(Boolean), write = (all) => this.setAttribute("class", [...new Set(all)].join(" "));
      return {
        contains: (name) => names().includes(name), add: (...more) => write([...names(), ...more]),
        remove: (...less) => write(names().filter((name) => !less.includes(name))), get length() { return names().length; },
        toggle: (name, isOn = !names().includes(name)) => { write(isOn ? [...names(), name] : names().filter((one) => one !== name)); return isOn; },
        [Symbol.iterator]: () => names()[Symbol.iterator](),
      };
    }
    get style() { return __styles.inline(this); }
    set style(text) { this.setAttribute("style", text); }
    matches(text) { return __selectors.matches(this, text); }
    closest(text) { return this.matches(text) ? this : this.parentElement?.closest(text) ?? null; }
    get shadowRoot() { return null; }
    get innerHTML() { return this.childNodes.map(markup).join(""); }
    set innerHTML(text) { this.replaceChildren(read(String(text ?? ""), this)); }
    get outerHTML() { return markup(this); }
    set outerHTML(text) { this.replaceWith(read(String(text), this.parentNode)); }
    get innerText() { return this.textContent; }
    set innerText(text) { this.textContent = text; }
    insertAdjacentElement(place, node) {
      ({ beforebegin: () => this.before(node), afterbegin: () => this.prepend(node), beforeend: () => this.append(node), afterend: () => this.after(node) })[place.toLowerCase()]();
      return node;
    }
    insertAdjacentHTML(place, text) { this.insertAdjacentElement(place, read(text, this)); }
    copied() {
      const copy = new this.constructor(this.ownerDocument, this.namespaceURI, this.localName);
      for (const [name, value] of this.#attributes) copy.setAttribute(name, value);
      return copy;
    }
    getBBox() { return __boxes.own(this); }
    getBoundingClientRect() { return __boxes.onPage(this); }
    getClientRects() { return [this.getBoundingClientRect()]; }
    get offsetWidth() { return this.getBoundingClientRect().width; }
    get offsetHeight() { return this.getBoundingClientRect().height; }
    get clientWidth() { return this.offsetWidth; }
    get clientHeight() { return this.offsetHeight; }
    get scrollWidth() { return this.offsetWidth; }
    get scrollHeight() { return this.offsetHeight; }
    getComputedTextLength() { return __boxes.lengthOfText(this); }
    getTotalLength() { return __boxes.lengthOfPath(this); }
    getPointAtLength(length) { return __boxes.pointOfPath(this, length); }
    getScreenCTM() { return __boxes.matrix(this); }
    getCTM() { return __boxes.matrix(this); }
  }
  class SVGElement extends Element {
    get ownerSVGElement() { let one = this.parentElement; while (one && one.lowerName !== "svg") one = one.parentElement; return one; }
    get viewBox() { const [x, y, width, height] = (this.getAttribute("viewBox") ?? "0 0 0 0").split(/[\s,]+/).map(Number); return { baseVal: { x, y, width, height } }; }
  }
  // A surface to paint on, which paints nothing: cytoscape asks for one, and for the widths of words.
  const surface = () => {
    const known = { measureText: (text) => ({ width: __measureText(text, 16, "", "", "") }) };
    return new Proxy(known, { get: (own, name) => own[name] ?? (() => surface()) });
  };
  class HTMLElement extends Element {
    get href() { return this.getAttribute("href") ?? ""; }
    get contentDocument() { return null; }
    getContext() { return surface(); }
  }
  class HTMLFormElement extends HTMLElement {}

  class DocumentFragment extends Node {
    static type = 11;
    named() { return "#document-fragment"; }
    copied() { return new DocumentFragment(this.ownerDocument); }
  }

  // Goes through a tree that may change on the way.
  class NodeIterator {
    #root; #here = null; #shown;
    constructor(root, shown) { [this.#root, this.#shown] = [root, shown]; }
    nextNode() {
      let node = this.#here;
      do {
        if (node === null) node = this.#root;
        else if (node.firstChild) node = node.firstChild;
        else {
          while (node && node !== this.#root && !node.nextSibling) node = node.parentNode;
          node = !node || node === this.#root ? null : node.nextSibling;
        }
        if (node === null) { iterators.delete(this); return null; }
      } while (!(this.#shown & (1 << (node.nodeType - 1))));
      this.#here = node;
      return node;
    }
    // A node is removed: go on from what stands before it.
    leave(node) {
      if (this.#here === null || !node.contains(this.#here) || node === this.#root) return;
      let before = node.previousSibling;
      while (before?.lastChild) before = before.lastChild;
      this.#here = before ?? node.parentNode;
    }
  }
  const NodeFilter = { SHOW_ALL: 0xffffffff, SHOW_ELEMENT: 1, SHOW_TEXT: 4, SHOW_CDATA_SECTION: 8, SHOW_PROCESSING_INSTRUCTION: 64, SHOW_COMMENT: 128,
    FILTER_ACCEPT: 1, FILTER_REJECT: 2, FILTER_SKIP: 3 };

  class Document extends Node {
    constructor() {
      super(null);
      const whole = this.createElement("html");
      whole.append(this.createElement("head"), this.createElement("body"));
      this.appendChild(whole);
    }
    static type = 9;
    named() { return "#document"; }
    get documentElement() { return this.firstElementChild; }
    get head() { return this.documentElement.firstElementChild; }
    get body() { return this.documentElement.lastElementChild; }
    get defaultView() { return this === document ? globalThis : null; }
    get currentScript() { return null; }
    get readyState() { return "complete"; }
    get location() { return globalThis.location; }
    get implementation() { return { createHTMLDocument: () => new Document(), createDocument: () => new Document() }; }
    createElement(name) { return this.createElementNS(HTML, String(name)); }
    createElementNS(uri, name) {
      const isSheet = name.toLowerCase() === "style", Kind = uri === HTML ? (name.toLowerCase() === "form" ? HTMLFormElement : HTMLElement) : uri === SVG ? SVGElement : Element;
      const made = new Kind(this, uri, String(name));
      if (isSheet) sheets.push(made);
      return made;
    }
    createTextNode(text) { return new Text(this, String(text)); }
    createComment(text) { return new Comment(this, String(text)); }
    createDocumentFragment() { return new DocumentFragment(this); }
    createNodeIterator(root, shown = NodeFilter.SHOW_ALL) {
      const made = new NodeIterator(root, shown);
      iterators.add(made);
      return made;
    }
    importNode(node, isDeep) { return node.cloneNode(isDeep); }
    adoptNode(node) { return node; }
    getElementById(id) { return __selectors.first(this, `#${CSS.escape(id)}`); }
    createRange() { return { createContextualFragment: (text) => read(text, this.body), selectNode() {}, setStart() {}, setEnd() {}, getBoundingClientRect: () => this.body.getBoundingClientRect() }; }
  }

  const SIGNS = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };
  // As in HTML, a number needs no semicolon.
  const plain = (text) => (text.includes("&") ? text.replace(/&(?:#(\d+);?|#x([\da-f]+);?|(\w+);)/gi, (all, ten, sixteen, name) =>
    (name ? SIGNS[name] ?? globalThis.__fonts?.signs[name] ?? all : String.fromCodePoint(Math.min(0x10ffff, parseInt(ten ?? sixteen, ten ? 10 : 16)) || 0xfffd))) : text);
  const escaped = (text) => text.replace(/[&<>\u00a0]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign] ?? "&nbsp;");
  const quoted = (text) => text.replace(/[&"\u00a0]/g, (sign) => ({ "&": "&amp;", '"': "&quot;" })[sign] ?? "&nbsp;");

  // The markup of a node as HTML writes it.
  const markup = (node) => {
    if (node.nodeType === 8) return `<!--${node.data}-->`;
    if (node.nodeType === 3) return node.parentNode?.namespaceURI === HTML && AS_WRITTEN.has(node.parentNode.localName) ? node.data : escaped(node.data);
    const inside = () => node.childNodes.map(markup).join("");
    if (node.nodeType !== 1) return inside();
    const own = node.getAttributeNames().map((name) => ` ${name}="${quoted(node.getAttribute(name))}"`).join("");
    if (node.namespaceURI === HTML && VOID.has(node.localName)) return `<${node.localName}${own}>`;
    return `<${node.localName}${own}>${inside()}</${node.localName}>`;
  };

  // The same as XML.
  const xml = (node, uri) => {
    if (node.nodeType === 3) return node.data.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;" })[sign] ?? "&gt;");
    if (node.nodeType !== 1) return node.nodeType === 8 ? "" : node.childNodes.map((one) => xml(one, uri)).join("");
    const names = node.getAttributeNames().filter((name) => /^[a-z_][\w.-]*(?::[a-z_][\w.-]*)?$/i.test(name));
    const rows = names.map((name) => [name, node.getAttribute(name)]);
    if (node.namespaceURI !== uri && !names.includes("xmlns")) rows.unshift(["xmlns", node.namespaceURI]);
    const own = rows.map(([name, value]) => ` ${name}="${value.replace(/[&<"\t\n\r]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", '"': "&quot;" })[sign] ?? `&#${sign.charCodeAt(0)};`)}"`).join("");
    const inside = node.childNodes.map((one) => xml(one, node.namespaceURI)).join("");
    return inside ? `<${node.localName}${own}>${inside}</${node.localName}>` : `<${node.localName}${own}/>`;
  };

  // Markup, read into a fragment as if it stood in an element. What is no tag is text.
  const TAG = /<!--([\s\S]*?)-->|<!\[CDATA\[([\s\S]*?)\]\]>|<[!?][^>]*>|<(\/?)([a-z][^\s/>]*)((?:[^>"'=]|=\s*"[^"]*"|=\s*'[^']*'|=|"|')*?)(\/?)>/giy;
  const OWN = /([^\s=/>"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?/g;
  const within = (element) => (element.namespaceURI === SVG && /^(?:foreignobject|desc|title)$/i.test(element.localName) ? HTML : element.namespaceURI);
  const read = (text, around) => {
    const owner = around.ownerDocument ?? around, root = owner.createDocumentFragment();
    let open = [], at = 0, words = "";
    const here = () => open.at(-1) ?? root;
    const flush = () => {
      if (words) here().appendChild(owner.createTextNode(words));
      words = "";
    };
    while (at < text.length) {
      const next = text.indexOf("<", at);
      if (next !== at) {
        const end = next < 0 ? text.length : next;
        words += plain(text.slice(at, end));
        at = end;
        continue;
      }
      TAG.lastIndex = at;
      const found = TAG.exec(text);
      if (!found) { words += "<"; at += 1; continue; }
      at = TAG.lastIndex;
      const [, comment, raw, isEnd, name, given, isEmpty] = found;
      if (raw !== undefined) { words += raw; continue; }
      flush();
      if (comment !== undefined) here().appendChild(owner.createComment(comment));
      if (name === undefined) continue;
      if (isEnd) {
        const level = open.findLastIndex((one) => one.lowerName === name.toLowerCase());
        if (level >= 0) open = open.slice(0, level);
        continue;
      }
      const lower = name.toLowerCase(), outer = within(open.at(-1) ?? around);
      const uri = lower === "svg" ? SVG : lower === "math" ? MATH : outer ?? HTML;
      const made = owner.createElementNS(uri, name);
      for (const [, key, one, two, bare] of given.matchAll(OWN)) if (!made.hasAttribute(key)) made.setAttribute(key, plain(one ?? two ?? bare ?? ""));
      here().appendChild(made);
      if (uri === HTML ? VOID.has(lower) : isEmpty) continue;
      if (uri === HTML && AS_WRITTEN.has(lower)) {
        const end = new RegExp(`</${lower}\\s*>`, "gi");
        end.lastIndex = at;
        const close = end.exec(text), last = close ? close.index : text.length;
        if (last > at) made.appendChild(owner.createTextNode(text.slice(at, last)));
        at = close ? end.lastIndex : text.length;
        continue;
      }
      open.push(made);
    }
    flush();
    return root;
  };

  class DOMParser {
    parseFromString(text) {
      const made = new Document();
      made.body.replaceChildren(read(String(text).replace(/^[\s\S]*?<body[^>]*>|<\/body>[\s\S]*$/gi, ""), made.body));
      return made;
    }
  }
  class XMLSerializer { serializeToString(node) { return xml(node, null); } }

  Object.assign(globalThis, { Node, Element, SVGElement, HTMLElement, HTMLFormElement, Text, Comment, DocumentFragment, Document, NamedNodeMap, NodeFilter, NodeIterator,
    DOMParser, XMLSerializer, document: new Document(), getComputedStyle: (element) => __styles.computed(element) });
  globalThis.__tree = { changes, HTML, SVG, sheets: () => sheets.filter((one) => one.getRootNode() === document) };
  // An empty page with a place to draw in.
  globalThis.__resetDocument = () => {
    iterators.clear();
    sheets = [];
    document.head.replaceChildren();
    const place = document.createElement("div");
    place.id = "container";
    document.body.replaceChildren(place);
  };
  __resetDocument();
})();
