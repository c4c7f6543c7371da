// What is asked of a person before the server carries out a command, and what is shown after.

import * as path from "node:path";
import * as vscode from "vscode";
import { open } from "./places";
import type { Server } from "./protocol";
import { description } from "./rows";

type Next = (command: string, args: unknown[]) => unknown;

/** Carries out a command of the server. */
export async function around(server: Server, command: string, args: unknown[], next: Next): Promise<unknown> {
  // A menu hands over what was clicked on, which means nothing to the server.
  const plain = args.filter((arg) => typeof arg === "string" || Array.isArray(arg));
  const given = plain.length ? plain : await ask(server, command);
  if (!given) return undefined;
  const result = await next(command, given);
  await show(command, result);
  return result;
}

/** The arguments that a person chooses; none if nothing is chosen. */
async function ask(server: Server, command: string): Promise<unknown[] | undefined> {
  switch (command) {
    case "lacuna.setTarget":
      return chooseTargets(server);
    case "lacuna.extract":
      return server.target.length ? [] : chooseTargets(server);
    case "lacuna.check":
      return chooseTask();
    default:
      return [];
  }
}

async function chooseTargets(server: Server): Promise<string[] | undefined> {
  const { features } = await server.ask("lacuna/features");
  const rows = features.map((row) => ({ label: row.target, description: description(row) }));
  if (!rows.length) {
    void vscode.window.showInformationMessage("No run of the suite is recorded yet: run and record it first.");
    return undefined;
  }
  const chosen = await vscode.window.showQuickPick(rows, { placeHolder: "The tests that define the feature" });
  return chosen && [chosen.label];
}

async function chooseTask(): Promise<string[] | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const chosen = await vscode.window.showOpenDialog({
    canSelectFiles: false,
    canSelectFolders: true,
    openLabel: "Check this task",
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, "lacuna.out") }),
  });
  return chosen?.[0] && [chosen[0].fsPath];
}

async function show(command: string, result: unknown): Promise<void> {
  switch (command) {
    case "lacuna.extract":
      return showTask(result as { directory?: string } | null);
    case "lacuna.check":
      return showVerdict(result as { holds?: boolean; claims?: unknown[] } | null);
    default:
  }
}

async function showTask(result: { directory?: string } | null): Promise<void> {
  if (!result?.directory) return;
  const instruction = "Open Instruction";
  const name = path.basename(result.directory);
  const chosen = await vscode.window.showInformationMessage(`The task ${name} is written and holds.`, instruction);
  if (chosen) await vscode.window.showTextDocument(vscode.Uri.file(path.join(result.directory, "instruction.md")));
}

async function showVerdict(result: { holds?: boolean } | null): Promise<void> {
  if (result?.holds === true) void vscode.window.showInformationMessage("The task holds.");
  if (result?.holds === false) void vscode.window.showWarningMessage("The task does not hold; the log says which claims fail.");
}

/** The steps of a symbol's chain to choose from; the chosen one's place is opened. */
export async function showChain(server: Server, symbol: unknown): Promise<void> {
  const result = await server.chain(String(symbol));
  const [first] = result.chain;
  if (!first) {
    void vscode.window.showInformationMessage(`No target test reaches ${result.symbol}.`);
    return;
  }
  const steps = result.chain.map((link) => ({
    label: `→ ${link.to.split("::").pop()}`,
    description: `${link.provenance} ${link.how}`,
    detail: `${link.path}:${link.line}`,
    link,
  }));
  const chosen = await vscode.window.showQuickPick(steps, { title: `From ${first.from}`, placeHolder: "Open the place of a step" });
  if (chosen) await open(chosen.link.path, chosen.link.line);
}
