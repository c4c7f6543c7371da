// Colours the lines of the active feature's symbols by their roles.

import * as vscode from "vscode";
import { linesByRole } from "./lines";
import type { Role, Server } from "./protocol";
import { LANGUAGES } from "./server";

const ROLES: Role[] = ["top", "specific", "orphaned", "shared", "protected"];

export class RoleColours implements vscode.Disposable {
  private readonly decorations = new Map(ROLES.map((role) => [role, decoration(role)]));

  constructor(private readonly server: Server) {}

  /** Colours every editor that can be seen. */
  refresh(): void {
    for (const editor of vscode.window.visibleTextEditors) void this.colour(editor);
  }

  private async colour(editor: vscode.TextEditor): Promise<void> {
    const { document } = editor;
    if (document.uri.scheme !== "file" || !LANGUAGES.includes(document.languageId)) return;
    const version = document.version;
    const ranges = this.server.target.length ? await this.server.roles(document.uri.toString()) : [];
    // An answer about an older text would colour wrong lines; a newer one is on its way.
    if (document.version !== version) return;
    const lines = linesByRole(ranges);
    for (const [role, decoration] of this.decorations) {
      const runs = lines.get(role) ?? [];
      editor.setDecorations(decoration, runs.map(({ first, last }) => new vscode.Range(first, 0, last, 0)));
    }
  }

  dispose(): void {
    for (const decoration of this.decorations.values()) decoration.dispose();
  }
}

function decoration(role: Role): vscode.TextEditorDecorationType {
  const colour = new vscode.ThemeColor(`lacuna.${role}`);
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor(`lacuna.${role}Background`),
    borderWidth: "0 0 0 3px",
    borderStyle: "solid",
    borderColor: colour,
    overviewRulerColor: colour,
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
}
