// The driver of Mermaid: stops the clock, draws, and counts what was drawn.
"use strict";

(function () {
  const IMPORTANT = /\s*!important\s*$/;

  // A copy of Mermaid's settings, three levels deep as its own. Mermaid copies them thousands of times for a diagram and
  // then reads one or two, so a part is copied when it is first read.
  const inner = (value) => {
    if (Array.isArray(value)) return [...new Set(value)];
    const copy = { ...value };
    for (const key in copy) {
      const one = copy[key];
      if (one === null) delete copy[key];
      else if (typeof one === "object") copy[key] = Array.isArray(one) ? [...one] : { ...one };
    }
    return copy;
  };
  globalThis.__copyOf = (settings) => {
    const copy = {};
    for (const key in settings) if (settings[key] !== null) copy[key] = settings[key];
    return new Proxy(copy, {
      get: (own, key) => {
        const value = own[key];
        return typeof value === "object" && value !== null && value === settings[key] ? (own[key] = inner(value)) : value;
      },
    });
  };

  const EPOCH = Date.UTC(2000, 0, 1);
  const OwnDate = Date;
  globalThis.Date = class extends OwnDate {
    constructor(...given) { given.length ? super(...given) : super(EPOCH); }
    static now() { return EPOCH; }
  };
  let state = 1;
  Math.random = () => {  // the minimal standard generator of Park and Miller
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  globalThis.__reseed = () => { state = 1; };

  // The parts of a word that is longer than a line, if the first one fits; a part ends with a sign.
  globalThis.__parts = ({ content, type }, fits) => {
    const parts = content.split(/(?<=\w[-/_.:,])(?=\w)/);
    return parts.length > 1 && fits([{ content: parts[0], type }]) ? parts : null;
  };
  let answer = null, isReading = false;
  globalThis.__answer = () => answer;
  globalThis.__begin = (name, given) => {
    answer = null;
    isReading = false;
    globalThis.__reseed();
    const failed = (error) => {
      const hash = error?.hash ?? {};
      const own = { message: String(error?.message ?? error), name: String(error?.name ?? ""), is_foreseen: isReading && !OF_V8.some((one) => error instanceof one), line: hash.line ?? null,
        last_line: hash.loc?.last_line ?? 0, column: hash.loc?.last_column ?? 0, expected: hash.expected ?? [], token: hash.token ?? "", text: hash.text ?? "" };
      answer = JSON.stringify({ error: own });
    };
    try {
      globalThis[name](...given).then((value) => { answer = JSON.stringify({ value }); }, failed);
    } catch (error) { failed(error); }
  };

  const size = (items) => items?.size ?? items?.length ?? Object.keys(items ?? {}).length;
  const graph = (db) => {
    const { nodes, edges } = db.getData();
    return { nodes: nodes.filter((node) => !node.isGroup).length, edges: edges.length };
  };
  // A subgraph with a style or an edge is among the vertices too; `~~~` only places its ends.
  const flowchart = (db) => {
    const groups = new Set(db.getSubGraphs().map((one) => one.id));
    return { nodes: [...db.getVertices().keys()].filter((id) => !groups.has(id)).length, edges: db.getEdges().filter((one) => one.stroke !== "invisible").length };
  };
  const TALK = new Set([0, 1, 3, 4, 5, 6, 24, 25, 33, 34]);  // Mermaid's numbers of arrows between actors
  const COUNTS = {
    "flowchart-v2": flowchart,
    flowchart,
    sequence: (db) => ({ actors: size(db.getActors()), messages: db.getMessages().filter((one) => one.from && one.to && one.from !== undefined && one.message !== undefined && isMessage(one, db)).length }),
    class: (db) => ({ nodes: size(db.getClasses()), edges: size(db.getRelations()) }),
    classDiagram: (db) => ({ nodes: size(db.getClasses()), edges: size(db.getRelations()) }),
    er: (db) => ({ nodes: size(db.getEntities()), edges: size(db.getRelationships()) }),
    gantt: (db) => ({ tasks: size(db.getTasks()), sections: size(db.getSections()) }),
    pie: (db) => ({ slices: size(db.getSections()) }),
    journey: (db) => ({ tasks: size(db.getTasks()), sections: size(db.getSections()), actors: size(db.getActors()) }),
    timeline: (db) => ({ periods: size(db.getTasks()), sections: size(db.getSections()) }),
    gitGraph: (db) => ({ commits: size(db.getCommitsArray()), branches: size(db.getBranches()) }),
    quadrantChart: (db) => ({ points: size(db.getQuadrantData().points) }),
    sankey: (db) => ({ nodes: size(db.getNodes()), edges: size(db.getLinks()) }),
    block: (db) => ({ nodes: db.getBlocksFlat().filter((one) => !["column-setting", "space", "composite"].includes(one.type) && one.id !== "root" && one.id !== undefined).length, edges: size(db.getEdges()) }),
    packet: (db) => ({ fields: new Set(db.getPacket().flat().map((one) => one.label)).size }),
    architecture: (db) => ({ nodes: size(db.getServices()), edges: size(db.getEdges()) }),
    c4: (db) => ({ nodes: size(db.getC4ShapeArray()), edges: size(db.getRels()) }),
    radar: (db) => ({ axes: size(db.getAxes()), curves: size(db.getCurves()) }),
    kanban: (db) => ({ columns: size(db.getSections()), cards: db.getData().nodes.filter((node) => !node.isGroup).length }),
    treemap: (db) => ({ leaves: db.getNodes().filter((node) => !(node.children ?? []).length).length }),
  };
  const isMessage = (one, db) => TALK.has(one.type);
  const counts = ({ type, db }) => {
    const own = COUNTS[type] ?? (typeof db.getData === "function" ? graph : () => ({}));
    return { ...own(db), title: db.getAccTitle?.() || db.getDiagramTitle?.() || "", description: db.getAccDescription?.() || "", type };
  };

  const classes = (element) => (element.getAttribute("class") ?? "").split(" ");
  const below = (root, tag, name) => [...root.getElementsByTagName(tag)].filter((one) => classes(one).includes(name));
  const place = (element) => /translate\(([-\d.]+)[ ,]+([-\d.]+)\)/.exec(element.getAttribute("transform") ?? "")?.slice(1).map(Number);
  const GAP = 8;  // px between the labels of an axis

  // Move what Mermaid leaves to CSS in a browser, or places wrongly where words are SVG text.
  const arrange = (root) => {
    // The line of today would be another one each day.
    for (const mark of below(root, "g", "today")) mark.parentNode.removeChild(mark);
    for (const axis of below(root, "g", "grid")) {
      const ticks = below(axis, "g", "tick").map((tick) => [place(tick)[0], tick]).sort((a, b) => a[0] - b[0]);
      const widest = Math.max(0, ...ticks.map(([, tick]) => __measureText(tick.textContent, 10, "", "", "")));
      let end = -Infinity;
      for (const [x, tick] of ticks) {
        if (x - widest / 2 < end) tick.parentNode.removeChild(tick);
        else end = x + widest / 2 + GAP;
      }
    }
    for (const mark of below(root, "rect", "milestone")) {
      const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => Number(mark.getAttribute(name)));
      const [across, down] = [x + width / 2, y + height / 2];
      mark.setAttribute("transform", `translate(${across} ${down}) rotate(45) scale(0.8) translate(${-across} ${-down})`);
      mark.removeAttribute("transform-origin");
      const text = below(root, "text", "milestoneText").find((one) => one.getAttribute("id") === `${mark.getAttribute("id")}-text`);
      if (text && classes(text).includes("taskTextOutsideLeft")) text.setAttribute("x", x - 2);
    }
    for (const node of ["mindmap-node", "usecase-element"].flatMap((name) => below(root, "g", name))) {
      const label = below(node, "g", "label")[0], at = label && place(label);
      if (at?.[0] < 0 && below(label, "tspan", "row").length > 1 && classes(node).includes("mindmap-node")) {  // rows of several widths
        label.setAttribute("transform", `translate(${at[0] + label.getBBox().width / 2}, ${at[1]})`);
        for (const text of label.getElementsByTagName("text")) text.setAttribute("style", "text-anchor: middle");
      } else if (at?.[0] === 0 && label.getBBox().x > -1) for (const text of label.getElementsByTagName("text")) text.setAttribute("style", "text-anchor: middle");
    }
    // A line hops over others in arcs, which gaps.py does not cut.
    for (const group of below(root, "g", "edgePaths")) for (const path of group.getElementsByTagName("path")) if (/a/i.test(path.getAttribute("d"))) path.setAttribute("d", __boxes.plain(path.getAttribute("d")));
    for (const name of ["task", "journey-section"]) for (const text of below(root, "text", name)) text.removeAttribute("fill");
  };

  const NO_LINK = "about:blank";  // what Mermaid makes of a link that would run a script

  const OF_PAGES = ["name", "title", "aria-label", "label-offset-x", "font-family", "label-offset-y", "text-height", "onclick"];

  // Remove what is for scripts in a page, and uses of what is not here.
  const tidy = (element) => {
    for (const name of OF_PAGES) element.removeAttribute(name);
    if (element.parentElement?.namespaceURI === element.namespaceURI) element.removeAttribute("role");
    for (const name of ["href", "xlink:href"]) if (element.getAttribute(name) === NO_LINK) element.removeAttribute(name);
    for (const name of ["marker-start", "marker-end"]) {  // timelines from top to bottom name one that is not there
      const [, id] = /^url\(#([^)]*)\)$/.exec(element.getAttribute(name) ?? "") ?? [];
      if (id && !document.getElementById(id)) element.removeAttribute(name);
    }
    for (const name of ["fill", "stroke"]) if (/^$|NaN/.test(element.getAttribute(name) ?? " ")) element.removeAttribute(name);
    const style = element.getAttribute("style");
    if (style !== null) {
      const kept = style.split(";").filter((one) => /^\s*[\w-]+\s*:\s*\S/.test(one) && !/undefined|^\s*(max-width|background-color|font-family|mix-blend-mode)\s*:/.test(one));
      kept.length ? element.setAttribute("style", kept.join(";")) : element.removeAttribute("style");
    }
    if (/treemap/.test(element.getAttribute("class") ?? "")) element.removeAttribute("stroke-opacity");
    for (const child of [...element.children ?? []]) {
      if ((child.tagName.toLowerCase() === "use" && !document.getElementById((child.getAttribute("href") ?? child.getAttribute("xlink:href") ?? "").slice(1))) || classes(child).includes("actorPopupMenu")) element.removeChild(child);
      else tidy(child);
    }
  };

  // The theme of a source: for all types, or for its own.
  const themeOf = (own, type) => own[type]?.theme ?? own[/^[a-z]+/.exec(type)?.[0]]?.theme ?? own.theme;
  const isColoured = (own, type) => Boolean(themeOf(own, type)) || Object.keys(own.themeVariables ?? {}).some((name) => !/^font/.test(name));
  const OF_LOOK = /^(?:neo|redux)/;  // themes that belong to Mermaid's new look
  const ON_DARK = { labelColor: "#cccccc", iconColor: "#cccccc", lineColor: "#cccccc", descriptionColor: "#aaaaaa" };  // which Mermaid's dark themes leave black
  // The settings without the palette where a source sets colours of its own: Mermaid derives the others from them.
  const coloured = (config, own, type) => {
    const sheet = __notices.harmless(own.themeCSS), secure = [...config.secure, "themeCSS"];  // which the source sets no more
    if (!isColoured(own, type)) return !own.themeCSS ? config : { ...config, secure, themeCSS: `${config.themeCSS}\n${sheet}` };
    const { themeVariables: { fontFamily, fontSize }, journey, railroad, look, ...rest } = config, name = themeOf(own, type);
    return {
      ...rest, secure, themeCSS: sheet, ...(OF_LOOK.test(name) ? {} : { look }), theme: "default", journey: { textPlacement: journey.textPlacement, useMaxWidth: journey.useMaxWidth },
      themeVariables: { fontFamily, fontSize, ...(/dark/.test(name) ? { treeView: ON_DARK } : {}) },
    };
  };

  // `List~Map~K, V~~` with angle brackets; Mermaid's own reading loses text where a comma stands within a type of types.
  globalThis.__generics = (text) => {
    let depth = 0, isWhole = true;
    const written = [...text].map((letter, at, all) => {
      if (letter !== "~") return letter;
      const isOpening = /[\w\])]/.test(all[at - 1] ?? "") && /[\w([{"'*&]/.test(all[at + 1] ?? "");
      if (isOpening) { depth += 1; return "<"; }
      depth -= 1;
      isWhole &&= depth >= 0;
      return ">";
    }).join("");
    return isWhole && depth === 0 ? written : null;
  };

  // The type parameter of a class that a relation named before, without it.
  globalThis.__typed = (own, type) => {
    if (type && !own.type) Object.assign(own, { type, text: `${own.text}&lt;${type}&gt;` });
  };
  // What the parts of a relation of a node to itself are named by: the node, or the relation if the node has several.
  globalThis.__loopName = (edges, edge) => (edges.filter(({ start, end }) => start === edge.start && end === edge.start).length > 1 ? edge.id : edge.start);
  // Several relations of a node to itself stand on all sides of it.
  let looped = new Set(), isLevel = false;
  const withLoops = ({ db }) => {
    try {
      const loops = db.getData().edges.filter(({ start, end }) => start === end).map(({ start }) => start);
      return new Set(loops.filter((one, at) => loops.indexOf(one) < at));
    } catch { return new Set(); }
  };
  // In a diagram from left to right, ends of lines share the whole side of a node, which is low: within the
  // 12 px that Mermaid leaves at each corner, arrowheads touch.
  const WHOLE = { "elk.spacing.individual": "org.eclipse.elk.spacing.portsSurrounding:[top=0,left=0,bottom=0,right=0]" };
  globalThis.__sides = ({ id }) => (looped.has(id) ? { "elk.layered.edgeRouting.selfLoopDistribution": "EQUALLY" } : isLevel ? WHOLE : {});
  // One of several relations of a node to itself goes through the places that the layout keeps for its parts.
  globalThis.__loopPoints = (first, middle, last) =>
    middle.selfLoop.isOne ? {} : { points: [...first.points.slice(0, -1), ...middle.points.slice(1, -1), ...last.points], x: middle.x, y: middle.y };

  // Styles of a label reach its words, for whose parts Mermaid writes the usual ones, or those of a class.
  const OF_WORDS = ["fill", "font-style", "text-decoration"];
  const worded = (label) => {
    const own = label.getElementsByTagName("text")[0], style = [label, own].map((one) => one?.getAttribute("style") ?? "").join(";");
    for (const name of OF_WORDS) {
      const [, value] = new RegExp(`(?:^|;)\\s*${name}\\s*:\\s*([^;]+)`).exec(style) ?? [];
      if (!value) continue;
      if (name === "text-decoration") own?.setAttribute(name, value.replace(IMPORTANT, ""));
      else for (const part of label.getElementsByTagName("tspan")) {
        if (name === "fill") part.setAttribute("style", `fill:${value}`);
        else part.setAttribute(name, value.replace(IMPORTANT, ""));
      }
    }
  };

  // The markup of a drawing. Mermaid's new look colours nodes by attributes that only pages have, and names a shadow that is not there.
  const markup = (root) => {
    const looked = [...root.querySelectorAll("[data-color-id]")];
    for (const one of looked) one.setAttribute("class", `${one.getAttribute("class")} look-${one.getAttribute("data-look")} ${one.getAttribute("data-color-id")}`);
    const text = new XMLSerializer().serializeToString(root);
    return looked.length ? text.replace(/\[data-look="?(\w+)"?\]/g, ".look-$1").replace(/\[data-color-id="?(color-\d+)"?\]/g, ".$1") : text;
  };

  // Without the marks of labels.py, which only the picture needs.
  const unmarked = (value) => JSON.parse(__formulas.written(JSON.stringify(value).replace(/[\uec00-\uec1f]/g, "").replace(/\uec20/g, "$$$$")));

  const SIZED = new Set(["sankey"]);
  const merged = (...all) => {
    const result = {};
    for (const one of all) for (const [key, value] of Object.entries(one)) {
      result[key] = typeof result[key] === "object" && !Array.isArray(value) ? { ...result[key], ...value } : value;
    }
    return result;
  };
  const drawn = async (text) => {
    globalThis.__reseed();
    const container = document.getElementById("container");
    const { svg } = await mermaid.render("figure", text, container);
    container.innerHTML = svg;
    return container.getElementsByTagName("svg")[0];
  };

  // Mermaid keeps the icons of all sources; those of others are not there.
  const known = new Set();
  const iconed = (packs) => {
    mermaid.registerIconPacks([...[...known].map((name) => ({ name, icons: { prefix: name, icons: {} } })), ...packs]);
    for (const { name } of packs) known.add(name);
  };

  const OF_V8 = [RangeError, TypeError, ReferenceError, SyntaxError, EvalError, URIError];  // no mistakes that Mermaid tells
  // Draw one source. Resolves to {svg, ground, ink, counts, numbers, tables, notices, stated}.
  globalThis.__draw = async (text, given, extra, signs, formulas = {}, packs = []) => {
    Object.assign(globalThis.__fonts, { extra, signs, formulas });
    __formulas.begin(formulas);
    iconed(packs);
    __resetDocument();
    mermaid.mermaidAPI.reset?.();
    mermaid.initialize(given);
    isReading = true;
    const { config: own = {} } = await mermaid.mermaidAPI.parse(text);  // which also applies these settings
    const diagram = await mermaid.mermaidAPI.getDiagramFromText(text), config = coloured(given, own, diagram.type);
    isReading = false;
    looped = withLoops(diagram);
    isLevel = ["LR", "RL"].includes(diagram.db?.getDirection?.());
    const found = counts(diagram), tables = __rows(diagram), notices = __notices(diagram, own), { type, db } = diagram;
    const source = text + __room.lines(type, db), room = __room.settings(type, db);
    let root = null;
    for (const [at, size] of __room.sizes(type, db).entries()) {
      mermaid.initialize(merged(config, room, size));
      root = await drawn(source);
      if (!SIZED.has(type) || !__room.isCrowded(root, at)) break;
    }
    const settings = mermaid.mermaidAPI.getConfig();  // with those of the source
    const stated = __stated(diagram, tables, settings), { background, nodeTextColor, textColor } = settings.themeVariables;
    const [ground, ink] = isColoured(own, type) ? [background, nodeTextColor || textColor] : ["", ""];
    __folds.fold(type, root);
    __places.move(type, root, given.themeVariables);
    arrange(root);
    // A theme's own rules are for areas and for words in HTML; the palette has one for words here.
    if (ground) for (const text of below(root, "text", "journey-section")) text.setAttribute("style", `${text.getAttribute("style") ?? ""};fill: ${settings.themeVariables.textColor}`);
    for (const label of below(root, "g", "label")) worded(label);
    for (const text of [...below(root, "g", "edgeLabel").flatMap(__places.words), ...below(root, "text", "messageText")]) {
      const parts = [...text.getElementsByTagName("tspan")], colour = __styles.inherited(parts.at(-1) ?? text, "fill");
      if (colour && colour !== given.themeVariables.textColor) text.setAttribute("data-ink", colour.replace(IMPORTANT, ""));  // ink.py judges it
    }
    tidy(root);
    __formulas.place(root);
    if (!root.getAttribute("viewBox")) {  // `info` has no size of its own
      const { x, y, width, height } = root.getBBox();
      root.setAttribute("viewBox", [x, y, width, height].join(" "));
    }
    const facts = unmarked({ counts: found, numbers: __numbers(diagram, tables), tables, notices, stated });
    return { svg: markup(root), ground, ink, ...facts };
  };
})();
