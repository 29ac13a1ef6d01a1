/* figmill in the browser, for sites that change pages in place: the style sheet, and the scripts for each new page. */

import "./figmill.css";

async function start() {
  await Promise.all([import("./figmill-explore.mjs"), import("./figmill-zoom.mjs")]);
  window.figmillExplore();
  window.figmillZoom();
}

/** Docusaurus calls this after each change of the page. */
export const onRouteDidUpdate = start;

/** For `enhanceApp` of a theme of VitePress. */
export function enhanceApp({ app }) {
  let waits = false;
  const soon = () => {
    if (!waits) setTimeout(() => { waits = false; start(); });
    waits = true;
  };
  app.mixin({ mounted: soon }); // by then, Vue has taken over the page
}
