// Write changed values to the question, or to a new one, and undo that.

import {wishes} from "./controls.js";
import {name} from "./stage.js";
import {hush, reached, resume} from "./explore.js";

// ---- writing: first what would change, then the change ----------------------------------------------------------

const {word} = figmill;
const writing = document.getElementById("writing");
const button = document.getElementById("do-write");
const id = document.getElementById("id");
const diff = document.getElementById("diff");
let edit = null; // what the author has seen; null while another change is looked for
let turn = 0; // an answer counts while it is still its turn: nothing has been typed, asked for or closed since
let isMissed = false; // whether the server was unreachable

// What was seen no longer counts, and neither does a pending answer. Returns the turn of the next one.
function unseen() {
  edit = null;
  button.disabled = true;
  return ++turn;
}

async function propose(isNew, words = "") {
  const mine = unseen();
  const wish = {params: wishes(), page: figmill.page};
  if (isNew) wish.id = id.value.trim();
  const answer = await figmill.post(`/edit/${encodeURI(name)}`, wish);
  if (mine !== turn) return;
  isMissed = answer.status === 0;
  document.getElementById("writing-title").textContent =
    word(isNew ? "A new question" : "Write to the question") + (answer.path ? `: ${answer.path}` : "");
  diff.replaceChildren(
    ...(answer.diff || []).slice(2).map((line) => {
      const row = document.createElement(line.startsWith("+") ? "ins" : line.startsWith("-") ? "del" : "span");
      row.textContent = `${line}\n`;
      return row;
    }),
  );
  const isEmpty = answer.diff?.length === 0;
  refuse(isEmpty ? {error: word("The question says so already: there is nothing to write.")} : answer, words);
  if (!answer.diff || isEmpty) return;
  edit = {...wish, sha256: answer.sha256};
  button.disabled = false;
  if (!isNew) button.focus();
}

function troubles(answer) {
  const words = (answer.errors || []).map((wrong) => wrong.message);
  if (answer.error) words.push(answer.error);
  if (answer.superseded) words.push(word("Something else is drawn just now; try again."));
  return words.join("; ");
}

// otherwise: the message if nothing is refused.
function refuse(answer, otherwise = "") {
  document.getElementById("refused").textContent = troubles(answer) || otherwise;
}

function open(isNew) {
  hush();
  document.getElementById("new").hidden = !isNew;
  document.getElementById("writing-title").textContent = word(isNew ? "A new question" : "Write to the question");
  diff.textContent = word("What would change is being worked out…");
  refuse({});
  if (isNew && !id.value) id.value = `${name.split("/")[0]}-2`;
  writing.showModal();
  if (isNew) id.select();
  propose(isNew);
}

async function write() {
  if (edit === null) return;
  const wish = edit;
  const isNew = wish.id !== undefined;
  const mine = unseen();
  id.readOnly = true; // what is written has this id
  const answer = await figmill.post(`/write/${encodeURI(name)}`, wish);
  id.readOnly = false;
  const isOpen = mine === turn; // else it was closed meanwhile
  if (!answer.written) {
    const words = troubles(answer);
    if (!isOpen) say(words);
    else if (answer.status !== 0) propose(isNew, words); // the difference as it is now
    else {
      isMissed = true;
      refuse(answer);
    }
    return;
  }
  if (!isNew) {
    history.replaceState(null, "", location.pathname); // the changed values are now the declared ones
    reached();
  }
  if (isOpen) writing.close();
  say(word("{0} is written.", answer.written), answer.mark);
}

// ---- what was written is shown until the next message, and can be undone ------------------------------------------

let mark = null; // of what was written last

function say(words, undone = null) {
  mark = undone;
  document.getElementById("written").hidden = false;
  document.querySelector("#written span").textContent = words;
  document.getElementById("undo").hidden = mark === null;
}

async function undo() {
  const answer = await figmill.post(`/undo/${encodeURI(name)}`, {page: figmill.page, params: {}, sha256: mark});
  if (answer.undone) say(word("{0} is as it was.", answer.undone));
  else say(troubles(answer), answer.status === 0 ? mark : null);
}

if (writing) {
  let typing = 0;
  id.addEventListener("input", () => {
    unseen();
    clearTimeout(typing);
    typing = setTimeout(propose, 200, true);
  });
  id.addEventListener("keydown", (event) => {
    if (event.key === "Enter") write(); // once its change has been seen
  });
  writing.addEventListener("close", () => {
    unseen();
    clearTimeout(typing);
    resume();
  });
  figmill.listeners.push((news) => {
    if (news.whole && isMissed && writing.open) propose(!document.getElementById("new").hidden); // it is back
  });
  document.addEventListener("click", (event) => {
    if (event.target.id === "write") open(false);
    if (event.target.id === "fork") open(true);
    if (event.target.id === "cancel") writing.close();
    if (event.target.id === "do-write") write();
    if (event.target.id === "undo") undo();
  });
}
