// The graph of the active feature in a view beside the text.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { type Assets, SCRIPTS, render } from "./page";
import { open } from "./places";
import type { Server } from "./protocol";

export class GraphView {
  private panel: vscode.WebviewPanel | undefined;

  constructor(
    private readonly server: Server,
    private readonly folder: vscode.Uri,
  ) {}

  /** Shows the graph, in the view that is open already if there is one. */
  async show(): Promise<void> {
    const { graph } = await this.server.ask("lacuna/featureGraph");
    if (this.panel) {
      this.panel.reveal();
      return;
    }
    const panel = vscode.window.createWebviewPanel("lacuna.graph", "Feature", vscode.ViewColumn.Beside, {
      enableScripts: true,
      localResourceRoots: [],
      retainContextWhenHidden: true,
    });
    this.panel = panel;
    panel.onDidDispose(() => (this.panel = undefined));
    panel.webview.onDidReceiveMessage((message: { type?: string; path?: string; line?: number }) => {
      if (message.type === "open" && message.path) void open(message.path, message.line ?? 1, vscode.ViewColumn.One);
    });
    panel.webview.html = render(await this.assets(), graph, randomBytes(16).toString("hex"));
  }

  /** Brings the new graph into the view, if it is open. */
  async refresh(): Promise<void> {
    if (!this.panel || !this.server.target.length) return;
    const { graph } = await this.server.ask("lacuna/featureGraph");
    await this.panel?.webview.postMessage({ type: "graph", graph });
  }

  private async assets(): Promise<Assets> {
    const read = async (name: string) => {
      const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(this.folder, name));
      return Buffer.from(bytes).toString("utf8");
    };
    return {
      page: await read("page.html"),
      style: await read("page.css"),
      library: await read("vendor/cytoscape.min.js"),
      scripts: await Promise.all(SCRIPTS.map(read)),
    };
  }
}
