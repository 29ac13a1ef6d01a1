// Formulas: characters that stand for them in labels become places, at which formulas.py draws.
"use strict";

globalThis.__formulas = (function () {
  // character -> [the formula as it is written, width, ascent, descent], in em
  let known = {}, signs = /(?!)/g;
  const begin = (given) => {
    known = given;
    const all = Object.keys(given);
    signs = all.length ? new RegExp(`[${all.join("")}]`, "g") : /(?!)/g;
  };
  const has = (text) => text.search(signs) >= 0;
  const APART = 0.1;  // em between a formula that is higher than words, and the rows around it
  // How much higher and deeper than words the formulas of a text are, in px.
  const beyond = (text, size, ascent, descent) => {
    let [up, down] = [0, 0];
    for (const [sign] of text.matchAll(signs)) {
      up = Math.max(up, (known[sign][2] + APART) * size - ascent);
      down = Math.max(down, (known[sign][3] + APART) * size - descent);
    }
    return [up, down];
  };
  const written = (text) => text.replace(signs, (sign) => JSON.stringify(known[sign][0]).slice(1, -1));

  const rounded = (value) => String(Math.round(value * 1000) / 1000);
  const PLACE = "data-formula";
  const part = (name, inside, before) => {
    const made = document.createElementNS(__tree.SVG, name);
    inside.insertBefore(made, before ?? null);
    return made;
  };
  const shown = (text) => {
    const places = [], home = text.parentNode, runs = __boxes.runs(text);
    for (const [order, { element, node, words, left, baseline }] of runs.entries()) {
      const { size, family, weight, style } = __styles.font(element), wide = (some) => __measureText(some, size, family, weight, style);
      const endsRow = runs[order + 1]?.baseline !== baseline, pieces = words.split(new RegExp(`(${signs.source})`)).filter(Boolean);
      let at = left;
      for (const [number, piece] of pieces.entries()) {
        if (known[piece]) {
          const [, width] = known[piece];
          places.push({ sign: piece, size, left: at + (wide(piece) - width * size) / 2, baseline, fill: __styles.inherited(element, "fill") || "#000000" });
        } else if (piece.trim()) {
          const made = part("tspan", node.parentNode, node), before = piece.length - piece.trimStart().length;
          made.setAttribute("x", rounded(at + (before ? wide(piece.slice(0, before)) : 0)));
          made.setAttribute("y", rounded(baseline));
          made.setAttribute("style", "text-anchor: start");
          const isApart = /\s$/.test(piece) || (endsRow && number === pieces.length - 1);  // also when they are copied
          made.textContent = isApart ? `${piece.trim()} ` : piece.trim();
        }
        at += wide(piece);
      }
      node.parentNode.removeChild(node);
    }
    for (const one of [text, ...text.getElementsByTagName("tspan")]) {  // each part has its own place now
      for (const name of ["dy", "dx", "dominant-baseline", "alignment-baseline"]) one.removeAttribute(name);
      const rest = (one.getAttribute("style") ?? "").split(";").filter((row) => row.trim() && !/-baseline\s*:/.test(row));
      if (one === text) rest.push("dominant-baseline: auto");
      rest.length ? one.setAttribute("style", rest.join(";")) : one.removeAttribute("style");
    }
    for (const one of places.reverse()) {
      const made = part("g", home, text.nextSibling);
      made.setAttribute(PLACE, one.sign);
      for (const name of ["size", "left", "baseline"]) made.setAttribute(`${PLACE}-${name}`, rounded(one[name]));
      made.setAttribute(`${PLACE}-fill`, one.fill);
      if (text.getAttribute("transform")) made.setAttribute("transform", text.getAttribute("transform"));
    }
  };
  const place = (root) => { for (const text of [...root.getElementsByTagName("text")]) if (has(text.textContent)) shown(text); };
  return { begin, beyond, has, written, place };
})();
