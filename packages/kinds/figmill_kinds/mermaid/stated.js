// The labels and relations of a source, from Mermaid's own data: what a reader must find in the picture. stated.py turns
// markup and entities into plain words. A relation is [from, to, label, the id of its line in the picture, and the
// id of a node that it joins with itself].
"use strict";

globalThis.__stated = (function () {
  const list = (items) => (items instanceof Map ? [...items.values()] : [...(items ?? [])]);
  // Shapes that Mermaid draws without words. Those of NEVER have no label of an author.
  const NEVER = new Set(["stateStart", "stateEnd", "noteGroup", "divider", "anchor"]);
  const WORDLESS = new Set(["choice", "fork", "join", "forkJoin", "crossedCircle", "crossed-circle", "cross-circ", "summary", "filledCircle", "filled-circle", "f-circ", "junction", "hourglass", "collate",
    "lightningBolt", "lightning-bolt", "bolt", "com-link", "framedCircle", "framed-circle", "fr-circ", "stop", "small-circle", "sm-circ", "start"]);
  // The labels that authors gave to such nodes.
  globalThis.__wordless = (nodes) => nodes.filter((one) => WORDLESS.has(one.shape) && one.label && one.label !== one.id).map((one) => [one.shape, one.label]);
  const many = (words) => (words === "none" ? "" : words);

  // Words of a node: [text, whether it is Markdown].
  const ofNode = (one) => {
    const isMarkdown = one.labelType === "markdown" || one.shape === "requirementBox";
    const isBox = one.shape === "requirementBox", head = isBox ? one.name : one.shape === "classBox" ? one.text || one.label : one.alias || one.label;
    const cells = [head, ...[one.description].flat(), isBox ? one.text : "", one.requirementId, one.docRef, one.ticket, one.assigned,
      ...list(one.annotations).map((word) => `«${word}»`), ...[...(one.members ?? []), ...(one.methods ?? [])].map((part) => part.text),
      ...(one.attributes ?? []).flatMap((part) => [part.type, part.name, (part.keys ?? []).join(","), part.comment])];
    return NEVER.has(one.shape) || WORDLESS.has(one.shape) ? [] : cells.map((text) => [text, isMarkdown]);
  };
  const graph = (db, lines = "figure-") => {
    const data = db.getData(), name = new Map(data.nodes.map((one) => [one.id, one.alias || one.label || one.name || one.id]));
    const shown = data.edges.filter((one) => one.pattern !== "invisible" && one.thickness !== "invisible");
    return {
      labels: [...data.nodes.flatMap(ofNode), ...shown.flatMap((one) => [one.label, many(one.startLabelRight), many(one.startLabelLeft), many(one.endLabelLeft), many(one.endLabelRight)]
        .map((text) => [text, one.labelType === "markdown"]))],
      relations: shown.map((one) => [name.get(one.start) ?? one.start, name.get(one.end) ?? one.end, one.label, lines + one.id, one.start === one.end ? one.start : ""]),
    };
  };
  const usecase = (db) => graph(db, "usecase-figure-");

  const TALK = new Set([0, 1, 3, 4, 5, 6, 24, 25, 33, 34]), WORDS = new Set([2, 10, 12, 13, 15, 19, 20, 27, 28, 30, 32]);
  const sequence = (db) => {
    const actors = db.getActors(), name = (id) => actors.get(id)?.description || id, messages = db.getMessages();
    const shown = messages.filter((one) => TALK.has(one.type) && one.from && one.to);
    return {
      labels: [...list(actors).map((one) => one.description || one.name), ...list(db.getBoxes?.()).map((one) => one.name),
        ...messages.filter((one) => shown.includes(one) || WORDS.has(one.type)).map((one) => one.message)].map((text) => [text, false]),
      relations: shown.map((one) => [name(one.from), name(one.to), one.message, `i${one.id}`]),
    };
  };

  const blocks = (db) => {
    const every = db.getBlocksFlat().filter((one) => !["column-setting", "space", "edge"].includes(one.type) && one.id !== "root" && one.id !== undefined);
    const name = new Map(every.map((one) => [one.id, one.label || one.id]));
    return {
      labels: [...every.map((one) => (one.type === "composite" ? "" : one.label)), ...db.getEdges().map((one) => one.label)].map((text) => [text, false]),
      relations: db.getEdges().map((one) => [name.get(one.start) ?? one.start, name.get(one.end) ?? one.end, one.label, `figure-${one.id}`]),
    };
  };

  const architecture = (db) => {
    const parts = [...list(db.getGroups()), ...list(db.getServices())], name = new Map(parts.map((one) => [one.id, one.title || one.id])), edges = list(db.getEdges());
    return {
      labels: [...parts, ...edges].map((one) => [one.title, false]),
      relations: edges.map((one) => [name.get(one.lhsId) ?? one.lhsId, name.get(one.rhsId) ?? one.rhsId, one.title, `figure-L_${one.lhsId}_${one.rhsId}_0`]),
    };
  };

  // Columns of the tables of rows.js whose words stand in the picture: those of each row, and those that rows share.
  const OF_ROWS = { gantt: ["task"], pie: ["slice"], journey: ["task"], timeline: ["period"], quadrantChart: ["point"], packet: ["field"], c4: ["element"], radar: ["axis"],
    ishikawa: ["item"] };
  const SHARED = { gantt: ["section"], journey: ["section"], timeline: ["section"], quadrantChart: ["quadrant"], gitGraph: ["branch"], sankey: ["from", "to"] };
  const ofTables = (type, tables, { gitGraph }) => {
    if (type === "gitGraph" && gitGraph?.showBranches === false) return { labels: [], relations: [] };
    const texts = (names = []) => tables.flatMap(([, columns, rows]) => columns.flatMap((column, at) => (names.includes(column) ? rows.map((row) => row[at]) : [])));
    return { labels: [...texts(OF_ROWS[type]), ...new Set(texts(SHARED[type]))].map((text) => [text, false]), relations: [] };
  };

  const OWN = { sequence, usecase, block: blocks, architecture };
  // What a source states; nothing if Mermaid's data are not as expected.
  return ({ type, db }, tables, config) => {
    try {
      const { labels, relations } = OWN[type] ? OWN[type](db) : OF_ROWS[type] || SHARED[type] ? ofTables(type, tables, config) : typeof db.getData === "function" ? graph(db) : { labels: [], relations: [] };
      const title = db.getDiagramTitle?.() ?? "", isDrawn = title && !type.startsWith("railroad") && !labels.some(([text]) => text === title);
      return { labels: [...(isDrawn ? [[title.replace(/^"(.*)"$/, "$1"), false]] : []), ...labels].filter(([text]) => typeof text === "string" && text), relations: relations.map((row) => row.map((cell) => String(cell ?? ""))) };
    } catch { return { labels: [], relations: [] }; }
  };
})();
