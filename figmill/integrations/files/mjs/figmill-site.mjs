/* figmill for sites in JavaScript: what Docusaurus, Astro and VitePress share. */

import { join, relative, sep } from "node:path";
import { answerTo, speaksOfPages } from "./figmill-page.mjs";

/** Whether a page may have a figure. text: of the page, as JSON; hasCode: whether it has code blocks. */
function mayHaveFigures(text, hasCode, path, root) {
  return text.includes("figmill:") || ((hasCode || text.includes('"type":"image"')) && speaksOfPages(path, root));
}

/** A page of a site with its figures: its document as JSON, or nothing where it has none.

    options: `root`, the book; `build`, whether to build it first; `strict`, whether an error ends the site's build:
    by default in a build for publication. site: {public, pages}: folders, and their addresses. language: of the page;
    without one, that of the book.
    Throws an Error with a line for each error of the page. */
export function pageWithFigures({ host, format = "", path, document, hasCode, options = {}, site, language }) {
  const { root, build = true, strict, inline } = options;
  if (!mayHaveFigures(document, hasCode, path, root)) return undefined;
  const answer = answerTo({ host, format, sources: [path], document, root: root ?? null, build, inline, language, ...site });
  const words = ({ message, file, line }) => `figmill: ${file ? `${relative("", file)}${line ? `:${line}` : ""}: ` : ""}${message}`;
  const ends = strict ?? (process.env.NODE_ENV === "production" && !answer.isMissing);
  const errors = answer.messages.filter(({ level }) => level === "error").map(words);
  if (ends && errors.length) throw new Error(errors.join("\n"));
  answer.messages.map(words).forEach(tell);
  return answer.document ?? marked(document);
}

/** Build the book of a site; returns what its figures need: [manifest, ...folders of sources]; empty without a book. */
export function opened(folder, options = {}) {
  const document = JSON.stringify({ type: "root", children: [] });
  const { root = null, build = true } = options;
  const answer = answerTo({ host: "remark", sources: [join(folder, "page.md")], document, root, build });
  for (const { message } of answer.messages) tell(`figmill: ${message}`);
  return answer.watched ?? [];
}

const isTold = new Set();
function tell(line) {
  if (!isTold.has(line)) console.warn(line);
  isTold.add(line);
}

/** Which of these a file is, or in which of these folders it is. */
export const within = (path, folders) => folders.some((folder) => path === folder || path.startsWith(folder + sep));

/** A page without pictures at figmill's addresses: if the command is missing, readers see the names of figures. */
function marked(document) {
  return JSON.stringify(JSON.parse(document, (key, value) => {
    const address = value?.url ?? value?.attrs?.find(([name]) => name === "src" || name === "href")?.[1];
    if (!/^figmill:/.test(address ?? "")) return value;
    if (value.type === "image" && value.url) return { type: "strong", children: [{ type: "text", value: address }] };
    if (value.type === "image") return { ...value, type: "code_inline", tag: "code", attrs: null, children: null, content: address };
    if (value.type === "link" && !value.children.length) return { ...value, url: "#", children: [{ type: "text", value: address }] };
    return value.url ? { ...value, url: "#" } : { ...value, attrs: [["href", "#"]] };
  }));
}

/** Put the answer of `figmill page` into a tree of nodes: what has not changed stays, with what JSON does not carry. */
export function place(node, made, replace) {
  if (same(node, made)) return;
  const [mine, theirs] = [node.children, made.children];
  const alike = mine && theirs && mine.length === theirs.length && same({ ...node, children: 0 }, { ...made, children: 0 });
  if (alike) theirs.forEach((child, at) => place(mine[at], child, replace));
  else replace(node, made);
}

export const asJson = (node) => JSON.stringify(node, (key, value) => (key === "data" ? undefined : value));
const same = (one, other) => asJson(one) === asJson(other);
