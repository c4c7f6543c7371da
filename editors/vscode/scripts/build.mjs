// Bundles the extension and its tests into `out`, with the graph page beside them.

import { cpSync, readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = (path) => fileURLToPath(new URL(path, import.meta.url));
const out = folder("../out");

rmSync(out, { recursive: true, force: true });
const common = { bundle: true, platform: "node", target: "node18", format: "cjs", external: ["vscode"], logLevel: "warning" };
await build({ ...common, entryPoints: [folder("../src/extension.ts")], outdir: out, minify: true });
const tests = readdirSync(folder("../test")).filter((name) => name.endsWith(".test.ts"));
await build({ ...common, entryPoints: tests.map((name) => folder(`../test/${name}`)), outdir: `${out}/test` });
for (const part of ["page.html", "page.css", "layout.js", "details.js", "page.js", "vendor"]) {
  cpSync(folder(`../../graph-page/${part}`), `${out}/graph-page/${part}`, { recursive: true });
}
