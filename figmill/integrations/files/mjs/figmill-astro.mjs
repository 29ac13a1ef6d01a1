/* figmill for Astro and Starlight: ![](figmill:ID) in a page shows a figure.

   In astro.config.mjs, before Starlight:

     import figmill from "./figmill/figmill-astro.mjs";
     export default defineConfig({ integrations: [figmill(), starlight({ ... })] });

   The book publishes into public/: `output = "public/figmill"` in its settings. figmill({...}) takes `root`, `build`,
   `strict`, and `pages`: the folder of the pages and their address, by default Starlight's. See docs/guide/astro.md of
   figmill. */

import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { remarkFigmill, withFigures } from "./figmill-remark.mjs";
import { opened, within } from "./figmill-site.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const isMdx = (path) => path.endsWith(".mdx");

/** HTML as a node of MDX: Astro's own component takes it. */
const asMdx = (made, path) =>
  made.type === "html" && isMdx(path)
    ? { type: "mdxJsxFlowElement", name: "Fragment", attributes: [{ type: "mdxJsxAttribute", name: "set:html", value: made.value }], children: [] }
    : made;

/** An integration of Astro. */
export default function figmill({ pages, ...options } = {}) {
  const problems = [];
  let watched = [];
  let root, store;
  // Astro tells an error of a page of Markdown, and goes on without the page.
  const told = (work) => {
    try {
      return work();
    } catch (error) {
      problems.push(error.message);
      throw error;
    }
  };
  return {
    name: "figmill",
    hooks: {
      "astro:config:setup"({ config, updateConfig, addWatchFile, injectScript }) {
        root = fileURLToPath(config.root);
        store = new URL("data-store.json", config.cacheDir);
        watched = opened(root, options);
        const [manifest] = watched;
        const folder = join(root, pages?.folder ?? join("src", "content", "docs"));
        const site = {
          public: { folder: fileURLToPath(config.publicDir), address: config.base },
          pages: { folder, address: pages?.address ?? config.base },
        };
        const about = () => ({ options, site });
        // Astro keeps what it has made of a page until its own settings change: they name the state of the book.
        const book = manifest && existsSync(manifest) ? readFileSync(manifest) : "";
        const state = createHash("sha256").update(JSON.stringify([site, options])).update(book).digest("hex").slice(0, 16);
        const processor = config.markdown.processor;
        if (processor?.options?.mdastPlugins) {
          const before = (tree, context) => {
            if (!context.fileURL) return;
            const path = fileURLToPath(context.fileURL);
            const replace = (node, made) => context.replaceNode(node, asMdx(made, path));
            told(() => withFigures(tree, { path, ...about() }, replace));
          };
          processor.options.mdastPlugins.unshift({ name: `figmill-${state}`, before });
        } else {
          const remark = (given) => (tree, file) => told(() => remarkFigmill(given)(tree, file));
          const plugin = [remark, { about, last: asMdx, state }];
          if (processor?.options?.remarkPlugins) processor.options.remarkPlugins.unshift(plugin);
          else updateConfig({ markdown: { remarkPlugins: [plugin] } });
        }
        if (manifest) addWatchFile(manifest); // serving begins anew when it changes
        const imported = (name) => `import ${JSON.stringify(here(`./${name}`))};`;
        const start = 'document.addEventListener("astro:page-load", () => { figmillExplore(); figmillZoom(); });';
        injectScript("page-ssr", imported("figmill.css"));
        injectScript("page", [imported("figmill-explore.mjs"), imported("figmill-zoom.mjs"), start].join("\n"));
      },
      "astro:build:done"() {
        if (!problems.length) return;
        rmSync(store, { force: true }); // else Astro keeps the page as it is, and the next build passes
        throw new Error([...new Set(problems)].join("\n"));
      },
      "astro:server:setup"({ server }) {
        const sources = watched.slice(1);
        let timer;
        server.watcher.add(sources);
        server.watcher.on("all", (event, name) => {
          if (!within(name.replaceAll("/", sep), sources)) return;
          clearTimeout(timer);
          timer = setTimeout(() => opened(root, options), 50);
        });
      },
    },
  };
}
