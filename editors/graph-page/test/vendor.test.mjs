// What is kept of other people's work is what their package holds.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");

test("the library that the page carries is the one of its package", () => {
  const files = { "cytoscape.min.js": "dist/cytoscape.min.js", "cytoscape.LICENSE": "LICENSE" };
  for (const [kept, original] of Object.entries(files)) {
    assert.equal(read(`../vendor/${kept}`), read(`../../node_modules/cytoscape/${original}`), kept);
  }
  const { version } = JSON.parse(read("../../node_modules/cytoscape/package.json"));
  assert.match(read("../vendor/README.md"), new RegExp(`cytoscape.min.js.*\\| ${version} \\|`));
});
