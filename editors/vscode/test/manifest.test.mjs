// The manifest agrees with the declaration of the settings, with the code and with what is packaged.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { generated } from "../scripts/generate.mjs";

const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");
const manifest = JSON.parse(read("../package.json"));
const sources = readdirSync(new URL("../src", import.meta.url)).map((name) => read(`../src/${name}`)).join("\n");

test("what follows from the settings' declaration is up to date", () => {
  for (const [path, content] of Object.entries(generated())) {
    assert.equal(readFileSync(path, "utf8"), content, `${path}: run \`npm run generate\` in editors`);
  }
});

test("every setting that the code reads is declared", () => {
  const declared = Object.keys(manifest.contributes.configuration.properties);
  const used = [...sources.matchAll(/\.get\("([\w.]+)", /g)].map(([, name]) => `lacuna.${name}`);
  assert.ok(used.length >= 2);
  for (const name of used) assert.ok(declared.includes(name), name);
});

test("every command is the extension's own or the server's", () => {
  const own = [...sources.matchAll(/command\("(lacuna\.\w+)"/g)].map(([, name]) => name);
  const served = ["lacuna.trace", "lacuna.setTarget", "lacuna.preview", "lacuna.extract", "lacuna.check"];
  for (const { command } of manifest.contributes.commands) {
    assert.ok(own.includes(command) || served.includes(command), command);
    assert.ok(!(own.includes(command) && served.includes(command)), `${command} would be registered twice`);
  }
});

test("files of every language that the server is told of start the extension", () => {
  const [, list] = /LANGUAGES = (\[.*\])/.exec(sources);
  const events = manifest.activationEvents.filter((event) => event.startsWith("onLanguage:"));
  assert.deepEqual(events, JSON.parse(list).map((language) => `onLanguage:${language}`));
});

test("every colour that the code uses is declared", () => {
  const declared = manifest.contributes.colors.map(({ id }) => id);
  for (const role of ["top", "specific", "orphaned", "shared", "protected"]) {
    assert.ok(declared.includes(`lacuna.${role}`) && declared.includes(`lacuna.${role}Background`), role);
  }
});
