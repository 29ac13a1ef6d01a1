/* figmill for remark: ![](figmill:ID) shows a figure, [](figmill:ID#FACT:FORMAT) writes a fact of it. */

import { asJson, pageWithFigures, place } from "./figmill-site.mjs";

/** Put the figures into a tree of mdast. `replace` puts one node in the place of another. */
export function withFigures(tree, { path, format, options, site, language }, replace) {
  const document = asJson(tree);
  const made = pageWithFigures({ host: "remark", format, path, document, hasCode: document.includes('"type":"code"'), options, site, language });
  if (made) place(tree, JSON.parse(made), replace);
}

const inPlace = (node, made) => {
  for (const key of Object.keys(node)) delete node[key];
  Object.assign(node, made);
};

/** A remark plugin. about: the page's path -> {format, options, site, language}. last: what a host changes in a new node. */
export const remarkFigmill = ({ about, last = (made) => made }) => (tree, file) =>
  withFigures(tree, { path: file.path, ...about(file.path) }, (node, made) => inPlace(node, last(made, file.path)));
