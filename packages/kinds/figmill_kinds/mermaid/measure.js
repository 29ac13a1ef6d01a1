// How wide and high a text is in the book's fonts. Whatever asks a browser for the size of a label gets it from here.
"use strict";

// Fonts: {faces: {name: {em widths by code point, ascent, descent, xHeight}}}; `extra` holds characters of one source, `signs` those that it names, `formulas` those that stand for one.
globalThis.__fonts = { faces: {}, extra: {}, signs: {}, formulas: {} };

(function () {
  const faceOf = (family, weight, style) => {
    const number = Number(weight);
    const bold = Number.isNaN(number) ? /bold/i.test(String(weight ?? "")) : number >= 600;
    const slanted = /italic|oblique/i.test(String(style ?? ""));
    const mono = /mono|courier|consolas|menlo/i.test(String(family ?? ""));
    return globalThis.__fonts.faces[(mono ? "mono" : "sans") + (bold ? " bold" : "") + (slanted ? " italic" : "")];
  };
  // A label's text with characters for their names, which labels.py puts into the drawing.
  const NAMED = /[&#]#?(\w{2,32});|&#(\d{2,7})|\ufb02\u00b0\u00b0?(\w+)\u00b6\u00df/g;
  const read = (text) => text.replace(NAMED, (all, name, number, stored) => globalThis.__fonts.signs[name ?? number ?? stored] ?? all);
  globalThis.__worded = (text) => text.replace(NAMED, (all) => (read(all) === "&" ? all : read(all)));
  const [BOLD, PLAIN] = ["\uec00", "\uec10"];  // labels.py's marks
  const em = (text, given) => {
    const { faces } = globalThis.__fonts;
    let sum = 0, face = given;
    for (const letter of read(String(text ?? ""))) {
      if (letter === BOLD) face = faces["sans bold"];
      else if (letter === PLAIN) face = given;
      const code = letter.codePointAt(0);
      sum += globalThis.__fonts.formulas[letter]?.[1] ?? face.widths[code] ?? globalThis.__fonts.extra[letter] ?? face.widths[120];
    }
    return sum;
  };
  // A reader's font may be wider than the book's: the room that graphs give as well.
  const room = (text, family, weight, style) => {
    const face = faceOf(family, weight, style), { faces } = globalThis.__fonts;
    const wider = face === faces.sans || face === faces["sans italic"] ? 1.06 : face === faces["sans bold"] || face === faces["sans bold italic"] ? 1.1 : 1;
    return em(text, face) * wider;
  };
  globalThis.__measureText = (text, size, family, weight, style) =>
    room(text, family, weight, style) * (Number(size) || 16);
  globalThis.__measureTextFull = (text, size, family, weight, style) => {
    const face = faceOf(family, weight, style), px = Number(size) || 16;
    return { width: room(text, family, weight, style) * px, ascent: face.ascent * px, descent: face.descent * px, xHeight: face.xHeight * px };
  };
})();
