// Selectors of CSS: which elements they mean. Each text is read once.
"use strict";

globalThis.__selectors = (function () {
  const NAME = String.raw`(?:\\[\da-f]{1,6}\s?|\\.|[\w-]|[^\x00-\x7f])+`;
  const PART = new RegExp(String.raw`::?[\w-]+(?:\(((?:[^()]|\([^()]*\))*)\))?|#(${NAME})|\.(${NAME})|\[\s*([\w:-]+)\s*(?:([~|^$*]?=)\s*(?:"([^"]*)"|'([^']*)'|([^\]\s]*))\s*(i)?\s*)?\]|(\*|${NAME})`, "giy");
  const SPACES = /\s+/;
  const plain = (name) => name.replace(/\\([\da-f]{1,6})\s?|\\(.)/gi, (all, code, sign) => (code ? String.fromCodePoint(parseInt(code, 16)) : sign));
  const once = (make) => {
    const known = new Map();
    return (key) => {
      let value = known.get(key);
      if (value === undefined) known.set(key, (value = make(key)));
      return value;
    };
  };
  const namesIn = once((text) => new Set(text.split(SPACES)));
  const siblings = (element) => element.parentNode?.children ?? [element];
  const alike = (element) => siblings(element).filter((one) => one.localName === element.localName);
  const nth = (text) => {
    const [, step, , first] = /^\s*(?:([+-]?\d*)n)?\s*(?:([+-]?)\s*(\d+))?\s*$/.exec(text.replace("odd", "2n+1").replace("even", "2n")) ?? [];
    const by = step === undefined ? 0 : step === "" || step === "+" ? 1 : step === "-" ? -1 : Number(step);
    const from = Number(first ?? 0) * (/-\s*\d+\s*$/.test(text) ? -1 : 1);
    return (place) => (by === 0 ? place === from : (place - from) / by >= 0 && (place - from) % by === 0);
  };
  const HOLDS = {
    "=": (own, value) => own === value, "~=": (own, value) => own.split(SPACES).includes(value), "^=": (own, value) => value !== "" && own.startsWith(value),
    "$=": (own, value) => value !== "" && own.endsWith(value), "*=": (own, value) => value !== "" && own.includes(value), "|=": (own, value) => own === value || own.startsWith(`${value}-`),
  };
  const PSEUDO = {
    not: (inner) => { const one = list(inner); return [(element) => !one.some(({ matches }) => matches(element)), most(one)]; },
    is: (inner) => { const one = list(inner); return [(element) => one.some(({ matches }) => matches(element)), most(one)]; },
    where: (inner) => [PSEUDO.is(inner)[0], 0],
    root: () => [(element) => element.parentNode?.nodeType === 9, 100],
    "first-child": () => [(element) => siblings(element)[0] === element, 100],
    "last-child": () => [(element) => siblings(element).at(-1) === element, 100],
    "only-child": () => [(element) => siblings(element).length === 1, 100],
    "first-of-type": () => [(element) => alike(element)[0] === element, 100],
    "last-of-type": () => [(element) => alike(element).at(-1) === element, 100],
    "nth-child": (inner) => { const holds = nth(inner); return [(element) => holds(siblings(element).indexOf(element) + 1), 100]; },
    "nth-of-type": (inner) => { const holds = nth(inner); return [(element) => holds(alike(element).indexOf(element) + 1), 100]; },
  };
  const NEVER = [() => false, 0];
  const most = (all) => Math.max(0, ...all.map(({ weight }) => weight));

  // A part of a selector: what an element must be, and how much it weighs.
  const test = ([all, inner, id, name, key, sign, quoted, single, bare, isLoose, tag]) => {
    if (id !== undefined) { const own = plain(id); return [(element) => element.getAttribute("id") === own, 10000]; }
    if (name !== undefined) { const own = plain(name); return [(element) => namesIn(element.getAttribute("class") ?? "").has(own), 100]; }
    if (tag === "*") return [() => true, 0];
    if (tag !== undefined) { const own = plain(tag).toLowerCase(); return [(element) => element.lowerName === own, 1]; }
    if (key === undefined) return PSEUDO[all.replace(/^::?/, "").replace(/\(.*/s, "").toLowerCase()]?.(inner ?? "") ?? NEVER;
    if (!sign) return [(element) => element.hasAttribute(key), 100];
    const value = quoted ?? single ?? bare ?? "", holds = HOLDS[sign];
    if (isLoose) return [(element) => holds((element.getAttribute(key) ?? "").toLowerCase(), value.toLowerCase()), 100];
    return [(element) => { const own = element.getAttribute(key); return own !== null && holds(own, value); }, 100];
  };

  const STEPS = {
    " ": (element, before) => { for (let one = element.parentNode; one?.nodeType === 1; one = one.parentNode) if (before(one)) return true; return false; },
    ">": (element, before) => element.parentNode?.nodeType === 1 && before(element.parentNode),
    "+": (element, before) => { const one = element.previousElementSibling; return Boolean(one) && before(one); },
    "~": (element, before) => siblings(element).slice(0, siblings(element).indexOf(element)).some(before),
  };
  const STEP = /\s*([>+~])\s*|\s+/y;

  // One selector without commas: {matches, weight}. Throws on text that is no selector.
  const chain = (text) => {
    let before = null, matches = null, weight = 0, step = " ", tests = [], at = 0;
    const close = () => {
      if (!tests.length) throw new SyntaxError(`'${text}' is not a selector`);
      const own = tests, above = before, by = STEPS[step];
      matches = above ? (element) => own.every((one) => one(element)) && by(element, above) : own.length === 1 ? own[0] : (element) => own.every((one) => one(element));
      [before, tests] = [matches, []];
    };
    while (at < text.length) {
      PART.lastIndex = at;
      const part = PART.exec(text);
      if (part) {
        at = PART.lastIndex;
        const [holds, weighs] = test(part);  // which may read selectors within this one
        tests.push(holds);
        weight += weighs;
        continue;
      }
      STEP.lastIndex = at;
      const found = STEP.exec(text);
      if (!found) throw new SyntaxError(`'${text}' is not a selector`);
      close();
      step = found[1] ?? " ";
      at = STEP.lastIndex;
    }
    close();
    return { matches, weight };
  };
  const list = once((text) => parts(text).map((one) => chain(one.trim())));

  // The parts of a text between commas that stand in no brackets and no quotes.
  const parts = (text, sign = ",") => {
    const found = [];
    let depth = 0, quote = "", from = 0;
    for (let at = 0; at < text.length; at += 1) {
      const letter = text[at];
      if (letter === "\\") at += 1;
      else if (quote) quote = letter === quote ? "" : quote;
      else if (letter === '"' || letter === "'") quote = letter;
      else if ("([{".includes(letter)) depth += 1;
      else if (")]}".includes(letter)) depth -= 1;
      else if (letter === sign && depth === 0) { found.push(text.slice(from, at)); from = at + 1; }
    }
    return [...found, text.slice(from)];
  };

  const matches = (element, text) => list(text).some((one) => one.matches(element));
  const some = (text) => { const all = list(text); return all.length === 1 ? all[0].matches : (element) => all.some((one) => one.matches(element)); };
  const first = (root, holds) => {
    for (const child of root.childNodes) {
      if (child.nodeType !== 1) continue;
      const found = holds(child) ? child : first(child, holds);
      if (found) return found;
    }
    return null;
  };
  const every = (root, holds, found = []) => {
    for (const child of root.childNodes) {
      if (child.nodeType !== 1) continue;
      if (holds(child)) found.push(child);
      every(child, holds, found);
    }
    return found;
  };
  return { list, parts, plain, matches, first: (root, text) => first(root, some(text)), all: (root, text) => every(root, some(text)), every };
})();
