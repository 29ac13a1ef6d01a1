import starlight from "@astrojs/starlight";
import { defineConfig } from "astro/config";
import figmill from "./figmill/figmill-astro.mjs";

export default defineConfig({
  outDir: "site",
  integrations: [
    figmill(),
    starlight({ title: "figmill in Starlight", sidebar: ["index", "again", "explore", "figures"], credits: false }),
  ],
});
