import figmill from "./figmill/figmill-docusaurus.mjs";

export default figmill({
  title: "figmill in Docusaurus",
  url: "https://example.org",
  baseUrl: "/",
  onBrokenLinks: "throw",
  onBrokenAnchors: "throw",
  presets: [["classic", { docs: { routeBasePath: "/", sidebarPath: "./sidebars.js" }, blog: false, theme: {} }]],
  themeConfig: { colorMode: { respectPrefersColorScheme: true }, navbar: { title: "figmill in Docusaurus" } },
});
