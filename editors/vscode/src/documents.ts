// Documents that no file holds: the interface, the removal patch, and files of the starting tree.

import * as vscode from "vscode";
import type { Server } from "./protocol";
import { count } from "./rows";

export const SCHEME = "lacuna";
const INTERFACE = vscode.Uri.parse(`${SCHEME}:/interface.md`);
const PATCH = vscode.Uri.parse(`${SCHEME}:/removal.patch`);

export class Documents implements vscode.TextDocumentContentProvider {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  /** The files of the starting tree that were previewed last, by path. */
  private starting = new Map<string, string>();

  constructor(private readonly server: Server) {}

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    switch (uri.path) {
      case INTERFACE.path:
        return (await this.server.ask("lacuna/interface")).markdown;
      case PATCH.path:
        return (await this.server.ask("lacuna/patch")).removal;
      default:
        return this.starting.get(uri.path) ?? "";
    }
  }

  /** Lets open documents be asked for again. */
  refresh(): void {
    if (!this.server.target.length) return;
    this.changed.fire(INTERFACE);
    this.changed.fire(PATCH);
  }

  async showInterface(): Promise<void> {
    await vscode.commands.executeCommand("markdown.showPreview", INTERFACE);
  }

  async showPatch(): Promise<void> {
    await vscode.window.showTextDocument(PATCH, { preview: true });
  }

  /** Shows what the starting tree lacks: every file that differs, side by side with its full text. */
  async preview(): Promise<void> {
    const { target, files } = await this.server.ask("lacuna/preview");
    const changes = files.map(({ uri, path, text }) => {
      const full = vscode.Uri.parse(uri);
      if (text === null) return [full, full, undefined];
      const starting = vscode.Uri.from({ scheme: SCHEME, path: `/starting/${path}` });
      this.starting.set(starting.path, text);
      this.changed.fire(starting);
      return [full, full, starting];
    });
    const title = `Starting tree of ${target.join(", ")}: ${count(files.length, "file")}`;
    await vscode.commands.executeCommand("vscode.changes", title, changes);
  }
}
