// The tree of features.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { FeatureRow } from "../src/protocol";
import { type Entry, description, hasFeature, tooltip, tree } from "../src/rows";

const row = (target: string, top = 1): FeatureRow => ({
  target, top, tests: 3, symbols: 4, files: 1, lines: 20, collateral: 0, kept: 7, offer: top ? "feature" : "no feature",
});

/** One line an entry, indented by depth. */
function shown(entries: Entry[], depth = 0): string {
  const line = (entry: Entry) =>
    entry.kind === "file" ? entry.row.target : `${entry.name}/\n${shown(entry.entries, depth + 1)}`;
  return entries.map((entry) => `${"  ".repeat(depth)}${line(entry)}`).join("\n");
}

test("files stand in their folders, folders first, and single folders are joined", () => {
  const rows = ["tests/test_b.py", "tests/test_a.py", "tests/deep/er/test_c.py", "pkg/inner/test_d.py", "test_e.py"];
  assert.equal(
    shown(tree(rows.map((target) => row(target)))),
    ["pkg/inner/", "  pkg/inner/test_d.py", "tests/", "  deep/er/", "    tests/deep/er/test_c.py", "  tests/test_a.py", "  tests/test_b.py", "test_e.py"].join("\n"),
  );
  assert.deepEqual(tree([]), []);
});

test("a row says what the feature takes out, or that there is none", () => {
  assert.equal(description(row("t.py")), "20 lines in 1 file");
  assert.equal(description(row("t.py", 0)), "no feature");
  assert.deepEqual([hasFeature(row("t.py")), hasFeature(row("t.py", 0))], [true, false]);
  assert.match(tooltip(row("t.py")), /removes 4 symbols, 1 of them top: 20 lines in 1 file\ntests: 3 target, 0 collateral, 7 kept/);
});
