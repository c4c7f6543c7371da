// The server's own requests and notifications; `docs/lsp-extensions.md` documents them.

/** What one test file offers as a target. */
export interface FeatureRow {
  target: string;
  tests: number;
  top: number;
  symbols: number;
  files: number;
  lines: number;
  collateral: number;
  kept: number;
  offer: string;
}

export type Role = "top" | "specific" | "orphaned" | "shared" | "protected";

/** A symbol's range in a file and what it is to the active feature. */
export interface RoleRange {
  range: { start: { line: number }; end: { line: number } };
  role: Role;
  symbol: string;
}

/** The feature as a graph: of interest to the page, which knows its content. */
export type FeatureGraph = { version: number; target: string[] };

/** One step of a chain from a test to a symbol. */
export interface Link {
  from: string;
  to: string;
  provenance: string;
  how: string;
  path: string;
  line: number;
}

/** A file of the starting tree that differs from the full tree; without a text where it is gone. */
export interface PreviewFile {
  uri: string;
  path: string;
  text: string | null;
}

/** The answers of the requests without parameters. */
export interface Answers {
  "lacuna/features": { features: FeatureRow[] };
  "lacuna/featureGraph": { graph: FeatureGraph };
  "lacuna/interface": { markdown: string };
  "lacuna/patch": { removal: string };
  "lacuna/preview": { target: string[]; files: PreviewFile[] };
}

/** What `lacuna/showChain` answers; no step where no test comes to the symbol. */
export interface ShownChain {
  symbol: string;
  chain: Link[];
}

/** Parameters of `lacuna/featureChanged`. */
export interface FeatureChanged {
  target: string[];
}

/** What the rest of the extension needs of the server. */
export interface Server {
  ask<M extends keyof Answers>(method: M): Promise<Answers[M]>;
  roles(uri: string): Promise<RoleRange[]>;
  chain(symbol: string): Promise<ShownChain>;
  /** The target of the active feature; empty if there is none. */
  readonly target: readonly string[];
}
