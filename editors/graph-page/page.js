// @ts-check
// The page: draws the graph, searches, filters, and shows the symbol that is selected.

(() => {
  const editor = typeof acquireVsCodeApi === "function" ? acquireVsCodeApi() : null;
  const find = (/** @type {string} */ id) => {
    const found = document.getElementById(id);
    if (!found) throw new Error(`the page has no #${id}`);
    return found;
  };
  const MANY = 2500;
  const query = /** @type {HTMLInputElement} */ (find("query"));
  const hits = find("hits");

  /** @type {FeatureGraph} */
  let graph = { version: 1, target: [], nodes: [], edges: [], ambiguous: 0 };
  /** @type {Map<string, GraphNode>} */
  let byId = new Map();
  /** Roles and kinds of evidence that are switched off.
   * @type {Set<string>} */
  const hidden = new Set();
  /** The id of the node that is shown; the address of the page may name one.
   * @type {string | null} */
  let selected = decodeURIComponent(location.hash.slice(1));
  /** Whether only the selected node is shown, with its neighbours and its chain. */
  let focused = false;
  let hit = 0;
  /** How edges are drawn: too many bent ones would be slow. */
  let curve = "unbundled-bezier";

  /** @type {Doer} */
  const doer = {
    node: (id) => byId.get(id),
    select,
    open: editor && ((path, line) => editor.postMessage({ type: "open", path, line })),
  };

  const cy = cytoscape({
    container: find("canvas"),
    minZoom: 0.05,
    maxZoom: 3,
    boxSelectionEnabled: false,
    autoungrabify: true,
    selectionType: "single",
  });

  /** The value of a colour of the style sheet in the present colour scheme. */
  function colour(/** @type {string} */ name) {
    const probe = element("span", "");
    probe.style.color = `var(--${name})`;
    document.body.append(probe);
    const value = getComputedStyle(probe).color;
    probe.remove();
    // The library knows no other notation than this one, and only without a share of transparency.
    const [red, green, blue] = value.match(/[\d.]+/g) ?? [];
    return value.startsWith("rgb") ? `rgb(${red}, ${green}, ${blue})` : value;
  }

  function restyle() {
    const font = getComputedStyle(find("target")).fontFamily;
    const roles = Object.keys(ROLES).map((role) => ({
      selector: `node[role = "${role}"]`,
      style: { "background-color": colour(`${role}-fill`), "border-color": colour(`${role}-line`) },
    }));
    const strokes = Object.entries(EVIDENCE).map(([name, { dash }]) => ({
      selector: `edge[evidence = "${name}"]`,
      style: { "line-style": dash, "line-color": colour(name), "target-arrow-color": colour(name) },
    }));
    const chained = { "line-color": colour("chain"), "target-arrow-color": colour("chain"), width: 2.5, opacity: 1, "z-index": 5 };
    cy.style(/** @type {any} */ ([
      {
        selector: "node",
        style: {
          shape: "round-rectangle", width: "data(width)", height: 28, "border-width": 1.5,
          label: "data(name)", "font-family": font, "font-size": 12, color: colour("ink"),
          "text-wrap": "ellipsis", "text-max-width": "240px", "text-valign": "center", "text-halign": "center", "min-zoomed-font-size": 5,
        },
      },
      ...roles,
      { selector: 'node[kind = "variable"], node[kind = "field"]', style: { shape: "ellipse" } },
      { selector: 'node[kind = "class"]', style: { "border-width": 3 } },
      { selector: 'node[role = "between"]', style: { "border-style": "dashed" } },
      {
        selector: "node.heading",
        style: { "background-opacity": 0, "border-width": 0, color: colour("dim"), "font-family": "sans-serif", "font-size": 16, events: "no" },
      },
      {
        selector: "edge",
        style: {
          width: 1.2, "target-arrow-shape": "triangle", "arrow-scale": 0.8, opacity: 0.75,
          "source-endpoint": "data(leaves)", "target-endpoint": "data(enters)",
          "curve-style": "data(curve)", "edge-distances": "endpoints",
          "control-point-weights": "data(weights)", "control-point-distances": "data(distances)",
        },
      },
      ...strokes,
      { selector: ".faded", style: { opacity: 0.2 } },
      { selector: "node.found", style: { "underlay-color": colour("accent"), "underlay-opacity": 0.35, "underlay-padding": 6 } },
      { selector: "edge.near", style: { width: 2, opacity: 1 } },
      { selector: "edge.chained", style: chained },
      { selector: "node.chained", style: { "border-color": colour("chain") } },
      { selector: "node.selected", style: { "border-width": 4, "border-color": colour("chain"), "z-index": 10 } },
    ]));
  }

  /** The width of a node with a name. */
  function measure() {
    const pen = document.createElement("canvas").getContext("2d");
    if (pen) pen.font = `12px ${getComputedStyle(find("target")).fontFamily}`;
    /** @type {Map<string, number>} */
    const known = new Map();
    return (/** @type {string} */ name) => {
      const width = known.get(name) ?? Math.min(260, Math.ceil(pen ? pen.measureText(name).width : name.length * 7.3) + 24);
      known.set(name, width);
      return width;
    };
  }

  /** Shows another graph. */
  function load(/** @type {FeatureGraph} */ next) {
    const isFirst = !graph.nodes.length;
    graph = next;
    byId = new Map(graph.nodes.map((node) => [node.id, node]));
    find("target").textContent = graph.target.join(", ");
    if (selected !== null && !byId.has(selected)) selected = null;
    if (isFirst) hideCrowds();
    restyle();
    showFilters();
    draw();
    show();
  }

  /** Leaves out what would hide the feature itself: guesses, and in a large graph what stays. */
  function hideCrowds() {
    hidden.add("by-name");
    const number = (/** @type {string[]} */ ...roles) => graph.nodes.filter((node) => roles.includes(node.role)).length;
    if (!number("top", "specific", "orphaned")) return;
    if (number("shared", "protected") > 100) hidden.add("shared").add("protected");
    if (number("test") > 100) hidden.add("test");
  }

  /** Draws the nodes and edges that are to be seen now. */
  function draw() {
    const node = selected === null ? undefined : byId.get(selected);
    const around = focused && node ? vicinity(node) : null;
    const nodes = graph.nodes.filter((it) => (around ? around.has(it.id) : !hidden.has(it.role)));
    const ids = new Set(nodes.map((it) => it.id));
    const edges = graph.edges.filter((edge) => {
      const counts = ids.has(edge.from) && ids.has(edge.to) && !hidden.has(evidence(edge));
      return counts && (!around || edge.from === node?.id || edge.to === node?.id);
    });
    const sure = edges.filter((edge) => evidence(edge) !== "by-name");
    const { places, headings } = layout(nodes, sure, measure(), { width: cy.width(), height: cy.height() });
    const place = (/** @type {string} */ id) => places.get(id) ?? { x: 0, y: 0, width: 0 };
    curve = edges.length > MANY ? "straight" : "unbundled-bezier";
    cy.batch(() => {
      cy.elements().remove();
      cy.add([
        ...nodes.map(({ id, name, role, kind }) => {
          const { x, y, width } = place(id);
          return { data: { id, name, role, kind, width }, position: { x, y } };
        }),
        ...edges.map((edge) => ({
          data: line(edge.from, edge.to, evidence(edge), place(edge.from), place(edge.to)),
        })),
        ...headings.map(({ title, x, y }) => ({
          data: { name: title, width: 10 }, position: { x, y }, classes: "heading", selectable: false,
        })),
      ]);
    });
    fit();
  }

  /**
   * @param {string} source
   * @param {string} target
   * @param {string} evidence
   * @param {Place} from
   * @param {Place} to
   */
  function line(source, target, evidence, from, to) {
    return { source, target, evidence, curve, ...bends(from, to) };
  }

  /** The ids of a node, of its neighbours, and of what its chain leads through. */
  function vicinity(/** @type {GraphNode} */ node) {
    const near = graph.edges.filter((edge) => !hidden.has(evidence(edge)) && (edge.from === node.id || edge.to === node.id));
    const ends = [...near, ...node.chain].flatMap((edge) => [edge.from, edge.to]);
    return new Set([node.id, ...ends]);
  }

  /** Everything in view, but not smaller than one can read. */
  function fit() {
    cy.fit(cy.elements(), 30);
    if (cy.zoom() > 1) cy.zoom(1).center(cy.elements());
    if (cy.zoom() >= 0.55) return;
    const box = cy.elements().boundingBox();
    cy.zoom(0.55);
    const tall = box.h * 0.55 > cy.height();
    cy.pan({ x: 30 - box.x1 * 0.55, y: tall ? 30 - box.y1 * 0.55 : cy.height() / 2 - (box.y1 + box.h / 2) * 0.55 });
  }

  function showFilters() {
    const switches = (/** @type {string} */ id, /** @type {[string, string, string, number, Node][]} */ rows) => {
      const box = find(id);
      box.querySelectorAll("label").forEach((label) => label.remove());
      for (const [key, name, meaning, number, sign] of rows.filter((row) => row[3] > 0)) {
        const input = /** @type {HTMLInputElement} */ (element("input", ""));
        input.type = "checkbox";
        input.value = key;
        input.checked = !hidden.has(key);
        input.addEventListener("change", () => {
          if (input.checked) hidden.delete(key);
          else hidden.add(key);
          draw();
          show();
        });
        const label = element("label", "", input, sign, name, element("span", "count", String(number)));
        label.title = meaning;
        box.append(label);
      }
    };
    const sign = (/** @type {string} */ kind, /** @type {Record<string, string>} */ values) => {
      const made = element("span", kind);
      for (const [name, value] of Object.entries(values)) made.style.setProperty(`--${name}`, value);
      return made;
    };
    switches("roles", Object.entries(ROLES).map(([role, meaning]) => [
      role, role, meaning, graph.nodes.filter((node) => node.role === role).length,
      sign("swatch", { fill: `var(--${role}-fill)`, line: `var(--${role}-line)` }),
    ]));
    switches("evidence", Object.entries(EVIDENCE).map(([key, { name, meaning, dash }]) => [
      key, name, meaning, graph.edges.filter((edge) => evidence(edge) === key).length,
      sign("stroke", { dash, line: `var(--${key})` }),
    ]));
  }

  /** Selects a node, or none. */
  function select(/** @type {string | null} */ id) {
    const node = id === null ? undefined : byId.get(id);
    const isDrawn = !node || cy.getElementById(node.id).nonempty();
    selected = node?.id ?? null;
    if (node && !isDrawn && hidden.delete(node.role)) showFilters();
    if (focused || !isDrawn) draw();
    show();
  }

  function focus() {
    focused = !focused;
    find("focus").setAttribute("aria-pressed", String(focused));
    draw();
    show();
  }

  /** Lets the selected node stand out, and shows what is known of it. */
  function show() {
    const node = selected === null ? undefined : byId.get(selected);
    cy.batch(() => {
      cy.edges(".lent").remove();
      cy.elements().removeClass("faded near chained selected");
      if (node) mark(node);
    });
    find("details").replaceChildren(...(node ? details(node, graph, doer) : overview(graph)));
    find("details").scrollTop = 0;
    if (!editor) history.replaceState(null, "", node ? `#${encodeURIComponent(node.id)}` : location.pathname);
    if (node) bringIntoView(node.id);
  }

  /** Lets a node, its neighbours and its chain stand out. */
  function mark(/** @type {GraphNode} */ node) {
    const centre = cy.getElementById(node.id);
    const near = centre.closedNeighborhood();
    const chained = node.chain.reduce((all, link) => {
      const [from, to] = [cy.getElementById(link.from), cy.getElementById(link.to)];
      return all.union(from).union(to).union(between(from, to));
    }, cy.collection());
    cy.elements().not(near).not(chained).not(".heading").addClass("faded");
    near.edges().addClass("near");
    chained.addClass("chained");
    centre.addClass("selected");
  }

  /**
   * The edge from one node to another; where it is left out, one that is lent until another is selected.
   * @param {import("cytoscape").CollectionReturnValue} from
   * @param {import("cytoscape").CollectionReturnValue} to
   */
  function between(from, to) {
    const edges = cy.collection().union(from.edgesTo(to));
    if (edges.nonempty() || from.empty() || to.empty()) return edges;
    const place = (/** @type {import("cytoscape").CollectionReturnValue} */ node) => ({ ...node.nodes().first().position(), width: node.data("width") });
    return cy.add({ data: line(from.id(), to.id(), "static", place(from), place(to)), classes: "lent" });
  }

  function bringIntoView(/** @type {string} */ id) {
    const box = cy.getElementById(id).renderedBoundingBox();
    const isInside = box.x1 >= 0 && box.y1 >= 0 && box.x2 <= cy.width() && box.y2 <= cy.height();
    if (!isInside) cy.animate({ center: { eles: cy.getElementById(id) }, duration: 200 });
  }

  /** The nodes whose ids have all words of the query; first those whose name is the last word, or starts with it. */
  function search(/** @type {string} */ text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    const wanted = words.at(-1) ?? "";
    const rank = (/** @type {GraphNode} */ node) => {
      const name = node.name.toLowerCase();
      const last = name.split(".").pop() ?? name;
      const distance = last === wanted ? 0 : last.startsWith(wanted) ? 1 : name.includes(wanted) ? 2 : 3;
      return distance * 2 + (node.role === "test" ? 1 : 0);
    };
    const found = graph.nodes.filter((node) => words.every((word) => node.id.toLowerCase().includes(word)));
    return found.sort((a, b) => rank(a) - rank(b));
  }

  function showHits() {
    const found = search(query.value);
    hit = Math.max(0, Math.min(hit, found.length - 1));
    const ids = new Set(found.map((node) => node.id));
    cy.batch(() => cy.nodes("[role]").forEach((node) => void node.toggleClass("found", ids.has(node.id()))));
    hits.hidden = !query.value.trim();
    const rows = found.slice(0, 50).map((node, index) => {
      const row = element("li", "", badge(node.role), node.name, element("span", "path", node.path));
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", String(index === hit));
      row.addEventListener("mousedown", (event) => {
        event.preventDefault();
        choose(node);
      });
      return row;
    });
    const none = element("li", "nothing", "no symbol has this in its id");
    hits.replaceChildren(...(rows.length ? rows : [none]));
    hits.children[hit]?.scrollIntoView({ block: "nearest" });
    return found;
  }

  function choose(/** @type {GraphNode} */ node) {
    query.blur();
    select(node.id);
  }

  query.addEventListener("input", () => {
    hit = 0;
    showHits();
  });
  query.addEventListener("focus", showHits);
  query.addEventListener("blur", () => (hits.hidden = true));
  query.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      hit += step;
      showHits();
    } else if (event.key === "Enter") {
      const node = showHits()[hit];
      if (node) choose(node);
    } else if (event.key === "Escape") {
      query.value = "";
      showHits();
      query.blur();
    }
  });

  const zoomBy = (/** @type {number} */ factor) =>
    cy.zoom({ level: cy.zoom() * factor, renderedPosition: { x: cy.width() / 2, y: cy.height() / 2 } });
  find("focus").addEventListener("click", focus);
  find("zoom-in").addEventListener("click", () => zoomBy(1.3));
  find("zoom-out").addEventListener("click", () => zoomBy(1 / 1.3));
  find("zoom-fit").addEventListener("click", () => cy.fit(cy.elements(), 30));
  document.addEventListener("keydown", (event) => {
    if (event.target === query || event.ctrlKey || event.metaKey || event.altKey) return;
    /** @type {Record<string, () => void>} */
    const keys = {
      "/": () => query.select(),
      "+": () => zoomBy(1.3),
      "-": () => zoomBy(1 / 1.3),
      0: () => cy.fit(cy.elements(), 30),
      f: focus,
      Escape: () => select(null),
    };
    const key = keys[event.key];
    if (!key) return;
    event.preventDefault();
    key();
  });

  cy.on("tap", "node[role]", (event) => {
    select(event.target.id());
    if (editor) {
      const node = byId.get(event.target.id());
      if (node) doer.open?.(node.path, node.line);
    }
  });
  cy.on("tap", (event) => {
    if (event.target === cy) select(null);
  });
  cy.on("mouseover", "node[role]", () => (find("canvas").style.cursor = "pointer"));
  cy.on("mouseout", "node[role]", () => (find("canvas").style.cursor = ""));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restyle);
  new MutationObserver(restyle).observe(document.body, { attributeFilter: ["class"] });
  addEventListener("message", (event) => {
    if (editor && event.data?.type === "graph") load(event.data.graph);
  });

  load(JSON.parse(find("graph").textContent ?? "null"));
  // For tests and for the console.
  Object.assign(window, { lacuna: { cy, select } });
})();
