// Where elements are: boxes of shapes, paths and words, as a browser gives them.
"use strict";

globalThis.__boxes = (function () {
  const { font, inherited, length, own: said } = __styles;
  const SVG = __tree.SVG;
  // A matrix is [a, b, c, d, e, f]; a box [left, top, right, bottom], or null for nothing.
  const times = ([a, b, c, d, e, f], [p, q, r, s, t, u]) => [a * p + c * q, b * p + d * q, a * r + c * s, b * r + d * s, a * t + c * u + e, b * t + d * u + f];
  const ONE = [1, 0, 0, 1, 0, 0];
  const MOVES = {
    matrix: (...all) => all, translate: (x, y = 0) => [1, 0, 0, 1, x, y], scale: (x, y = x) => [x, 0, 0, y, 0, 0],
    rotate: (angle, x = 0, y = 0) => {
      const turn = (angle * Math.PI) / 180, [sin, cos] = [Math.sin(turn), Math.cos(turn)];
      return times(times([1, 0, 0, 1, x, y], [cos, sin, -sin, cos, 0, 0]), [1, 0, 0, 1, -x, -y]);
    },
    skewX: (angle) => [1, 0, Math.tan((angle * Math.PI) / 180), 1, 0, 0], skewY: (angle) => [1, Math.tan((angle * Math.PI) / 180), 0, 1, 0, 0],
  };
  const numbers = (text) => (text.match(/[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/gi) ?? []).map(Number);
  const number = (element, name, size = 16) => length(element.getAttribute(name), size) ?? 0;
  const moved = (element) => {
    let found = ONE;
    for (const [, name, given] of (element.getAttribute("transform") ?? "").matchAll(/(\w+)\s*\(([^)]*)\)/g)) if (MOVES[name]) found = times(found, MOVES[name](...numbers(given)));
    if (element.lowerName !== "svg" || element.parentElement?.namespaceURI !== SVG) return found;
    const [left, top, wide, high] = numbers(element.getAttribute("viewBox") ?? "");
    const place = [1, 0, 0, 1, number(element, "x"), number(element, "y")];
    if (!wide || !high) return times(found, place);
    const [width, height] = [number(element, "width") || wide, number(element, "height") || high], by = Math.min(width / wide, height / high);
    return times(times(found, place), [by, 0, 0, by, (width - by * wide) / 2 - by * left, (height - by * high) / 2 - by * top]);
  };
  // From an element's own coordinates to those of the page.
  const matrix = (element) => {
    let found = ONE;
    for (let one = element; one?.nodeType === 1; one = one.parentNode) if (one.namespaceURI === SVG) found = times(moved(one), found);
    const [a, b, c, d, e, f] = found;
    return { a, b, c, d, e, f, inverse: () => inverse(found) };
  };
  const inverse = ([a, b, c, d, e, f]) => {
    const by = a * d - b * c;
    return { a: d / by, b: -b / by, c: -c / by, d: a / by, e: (c * f - d * e) / by, f: (b * e - a * f) / by };
  };
  const around = (points) => {
    if (!points.length) return null;
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const [x, y] of points) {
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      if (y > bottom) bottom = y;
    }
    return Number.isFinite(left + top + right + bottom) ? [left, top, right, bottom] : null;
  };
  const placed = ([left, top, right, bottom], [a, b, c, d, e, f]) =>
    (b === 0 && c === 0 && a > 0 && d > 0 ? [left * a + e, top * d + f, right * a + e, bottom * d + f]
      : around([[left, top], [right, top], [left, bottom], [right, bottom]].map(([x, y]) => [a * x + c * y + e, b * x + d * y + f])));
  const joined = (one, other) => (!one ? other : !other ? one : [Math.min(one[0], other[0]), Math.min(one[1], other[1]), Math.max(one[2], other[2]), Math.max(one[3], other[3])]);

  // A path as lines [[x, y], [x, y]] and cubic curves of four points; a move is a line without length.
  const COUNTS = { M: 2, L: 2, H: 1, V: 1, C: 6, S: 4, Q: 4, T: 2, A: 7, Z: 0 };
  const PARTS = /([a-z])|([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)/giy, FLAG = /[\s,]*([01])/y;
  const rawParts = (d) => {
    const found = [];
    let at = 0, command = "", values = [];
    while (at < d.length) {
      if (/[\s,]/.test(d[at])) { at += 1; continue; }
      const inArc = command.toUpperCase() === "A" && [3, 4].includes(values.length), reader = inArc ? FLAG : PARTS;
      reader.lastIndex = at;
      const part = reader.exec(d);
      if (!part) break;
      at = reader.lastIndex;
      const letter = inArc ? undefined : part[1];
      if (letter !== undefined) {
        if (COUNTS[letter.toUpperCase()] === undefined) break;
        [command, values] = [letter, []];
        if (letter === "Z" || letter === "z") found.push(["Z", []]);
        continue;
      }
      values.push(Number(inArc ? part[1] : part[2]));
      if (!command || values.length < COUNTS[command.toUpperCase()]) continue;
      if (!COUNTS[command.toUpperCase()]) break;
      found.push([command, values]);
      if (command === "M") command = "L";
      else if (command === "m") command = "l";
      values = [];
    }
    return found;
  };
  const once = (make) => {
    const known = new Map();
    return (key) => {
      let found = known.get(key);
      if (!found) {
        if (known.size > 500) known.clear();
        known.set(key, (found = make(key)));
      }
      return found;
    };
  };
  const curves = (d) => {
    const found = [];
    let here = [0, 0], begin = [0, 0], bend = null, last = "";
    for (const [command, values] of rawParts(d)) {
      const kind = command.toUpperCase(), [x, y] = here, isOwn = command === kind;
      const all = isOwn ? values : values.map((value, at) => (kind === "V" ? value + y : kind === "A" ? (at < 5 ? value : value + (at === 5 ? x : y)) : value + (at % 2 ? y : x)));
      const points = Array.from({ length: all.length >> 1 }, (_, at) => [all[2 * at], all[2 * at + 1]]);
      const mirror = (kinds) => (kinds.includes(last) && bend ? [2 * x - bend[0], 2 * y - bend[1]] : here);
      const cubic = (p, q, end) => { found.push([here, p, q, end]); here = end; };
      const square = (p, end) => { const third = (from) => [from[0] + (2 / 3) * (p[0] - from[0]), from[1] + (2 / 3) * (p[1] - from[1])]; cubic(third(here), third(end), end); bend = p; };
      const line = (end) => { found.push([here, end]); here = end; };
      if (kind === "M") { here = begin = points[0]; found.push([here, here]); }
      else if (kind === "L") line(points[0]);
      else if (kind === "H") line([all[0], y]);
      else if (kind === "V") line([x, all[0]]);
      else if (kind === "Z") line(begin);
      else if (kind === "C") { bend = points[1]; cubic(...points); }
      else if (kind === "S") { const first = mirror("CS"); bend = points[0]; cubic(first, ...points); }
      else if (kind === "Q") square(points[0], points[1]);
      else if (kind === "T") square(mirror("QT"), points[0]);
      else for (const [p, q, end] of arc(here, all)) cubic(p, q, end);
      last = kind;
    }
    return found;
  };
  const curvesOf = once(curves);
  // An arc as cubic curves (SVG 1.1, appendix F.6).
  const arc = ([x1, y1], [rx, ry, angle, isLarge, isSweep, x2, y2]) => {
    let [a, b] = [Math.abs(rx), Math.abs(ry)];
    if (!a || !b || (x1 === x2 && y1 === y2)) return [[[x1, y1], [x2, y2], [x2, y2]]];
    const turn = (angle * Math.PI) / 180, [sin, cos] = [Math.sin(turn), Math.cos(turn)], [dx, dy] = [(x1 - x2) / 2, (y1 - y2) / 2];
    const [p, q] = [cos * dx + sin * dy, -sin * dx + cos * dy], wide = Math.sqrt((p / a) ** 2 + (q / b) ** 2);
    if (wide > 1) [a, b] = [a * wide, b * wide];
    const rest = (a * b) ** 2 - (a * q) ** 2 - (b * p) ** 2, by = (isLarge === isSweep ? -1 : 1) * Math.sqrt(Math.max(0, rest) / ((a * q) ** 2 + (b * p) ** 2));
    const [u, v] = [(by * a * q) / b, (-by * b * p) / a], cx = cos * u - sin * v + (x1 + x2) / 2, cy = sin * u + cos * v + (y1 + y2) / 2;
    const from = Math.atan2((q - v) / b, (p - u) / a), to = Math.atan2((-q - v) / b, (-p - u) / a);
    let whole = to - from;
    if (isSweep && whole < 0) whole += 2 * Math.PI;
    if (!isSweep && whole > 0) whole -= 2 * Math.PI;
    const count = Math.max(1, Math.ceil(Math.abs(whole) / (Math.PI / 2) - 1e-9)), step = whole / count, far = (4 / 3) * Math.tan(step / 4);
    const point = (s, t) => [cx + a * cos * s - b * sin * t, cy + a * sin * s + b * cos * t];
    return Array.from({ length: count }, (_, at) => {
      const [begin, end] = [from + at * step, from + (at + 1) * step];
      return [point(Math.cos(begin) - far * Math.sin(begin), Math.sin(begin) + far * Math.cos(begin)), point(Math.cos(end) + far * Math.sin(end), Math.sin(end) - far * Math.cos(end)),
        at === count - 1 ? [x2, y2] : point(Math.cos(end), Math.sin(end))];
    });
  };
  const at = (curve, t) => {
    const u = 1 - t;
    if (curve.length === 2) return [0, 1].map((axis) => curve[0][axis] * u + curve[1][axis] * t);
    return [0, 1].map((axis) => u ** 3 * curve[0][axis] + 3 * u * u * t * curve[1][axis] + 3 * u * t * t * curve[2][axis] + t ** 3 * curve[3][axis]);
  };
  // Its ends, and where it turns back.
  const extremes = (curve) => {
    if (curve.length === 2) return curve;
    const places = [0, 1].flatMap((axis) => {
      const [p, q, r, s] = curve.map((point) => point[axis]), [a, b, c] = [s - 3 * r + 3 * q - p, 2 * (r - 2 * q + p), q - p];
      if (Math.abs(a) < 1e-12) return Math.abs(b) < 1e-12 ? [] : [-c / b];
      const root = b * b - 4 * a * c;
      return root < 0 ? [] : [(-b + Math.sqrt(root)) / (2 * a), (-b - Math.sqrt(root)) / (2 * a)];
    });
    return [curve[0], curve[3], ...places.filter((t) => t > 0 && t < 1).map((t) => at(curve, t))];
  };
  const STEPS = 64;  // in which a curve is measured
  const curvesIn = (element) => (element.lowerName === "line" ? [[[number(element, "x1"), number(element, "y1")], [number(element, "x2"), number(element, "y2")]]]
    : curvesOf(element.getAttribute("d") ?? ""));
  const flat = (all) => all.flatMap((curve) => (curve.length === 2 ? [curve]
    : Array.from({ length: STEPS }, (_, step) => [at(curve, step / STEPS), at(curve, (step + 1) / STEPS)])));
  const flatOf = once((d) => flat(curvesOf(d)));
  const straight = (element) => (element.lowerName === "line" ? curvesIn(element) : flatOf(element.getAttribute("d") ?? ""));
  // A path without arcs and short forms: its moves, lines and cubic curves.
  const plain = (d) => curvesOf(d).map(([begin, ...rest], at, all) => {
    const isMove = String(begin) === String(rest), isThere = String(begin) === String(all[at - 1]?.at(-1));
    if (isMove) return isThere ? "" : `M${begin}`;
    return (rest.length === 1 ? "L" : "C") + rest.join(" ");
  }).join("");
  const long = ([[x1, y1], [x2, y2]]) => Math.hypot(x2 - x1, y2 - y1);
  const lengthOfPath = (element) => straight(element).reduce((sum, part) => sum + long(part), 0);
  const pointOfPath = (element, far) => {
    const parts = straight(element);
    let left = Math.max(0, far);
    for (const part of parts) {
      const own = long(part);
      if (left <= own && own > 0) { const [x, y] = at(part, left / own); return { x, y }; }
      left -= own;
    }
    const [x, y] = parts.at(-1)?.[1] ?? [0, 0];
    return { x, y };
  };

  // The runs of a text: [element, left, baseline, width, ascent, descent]; a run is what one font writes without a move.
  const SHIFTS = {
    middle: ({ xHeight }) => xHeight / 2, central: ({ ascent, descent }) => (ascent - descent) / 2, hanging: ({ ascent }) => ascent * 0.8,
    "text-before-edge": ({ ascent }) => ascent, "text-after-edge": ({ descent }) => -descent, ideographic: ({ descent }) => -descent, mathematical: ({ ascent }) => ascent / 2,
    "text-top": ({ ascent }) => ascent, "text-bottom": ({ descent }) => -descent, "before-edge": ({ ascent }) => ascent, "after-edge": ({ descent }) => -descent,
  };
  const isNear = (element) => element.lowerName === "tspan" && !/^(?:auto|baseline)?$/.test(said(element, "alignment-baseline") ?? "");
  const ROWS = /\b(?:message|note|loop)Text\b/;  // rows of a sequence are texts of their own, each below the one before
  const runsOf = (text) => {
    const chunks = [];
    let [x, y] = [0, 0], isSpaced = true, chunk = null;
    const start = (element, atX) => { chunk = { x: atX, anchor: element, runs: [], width: 0, up: 0, down: 0, isMiddle: false }; chunks.push(chunk); };
    const visit = (node) => {
      if (node.nodeType === 3) {
        const element = node.parentNode, keeps = inherited(element, "white-space").startsWith("pre") || inherited(element, "xml:space") === "preserve";
        let words = node.data.replace(/[\n\t\r]/g, " ");
        if (!keeps) {
          words = words.replace(/ +/g, " ");
          if (isSpaced) words = words.replace(/^ /, "");
        }
        if (!words) return;
        isSpaced = !keeps && words.endsWith(" ");
        if (!chunk) start(element, x);
        const own = font(element), size = __measureTextFull(words, own.size, own.family, own.weight, own.style);
        const shift = SHIFTS[isNear(element) ? said(element, "alignment-baseline") : inherited(element, "dominant-baseline")]?.(size) ?? 0;
        if (__formulas.has(words)) {
          const [up, down] = __formulas.beyond(words, own.size, size.ascent, size.descent);
          [chunk.up, chunk.down, chunk.isMiddle] = [Math.max(chunk.up, up), Math.max(chunk.down, down), shift > 0 && !ROWS.test(text.getAttribute("class") ?? "")];
          size.ascent += up;
          size.descent += down;
        }
        chunk.runs.push([element, chunk.width, y + shift, size.width, size.ascent, size.descent, isSpaced ? own : null, node, words]);
        chunk.width += size.width;
        return;
      }
      if (node.nodeType !== 1 || said(node, "display") === "none") return;
      const { size } = font(node), given = (name) => { const value = node.getAttribute(name); return value === null ? null : length(value.trim().split(/[\s,]+/)[0], size); };
      const [ownX, ownY, dx, down] = ["x", "y", "dx", "dy"].map(given), dy = node === text && node.firstElementChild === node.firstChild && node.firstChild?.getAttribute?.("dy") ? null : down;
      if (ownX !== null || ownY !== null) { x = ownX ?? (chunk ? chunk.x + chunk.width : x); y = ownY ?? y; chunk = null; }
      if (dy !== null) y += dy;
      if (dx !== null) { if (chunk) chunk.width += dx; else x += dx; }
      for (const child of node.childNodes) visit(child);
    };
    visit(text);
    const last = chunk?.runs.at(-1);
    if (last?.[6]) {  // a space at the end takes no room
      const { size, family, weight, style } = last[6], less = __measureText(" ", size, family, weight, style);
      last[3] -= less;
      chunk.width -= less;
    }
    const fixed = length(text.getAttribute("textLength"), 16);
    let drop = 0;  // of rows below a formula that is higher than words
    return chunks.flatMap(({ x: from, anchor, runs, width, up: over, down: under, isMiddle }) => {
      const by = fixed && chunks.length === 1 && width > 0 ? fixed / width : 1, all = width * by;
      const left = from - ({ middle: all / 2, end: all }[inherited(anchor, "text-anchor")] ?? 0);
      const own = isMiddle ? (over - under) / 2 : drop + over;
      if (!isMiddle) drop += over + under;
      return runs.map(([element, at, base, wide, up, down, , node, words]) => [element, left + at * by, base + own, wide * by, up, down, node, words]);
    });
  };
  let since = -1, texts = new Map();
  const runs = (text) => {
    if (since !== __tree.changes.count) [since, texts] = [__tree.changes.count, new Map()];
    if (!texts.has(text)) texts.set(text, runsOf(text));
    return texts.get(text);
  };
  // The runs of a text as they are written, with the place of each.
  const written = (text) => runs(text).map(([element, left, baseline, , , , node, words]) => ({ element, node, words, left, baseline }));
  const whole = (element) => { let one = element; while (one.lowerName !== "text" && one.parentElement) one = one.parentElement; return one; };
  const boxOfText = (element) => runs(whole(element)).filter(([own]) => element.contains(own))
    .map(([, left, base, width, up, down]) => [left, base - up, left + width, base + down]).reduce(joined, null);
  const lengthOfText = (element) => Math.fround(runs(whole(element)).filter(([own]) => element.contains(own)).reduce((sum, [, , , width]) => sum + width, 0));

  // Words that HTML sets: rows end at breaks, and the widest one says how wide.
  const boxOfHtml = (element) => {
    const { size, family, weight, style } = font(element), rows = element.innerHTML.split(/<br\b[^>]*>|<\/p>\s*(?=<p)/i).map((row) => row.replace(/<[^>]*>/g, ""));
    return [0, 0, Math.max(...rows.map((row) => __measureText(row, size, family, weight, style))), element.textContent ? rows.length * 1.5 * size : 0];
  };

  const rect = (element) => {
    const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => number(element, name));
    return width > 0 && height > 0 ? [x, y, x + width, y + height] : null;
  };
  const round = (x, y, rx, ry) => (rx > 0 && ry > 0 ? [x - rx, y - ry, x + rx, y + ry] : null);
  const points = (element) => { const all = numbers(element.getAttribute("points") ?? ""); return around(Array.from({ length: all.length >> 1 }, (_, one) => [all[2 * one], all[2 * one + 1]])); };
  const SHAPES = {
    rect, image: rect, foreignobject: rect, text: boxOfText, tspan: boxOfText, polygon: points, polyline: points,
    circle: (one) => round(number(one, "cx"), number(one, "cy"), number(one, "r"), number(one, "r")),
    ellipse: (one) => round(number(one, "cx"), number(one, "cy"), number(one, "rx"), number(one, "ry")),
    line: (one) => around(straight(one)[0]), path: (one) => around(curvesOf(one.getAttribute("d") ?? "").flatMap(extremes)),
  };
  const UNSEEN = new Set(["defs", "marker", "style", "title", "desc", "metadata", "clippath", "symbol", "lineargradient", "radialgradient", "pattern", "mask", "filter", "script", "use", "stop"]);
  const HOLDERS = new Set(["g", "svg", "a", "switch"]);
  const boxOf = (element) => {
    const shape = SHAPES[element.lowerName];
    if (shape) return shape(element);
    if (!HOLDERS.has(element.lowerName)) return null;
    let found = null;
    for (const child of element.childNodes) {
      if (child.nodeType !== 1 || UNSEEN.has(child.lowerName) || said(child, "display") === "none") continue;
      const own = boxOf(child);
      if (own) found = joined(found, placed(own, moved(child)));
    }
    return found;
  };
  // Browsers give single precision: sums and halves of it are exact, so Mermaid may ask whether two places are equal.
  const shown = (box) => {
    const [left, top, right, bottom] = box ?? [0, 0, 0, 0], [x, y, width, height] = [left, top, right - left, bottom - top].map(Math.fround);
    return { x, y, width, height };
  };
  // Mermaid tells the box of an SVG element from that of an HTML element by whether it has a left side.
  const withSides = (box) => {
    const { x, y, width, height } = shown(box);
    return { x, y, width, height, left: x, top: y, right: x + width, bottom: y + height };
  };
  const onPage = (element) => {
    if (element.namespaceURI !== SVG) return withSides(boxOfHtml(element));
    const { a, b, c, d, e, f } = matrix(element), own = boxOf(element);
    return withSides(own && placed(own, [a, b, c, d, e, f]));
  };
  return { own: (element) => shown(element.namespaceURI === SVG ? boxOf(element) : boxOfHtml(element)), onPage, runs: written, matrix, curves: curvesIn, at, plain, lengthOfText, lengthOfPath, pointOfPath };
})();
