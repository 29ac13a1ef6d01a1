/* figmill for mystmd and Jupyter Book 2: ![](figmill:ID) shows a figure, [](figmill:ID#FACT:FORMAT) writes a fact.

   Name this file under `project.plugins` in myst.yml, and build the figures first: `figmill`. The directive
   `figmill` has a label, for references; the role `figmill-fact` takes ID#FACT:FORMAT. FIGMILL_ROOT names a book
   elsewhere. With --strict, an unknown figure or fact is an error. Code blocks in the languages of `fences` in the
   book's settings, or of `figmill: {fences: [...]}` in a page, become figures, and so do local images whose suffix is
   in `images` of those settings.

   The command `figmill` does the work: this plugin asks it once for each page that names a figure. */

import { answerTo, speaksOfPages } from "./figmill-page.mjs";

/* What `myst build` writes beside or instead of a site. Of two pictures, a document would show both. */
const DOCUMENTS = { "--pdf": "pdf", "--tex": "latex", "--typst": "typst", "--docx": "docx", "--word": "docx", "--md": "markdown", "--jats": "jats" };
const isSite = process.argv.some((word) => ["start", "--site", "--html", "--all"].includes(word));
const format = isSite ? "" : DOCUMENTS[process.argv.find((word) => word in DOCUMENTS)] ?? "";

const transform = {
  name: "figmill", stage: "document",
  plugin: () => (tree, file) => {
    const document = JSON.stringify(tree);
    const mayHaveFigures = /"type":"(?:code|mermaid|image)"/.test(document) || document.includes('"type":"mystDirective"');
    if (!document.includes("figmill:") && !(mayHaveFigures && speaksOfPages(file.path))) return;
    const answer = answerTo({ host: "myst", format, sources: [file.path], document });
    for (const { level, message, line, column } of answer.messages) {
      const isNote = level === "note";
      const found = file[isNote ? "info" : "message"](`figmill: ${message}`, line ? { line, column } : undefined);
      if (!isNote && process.argv.includes("--strict")) found.fatal = true;
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
