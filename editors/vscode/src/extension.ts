// The extension: starts the server and connects it with the views and commands.

import * as vscode from "vscode";
import { around, showChain } from "./commands";
import { Documents, SCHEME } from "./documents";
import { FeatureTree, openTarget } from "./features";
import { GraphView } from "./graph";
import { RoleColours } from "./roles";
import type { Entry } from "./rows";
import { LANGUAGES, LacunaServer } from "./server";

let server: LacunaServer | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const started = new LacunaServer((command, args, next) => carryOut(started, command, args, next));
  server = started;
  const tree = new FeatureTree(started);
  const roles = new RoleColours(started);
  const graph = new GraphView(started, vscode.Uri.joinPath(context.extensionUri, "out", "graph-page"));
  const documents = new Documents(started);
  const status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Left);
  status.command = "lacuna.setTarget";

  const refresh = () => {
    tree.refresh();
    roles.refresh();
    documents.refresh();
    void graph.refresh();
    status.text = started.target.length ? `$(target) ${started.target.join(", ")}` : "$(target) no active feature";
    status.show();
  };
  const command = (name: string, run: (...args: never[]) => unknown) =>
    vscode.commands.registerCommand(name, (...args: never[]) => told(() => run(...args)));
  const target = (entry: Entry) => (entry.kind === "file" ? entry.row.target : entry.path);
  const after = settled(() => roles.refresh());

  context.subscriptions.push(
    status,
    roles,
    vscode.window.createTreeView("lacuna.features", { treeDataProvider: tree }),
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, documents),
    started.onFeatureChanged(refresh),
    vscode.window.onDidChangeVisibleTextEditors(() => roles.refresh()),
    vscode.workspace.onDidChangeTextDocument(after),
    vscode.workspace.onDidSaveTextDocument(traceOnSave),
    command("lacuna.showGraph", () => graph.show()),
    command("lacuna.showInterface", () => documents.showInterface()),
    command("lacuna.showPatch", () => documents.showPatch()),
    command("lacuna.refresh", refresh),
    command("lacuna.restart", () => started.restart()),
    command("lacuna.open", (path: string) => openTarget(path)),
    command("lacuna.activate", (entry: Entry) => vscode.commands.executeCommand("lacuna.setTarget", target(entry))),
    command("lacuna.extractThis", (entry: Entry) => vscode.commands.executeCommand("lacuna.extract", target(entry))),
  );
  await told(() => started.start());
  refresh();

  async function carryOut(...[server, name, args, next]: Parameters<typeof around>): Promise<unknown> {
    // These are shown in the editor's own way, where the commands answer for any editor.
    if (name === "lacuna.preview") return documents.preview();
    if (name === "lacuna.showChain") return showChain(server, args[0]);
    const result = await around(server, name, args, next);
    if (name === "lacuna.trace") refresh();
    return result;
  }
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

/** Does something and tells a person why it could not be done. */
async function told<T>(work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    void vscode.window.showErrorMessage(`Lacuna: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/** Does something once calls have stopped coming. */
function settled(work: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, 300);
  };
}

let tracing = false;

async function traceOnSave(document: vscode.TextDocument): Promise<void> {
  const isWanted = vscode.workspace.getConfiguration("lacuna").get("traceOnSave", false);
  if (!isWanted || tracing || !LANGUAGES.includes(document.languageId)) return;
  tracing = true;
  await told(() => vscode.commands.executeCommand("lacuna.trace"));
  tracing = false;
}
