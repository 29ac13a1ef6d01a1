/* figmill for mystmd and Jupyter Book 2: ![](figmill:ID) shows a figure, [](figmill:ID#FACT:FORMAT) writes a fact.

   Name this file under `project.plugins` in myst.yml, and build the figures first: `figmill`. The directive
   `figmill` has a label, for references; the role `figmill-fact` takes ID#FACT:FORMAT. FIGMILL_ROOT names a book
   elsewhere. With --strict, an unknown figure or fact is an error. */

import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const MARK = "Out of date: the last build of this figure failed.";
// The switch of mystmd's own themes: Tailwind's classes.
const SWITCHES = { light: "figmill-light dark:hidden", dark: "figmill-dark hidden dark:block", only: "figmill-only" };
const SWITCHES_IN_LINE = { ...SWITCHES, dark: "figmill-dark hidden dark:inline" };

// The book --------------------------------------------------------------------------------------------------------

/** The output folder that the settings of a book name. */
function outputOf(root) {
  for (const name of ["figmill.toml", "pyproject.toml"]) {
    const path = join(root, name);
    if (!existsSync(path)) continue;
    const text = readFileSync(path, "utf-8");
    const table = text.split(/^\[tool\.figmill\].*$/m)[1] ?? (name === "figmill.toml" ? text : "");
    const found = table.split(/^\[/m)[0].match(/^\s*output\s*=\s*["']([^"'\n]+)["']/m);
    if (found && found[1] !== "in-place") return found[1];
  }
  return "build";
}

/** The output folder of the named book, or of the nearest one upwards from a page; null where there is none. */
function folderFrom(start) {
  const given = process.env.FIGMILL_ROOT;
  for (let root = resolve(given ?? start); ; root = dirname(root)) {
    const folder = resolve(root, outputOf(root));
    if (existsSync(join(folder, "manifest.json"))) return folder;
    if (given || dirname(root) === root) return null;
  }
}

const read = new Map(); // folder -> when its manifest was written, and its figures by label

function figuresIn(folder) {
  const path = join(folder, "manifest.json");
  const time = statSync(path).mtimeMs;
  if (read.get(folder)?.time !== time) {
    const rows = JSON.parse(readFileSync(path, "utf-8")).figures;
    const figures = new Map(rows.map((row) => [row.name ? `${row.id}-${row.name}` : row.id, row]));
    read.set(folder, { time, figures });
  }
  return read.get(folder).figures;
}

/** `; did you mean 'graph'?`, by the least number of letters to change. */
function didYouMean(word, known) {
  let [best, least] = ["", Math.max(1, word.length * 0.5)];
  for (const name of [...known].sort()) {
    const row = Array.from({ length: name.length + 1 }, (_, j) => j);
    for (let i = 1; i <= word.length; i++) {
      let before = row[0];
      row[0] = i;
      for (let j = 1; j <= name.length; j++) {
        const cost = word[i - 1].toLowerCase() === name[j - 1].toLowerCase() ? 0 : 1;
        [before, row[j]] = [row[j], Math.min(row[j] + 1, row[j - 1] + 1, before + cost)];
      }
    }
    if (row[name.length] < least || (row[name.length] === least && !best)) [best, least] = [name, row[name.length]];
  }
  return best && `; did you mean '${best}'?`;
}

// Facts -----------------------------------------------------------------------------------------------------------

/** A number with so many decimals. JavaScript rounds an exact half up; Python, Lua and this round it to even. */
function fixed(number, digits, write = "toFixed") {
  const text = number[write](digits);
  const [exact, exponent = ""] = number[write](Math.min(100, digits + 60)).split("e");
  const point = exact.indexOf(".") + 1;
  const rest = exact.slice(point + digits);
  if (!/^50*$/.test(rest) || exponent !== (text.split("e")[1] ?? "")) return text;
  const below = exact.slice(0, point + digits).replace(/\.$/, "");
  const isEven = "02468".includes(below.at(-1));
  return isEven ? below + (exponent && `e${exponent}`) : text;
}

/** An exponent has two digits at least. */
const padded = (text) => text.replace(/e([+-])(\d)$/, "e$10$2");

function general(number, digits) {
  const precision = Math.max(1, digits);
  if (number === 0) return "0";
  const written = fixed(number, precision - 1, "toExponential");
  const exponent = Number(written.split("e")[1]);
  const trimmed = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (exponent >= -4 && exponent < precision) return trimmed(fixed(number, precision - 1 - exponent));
  const [mantissa, power] = written.split("e");
  return padded(`${trimmed(mantissa)}e${power}`);
}

// Units, as in figmill/units.py: what a given unit or a word of a fact's name multiplies by, and the unit after that.
const TIMES = new Map(Object.entries({ ns: 1e-9, us: 1e-6, "µs": 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600 }));
const WORDS = new Map(Object.entries({
  ns: [1e-9, "s"], us: [1e-6, "s"], ms: [1e-3, "s"], s: [1, "s"], h: [3600, "s"], bytes: [1, "B"], flops: [1, "FLOP/s"],
}));
const RATES = new Map(["bytes", "requests", "tokens", "samples"].map((word) => [word, word === "bytes" ? "B/s" : `${word}/s`]));
const WHOLE = new Set(["B", "B/s", "FLOP", "FLOP/s", "FLOP/B", "tokens", "tokens/s", "requests/s", ""]);
const PREFIXES = ["f", "p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E"]; // from 10^-15 on, each 1000 times the last
const LONGER = [[86400, "days"], [3600, "h"], [60, "min"]];

/** A number with so many significant digits, and the power of ten of its first one. */
function rounded(value, digits) {
  const text = fixed(value, digits - 1, "toExponential");
  return [Number(text), Number(text.split("e")[1])];
}

/** The same as text without an exponent. */
function number(value, digits) {
  if (value === 0) return "0";
  const [near, power] = rounded(value, digits);
  const text = fixed(near, Math.min(20, Math.max(0, digits - power - 1)));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** `43.4 ms` for 0.0434 and "s". */
function quantity(value, unit, digits) {
  if (value === 0) return `0 ${unit}`.trimEnd();
  const [near, first] = rounded(value, digits);
  const power = Math.min(18, Math.max(WHOLE.has(unit) ? 0 : -15, 3 * Math.floor(first / 3)));
  return `${number(near / Number(`1e${power}`), digits)} ${PREFIXES[power / 3 + 5]}${unit}`.trimEnd();
}

/** A time: with a prefix below 100 s, then in minutes, hours or days. */
function duration(seconds) {
  const longer = LONGER.find(([length]) => Math.abs(seconds) >= Math.max(100, 1.6 * length));
  if (longer) return `${number(seconds / longer[0], 3)} ${longer[1]}`;
  if (seconds === 0) return "0 s";
  const power = Math.max(-15, 3 * Math.floor(rounded(seconds, 3)[1] / 3));
  return `${number(seconds / Number(`1e${power}`), 3)} ${PREFIXES[power / 3 + 5]}s`;
}

/** The factor and the unit that the name of a fact tells: by its last word that is a unit. */
function unitOf(name) {
  const words = name.split("_");
  for (let at = words.length - 1; at >= 0; at--) {
    if (words[at] === "s" && words[at - 1] === "per") return [1, RATES.get(words[at - 2]) ?? "/s"];
    if (WORDS.has(words[at])) return WORDS.get(words[at]);
  }
  return null;
}

/** A fact in the format `si`, `.4si` or `si ms`. digits, given: of the format. Throws what is wrong. */
function stated(fact, form, digits, given, name) {
  if (typeof fact !== "number") throw new Error("only a number has a unit");
  const known = TIMES.has(given) ? [TIMES.get(given), "s"] : given ? [1, given] : unitOf(name);
  if (!known) throw new Error(`the name '${name}' tells no unit; say which it is in: ${form} ms`);
  const [value, unit] = [fact * known[0], known[1]];
  return !digits && unit === "s" ? duration(value) : quantity(value, unit, Number(digits ?? 3));
}

/** A fact in a format: `+`, `,`, `.digits` and one of d f e g %, as in Python, or with its unit. Throws what is wrong. */
export function shown(fact, form = "", name = "") {
  if (Array.isArray(fact)) return fact.map((item) => shown(item, form, name)).join(", ");
  const unit = form.match(/^(?:\.([1-9]))?si(?: (\S{1,20}))?$/u);
  if (unit) return stated(fact, form, unit[1], unit[2], name);
  const match = form.match(/^(\+?)(,?)(?:\.(\d{1,2}))?([dfeg%]?)$/);
  if (!match) throw new Error(`'${form}' is no format; one is .2f, .1%, ,d, or si for a number with its unit`);
  if (typeof fact !== "number") {
    if (form) throw new Error(`'${form}' is a format for numbers, and this is none`);
    return String(fact ?? "none");
  }
  let [, sign, comma, digits, kind] = match;
  const isWhole = Number.isInteger(fact);
  if (!kind && digits === undefined) kind = isWhole && Math.abs(fact) < 1e15 ? "d" : "g";
  if (kind === "d" && (!isWhole || digits !== undefined)) {
    throw new Error(`'${form}' shows whole numbers, and this is ${general(fact, 6)}`);
  }
  const count = Number(digits ?? 6);
  let text;
  if (kind === "d") text = fixed(fact, 0);
  else if (kind === "f") text = fixed(fact, count);
  else if (kind === "%") text = `${fixed(fact * 100, count)}%`;
  else if (kind === "e") text = padded(fixed(fact, count, "toExponential"));
  else text = general(fact, count);
  if (comma) text = text.replace(/\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
  return sign && fact >= 0 ? `+${text}` : text;
}

// Pages -----------------------------------------------------------------------------------------------------------

/** An address as it was written: mystmd quotes blanks and what is not ASCII. */
function unquoted(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replaceAll("%25", "%"); // a percent sign that nobody has quoted
  }
}

/** What `figmill:...` names; null for any other address. */
function targetOf(address) {
  if (typeof address !== "string" || !address.startsWith("figmill:")) return null;
  const [label, rest = ""] = address.slice("figmill:".length).split(/#(.*)/s);
  const [fact, form = ""] = rest.split(/:(.*)/s);
  // mystmd shows a figure as it is declared, so every fact keeps its declared value
  return { text: unquoted(address), label, fact, form: unquoted(form).replace(/(^|:)declared$/, "") };
}

const missing = (target) => ({
  type: "strong", class: "figmill-mark", children: [{ type: "text", value: target.text }],
});

/** The part of a figure's label that says on which page it is. */
const slugOf = (path) =>
  relative(process.cwd(), resolve(path)).replace(/\.\w+$/, "").toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

const NO_PAGES = /^(?:[._].*|node_modules)$/;

/** The pages of the project, in the order of their names. */
function* pagesIn(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (NO_PAGES.test(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* pagesIn(path);
    else if (entry.name.endsWith(".md")) yield path;
  }
}

// A figure by itself: an image, or a directive with its options.
const SHOWN = /^[ \t]*(?:!\[.*\]\(figmill:([\w.-]+)\)|[:`]{3,}\{figm?[a-z]*\} *(?:figmill:)?([\w.-]+))[ \t]*$((?:\n[ \t]*:.*:.*$)*)/gm;
const CODE = /^([`~]{3,})(?!.*\{).*?^\1/gms;

/** The identifier of a figure on another page, by that page's text; mystmd leads to it. Or undefined. */
function elsewhere(label) {
  for (const path of pagesIn(process.cwd())) {
    const text = readFileSync(path, "utf-8").replaceAll(CODE, "");
    const found = [...text.matchAll(SHOWN)].find(([, image, directive]) => (image ?? directive) === label);
    if (!found) continue;
    const own = found[3].match(/^[ \t]*:(?:label|name):[ \t]*(\S+)/m);
    return named(own ? own[1] : `fig-${label}-${slugOf(path)}`).identifier;
  }
  return undefined;
}

class Page {
  constructor(file) {
    this.file = file;
    this.folder = folderFrom(dirname(resolve(file.path)));
    this.figures = this.folder ? figuresIn(this.folder) : new Map();
    this.told = new Set();
    this.slug = slugOf(file.path);
    this.shown = new Map(); // label of a figure -> how often the page shows it
  }

  warn(message, node) {
    if (this.told.has(message)) return;
    this.told.add(message);
    const found = this.file.message(`figmill: ${message}`, node);
    if (process.argv.includes("--strict")) found.fatal = true;
  }

  rowOf(target, node) {
    const row = this.figures.get(target.label);
    if (row) return row;
    if (!this.folder) this.warn("there is no built book here or above; run figmill, or set FIGMILL_ROOT", node);
    else this.warn(`there is no figure '${target.label}'${didYouMean(target.label, this.figures.keys())}`, node);
    return null;
  }

  factOf(target, node) {
    const row = this.rowOf(target, node);
    if (!row) return missing(target);
    const fact = row.facts[target.fact];
    try {
      if (fact !== undefined) return { type: "text", value: shown(fact, target.form, target.fact) };
      const names = Object.keys(row.facts);
      const known = didYouMean(target.fact, names) || `; it states: ${names.join(", ") || "none"}`;
      this.warn(`figure '${target.label}' states no fact '${target.fact}'${known}`, node);
    } catch (error) {
      this.warn(`fact '${target.fact}' of figure '${target.label}': ${error.message}`, node);
    }
    return missing(target);
  }

  images(row, node, switches) {
    const theme = node.theme ?? "auto";
    const of = (name) => row.files.find((file) => file.theme === name && file.format === "svg");
    const [light, dark] = [of("light"), of("dark")];
    const both = theme === "auto" && light && dark;
    const chosen = (theme === "dark" && dark) || light || dark;
    const pairs = both ? [["light", light], ["dark", dark]] : [["only", chosen]];
    const alt = node.ownAlt ?? row.alt;
    return pairs.map(([name, file]) => ({
      type: "image",
      url: relative(dirname(resolve(this.file.path)), join(this.folder, file.path)).replaceAll("\\", "/"),
      alt,
      class: [switches[name], node.class].filter(Boolean).join(" "),
      width: node.width ?? `${Math.round(file.width)}px`,
      ...(node.align ? { align: node.align } : {}),
    }));
  }

  /** The children of a figure: its pictures, a mark where it is out of date, and one caption. */
  inside(row, node, caption) {
    const target = targetOf(node.url);
    const found = this.images(row, node, SWITCHES);
    if (row.status !== "current") {
      this.warn(`figure '${target.label}' is out of date, its last build failed`, node);
      const words = { type: "strong", children: [{ type: "text", value: MARK }] };
      found.push({ type: "paragraph", class: "figmill-mark", children: [words] });
    }
    const words = caption ?? (row.caption && paragraph(row.caption));
    return words ? [...found, { type: "caption", children: [].concat(words) }] : found;
  }

  /** A label for a figure without one: no number is shown without. Unique in the project. */
  label(label) {
    const count = (this.shown.get(label) ?? 0) + 1;
    this.shown.set(label, count);
    return [`fig-${label}-${this.slug}`, ...(count > 1 ? [count] : [])].join("-");
  }

  /** A figure in place of an image that stands by itself. */
  figure(node) {
    const target = targetOf(node.url);
    const row = this.rowOf(target, node);
    if (!row) return { type: "paragraph", children: [missing(target)] };
    return {
      type: "container", kind: "figure", class: "figmill", enumerated: true, noSubcontainers: true,
      position: node.position, figmill: target.label, ...named(this.label(target.label)),
      children: this.inside(row, node, node.alt && !node.ownAlt ? paragraph(node.alt) : null),
    };
  }

  /** A figure whose container the page has written itself. */
  fill(container, node) {
    const target = targetOf(node.url);
    const row = this.rowOf(target, node);
    if (!row) return { type: "paragraph", children: [missing(target)] };
    const caption = container.children.find((child) => child.type === "caption");
    const own = node.data?.altTextIsAutoGenerated ? undefined : node.alt;
    const children = this.inside(row, { ...node, ownAlt: node.ownAlt ?? own }, caption?.children);
    const rest = container.children.filter((child) => child !== node && child !== caption);
    const classes = ["figmill", container.class].filter(Boolean).join(" ");
    const label = container.identifier ? {} : named(this.label(target.label));
    const facts = { class: classes, enumerated: container.enumerated ?? true, noSubcontainers: true };
    return { ...container, ...facts, ...label, figmill: target.label, children: [...children, ...rest] };
  }

  /** The node that stands in place of one, with everything below it. */
  seen(node, parent) {
    const target = targetOf(node.url);
    if (node.type === "image" && target) {
      if (parent.type !== "paragraph" && !parent.isInLine) return this.figure(node);
      const row = this.rowOf(target, node);
      return row ? this.images(row, node, SWITCHES_IN_LINE) : missing(target);
    }
    if (node.type === "link" && target && (target.fact || !node.children?.length)) return this.factOf(target, node);
    if (!node.children) return node;
    const image = node.type === "container" && node.children.find((child) => child.type === "image" && targetOf(child.url));
    if (image) return this.fill(node, image);
    node.children = node.children.flatMap((child) => this.seen(child, node));
    return node;
  }

  /** Words that lead to a figure of this page. */
  connect(node, containers) {
    for (const child of node.children ?? []) this.connect(child, containers);
    const target = node.type === "link" && targetOf(node.url);
    if (!target) return;
    const container = containers.find((one) => one.figmill === target.label);
    const identifier = container ? container.identifier : this.rowOf(target, node) && elsewhere(target.label);
    if (identifier) node.url = `#${identifier}`;
    else if (this.figures.has(target.label)) {
      this.warn(`no page shows figure '${target.label}'; show it on one, with ![](figmill:${target.label})`, node);
    }
  }
}

const paragraph = (text) => ({ type: "paragraph", children: [{ type: "text", value: text }] });
const named = (label) =>
  label ? { label, identifier: label.toLowerCase().replaceAll(/[^a-z0-9-]+/g, "-"), html_id: label.toLowerCase() } : {};

function containersIn(node) {
  return [...(node.figmill ? [node] : []), ...(node.children ?? []).flatMap(containersIn)];
}

const transform = {
  name: "figmill", stage: "document",
  plugin: () => (tree, file) => {
    if (!JSON.stringify(tree).includes("figmill:")) return;
    const page = new Page(file);
    page.seen(tree, { type: "root" });
    page.connect(tree, containersIn(tree));
  },
};

const option = (doc, type = String) => ({ type, doc });
const directive = {
  name: "figmill", doc: "A figure of the book, by its id.",
  arg: { type: String, required: true, doc: "The figure's id" },
  options: {
    label: { type: String, alias: ["name"], doc: "For references" }, alt: option("In place of its alt text"),
    caption: option("In place of its caption", "myst"), class: option("Of the pictures"), align: option("left, center, right"),
    width: option("A CSS length"), theme: option("auto, light or dark"),
  },
  body: { type: "myst", doc: "In place of its caption" },
  run({ arg, options = {}, body, node }) {
    const { label, alt, caption, ...look } = options;
    const image = { type: "image", url: `figmill:${arg.replace(/^figmill:/, "")}`, ownAlt: alt, position: node?.position, ...look };
    const words = body?.length ? body : caption?.length && caption;
    const children = words ? [image, { type: "caption", children: words }] : [image];
    return [{ type: "container", kind: "figure", position: node?.position, ...named(label), children }];
  },
};

const role = {
  name: "figmill-fact", doc: "A fact of a figure: ID#FACT:FORMAT.", body: { type: String, required: true },
  run: ({ body, node }) => [{ type: "link", url: `figmill:${body.replace(/^figmill:/, "")}`, position: node?.position, children: [] }],
};

export default { name: "figmill", directives: [directive], roles: [role], transforms: [transform] };
