// Places for what Mermaid draws over something else: words, ends of arrows, icons. Changes what was drawn, by type.
"use strict";

globalThis.__places = (function () {
  const FONT = 14, LEAST_FONT = 10, EDGE = 4;  // px: all words, the smallest of a Venn diagram, between words and an edge
  const list = (items) => [...(items ?? [])];
  const classes = (element) => (element.getAttribute("class") ?? "").split(" ");
  const below = (root, tag, name) => list(root.getElementsByTagName(tag)).filter((one) => classes(one).includes(name));
  const numbers = (element, names) => names.map((name) => Number(element.getAttribute(name)));

  // The way from an element's own coordinates to those of the picture: the sum of all translations.
  const offset = (element) => {
    let [x, y] = [0, 0];
    for (let node = element; node?.nodeType === 1; node = node.parentNode) {
      const at = /translate\(\s*([-\d.e]+)[ ,]*([-\d.e]+)?/.exec(node.getAttribute("transform") ?? "");
      if (at) [x, y] = [x + Number(at[1]), y + Number(at[2] ?? 0)];
    }
    return [x, y];
  };
  // The box {left, right, top, bottom} of an element, in px of the picture.
  const boxOf = (element) => {
    const box = element.getBBox(), [x, y] = offset(element);
    return { left: box.x + x, right: box.x + box.width + x, top: box.y + y, bottom: box.y + box.height + y };
  };
  const TOUCH = 0.2, ROW = 20;  // of a row's height, the white space above and below letters; px of a high row
  const meet = (one, other) => {
    const down = TOUCH * Math.min(ROW, one.bottom - one.top, other.bottom - other.top);
    return one.left < other.right && other.left < one.right && one.top < other.bottom - down && other.top < one.bottom - down;
  };
  const grown = ({ left, right, top, bottom }, x = EDGE, y = 2 * EDGE) => ({ left: left - x, right: right + x, top: top - y, bottom: bottom + y });
  const moved = ({ left, right, top, bottom }, [x, y]) => ({ left: left + x, right: right + x, top: top + y, bottom: bottom + y });
  const around = (boxes) => ({
    left: Math.min(...boxes.map((box) => box.left)), right: Math.max(...boxes.map((box) => box.right)),
    top: Math.min(...boxes.map((box) => box.top)), bottom: Math.max(...boxes.map((box) => box.bottom)),
  });
  // The four lines of a frame, each with room beside it.
  const sides = (frame) => {
    const { left, right, top, bottom } = boxOf(frame);
    return [[left, left, top, bottom], [right, right, top, bottom], [left, right, top, top], [left, right, bottom, bottom]]
      .map(([left, right, top, bottom]) => grown({ left, right, top, bottom }));
  };
  const place = (element) => /translate\(\s*([-\d.e]+)[ ,]*([-\d.e]+)?/.exec(element.getAttribute("transform") ?? "translate(0, 0)").slice(1).map(Number);
  const words = (root) => list(root.getElementsByTagName("text")).filter((text) => text.textContent.trim());
  const shift = (element, [x, y]) => {
    for (const [name, by] of [["x", x], ["y", y]]) {
      if (by && element.getAttribute(name) !== null) element.setAttribute(name, Number(element.getAttribute(name)) + by);
      if (by && name === "x") for (const row of element.getElementsByTagName("tspan")) if (row.getAttribute("x") !== null) row.setAttribute("x", Number(row.getAttribute("x")) + by);
    }
  };
  // Leave a gap in a line at each box: gaps.py cuts it.
  const gap = (line, boxes) => {
    const [x, y] = offset(line), own = boxes.map((box) => moved(box, [-x, -y]));
    const all = own.map(({ left, top, right, bottom }) => [left, top, right, bottom].map((one) => Math.round(one * 100) / 100).join(","));
    if (all.length) line.setAttribute("data-gaps", [line.getAttribute("data-gaps"), ...all].filter(Boolean).join(";"));
  };
  // A picture holds these boxes, and what it held before; its ground grows with it.
  const grow = (root, boxes) => {
    const [left, top, wide, high] = root.getAttribute("viewBox").split(/[ ,]+/).map(Number);
    const outside = boxes.filter((box) => box.left < left || box.top < top || box.right > left + wide || box.bottom > top + high);
    if (!outside.length) return;
    const all = around([{ left, top, right: left + wide, bottom: top + high }, ...outside.map((box) => grown(box, EDGE, EDGE))]);
    const size = { x: all.left, y: all.top, width: all.right - all.left, height: all.bottom - all.top };
    root.setAttribute("viewBox", Object.values(size).join(" "));
    for (const name of ["width", "height"]) if (/^[\d.]+$/.test(root.getAttribute(name) ?? "")) root.setAttribute(name, size[name]);
    for (const ground of below(root, "rect", "background")) if (ground.getAttribute("width") === String(wide)) for (const name in size) ground.setAttribute(name, size[name]);
  };
  // Points along a path or a line, in px of the picture.
  const along = (path) => {
    const [dx, dy] = offset(path), COUNT = 24;
    return __boxes.curves(path).flatMap((curve) => Array.from({ length: COUNT + 1 }, (_, at) => __boxes.at(curve, at / COUNT))).map(([x, y]) => [x + dx, y + dy]);
  };
  const holds = ({ left, right, top, bottom }, [x, y]) => left < x && x < right && top < y && y < bottom;

  // The place nearest to the middle of `own`, within `span`, of a box as wide that meets none of `taken`; else null.
  const freePlace = (own, span, taken) => {
    const width = own.right - own.left, middle = (own.left + own.right) / 2;
    const over = taken.filter((one) => one.top < own.bottom && own.top < one.bottom);
    const ends = over.flatMap((one) => [one.left - EDGE - width, one.right + EDGE]);
    const fits = (left) => left >= span[0] - 0.01 && left + width <= span[1] + 0.01 && !over.some((one) => left < one.right && one.left < left + width);
    const found = [own.left, ...ends].filter(fits).sort((a, b) => Math.abs(a + width / 2 - middle) - Math.abs(b + width / 2 - middle));
    return found.length ? found[0] : null;
  };

  const MOVES = {
    // Words of messages and of frames stand beside lifelines; where there is no room, a lifeline has a gap.
    sequence: (root) => {
      const lives = below(root, "line", "actor-line"), [, top, , high] = root.getAttribute("viewBox").split(/[ ,]+/).map(Number);
      // Without actors below, Mermaid lets lifelines run out of the picture.
      for (const life of lives) {
        life.setAttribute("y2", Math.min(Number(life.getAttribute("y2")), top + high));
        life.setAttribute("stroke-width", LIFELINE);
      }
      const bars = list(root.getElementsByTagName("rect")).filter((one) => /\bactivation\d/.test(one.getAttribute("class") ?? "")).map(boxOf);
      const taken = [...lives.map(boxOf), ...bars];
      const settle = (texts, span) => {
        const own = around(texts.map(boxOf)), left = freePlace(own, span, taken);
        if (left !== null) {
          if (left !== own.left) for (const text of texts) shift(text, [left - own.left, 0]);
          return;
        }
        for (const life of lives) gap(life, texts.map((text) => grown(boxOf(text), EDGE, 0)));
      };
      // The circle of a number is Mermaid's marker of a line; here it lies between the line and the number.
      for (const text of below(root, "text", "sequenceNumber")) {
        const circle = document.createElementNS("http://www.w3.org/2000/svg", "circle"), [x, y] = numbers(text, ["x", "y"]);
        for (const [name, value] of Object.entries({ cx: x, cy: y - EDGE, r: NUMBER, class: "sequenceNumberCircle" })) circle.setAttribute(name, value);
        text.parentNode.insertBefore(circle, text);
      }
      for (const line of [...root.getElementsByTagName("line"), ...root.getElementsByTagName("path")]) if (/-sequencenumber\)/.test(line.getAttribute("marker-start") ?? "")) line.removeAttribute("marker-start");
      const isLine = (one) => /\bmessageLine\d/.test(one.getAttribute?.("class") ?? "");
      let texts = [];
      for (const node of list(root.children)) {
        if (classes(node).includes("messageText")) texts.push(node);
        else if (isLine(node) && texts.length) {
          const [x1, x2] = numbers(node, ["x1", "x2"]).sort((a, b) => a - b);
          const own = around(texts.map(boxOf));
          // A message to oneself is a curve beside its lifeline: its words stay, or begin right of the bars there.
          const right = Math.max(own.left, ...bars.filter((bar) => meet(bar, own)).map((bar) => bar.right + EDGE));
          settle(texts, node.tagName === "line" ? [x1 + 2 * EDGE, x2 - 2 * EDGE] : [own.left, right + own.right - own.left]);
          grow(root, texts.map(boxOf));
          texts = [];
        }
      }
      for (const frame of list(root.getElementsByTagName("g")).filter((one) => one.getAttribute("data-et") === "control-structure")) {
        const edges = around(below(frame, "line", "loopLine").map(boxOf)), box = below(frame, "polygon", "labelBox").map(boxOf)[0];
        const taken = box ? Math.max(edges.left, box.right) : edges.left;
        for (const text of [...below(frame, "text", "loopText"), ...below(frame, "text", "sectionTitle")]) settle([text], [taken + EDGE, edges.right - EDGE]);
      }
    },

    // An edge begins or ends below the label of a service, not in it; a bent edge has a right angle.
    architecture: (root) => {
      const services = below(root, "g", "architecture-service").map((one) => {
        const [x, y] = offset(one), icon = one.getElementsByTagName("svg")[0], size = Number(icon?.getAttribute("width") ?? 80);
        return { x: x + size / 2, y: y + size, size, text: words(one)[0] };
      });
      for (const path of below(root, "path", "edge")) {
        const values = path.getAttribute("d").match(/-?[\d.]+(?:e-?\d+)?/g).map(Number);
        if (values.length !== 6) continue;
        const heads = list(path.parentNode.childNodes).filter((one) => one.tagName === "polygon");
        for (const at of [0, 4]) {
          const own = services.find(({ x, y, text }) => text && Math.abs(values[at] - x) < 1 && Math.abs(values[at + 1] - y) < 1);
          if (!own) continue;
          const down = boxOf(own.text).bottom + EDGE / 2 - values[at + 1];
          const head = heads.find((one) => Math.abs(offset(one)[1] - values[at + 1]) < own.size / 4 && Math.abs(offset(one)[0] - values[at]) < own.size / 4);
          head?.setAttribute("transform", `translate(${offset(head)[0]},${offset(head)[1] + down})`);
          values[at + 1] += down;
        }
        const [x1, y1, x2, y2, x3, y3] = values;
        const isMiddle = Math.abs(x2 - (x1 + x3) / 2) < 1 && Math.abs(x1 - x3) > 1 && Math.abs(y1 - y3) > 1;
        const isUpright = services.some(({ x }) => Math.abs(x - x1) < 1) && services.some(({ x }) => Math.abs(x - x3) < 1);
        const bent = !isMiddle ? [[x2, y2]] : isUpright ? [[x1, (y1 + y3) / 2], [x3, (y1 + y3) / 2]] : [[x2, y1], [x2, y3]];
        path.setAttribute("d", `M ${x1},${y1} ${bent.map(([x, y]) => `L ${x},${y} `).join("")}L ${x3},${y3}`);
      }
      for (const frame of below(root, "rect", "node-bkg")) {
        const group = frame.nextSibling;
        for (const part of group?.tagName === "g" ? group.childNodes : []) {
          const [x, y] = offset(part);
          part.setAttribute("transform", `translate(${x + 1.5 * EDGE}, ${y + 1.5 * EDGE})`);
        }
      }
    },

    // The name of a point stands beside it, in its picture, and over no line, name or point.
    quadrantChart: (root) => {
      const points = below(root, "g", "data-point").map((one) => [one.getElementsByTagName("circle")[0], one.getElementsByTagName("text")[0]]).filter(([, text]) => text?.textContent.trim());
      const names = new Set(points.map(([, text]) => text));
      const lines = below(root, "g", "border").flatMap((one) => list(one.getElementsByTagName("line"))).map((line) => grown(boxOf(line), 1, 1));
      const frame = around(lines), dots = points.map(([dot]) => boxOf(dot));
      const taken = [...lines, ...words(root).filter((text) => !names.has(text) && !/rotate\((?!0)/.test(text.getAttribute("transform"))).map(boxOf)];
      for (const [dot, text] of points) {
        const [x, y, r] = numbers(dot, ["cx", "cy", "r"]), { width } = text.getBBox(), count = Math.max(1, text.getElementsByTagName("tspan").length);
        const size = Number(text.getAttribute("font-size")) * (1 + 1.1 * (count - 1));
        const far = r + EDGE / 2;
        // Left end and top of the words: below, right, left, above, then below and aside.
        const tries = [[x - width / 2, y + far], [x + far + EDGE / 2, y - size / 2], [x - far - EDGE / 2 - width, y - size / 2], [x - width / 2, y - far - size],
          [x - r, y + far], [x + r - width, y + far], [x - r, y - far - size], [x + r - width, y - far - size]];
        const box = ([left, top]) => ({ left, top, right: left + width, bottom: top + size });
        const isIn = (own) => own.left > frame.left + EDGE && own.right < frame.right - EDGE && own.top > frame.top && own.bottom < frame.bottom;
        const others = dots.filter((one, at) => points[at][0] !== dot);
        const at = tries.find((one) => isIn(box(one)) && ![...taken, ...others].some((other) => meet(box(one), other))) ?? tries.find((one) => isIn(box(one))) ?? tries[0];
        taken.push(box(at));
        text.setAttribute("transform", `translate(${at[0] + width / 2}, ${at[1]}) rotate(0)`);
      }
    },

    // Words stand in the middle of their line, in a gap.
    block: (root) => {
      for (const label of below(root, "g", "edgeLabel")) {
        const [x, y] = offset(label), [text] = words(label);
        if (text) label.setAttribute("transform", `translate(${x}, ${2 * y - (boxOf(text).top + boxOf(text).bottom) / 2})`);
      }
      const boxes = below(root, "g", "edgeLabel").flatMap(words).map((text) => grown(boxOf(text), EDGE / 2, 0));
      for (const path of below(root, "path", "flowchart-link")) gap(path, boxes);
    },

    // How many there are at the end of a line stands beside all lines, words and boxes.
    class: (root) => {
      // The name of an interface that is a circle stands above it: Mermaid begins it at its middle.
      for (const node of below(root, "g", "node")) {
        const back = list(node.children).find((one) => one.tagName === "rect" && /opacity:\s*0/.test(one.getAttribute("style") ?? "")), label = back && below(node, "g", "label")[0];
        if (label && place(label)[0] === 0 && label.getBBox().x > -1) for (const text of label.getElementsByTagName("text")) text.setAttribute("style", "text-anchor: middle");
      }
      const paths = below(root, "g", "edgePaths").flatMap((one) => list(one.getElementsByTagName("path"))).flatMap(along);
      const ends = below(root, "g", "edgeTerminals"), own = new Set(ends.flatMap(words));
      const taken = words(root).filter((text) => !own.has(text)).map(boxOf);
      const nodes = below(root, "g", "node").map(boxOf);
      for (const end of ends) {
        const text = words(end)[0], [x, y] = offset(end);
        if (!text) continue;
        const box = boxOf(text), own = grown(box, EDGE / 2, 0);
        const isFree = (by) => {
          const here = moved(own, by);
          return !paths.some((point) => holds(here, point)) && ![...taken, ...nodes].some((other) => meet(here, other));
        };
        const by = [[0, 0], ...RING].find(isFree) ?? [0, 0];
        taken.push(moved(box, by));
        end.setAttribute("transform", `translate(${x + by[0]}, ${y + by[1]})`);
      }
    },

    // The title of a composite state stands in the middle of a bar of its own height; below, one frame is enough.
    stateDiagram: (root) => {
      for (const group of below(root, "g", "statediagram-cluster")) {
        const [outer, inner] = [below(group, "rect", "outer")[0], below(group, "rect", "inner")[0]];
        const label = list(group.childNodes).find((one) => classes(one).includes("cluster-label")), text = label && words(label)[0];
        if (!outer || !inner || inner.parentNode !== group || !text) continue;
        const [top, high] = numbers(outer, ["y", "height"]), at = Number(inner.getAttribute("y")) + EDGE;
        inner.setAttribute("y", at);
        inner.setAttribute("height", top + high - at);
        outer.setAttribute("style", "rx: 0; ry: 0");
        const [x, y] = place(label), box = boxOf(text), [, above] = offset(group);
        label.setAttribute("transform", `translate(${x}, ${y + (top + at) / 2 + above - (box.top + box.bottom) / 2})`);
      }
    },

    // Words where circles meet are as small as needed: they stand between the lines, and beside each other.
    venn: (root) => {
      const SIZE = /font-size:\s*([\d.]+)px/;
      const areas = below(root, "g", "venn-intersection");
      const texts = [...areas, ...below(root, "g", "venn-circle")].flatMap((area) => words(area).map((text) => [text, area.getElementsByTagName("path")[0]]));
      const size = (text) => Number(SIZE.exec(text.getAttribute("style") ?? "")?.[1] ?? FONT);
      const write = (text, px) => text.setAttribute("style", text.getAttribute("style").replace(SIZE, `font-size: ${px}px`));
      const outlines = ["venn-circle", "venn-intersection"].flatMap((name) => below(root, "g", name)).map((area) => area.getElementsByTagName("path")[0]).filter(Boolean);
      const points = outlines.flatMap((path) => { const far = path.getTotalLength(); return Array.from({ length: SAMPLES }, (_, at) => path.getPointAtLength((far * at) / SAMPLES)); });
      const fit = (text, area, least) => {
        const { x, y, width: own, height } = text.getBBox(), middle = x + own / 2;
        const beside = points.filter((point) => point.y > y && point.y < y + height).map((point) => Math.abs(point.x - middle));
        const room = Math.min(0.8 * area.getBBox().width, 2 * Math.min(...beside) - 2 * EDGE);
        if (own > room) write(text, Math.min(size(text), Math.max(least, Math.floor((size(text) * room) / own))));
      };
      for (const [text, area] of texts) fit(text, area, FONT);
      for (let px = Math.max(...texts.map(([text]) => size(text))); px > LEAST_FONT && globalThis.__room.isCrowded(root);) {
        px -= 1;
        for (const [text] of texts) if (size(text) > px) write(text, px);
      }
      for (const [text, area] of texts) if (text.getElementsByTagName("tspan").length > 3) fit(text, area, LEAST_FONT);
      // Mermaid writes the title over the upper edge.
      for (const title of below(root, "text", "venn-title")) {
        const [, , wide, high] = root.getAttribute("viewBox").split(" ").map(Number), above = Math.max(2 * EDGE, EDGE - boxOf(title).top);
        root.setAttribute("viewBox", `0 ${-above} ${wide} ${high + above}`);
      }
      // Its names have the colour of their circle, which is too pale for words.
      for (const circle of below(root, "g", "venn-circle")) {
        for (const text of words(circle)) text.setAttribute("style", (text.getAttribute("style") ?? "").replace(/(^|;)\s*fill:[^;]*;?/, "$1"));
      }
      // Texts in a circle get a box each; a long word is wider than its box.
      for (const area of below(root, "g", "venn-text-area")) {
        const px = Number.parseFloat(area.getAttribute("font-size")) || FONT;
        const share = Math.max(0, ...list(area.getElementsByTagName("foreignObject")).map((one) =>
          Math.max(...one.textContent.trim().split(/\s+/).map((word) => __measureText(word, px, "", "", ""))) / (0.95 * Number(one.getAttribute("width")))));
        if (share > 1) area.setAttribute("font-size", `${Math.max(FONT, Math.floor(px / share))}px`);
      }
    },

    // The words of an arrow lie somewhere along it, where nothing else is written, in a gap of all lines.
    c4: (root) => {
      const lines = list(root.getElementsByTagName("g")).find((one) => [...one.childNodes].some((child) => /arrow(?:head|end)/.test(child.getAttribute?.("marker-end") ?? child.getAttribute?.("marker-start") ?? "")));
      if (!lines) return;
      const first = list(root.children).find((one) => below(one, "g", "c4-shape").length);
      if (first) root.insertBefore(lines, first);  // an arrow that has to cross a shape runs behind it
      const arrows = [];
      for (const child of lines.childNodes) {
        if (child.tagName === "text") arrows.at(-1)?.texts.push(child);
        else if (child.tagName === "line" || child.tagName === "path") arrows.push({ line: child, way: way(child), texts: [] });
      }
      const own = new Set(arrows.flatMap(({ texts }) => texts));
      const taken = words(root).filter((text) => !own.has(text)).map(boxOf);
      const shapes = below(root, "g", "c4-shape").map(boxOf).map((one) => grown(one));
      const groups = list(root.getElementsByTagName("rect")).filter((one) => one.getAttribute("stroke-dasharray"));
      for (const group of groups) for (let title = group.nextSibling; title?.tagName === "text"; title = title.nextSibling) shift(title, [0, 1.5 * EDGE]);
      const frames = groups.flatMap(sides);
      for (const { way: along, texts } of arrows) {
        const here = texts.map(boxOf), middle = along(0.5);
        const moves = [0, 1, -1, 2, -2, 3, -3, 4, -4].flatMap((aside) => STEPS.map((at) => along(at)).map(([x, y]) => [x - middle[0] + aside * ASIDE, y - middle[1]]));
        const at = (by) => here.map((box) => moved(box, by));
        const isFree = (move, others) => at(move).every((box) => !others.some((other) => meet(box, other)));
        const move = moves.find((one) => isFree(one, [...taken, ...shapes, ...frames])) ?? moves.find((one) => isFree(one, [...taken, ...shapes])) ?? moves.find((one) => isFree(one, taken)) ?? [0, 0];
        taken.push(...at(move));
        for (const text of texts) shift(text, move);
      }
      const titles = groups.flatMap((group) => list(group.parentNode.childNodes).filter((one) => one.tagName === "text"));
      const gaps = [...titles, ...arrows.flatMap(({ texts }) => texts)].map((text) => grown(boxOf(text), EDGE / 2, 0));
      for (const { line } of arrows) gap(line, gaps);
    },

    // Names stand above the flows, which would tint them; a flow as thin as a line has a gap at names.
    sankey: (root, tones) => {
      const [names, links] = [below(root, "g", "node-labels")[0], below(root, "g", "links")[0]];
      if (names && links) root.appendChild(names);
      const boxes = words(root).map((text) => grown(boxOf(text), EDGE / 2, 0));
      for (const link of links ? links.getElementsByTagName("path") : []) if (Number(link.getAttribute("stroke-width")) < FONT) gap(link, boxes);
      const own = new Map(TABLEAU.map((colour, number) => [colour, tones[`cScalePeer${number}`]]));
      const recoloured = (element, name) => { const tone = own.get(element.getAttribute(name)); if (tone) element.setAttribute(name, tone); };
      for (const bar of root.getElementsByTagName("rect")) recoloured(bar, "fill");
      for (const stop of root.getElementsByTagName("stop")) recoloured(stop, "stop-color");
      for (const link of links ? links.getElementsByTagName("path") : []) recoloured(link, "stroke");
    },

    // Mermaid sets the title on the upper edge of the picture.
    radar: (root) => {
      for (const title of below(root, "text", "radarTitle")) title.setAttribute("style", "dominant-baseline: auto"), shift(title, [0, FONT + EDGE]);
    },

    // The root has a line from outside the picture. An icon of a pack, which is not here, is left out with its room.
    treeView: (root) => {
      for (const text of below(root, "text", "treeView-node-label")) {
        const line = text.parentNode.nextSibling, icon = below(text.parentNode, "g", "treeView-node-icon")[0];
        if (icon && words(icon).length) {
          text.parentNode.removeChild(icon);
          shift(text, [-ICON, 0]);
        }
        if (line?.tagName === "line" && Number(line.getAttribute("x1")) < 0) line.parentNode.removeChild(line);
      }
    },

    // Names stand beside circles and the edges of boxes, and lines have gaps at words.
    wardley: (root) => {
      const names = words(root), taken = list(root.getElementsByTagName("circle")).map(boxOf);
      const edges = below(root, "rect", "wardley-pipeline-box").flatMap((box) => sides(box).map((one) => grown(one, -EDGE, -2 * EDGE + 1)));
      for (const text of names) {
        const own = boxOf(text), others = names.filter((one) => one !== text).map(boxOf);
        const isFree = (by) => ![...taken, ...edges, ...others].some((other) => meet(other, moved(own, by)));
        if (text.parentNode.getAttribute("class")?.includes("wardley-node ") && !isFree([0, 0])) shift(text, RING.find(isFree) ?? [0, 0]);
      }
      const boxes = words(root).map((text) => grown(boxOf(text), EDGE / 2, 0));
      for (const line of [...root.getElementsByTagName("line"), ...root.getElementsByTagName("path")]) if (!line.getAttribute("transform") && line.parentNode.tagName !== "marker") gap(line, boxes);
    },

    // An arrow begins and ends beside the words of a domain, and lines have gaps at words.
    cynefin: (root) => {
      const middles = below(root, "path", "cynefinConfusion").map(boxOf);
      const inside = below(root, "rect", "cynefinDomain").map((field) => {
        const own = boxOf(field), centre = (box) => [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
        const isOwn = (box) => holds(own, centre(box)) && !middles.some((one) => holds(one, centre(box)));
        const parts = ["cynefinDomainLabel", "cynefinSubtitle"].flatMap((name) => below(root, "text", name)).concat(below(root, "rect", "cynefinItem"));
        return { own, boxes: parts.map(boxOf).filter(isOwn).map((box) => grown(box, EDGE, EDGE)) };
      });
      const arrows = below(root, "path", "cynefinArrowLine");
      for (const arrow of arrows) {
        const [dx, dy] = offset(arrow), point = way(arrow), COUNT = 200;
        const at = (place) => { const [x, y] = point(place); return [x + dx, y + dy]; };
        const [from, to] = [0, 1].map((end) => inside.find(({ own }) => holds(own, at(end)))?.boxes ?? []);
        let [begin, end] = [COUNT / 2, COUNT / 2];
        while (begin > 0 && !from.some((box) => holds(box, at(begin / COUNT)))) begin -= 1;
        while (end < COUNT && !to.some((box) => holds(box, at(end / COUNT)))) end += 1;
        if (end <= begin) continue;
        const [[ax, ay], [bx, by], [cx, cy]] = part(arrow, begin / COUNT, end / COUNT);
        arrow.setAttribute("d", `M${ax},${ay} Q${bx},${by} ${cx},${cy}`);
      }
      // Words of an arrow stand above or below what is written in its domains.
      const written = [...inside.flatMap(({ boxes }) => boxes), ...middles.map((box) => grown(box, -EDGE, -EDGE))];
      for (const text of below(root, "text", "cynefinArrowLabel")) {
        const own = boxOf(text), by = LEVELS.find((one) => !written.some((other) => meet(other, moved(own, [0, one])))) ?? 0;
        shift(text, [0, by]);
        written.push(moved(own, [0, by]));
      }
      const names = ["cynefinArrowLabel", "cynefinDomainLabel", "cynefinSubtitle"].flatMap((name) => below(root, "text", name)).map((text) => grown(boxOf(text), EDGE / 2, 0));
      for (const line of [...arrows, ...below(root, "path", "cynefinBoundary"), ...below(root, "path", "cynefinCliff")]) gap(line, names);
    },

    // Words stand in the middle of their box: the middle of the first line is HALF below the place of the text.
    timeline: (root) => {
      const [HALF, ROW] = [0.9 * FONT, 1.1 * FONT];
      for (const node of below(root, "g", "timeline-node")) {
        const back = below(node, "path", "node-bkg")[0], [text] = words(node);
        if (!back || !text) continue;
        const rows = text.getElementsByTagName("tspan").length, { y, height } = back.getBBox();
        text.parentNode.setAttribute("transform", `translate(${place(text.parentNode)[0]}, ${y + height / 2 - HALF - ((rows - 1) * ROW) / 2})`);
      }
    },

    // Numbers of bars are as large as their bars are wide or other words are: Mermaid gives those outside short bars sizes
    // down to below 0. The picture holds them all.
    xychart: (root) => {
      for (const group of list(root.getElementsByTagName("g")).filter((one) => /^bar-plot/.test(one.getAttribute("class") ?? ""))) {
        const texts = words(group), bars = list(group.getElementsByTagName("rect")).map((bar) => numbers(bar, ["width", "height"]));
        if (!texts.length || !bars.length) continue;
        for (const text of texts) text.setAttribute("font-size", `${FONT}px`);
        const widest = Math.max(...texts.map((text) => text.getBBox().width)), isUpright = texts[0].getAttribute("text-anchor") === "middle";
        const most = isUpright ? FONT * Math.min(...bars.map(([width]) => width / widest)) : Math.min(...bars.map(([, height]) => height));
        for (const text of texts) text.setAttribute("font-size", `${Math.max(LEAST_FONT, Math.min(FONT, Math.floor(most)))}px`);
      }
      const [left, top, wide, high] = root.getAttribute("viewBox").split(" ").map(Number), own = { left, top, right: left + wide, bottom: top + high };
      const outside = words(root).map(boxOf).filter((box) => box.left < own.left || box.top < own.top || box.right > own.right || box.bottom > own.bottom);
      if (!outside.length) return;
      const all = around([own, ...outside.map((box) => grown(box, EDGE, EDGE))]), size = { x: all.left, y: all.top, width: all.right - all.left, height: all.bottom - all.top };
      root.setAttribute("viewBox", Object.values(size).join(" "));
      for (const ground of below(root, "rect", "background")) for (const name in size) ground.setAttribute(name, size[name]);
    },
  };
  const SAMPLES = 200;  // points along an outline
  const NUMBER = 9;  // px: the radius of the circle of a message's number
  const LIFELINE = 2;  // px: as Mermaid's style sheet says of every <line>; one with a gap becomes a path
  const ICON = 18;  // px: an icon of a tree, and the space beside it
  const RING = [4, 6, 8, 10, 12, 16, 20, 24].flatMap((far) => [[0, -1], [0, 1], [1, 0], [-1, 0], [1, -1], [-1, -1], [1, 1], [-1, 1]].map(([x, y]) => [x * far, y * far]));
  const TABLEAU = ["#4e79a7", "#f28e2c", "#e15759", "#76b7b2", "#59a14f", "#edc949", "#af7aa1", "#ff9da7", "#9c755f", "#bab0ab"];  // Mermaid's colours of nodes
  const STEPS = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82];  // of the length of an arrow
  const LEVELS = Array.from({ length: 16 }, (_, at) => at * 8).flatMap((far) => [far, -far]);  // px
  const ASIDE = 30;  // px from an arrow to words that find no place on it
  // The point of a line or of Mermaid's curve with one control point, from 0 to 1.
  const way = (element) => {
    if (element.tagName === "line") {
      const [x1, y1, x2, y2] = numbers(element, ["x1", "y1", "x2", "y2"]);
      return (at) => [x1 + (x2 - x1) * at, y1 + (y2 - y1) * at];
    }
    const [a, b, c, d, e, f] = element.getAttribute("d").match(/-?[\d.]+(?:e-?\d+)?/g).map(Number);
    return (at) => [[a, c, e], [b, d, f]].map(([from, by, to]) => from * (1 - at) ** 2 + 2 * by * at * (1 - at) + to * at * at);
  };
  // A part of Mermaid's curve with one control point: begin, bend and end.
  const part = (element, begin, end) => {
    const [a, b, c, d, e, f] = element.getAttribute("d").match(/-?[\d.]+(?:e-?\d+)?/g).map(Number);
    const blossom = (s, t) => [[a, c, e], [b, d, f]].map(([from, by, to]) => (1 - s) * (1 - t) * from + (s * (1 - t) + t * (1 - s)) * by + s * t * to);
    return [blossom(begin, begin), blossom(begin, end), blossom(end, end)].map(([x, y]) => [x, y].map((one) => Math.round(one * 100) / 100));
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

  // The title of a group stands beside the lines that enter the group, or else in a gap of these: in a gap it looks
  // like their label.
  const titled = (root) => {
    const lines = below(root, "g", "edgePaths").flatMap((one) => list(one.getElementsByTagName("path")));
    const parts = new Map(lines.map((line) => {
      const points = along(line);
      return [line, points.slice(1).map((to, at) => grown(around([points[at], to].map(([x, y]) => ({ left: x, right: x, top: y, bottom: y }))), EDGE, 0))];
    }));
    for (const label of below(root, "g", "cluster-label")) {
      const frame = list(label.parentNode.children).find((one) => one.tagName === "rect"), [text] = words(label), at = label.getAttribute("transform") ?? "";
      if (!frame || !text || !/^translate\([^()]*\)$/.test(at)) continue;
      const own = boxOf(text), { left, right } = boxOf(frame);
      const over = lines.filter((line) => parts.get(line).some((part) => meet(part, own)));
      if (!over.length) continue;
      const free = freePlace(own, [left + EDGE, right - EDGE], lines.flatMap((line) => parts.get(line)));
      const [x, y] = place(label);
      if (free === null) for (const line of over) gap(line, [grown(own, EDGE / 2, 0)]);
      else label.setAttribute("transform", `translate(${Math.round((x + free - own.left) * 100) / 100}, ${y})`);
    }
  };

  // The label of a level line stands in its middle: ELK sets the baseline of some words below it.
  const levelled = (root) => {
    const lines = below(root, "g", "edgePaths").flatMap((one) => list(one.getElementsByTagName("path"))).map(along);
    const level = lines.flatMap((points) => points.slice(1).map((to, at) => [points[at], to])).filter(([[, y], [, v]]) => Math.abs(y - v) < 0.05);
    for (const label of below(root, "g", "edgeLabel")) {
      const at = label.getAttribute("transform") ?? "", [text] = words(label);
      if (!text || !/^translate\([^()]*\)$/.test(at)) continue;
      const { left, right } = boxOf(text), middle = (left + right) / 2, [x, y] = place(label), [, down] = offset(label);
      const ways = level.filter(([[a], [b]]) => Math.min(a, b) <= middle && middle <= Math.max(a, b)).map(([[, v]]) => v - down);
      const [by] = ways.sort((one, other) => Math.abs(one) - Math.abs(other));
      if (Math.abs(by) <= FONT / 2) label.setAttribute("transform", `translate(${x}, ${Math.round((y + by) * 100) / 100})`);
    }
  };

  const TWINS = { classDiagram: "class", state: "stateDiagram", "wardley-beta": "wardley" };  // Mermaid has two names for a type
  const move = (type, root, tones) => {
    joined(root);
    (MOVES[type] ?? MOVES[TWINS[type]])?.(root, tones);
    levelled(root);
    titled(root);
  };
  return { boxOf, gap, grow, meet, words, move };
})();
