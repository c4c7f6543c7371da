// The tree of features: folders with their test files, and what a row says.

import type { FeatureRow } from "./protocol";

export type Entry = Folder | { kind: "file"; row: FeatureRow };

/** A folder; those with a single folder in them are joined. */
export interface Folder {
  kind: "folder";
  name: string;
  path: string;
  entries: Entry[];
}

/** The rows in their folders, folders first, each in the order of names. */
export function tree(rows: readonly FeatureRow[]): Entry[] {
  const root: Folder = { kind: "folder", name: "", path: "", entries: [] };
  for (const row of rows) {
    const folders = row.target.split("/").slice(0, -1);
    folders.reduce(inside, root).entries.push({ kind: "file", row });
  }
  return sorted(root.entries).map(joined);
}

function inside(parent: Folder, name: string): Folder {
  const found = parent.entries.find((entry): entry is Folder => entry.kind === "folder" && entry.name === name);
  if (found) return found;
  const path = parent.path ? `${parent.path}/${name}` : name;
  const made: Folder = { kind: "folder", name, path, entries: [] };
  parent.entries.push(made);
  return made;
}

function sorted(entries: Entry[]): Entry[] {
  const key = (entry: Entry) => (entry.kind === "folder" ? `0${entry.name}` : `1${label(entry.row)}`);
  return [...entries].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function joined(entry: Entry): Entry {
  if (entry.kind === "file") return entry;
  const [only, ...others] = entry.entries;
  if (only?.kind === "folder" && !others.length) return joined({ ...only, name: `${entry.name}/${only.name}` });
  return { ...entry, entries: sorted(entry.entries).map(joined) };
}

/** The name of the file. */
export function label(row: FeatureRow): string {
  return row.target.slice(row.target.lastIndexOf("/") + 1);
}

/** What the file's feature takes out, in a few words. */
export function description(row: FeatureRow): string {
  return hasFeature(row) ? `${count(row.lines, "line")} in ${count(row.files, "file")}` : row.offer;
}

/** The same at length. */
export function tooltip(row: FeatureRow): string {
  return [
    row.target,
    `removes ${count(row.symbols, "symbol")}, ${row.top} of them top: ${count(row.lines, "line")} in ${count(row.files, "file")}`,
    `tests: ${row.tests} target, ${row.collateral} collateral, ${row.kept} kept`,
    `offers: ${row.offer}`,
  ].join("\n");
}

/** Whether the target owns anything. */
export function hasFeature(row: FeatureRow): boolean {
  return row.top > 0;
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
