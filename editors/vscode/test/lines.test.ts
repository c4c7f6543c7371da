// The lines that are coloured.

import assert from "node:assert/strict";
import { test } from "node:test";
import { linesByRole } from "../src/lines";
import type { Role, RoleRange } from "../src/protocol";

const range = (role: Role, first: number, last: number): RoleRange => ({
  role, symbol: "s", range: { start: { line: first }, end: { line: last } },
});

const shown = (...ranges: RoleRange[]) =>
  Object.fromEntries([...linesByRole(ranges)].map(([role, runs]) => [role, runs.map(({ first, last }) => `${first}-${last}`).join(" ")]));

test("a line belongs to the innermost symbol", () => {
  assert.deepEqual(shown(range("shared", 3, 5), range("top", 0, 9)), { top: "0-2 6-9", shared: "3-5" });
});

test("symbols of one role that follow each other are one run", () => {
  assert.deepEqual(shown(range("top", 0, 2), range("top", 3, 4), range("top", 6, 6)), { top: "0-4 6-6" });
});

test("nothing is coloured where nothing has a role", () => {
  assert.deepEqual(shown(), {});
});
