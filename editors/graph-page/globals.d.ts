// What the scripts of the page find beside themselves: the graph library, and the editor if there is one.

/// <reference types="cytoscape" />

declare const acquireVsCodeApi: undefined | (() => { postMessage(message: unknown): void });
