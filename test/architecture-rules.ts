/**
 * Who may import whom. A source file that no part covers fails the test: a new folder is put in this table first.
 * Files of one part import each other freely; tests (`*.test.ts`, `*.contract.ts` and the
 * `testing/` folder beside src) import anything in their package.
 */
export const packages: readonly PackageRule[] = [
  {
    folder: 'mcp',
    name: '@hawser/mcp',
    mayImportPackages: [],
    parts: [
      { name: 'jsonrpc', at: ['jsonrpc/'], mayImport: [] },
      // Who may speak to a local server: one answer for every transport that listens on a port.
      { name: 'transports/loopback.ts', at: ['transports/loopback.ts'], mayImport: [], builtins: 'allowed' },
      { name: 'transports/sdk.ts', at: ['transports/sdk.ts'], mayImport: ['jsonrpc'] },
      // Streamable HTTP is MCP's own: sessions and headers are part of the protocol.
      {
        name: 'transports/http',
        at: ['transports/http/'],
        mayImport: ['jsonrpc', 'protocol', 'transports/loopback.ts'],
        builtins: 'allowed',
      },
      {
        name: 'transports',
        at: ['transports/<each>/'],
        siblings: 'strangers',
        mayImport: ['jsonrpc', 'transports/loopback.ts'],
        builtins: 'allowed',
        npmByFolder: { websocket: ['ws'] },
      },
      {
        name: 'protocol/schema',
        at: ['protocol/schema/', 'protocol/schema.ts'],
        mayImport: ['jsonrpc', 'protocol'],
        npm: ['ajv', '@standard-schema/spec'],
      },
      {
        name: 'protocol/revisions',
        at: ['protocol/revisions/<each>/'],
        siblings: 'earlier',
        mayImport: ['jsonrpc', 'protocol', 'protocol/schema'],
      },
      { name: 'protocol', at: ['protocol/'], mayImport: ['jsonrpc', 'protocol/schema', 'protocol/revisions'] },
      { name: 'server', at: ['server/'], mayImport: ['jsonrpc', 'protocol', 'protocol/schema', 'protocol/revisions'] },
      { name: 'client', at: ['client/'], mayImport: ['jsonrpc', 'protocol', 'protocol/schema', 'protocol/revisions'] },
      // Public entries: they join parts and hold no logic of their own.
      { name: 'entries', at: ['*.ts'], mayImport: 'everything' },
    ],
  },
  {
    folder: 'bridge',
    name: 'hawser',
    mayImportPackages: ['mcp'],
    environmentReadBy: ['main.ts'],
    parts: [
      { name: 'editor.ts', at: ['editor.ts'], mayImport: [] },
      // What every editor is built on.
      {
        name: 'editor parts',
        at: ['editors/file-watch.ts', 'editors/languages.ts', 'editors/listeners.ts', 'editors/openable-file.ts'],
        mayImport: ['editor.ts'],
        builtins: 'allowed',
      },
      {
        name: 'editors',
        at: ['editors/<each>/'],
        siblings: 'strangers',
        mayImport: ['editor.ts', 'editor parts', 'review'],
        builtins: 'allowed',
        npmByFolder: { neovim: ['neovim'], terminal: ['ink', 'react', 'highlight.js'], vscode: ['vscode'] },
      },
      { name: 'door.ts', at: ['door.ts'], mayImport: [], mayImportTypes: ['editor.ts'] },
      {
        name: 'doors',
        at: ['doors/<each>/'],
        siblings: 'strangers',
        mayImport: ['door.ts', 'editor.ts', 'discovery', 'guard.ts', 'proposals.ts', 'review', 'workbench'],
        mayImportPackages: ['mcp'],
        builtins: 'allowed',
      },
      { name: 'discovery', at: ['discovery/'], mayImport: [], builtins: 'allowed' },
      { name: 'guard.ts', at: ['guard.ts', 'glob.ts'], mayImport: [], builtins: 'allowed' },
      { name: 'proposals.ts', at: ['proposals.ts'], mayImport: [], mayImportTypes: ['editor.ts'] },
      {
        // What every door builds its tools on.
        name: 'workbench',
        at: ['workbench.ts', 'entrance.ts', 'tool-texts.ts', 'selection-feed.ts', 'old-text.ts'],
        mayImport: ['discovery', 'door.ts', 'editor.ts', 'guard.ts', 'proposals.ts'],
        mayImportPackages: ['mcp'],
        builtins: 'allowed',
      },
      { name: 'review', at: ['review/'], mayImport: [], mayImportTypes: ['editor.ts'] },
      // Where proposals wait for a person.
      { name: 'desk.ts', at: ['desk.ts'], mayImport: ['review'], mayImportTypes: ['editor.ts'] },
      {
        // How the person's commands reach a running bridge.
        name: 'control',
        at: ['control/'],
        mayImport: ['discovery', 'review'],
        mayImportTypes: ['desk.ts', 'door.ts', 'editor.ts', 'guard.ts'],
        mayImportPackages: ['mcp'],
        builtins: 'allowed',
      },
      // What a terminal needs to be told, and what it tells; knows nothing of proposals.
      { name: 'terminal', at: ['terminal/'], mayImport: [], builtins: 'allowed' },
      {
        // Proposals in a terminal.
        name: 'review-view',
        at: ['review-view/'],
        mayImport: ['control', 'review', 'terminal'],
        mayImportTypes: ['desk.ts'],
        mayImportPackages: ['mcp'],
        builtins: 'allowed',
      },
      { name: 'bridge.ts', at: ['bridge.ts'], mayImport: ['door.ts', 'editor.ts'] },
      {
        name: 'main',
        at: ['cli/', 'main.ts'],
        mayImport: 'everything',
        mayImportPackages: ['mcp'],
        builtins: 'allowed',
        npm: ['commander'],
      },
    ],
  },
  {
    folder: 'lisp',
    name: '@hawser/lisp',
    mayImportPackages: ['mcp'],
    environmentReadBy: ['main.ts'],
    parts: [
      { name: 'evaluator.ts', at: ['evaluator.ts'], mayImport: [] },
      { name: 'clock.ts', at: ['clock.ts'], mayImport: [] },
      // The process, the wire and the Lisp that every engine with a worker has.
      {
        name: 'evaluators/worker',
        at: ['evaluators/worker/'],
        mayImport: ['evaluator.ts', 'clock.ts'],
        builtins: 'allowed',
      },
      {
        name: 'evaluators',
        at: ['evaluators/<each>/'],
        siblings: 'strangers',
        mayImport: ['evaluator.ts', 'evaluators/worker'],
        builtins: 'allowed',
      },
      {
        name: 'sessions.ts',
        at: [
          'sessions.ts',
          'session.ts',
          'session-problem.ts',
          'idle-timer.ts',
          'transcript.ts',
          'breaker.ts',
          'durations.ts',
        ],
        mayImport: ['evaluator.ts', 'clock.ts'],
      },
      // Reads the text of Lisp code; works where there is no Lisp.
      { name: 'syntax', at: ['syntax/'], mayImport: [] },
      // Asks the agent for its roots.
      {
        name: 'roots.ts',
        at: ['roots.ts'],
        mayImport: ['sessions.ts'],
        mayImportPackages: ['mcp'],
        builtins: 'allowed',
      },
      { name: 'resources/uris.ts', at: ['resources/uris.ts'], mayImport: [] },
      {
        name: 'tools',
        at: ['tools/'],
        mayImport: ['evaluator.ts', 'sessions.ts', 'roots.ts', 'resources/uris.ts', 'syntax'],
        mayImportPackages: ['mcp'],
      },
      {
        name: 'resources',
        at: ['resources/'],
        mayImport: ['resources/uris.ts', 'sessions.ts', 'tools'],
        mayImportPackages: ['mcp'],
      },
      { name: 'prompts', at: ['prompts/'], mayImport: [], mayImportPackages: ['mcp'] },
      {
        name: 'main',
        at: ['cli/', 'main.ts'],
        mayImport: 'everything',
        mayImportPackages: ['mcp'],
        builtins: 'allowed',
        npm: ['commander'],
      },
    ],
  },
];

/** The most lines a source file may have; tests are not counted. */
export const longestFile = 400;

export interface PackageRule {
  /** The folder under packages/. */
  readonly folder: string;
  /** The name other packages import it by. */
  readonly name: string;
  /** Packages, by folder, that its tests may import; parts name theirs one by one. */
  readonly mayImportPackages: readonly string[];
  /** The only files that may read process.env and process.argv; no such rule when absent. */
  readonly environmentReadBy?: readonly string[];
  /** The first part that covers a file is the file's part. */
  readonly parts: readonly PartRule[];
}

export interface PartRule {
  readonly name: string;
  /**
   * Places under src: `review/` is a folder and all below it, `transports/<each>/` each folder there as a part of its own,
   * `editor.ts` one file, `*.ts` the files directly in src.
   */
  readonly at: readonly string[];
  /** Names of parts of the same package. */
  readonly mayImport: readonly string[] | 'everything';
  /** Names of parts of the same package, with `import type` only. */
  readonly mayImportTypes?: readonly string[];
  /** Between the folders of `x/<each>/`: none imports another, or only one whose name sorts before its own. */
  readonly siblings?: 'strangers' | 'earlier';
  /** Other packages of this repository, by folder. */
  readonly mayImportPackages?: readonly string[];
  /** Modules of Node itself; forbidden when absent. */
  readonly builtins?: 'allowed';
  readonly npm?: readonly string[];
  /** The same for one folder of `x/<each>/`. */
  readonly npmByFolder?: Readonly<Record<string, readonly string[]>>;
}
