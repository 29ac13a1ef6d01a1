/* The handle between the two themes of the first figure, and what Material's own script leaves out for a keyboard and for
   screen readers: a name for the search, code blocks whose buttons are no landmark, and wide tables that a key reaches. */
"use strict";
(() => {
  for (const handle of document.querySelectorAll(".themes input")) {
    const follow = () => handle.parentElement.style.setProperty("--light", `${handle.value}%`);
    handle.addEventListener("input", follow);
    follow(); // a browser keeps the value when it loads the page again
  }
  const article = document.querySelector("article");
  const name = () => {
    document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
    for (const buttons of article.querySelectorAll(".md-code__nav")) buttons.setAttribute("role", "none");
    for (const box of article.querySelectorAll(".md-typeset__scrollwrap"))
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
  };
  new MutationObserver(name).observe(article, { childList: true, subtree: true }); // Material adds both of them late
  addEventListener("resize", name);
  name();
})();
