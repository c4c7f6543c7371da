// Places in the project: paths from its root, as the server gives them, and files of the editor.

import * as vscode from "vscode";

/** The file with a path from the root of the project; of several folders the first that has one. */
export async function find(path: string): Promise<vscode.Uri | undefined> {
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    const uri = vscode.Uri.joinPath(folder.uri, path);
    try {
      await vscode.workspace.fs.stat(uri);
      return uri;
    } catch {
      // Another folder may have it.
    }
  }
  return undefined;
}

/** Shows a line, counted from 1, of a file, beside what asks for it if that is no text. */
export async function open(path: string, line: number, column = vscode.ViewColumn.Active): Promise<void> {
  const uri = await find(path);
  if (!uri) {
    void vscode.window.showWarningMessage(`The workspace has no file ${path}.`);
    return;
  }
  const start = new vscode.Position(Math.max(0, line - 1), 0);
  await vscode.window.showTextDocument(uri, { viewColumn: column, selection: new vscode.Range(start, start) });
}
