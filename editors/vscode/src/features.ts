// The tree view: what every test file offers, and which target is active.

import * as vscode from "vscode";
import type { Server } from "./protocol";
import { type Entry, description, hasFeature, label, tooltip, tree } from "./rows";
import { open } from "./places";

export class FeatureTree implements vscode.TreeDataProvider<Entry> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly server: Server) {}

  refresh(): void {
    this.changed.fire();
  }

  async getChildren(entry?: Entry): Promise<Entry[]> {
    if (entry) return entry.kind === "folder" ? entry.entries : [];
    return tree((await this.server.ask("lacuna/features")).features);
  }

  getTreeItem(entry: Entry): vscode.TreeItem {
    if (entry.kind === "folder") {
      const item = new vscode.TreeItem(entry.name, vscode.TreeItemCollapsibleState.Expanded);
      item.iconPath = vscode.ThemeIcon.Folder;
      return item;
    }
    const { row } = entry;
    const isActive = this.server.target.includes(row.target);
    const item = new vscode.TreeItem(label(row));
    item.description = description(row);
    item.tooltip = tooltip(row);
    item.contextValue = hasFeature(row) ? "feature" : "nothing";
    item.iconPath = isActive
      ? new vscode.ThemeIcon("target", new vscode.ThemeColor("lacuna.top"))
      : new vscode.ThemeIcon(hasFeature(row) ? "beaker" : "circle-slash");
    item.command = { command: "lacuna.open", title: "Open", arguments: [row.target] };
    return item;
  }
}

/** Opens the file of a target. */
export async function openTarget(target: string): Promise<void> {
  await open(target.split("::")[0] ?? target, 1);
}
