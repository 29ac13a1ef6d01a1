// Rows for words that Mermaid writes in one row wider than their place, by type; before moves.js gives words places.
"use strict";

globalThis.__folds = (function () {
  const ROW = 1.1, EDGE = 4;  // of the letters' size, from row to row; px between words and an edge
  const { boxOf, words, gap, grow } = globalThis.__places;
  const list = (items) => [...(items ?? [])];
  const classes = (element) => (element.getAttribute("class") ?? "").split(" ");
  const below = (root, tag, name) => list(root.getElementsByTagName(tag)).filter((one) => classes(one).includes(name));
  const number = (element, name) => Number.parseFloat(element.getAttribute(name) ?? "0") || 0;

  // The rows of a text whose letters have `px`, each at most `width` px wide if its words are not wider.
  const rows = (text, px, width) => {
    const found = [];
    for (const word of text.trim().split(/(?<=\s|-(?=\w{3}))/)) {
      const last = found.length - 1, whole = (found[last] ?? "") + word;
      if (last >= 0 && __measureText(whole.trim(), px, "", "", "") <= width) found[last] = whole;
      else found.push(word);
    }
    return found.map((row) => row.trim()).filter(Boolean);
  };
  // Write a text of one row in several, no wider than `width`. up: the share of the further rows that goes above its place.
  // Gives the px that were added to its height.
  const fold = (text, width, up = 0) => {
    const parts = list(text.getElementsByTagName("tspan")), content = text.textContent.trim();
    if (parts.length > 1 || !content || !(width > 0)) return 0;
    const own = text.getBBox().width;
    if (own <= width) return 0;
    const px = own / __measureText(content, 1, "", "", ""), all = rows(content, px, width);
    if (all.length < 2) return 0;
    const x = parts[0]?.getAttribute("x") ?? text.getAttribute("x") ?? "0", dy = parts[0]?.getAttribute("dy") ?? null, high = (all.length - 1) * ROW * px;
    const isInEm = /em$/.test(dy ?? "");  // its letters may become smaller
    text.textContent = "";
    all.forEach((row, at) => {
      const part = document.createElementNS("http://www.w3.org/2000/svg", "tspan");
      part.setAttribute("x", x);
      if (at) part.setAttribute("dy", isInEm ? `${ROW}em` : ROW * px);
      else if (dy !== null) part.setAttribute("dy", isInEm ? `${Number.parseFloat(dy) - up * (all.length - 1) * ROW}em` : dy);
      part.textContent = row;
      text.appendChild(part);
    });
    if (up && !isInEm) text.setAttribute("y", number(text, "y") - up * high);
    return high;
  };

  const TURN = /translate\(\s*([-\d.e]+)[ ,]+([-\d.e]+)\s*\)\s*rotate\(\s*([-\d.e]+)\s*\)/;
  // The box of a text, also of one that is turned.
  const spread = (text) => {
    const [, x, y, angle] = TURN.exec(text.getAttribute("transform") ?? "") ?? [];
    if (!Number(angle)) return boxOf(text);
    const { x: left, y: top, width, height } = text.getBBox(), turn = (Number(angle) * Math.PI) / 180, [sin, cos] = [Math.sin(turn), Math.cos(turn)];
    const corners = [[left, top], [left + width, top], [left, top + height], [left + width, top + height]].map(([a, b]) => [Number(x) + a * cos - b * sin, Number(y) + a * sin + b * cos]);
    const [xs, ys] = [0, 1].map((axis) => corners.map((corner) => corner[axis]));
    return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
  };
  const wide = (root) => Number(root.getAttribute("viewBox").split(/[ ,]+/)[2]);
  const isTurned = (text) => /rotate\((?!0)/.test(text.getAttribute("transform") ?? "");

  const FOLDS = {
    // Names of tasks and sections in the middle of their boxes.
    journey: (root) => {
      for (const name of ["task", "journey-section"]) {
        for (const box of below(root, "rect", name)) for (const text of below(box.parentNode, "text", name)) fold(text, number(box, "width") - 2 * EDGE, 0.5);
      }
    },
    // Names in the middle of their fields; a word that is wider than its field stands upright.
    packet: (root) => {
      for (const text of below(root, "text", "packetLabel")) {
        const box = text.previousSibling, width = number(box, "width") - EDGE / 2;
        fold(text, width, 0.5);
        if (text.getBBox().width > width) text.setAttribute("transform", `rotate(-90 ${text.getAttribute("x")} ${number(box, "y") + number(box, "height") / 2})`);
      }
    },
    // Names of sections left of the bars; labels of dates below each other where they would overlap.
    gantt: (root) => {
      const bars = Math.min(...below(root, "rect", "task").map((bar) => number(bar, "x"))), axis = below(root, "g", "grid")[0];
      const start = Math.min(bars, axis ? Number(/translate\(\s*([-\d.]+)/.exec(axis.getAttribute("transform") ?? "")?.[1] ?? bars) : bars);
      for (const text of below(root, "text", "sectionTitle")) fold(text, start - number(text, "x") - 2 * EDGE, 0.5);
      // Words left of their bar that would lie over those of a section stand right of it.
      const moved = below(root, "text", "taskTextOutsideLeft").filter((text) => boxOf(text).left < start && !classes(text).includes("milestoneText"));
      for (const text of moved) {
        const bar = below(root, "rect", "task").find((one) => `${one.getAttribute("id")}-text` === text.getAttribute("id"));
        if (!bar) continue;
        text.setAttribute("x", number(bar, "x") + number(bar, "width") + EDGE);
        text.setAttribute("class", text.getAttribute("class").replace("taskTextOutsideLeft", "taskTextOutsideRight"));
      }
      const taken = moved.map((text) => { const { x, y, width, height } = text.getBBox(), left = number(text, "x"); return { left, right: left + width, top: y, bottom: y + height }; });
      for (const text of below(root, "text", "vertText")) {
        for (let box = boxOf(text); taken.some((other) => __places.meet(box, other)); box = boxOf(text)) text.setAttribute("y", number(text, "y") + (box.bottom - box.top));
        taken.push(boxOf(text));
      }
      grow(root, taken);
    },
    // Names on an axis as wide as their part of it; the title of the axis below them.
    xychart: (root) => {
      for (const title of below(root, "g", "chart-title")) for (const text of words(title)) fold(text, wide(root) - 2 * EDGE, 1);
      for (const axis of below(root, "g", "bottom-axis")) {
        const names = below(axis, "g", "label").flatMap(words).filter((text) => !isTurned(text));
        const places = names.map((text) => boxOf(text)).map(({ left, right }) => (left + right) / 2);
        if (places.length < 2) continue;
        const by = Math.max(...names.map((text) => fold(text, Math.abs(places[1] - places[0]) - 2 * EDGE)));
        for (const title of below(axis, "g", "title").flatMap(words)) title.setAttribute("y", number(title, "y") + by);
      }
      grow(root, words(root).map(spread));
    },
    // The title above, names of axes beside, names of quadrants in, and names of points near their place.
    quadrantChart: (root) => {
      const [POINT] = [150];
      for (const part of below(root, "g", "quadrant")) for (const text of words(part)) fold(text, number(part.getElementsByTagName("rect")[0], "width") - 2 * EDGE, /middle/.test(text.getAttribute("dominant-baseline")) ? 0.5 : 0);
      for (const part of below(root, "g", "data-point")) for (const text of words(part)) fold(text, POINT);
      const { width, height } = below(root, "g", "quadrant")[0]?.getElementsByTagName("rect")[0]?.getBBox() ?? {};
      for (const text of below(root, "g", "labels").flatMap(words)) fold(text, (isTurned(text) ? height : width) - 2 * EDGE, isTurned(text) ? 1 : 0);
      for (const text of below(root, "g", "title").flatMap(words)) fold(text, wide(root) - 2 * EDGE, 1);
      grow(root, [...below(root, "g", "labels"), ...below(root, "g", "title")].flatMap(words).map(spread));
    },
    // The title above the circles, and names within theirs.
    venn: (root) => {
      const [SHARE] = [0.5];
      for (const title of below(root, "text", "venn-title")) {
        title.textContent = title.textContent.replace(/^"(.*)"$/s, "$1");
        title.setAttribute("x", wide(root) / 2);
        fold(title, wide(root) - 2 * EDGE, 1);
      }
      for (const area of below(root, "g", "venn-intersection")) for (const text of words(area)) {
        const rows = list(text.getElementsByTagName("tspan")), { width, height } = area.getElementsByTagName("path")[0].getBBox(), room = SHARE * width;
        if (rows.length < 3 || height < 1.5 * width || text.getBBox().width <= 1.5 * room) continue;
        const [first, ...others] = rows;
        first.textContent = rows.map((row) => row.textContent).join(" ");
        first.setAttribute("dy", "0.35em");
        for (const row of others) text.removeChild(row);
        fold(text, room, 0.5);
      }
      for (const circle of below(root, "g", "venn-circle")) for (const text of words(circle)) fold(text, SHARE * circle.getElementsByTagName("path")[0].getBBox().width, 0.5);
    },
    // Notes within the map, or as wide as a column beside it.
    wardley: (root) => {
      const [COLUMN, NAME] = [220, 120], right = wide(root);
      for (const note of below(root, "g", "wardley-notes").flatMap(words)) fold(note, Math.max(COLUMN, right - number(note, "x") - 2 * EDGE));
      for (const text of words(root)) if (boxOf(text).right > right && !isTurned(text)) fold(text, Math.max(NAME, right - boxOf(text).left - 2 * EDGE), 0.5);
    },
    // Words of arrows are no wider than a column between two domains.
    cynefin: (root) => {
      const [COLUMN] = [100], middle = wide(root) / 2;
      for (const text of below(root, "text", "cynefinArrowLabel")) if (Math.abs(number(text, "x") - middle) > COLUMN) fold(text, COLUMN, 0.5);
      for (const text of below(root, "text", "cynefinTitle")) fold(text, wide(root) - 2 * EDGE, 1);
    },
    // Words of arrows: further rows go up from the place of the first, and what follows them stays.
    c4: (root) => {
      const [COLUMN] = [200];
      for (const line of list(root.getElementsByTagName("g")).flatMap((one) => list(one.childNodes)).filter((one) => one.tagName === "text" && /^(?:line|path|text)$/.test(one.previousSibling?.tagName ?? ""))) fold(line, COLUMN, 1);
      for (const title of list(root.childNodes).filter((one) => one.tagName === "text")) fold(title, wide(root) - 2 * number(title, "x"), 1);
    },
    // A boundary's name is in rows as wide as its frame.
    usecase: (root) => {
      for (const label of below(root, "g", "system-boundary-title")) {
        const text = words(label)[0], frame = label.parentNode.getElementsByTagName("rect")[0], lines = text ? below(text, "tspan", "row") : [];
        if (lines.length < 2 || !frame) continue;
        const first = lines[0].getElementsByTagName("tspan")[0], whole = lines.map((row) => row.textContent.trim()).join(" ");
        if (!first || __measureText(whole, 14, "", "", "") > number(frame, "width") - 4 * EDGE) continue;
        first.textContent = whole;
        for (const row of lines.slice(1)) text.removeChild(row);
        const { width, x } = text.getBBox(), [, , y] = /translate\(([-\d.]+)[ ,]+([-\d.]+)/.exec(label.getAttribute("transform"));
        label.setAttribute("transform", `translate(${number(frame, "x") + number(frame, "width") / 2 - width / 2 - x}, ${y})`);
      }
    },
    // A line has a gap at the name of a group.
    architecture: (root) => {
      const names = below(root, "g", "architecture-groups").flatMap(words).map((text) => boxOf(text)).map((box) => ({ ...box, left: box.left - EDGE / 2, right: box.right + EDGE / 2 }));
      for (const path of below(root, "path", "edge")) gap(path, names);
    },
    // Names of branches stand above each other where they would overlap, or left of the words of commits.
    gitGraph: (root) => {
      const taken = [], isAcross = below(root, "line", "branch").every((line) => line.getAttribute("y1") === line.getAttribute("y2"));
      const isBelow = below(root, "line", "branch").some((line) => number(line, "y1") > number(line, "y2"));
      const turned = below(root, "g", "commit-labels").flatMap(words).flatMap((text) => {
        const [, angle, x, y] = /rotate\(\s*(-?[\d.]+)[ ,]+(-?[\d.]+)[ ,]+(-?[\d.]+)/.exec(text.parentNode.getAttribute("transform") ?? "") ?? [];
        return angle ? [along(text, Number(angle), Number(x), Number(y), text.parentNode.getAttribute("transform"))] : [];
      }).flat();
      for (const back of below(root, "rect", "branchLabelBkg")) {
        const label = back.nextSibling, high = number(back, "height");
        const move = (x, y) => {
          back.setAttribute("x", number(back, "x") + x);
          back.setAttribute("y", number(back, "y") + y);
          label.setAttribute("transform", `translate(${x + (label.moved?.[0] ?? 0)}, ${y + (label.moved?.[1] ?? 0)})`);
          label.moved = [x + (label.moved?.[0] ?? 0), y + (label.moved?.[1] ?? 0)];
        };
        if (isAcross) {
          const box = boxOf(back), near = turned.filter(([x, y]) => y > box.top - 2 * EDGE && y < box.bottom + 2 * EDGE && x > box.left - 2 * EDGE).map(([x]) => x);
          const over = box.right + 2 * EDGE - Math.min(...near);
          if (over > 0 && near.length) move(-over, 0);
        } else while (taken.some((other) => __places.meet(boxOf(back), other))) move(0, isBelow ? high + EDGE / 2 : -high - EDGE / 2);
        taken.push(boxOf(back));
      }
      grow(root, taken);
    },
    // Of several pairs of causes, each stands left of the boxes of the one before.
    ishikawa: (root) => {
      // The head is longer where its words are wide: Mermaid's bend cuts their corners.
      const [WIDE] = [40], head = below(root, "path", "ishikawa-head")[0];
      if (head && words(head.parentNode).some((text) => text.getBBox().width > WIDE && text.getElementsByTagName("tspan").length > 2)) head.setAttribute("d", head.getAttribute("d").replace(/(Q )([\d.]+)/, (all, sign, far) => sign + Number(far) * 1.3));
      let [by, before] = [0, Infinity];
      const spine = below(root, "line", "ishikawa-spine")[0];
      for (const pair of below(root, "g", "ishikawa-pair")) {
        const boxes = below(pair, "rect", "ishikawa-label-box").map(boxOf), right = Math.max(...boxes.map((box) => box.right)) - by;
        const more = Math.max(0, right - before + EDGE);
        by += more;
        if (by) pair.setAttribute("transform", `translate(${-by}, 0)`);
        before = Math.min(...boxes.map((box) => box.left - by), Infinity);
      }
      grow(root, head ? [boxOf(head)] : []);
      if (!by) return;
      spine?.setAttribute("x1", number(spine, "x1") - by);
      grow(root, [...words(root), ...below(root, "rect", "ishikawa-label-box")].map(boxOf));
    },
    // A column begins below all rows of the names; a card has a row for each of its names.
    kanban: (root) => {
      const [LEAST, LINE] = [25, 15.4], sections = below(root, "g", "sections")[0], heads = sections ? list(sections.children) : [];
      const count = (part) => Math.max(1, ...words(part).map((text) => below(text, "tspan", "row").length));
      const extra = Math.max(0, Math.max(...heads.map(count)) * LINE + 2 * EDGE - LEAST - 2 * EDGE), added = new Map(heads.map((head) => [head, extra]));
      for (const card of below(root, "g", "node")) {
        const [, x, y] = /translate\(([-\d.]+)[ ,]+([-\d.]+)/.exec(card.getAttribute("transform") ?? "") ?? [];
        const head = heads.find((one) => { const box = boxOf(one.getElementsByTagName("rect")[0]); return box.left < Number(x) && Number(x) < box.right; });
        if (!head) continue;
        card.setAttribute("transform", `translate(${x}, ${Number(y) + added.get(head)})`);
        const frame = card.getElementsByTagName("rect")[0], labels = below(card, "g", "label"), last = labels.at(-1), others = labels.slice(0, -1).flatMap(words);
        if (!last || !words(last).some((text) => others.some((other) => __places.meet(boxOf(text), boxOf(other))))) continue;
        const [, left, top] = /translate\(([-\d.]+)[ ,]+([-\d.]+)/.exec(last.getAttribute("transform"));
        last.setAttribute("transform", `translate(${left}, ${Number(top) + LINE})`);
        frame.setAttribute("height", number(frame, "height") + LINE);
        for (const line of card.getElementsByTagName("line")) line.setAttribute("y2", number(line, "y2") + LINE);
        added.set(head, added.get(head) + LINE);
      }
      for (const [head, by] of added) { const frame = head.getElementsByTagName("rect")[0]; frame.setAttribute("height", number(frame, "height") + by); }
      grow(root, heads.map((head) => boxOf(head.getElementsByTagName("rect")[0])));
    },
  };
  // Points along the words of a turned text, in px of the picture.
  const along = (text, angle, x, y, transform) => {
    const { x: left, y: top, width, height } = text.getBBox(), turn = (angle * Math.PI) / 180, [, dx = 0, dy = 0] = /translate\(\s*([-\d.e]+)[ ,]+([-\d.e]+)/.exec(transform) ?? [];
    return Array.from({ length: 17 }, (_, at) => left + (width * at) / 16).map((px) => {
      const [a, b] = [px - x, top + height / 2 - y];
      return [x + a * Math.cos(turn) - b * Math.sin(turn) + Number(dx), y + a * Math.sin(turn) + b * Math.cos(turn) + Number(dy)];
    });
  };

  const TWINS = { "wardley-beta": "wardley" };
  return { rows, fold: (type, root) => (FOLDS[type] ?? FOLDS[TWINS[type]])?.(root) };
})();
