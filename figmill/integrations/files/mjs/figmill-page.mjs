/* figmill for programs in JavaScript: asks the command `figmill` for a page with its figures.

   The one module that runs the command. It is asked once for each page that names a figure, or has a code block that
   may be one, and for no other. */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const NOT_FOUND = "the command figmill is not found; install it with `pip install figmill`, and have it on the PATH";

/** What `figmill page --json` answers: the page with its figures, and the messages about it. */
export function answerTo(request) {
  const input = JSON.stringify({ version: 1, ...request });
  const done = spawnSync("figmill", ["page", "--json"], { input, encoding: "utf-8", maxBuffer: Infinity, windowsHide: true });
  if (done.status === 0) return JSON.parse(done.stdout);
  const isMissing = done.error?.code === "ENOENT";
  const problem = isMissing ? NOT_FOUND : done.stderr?.trim().split("\n").at(-1) || `${done.error}`;
  return { isMissing, messages: [{ level: "error", message: problem.replace(/^figmill: /, "") }] };
}

/** Whether the page mentions fences, or the settings of a book around it mention fences or images. root: the folder to begin at. */
export function speaksOfPages(path, root) {
  if (existsSync(path) && /^figmill:[^]*?fences/m.test(readFileSync(path, "utf-8").split(/^---\s*$/m)[1] ?? "")) return true;
  for (let folder = resolve(process.env.FIGMILL_ROOT ?? root ?? dirname(path)); ; folder = dirname(folder)) {
    for (const name of ["figmill.toml", "pyproject.toml"]) {
      const file = join(folder, name);
      const text = existsSync(file) ? readFileSync(file, "utf-8") : "";
      if (/\b(?:fences|images)\s*=/.test(text) && (name === "figmill.toml" || text.includes("figmill"))) return true;
    }
    if (folder === dirname(folder)) return false;
  }
}
