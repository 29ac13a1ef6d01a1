// Every line of words in the figures of a page, where Chromium has laid it out, and the shapes around it.
// A line: {figure, words, inside: [index of shape], over: [px over each side of the figure], ...}
() => {
  const canvas = document.createElement('canvas').getContext('2d');
  const at = (m, x, y) => ({x: m.a * x + m.c * y + m.e, y: m.b * x + m.d * y + m.f});

  // The lines of a <text>: letters one after another on one baseline.
  function lines(text) {
    const found = [], size = parseFloat(getComputedStyle(text).fontSize);
    const owners = [];
    const walk = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) owners.push(...Array(walk.currentNode.data.length).fill(walk.currentNode.parentElement));
    let line = null;
    for (let n = 0; n < text.getNumberOfChars(); n++) {
      let start, end;
      try { start = text.getStartPositionOfChar(n); end = text.getEndPositionOfChar(n); } catch { continue; }
      if (start.x === end.x) continue;
      if (!line || Math.abs(line.y - start.y) > 0.01 || start.x < line.to - size / 2 || start.x > line.to + 1.5 * size) {
        line = {from: start.x, to: end.x, y: start.y, words: '', owner: owners[n] ?? text};
        found.push(line);
      }
      line.to = Math.max(line.to, end.x);
      line.words += text.textContent[n] ?? '';
    }
    return found.filter(line => line.words.trim());
  }

  function ink(text, line) {
    const style = getComputedStyle(line.owner);
    canvas.font = `${style.fontStyle} ${style.fontWeight} 100px ${style.fontFamily}`;
    const size = parseFloat(style.fontSize), m = canvas.measureText(line.words);
    return {size, up: m.actualBoundingBoxAscent * size / 100, down: m.actualBoundingBoxDescent * size / 100};
  }

  const isShown = shape => {
    const style = getComputedStyle(shape);
    return style.visibility === 'visible' && !shape.closest('defs, symbol, clipPath, mask, pattern, marker') &&
      (style.fill !== 'none' || (style.stroke !== 'none' && !isLine(shape)));
  };
  // An open path without a fill is around nothing.
  const isLine = shape => shape.localName === 'path' && !/z\s*$/i.test(shape.getAttribute('d') ?? '');

  return JSON.stringify([...document.querySelectorAll('figure')].map(figure => {
    const svg = figure.querySelector('svg'), view = svg.getBoundingClientRect();
    const shapes = [...svg.querySelectorAll('rect, circle, ellipse, polygon, path')].filter(isShown).map(node => {
      const box = node.getBoundingClientRect();
      return {node, box, matrix: node.getScreenCTM(), back: node.getScreenCTM().inverse()};
    }).filter(shape => shape.box.width < 0.79 * view.width || shape.box.height < 0.79 * view.height);
    const texts = [...svg.querySelectorAll('text')].filter(text => !text.closest('defs'));
    return {name: figure.id, lines: texts.flatMap(text => lines(text).map(line => {
      const {size, up, down} = ink(text, line), matrix = text.getScreenCTM();
      const mid = line.y - 0.3 * size, px = Math.hypot(matrix.a, matrix.b);
      const corners = [[line.from, line.y - up], [line.to, line.y - up], [line.to, line.y + down],
        [line.from, line.y + down]].map(([x, y]) => at(matrix, x, y));
      const xs = corners.map(p => p.x), ys = corners.map(p => p.y);
      // Points along the middle of small letters, 1 px inside of both ends.
      const inset = Math.min(1 / px, (line.to - line.from) / 2);
      const points = [0, 0.25, 0.5, 0.75, 1].map(share => at(matrix, line.from + inset + share * (line.to - line.from - 2 * inset), mid));
      const holds = shape => points.map(p => {
        const own = at(shape.back, p.x, p.y);
        return shape.node.isPointInFill(new DOMPoint(own.x, own.y));
      });
      const around = shapes.flatMap((shape, index) => {
        const {box, node} = shape, middle = points[2];
        if (!(node.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)) return [];
        if (middle.x < box.left || middle.x > box.right || middle.y < box.top || middle.y > box.bottom) return [];
        const inside = holds(shape);
        if (!inside[2]) return [];
        return [{index, area: box.width * box.height, fits: inside[0] && inside[4] && inside[1] && inside[3],
          centred: Math.abs(middle.x - (box.left + box.right) / 2) < 0.05 * box.width &&
            Math.abs(middle.y - (box.top + box.bottom) / 2) < 0.15 * box.height && Math.min(box.height, box.width) > 0.8 * size * px}];
      }).sort((a, b) => a.area - b.area);
      const ends = shapes.flatMap(({node, box, back}, index) => [points[0], points[4]].some(p => {
        if (p.x < box.left || p.x > box.right || p.y < box.top || p.y > box.bottom) return false;
        const own = at(back, p.x, p.y);
        return getComputedStyle(node).fill !== 'none' && node.isPointInFill(new DOMPoint(own.x, own.y));
      }) ? [index] : []);
      return {ends, words: line.words, text: texts.indexOf(text), around, corners,
        bounds: [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)],
        over: Math.max(view.left - Math.min(...xs), Math.max(...xs) - view.right,
          view.top - Math.min(...ys), Math.max(...ys) - view.bottom)};
    }))};
  }));
}
