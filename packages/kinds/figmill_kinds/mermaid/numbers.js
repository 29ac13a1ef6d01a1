// The numbers of a diagram, from Mermaid's own data, as rows of [noun, words, value]; kind/named.py makes facts of them.
// noun: what the words are.
"use strict";

globalThis.__numbers = (function () {
  const DAY = 86_400_000;  // ms
  const list = (items) => (items instanceof Map ? [...items.values()] : [...(items ?? [])]);
  const sum = (values) => values.reduce((all, one) => all + one, 0);
  const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

  // Parts of a whole, [name, value], with their fractions of it.
  const parts = (noun, found) => {
    const total = sum(found.map(([, value]) => value));
    const fractions = total ? found.map(([name, value]) => [noun, [name, "fraction"], value / total]) : [];
    return [...found.map(([name, value]) => [noun, [name], value]), ...fractions, [noun, ["total"], total]];
  };

  // Of a table with a column for each series; a chart of one series without a title needs no name of it.
  const series = (db, [[, [noun, ...columns], rows]]) => {
    const isPlain = columns.length === 1 && ["bar", "line"].includes(columns[0]);
    return rows.flatMap(([name, ...values]) => columns.map((column, at) => [noun, isPlain ? [name] : [name, column], values[at]]));
  };

  const gantt = (db) => {
    const tasks = list(db.getTasks()), days = (from, to) => (to - from) / DAY;
    const own = tasks.filter((one) => !one.milestone && !one.vert).map((one) => ["task", [one.task, "days"], days(one.startTime, one.endTime)]);
    const span = days(Math.min(...tasks.map((one) => one.startTime)), Math.max(...tasks.map((one) => one.endTime)));
    return [...own, ["task", ["span days"], span]];
  };

  // What goes through a node is the greater of what comes in and what goes out.
  const sankey = (db) => {
    const { nodes, links } = db.getGraph();
    const through = ({ id }) => Math.max(...["source", "target"].map((end) => sum(links.filter((one) => one[end] === id).map((one) => one.value))));
    return [...links.map((one) => ["flow", [one.source, "to", one.target], one.value]), ...nodes.map((one) => ["node", [one.id], through(one)])];
  };

  const packet = (db, [[, , fields]]) => {
    const widths = fields.map(([first, last, name]) => ["field", [name, "bits"], last - first + 1]);
    return [...widths, ["field", ["bits"], sum(widths.map(([, , width]) => width))]];
  };

  const timeline = (db) => {
    const periods = [...new Set(db.getTasks())];
    return [...periods.map((one) => ["period", [one.task, "events"], one.events.length]), ["period", ["events"], sum(periods.map((one) => one.events.length))]];
  };

  const leaves = (items) => list(items).flatMap((one) => (one.children?.length ? leaves(one.children) : [[one.name, one.value]]));

  const NUMBERS = {
    pie: (db) => parts("slice", [...db.getSections()]),
    treemap: (db) => parts("part", leaves(db.getRoot().children)),
    gantt, sankey, packet, timeline, xychart: series, radar: series,
    quadrantChart: (db, tables) => tables[0][2].flatMap(([name, x, y]) => [["point", [name, "x"], x], ["point", [name, "y"], y]]),
    journey: (db, tables) => tables[0][2].map(([, name, score]) => ["task", [name, "score"], score]),
  };

  // The rows of a diagram; none if Mermaid's data are not as expected.
  return ({ type, db }, tables) => {
    try { return (NUMBERS[type]?.(db, tables) ?? []).filter(([, , value]) => isNumber(value)).map(([noun, words, value]) => [String(noun), words.map(String), value]); } catch { return []; }
  };
})();
