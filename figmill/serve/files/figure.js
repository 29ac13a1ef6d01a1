// A figure's own page: changes of the book update it in place.

import {enable, keep, controls, restore, wishes} from "./controls.js";
import {fill, frame, hold, main, name, paint, squeezedSoon, stand} from "./stage.js";
import {begin, buttons, calm, forget, request} from "./explore.js";
import "./writing.js";

const EXPLORED = new Set(["facts", "texts", "expected", "findings"]);

// ---- changes of the book ----------------------------------------------------------------------------------------

let newest = 0; // of two changes, the page shows the later one, whichever answer comes first

figmill.listeners.push(async (news) => {
  if (news.lost) return;
  if (news.gone.includes(name) || (news.whole && !(name in news.changed))) {
    document.getElementById("trouble").textContent = figmill.word("This figure is gone from the book.");
    return;
  }
  const stamp = news.changed[name];
  if (!stamp) return;
  const mine = ++newest;
  if (stamp === main.dataset.stamp) return;
  const answer = await fetch(location.pathname);
  const html = await answer.text();
  if (!answer.ok || mine !== newest) return;
  const next = new DOMParser().parseFromString(html, "text/html").getElementById("figure");
  // A script with an error has no known parameters: the existing controls stay until it is fixed.
  const isBroken = next.dataset.status === "failed" && !next.querySelector("#controls");
  if (!isBroken && (next.querySelector("#controls") === null) !== (document.getElementById("controls") === null)) {
    location.reload(); // with what the address asks for
    return;
  }
  keep();
  main.dataset.stamp = next.dataset.stamp;
  main.dataset.status = next.dataset.status;
  document.title = next.querySelector("h1").textContent;
  const isChanged = Object.keys(wishes()).length > 0;
  for (const there of next.querySelectorAll("[data-part]")) {
    const which = there.dataset.part;
    if (which === "squeezed" || (which === "controls" && isBroken)) continue;
    if (!(isChanged && EXPLORED.has(which))) fill(which, there.innerHTML); // else the next answer has them
  }
  restore();
  for (const control of controls()) enable(control);
  forget();
  const pictures = {};
  for (const pane of next.querySelectorAll(".pane")) {
    const image = pane.querySelector("img");
    pictures[pane.dataset.theme] = {src: image.getAttribute("src"), width: image.getAttribute("width"), height: image.getAttribute("height")};
  }
  const themes = (root) => [...root.querySelectorAll(".pane")].map((pane) => pane.dataset.theme).join();
  if (themes(next) !== themes(document)) {
    document.querySelector("#stage").replaceChildren(...next.querySelector("#stage").childNodes);
    document.querySelector("#stage").className = next.querySelector("#stage").className;
    stand();
  } else if (!isChanged) {
    await paint(pictures, next.querySelector(".pane img")?.alt || "");
    if (mine !== newest) return;
  }
  frame(Object.values(pictures)[0]);
  const params = wishes();
  buttons();
  if (isChanged || Object.keys(params).length) request(params);
  else {
    hold(false);
    calm();
  }
  squeezedSoon();
});

begin();
