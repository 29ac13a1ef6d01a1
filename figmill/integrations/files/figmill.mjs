/* figmill for mystmd and Jupyter Book 2: ![](figmill:ID) shows a figure, [](figmill:ID#FACT:FORMAT) writes a fact.

   Name this file under `project.plugins` in myst.yml, and build the figures first: `figmill`. The directive
   `figmill` has a label, for references; the role `figmill-fact` takes ID#FACT:FORMAT. FIGMILL_ROOT names a book
   elsewhere. With --strict, an unknown figure or fact is an error. Blocks of code in the languages of `fences` in the
   book's settings, or of `figmill: {fences: [...]}` in a page, become figures.

   The command `figmill` does the work: this plugin asks it once for each page that names a figure. */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const NOT_FOUND = "the command figmill is not found; install it with `pip install figmill`, and have it on the PATH";

/** What `figmill page --json` answers: the page with its figures, and the messages about it. */
function answerTo(request) {
  const input = JSON.stringify({ version: 1, host: "myst", ...request });
  const done = spawnSync("figmill", ["page", "--json"], { input, encoding: "utf-8", maxBuffer: Infinity, windowsHide: true });
  if (done.status === 0) return JSON.parse(done.stdout);
  const problem = done.error?.code === "ENOENT" ? NOT_FOUND : done.stderr?.trim().split("\n").at(-1) || `${done.error}`;
  return { messages: [{ message: problem.replace(/^figmill: /, "") }] };
}

/** Whether the page, or the settings of a book around it, speak of fences. */
function speaksOfFences(path) {
  if (existsSync(path) && /^figmill:[^]*?fences/m.test(readFileSync(path, "utf-8").split(/^---\s*$/m)[1] ?? "")) return true;
  for (let folder = resolve(process.env.FIGMILL_ROOT ?? dirname(path)); ; folder = dirname(folder)) {
    for (const name of ["figmill.toml", "pyproject.toml"]) {
      const file = join(folder, name);
      const text = existsSync(file) ? readFileSync(file, "utf-8") : "";
      if (text.includes("fences") && (name === "figmill.toml" || text.includes("figmill"))) return true;
    }
    if (folder === dirname(folder)) return false;
  }
}

const transform = {
  name: "figmill", stage: "document",
  plugin: () => (tree, file) => {
    const document = JSON.stringify(tree);
    const mayHaveFences = /"type":"(?:code|mermaid)"/.test(document) || document.includes('"type":"mystDirective"');
    if (!document.includes("figmill:") && !(mayHaveFences && speaksOfFences(file.path))) return;
    const answer = answerTo({ sources: [file.path], document });
    for (const { message, line, column } of answer.messages) {
      const found = file.message(`figmill: ${message}`, line ? { line, column } : undefined);
      if (process.argv.includes("--strict")) found.fatal = true;
    }
    if (answer.document) tree.children = JSON.parse(answer.document).children;
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

const named = (label) =>
  label ? { label, identifier: label.toLowerCase().replaceAll(/[^a-z0-9-]+/g, "-"), html_id: label.toLowerCase() } : {};

const role = {
  name: "figmill-fact", doc: "A fact of a figure: ID#FACT:FORMAT.", body: { type: String, required: true },
  run: ({ body, node }) => [{ type: "link", url: `figmill:${body.replace(/^figmill:/, "")}`, position: node?.position, children: [] }],
};

export default { name: "figmill", directives: [directive], roles: [role], transforms: [transform] };
