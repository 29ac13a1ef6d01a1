// What Mermaid's own model of a diagram says that its picture does not show; notices.py words it. Public parts of the
// model only: its getters, and the settings that it reads from a source.
"use strict";

globalThis.__notices = (function () {
  const list = (items) => (items instanceof Map ? [...items.values()] : [...(items ?? [])]);

  // The layouts that Mermaid brings along, and the settings that name one.
  const LAYOUTS = new Set(["dagre", "swimlane", "cose-bilkent", "elk", ...["stress", "force", "mrtree", "sporeOverlap", "box", "rectpacking"].map((name) => `elk.${name}`)]);
  const THEMES = ["default", "base", "dark", "forest", "neutral", "null", "neo", "neo-dark", "redux", "redux-dark", "redux-color", "redux-dark-color"];
  const LAID_OUT = ["flowchart", "class", "state", "er", "requirement", "mindmap", "usecase", "swimlane", "agentflow"];

  // What a sheet of rules would fetch from elsewhere.
  const FETCHING = /@(?:import|charset|namespace)\b[^;{}]*;?|@font-face\s*\{[^{}]*\}|[\w-]+\s*:(?:[^;{}()]|\([^()]*\))*\b(?:url|image-set)\(\s*["']?(?!#)[^()]*\)(?:[^;{}()]|\([^()]*\))*;?/gi;
  const harmless = (sheet) => String(sheet ?? "").replace(FETCHING, "");
  const isUnbalanced = (sheet) => /ERROR: Unbalanced CSS/.test(sheet ?? "");  // Mermaid's own word
  const leftOut = (sheet) => (isUnbalanced(sheet) ? ["{"] : String(sheet ?? "").match(FETCHING));

  // Names of classes that nodes have and no classDef defines.
  const classes = (db) => {
    const defined = new Set([...(db.getClasses?.()?.keys?.() ?? []), ...(db.styleClasses?.keys?.() ?? [])]);
    const nodes = db.getBlocksFlat?.() ?? db.getData?.().nodes ?? [];
    const used = nodes.flatMap((node) => [...list(node.classes), ...String(node.cssClasses ?? "").split(/\s+/)]);
    return [...new Set(used)].filter((name) => name && !defined.has(name)).concat([null], [...defined]);
  };
  // Ids after or until which a task is to be, and which no task has.
  const tasks = (db) => {
    const every = db.getTasks(), ids = new Set(every.map((task) => task.id));
    return every.flatMap(({ task, raw }) => [raw?.startTime?.startData, raw?.endTime?.data].flatMap((time) => {
      const [, names] = /^(?:after|until)\s+(.+)/.exec(time ?? "") ?? [];
      return (names ?? "").split(/\s+/).filter((name) => name && !ids.has(name)).map((name) => [task.trim(), name]);
    }));
  };
  const scores = (db) => [...new Set(db.getTasks())].filter(({ score }) => !Number.isFinite(score)).map(({ task }) => task);
  const flows = (db) => list(db.getLinks()).filter(({ value }) => !(Number.isFinite(value) && value >= 0)).map(({ source, target }) => [source.ID ?? source, target.ID ?? target]);
  const curves = (db) => {
    const axes = db.getAxes().map(({ name }) => name);
    return db.getCurves().filter(({ entries }) => entries.length !== axes.length).map(({ name, entries }) => [name, entries.length, axes]);
  };
  const menus = (db) => list(db.getActors()).filter(({ links }) => Object.keys(links ?? {}).length).map(({ name, links }) => [name, Object.keys(links)]);
  // Edges from within a group with a direction of its own to a node outside of it.
  const leaving = (db) => {
    const groups = list(db.getSubGraphs()), byId = new Map(groups.map((group) => [group.id, group]));
    const within = (group) => group.nodes.flatMap((id) => (byId.has(id) ? [id, ...within(byId.get(id))] : [id]));
    return groups.filter(({ hasExplicitDir, dir }) => hasExplicitDir ?? dir).flatMap((group) => {
      const own = new Set(within(group));
      return list(db.getEdges()).filter(({ start, end }) => own.has(start) !== own.has(end)).map(({ start, end }) => [start, end, group.id, group.title || group.id]);
    });
  };

  const BY_TYPE = {
    gantt: (db) => ({ tasks: tasks(db) }), journey: (db) => ({ scores: scores(db) }), sankey: (db) => ({ flows: flows(db) }),
    radar: (db) => ({ curves: curves(db) }), sequence: (db) => ({ menus: menus(db) }),
    ...Object.fromEntries(["flowchart-v2", "flowchart", "flowchart-elk"].map((type) => [type, (db) => ({ leaving: leaving(db), wordless: globalThis.__wordless(db.getData().nodes) })])),
  };
  const CLASSED = /^(?:flowchart|class|state|er$|requirement|block)/;
  const settings = (own) => {
    const layout = [own.layout, ...LAID_OUT.map((name) => own[name]?.layout)].find((name) => name !== undefined && !LAYOUTS.has(String(name)));
    return { layout: layout ?? null, theme: own.theme === undefined || THEMES.includes(own.theme) ? null : String(own.theme), sheet: leftOut(own.themeCSS) };
  };

  const flat = (settings) => Object.entries(settings ?? {}).flatMap(([name, value]) => [name, ...(value && typeof value === "object" && !Array.isArray(value) ? flat(value) : [])]);
  // The names of all options that Mermaid knows.
  globalThis.__options = async () => [...new Set(flat(mermaid.mermaidAPI.defaultConfig))];

  // own: the settings in the source. A model that is not as expected has no notices: the picture is Mermaid's all the same.
  const notices = ({ type, db }, own) => {
    const all = [() => settings(own), () => (CLASSED.test(type) ? { classes: classes(db) } : {}), () => BY_TYPE[type]?.(db, own) ?? {}];
    return Object.assign({ options: [...new Set(flat(own))] }, ...all.map((read) => { try { return read(); } catch { return {}; } }));
  };
  return Object.assign(notices, { harmless });
})();
