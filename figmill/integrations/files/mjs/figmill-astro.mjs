/* figmill for Astro and Starlight: ![](figmill:ID) in a page shows a figure.

   In astro.config.mjs, before Starlight:

     import figmill from "./figmill/figmill-astro.mjs";
     export default defineConfig({ integrations: [figmill(), starlight({ ... })] });

   The book publishes into public/: `output = "public/figmill"` in its settings. figmill({...}) takes `root`, `build`,
   `strict`, and `pages`: the folder of the pages and their address, by default Starlight's. See docs/hosts/astro.md of
   figmill. */

import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { remarkFigmill, withFigures } from "./figmill-remark.mjs";
import { opened, within } from "./figmill-site.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const isMdx = (path) => path.endsWith(".mdx");

// The plugins whose settings name the state of the book. Astro's store of pages keeps the settings of the server's start,
// while each restart after a change of astro.config.mjs imports this file again.
const stated = (globalThis[Symbol.for("figmill.stated")] ??= []);

/** HTML as a node of MDX, for Astro's own component. */
const asMdx = (made, path) =>
  made.type === "html" && isMdx(path)
    ? { type: "mdxJsxFlowElement", name: "Fragment", attributes: [{ type: "mdxJsxAttribute", name: "set:html", value: made.value }], children: [] }
    : made;

/** An Astro integration. */
export default function figmill({ pages, ...options } = {}) {
  const problems = [];
  let watched = [];
  let root, store, stateNow;
  let languages = []; // of the site's editions, each in a folder of its own; the first: of the other pages
  // Astro reports an error in a Markdown page, and goes on without the page.
  const told = (work) => {
    try {
      return work();
    } catch (error) {
      problems.push(error.message);
      throw error;
    }
  };
  const languageOf = (page) => {
    const [first] = page.split(/[\\/]/);
    return (languages.find(([folder]) => folder === first) ?? languages[0])?.[1];
  };
  return {
    name: "figmill",
    hooks: {
      "astro:config:setup"({ config, updateConfig, injectScript }) {
        root = fileURLToPath(config.root);
        store = new URL("data-store.json", config.cacheDir);
        watched = opened(root, options);
        const [manifest] = watched;
        const folder = join(root, pages?.folder ?? join("src", "content", "docs"));
        const site = {
          public: { folder: fileURLToPath(config.publicDir), address: config.base },
          pages: { folder, address: pages?.address ?? config.base },
        };
        const about = (path) => ({ options, site, language: languageOf(path.slice(folder.length + 1)) });
        // Astro caches a page until its own settings change, so they contain the state of the book.
        stateNow = () => {
          const book = manifest && existsSync(manifest) ? readFileSync(manifest) : "";
          return createHash("sha256").update(JSON.stringify([site, options])).update(book).digest("hex").slice(0, 16);
        };
        const processor = config.markdown.processor;
        if (processor?.options?.mdastPlugins) {
          const before = (tree, context) => {
            if (!context.fileURL) return;
            const path = fileURLToPath(context.fileURL);
            const replace = (node, made) => context.replaceNode(node, asMdx(made, path));
            told(() => withFigures(tree, { path, ...about(path) }, replace));
          };
          const plugin = { name: `figmill-${stateNow()}`, before };
          stated.push((state) => (plugin.name = `figmill-${state}`));
          processor.options.mdastPlugins.unshift(plugin);
        } else {
          const remark = (given) => (tree, file) => told(() => remarkFigmill(given)(tree, file));
          const given = { about, last: asMdx, state: stateNow() };
          stated.push((state) => (given.state = state));
          const plugin = [remark, given];
          if (processor?.options?.remarkPlugins) processor.options.remarkPlugins.unshift(plugin);
          else updateConfig({ markdown: { remarkPlugins: [plugin] } });
        }
        const imported = (name) => `import ${JSON.stringify(here(`./${name}`))};`;
        const start = 'document.addEventListener("astro:page-load", () => { figmillExplore(); figmillZoom(); });';
        injectScript("page-ssr", imported("figmill.css"));
        injectScript("page", [imported("figmill-explore.mjs"), imported("figmill-zoom.mjs"), start].join("\n"));
      },
      "astro:config:done"({ config: { i18n } }) {
        // Starlight, too, states them here.
        const named = i18n?.locales.map((one) => (one.codes ? [one.path, one.codes[0]] : [one, one])) ?? [];
        if (named.length > 1) languages = [["", i18n.defaultLocale], ...named];
      },
      "astro:build:done"() {
        if (!problems.length) return;
        rmSync(store, { force: true }); // else Astro keeps the page as it is, and the next build passes
        throw new Error([...new Set(problems)].join("\n"));
      },
      "astro:server:setup"({ server, refreshContent }) {
        const [manifest, ...sources] = watched;
        if (!manifest) return;
        let timer;
        const shown = async () => {
          stated.forEach((takes) => takes(stateNow()));
          await refreshContent?.(); // converts the pages of all collections again
          for (const { moduleGraph, hot } of Object.values(server.environments)) {
            moduleGraph.invalidateAll(); // other pages, and pages in MDX
            hot.send({ type: "full-reload" });
          }
        };
        server.watcher.add(watched);
        server.watcher.on("all", (event, name) => {
          const path = name.replaceAll("/", sep);
          if (path === manifest) return void shown();
          if (!within(path, sources)) return;
          clearTimeout(timer);
          timer = setTimeout(() => opened(root, options), 50);
        });
      },
    },
  };
}
