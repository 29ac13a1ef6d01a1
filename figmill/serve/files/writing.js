// Writing what was changed to the question, or to a new one; and undoing it.

import {wishes} from "./controls.js";
import {name} from "./stage.js";
import {hush, resume, settled} from "./explore.js";

// ---- writing: first what would change, then the change ----------------------------------------------------------

const writing = document.getElementById("writing");
const button = document.getElementById("do-write");
const id = document.getElementById("id");
const diff = document.getElementById("diff");
let edit = null; // what the author has seen; null while another change is looked for
let asked = 0;

function unseen() {
  edit = null;
  button.disabled = true;
}

async function propose(isNew) {
  const mine = ++asked;
  const wish = {params: wishes(), page: figmill.page};
  if (isNew) wish.id = id.value.trim();
  unseen();
  const answer = await figmill.post(`/edit/${encodeURI(name)}`, wish);
  if (mine !== asked) return; // a newer one is on its way
  document.getElementById("writing-title").textContent =
    (isNew ? "A new question" : "Write to the question") + (answer.path ? `: ${answer.path}` : "");
  diff.replaceChildren(
    ...(answer.diff || []).slice(2).map((line) => {
      const row = document.createElement(line.startsWith("+") ? "ins" : line.startsWith("-") ? "del" : "span");
      row.textContent = `${line}\n`;
      return row;
    }),
  );
  const isEmpty = answer.diff?.length === 0;
  refuse(isEmpty ? {error: "The question says so already: there is nothing to write."} : answer);
  if (!answer.diff || isEmpty) return;
  edit = {...wish, sha256: answer.sha256};
  button.disabled = false;
  if (!isNew) button.focus();
}

function refuse(answer) {
  const words = (answer.errors || []).map((wrong) => wrong.message);
  if (answer.error) words.push(answer.error);
  if (answer.superseded) words.push("Something else is drawn just now; try again.");
  document.getElementById("refused").textContent = words.join("; ");
}

function open(isNew) {
  hush();
  document.getElementById("new").hidden = !isNew;
  document.getElementById("writing-title").textContent = isNew ? "A new question" : "Write to the question";
  diff.textContent = "What would change is being worked out…";
  refuse({});
  if (isNew && !id.value) id.value = `${name.split("/")[0]}-2`;
  writing.showModal();
  if (isNew) id.select();
  propose(isNew);
}

async function write() {
  if (edit === null) return;
  const wish = edit;
  unseen();
  const answer = await figmill.post(`/write/${encodeURI(name)}`, wish);
  refuse(answer);
  if (!answer.written) return;
  if (wish.id === undefined) {
    history.replaceState(null, "", location.pathname); // what was changed is now what is declared
    settled();
  }
  writing.close();
  say(`${answer.written} is written.`, answer.mark);
}

// ---- what was written is said until something else is, and can be undone ------------------------------------------

let mark = null; // of what was written last

function say(words, undone = null) {
  mark = undone;
  document.getElementById("written").hidden = false;
  document.querySelector("#written span").textContent = words;
  document.getElementById("undo").hidden = mark === null;
}

async function undo() {
  const answer = await figmill.post(`/undo/${encodeURI(name)}`, {page: figmill.page, params: {}, sha256: mark});
  if (answer.undone) say(`${answer.undone} is as it was.`);
  else say((answer.errors || []).map((wrong) => wrong.message).join("; ") || answer.error, answer.status === 0 ? mark : null);
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
    asked++; // an answer that is under way comes too late
    clearTimeout(typing);
    resume();
  });
  document.addEventListener("click", (event) => {
    if (event.target.id === "write") open(false);
    if (event.target.id === "fork") open(true);
    if (event.target.id === "cancel") writing.close();
    if (event.target.id === "do-write") write();
    if (event.target.id === "undo") undo();
  });
}
