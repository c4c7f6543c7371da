// The bundled extension with the real server on the sample project, in a stand-in for the editor.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { editor, load } from "./editor.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const project = path.join(root, "fixtures/trees/recipes");
process.env.LACUNA_CACHE = path.join(root, "target/lacuna-fixtures/editors/cache");

/** Waits until something holds. */
async function until(what, holds) {
  for (let tries = 0; tries < 600; tries += 1) {
    const found = await holds();
    if (found) return found;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`not within a minute: ${what}`);
}

test("a feature is chosen, coloured, drawn and shown", async () => {
  execFileSync("cargo", ["run", "--quiet", "--", "trace", project, "--quiet"], { cwd: root });
  const settings = { "server.path": path.join(root, "target/debug/lacuna"), minLines: null };
  const { vscode, log, execute, editors, extensionUri } = editor(project, [["src/ladle/shopping.py", "python"]], settings);
  const extension = load(vscode);
  await extension.activate({ subscriptions: [], extensionUri });
  assert.deepEqual(log.messages, []);

  const folders = await until("features are listed", async () => {
    const entries = await log.tree.getChildren();
    return entries.length && entries;
  });
  assert.equal(folders[0].name, "tests");
  const entry = folders[0].entries.find(({ row }) => row.target === "tests/test_shopping.py");
  const item = log.tree.getTreeItem(entry);
  assert.equal(`${item.label}: ${item.description} (${item.contextValue})`, "test_shopping.py: 180 lines in 3 files (feature)");

  await execute("lacuna.activate", entry);
  await until("the feature is active", () => log.status.text?.includes("tests/test_shopping.py"));
  const coloured = await until("lines are coloured", () => {
    const found = [...editors[0].decorations].map(([{ options }, ranges]) => [options.borderColor.id, ranges.length]);
    return found.some(([, ranges]) => ranges) && Object.fromEntries(found);
  });
  assert.ok(coloured["lacuna.top"] > 1 && coloured["lacuna.specific"] > 1, JSON.stringify(coloured));

  await execute("lacuna.showGraph");
  const [panel] = log.panels;
  assert.match(panel.webview.html, /"id":"src\/ladle\/text\.py::tick_list"/);
  await panel.receive({ type: "open", path: "src/ladle/text.py", line: 48 });
  const opened = await until("the place is open", () => log.executed.find(([name]) => name === "showTextDocument"));
  assert.match(opened[1], /src\/ladle\/text\.py$/);
  assert.equal(opened[2].selection.start.line, 47);

  const document = (name) => log.provider.provideTextDocumentContent(vscode.Uri.parse(`lacuna:/${name}`));
  assert.match(await document("interface.md"), /shopping_list/);
  assert.match(await document("removal.patch"), /^--- a\/src\/ladle\/shopping\.py$/m);
  await execute("lacuna.preview");
  const [, title, changes] = log.executed.find(([name]) => name === "vscode.changes");
  assert.match(title, /^Starting tree of tests\/test_shopping\.py: \d+ files$/);
  const shopping = changes.find(([uri]) => uri.path.endsWith("src/ladle/shopping.py"));
  assert.doesNotMatch(await log.provider.provideTextDocumentContent(shopping[2]), /def aisle_of/);

  await execute("lacuna.showChain", "src/ladle/text.py::tick_list");
  assert.deepEqual(log.offered.map(({ label }) => label), ["→ ShoppingList.to_text", "→ tick_list"]);
  await execute("lacuna.setTarget");
  assert.ok(log.offered.some(({ label }) => label === "tests/test_shopping.py"));

  await extension.deactivate();
  assert.deepEqual(log.messages, []);
});
