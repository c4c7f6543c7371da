// @ts-check
// What the page tells of one symbol. Texts go into the page as texts, never as markup.

/** @typedef {{from: string, to: string, provenance: string, how: string, path: string, line: number}} Link */
/** @typedef {{from: string, to: string, provenance: string, kind: string, confidence: string | null, tests: number, path: string, line: number}} GraphEdge */
/**
 * @typedef {{id: string, name: string, kind: string, role: string, action: unknown, path: string, line: number,
 *   lines: number, target_tests: number, other_tests: number, code: string, chain: Link[]}} GraphNode
 */
/** @typedef {{version: number, target: string[], nodes: GraphNode[], edges: GraphEdge[], ambiguous: number}} FeatureGraph */
/**
 * What the details can do: tell the node of an id, select it, and open a place (where there is an editor).
 * @typedef {{node: (id: string) => GraphNode | undefined, select: (id: string) => void,
 *   open: ((path: string, line: number) => void) | null}} Doer
 */

/** @type {Record<string, string>} */
const ROLES = {
  test: "a target test",
  top: "the target tests use it directly: removed, in the interface",
  specific: "only top symbols reach it: removed",
  orphaned: "only removed code refers to it: removed",
  shared: "kept tests run it: stays",
  protected: "needed at import or collection: stays",
  between: "no part of the feature; a chain leads through it",
};

/** @type {Record<string, {name: string, meaning: string, dash: string}>} */
const EVIDENCE = {
  observed: { name: "observed", meaning: "a test was seen to do it", dash: "solid" },
  inferred: { name: "inferred", meaning: "both ran in a target test, and the text shows the call", dash: "dashed" },
  static: { name: "static", meaning: "the text says so", dash: "dotted" },
  "by-name": { name: "by name", meaning: "the text has the name, on an object of unknown class", dash: "dotted" },
};

/**
 * Which evidence there is for an edge.
 * @param {GraphEdge} edge
 */
function evidence(edge) {
  return edge.provenance === "static" && edge.confidence !== "resolved" ? "by-name" : edge.provenance;
}

/**
 * An element with a class, and with texts and elements in it.
 * @param {string} tag
 * @param {string} className
 * @param {...(string | Node)} content
 */
function element(tag, className, ...content) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

/**
 * @param {string} role
 */
function badge(role) {
  const made = element("span", "badge", role);
  made.style.setProperty("--fill", `var(--${role}-fill)`);
  made.style.setProperty("--line", `var(--${role}-line)`);
  return made;
}

/**
 * @param {string} path
 * @param {number} line
 * @param {Doer} doer
 */
function place(path, line, doer) {
  const text = `${path}:${line}`;
  if (!doer.open) return element("span", "place", text);
  const made = element("button", "place", text);
  made.addEventListener("click", () => doer.open?.(path, line));
  return made;
}

/**
 * @param {string} id
 * @param {Doer} doer
 */
function symbol(id, doer) {
  const node = doer.node(id);
  if (!node) return element("span", "link", id);
  const made = element("button", "link", node.name);
  made.title = id;
  made.addEventListener("click", () => doer.select(id));
  return made;
}

/**
 * @param {GraphNode} node
 */
function fate(node) {
  if (node.action === "delete") return "deleted";
  if (node.action) return "its header stays, its body goes";
  const stays = ["shared", "protected", "between"].includes(node.role);
  return stays ? "stays" : node.role === "test" ? "held back for grading" : "stays because of its name";
}

/**
 * @param {number} number
 * @param {string} noun
 */
function count(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/**
 * @param {GraphNode} node
 * @param {Doer} doer
 */
function facts(node, doer) {
  const list = element("dl", "");
  const fact = (/** @type {string} */ name, /** @type {(string | Node)[]} */ ...value) =>
    list.append(element("dt", "", name), element("dd", "", ...value));
  fact("place", place(node.path, node.line, doer), ` (${count(node.lines, "line")})`);
  fact("kind", node.kind);
  fact("fate", fate(node));
  if (node.role !== "test") fact("run by", `${count(node.target_tests, "target test")}, ${count(node.other_tests, "other test")}`);
  return list;
}

/**
 * @param {GraphNode} node
 * @param {Doer} doer
 */
function chain(node, doer) {
  const list = element("ol", "chain");
  const [first] = node.chain;
  if (first) list.append(element("li", "", symbol(first.from, doer)));
  for (const link of node.chain) {
    const how = element("div", "dim", `${link.provenance} ${link.how} · `, place(link.path, link.line, doer));
    list.append(element("li", "", symbol(link.to, doer), how));
  }
  return list;
}

/**
 * @param {GraphEdge[]} edges
 * @param {"from" | "to"} end
 * @param {Doer} doer
 */
function neighbours(edges, end, doer) {
  const list = element("ul", "");
  for (const edge of edges) {
    const tests = edge.tests ? `, in ${count(edge.tests, "test")}` : "";
    const how = ` ${EVIDENCE[evidence(edge)]?.name ?? ""} ${edge.kind}${tests} · `;
    list.append(element("li", "", symbol(edge[end], doer), element("span", "dim", how, place(edge.path, edge.line, doer))));
  }
  return list;
}

/**
 * @param {GraphNode} node
 */
function code(node) {
  const lines = node.code.split("\n");
  const body = element("code", "");
  lines.forEach((line, index) => {
    body.append(element("span", "number", String(node.line + index)), element("span", "text", line || " "));
  });
  const more = node.lines - lines.length;
  return [element("pre", "", body), ...(more > 0 ? [element("p", "dim", `${count(more, "more line")}`)] : [])];
}

/**
 * All that is known of a node.
 * @param {GraphNode} node
 * @param {FeatureGraph} graph
 * @param {Doer} doer
 * @returns {Node[]}
 */
function details(node, graph, doer) {
  const needs = graph.edges.filter((edge) => edge.from === node.id);
  const needed = graph.edges.filter((edge) => edge.to === node.id);
  const section = (/** @type {string} */ title, /** @type {Node[]} */ ...content) => [element("h3", "", title), ...content];
  return [
    element("h2", "", node.name),
    element("p", "", badge(node.role), " ", element("span", "dim", ROLES[node.role] ?? "")),
    facts(node, doer),
    ...(node.chain.length ? section("Chain from a test", chain(node, doer)) : []),
    ...section("Code", ...code(node)),
    ...(needs.length ? section(`Needs (${needs.length})`, neighbours(needs, "to", doer)) : []),
    ...(needed.length ? section(`Needed by (${needed.length})`, neighbours(needed, "from", doer)) : []),
  ];
}

/**
 * What is shown while no node is selected.
 * @param {FeatureGraph} graph
 * @returns {Node[]}
 */
function overview(graph) {
  const list = element("dl", "");
  for (const [role, meaning] of Object.entries(ROLES)) {
    const number = graph.nodes.filter((node) => node.role === role).length;
    if (number) list.append(element("dt", "", badge(role)), element("dd", "", `${number} · ${meaning}`));
  }
  const ambiguous = `${count(graph.ambiguous, "use")} of names are not drawn: too many symbols have the name.`;
  return [
    element("h2", "", "The feature"),
    element("p", "dim", "Click a symbol for its code and for how a test comes to need it. Columns count the steps from a target test; an arrow leads to what is needed. Focus leaves the selected symbol alone with its neighbours and its chain."),
    list,
    element("h3", "", "Evidence"),
    element("dl", "", ...Object.values(EVIDENCE).flatMap(({ name, meaning }) => [element("dt", "", name), element("dd", "", meaning)])),
    ...(graph.ambiguous ? [element("p", "dim", ambiguous)] : []),
  ];
}
