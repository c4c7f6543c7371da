// The graph page for a view of the editor: the same files as `lacuna show --format html` puts together.

import type { FeatureGraph } from "./protocol";

/** The files of the page. */
export interface Assets {
  page: string;
  style: string;
  library: string;
  scripts: string[];
}

/** The page of a graph; `nonce` tells its own scripts from others. */
export function render(assets: Assets, graph: FeatureGraph, nonce: string): string {
  const parts: Record<string, string> = {
    nonce,
    title: "Feature",
    style: assets.style,
    // No text in it can end the element that it stands in.
    graph: JSON.stringify(graph).replaceAll("<", "\\u003c"),
    library: assets.library,
    script: assets.scripts.join(""),
  };
  return assets.page.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => parts[name] ?? "");
}

/** The scripts of the page in their order. */
export const SCRIPTS = ["layout.js", "details.js", "page.js"];
