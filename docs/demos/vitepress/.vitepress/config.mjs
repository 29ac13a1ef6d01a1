import { defineConfig } from "vitepress";
import figmill from "../figmill/figmill-vitepress.mjs";

export default figmill(
  defineConfig({
    title: "figmill in VitePress",
    outDir: "site",
    srcExclude: ["node_modules/**", "figmill/**"],
    themeConfig: {
      sidebar: [
        { text: "A pipeline's bubble", link: "/" },
        { text: "The same figure again", link: "/again" },
        { text: "An interactive figure", link: "/explore" },
        { text: "List of figures", link: "/figures" },
      ],
    },
  }),
);
