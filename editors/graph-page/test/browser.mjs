// A headless Chromium, and the page of the sample project in it.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = path.join(root, "target/lacuna-fixtures/page");

/** The browser's program: that of the environment, else one on the path. */
function program() {
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const all = folders.flatMap((folder) => names.map((name) => path.join(folder, name)));
  return process.env.CHROMIUM ?? all.find(existsSync);
}

/** Why the tests cannot be run here; false if they can. With `LACUNA_CI` they have to. */
export const skip = program() || process.env.LACUNA_CI ? false : "needs Chromium on the path";

/** The folder for what tests want to show to a person. */
export function output(name) {
  mkdirSync(folder, { recursive: true });
  return path.join(folder, name);
}

/** Starts the browser. */
export async function browser() {
  const executablePath = program();
  if (!executablePath) throw new Error("there is no Chromium on the path");
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

/** The address of the page that the program makes of a feature of the sample project. */
export function samplePage() {
  const show = ["show", "fixtures/trees/recipes", "--target", "tests/test_shopping.py", "--format", "html", "--quiet"];
  const page = execFileSync("cargo", ["run", "--quiet", "--", ...show], {
    cwd: root,
    env: { ...process.env, LACUNA_CACHE: path.join(root, "target/lacuna-fixtures/editors/cache") },
    maxBuffer: 2 ** 28,
  });
  writeFileSync(output("feature.html"), page);
  return pathToFileURL(output("feature.html")).href;
}
