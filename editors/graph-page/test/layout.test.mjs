// Where the nodes of small graphs stand.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";

const script = readFileSync(new URL("../layout.js", import.meta.url), "utf8");
const { layout, bends } = vm.runInNewContext(`${script}; ({ layout, bends })`, {});

const node = (id, steps, role = "top") => ({ id, name: id, role, path: "m", line: 1, chain: Array(steps).fill(0) });
const laid = (nodes, edges = [], room = { width: 1000, height: 600 }) => layout(nodes, edges, () => 100, room);

test("columns count the steps from a test, and what no test reaches comes last", () => {
  const { places, headings } = laid([node("lost", 0), node("far", 2), node("near", 1), node("t", 0, "test")]);
  const order = [...places].sort(([, a], [, b]) => a.x - b.x).map(([id]) => id);
  assert.deepEqual(order, ["t", "near", "far", "lost"]);
  assert.deepEqual(Array.from(headings, (heading) => heading.title), ["target tests", "1 step", "2 steps", "not reached"]);
});

test("neighbours stand side by side", () => {
  const tests = ["t1", "t2", "t3"].map((id) => node(id, 0, "test"));
  const others = ["a", "b", "c"].map((id) => node(id, 1));
  const edges = [["t1", "c"], ["t2", "b"], ["t3", "a"]].map(([from, to]) => ({ from, to }));
  const { places } = laid([...tests, ...others], edges);
  for (const { from, to } of edges) assert.equal(places.get(from).y, places.get(to).y, `${from} ${to}`);
});

test("no two nodes cover each other, however many there are", () => {
  const nodes = Array.from({ length: 3000 }, (_, index) => node(`n${index}`, index % 5, index % 5 ? "top" : "test"));
  const { places } = laid(nodes);
  const spots = new Set(Array.from(places.values(), ({ x, y }) => `${x} ${y}`));
  assert.equal(spots.size, nodes.length);
  const xs = Array.from(places.values(), ({ x }) => x);
  assert.ok(Math.max(...xs) < 12000, "long columns are folded, not to a line");
});

test("an empty graph has no places", () => {
  assert.equal(laid([]).places.size, 0);
});

test("edges leave and enter at the sides that face each other", () => {
  const [left, right] = [{ x: 0, y: 0, width: 10 }, { x: 100, y: 50, width: 10 }];
  const sides = ({ leaves, enters }) => [leaves, enters];
  assert.deepEqual(sides(bends(left, right)), ["90deg", "270deg"]);
  assert.deepEqual(sides(bends(right, left)), ["270deg", "90deg"]);
  assert.deepEqual(sides(bends(left, { ...left, y: 50 })), ["90deg", "90deg"]);
});
