// The graph page, put together for a view of the editor.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Assets, render } from "../src/page";

const assets: Assets = {
  page: "<script nonce=\"{{nonce}}\" id=\"graph\">{{graph}}</script>{{style}}|{{library}}|{{script}}|{{title}}",
  style: "style {{graph}}",
  library: "library",
  scripts: ["one;", "two;"],
};

test("every part is put in once, and no text of a project is markup", () => {
  const graph = { version: 1, target: ["</script>{{style}}$&"] };
  const page = render(assets, graph, "abc");
  const [, data] = /nonce="abc" id="graph">(.*)<\/script>style/.exec(page) ?? [];
  assert.deepEqual(JSON.parse(data ?? ""), graph);
  assert.ok(page.endsWith("style {{graph}}|library|one;two;|Feature"), page);
});
