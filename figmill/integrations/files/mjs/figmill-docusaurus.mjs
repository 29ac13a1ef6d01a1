/* figmill for Docusaurus 3: ![](figmill:ID) in a page shows a figure.

   In docusaurus.config.js:

     import figmill from "./figmill/figmill-docusaurus.mjs";
     export default figmill({ ...the configuration that is there });

   The book publishes into static/: `output = "static/figmill"` in its settings. A second argument takes `root`, `build`
   and `strict`; see docs/hosts/docusaurus.md of figmill. */

import { statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { remarkFigmill } from "./figmill-remark.mjs";
import { opened } from "./figmill-site.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const OF_PAGES = { docs: "docs", blog: "blog", pages: "src/pages" }; // the plugins of a preset, and their folders
const PLUGIN = /^(?:@docusaurus\/)?(?:plugin-)?content-(docs|blog|pages)$/;

/** While serving, the address of a picture states when its file was written: a page that changes in place loads it anew. */
const fresh = (site) => (node) => {
  const { folder, address } = site.public;
  for (const given of node.attributes ?? []) {
    const isOurs = given.name === "src" && given.value?.startsWith?.(address);
    const file = isOurs && statSync(join(folder, decodeURI(given.value.slice(address.length))), { throwIfNoEntry: false });
    if (file) given.value += `?v=${file.mtimeMs}`;
  }
  node.children?.forEach(fresh(site));
  return node;
};

/** A Docusaurus configuration with figures. */
export default function figmill(config, options = {}) {
  const folder = process.cwd();
  const now = {}; // language: of the edition of the site that is being built
  const site = (pages) => ({
    public: { folder: join(folder, config.staticDirectories?.[0] ?? "static"), address: config.baseUrl ?? "/" },
    pages: { folder: join(folder, pages) },
  });
  const withPlugin = (kind, own) => {
    if (own === false) return own;
    const here = site(own?.path ?? OF_PAGES[kind]);
    const about = () => ({ format: "mdx", options, site: here, ...now });
    const last = process.env.NODE_ENV === "production" ? undefined : fresh(here);
    return { ...own, beforeDefaultRemarkPlugins: [[remarkFigmill, { about, last }], ...(own?.beforeDefaultRemarkPlugins ?? [])] };
  };
  const presets = (config.presets ?? []).map((preset) => {
    const [name, own = {}] = Array.isArray(preset) ? preset : [preset];
    if (!/^(?:@docusaurus\/preset-)?classic$/.test(name)) return preset;
    const all = Object.keys(OF_PAGES).map((kind) => [kind, withPlugin(kind, own[kind])]);
    return [name, { ...own, ...Object.fromEntries(all) }];
  });
  const plugins = (config.plugins ?? []).map((plugin) => {
    const [name, own] = Array.isArray(plugin) ? plugin : [plugin];
    const kind = typeof name === "string" ? PLUGIN.exec(name)?.[1] : undefined;
    return kind ? [name, withPlugin(kind, own)] : plugin;
  });
  return { ...config, presets, plugins: [...plugins, [(context) => book(context, options, now), {}]] };
}

/** A Docusaurus plugin: builds the book whenever a source changes, and converts pages again after it. */
function book(context, options, now) {
  const { locales, currentLocale } = context.i18n;
  if (locales.length > 1) now.language = currentLocale;
  let watched = [];
  return {
    name: "figmill",
    loadContent() {
      watched = opened(context.siteDir, options);
    },
    getPathsToWatch: () => watched.slice(1).map((folder) => `${folder.replaceAll("\\", "/")}/**/*`),
    getClientModules: () => [here("./figmill-client.mjs")],
    configureWebpack: () => ({
      module: {
        rules: [{ resource: /\.mdx?$/i, enforce: "pre", loader: here("./figmill-loader.mjs"), options: { manifest: watched[0] } }],
      },
    }),
  };
}
