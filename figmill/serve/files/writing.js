// Writing what was turned into the question, or into a new one.

import {wishes} from "./controls.js";
import {name} from "./stage.js";
import {settled, told} from "./turning.js";

// ---- writing: first what would change, then the change ----------------------------------------------------------

const writing = document.getElementById("writing");
let edit = null; // what the author has seen; null while another change is looked for
let asked = 0;

function unseen() {
  edit = null;
  document.getElementById("do-write").disabled = true;
}

async function propose(isNew) {
  const mine = ++asked;
  const box = document.getElementById("id");
  document.getElementById("new").hidden = !isNew;
  const wish = {params: wishes() || {}, page: figmill.page};
  if (isNew) {
    if (!box.value) box.value = `${name.split("/")[0]}-2`;
    wish.id = box.value.trim();
  }
  unseen();
  const answer = await figmill.post(`/edit/${encodeURI(name)}`, wish);
  if (mine !== asked) return; // a newer one is on its way
  document.getElementById("writing-title").textContent = isNew ? "A new question" : "Write to the question";
  const diff = document.getElementById("diff");
  diff.replaceChildren(
    ...(answer.diff || []).slice(2).map((line) => {
      const row = document.createElement(line.startsWith("+") ? "ins" : line.startsWith("-") ? "del" : "span");
      row.textContent = `${line}\n`;
      return row;
    }),
  );
  if (answer.path) document.getElementById("writing-title").textContent += `: ${answer.path}`;
  edit = {...wish, sha256: answer.sha256};
  refuse(answer);
  document.getElementById("do-write").disabled = !answer.diff;
  if (!writing.open) writing.showModal();
}

function refuse(answer) {
  const words = (answer.errors || []).map((wrong) => wrong.message);
  if (answer.error) words.push(answer.error);
  document.getElementById("refused").textContent = words.join("; ");
}

if (writing) {
  let typing = 0;
  document.getElementById("id").addEventListener("input", () => {
    unseen();
    clearTimeout(typing);
    typing = setTimeout(() => propose(true), 200);
  });
  document.addEventListener("click", async (event) => {
    if (event.target.id === "write") propose(false);
    if (event.target.id === "fork") propose(true);
    if (event.target.id === "cancel") writing.close();
    if (event.target.id !== "do-write" || edit === null) return;
    const answer = await figmill.post(`/write/${encodeURI(name)}`, edit);
    refuse(answer);
    if (!answer.written) return;
    writing.close();
    told().textContent = `${answer.written} is written.`;
    if (edit.id === undefined) {
      history.replaceState(null, "", location.pathname); // what was turned is now what is declared
      settled();
    }
  });
}
