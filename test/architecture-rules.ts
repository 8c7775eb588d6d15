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
      // Who may use a server: the same rules for every transport.
      {
        name: 'transports/access',
        at: ['transports/authorization.ts', 'transports/check-caller-rules.ts', 'transports/loopback.ts'],
        mayImport: ['jsonrpc'],
        mayImportTypes: ['protocol/origin.ts'],
      },
      { name: 'transports/drain.ts', at: ['transports/drain.ts'], mayImport: [], builtins: 'allowed' },
      {
        name: 'transports/start-listening.ts',
        at: ['transports/start-listening.ts'],
        mayImport: [],
        builtins: 'allowed',
      },
      { name: 'transports/sdk.ts', at: ['transports/sdk.ts'], mayImport: ['jsonrpc'] },
      // Streamable HTTP is MCP's own: sessions and headers are part of the protocol. Only these two need Node.
      {
        name: 'transports/http/server/node',
        at: ['transports/http/server/node/'],
        mayImport: [
          'jsonrpc',
          'protocol',
          'protocol/origin.ts',
          'transports/access',
          'transports/http',
          'transports/start-listening.ts',
        ],
        builtins: 'allowed',
      },
      {
        name: 'transports/http/server/fetch',
        at: ['transports/http/server/fetch/'],
        mayImport: ['protocol', 'protocol/origin.ts', 'transports/http'],
      },
      {
        name: 'transports/http/client',
        at: ['transports/http/client/'],
        mayImport: ['jsonrpc', 'protocol'],
        // Types only: browsers have none of them.
        builtins: 'allowed',
      },
      {
        name: 'transports/http/stores/redis',
        at: ['transports/http/stores/redis/'],
        mayImport: ['jsonrpc', 'protocol', 'redis', 'transports/http'],
      },
      {
        name: 'transports/http',
        at: ['transports/http/'],
        mayImport: ['jsonrpc', 'protocol', 'protocol/origin.ts', 'transports/access'],
      },
      {
        name: 'transports',
        at: ['transports/<each>/'],
        siblings: 'strangers',
        mayImport: ['jsonrpc', 'transports/access', 'transports/drain.ts', 'transports/start-listening.ts'],
        mayImportTypes: ['protocol/origin.ts'],
        builtins: 'allowed',
        npmByFolder: { websocket: ['ws'] },
      },
      // Who sent a message: transports report it, handlers read it.
      { name: 'protocol/origin.ts', at: ['protocol/origin.ts'], mayImport: [] },
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
      {
        name: 'protocol',
        at: ['protocol/'],
        mayImport: ['jsonrpc', 'protocol/origin.ts', 'protocol/schema', 'protocol/revisions'],
      },
      // What the stores in Redis share. Knows client libraries by what it calls of them, and none of the stores.
      { name: 'redis', at: ['redis/'], mayImport: ['jsonrpc', 'protocol'] },
      {
        name: 'server/redis',
        at: ['server/event-buses/redis/', 'server/tasks/stores/redis/'],
        mayImport: ['jsonrpc', 'protocol', 'redis', 'server'],
      },
      {
        name: 'server',
        at: ['server/'],
        mayImport: ['jsonrpc', 'protocol', 'protocol/origin.ts', 'protocol/schema', 'protocol/revisions'],
      },
      {
        name: 'client',
        at: ['client/'],
        mayImport: ['jsonrpc', 'protocol', 'protocol/origin.ts', 'protocol/schema', 'protocol/revisions'],
      },
      {
        name: 'oauth/resource-server',
        at: ['oauth/resource-server/'],
        mayImport: ['jsonrpc'],
        mayImportTypes: ['protocol/origin.ts', 'transports/access'],
        npm: ['jose'],
      },
      // Authorizes the requests of the HTTP client.
      {
        name: 'oauth/client',
        at: ['oauth/client/'],
        mayImport: ['jsonrpc', 'transports/access'],
        mayImportTypes: ['transports/http/client'],
        npm: ['oauth4webapi'],
      },
      // Public entries: they join parts and hold no logic of their own.
      { name: 'entries', at: ['*.ts'], mayImport: 'everything' },
    ],
  },
  {
    // What a value from outside is.
    folder: 'unknown-values',
    name: '@hawser/unknown-values',
    mayImportPackages: [],
    importedBy: 'every part',
    parts: [{ name: 'all', at: ['*.ts'], mayImport: [] }],
  },
  {
    // What changes between two texts: pure functions, for Node and for browsers.
    folder: 'diffs',
    name: '@hawser/diffs',
    mayImportPackages: [],
    importedBy: 'every part',
    parts: [{ name: 'all', at: ['*.ts'], mayImport: [], npm: ['diff', 'highlight.js'] }],
  },
  {
    folder: 'terminal-text',
    name: '@hawser/terminal-text',
    mayImportPackages: [],
    parts: [{ name: 'all', at: ['*.ts'], mayImport: [], builtins: 'allowed', npm: ['get-east-asian-width'] }],
  },
  {
    folder: 'command-line',
    name: '@hawser/command-line',
    mayImportPackages: ['terminal-text', 'unknown-values'],
    environmentReadBy: ['process-environment.ts'],
    parts: [{ name: 'all', at: ['*.ts'], mayImport: [], mayImportPackages: ['terminal-text'], builtins: 'allowed' }],
  },
  {
    folder: 'user-files',
    name: '@hawser/user-files',
    mayImportPackages: ['unknown-values'],
    parts: [{ name: 'all', at: ['*.ts'], mayImport: [], builtins: 'allowed' }],
  },
  {
    folder: 'loopback-page',
    name: '@hawser/loopback-page',
    mayImportPackages: ['mcp'],
    parts: [{ name: 'all', at: ['*.ts'], mayImport: [], mayImportPackages: ['mcp'], builtins: 'allowed' }],
  },
  {
    // What pages in the browser share.
    folder: 'page-parts',
    name: '@hawser/page-parts',
    mayImportPackages: ['diffs', 'mcp'],
    parts: [{ name: 'all', at: ['*.ts', 'views/'], mayImport: [], mayImportPackages: ['mcp'], npm: ['preact'] }],
  },
  {
    // A client for any MCP server, which editors are, too. Knows no bridge.
    folder: 'client',
    name: '@hawser/client',
    mayImportPackages: ['command-line', 'loopback-page', 'mcp', 'terminal-text', 'unknown-values', 'user-files'],
    environmentReadBy: [],
    parts: [
      {
        name: 'commands',
        at: ['commands/'],
        mayImport: 'everything',
        mayImportPackages: ['command-line', 'mcp', 'terminal-text'],
        builtins: 'allowed',
      },
      {
        name: 'all',
        at: ['*.ts', 'connections/', 'login/', 'sessions/'],
        mayImport: [],
        mayImportPackages: ['command-line', 'loopback-page', 'mcp', 'user-files'],
        builtins: 'allowed',
        npm: ['jsonc-parser', 'smol-toml'],
      },
    ],
  },
  {
    // Whether an MCP server follows the protocol. Sends what no client would, so it has wires of its own.
    folder: 'check',
    name: '@hawser/check',
    mayImportPackages: ['client', 'command-line', 'mcp', 'terminal-text', 'unknown-values'],
    environmentReadBy: ['main.ts'],
    parts: [
      {
        name: 'command',
        at: ['command/', 'main.ts'],
        mayImport: ['all'],
        mayImportPackages: ['client', 'command-line', 'terminal-text'],
        builtins: 'allowed',
      },
      {
        name: 'all',
        at: ['*.ts', 'checks/', 'reports/', 'wires/'],
        mayImport: [],
        mayImportPackages: ['client'],
        builtins: 'allowed',
        npm: ['ajv', 'ws'],
      },
    ],
  },
  {
    folder: 'inspect',
    name: '@hawser/inspect',
    mayImportPackages: [
      'check',
      'client',
      'command-line',
      'diffs',
      'loopback-page',
      'mcp',
      'page-parts',
      'unknown-values',
    ],
    environmentReadBy: ['main.ts'],
    parts: [
      // What the page and the command say to each other.
      { name: 'calls.ts', at: ['calls.ts'], mayImport: [], mayImportPackages: ['check', 'client', 'mcp'] },
      // The page itself: it runs in a browser and knows the command by its calls alone.
      {
        name: 'page',
        at: ['page/'],
        mayImport: ['calls.ts'],
        mayImportPackages: ['check', 'client', 'mcp', 'page-parts'],
        npm: ['@cfworker/json-schema', 'preact'],
      },
      {
        // Serves the page, and connects to the server that is inspected.
        name: 'all',
        at: ['*.ts', 'command/'],
        mayImport: ['calls.ts'],
        mayImportPackages: ['check', 'client', 'command-line', 'loopback-page', 'mcp'],
        builtins: 'allowed',
      },
    ],
  },
  {
    folder: 'editor-protocol',
    name: '@hawser/editor-protocol',
    mayImportPackages: [],
    parts: [
      { name: 'content-length.ts', at: ['content-length.ts'], mayImport: [] },
      { name: 'messages', at: ['messages.ts', 'schema.ts', 'shapes.ts'], mayImport: [] },
      { name: 'index.ts', at: ['index.ts'], mayImport: 'everything' },
    ],
  },
  {
    folder: 'bridge',
    name: 'hawser',
    mayImportPackages: [
      'check',
      'client',
      'command-line',
      'diffs',
      'editor-protocol',
      'inspect',
      'loopback-page',
      'mcp',
      'page-parts',
      'terminal-text',
      'unknown-values',
      'user-files',
    ],
    environmentReadBy: ['main.ts'],
    parts: [
      { name: 'editor.ts', at: ['editor.ts', 'language-features.ts'], mayImport: [] },
      { name: 'log.ts', at: ['log.ts'], mayImport: [] },
      { name: 'close-all.ts', at: ['close-all.ts'], mayImport: [] },
      // The only way to read a file that an agent or the user named, and what its bytes mean.
      {
        name: 'regular-file.ts',
        at: ['encoding.ts', 'comparable-text.ts', 'regular-file.ts'],
        mayImport: [],
        builtins: 'allowed',
      },
      // The only way to write one.
      {
        name: 'temporary-files.ts',
        at: ['temporary-files.ts', 'text-file.ts'],
        mayImportPackages: ['user-files'],
        mayImport: ['discovery', 'regular-file.ts'],
        builtins: 'allowed',
      },
      // What every editor is built on.
      {
        name: 'editor parts',
        at: [
          'editors/absolute-path.ts',
          'editors/editor-limits.ts',
          'editors/file-watch.ts',
          'editors/followed-files.ts',
          'editors/language-answers.ts',
          'editors/language-requests.ts',
          'editors/languages.ts',
          'editors/listeners.ts',
          'editors/placed-text.ts',
        ],
        mayImport: ['editor.ts', 'regular-file.ts'],
        builtins: 'allowed',
      },
      // Editors in other processes, by the editor protocol.
      {
        name: 'editors/remote',
        at: ['editors/remote/'],
        mayImport: ['close-all.ts', 'editor.ts', 'editor parts', 'regular-file.ts', 'review', 'reviewers/remote'],
        mayImportPackages: ['editor-protocol', 'mcp', 'user-files'],
        builtins: 'allowed',
        npm: ['@msgpack/msgpack'],
      },
      // Any LSP client, as an editor that speaks the editor protocol.
      {
        name: 'editors/lsp',
        at: ['editors/lsp/'],
        mayImport: ['editor.ts', 'editor parts', 'regular-file.ts', 'temporary-files.ts'],
        mayImportPackages: ['editor-protocol', 'mcp', 'user-files'],
        builtins: 'allowed',
      },
      {
        name: 'editors',
        at: ['editors/<each>/'],
        siblings: 'strangers',
        mayImport: ['editor.ts', 'editor parts', 'regular-file.ts', 'review', 'reviewers', 'temporary-files.ts'],
        mayImportPackages: ['editor-protocol'],
        builtins: 'allowed',
        npmByFolder: {
          vscode: ['vscode'],
          workspace: ['vscode-languageserver-protocol'],
        },
      },
      { name: 'discovery', at: ['discovery/'], mayImportPackages: ['user-files'], mayImport: [], builtins: 'allowed' },
      // What agents may see: the only place that decides it.
      {
        name: 'access',
        at: ['access/'],
        mayImport: ['regular-file.ts'],
        mayImportTypes: ['editor.ts'],
        builtins: 'allowed',
      },
      // The messages of agents, for views.
      { name: 'traffic', at: ['traffic/'], mayImport: [] },
      { name: 'files', at: ['files/'], mayImport: ['regular-file.ts'], builtins: 'allowed' },
      // What views of proposals share: the terminal's and the page's. Works in browsers, too.
      { name: 'review/viewing', at: ['review/viewing/'], mayImport: ['review'] },
      // What a command of an agent changes, over a layer of the file system.
      {
        name: 'hold',
        at: ['hold/'],
        mayImport: ['access', 'files', 'regular-file.ts', 'review', 'temporary-files.ts'],
        mayImportPackages: ['unknown-values', 'user-files'],
        builtins: 'allowed',
      },
      {
        name: 'reviewers/remote',
        at: ['review/reviewers/remote/'],
        mayImport: ['review'],
        mayImportPackages: ['editor-protocol', 'mcp'],
      },
      {
        // The page itself: it runs in a browser, and knows the bridge by its calls alone.
        name: 'reviewers/web/page',
        at: ['review/reviewers/web/page/'],
        mayImport: ['control/client', 'review', 'review/viewing', 'reviewers/web/model'],
        mayImportTypes: ['traffic'],
        mayImportPackages: ['page-parts'],
        npm: ['@codemirror/commands', '@codemirror/merge', '@codemirror/state', '@codemirror/view', 'preact'],
      },
      {
        // What the page does, without a browser.
        name: 'reviewers/web/model',
        at: [
          'review/reviewers/web/diff-cursor.ts',
          'review/reviewers/web/page-address.ts',
          'review/reviewers/web/web-review.ts',
        ],
        mayImport: ['review', 'review/viewing'],
      },
      {
        // Serves the page.
        name: 'reviewers/web',
        at: ['review/reviewers/web/'],
        mayImport: ['control/client', 'regular-file.ts', 'reviewers/web/model'],
        mayImportTypes: ['control'],
        mayImportPackages: ['loopback-page'],
        builtins: 'allowed',
      },
      {
        name: 'reviewers',
        at: ['review/reviewers/<each>/'],
        siblings: 'strangers',
        mayImportPackages: ['terminal-text'],
        mayImport: ['review', 'review/viewing', 'terminal'],
        builtins: 'allowed',
      },
      {
        // Writes what was accepted, or looks whether the agent does.
        name: 'review/applying',
        at: ['review/applying/'],
        mayImportPackages: ['user-files'],
        mayImport: ['discovery', 'regular-file.ts', 'review', 'temporary-files.ts'],
        mayImportTypes: ['editor.ts'],
        builtins: 'allowed',
      },
      {
        // What agents changed without asking.
        name: 'review/noticing',
        at: ['review/noticing/'],
        mayImport: ['access', 'files', 'review', 'temporary-files.ts'],
        builtins: 'allowed',
      },
      {
        // What was decided, for `hawser log` and `hawser undo`.
        name: 'review/history',
        at: ['review/history/'],
        mayImportPackages: ['user-files'],
        mayImport: ['access', 'discovery', 'review'],
        builtins: 'allowed',
      },
      {
        // What the user has decided beforehand.
        name: 'review/rules',
        at: ['review/rules/'],
        mayImportPackages: ['user-files'],
        mayImport: ['access', 'review', 'review/history'],
        builtins: 'allowed',
      },
      {
        name: 'review',
        at: ['review/'],
        mayImport: ['regular-file.ts'],
        builtins: 'allowed',
      },
      {
        name: 'agent.ts',
        at: ['agent.ts', 'gate.ts'],
        mayImport: [],
        mayImportTypes: ['access', 'connect', 'discovery', 'editor.ts', 'hold', 'log.ts', 'review', 'traffic'],
      },
      {
        // What every adapter and every gate is built on.
        name: 'agent parts',
        at: [
          'agents/adapter-parts/',
          // One implementation for gemini-cli and qwen-code.
          'agents/companion/',
          'agents/gate-parts/',
          'agents/outcome-in-words.ts',
        ],
        mayImport: [
          'close-all.ts',
          'access',
          'agent.ts',
          'connect',
          'discovery',
          'editor.ts',
          'hold',
          'log.ts',
          'regular-file.ts',
          'review',
        ],
        mayImportPackages: ['mcp', 'user-files'],
        builtins: 'allowed',
      },
      // Every agent, a line each.
      { name: 'agents/all.ts', at: ['agents/all.ts'], mayImport: ['agents'] },
      {
        // What the rest of the program asks of them.
        name: 'agents.ts',
        at: [
          'agents/agent-reviews.ts',
          'agents/agents.ts',
          'agents/launch.ts',
          'agents/make-adapters.ts',
          'agents/open-gate.ts',
        ],
        mayImport: ['agent.ts', 'agent parts', 'agents/all.ts', 'discovery', 'terminal'],
        mayImportTypes: ['control/client'],
        // launch.ts reads in the settings of agents which mode the user has chosen.
        builtins: 'allowed',
      },
      {
        name: 'agents',
        at: ['agents/<each>/'],
        siblings: 'strangers',
        mayImport: [
          'close-all.ts',
          'access',
          'agent.ts',
          'agent parts',
          'connect',
          'discovery',
          'editor.ts',
          'log.ts',
          'regular-file.ts',
          'review',
        ],
        // The files of programs: the client has them, too.
        mayImportPackages: ['client', 'mcp', 'user-files'],
        builtins: 'allowed',
      },
      {
        // A bridge, as its commands and its pages see it.
        name: 'control/client',
        at: [
          'control/calls.ts',
          'control/connected-client.ts',
          'control/control-client.ts',
          'control/pages.ts',
          'control/remote-reviews.ts',
        ],
        mayImport: ['review'],
        mayImportTypes: ['access', 'agent.ts', 'editor.ts', 'review/history', 'review/noticing', 'traffic'],
        mayImportPackages: ['mcp'],
      },
      {
        // How the user's commands reach a running bridge.
        name: 'control',
        at: ['control/'],
        mayImport: [
          'close-all.ts',
          'control/client',
          'discovery',
          'editor.ts',
          'files',
          'regular-file.ts',
          'review',
          'traffic',
        ],
        mayImportTypes: ['access', 'agent.ts', 'log.ts', 'review/history', 'reviewing.ts'],
        mayImportPackages: ['client', 'mcp', 'user-files'],
        builtins: 'allowed',
      },
      // A scratch folder and an agent in it; like every agent, it knows the bridge by its lock file alone.
      {
        name: 'demo',
        at: ['demo/'],
        mayImport: ['agents', 'agent parts', 'discovery'],
        mayImportPackages: ['mcp'],
        builtins: 'allowed',
      },
      // The views of the terminal program that are not reviewers.
      {
        name: 'terminal/views',
        at: ['terminal/views/<each>/'],
        siblings: 'strangers',
        mayImportPackages: ['terminal-text'],
        mayImport: ['terminal'],
        mayImportTypes: ['access', 'agent.ts', 'control/client', 'editor.ts', 'traffic'],
        builtins: 'allowed',
        npmByFolder: { files: ['fuzzysort'] },
      },
      // Terminal input and output, and the frame that views are shown in; knows nothing of proposals.
      { name: 'terminal', at: ['terminal/'], mayImport: [], mayImportPackages: ['terminal-text'], builtins: 'allowed' },
      // How agents are configured; the views show the same texts.
      {
        name: 'connect',
        at: ['connect/'],
        mayImport: ['files'],
        builtins: 'allowed',
        npm: ['jsonc-parser', 'smol-toml'],
      },
      {
        // The whole way of a change, from its proposal until it is written and remembered.
        name: 'reviewing.ts',
        at: ['reviewing.ts'],
        mayImport: [
          'close-all.ts',
          'access',
          'editor.ts',
          'regular-file.ts',
          'review',
          'review/applying',
          'review/history',
          'review/noticing',
          'review/rules',
          'temporary-files.ts',
        ],
      },
      {
        // What becomes of a mention, for the user.
        name: 'mention-in-words.ts',
        at: ['mention-in-words.ts'],
        mayImport: ['control'],
        mayImportTypes: ['access', 'agent.ts', 'editor.ts'],
        builtins: 'allowed',
      },
      {
        // The windows of editors that join a bridge.
        name: 'editor-windows.ts',
        at: ['editor-windows.ts'],
        mayImport: ['close-all.ts', 'editors/remote', 'mention-in-words.ts'],
        mayImportTypes: ['bridge.ts'],
        builtins: 'allowed',
      },
      {
        // Joins an editor, its agents and reviewers.
        name: 'bridge.ts',
        at: ['bridge.ts'],
        mayImport: [
          'close-all.ts',
          'access',
          'agent.ts',
          'control',
          'control/client',
          'editor.ts',
          'editor parts',
          'log.ts',
          'review',
          'reviewers/web',
          'reviewing.ts',
          'traffic',
        ],
        builtins: 'allowed',
      },
      // Whether the plugin of an editor does what the bridge expects of it.
      {
        name: 'editor-kit',
        at: ['editor-kit/'],
        mayImport: ['editors/remote'],
        mayImportPackages: ['editor-protocol', 'mcp'],
        imports: 'tests',
        builtins: 'allowed',
        npm: ['@vitest/expect', 'chai'],
      },
      // The library entry: exports and no code.
      { name: 'index.ts', at: ['index.ts'], mayImport: 'everything' },
      {
        // A file for each command. What they need is in the other rooms.
        name: 'commands',
        at: ['cli/'],
        mayImport: 'everything',
        importedByParts: ['command list'],
        mayImportPackages: ['command-line', 'mcp', 'terminal-text', 'unknown-values', 'user-files'],
        builtins: 'allowed',
      },
      {
        name: 'command list',
        at: ['command-line/commands.ts'],
        mayImport: 'everything',
        mayImportPackages: ['check', 'client', 'command-line', 'inspect'],
      },
      {
        name: 'main',
        at: ['command-line/', 'diagnosis/', 'gates/', 'mcp-proxy/', 'serving/', 'terminal-program/', 'main.ts'],
        mayImport: 'everything',
        mayImportPackages: ['client', 'command-line', 'editor-protocol', 'mcp', 'terminal-text', 'user-files'],
        builtins: 'allowed',
        npm: ['uqr'],
      },
    ],
  },
  {
    folder: 'lisp',
    name: '@hawser/lisp',
    mayImportPackages: ['mcp', 'unknown-values'],
    environmentReadBy: ['main.ts'],
    parts: [
      { name: 'evaluator.ts', at: ['evaluator.ts'], mayImport: [] },
      // The process, the wire and the Lisp that every engine with a worker has.
      {
        name: 'evaluators/worker',
        at: ['evaluators/worker/'],
        mayImport: ['evaluator.ts'],
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
          'call-queue.ts',
          'transcript.ts',
          'breaker.ts',
          'durations.ts',
        ],
        mayImport: ['evaluator.ts'],
      },
      // Reads the text of Lisp code; works where there is no Lisp.
      { name: 'delimiters.ts', at: ['delimiters.ts'], mayImport: [] },
      // Reads the file that the reader of a Lisp has failed on.
      {
        name: 'syntax-hint.ts',
        at: ['syntax-hint.ts'],
        mayImport: ['evaluator.ts', 'delimiters.ts'],
        builtins: 'allowed',
      },
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
        mayImport: ['evaluator.ts', 'sessions.ts', 'roots.ts', 'resources/uris.ts', 'delimiters.ts', 'syntax-hint.ts'],
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
  /** Whether parts need not name it: each may import it if its package may. */
  readonly importedBy?: 'every part';
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
  /** The only other parts that may import it, besides tests. */
  readonly importedByParts?: readonly string[];
  /** Between the folders of `x/<each>/`: none imports another, or only one whose name sorts before its own. */
  readonly siblings?: 'strangers' | 'earlier';
  /** Other packages of this repository, by folder. */
  readonly mayImportPackages?: readonly string[];
  /** Modules of Node itself; forbidden when absent. */
  readonly builtins?: 'allowed';
  readonly npm?: readonly string[];
  /** It runs contract suites in a program: the only part that may import tests. */
  readonly imports?: 'tests';
  /** The same for one folder of `x/<each>/`. */
  readonly npmByFolder?: Readonly<Record<string, readonly string[]>>;
}
