/* figmill for VitePress: ![](figmill:ID) in a page shows a figure.

   In .vitepress/config.mjs:

     import figmill from "../figmill/figmill-vitepress.mjs";
     export default figmill(defineConfig({ ...the configuration that is there }));

   In .vitepress/theme/index.js, `enhanceApp` of figmill-client.mjs. The book publishes into public/:
   `output = "public/figmill"` in its settings. A second argument takes `root`, `build` and `strict`; see
   docs/hosts/vitepress.md of figmill. */

import { dirname, join, sep } from "node:path";
import { markdownItFigmill } from "./figmill-markdown-it.mjs";
import { opened, within } from "./figmill-site.mjs";

/** A VitePress configuration with figures. */
export default function figmill(config = {}, options = {}) {
  const { base = "/", locales = {} } = config;
  const about = ({ path, realPath = path, relativePath }) => {
    if (!path) return undefined; // the title of a container, which VitePress renders by itself
    const folder = path.slice(0, path.length - relativePath.length) || dirname(path);
    const language = (locales[relativePath.split("/")[0]] ?? locales.root)?.lang ?? config.lang;
    return { path: realPath, options, language, site: { public: { folder: join(folder, "public"), address: "/" }, pages: { folder } } };
  };
  // Vite puts the base of the site before the addresses of pictures, but not before those of links.
  const last = (html) => html.replaceAll('<a href="/', `<a href="${base}`);
  const own = config.markdown ?? {};
  return {
    ...config,
    markdown: {
      ...own,
      cache: false, // while serving, a page may change without its source
      async config(md) {
        await own.config?.(md);
        md.use(markdownItFigmill, { about, last });
      },
    },
    vite: { ...config.vite, plugins: [...(config.vite?.plugins ?? []), refreshing(options)] },
  };
}

/** A Vite plugin: while serving, builds the book after each change of a source, and shows the result. */
export function refreshing(options) {
  return {
    name: "figmill",
    apply: "serve",
    configureServer(server) {
      const folder = server.config.root;
      const [manifest, ...sources] = opened(folder, options);
      if (!manifest) return;
      let timer;
      server.watcher.add([manifest, ...sources]);
      server.watcher.on("all", (event, name) => {
        const path = name.replaceAll("/", sep);
        if (path === manifest) {
          server.moduleGraph.invalidateAll();
          server.ws.send({ type: "full-reload" });
        } else if (within(path, sources)) {
          clearTimeout(timer);
          timer = setTimeout(() => opened(folder, options), 50);
        }
      });
    },
  };
}
