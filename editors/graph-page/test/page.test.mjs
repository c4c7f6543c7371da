// The page of the sample project, as a person uses it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, beforeEach, test } from "node:test";
import { browser, output, samplePage, skip } from "./browser.mjs";

const TICK_LIST = "src/ladle/text.py::tick_list";

let chromium, page, address;
const errors = [];
const requests = [];

before(async () => {
  if (skip) return;
  address = samplePage();
  chromium = await browser();
  page = await chromium.newPage({ viewport: { width: 1440, height: 900 } });
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("request", (request) => requests.push(request.url()));
});

beforeEach(async () => {
  if (skip) return;
  await page.goto("about:blank");
  await page.goto(address);
});

after(async () => {
  await chromium?.close();
});

/** The ids of the nodes that can be seen. */
const visible = () => page.evaluate(() => window.lacuna.cy.nodes("[role]:visible").map((node) => node.id()));
/** The number of edges that can be seen, by their evidence. */
const edges = () => page.evaluate(() => {
  const counts = {};
  window.lacuna.cy.edges(":visible").forEach((edge) => (counts[edge.data("evidence")] = (counts[edge.data("evidence")] ?? 0) + 1));
  return counts;
});
const details = () => page.locator("#details");

/** Clicks on a node of the graph with the mouse. */
async function click(id) {
  const { x, y } = await page.evaluate((id) => window.lacuna.cy.getElementById(id).renderedPosition(), id);
  const box = await page.locator("#canvas").boundingBox();
  await page.mouse.click(box.x + x, box.y + y);
}

test("it shows every symbol and loads nothing", { skip }, async () => {
  assert.equal(await page.locator("h1").textContent(), "Feature of tests/test_shopping.py");
  const ids = await visible();
  assert.ok(ids.includes(TICK_LIST) && ids.includes("tests/test_shopping.py::test_aisles"), ids.join("\n"));
  assert.ok(await page.evaluate(() => window.lacuna.cy.zoom() >= 0.5), "small, but legible");
  assert.deepEqual(errors, []);
  assert.deepEqual(requests.filter((url) => !url.startsWith("file:") && url !== "about:blank"), []);
  await page.screenshot({ path: output("whole.png") });
});

test("a click on a symbol shows its place, its code and its chain", { skip }, async () => {
  await click(TICK_LIST);
  const text = await details().innerText();
  assert.match(text, /src\/ladle\/text\.py:48 \(12 lines\)/);
  assert.match(text, /run by\s+3 target tests, 0 other tests/);
  assert.match(await details().locator("pre").innerText(), /48\s+def tick_list\(/);
  const chain = await details().locator("ol.chain > li").allInnerTexts();
  assert.deepEqual(chain.map((step) => step.split("\n")[0]), [
    "test_an_empty_list_is_empty_in_every_form", "ShoppingList.to_text", "tick_list",
  ]);
  await page.screenshot({ path: output("selected.png") });
  await details().locator("ol.chain button", { hasText: "ShoppingList.to_text" }).click();
  assert.equal(await details().locator("h2").textContent(), "ShoppingList.to_text");
  await page.keyboard.press("Escape");
  assert.equal(await details().locator("h2").textContent(), "The feature");
});

test("the address of a selected symbol leads back to it", { skip }, async () => {
  await click(TICK_LIST);
  const url = page.url();
  await page.goto("about:blank");
  await page.goto(url);
  assert.equal(await details().locator("h2").textContent(), "tick_list");
});

test("the search finds symbols by parts of their ids", { skip }, async () => {
  await page.keyboard.press("/");
  await page.keyboard.type("text.py tick");
  const hits = page.locator("#hits li");
  assert.equal(await hits.count(), 2);
  await page.screenshot({ path: output("search.png") });
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  assert.match(await details().locator("h2").textContent(), /tick/i);
  assert.equal(await page.locator("#hits").isVisible(), false);
  await page.locator("#query").fill("no such symbol");
  assert.equal(await hits.count(), 1);
  assert.match(await hits.first().textContent(), /no symbol/);
});

test("roles and evidence can be left out", { skip }, async () => {
  const all = await visible();
  await page.locator("#roles label", { hasText: "specific" }).click();
  const rest = await visible();
  assert.ok(all.includes(TICK_LIST) && !rest.includes(TICK_LIST));
  await page.locator("#roles label", { hasText: "specific" }).click();
  assert.deepEqual(await visible(), all);

  const shown = await edges();
  assert.ok(shown.observed > 0 && shown.static > 0 && !shown["by-name"], JSON.stringify(shown));
  await page.locator("#evidence label", { hasText: "observed" }).click();
  await page.locator("#evidence label", { hasText: "by name" }).click();
  const others = await edges();
  assert.ok(!others.observed && others.static === shown.static && others["by-name"] > 0, JSON.stringify(others));
});

test("what is found is shown though its role was left out", { skip }, async () => {
  await page.locator("#roles label", { hasText: "specific" }).click();
  await page.locator("#query").fill("tick_list");
  await page.keyboard.press("Enter");
  assert.ok((await visible()).includes(TICK_LIST));
  assert.equal(await page.locator("#roles input[value=specific]").isChecked(), true);
});

test("focus leaves a symbol alone with its neighbours and its chain, whatever is left out", { skip }, async () => {
  await click(TICK_LIST);
  await page.locator("#roles label", { hasText: "test" }).click();
  await page.keyboard.press("f");
  assert.deepEqual((await visible()).sort(), [
    "src/ladle/shopping.py::ShoppingList.to_text",
    TICK_LIST,
    "src/ladle/text.py::_TICK_BOX",
    "tests/test_shopping.py::test_an_empty_list_is_empty_in_every_form",
  ].sort());
  await page.screenshot({ path: output("focus.png") });
  await page.locator("#details button", { hasText: "_TICK_BOX" }).click();
  assert.ok((await visible()).includes(TICK_LIST));
  await page.keyboard.press("Escape");
  assert.ok((await visible()).length > 30);
});

test("in a large graph what would hide the feature is left out at first", { skip }, async () => {
  const crowd = await chromium.newPage();
  await crowd.route("**/*.html", async (route) => {
    const html = readFileSync(new URL(address), "utf8");
    const start = html.indexOf(">", html.indexOf('id="graph"')) + 1;
    const end = html.indexOf("</script>", start);
    const graph = JSON.parse(html.slice(start, end));
    const [node] = graph.nodes.filter((node) => node.role === "shared");
    for (let index = 0; index < 2000; index += 1) graph.nodes.push({ ...node, id: `${node.id}${index}` });
    await route.fulfill({ body: html.slice(0, start) + JSON.stringify(graph).replaceAll("<", "\\u003c") + html.slice(end), contentType: "text/html" });
  });
  await crowd.goto(address);
  const roles = await crowd.evaluate(() => [...new Set(window.lacuna.cy.nodes("[role]").map((node) => node.data("role")))].sort());
  assert.deepEqual(roles, ["between", "orphaned", "specific", "test", "top"]);
  await crowd.locator("#roles label", { hasText: "shared" }).click();
  assert.ok((await crowd.evaluate(() => window.lacuna.cy.nodes().length)) > 2000);
  await crowd.close();
});

test("it can be zoomed and moved", { skip }, async () => {
  const zoom = () => page.evaluate(() => window.lacuna.cy.zoom());
  const start = await zoom();
  await page.locator("#zoom-in").click();
  assert.ok((await zoom()) > start);
  await page.keyboard.press("-");
  assert.ok(Math.abs((await zoom()) - start) < 1e-6);
  const pan = () => page.evaluate(() => ({ ...window.lacuna.cy.pan() }));
  const before = await pan();
  const box = await page.locator("#canvas").boundingBox();
  await page.mouse.move(box.x + 5, box.y + box.height - 5);
  await page.mouse.down();
  await page.mouse.move(box.x + 105, box.y + box.height - 55, { steps: 5 });
  await page.mouse.up();
  const moved = await pan();
  assert.deepEqual([moved.x - before.x, moved.y - before.y].map(Math.round), [100, -50]);
});

test("it is legible in the dark, and on a small screen", { skip }, async () => {
  await page.emulateMedia({ colorScheme: "dark" });
  await click(TICK_LIST);
  await page.screenshot({ path: output("dark.png") });
  await page.setViewportSize({ width: 700, height: 900 });
  await page.screenshot({ path: output("small.png") });
  const contrast = await page.evaluate(() => {
    const light = (text) => text.match(/[\d.]+/g).slice(0, 3).reduce((sum, one) => sum + Number(one), 0);
    const style = getComputedStyle(document.body);
    return light(style.color) - light(style.backgroundColor);
  });
  assert.ok(contrast > 450, String(contrast));
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1440, height: 900 });
});

test("in an editor a place is opened by a click, and a new graph takes the place of the old one", { skip }, async () => {
  const view = await chromium.newPage({ viewport: { width: 1000, height: 800 } });
  await view.addInitScript(() => {
    window.messages = [];
    window.acquireVsCodeApi = () => ({ postMessage: (message) => window.messages.push(message) });
    addEventListener("DOMContentLoaded", () => {
      document.body.className = "vscode-dark";
      document.documentElement.style.setProperty("--vscode-editor-background", "#1e1e1e");
      document.documentElement.style.setProperty("--vscode-sideBar-background", "#252526");
    });
  });
  await view.goto(address);
  await view.locator("#query").fill("tick_list");
  await view.keyboard.press("Enter");
  await view.locator("#details button.place", { hasText: "src/ladle/text.py:48" }).first().click();
  assert.deepEqual(await view.evaluate(() => window.messages), [{ type: "open", path: "src/ladle/text.py", line: 48 }]);
  await view.screenshot({ path: output("editor.png") });
  await view.evaluate(() => {
    const graph = JSON.parse(document.getElementById("graph").textContent);
    const nodes = graph.nodes.filter((node) => node.role === "test");
    postMessage({ type: "graph", graph: { version: 1, target: ["another"], nodes, edges: [], ambiguous: 3 } }, "*");
  });
  await view.waitForFunction(() => document.querySelector("h1").textContent === "Feature of another");
  assert.equal(await view.evaluate(() => window.lacuna.cy.nodes("[role]").length), 17);
  assert.match(await view.locator("#details").textContent(), /^The feature.*3 uses of names are not drawn/);
  await view.close();
});
