// Room for the words of a Mermaid diagram: settings and sizes from what a diagram says. moves.js gives words places.
"use strict";

globalThis.__room = (function () {
  const FONT = 14, EDGE = 4;  // px: all words; between words and an edge
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

  // Whether the words of a picture lie over others, or, in a Sankey diagram, over the bar of another node.
  const isCrowded = (root) => {
    const { boxOf, meet, words } = globalThis.__places;
    const bars = [...root.getElementsByTagName("rect")].filter((bar) => bar.parentNode?.getAttribute("class") === "node").map(boxOf);
    const all = words(root).map(boxOf);
    return all.some((one, number) => all.slice(number + 1).some((other) => meet(one, other)) || bars.some((bar) => meet(one, bar)));
  };

  return {
    settings: (type, db) => SETTINGS[type]?.(db) ?? {},
    sizes: (type, db) => SIZES[type]?.(db) ?? [{}],
    lines: (type, db) => LINES[type]?.(db) ?? "",
    isCrowded,
  };
})();
