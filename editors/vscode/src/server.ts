// The server: starting it, its own requests, and the commands that it carries out.

import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";
import type { Answers, FeatureChanged, RoleRange, Server, ShownChain } from "./protocol";

/** The languages whose files the server is told of. */
export const LANGUAGES = ["python", "rust", "go"];

type Next = (command: string, args: unknown[]) => unknown;

export class LacunaServer implements Server {
  private readonly client: LanguageClient;
  private readonly changed = new vscode.EventEmitter<void>();
  /** Fires when the active feature, or what is known of it, has changed. */
  readonly onFeatureChanged = this.changed.event;
  target: string[] = [];

  /** `around` sees every command that the server carries out, and may fill in its arguments. */
  constructor(around: (command: string, args: unknown[], next: Next) => unknown) {
    const settings = vscode.workspace.getConfiguration("lacuna");
    const run: ServerOptions = { command: settings.get("server.path", "lacuna"), args: ["lsp"] };
    const options: LanguageClientOptions = {
      documentSelector: LANGUAGES.map((language) => ({ scheme: "file", language })),
      initializationOptions: settings,
      synchronize: { configurationSection: "lacuna" },
      middleware: { executeCommand: around },
    };
    this.client = new LanguageClient("lacuna", "Lacuna", run, options);
    this.client.onNotification("lacuna/featureChanged", ({ target }: FeatureChanged) => {
      this.target = target;
      this.changed.fire();
    });
  }

  async start(): Promise<void> {
    await this.client.start();
  }

  async restart(): Promise<void> {
    this.target = [];
    await this.client.restart();
    this.changed.fire();
  }

  async stop(): Promise<void> {
    if (this.client.needsStop()) await this.client.stop();
    this.changed.dispose();
  }

  async ask<M extends keyof Answers>(method: M): Promise<Answers[M]> {
    return this.client.sendRequest<Answers[M]>(method, {});
  }

  async roles(uri: string): Promise<RoleRange[]> {
    const answer = await this.client.sendRequest<{ ranges: RoleRange[] }>("lacuna/roles", { textDocument: { uri } });
    return answer.ranges;
  }
  async chain(symbol: string): Promise<ShownChain> {
    return this.client.sendRequest<ShownChain>("lacuna/showChain", { symbol });
  }
}
