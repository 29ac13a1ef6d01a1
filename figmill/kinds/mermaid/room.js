// Room for the words of a Mermaid diagram: settings from what a diagram says, and places for words that lie over others.
"use strict";

globalThis.__room = (function () {
  const FONT = 14, LEAST_FONT = 10, EDGE = 4;  // px: all words, the smallest of a Venn diagram, between words and an edge
  const width = (text, px) => __measureText(text, px, "", "", "");
  const list = (items) => (items instanceof Map ? [...items.values()] : [...(items ?? [])]);

  // The settings with which a diagram's words have room, by its type. The author's own go before them.
  const SETTINGS = {
    // A field of one bit is as wide as its name, if that is short.
    packet: (db) => {
      const [LEAST, MOST, PADDING] = [24, 40, 5];
      const needs = db.getPacket().flat().map(({ start, end, label }) => (width(label, 12) + PADDING + EDGE / 2) / (end - start + 1));
      return { packet: { bitWidth: Math.min(MOST, Math.max(LEAST, ...needs.map(Math.ceil))) } };
    },
    // The words of an arrow have room between two shapes, if they are short.
    c4: (db) => {
      const [LEAST, MOST] = [50, 100];
      const needs = db.getRels().map(({ label }) => width(label?.text ?? "", 12) + 3 * EDGE);
      return { c4: { c4ShapeMargin: Math.min(MOST, Math.max(LEAST, ...needs.map(Math.ceil))) } };
    },
    // The margins hold the names of the axes, and those of the curves beside them.
    radar: (db) => {
      const [RADIUS, LEAST, BOX] = [300, 50, 20];
      const axes = list(db.getAxes());
      const reach = axes.map(({ label, name }, number) => {
        const angle = (2 * Math.PI * number) / axes.length - Math.PI / 2;
        const side = Math.abs(Math.cos(angle)) > 0.01 ? Math.sign(Math.cos(angle)) : 0;
        return [Math.abs(Math.cos(angle)) * (RADIUS * 1.05 + EDGE) + width(label ?? name, 12) - RADIUS + EDGE, side];
      });
      const margin = (side) => Math.ceil(Math.max(LEAST, ...reach.filter(([, own]) => own === side).map(([by]) => by)));
      const legend = Math.max(0, ...list(db.getCurves()).map(({ label, name }) => width(label ?? name, FONT)));
      return { radar: { marginLeft: margin(-1), marginRight: Math.max(margin(1), Math.ceil(4 * (legend + BOX) - RADIUS)) } };
    },
  };

  // Sizes to try one after another, until no words lie over others.
  const SIZES = {
    sankey: (db) => {
      const [WIDTH, HEIGHT, ROW] = [600, 400, 20];
      const rows = Math.max(...columns(db.getLinks()).map((names) => names.size));
      const height = Math.max(HEIGHT, rows * ROW * 1.3);
      return [1, 1.3, 1.6, 2, 2.5].map((times) => ({
        sankey: times === 1 && height === HEIGHT ? {} : { width: WIDTH * times, height: Math.round(height * Math.sqrt(times)), nodePadding: ROW },
      }));
    },
  };

  // The nodes of each column of a Sankey diagram: as many links from a source as its longest way has.
  const columns = (links) => {
    const depth = new Map();
    const ends = links.map((link) => [link.source?.ID ?? link.source, link.target?.ID ?? link.target]);
    for (const name of ends.flat()) depth.set(name, 0);
    for (let round = 0, moved = true; moved && round < depth.size; round += 1) {
      moved = false;
      for (const [from, to] of ends) if (depth.get(to) <= depth.get(from)) { depth.set(to, depth.get(from) + 1); moved = true; }
    }
    const leaves = new Set(ends.map(([from]) => from)), last = Math.max(...depth.values());
    const found = [];
    for (const [name, at] of depth) (found[leaves.has(name) ? at : last] ??= new Set()).add(name);
    return found.filter(Boolean);
  };

  // Lines to add to a source. Mermaid lays services with like edges onto one place; `align` sets them side by side.
  const LINES = {
    architecture: (db) => {
      const { adjList, spatialMaps } = db.getDataStructures();
      if (db.getLayoutHints().length) return "";
      const rows = [];
      for (const map of spatialMaps) {
        const places = new Map();
        for (const [id, at] of Object.entries(map)) places.set(String(at), [...(places.get(String(at)) ?? []), id]);
        const shared = [...places.values()].filter((ids) => ids.length > 1);
        if (!shared.length) continue;
        // Services with edges to the left and right stand in a column; those with others in a row.
        const isAcross = shared.flat().every((id) => Object.keys(adjList[id] ?? {}).every((pair) => /^[LR]{2}$/.test(pair)));
        const lines = (axis, along, spread) => {
          const found = new Map();
          for (const [at, ids] of places) {
            const point = at.split(",").map(Number);
            found.set(point[axis], [...(found.get(point[axis]) ?? []), [point[along], spread ? ids : ids.slice(0, 1)]]);
          }
          return [...found.values()].map((row) => row.sort(([a], [b]) => (along === 0 ? a - b : b - a)).flatMap(([, ids]) => ids));
        };
        for (const [name, axis, along, spread] of [["row", 1, 0, !isAcross], ["column", 0, 1, isAcross]]) {
          for (const ids of lines(axis, along, spread)) if (ids.length > 1) rows.push(`\n  align ${name} ${ids.join(" ")}`);
        }
      }
      return rows.join("");
    },
  };

  // Boxes {left, right, top, bottom} of a text's lines, in px of the picture.
  const boxes = (text) => {
    const box = text.getBBox?.();
    const moved = [];
    for (let node = text; node?.getAttribute; node = node.parentNode) {
      const at = /translate\(\s*([-\d.e]+)[ ,]*([-\d.e]+)?/.exec(node.getAttribute("transform") ?? "");
      if (at) moved.push([Number(at[1]), Number(at[2] ?? 0)]);
    }
    const [x, y] = moved.reduce(([a, b], [c, d]) => [a + c, b + d], [0, 0]);
    return { left: box.x + x, right: box.x + box.width + x, top: box.y + y, bottom: box.y + box.height + y };
  };
  const TOUCH = 0.2;  // of a box's height: the white space above and below letters
  const meet = (one, other) => {
    const down = TOUCH * Math.min(one.bottom - one.top, other.bottom - other.top);
    return one.left < other.right && other.left < one.right && one.top < other.bottom - down && other.top < one.bottom - down;
  };
  const grown = ({ left, right, top, bottom }) => ({ left: left - EDGE, right: right + EDGE, top: top - 2 * EDGE, bottom: bottom + 2 * EDGE });
  // The four lines of a frame, each with room beside it.
  const sides = (frame) => {
    const { left, right, top, bottom } = boxes(frame);
    return [[left, left, top, bottom], [right, right, top, bottom], [left, right, top, top], [left, right, bottom, bottom]]
      .map(([left, right, top, bottom]) => grown({ left, right, top, bottom }));
  };
  const words = (root) => [...root.getElementsByTagName("text")].filter((text) => text.textContent.trim());
  const isCrowded = (root) => {
    const all = words(root).map(boxes);
    return all.some((one, number) => all.slice(number + 1).some((other) => meet(one, other)));
  };

  // Places and sizes of words in what was drawn, by type.
  const MOVES = {
    // Words where circles meet are as small as needed: as wide as four fifths of their area, and beside each other.
    venn: (root) => {
      const SIZE = /font-size:\s*([\d.]+)px/;
      const areas = [...root.getElementsByTagName("g")].filter((one) => /\bvenn-intersection\b/.test(one.getAttribute("class") ?? ""));
      const texts = areas.flatMap((area) => words(area).map((text) => [text, area.getElementsByTagName("path")[0]]));
      const size = (text) => Number(SIZE.exec(text.getAttribute("style") ?? "")?.[1] ?? FONT);
      const write = (text, px) => text.setAttribute("style", text.getAttribute("style").replace(SIZE, `font-size: ${px}px`));
      for (const [text, area] of texts) {
        const [own, room] = [text.getBBox().width, 0.8 * area.getBBox().width];
        if (own > room) write(text, Math.min(size(text), Math.max(FONT, Math.floor((size(text) * room) / own))));
      }
      for (let px = Math.max(...texts.map(([text]) => size(text))); px > LEAST_FONT && isCrowded(root);) {
        px -= 1;
        for (const [text] of texts) if (size(text) > px) write(text, px);
      }
    },
    // The words of an arrow lie somewhere along it, where nothing else is written.
    c4: (root) => {
      const lines = [...root.getElementsByTagName("g")].find((one) => [...one.childNodes].some((child) => /arrow(?:head|end)/.test(child.getAttribute?.("marker-end") ?? child.getAttribute?.("marker-start") ?? "")));
      if (!lines) return;
      const arrows = [];
      for (const child of lines.childNodes) {
        if (child.tagName === "text") arrows.at(-1)?.texts.push(child);
        else if (child.tagName === "line" || child.tagName === "path") arrows.push({ way: way(child), texts: [] });
      }
      const own = new Set(arrows.flatMap(({ texts }) => texts));
      const taken = words(root).filter((text) => !own.has(text)).map(boxes);
      const shapes = [...root.getElementsByTagName("g")].filter((one) => /person-man/.test(one.getAttribute("class") ?? "")).map(boxes).map(grown);
      const frames = [...root.getElementsByTagName("rect")].filter((one) => one.getAttribute("stroke-dasharray")).flatMap(sides);
      for (const { way: along, texts } of arrows) {
        const here = texts.map(boxes), middle = along(0.5);
        const moves = STEPS.map((at) => along(at)).map(([x, y]) => [x - middle[0], y - middle[1]]);
        const at = ([x, y]) => here.map((box) => ({ left: box.left + x, right: box.right + x, top: box.top + y, bottom: box.bottom + y }));
        const isFree = (move, others) => at(move).every((box) => !others.some((other) => meet(box, other)));
        const move = moves.find((one) => isFree(one, [...taken, ...shapes, ...frames])) ?? moves.find((one) => isFree(one, [...taken, ...shapes])) ?? moves.find((one) => isFree(one, taken)) ?? [0, 0];
        taken.push(...at(move));
        for (const text of texts) for (const [name, by] of [["x", move[0]], ["y", move[1]]]) text.setAttribute(name, Number(text.getAttribute(name)) + by);
      }
    },
  };
  const STEPS = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82];  // of the length of an arrow
  // The point of a line or of Mermaid's curve with one control point, from 0 to 1.
  const way = (element) => {
    if (element.tagName === "line") {
      const [x1, y1, x2, y2] = ["x1", "y1", "x2", "y2"].map((name) => Number(element.getAttribute(name)));
      return (at) => [x1 + (x2 - x1) * at, y1 + (y2 - y1) * at];
    }
    const [a, b, c, d, e, f] = element.getAttribute("d").match(/-?[\d.]+(?:e-?\d+)?/g).map(Number);
    return (at) => [[a, c, e], [b, d, f]].map(([from, by, to]) => from * (1 - at) ** 2 + 2 * by * at * (1 - at) + to * at * at);
  };

  // Mermaid writes each word as a part of its own; neighbours that look the same are one. A line is then one part, which
  // can be squeezed as a whole in a wider font.
  const joined = (root) => {
    const look = (part) => ["font-style", "font-weight", "style", "class"].map((name) => part.getAttribute(name)).join("|");
    for (const row of [...root.getElementsByTagName("tspan")]) {
      const parts = [...row.childNodes];
      if (parts.length < 2 || parts.some((part) => part.tagName !== "tspan" || part.getAttribute("x") !== null || part.getAttribute("dy") !== null)) continue;
      for (let number = parts.length - 1; number > 0; number -= 1) {
        if (look(parts[number]) !== look(parts[number - 1])) continue;
        parts[number - 1].textContent += parts[number].textContent;
        row.removeChild(parts[number]);
      }
    }
  };

  return {
    settings: (type, db) => SETTINGS[type]?.(db) ?? {},
    sizes: (type, db) => SIZES[type]?.(db) ?? [{}],
    lines: (type, db) => LINES[type]?.(db) ?? "",
    move: (type, root) => { joined(root); MOVES[type]?.(root); },
    isCrowded,
  };
})();
