// Room for the words of a Mermaid diagram: settings and sizes from what a diagram says. moves.js gives words places.
"use strict";

globalThis.__room = (function () {
  const FONT = 14, EDGE = 4;  // px: all words; between words and an edge
  const width = (text, px) => __measureText(text, px, "", "", "");
  const list = (items) => (items instanceof Map ? [...items.values()] : [...(items ?? [])]);

  let causes = 2;  // the height of a cause in an Ishikawa diagram, in the size of its letters

  // The settings with which a diagram's words have room, by its type. The author's own go before them.
  const SETTINGS = {
    // A field of one bit is as wide as its name, if that is short.
    packet: (db) => {
      const [LEAST, MOST, PADDING] = [24, 40, 5];
      const [HIGH, ROW] = [36, 14], fields = db.getPacket().flat();
      const needs = fields.map(({ start, end, label }) => (width(label, 12) + PADDING + EDGE / 2) / (end - start + 1));
      const bitWidth = Math.min(MOST, Math.max(LEAST, ...needs.map(Math.ceil)));
      const high = fields.map(({ start, end, label }) => {
        const own = (end - start + 1) * bitWidth - PADDING - EDGE / 2, rows = __folds.rows(label, 12, own);
        return Math.max(rows.length * ROW + 2 * EDGE, ...rows.map((row) => width(row, 12)).filter((one) => one > own).map((one) => one + 2 * EDGE));
      });
      return { packet: { bitWidth, rowHeight: Math.max(HIGH, ...high.map(Math.ceil)) } };
    },
    // Names of tasks and sections have boxes as high as their rows.
    journey: (db) => {
      const [WIDTH, LEAST, ROW] = [150, 50, 16], tasks = [...new Set(db.getTasks())], counts = new Map();
      for (const { section } of tasks) counts.set(section, (counts.get(section) ?? 0) + 1);
      const rows = [...tasks.map(({ task }) => [task, 1]), ...counts].map(([name, count]) => __folds.rows(name, FONT, count * (WIDTH + 50) - 50 - 2 * EDGE).length);
      return { journey: { height: Math.max(LEAST, ...rows.map((count) => count * ROW + EDGE)) } };
    },
    // Names of sections stand left of the bars, in as many rows as their tasks have.
    gantt: (db) => {
      const [LEAST, MOST, PX, LINE, BAR] = [75, 300, 13, 15, 28], counts = new Map();
      for (const { section } of db.getTasks()) counts.set(section, (counts.get(section) ?? 0) + 1);
      const isIn = (own) => [...counts].every(([name, count]) => { const rows = __folds.rows(name, PX, own); return rows.length * LINE <= Math.max(LINE, count * BAR) && rows.every((row) => width(row, PX) <= own); });
      let padding = LEAST;
      while (padding < MOST && !isIn(padding - 20)) padding += 5;
      return { gantt: { leftPadding: padding } };
    },
    // A note over several actors has room between the first and the last.
    sequence: (db) => {
      const [LEAST, MOST, ACTOR, OVER, MARGIN] = [50, 300, 150, 2, 20], names = [...db.getActors().keys()];
      const needs = db.getMessages().filter(({ type, placement, from, to }) => type === 2 && placement === OVER && from !== to).map(({ from, to, message }) => {
        const steps = Math.abs(names.indexOf(from) - names.indexOf(to));
        return steps ? (Math.max(...String(message).split(/<br\s*\/?>/i).map((row) => width(row, FONT))) + MARGIN - steps * ACTOR) / (steps + 1) : 0;
      });
      return { sequence: { actorMargin: Math.min(MOST, Math.max(LEAST, ...needs.map(Math.ceil))) } };
    },
    // Causes have room for their rows, of 15 letters as in Mermaid: renderer.py gives it to them.
    ishikawa: (db) => {
      const [LETTERS, USUAL] = [15, 3];
      const count = (text) => text.split(/\s+/).reduce(([rows, row], word) => (row && row.length + 1 + word.length <= LETTERS ? [rows, `${row} ${word}`] : [rows + 1, word]), [0, ""])[0];
      const most = (node) => Math.max(0, ...(node?.children ?? []).map((one) => Math.max(count(one.text), most(one))));
      const rows = most(db.getRoot());
      causes = rows > USUAL ? 1.2 * rows + 1.2 : 2;
      return {};
    },
    // Words that are wider than their part of the axis are turned.
    xychart: (db) => {
      const [WIDTH, TURNED] = [600, 45], { xAxis } = db.getXYChartData(), names = xAxis.categories ?? [];
      const longest = Math.max(0, ...names.flatMap((name) => __folds.rows(String(name), FONT, 1)).map((word) => width(word, FONT)));
      return longest > WIDTH / names.length ? { xyChart: { xAxis: { labelRotation: TURNED } } } : {};
    },
    // An arrow has room between two blocks, and so have its words, if they are short.
    block: (db) => {
      const [LEAST, MOST, LINE] = [28, 110, 32];
      const edges = db.getEdges();
      const needs = edges.map(({ label }) => (label ? width(label, FONT) + LINE : 0));
      return edges.length ? { block: { padding: Math.min(MOST, Math.max(LEAST, ...needs.map(Math.ceil))) } } : {};
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
      return { radar: { marginTop: 2 * LEAST - BOX, marginLeft: margin(-1), marginRight: Math.max(margin(1), Math.ceil(4 * (legend + BOX) - RADIUS)) } };
    },
  };

  // Sizes to try one after another, until no words lie over others.
  const SIZES = {
    sankey: (db) => {
      const [WIDTH, HEIGHT, ROW] = [600, 400, 20];
      const rows = Math.max(...columns(db.getLinks()).map((names) => names.size));
      const height = Math.max(HEIGHT, rows * ROW * 1.3);
      return [1, 1.3, 1.6, 2, 2.5, 3.2, 4].map((times) => ({
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
        for (const [id, at] of map) places.set(String(at), [...(places.get(String(at)) ?? []), id]);
        const shared = [...places.values()].filter((ids) => ids.length > 1);
        if (!shared.length) continue;
        // Services with edges to the left and right stand in a column; those with others in a row.
        const isAcross = shared.flat().every((id) => [...(adjList.get(id)?.keys() ?? [])].every((pair) => /^[LR]{2}$/.test(pair)));
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

  const WIDE = 4;  // the number of the size above which names may lie over bars
  // Whether the words of a picture lie over others, or, in a Sankey diagram, over the bar of another node.
  const isCrowded = (root, at = 0) => {
    const { boxOf, meet, words } = globalThis.__places;
    const bars = [...root.getElementsByTagName("rect")].filter((bar) => bar.parentNode?.getAttribute("class") === "node").map(boxOf);
    const all = words(root).map(boxOf);
    return all.some((one, number) => all.slice(number + 1).some((other) => meet(one, other)) || (at < WIDE && bars.some((bar) => meet(one, bar))));
  };

  return {
    settings: (type, db) => SETTINGS[type]?.(db) ?? {},
    sizes: (type, db) => SIZES[type]?.(db) ?? [{}],
    lines: (type, db) => LINES[type]?.(db) ?? "",
    ofCauses: () => causes,
    isCrowded,
  };
})();
