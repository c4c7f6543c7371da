// @ts-check
// Where the nodes of a feature graph stand: a column for each number of steps from a target test.

/** @typedef {{id: string, name: string, role: string, path: string, line: number, chain: unknown[]}} LaidNode */
/** @typedef {{from: string, to: string}} LaidEdge */
/** @typedef {{x: number, y: number, width: number}} Place */
/** @typedef {{title: string, x: number, y: number}} Heading */

const ROW = 42;
const GAP = 110;
const SWEEPS = 6;

/**
 * The steps from a test to a node: none for a test, one more than all others for what no test reaches.
 * @param {LaidNode[]} nodes
 * @returns {Map<string, number>}
 */
function depths(nodes) {
  const deepest = Math.max(0, ...nodes.map((node) => node.chain.length));
  return new Map(nodes.map((node) => {
    const reached = node.role === "test" || node.chain.length > 0;
    return [node.id, reached ? node.chain.length : deepest + 1];
  }));
}

/**
 * Orders the nodes of each column so that neighbours of the columns beside it are near.
 * @param {LaidNode[][]} columns
 * @param {LaidEdge[]} edges
 */
function order(columns, edges) {
  /** @type {Map<string, string[]>} */
  const near = new Map(columns.flat().map((node) => [node.id, []]));
  for (const { from, to } of edges) {
    near.get(from)?.push(to);
    near.get(to)?.push(from);
  }
  /** @type {Map<string, number>} */
  const rank = new Map();
  const number = (/** @type {LaidNode[]} */ column) => column.forEach((node, row) => rank.set(node.id, row / column.length));
  columns.forEach(number);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (const column of sweep % 2 ? [...columns].reverse() : columns) {
      const middle = (/** @type {LaidNode} */ node) => {
        const others = (near.get(node.id) ?? []).map((id) => rank.get(id) ?? 0);
        return others.length ? others.reduce((sum, one) => sum + one, 0) / others.length : rank.get(node.id) ?? 0;
      };
      const middles = new Map(column.map((node) => [node.id, middle(node)]));
      column.sort((a, b) => (middles.get(a.id) ?? 0) - (middles.get(b.id) ?? 0));
      number(column);
    }
  }
}

/**
 * Stands the columns beside each other; one with more than some rows is folded into several.
 * @param {LaidNode[][]} columns
 * @param {number} rows
 * @param {(name: string) => number} width
 */
function stand(columns, rows, width) {
  const folds = columns.map((column) => Math.max(1, Math.ceil(column.length / rows)));
  const heights = columns.map((column, index) => Math.ceil(column.length / (folds[index] ?? 1)));
  const tallest = Math.max(0, ...heights);
  /** @type {Map<string, Place>} */
  const places = new Map();
  /** @type {{x: number, y: number}[]} */
  const tops = [];
  let left = 0;
  columns.forEach((column, index) => {
    const [start, height] = [left, heights[index] ?? 0];
    for (let first = 0; first < column.length; first += height) {
      const part = column.slice(first, first + height);
      const widest = Math.max(...part.map((node) => width(node.name)));
      const top = ((tallest - part.length) * ROW) / 2;
      part.forEach((node, row) => {
        places.set(node.id, { x: left + widest / 2, y: top + row * ROW, width: width(node.name) });
      });
      left += widest + (first + height < column.length ? GAP / 4 : GAP);
    }
    tops.push({ x: (start + left - GAP) / 2, y: -ROW * 1.5 });
  });
  return { places, tops, size: { width: left - GAP, height: (tallest + 1.5) * ROW } };
}

/**
 * The layout that can be shown largest.
 * @param {LaidNode[]} nodes
 * @param {LaidEdge[]} edges those that count for the order
 * @param {(name: string) => number} width of a node with this name
 * @param {{width: number, height: number}} room
 * @returns {{places: Map<string, Place>, headings: Heading[]}}
 */
function layout(nodes, edges, width, room) {
  const depth = depths(nodes);
  const deepest = Math.max(0, ...depth.values());
  /** @type {LaidNode[][]} */
  const all = Array.from({ length: deepest + 1 }, () => []);
  for (const node of [...nodes].sort((a, b) => a.path.localeCompare(b.path) || a.line - b.line)) {
    all[depth.get(node.id) ?? 0]?.push(node);
  }
  const columns = all.filter((column) => column.length);
  order(columns, edges);
  const share = (/** @type {{size: {width: number, height: number}}} */ stood) =>
    Math.max(stood.size.width / room.width, stood.size.height / room.height);
  let best = stand(columns, 8, width);
  for (let rows = 10; rows < nodes.length * 1.25; rows = Math.ceil(rows * 1.25)) {
    const next = stand(columns, rows, width);
    if (share(next) < share(best)) best = next;
  }
  const headings = columns.map(([first], index) => {
    const steps = first ? depth.get(first.id) ?? 0 : 0;
    const isReached = !first || first.role === "test" || first.chain.length > 0;
    const title = steps === 0 ? "target tests" : !isReached ? "not reached" : steps === 1 ? "1 step" : `${steps} steps`;
    return { title, ...(best.tops[index] ?? { x: 0, y: 0 }) };
  });
  return { places: best.places, headings };
}

/**
 * The bends of an edge: it leaves and reaches its nodes at the sides. Weights are shares of the straight
 * line between its ends, distances are from that line.
 * @param {Place} from
 * @param {Place} to
 */
function bends(from, to) {
  const ahead = Math.sign(Math.round(to.x - from.x));
  const start = { x: from.x + (ahead < 0 ? -from.width : from.width) / 2, y: from.y };
  const end = { x: to.x + (ahead > 0 ? -to.width : to.width) / 2, y: to.y };
  const dx = end.x - start.x;
  const dy = end.y - start.y;
  const reach = ahead === 0 ? 30 + Math.abs(dy) / 8 : Math.abs(dx) / 2;
  const bent = [
    { x: ahead < 0 ? -reach : reach, y: 0 },
    { x: dx + (ahead > 0 ? -reach : reach), y: dy },
  ];
  const length = Math.hypot(dx, dy) || 1;
  return {
    weights: bent.map((point) => (point.x * dx + point.y * dy) / length ** 2),
    distances: bent.map((point) => (point.y * dx - point.x * dy) / length),
    leaves: ahead < 0 ? "270deg" : "90deg",
    enters: ahead > 0 ? "270deg" : "90deg",
  };
}
