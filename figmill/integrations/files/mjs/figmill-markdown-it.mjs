/* figmill for markdown-it: ![](figmill:ID) shows a figure, [](figmill:ID#FACT:FORMAT) writes a fact of it. */

import { pageWithFigures } from "./figmill-site.mjs";

const asToken = (Token, row) => {
  const token = Object.assign(new Token(row.type, row.tag, row.nesting), row);
  token.children &&= token.children.map((child) => asToken(Token, child));
  return token;
};

/** A markdown-it plugin. about: its `env` -> {path, options, site, language}, or nothing where it names no page. last: a host's changes to the HTML of a figure. */
export function markdownItFigmill(md, { about, last = (html) => html }) {
  // After the attributes in braces, and before the rules that read headings.
  md.core.ruler.before("linkify", "figmill", (state) => {
    const found = about(state.env);
    if (!found) return;
    const { path, options, site, language } = found;
    const document = JSON.stringify(state.tokens);
    const hasCode = state.tokens.some(({ type }) => type === "fence");
    const made = pageWithFigures({ host: "markdown-it", path, document, hasCode, options, site, language });
    if (!made) return;
    state.tokens = JSON.parse(made).map((row) => {
      const isHtml = row.type === "html_block" && row.content.includes("figmill");
      return asToken(state.Token, isHtml ? { ...row, content: last(row.content) } : row);
    });
  });
}
