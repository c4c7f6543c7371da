// A stand-in for VS Code: what the extension and the protocol's client use of its interface, without any
// display. What they only register or ask for in passing does nothing.

import { EventEmitter as Emitter } from "node:events";
import { readFileSync, statSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { URI, Utils } from "vscode-uri";

const require = createRequire(import.meta.url);

/** A value that has every property and can be called and constructed. */
function anything(known = {}) {
  return new Proxy(function () {}, {
    get(_, key) {
      if (key in known) return known[key];
      if (key === Symbol.toPrimitive) return () => 0;
      return key === "then" || key === "prototype" || typeof key === "symbol" ? Reflect.get(_, key) : (known[key] = anything());
    },
    has: (_, key) => key in known,
    apply: () => anything(),
    construct: () => anything(),
  });
}

class EventEmitter {
  listeners = new Set();
  event = (listener, self) => {
    const bound = self ? listener.bind(self) : listener;
    this.listeners.add(bound);
    return new Disposable(() => this.listeners.delete(bound));
  };
  fire(value) {
    for (const listener of [...this.listeners]) listener(value);
  }
  dispose() {
    this.listeners.clear();
  }
}

class Disposable {
  constructor(dispose) {
    this.dispose = dispose;
  }
  static from(...all) {
    return new Disposable(() => all.forEach((one) => one.dispose()));
  }
}

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}

class Range {
  constructor(start, from, end, to) {
    const isPair = typeof start !== "number";
    this.start = isPair ? start : new Position(start, from);
    this.end = isPair ? from : new Position(end, to);
  }
}

class CancellationTokenSource {
  token = { isCancellationRequested: false, onCancellationRequested: new EventEmitter().event };
  cancel() {}
  dispose() {}
}

class TreeItem {
  constructor(label) {
    this.label = label;
  }
}

class ThemeColor {
  constructor(id) {
    this.id = id;
  }
}

class ThemeIcon extends ThemeColor {}

/** A file as the editor shows it. */
function editorOf(uri, languageId) {
  const text = readFileSync(uri.fsPath, "utf8");
  const document = { uri, languageId, version: 1, isDirty: false, lineCount: text.split("\n").length, getText: () => text };
  const decorations = new Map();
  return { document, decorations, setDecorations: (type, ranges) => decorations.set(type, ranges) };
}

/**
 * An editor with a folder and some of its files open.
 * `log` tells what happened: `commands` registered, `messages` shown, `panels` opened, `executed` elsewhere.
 */
export function editor(folder, files, settings) {
  const commands = new Map();
  const log = { messages: [], panels: [], executed: [], tree: undefined, provider: undefined, happened: new Emitter() };
  const editors = files.map(([path, language]) => editorOf(URI.file(`${folder}/${path}`), language));
  const none = () => new Disposable(() => {});
  const say = async (message) => void log.messages.push(message);
  const configuration = { ...settings, get: (name, otherwise) => settings[name] ?? otherwise, inspect: () => undefined, has: (name) => name in settings };
  const window = {
    visibleTextEditors: editors, activeTextEditor: editors[0], tabGroups: anything({ all: [], onDidChangeTabs: none, onDidChangeTabGroups: none }),
    showErrorMessage: say, showWarningMessage: say, showInformationMessage: say,
    onDidChangeVisibleTextEditors: none, onDidChangeActiveTextEditor: none,
    createOutputChannel: (name) => anything({ name, append: () => {}, appendLine: () => {}, logLevel: 2, onDidChangeLogLevel: none }),
    createStatusBarItem: () => (log.status = { show() {}, dispose() {} }),
    createTextEditorDecorationType: (options) => ({ options, dispose() {} }),
    createTreeView: (_, { treeDataProvider }) => ((log.tree = treeDataProvider), new Disposable(() => {})),
    createWebviewPanel: (type, title) => {
      const panel = { type, title, reveal() {}, onDidDispose: none, sent: [] };
      panel.webview = { onDidReceiveMessage: (listener) => (panel.receive = listener), postMessage: async (it) => panel.sent.push(it), html: "" };
      log.panels.push(panel);
      return panel;
    },
    showTextDocument: async (what, options) => void log.executed.push(["showTextDocument", String(what), options]),
    showQuickPick: async (items) => (log.offered = items)[0],
    withProgress: (_, work) => work({ report() {} }, new CancellationTokenSource().token),
  };
  const workspace = {
    workspaceFolders: [{ uri: URI.file(folder), name: "project", index: 0 }],
    textDocuments: editors.map(({ document }) => document),
    notebookDocuments: [],
    getConfiguration: () => configuration,
    getWorkspaceFolder: () => workspace.workspaceFolders[0],
    registerTextDocumentContentProvider: (_, provider) => ((log.provider = provider), new Disposable(() => {})),
    createFileSystemWatcher: () => anything({ dispose() {} }),
    fs: {
      stat: async (uri) => statSync(uri.fsPath),
      readFile: async (uri) => readFileSync(uri.fsPath),
    },
  };
  const register = (name, run) => {
    if (commands.has(name)) throw new Error(`command '${name}' already exists`);
    commands.set(name, run);
    return new Disposable(() => commands.delete(name));
  };
  const execute = async (name, ...args) => {
    const run = commands.get(name);
    return run ? run(...args) : void log.executed.push([name, ...args]);
  };
  const vscode = anything({
    EventEmitter, Disposable, Position, Range, CancellationTokenSource, TreeItem, ThemeColor, ThemeIcon,
    Uri: Object.assign(URI, { joinPath: Utils.joinPath }),
    window: anything(window),
    workspace: anything(workspace),
    commands: { registerCommand: register, executeCommand: execute },
    languages: anything({ match: (selector, document) => [selector].flat().some((one) => one.language === document.languageId) ? 10 : 0 }),
    env: anything({ appName: "stand-in", language: "en", machineId: "none", appHost: "desktop" }),
    version: "1.91.0",
    StatusBarAlignment: { Left: 1, Right: 2 }, ViewColumn: { Active: -1, Beside: -2, One: 1 },
    TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 },
    OverviewRulerLane: { Left: 1 }, DecorationRangeBehavior: { ClosedClosed: 1 },
    UIKind: { Desktop: 1, Web: 2 }, LogLevel: { Off: 0, Trace: 1, Debug: 2, Info: 3, Warning: 4, Error: 5 },
  });
  return { vscode, log, execute, editors, extensionUri: URI.file(new URL("..", import.meta.url).pathname) };
}

/** Loads the bundled extension into a stand-in. */
export function load(vscode) {
  const original = Module._load;
  // The bundle copies what its import has; it is to ask for it each time instead.
  const whole = new Proxy({ __esModule: true }, { get: (own, key) => own[key] ?? vscode[key], getPrototypeOf: () => whole });
  Module._load = (name, ...rest) => (name === "vscode" ? whole : original(name, ...rest));
  try {
    return require("../out/extension.js");
  } finally {
    Module._load = original;
  }
}
