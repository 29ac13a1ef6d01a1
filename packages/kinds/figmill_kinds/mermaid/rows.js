// What a diagram of Mermaid shows, as rows of [title, columns, rows, form], from Mermaid's own data; as_tables.py makes
// tables of them. Words that are not the author's are in figmill/locale, which translates them.
"use strict";

globalThis.__rows = (function () {
  const BOTH = "both ways", NONE = "no arrow";
  const said = (...parts) => parts.filter(Boolean).join(", ");
  const list = (items) => (items instanceof Map ? [...items.values()] : [...(items ?? [])]);
  const isEmpty = (cell) => cell === null || cell === undefined || cell === "";

  // A table without the columns that are empty in all rows; the first one stays.
  const slim = (title, columns, rows, form = "rows") => {
    const kept = columns.map((_, at) => at).filter((at) => at === 0 || rows.some((row) => !isEmpty(row[at])));
    return [title, kept.map((at) => columns[at]), rows.map((row) => kept.map((at) => row[at] ?? "")), form];
  };
  const nodes = (found, title = "Nodes") => slim(title, ["node", "group", "kind"], found, "nodes");
  // found: rows of [from, to, label, whether it has an arrow at its start, at its end, ...further cells].
  const edges = (found, title = "Edges", more = []) => {
    const isBare = found.every(([, , , start, end]) => !start && !end);
    const rows = found.map(([from, to, label, start, end, ...rest]) => [
      ...(start && !end ? [to, from] : [from, to]),
      isBare ? label : said(label, start && end ? BOTH : start || end ? "" : NONE), ...(start && !end ? [rest[0], ...rest.slice(1).reverse()] : rest),
    ]);
    const [, columns, cells] = slim(title, ["from", "to", "label", ...more], rows);
    const isShort = columns.indexOf("label") < 0;  // a page asks for it
    return [title, isShort ? ["from", "to", "label", ...columns.slice(2)] : columns, isShort ? cells.map((row) => [row[0], row[1], "", ...row.slice(2)]) : cells,
      isBare ? "links" : "edges"];
  };
  const outline = (title, roots, words, below = (one) => one.children) => {
    const rows = (items, level) => list(items).flatMap((one) => [[level, words(one)], ...rows(below(one), level + 1)]);
    return [title, ["level", "item"], rows(roots, 0), "outline"];
  };
  const hasArrow = (kind) => Boolean(kind) && kind !== "none" && kind !== "arrow_open";

  // Flowcharts, states and all else whose data are nodes and edges.
  const NOTES = ["note", "noteGroup"];
  const UNNAMED = ["fork", "join", "choice"];  // shapes without words
  const graph = (db) => {
    const data = db.getData(), byId = new Map(data.nodes.map((one) => [one.id, one]));
    const name = (one) => one.shape === "stateStart" ? "start" : one.shape === "stateEnd" ? "end"
      : UNNAMED.includes(one.shape) && one.label === one.id ? `${one.shape} ${one.id}` : one.label || one.name || one.id;
    const groups = (one) => {
      const above = byId.get(one.parentId);
      return above ? [...groups(above), ...(above.label ? [name(above)] : [])] : [];
    };
    const drawn = data.nodes.filter((one) => !NOTES.includes(one.shape));
    const seen = (id) => byId.has(id) && !NOTES.includes(byId.get(id).shape);
    const notes = data.nodes.filter((one) => one.shape === "note").map((one) => [name(byId.get(String(one.parentId).replace(/----parent$/, "")) ?? one), one.label]);
    return [
      nodes(drawn.filter((one) => !one.isGroup).map((one) => [[name(one), ...list(one.shape === "rectWithTitle" ? one.description : [])].join(": "), groups(one).join(", ")])),
      edges(data.edges.filter((one) => seen(one.start) && seen(one.end) && one.pattern !== "invisible")
        .map((one) => [name(byId.get(one.start)), name(byId.get(one.end)), one.label ?? "", hasArrow(one.arrowTypeStart), hasArrow(one.arrowTypeEnd)])),
      ["Notes", ["node", "note"], notes, "rows"],
    ];
  };

  // Mermaid's numbers of what is in a sequence: arrows; and the frames around them, with their parts and ends.
  const ARROWS = new Set([0, 1, 3, 4, 24, 25]), LINES = new Set([5, 6]), BOTH_WAYS = new Set([33, 34]), NOTE = 2;
  const FRAMES = { 10: "loop", 12: "if", 15: "optional", 19: "in parallel", 27: "critical", 30: "break", 32: "in parallel" };
  const PARTS = { 13: "else", 20: "in parallel", 28: "else" }, ENDS = new Set([11, 14, 16, 21, 29, 31]);
  const sequence = (db) => {
    const actors = db.getActors(), name = (id) => actors.get(id)?.description || id;
    const rows = [];
    let level = 0;
    for (const one of db.getMessages()) {
      const words = one.message ?? "";
      if (FRAMES[one.type]) rows.push([level++, FRAMES[one.type], "", "", words]);
      else if (PARTS[one.type]) rows.push([level - 1, PARTS[one.type], "", "", words]);
      else if (ENDS.has(one.type)) level = Math.max(0, level - 1);
      else if (one.type === NOTE) rows.push([level, "note", [...new Set([one.from, one.to])].map(name).join(", "), "", words]);
      else if (ARROWS.has(one.type)) rows.push([level, "message", name(one.from), name(one.to), words]);
      else if (LINES.has(one.type)) rows.push([level, "message", name(one.from), name(one.to), said(words, NONE)]);
      else if (BOTH_WAYS.has(one.type)) rows.push([level, "message", name(one.from), name(one.to), said(words, BOTH)]);
    }
    return [nodes(list(actors).map((one) => [one.description || one.name, one.box?.name ?? ""]), "Actors"),
      ["Messages", ["level", "step", "from", "to", "label"], rows, "steps"]];
  };

  const [AGGREGATION, EXTENSION, COMPOSITION, DEPENDENCY, LOLLIPOP] = [0, 1, 2, 3, 4];
  const HOW_MANY = ["how many from", "how many to"];
  const classes = (db) => {
    const every = list(db.getClasses()), name = (id) => db.getClasses().get(id)?.label || id;
    const homes = new Map(list(db.getNamespaces?.()).flatMap((space) => [...(space.classes?.keys?.() ?? Object.keys(space.classes ?? {}))].map((id) => [id, space.label || space.id])));
    const kindOf = (sign, isDashed) => sign === EXTENSION ? (isDashed ? "realization" : "inheritance") : sign === COMPOSITION ? "composition"
      : sign === AGGREGATION ? "aggregation" : sign === DEPENDENCY ? (isDashed ? "dependency" : "association") : sign === LOLLIPOP ? "interface" : "";
    const many = (words) => (words === "none" ? "" : words ?? "");
    const isWhole = (sign) => sign === COMPOSITION || sign === AGGREGATION;  // a diamond is at the whole, an arrow at the other end
    const relations = list(db.getRelations()).map(({ id1, id2, title, relation, relationTitle1, relationTitle2 }) => {
      const { type1, type2, lineType } = relation, [first, second] = [type1, type2].map((sign) => typeof sign === "number");
      const kind = kindOf(first && !(second && isWhole(type2)) ? type1 : type2, lineType === 1);
      const atStart = (first && !isWhole(type1)) || (second && isWhole(type2)), atEnd = (second && !isWhole(type2)) || (first && isWhole(type1));
      return [id1.startsWith("interface") && type1 === LOLLIPOP ? name(id1) : name(id1), name(id2), title ?? "", atStart, atEnd, kind, many(relationTitle1), many(relationTitle2)];
    });
    const members = every.flatMap((one) => [...one.members, ...one.methods].map((member) => [name(one.id), member.text.replace(/^\\/, "")]));
    return [nodes(every.map((one) => [name(one.id), homes.get(one.id) ?? "", list(one.annotations).join(", ")]), "Classes"), edges(relations, "Relations", ["kind", ...HOW_MANY]),
      ["Members", ["class", "member"], members, "rows"],
      ["Notes", ["class", "note"], list(db.getNotes?.()).map((one) => [one.class ? name(one.class) : "", one.text]), "rows"]];
  };

  const CARDINALS = { ONLY_ONE: "one", ZERO_OR_ONE: "zero or one", ZERO_OR_MORE: "zero or more", ONE_OR_MORE: "one or more", MD_PARENT: "parent" };
  const entities = (db) => {
    const every = list(db.getEntities()), name = new Map(every.map((one) => [one.id, one.alias || one.label]));
    const relations = list(db.getRelationships()).map(({ entityA, entityB, roleA, relSpec }) =>
      [name.get(entityA), name.get(entityB), roleA, false, false, "", CARDINALS[relSpec.cardB] ?? "", CARDINALS[relSpec.cardA] ?? ""]);
    const attributes = every.flatMap((one) => one.attributes.map((part) => [name.get(one.id), part.name, part.type, (part.keys ?? []).join(", "), part.comment ?? ""]));
    return [nodes(every.map((one) => [name.get(one.id)]), "Entities"), edges(relations, "Relations", ["kind", ...HOW_MANY]), slim("Attributes", ["entity", "attribute", "type", "key", "comment"], attributes)];
  };

  const requirements = (db) => [
    slim("Requirements", ["requirement", "type", "id", "text", "risk", "verification"], list(db.getRequirements()).map((one) => [one.name, one.type, one.requirementId, one.text, one.risk, one.verifyMethod])),
    slim("Elements", ["element", "type", "document"], list(db.getElements()).map((one) => [one.name, one.type, one.docRef])),
    edges(list(db.getRelationships()).map((one) => [one.src, one.dst, one.type, false, true]), "Relations"),
  ];

  const STATES = { milestone: "milestone", vert: "marker", done: "done", active: "active", crit: "critical" };
  const gantt = (db) => [slim("Tasks", ["section", "task", "start", "end", "status"], list(db.getTasks()).map((one) =>
    [one.type ?? one.section ?? "", one.task, one.startTime.toISOString(), one.endTime.toISOString(), Object.keys(STATES).filter((key) => one[key]).map((key) => STATES[key]).join(", ")]))];

  const pie = (db) => {
    const slices = [...db.getSections()], sum = slices.reduce((all, [, value]) => all + value, 0);
    return [["Slices", ["slice", "value", "share in %"], slices.map(([name, value]) => [name, value, sum ? Math.round((1000 * value) / sum) / 10 : null]), "rows"]];
  };

  const KINDS = { 1: "reverse", 2: "highlight", 3: "merge", 4: "cherry-pick" };
  const commits = (db) => {
    const every = list(db.getCommitsArray()), branch = new Map(every.map((one) => [one.id, one.branch]));
    const [MERGE, PICK] = [3, 4];
    return [slim("Commits", ["commit", "branch", "kind", "source", "after", "message", "tags"], every.map((one) => [one.id, one.branch, KINDS[one.type] ?? "",
      one.type === MERGE ? branch.get(one.parents[1]) : one.type === PICK ? one.parents[1] : "", one.parents[0] ?? "", one.type === MERGE || one.type === PICK ? "" : one.message,
      list(one.tags).filter((tag) => !String(tag).startsWith("cherry-pick:")).join(", ")]))];
  };

  // Mermaid keeps only where a point is in its picture.
  const quadrants = (db) => {
    const { points, quadrants: fields, axisLabels } = db.getQuadrantData();
    const left = Math.min(...fields.map((one) => one.x)), right = Math.max(...fields.map((one) => one.x + one.width));
    const top = Math.min(...fields.map((one) => one.y)), bottom = Math.max(...fields.map((one) => one.y + one.height));
    const exact = (share) => Number(share.toFixed(4));
    const axis = (isUp, plain) => axisLabels.map((one) => one).filter((one) => (one.rotation !== 0) === isUp).map((one) => one.text.replace(/ ⟶\s*$/, "")).join(" → ") || plain;
    const names = fields.map((one) => one.text.text);
    const home = (one) => fields.find(({ x, y, width, height }) => one.x >= x && one.x <= x + width && one.y >= y && one.y <= y + height)?.text.text ?? "";
    return [slim("Points", ["point", axis(false, "x"), axis(true, "y"), "quadrant"], [...points].reverse().map((one) =>
      [one.text.text, exact((one.x - left) / (right - left)), exact((bottom - one.y) / (bottom - top)), home(one)])),
    slim("Quadrants", ["quadrant", "place"], names.map((name, at) => [name, ["top right", "top left", "bottom left", "bottom right"][at]]).filter(([name]) => name))];
  };

  const xychart = (db) => {
    const { xAxis, yAxis, plots } = db.getXYChartData();
    const names = plots.map((one, at) => {
      const twins = plots.filter((other) => other.type === one.type);
      const name = one.title || (twins.length > 1 ? `${one.type} ${twins.indexOf(one) + 1}` : one.type);
      return plots.length === 1 ? yAxis.title || name : said(yAxis.title, name);
    });
    const longest = plots.reduce((most, one) => (one.data.length > most.length ? one.data : most), []);
    return [["Data", [xAxis.title || "x", ...names], longest.map(([x], at) => [x, ...plots.map((one) => one.data[at]?.[1] ?? null)]), "rows"]];
  };

  const blocks = (db) => {
    const every = db.getBlocksFlat().filter((one) => !["column-setting", "space", "edge"].includes(one.type) && one.id !== "root" && one.id !== undefined);
    const name = new Map(every.map((one) => [one.id, one.label || one.id]));
    const above = new Map(every.filter((one) => one.type === "composite").flatMap((one) => list(one.children).map((child) => [child.id, one.label ?? ""])));
    return [nodes(every.filter((one) => one.type !== "composite").map((one) => [name.get(one.id), above.get(one.id) ?? ""])),
      edges(db.getEdges().map((one) => [name.get(one.start) ?? one.start, name.get(one.end) ?? one.end, one.label ?? "", hasArrow(one.arrowTypeStart), hasArrow(one.arrowTypeEnd)]))];
  };

  // A field that goes on in the next row of the picture is one field.
  const packet = (db) => {
    const rows = [];
    for (const word of db.getPacket()) {
      word.forEach((one, at) => {
        const last = rows.at(-1);
        if (at === 0 && last && last[2] === one.label && last[1] + 1 === one.start) last[1] = one.end;
        else rows.push([one.start, one.end, one.label]);
      });
    }
    return [["Fields", ["first bit", "last bit", "field"], rows, "rows"]];
  };

  const architecture = (db) => {
    const groups = new Map(list(db.getGroups()).map((one) => [one.id, one.title || one.id])), services = list(db.getServices()), joints = list(db.getJunctions());
    const name = new Map([...services.map((one) => [one.id, one.title || one.id]), ...joints.map((one, at) => [one.id, joints.length > 1 ? `junction ${at + 1}` : "junction"])]);
    const home = new Map([...services, ...joints].map((one) => [one.id, groups.get(one.in) ?? ""]));
    const end = (id, isGroup) => (isGroup && home.get(id)) || (name.get(id) ?? id);
    return [nodes(services.map((one) => [name.get(one.id), home.get(one.id)])),
      edges(list(db.getEdges()).map((one) => [end(one.lhsId, one.lhsGroup), end(one.rhsId, one.rhsGroup), one.title ?? "", one.lhsInto, one.rhsInto]))];
  };

  const c4 = (db) => {
    const shapes = list(db.getC4ShapeArray()), bounds = new Map(list(db.getBoundaries()).map((one) => [one.alias, one.label.text]));
    const name = new Map([...bounds, ...shapes.map((one) => [one.alias, one.label.text])]);
    return [slim("Elements", ["element", "type", "technology", "in", "description"], shapes.map((one) => [one.label.text, one.typeC4Shape.text.replaceAll("_", " "), one.techn?.text,
      one.parentBoundary === "global" ? "" : bounds.get(one.parentBoundary), one.descr?.text])),
    edges(list(db.getRels()).map((one) => [name.get(one.from) ?? one.from, name.get(one.to) ?? one.to, said(one.label.text, one.techn?.text), ["birel", "rel_b"].includes(one.type), one.type !== "rel_b"]), "Relations")];
  };

  const kanban = (db) => {
    const { nodes: every } = db.getData(), name = new Map(every.map((one) => [one.id, one.label]));
    return [slim("Cards", ["card", "column", "ticket", "assigned to", "priority"], every.filter((one) => !one.isGroup).map((one) => [one.label, name.get(one.parentId) ?? "", one.ticket, one.assigned, one.priority]))];
  };

  const leaves = (items, above = "") => list(items).flatMap((one) => (one.children?.length ? leaves(one.children, one.name) : [[one.name, one.value ?? null, above]]));
  const venn = (db) => [slim("Sets", ["sets", "label"], list(db.getSubsetData()).map((one) => [one.sets.join(", "), one.label === one.sets[0] ? "" : one.label])),
    slim("Texts", ["sets", "text"], list(db.getTextData()).map((one) => [list(one.sets).join(", "), one.label ?? one.id ?? ""]))];
  const cynefin = (db) => [["Items", ["domain", "item"], list(db.getDomains()).flatMap((one) => one.items.map(({ label }) => [one.name, label])), "rows"],
    edges(list(db.getTransitions()).map((one) => [one.from, one.to, one.label ?? "", false, true]), "Transitions")];
  const wardley = (db) => {
    const { nodes: every, links, trends } = db.getWardleyData(), name = new Map(every.map((one) => [one.id, one.label || one.id]));
    const exact = (share) => Number((share / 100).toFixed(4)), target = new Map(list(trends).map((one) => [one.nodeId, exact(one.targetX)]));
    return [slim("Elements", ["element", "visibility", "evolution", "evolves to"], every.map((one) => [name.get(one.id), exact(one.y), exact(one.x), target.get(one.id) ?? null])),
      edges(list(links).map((one) => [name.get(one.source) ?? one.source, name.get(one.target) ?? one.target, one.label ?? "", false, true]))];
  };
  const bare = (text) => String(text ?? "").replace(/<[^>]*>/g, " ").trim();
  const events = (db) => {
    const { boxes, relations } = db.getState();
    return [["Steps", ["step", "lane"], list(boxes).map((one) => [bare(one.text), one.swimlane?.label ?? ""]), "rows"],
      edges(list(relations).map((one) => [bare(one.sourceBox?.text), bare(one.targetBox?.text), "", false, true]).filter(([from, to]) => from && to))];
  };

  // A grammar in words, as railroad/as_tables.py has it.
  const word = (part) => part.type === "terminal" ? `"${part.value}"` : part.type === "nonterminal" ? part.name : part.type === "special" ? part.value ?? part.text ?? "" : null;
  const insideOf = (part) => part.elements ?? part.alternatives ?? (part.element ? [part.element] : []);
  const HOW = (part) => part.type === "choice" ? "one of" : part.type === "optional" ? "optional" : part.type === "sequence" ? "in order"
    : part.type === "repetition" ? (part.max === 1 ? "optional" : part.min > 1 ? `at least ${part.min} times` : part.min === 1 ? "one or more times" : "zero or more times") : part.type;
  const lines = (part, level) => {
    const own = word(part);
    if (own !== null) return [[level, "", own]];
    const inside = insideOf(part), words = inside.map(word);
    if (inside.length === 1 && part.type === "sequence") return lines(inside[0], level);
    if (inside.length && words.every((one) => one !== null)) return [[level, HOW(part), words.join(", ")]];
    const first = inside.length === 1 && inside[0].type === "sequence" && part.type !== "choice" ? insideOf(inside[0]) : inside;
    return [[level, HOW(part), ""], ...first.flatMap((one) => lines(one, level + 1))];
  };
  const grammar = (db) => [["Rules", ["level", "how", "item"], list(db.getRules()).flatMap(({ name, definition }) => [[0, "", name],
    ...(definition.type === "sequence" ? insideOf(definition).flatMap((one) => lines(one, 1)) : lines(definition, 1))]), "outline"]];

  const ROWS = {
    sequence, class: classes, classDiagram: classes, er: entities, requirement: requirements, gantt, pie, gitGraph: commits, quadrantChart: quadrants,
    xychart, block: blocks, packet, architecture, c4, kanban, venn, cynefin, wardley: wardley, "wardley-beta": wardley, eventmodeling: events,
    railroad: grammar, railroadAbnf: grammar, railroadEbnf: grammar, railroadPeg: grammar,
    // Mermaid adds its tasks anew each time that it is asked for them.
    journey: (db) => [slim("Tasks", ["section", "task", "score", "actors"], [...new Set(db.getTasks())].map((one) => [one.section, one.task, one.score, (one.people ?? []).join(", ")]))],
    timeline: (db) => [slim("Periods", ["period", "section", "events"], [...new Set(db.getTasks())].map((one) => [one.task, one.section, one.events.map((event) => event.trim()).join("; ")]))],
    sankey: (db) => [["Flows", ["from", "to", "value"], db.getGraph().links.map((one) => [one.source, one.target, one.value]), "rows"]],
    radar: (db) => [["Data", ["axis", ...list(db.getCurves()).map((one) => one.label)], list(db.getAxes()).map((axis, at) => [axis.label, ...list(db.getCurves()).map((one) => one.entries[at])]), "rows"]],
    treemap: (db) => [slim("Parts", ["part", "value", "in"], leaves(db.getRoot().children))],
    mindmap: (db) => [outline("Topics", [db.getMindmap()].filter(Boolean), (one) => one.descr)],
    treeView: (db) => [outline("Files", db.getRoot().children, (one) => said(one.name, one.description ?? ""))],
    ishikawa: (db) => [outline("Causes", [db.getRoot()].filter(Boolean), (one) => one.text)],
  };

  // The rows of a diagram; none if Mermaid's data are not as expected: a figure without a description is still a figure.
  return ({ type, db }) => {
    const own = ROWS[type] ?? (typeof db.getData === "function" ? graph : null);
    try { return own ? own(db) : []; } catch { return []; }
  };
})();
