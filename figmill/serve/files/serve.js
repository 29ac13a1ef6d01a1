// Every page of `figmill watch`: the theme, the language, the event stream, the cards of the gallery. No dependencies.
"use strict";

const TEXTS = JSON.parse(document.querySelector("meta[name=figmill-texts]").content); // English -> the page's language

// A text in the language of the page, with values in its places {0}, {1}.
const word = (text, ...values) =>
  values.reduce((filled, value, at) => filled.replace(`{${at}}`, () => value), TEXTS[text] ?? text);

const AWAY = word("The server does not answer.");
const figmill = {
  word,
  base: document.documentElement.dataset.base, // what addresses of pages in this language begin with
  token: document.querySelector("meta[name=figmill-token]").content,
  page: Math.random().toString(36).slice(2), // names this page to the server: its newest request wins
  listeners: [],

  // A request to render or write carries the token that only our own pages know. The answer has a status; 0: none came.
  async post(address, body, signal, keepalive = false) {
    try {
      const answer = await fetch(address, {
        method: "POST",
        headers: {"Content-Type": "application/json", "X-Figmill-Token": this.token},
        body: JSON.stringify(body),
        signal,
        keepalive,
      });
      const isJson = (answer.headers.get("Content-Type") || "").startsWith("application/json");
      const received = isJson ? await answer.json() : {error: (await answer.text()).trim()};
      return {status: answer.status, ...received};
    } catch (error) {
      if (error.name === "AbortError") return {aborted: true};
      return {status: 0, error: AWAY};
    }
  },

  // Whether a picture is ready to be painted: then it replaces the other without a flash. One that is gone by now has a
  // newer version, which the server is about to announce.
  async ready(image) {
    try {
      await image.decode();
      return true;
    } catch {
      return false;
    }
  },

  say(words) {
    const live = document.getElementById("live");
    if (live && live.textContent !== words) live.textContent = words;
  },
};

// ---- the theme: the system's, unless the reader has chosen one --------------------------------------------------

const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

function chosenTheme() {
  try {
    return localStorage.getItem("figmill-theme") || "";
  } catch {
    return "";
  }
}

function applyTheme() {
  const theme = chosenTheme() || (systemIsDark.matches ? "dark" : "light");
  if (document.documentElement.dataset.theme === theme) return;
  document.documentElement.dataset.theme = theme; // before anything is painted
  document.dispatchEvent(new CustomEvent("figmill-theme", {detail: theme}));
}

applyTheme();
systemIsDark.addEventListener("change", applyTheme);
addEventListener("storage", applyTheme);

// The token has done its work: it stays neither in the address bar nor in the history.
if (new URLSearchParams(location.search).has("token")) history.replaceState(null, "", location.pathname + location.hash);

// ---- the event stream: one for all pages of a browser, which allows six connections a server ----------------------

const channel = new BroadcastChannel(`figmill-${location.port}`);
let source = null;

function passOn(received) {
  for (const listener of figmill.listeners) listener(received);
}

function lost(words) {
  channel.postMessage({lost: words});
  passOn({lost: words});
}

// A stream that ends may begin again at once, so ask the server itself what is wrong.
async function look() {
  if (source.readyState === EventSource.OPEN) return;
  let words = AWAY;
  try {
    const {status} = await fetch("/files/icon.svg", {method: "HEAD", cache: "no-store"});
    if (status === 403) words = word("This page is of another server: open the address that `figmill watch` printed.");
    else words = "";
  } catch {
    // it is unreachable
  }
  if (source.readyState === EventSource.OPEN) return;
  if (words) lost(words);
  if (source.readyState === EventSource.CLOSED) setTimeout(listen, 2000); // a browser gives up when it is refused
}

function listen() {
  source?.close();
  source = new EventSource("/events");
  source.onopen = () => figmill.say("");
  source.onmessage = (event) => {
    const received = JSON.parse(event.data);
    channel.postMessage(received);
    passOn(received);
  };
  source.onerror = look;
}

channel.onmessage = (event) => passOn(event.data);
if (navigator.locks) navigator.locks.request("figmill-events", () => new Promise(listen)); // as long as this page is open
else listen();

figmill.listeners.push((received) => {
  if (received.lost) {
    figmill.say(received.lost);
    return;
  }
  figmill.say("");
  const trouble = document.getElementById("trouble");
  if (trouble.textContent !== received.trouble) trouble.textContent = received.trouble;
});

// ---- the gallery ------------------------------------------------------------------------------------------------

function cardOf(name) {
  return document.getElementById(`card-${name}`);
}

// Of two changes of a figure, its card shows the later one, whichever answer comes first.
const turns = new Map();
function turn(name) {
  turns.set(name, (turns.get(name) || 0) + 1);
  return turns.get(name);
}

async function renew(name, stamp) {
  const mine = turn(name);
  const old = cardOf(name);
  if (old && old.dataset.stamp === stamp) return;
  const answer = await fetch(`${figmill.base}/card/${encodeURI(name)}`);
  const html = await answer.text();
  if (!answer.ok || mine !== turns.get(name)) return;
  const template = document.createElement("template");
  template.innerHTML = html;
  const card = template.content.firstElementChild;
  const place = cardOf(name);
  const isNear = place && place.getBoundingClientRect().top < 2 * innerHeight && place.getBoundingClientRect().bottom > -innerHeight;
  if (isNear) {
    const theme = document.documentElement.dataset.theme;
    const images = [...card.querySelectorAll("img")];
    const seen = images.find((image) => image.classList.contains(`on-${theme}`)) || images[0];
    if (seen) {
      seen.loading = "eager";
      document.adoptNode(card);
      if (!(await figmill.ready(seen)) || mine !== turns.get(name)) return;
    }
  }
  const now = cardOf(name);
  if (!now) {
    // Names are in the server's order.
    const later = [...document.querySelectorAll(".card")].find((other) => other.dataset.name > name);
    document.getElementById("cards").insertBefore(card, later || null);
  } else {
    const focused = now.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    now.replaceWith(card);
    const again = focused && [...card.querySelectorAll("a")].find((link) => link.getAttribute("href") === focused);
    if (again) again.focus({preventScroll: true});
  }
  card.classList.add("changed");
  find();
}

function find() {
  const words = document.getElementById("find").value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  const cards = document.querySelectorAll(".card");
  for (const card of cards) {
    const text = `${card.dataset.words} ${card.classList.contains("failed") ? "failed" : ""}`;
    card.hidden = !words.every((word) => text.includes(word));
    shown += !card.hidden;
  }
  document.getElementById("none").hidden = shown > 0 || !cards.length;
  if ("unbuilt" in document.getElementById("gallery").dataset) return; // it says so
  const failed = document.querySelectorAll(".card.failed").length;
  const count = cards.length === 1 ? word("1 figure") : word("{0} figures", cards.length);
  document.getElementById("count").textContent =
    (words.length ? word("{0} of {1}", shown, count) : count) + (failed ? `, ${word("{0} failed", failed)}` : "");
}

async function changedCards(received) {
  if (received.lost) return;
  if (received.begun) delete document.getElementById("gallery").dataset.unbuilt;
  const names = new Set([...document.querySelectorAll(".card")].map((card) => card.dataset.name));
  const gone = received.whole ? [...names].filter((name) => !(name in received.changed)) : received.gone;
  for (const name of gone) {
    turn(name);
    cardOf(name)?.remove();
  }
  await Promise.all(Object.entries(received.changed).map(([name, stamp]) => renew(name, stamp)));
  find();
}

// ---- begin ------------------------------------------------------------------------------------------------------

document.addEventListener("DOMContentLoaded", () => {
  const theme = document.getElementById("theme");
  theme.value = chosenTheme();
  theme.addEventListener("change", () => {
    try {
      localStorage.setItem("figmill-theme", theme.value);
    } catch {
      // it lasts as long as this page
    }
    applyTheme();
  });
  const language = document.getElementById("language");
  language?.addEventListener("change", () => {
    const next = new URL(language.value, location.href);
    [next.search, next.hash] = [location.search, location.hash]; // with the values of the controls
    location.assign(next);
  });
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    await navigator.clipboard.writeText(button.dataset.copy);
    const words = button.textContent;
    button.textContent = word("Copied");
    setTimeout(() => (button.textContent = words), 1500);
  });
  if (document.getElementById("gallery")) {
    document.getElementById("find").addEventListener("input", find);
    figmill.listeners.push(changedCards);
  }
});
