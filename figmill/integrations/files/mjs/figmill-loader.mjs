/* figmill for webpack: a page with figures is converted again when the manifest of the book, or figmill's plugin, has changed.

   webpack keeps converted pages between builds. */

import { fileURLToPath } from "node:url";

const plugin = ["page", "site", "remark", "docusaurus"].map((name) => fileURLToPath(new URL(`./figmill-${name}.mjs`, import.meta.url)));

export default function follow(text) {
  const { manifest } = this.getOptions();
  if (manifest && /figmill:|!\[|^\s*(?:```|~~~)/m.test(text)) [manifest, ...plugin].forEach((file) => this.addDependency(file));
  return text;
}
