import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { violationsIn } from './architecture-check.ts';
import { packages } from './architecture-rules.ts';
import { readSource } from './imports.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

// Reading every file takes a while on a busy machine.
test('the source follows the import table', () => {
  const files = sourceFiles();
  expect(files.size).toBeGreaterThan(0);
  expect(violationsIn(files)).toEqual([]);
});

test('the table names only parts and packages that it has', () => {
  const folders = packages.map(({ folder }) => folder);
  for (const { parts, mayImportPackages } of packages) {
    const names = parts.map(({ name }) => name);
    expect(folders).toEqual(expect.arrayContaining([...mayImportPackages]));
    for (const part of parts) {
      const named = part.mayImport === 'everything' ? [] : part.mayImport;
      expect(names).toEqual(expect.arrayContaining([...named, ...(part.mayImportTypes ?? [])]));
      expect(mayImportPackages).toEqual(expect.arrayContaining([...(part.mayImportPackages ?? [])]));
    }
  }
});

test('a package is imported by the name in its package.json', () => {
  for (const folder of new Set([...sourceFiles().keys()].map((path) => path.split('/')[1] ?? ''))) {
    const { name } = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'));
    expect(packages.find((rule) => rule.folder === folder)?.name).toBe(name);
  }
});

test('a file that is called a contract exports a suite', () => {
  const contracts = [...sourceFiles()].filter(([path]) => path.endsWith('.contract.ts'));
  expect(contracts.length).toBeGreaterThan(10);
  const without = contracts.filter(([, text]) => !/^export (async )?function describe[A-Z]/m.test(text));
  expect(without.map(([path]) => path)).toEqual([]);
});

test('jsonrpc/ of @hawser/mcp knows no HTTP', () => {
  const lines = linesOf(/^packages\/mcp\/src\/jsonrpc\/(?!.*\.(test|contract)\.ts$)/);
  expect(lines.length).toBeGreaterThan(1000);
  expect(lines.filter(({ text }) => /\bhttp|\bheaders?\b/i.test(text))).toEqual([]);
});

test('versions of the protocol are named in protocol/revisions alone', () => {
  const lines = linesOf(/^packages\/mcp\/src\/(?!protocol\/revisions\/)(?!.*\.(test|contract)\.ts$)/);
  expect(lines.length).toBeGreaterThan(10_000);
  expect(lines.filter(({ text }) => /['"`]20\d\d-\d\d-\d\d['"`]/.test(text))).toEqual([]);
});

describe('a planted violation is reported', () => {
  const planted: [fact: string, files: Record<string, string>, violations: string[]][] = [
    [
      'a file in a folder the table does not have',
      { 'packages/mcp/src/utils/text.ts': '' },
      ['packages/mcp/src/utils/text.ts: no part in test/architecture-rules.ts covers this file'],
    ],
    [
      'a file beside the folders of siblings',
      { 'packages/mcp/src/transports/framing.ts': '' },
      ['packages/mcp/src/transports/framing.ts: no part in test/architecture-rules.ts covers this file'],
    ],
    [
      'a package the table does not have',
      { 'packages/emacs/src/main.ts': '' },
      ['packages/emacs/src/main.ts: no part in test/architecture-rules.ts covers this file'],
    ],
    [
      'jsonrpc imports another part',
      { 'packages/mcp/src/jsonrpc/peer.ts': "\nimport { x } from '../protocol/methods.ts';" },
      [
        'packages/mcp/src/jsonrpc/peer.ts:2 imports mcp/protocol (../protocol/methods.ts): mcp/jsonrpc may import nothing',
      ],
    ],
    [
      'jsonrpc imports a module of Node, with or without the prefix',
      { 'packages/mcp/src/jsonrpc/peer.ts': "import 'node:events';\nimport 'fs/promises';" },
      [
        'packages/mcp/src/jsonrpc/peer.ts:1 imports node:events: mcp/jsonrpc may not use modules of Node',
        'packages/mcp/src/jsonrpc/peer.ts:2 imports fs/promises: mcp/jsonrpc may not use modules of Node',
      ],
    ],
    [
      'jsonrpc imports an npm package',
      { 'packages/mcp/src/jsonrpc/peer.ts': "import 'ws';" },
      ['packages/mcp/src/jsonrpc/peer.ts:1 imports ws: mcp/jsonrpc may import nothing from npm'],
    ],
    [
      'a transport imports the protocol, if only a type',
      { 'packages/mcp/src/transports/stdio/listen.ts': "import type { X } from '../../protocol/methods.ts';" },
      [
        'packages/mcp/src/transports/stdio/listen.ts:1 imports mcp/protocol (../../protocol/methods.ts): ' +
          'mcp/transports/stdio may import only jsonrpc, transports/access, transports/drain.ts, transports/start-listening.ts, protocol/origin.ts',
      ],
    ],
    [
      'a transport imports its sibling',
      { 'packages/mcp/src/transports/stdio/listen.ts': "export * from '../memory/connect.ts';" },
      [
        'packages/mcp/src/transports/stdio/listen.ts:1 imports mcp/transports/memory (../memory/connect.ts): ' +
          'mcp/transports/stdio may not import its siblings',
      ],
    ],
    [
      'a transport other than websocket imports ws',
      { 'packages/mcp/src/transports/http/listen.ts': "import { WebSocket } from 'ws';" },
      ['packages/mcp/src/transports/http/listen.ts:1 imports ws: mcp/transports/http may import nothing from npm'],
    ],
    [
      'the protocol imports a transport',
      { 'packages/mcp/src/protocol/methods.ts': "import '../transports/stdio/listen.ts';" },
      [
        'packages/mcp/src/protocol/methods.ts:1 imports mcp/transports/stdio (../transports/stdio/listen.ts): ' +
          'mcp/protocol may import only jsonrpc, protocol/origin.ts, protocol/schema, protocol/revisions',
      ],
    ],
    [
      'the protocol imports ajv outside its schema part, if only lazily',
      { 'packages/mcp/src/protocol/methods.ts': "const load = () => import('ajv/dist/2020.js');" },
      ['packages/mcp/src/protocol/methods.ts:1 imports ajv/dist/2020.js: mcp/protocol may import nothing from npm'],
    ],
    [
      'the schema part imports an npm package that is not its own',
      { 'packages/mcp/src/protocol/schema/compile.ts': "import '@cfworker/json-schema/dist/index.js';" },
      [
        'packages/mcp/src/protocol/schema/compile.ts:1 imports @cfworker/json-schema/dist/index.js: ' +
          'mcp/protocol/schema may import only ajv, @standard-schema/spec from npm',
      ],
    ],
    [
      'a revision imports a later one',
      { 'packages/mcp/src/protocol/revisions/2025-03-26/revision.ts': "import '../2025-06-18/revision.ts';" },
      [
        'packages/mcp/src/protocol/revisions/2025-03-26/revision.ts:1 imports mcp/protocol/revisions/2025-06-18 ' +
          '(../2025-06-18/revision.ts): mcp/protocol/revisions/2025-03-26 may import only earlier siblings',
      ],
    ],
    [
      'a package imports one that is open to every part, but not to it',
      { 'packages/editor-protocol/src/schema.ts': "import '@hawser/unknown-values/objects';" },
      [
        'packages/editor-protocol/src/schema.ts:1 imports the package @hawser/unknown-values/objects: ' +
          'editor-protocol/messages may import nothing of the other packages',
      ],
    ],
    [
      'the server imports the client, under the name of its own package',
      { 'packages/mcp/src/server/session.ts': "import { Client } from '@hawser/mcp/client/client';" },
      [
        'packages/mcp/src/server/session.ts:1 imports mcp/client (@hawser/mcp/client/client): ' +
          'mcp/server may import only jsonrpc, protocol, protocol/origin.ts, protocol/schema, protocol/revisions',
      ],
    ],
    [
      'the client imports a transport',
      { 'packages/mcp/src/client/client.ts': "const x = await import('../transports/websocket/connect.js');" },
      [
        'packages/mcp/src/client/client.ts:1 imports mcp/transports/websocket (../transports/websocket/connect.js): ' +
          'mcp/client may import only jsonrpc, protocol, protocol/origin.ts, protocol/schema, protocol/revisions',
      ],
    ],
    [
      'a part imports a public entry',
      { 'packages/mcp/src/server/session.ts': "import '../index.ts';" },
      [
        'packages/mcp/src/server/session.ts:1 imports mcp/entries (../index.ts): ' +
          'mcp/server may import only jsonrpc, protocol, protocol/origin.ts, protocol/schema, protocol/revisions',
      ],
    ],
    [
      'mcp imports the bridge',
      { 'packages/mcp/src/index.ts': "import 'hawser';" },
      ['packages/mcp/src/index.ts:1 imports the package hawser: mcp/entries may import nothing of the other packages'],
    ],
    [
      'the bridge and lisp import each other',
      {
        'packages/bridge/src/main.ts': "import '@hawser/lisp/sessions';",
        'packages/lisp/src/main.ts': "import 'hawser/bridge';",
      },
      [
        'packages/bridge/src/main.ts:1 imports the package @hawser/lisp/sessions: ' +
          'bridge/main may import only client, command-line, editor-protocol, mcp, terminal-text, user-files of the other packages',
        'packages/lisp/src/main.ts:1 imports the package hawser/bridge: ' +
          'lisp/main may import only mcp of the other packages',
      ],
    ],
    [
      'a package is reached by path',
      { 'packages/bridge/src/main.ts': "import '../../mcp/src/index.ts';" },
      ['packages/bridge/src/main.ts:1 imports ../../mcp/src/index.ts: another package is imported by its name'],
    ],
    [
      'a file outside src is imported',
      { 'packages/bridge/src/main.ts': "import '../package.json';" },
      ['packages/bridge/src/main.ts:1 imports ../package.json, which no part covers'],
    ],
    [
      'an editor imports another editor, the contract of agents, the protocol and a foreign npm package',
      {
        'packages/bridge/src/editors/terminal/terminal.ts':
          "import '../workspace/workspace.ts';\nimport '../../agent.ts';\nimport '@hawser/mcp/server/server';\nimport '@msgpack/msgpack';",
      },
      [
        'packages/bridge/src/editors/terminal/terminal.ts:1 imports bridge/editors/workspace (../workspace/workspace.ts): ' +
          'bridge/editors/terminal may not import its siblings',
        'packages/bridge/src/editors/terminal/terminal.ts:2 imports bridge/agent.ts (../../agent.ts): ' +
          'bridge/editors/terminal may import only editor.ts, editor parts, regular-file.ts, review, ' +
          'reviewers, temporary-files.ts',
        'packages/bridge/src/editors/terminal/terminal.ts:3 imports the package @hawser/mcp/server/server: ' +
          'bridge/editors/terminal may import only editor-protocol of the other packages',
        'packages/bridge/src/editors/terminal/terminal.ts:4 imports @msgpack/msgpack: ' +
          'bridge/editors/terminal may import nothing from npm',
      ],
    ],
    [
      'an agent adapter imports another one and an editor',
      {
        'packages/bridge/src/agents/codex/adapter.ts':
          "import '../claude-code/adapter.ts';\nimport '../../editors/neovim/neovim.ts';",
      },
      [
        'packages/bridge/src/agents/codex/adapter.ts:1 imports bridge/agents/claude-code (../claude-code/adapter.ts): ' +
          'bridge/agents/codex may not import its siblings',
        'packages/bridge/src/agents/codex/adapter.ts:2 imports bridge/editors/neovim (../../editors/neovim/neovim.ts): ' +
          'bridge/agents/codex may import only close-all.ts, access, agent.ts, agent parts, connect, discovery, editor.ts, log.ts, ' +
          'regular-file.ts, review',
      ],
    ],
    [
      'a contract imports something',
      { 'packages/bridge/src/editor.ts': "import type { Hunk } from './review/hunk.ts';" },
      ['packages/bridge/src/editor.ts:1 imports bridge/review (./review/hunk.ts): bridge/editor.ts may import nothing'],
    ],
    [
      'a room imports a command',
      {
        'packages/bridge/src/serving/start-bridge.ts': "await import('../cli/gate.ts');",
        'packages/bridge/src/cli/gate.ts': '',
      },
      [
        'packages/bridge/src/serving/start-bridge.ts:1 imports bridge/commands (../cli/gate.ts): only command list may import it',
      ],
    ],
    [
      'the contract of agents imports more of the editor contract than types',
      { 'packages/bridge/src/agent.ts': "import { type Editor } from './editor.ts';" },
      ['packages/bridge/src/agent.ts:1 imports ./editor.ts: bridge/agent.ts may only `import type` from it'],
    ],
    [
      'an evaluator imports another evaluator',
      { 'packages/lisp/src/evaluators/sbcl/sbcl.ts': "import '../embedded/reader.ts';" },
      [
        'packages/lisp/src/evaluators/sbcl/sbcl.ts:1 imports lisp/evaluators/embedded (../embedded/reader.ts): ' +
          'lisp/evaluators/sbcl may not import its siblings',
      ],
    ],
    [
      'hunks do input and output',
      { 'packages/diffs/src/hunks.ts': "import { readFile } from 'node:fs/promises';" },
      ['packages/diffs/src/hunks.ts:1 imports node:fs/promises: ' + 'diffs/all may not use modules of Node'],
    ],
    [
      'a source file imports a test',
      { 'packages/mcp/src/jsonrpc/peer.ts': "import './connection.contract.ts'; import '../../testing/mailbox.ts';" },
      [
        'packages/mcp/src/jsonrpc/peer.ts:1 imports ./connection.contract.ts: only tests may import tests',
        'packages/mcp/src/jsonrpc/peer.ts:1 imports ../../testing/mailbox.ts: only tests may import tests',
      ],
    ],
    [
      'a test imports a stranger',
      { 'packages/lisp/src/sessions.test.ts': "import 'hawser/bridge';" },
      [
        'packages/lisp/src/sessions.test.ts:1 imports the package hawser/bridge: ' +
          'lisp/tests may import only mcp, unknown-values of the other packages',
      ],
    ],
    [
      'an import is computed',
      { 'packages/bridge/src/main.ts': "await import('./editors/' + name);" },
      ["packages/bridge/src/main.ts:1 imports a computed path, which can't be checked"],
    ],
    [
      'a file other than main.ts reads the environment',
      {
        'packages/bridge/src/cli/serve.ts':
          "process.env.HOME;\nprocess['argv'];\nconst { env } = process;\nimport { argv } from 'node:process';\n" +
          "import host from 'process';\nhost.env;\nglobalThis.process.env;",
        'packages/bridge/src/main.ts': 'process.env.HOME; process.argv;',
      },
      [
        'packages/bridge/src/cli/serve.ts:1 reads process.env: only main.ts may',
        'packages/bridge/src/cli/serve.ts:2 reads process.argv: only main.ts may',
        'packages/bridge/src/cli/serve.ts:3 reads process.env: only main.ts may',
        'packages/bridge/src/cli/serve.ts:4 reads process.argv: only main.ts may',
        'packages/bridge/src/cli/serve.ts:6 reads process.env: only main.ts may',
        'packages/bridge/src/cli/serve.ts:7 reads process.env: only main.ts may',
      ],
    ],
    [
      'three files import each other in a ring, one of them lazily',
      {
        'packages/mcp/src/jsonrpc/a.ts': "import './b.ts';",
        'packages/mcp/src/jsonrpc/b.ts': "export * from './c.js';",
        'packages/mcp/src/jsonrpc/c.ts': "await import('./a.ts');",
      },
      [
        'import cycle: packages/mcp/src/jsonrpc/a.ts → packages/mcp/src/jsonrpc/b.ts → ' +
          'packages/mcp/src/jsonrpc/c.ts → packages/mcp/src/jsonrpc/a.ts',
      ],
    ],
    [
      'a source file has more than 400 lines',
      { 'packages/mcp/src/jsonrpc/long.ts': '\n'.repeat(401) },
      ['packages/mcp/src/jsonrpc/long.ts: 401 lines, at most 400 are allowed'],
    ],
  ];
  test.each(planted)('%s', (_fact, files, violations) => {
    expect(violationsIn(new Map(Object.entries(files)))).toEqual(violations);
  });
});

describe('what the table allows is not reported', () => {
  const allowed: [fact: string, files: Record<string, string>][] = [
    [
      'each part of mcp imports what is its own',
      {
        'packages/mcp/src/jsonrpc/peer.ts': "import './codec.ts';",
        'packages/mcp/src/jsonrpc/codec.ts': '',
        'packages/mcp/src/transports/websocket/listen.ts':
          "import 'ws';\nimport 'node:http';\nimport '../../jsonrpc/peer.ts';\nimport './frames/frame.ts';",
        'packages/mcp/src/transports/websocket/frames/frame.ts': '',
        'packages/mcp/src/protocol/schema.ts':
          "import 'ajv/dist/2020.js'; import type {} from '@standard-schema/spec';",
        'packages/mcp/src/protocol/schema/compile.ts': "await import('ajv');",
        'packages/mcp/src/protocol/revisions/2025-06-18/revision.ts':
          "import '../2025-03-26/revision.ts'; import type {} from '../../revision.ts';",
        'packages/mcp/src/protocol/revisions/2025-03-26/revision.ts': '',
        'packages/mcp/src/protocol/revision.ts': "import './revisions/2025-06-18/revision.ts';",
        'packages/mcp/src/server/server.ts': "import '../protocol/revision.ts'; import '../jsonrpc/peer.ts';",
        'packages/mcp/src/client/client.ts': "import '../protocol/schema.ts'; import '../jsonrpc/peer.ts';",
        'packages/mcp/src/index.ts':
          "export * from './server/server.ts'; export * from './transports/websocket/listen.ts';",
      },
    ],
    [
      'each part of the bridge imports what is its own',
      {
        'packages/bridge/src/editor.ts': '',
        'packages/bridge/src/agent.ts': "import type { Editor } from './editor.ts';",
        'packages/bridge/src/bridge.ts': "import './agent.ts'; import './editor.ts';",
        'packages/bridge/src/editors/remote/neovim.tsx':
          "import '@msgpack/msgpack'; import '../../editor.ts'; import '@hawser/diffs/hunks'; const x = <p>process.env</p>;",
        'packages/diffs/src/hunks.ts': '',
        'packages/bridge/src/agents/mcp/adapter.ts':
          "import '@hawser/mcp/server/server'; import '../../agent.ts'; import '../../discovery/lock-file.ts';",
        'packages/bridge/src/discovery/lock-file.ts': "import 'node:fs';",
        'packages/bridge/src/cli/serve.ts': "import '../bridge.ts';",
        'packages/bridge/src/command-line/commands.ts': "import '../cli/serve.ts'; import '@hawser/check/main';",
        'packages/bridge/src/main.ts': "import './command-line/commands.ts'; import '@hawser/mcp'; process.env.HOME;",
        'packages/check/src/main.ts': '',
      },
    ],
    [
      'a test imports anything in its package, npm packages and Node, and has any length',
      {
        'packages/mcp/src/jsonrpc/connection.contract.ts':
          "import 'vitest'; import '../transports/stdio/listen.ts'; import 'node:fs';",
        'packages/mcp/src/jsonrpc/peer.test.ts': `import './connection.contract.ts';${'\n'.repeat(900)}process.env.X;`,
        'packages/mcp/testing/mailbox.ts': "import 'vitest'; import '../src/transports/stdio/listen.ts';",
        'packages/mcp/src/transports/mailbox.test.ts': "import '../../testing/mailbox.ts';",
        'packages/mcp/src/transports/every-transport.test.ts':
          "import './stdio/listen.ts'; import '../server/server.ts';",
        'packages/bridge/src/bridge.test.ts':
          "import '@hawser/mcp/client/client'; process.env.HOME; import '../testing/user.ts';",
        'packages/bridge/testing/user.ts': "import 'node:fs'; import 'vitest';",
      },
    ],
    [
      'files import types from each other in a ring',
      {
        'packages/mcp/src/jsonrpc/a.ts': "import type { B } from './b.ts';",
        'packages/mcp/src/jsonrpc/b.ts': "import './a.ts'; type A = import('./a.ts').A;",
      },
    ],
    ['a source file has 400 lines', { 'packages/mcp/src/jsonrpc/long.ts': '\n'.repeat(400) }],
  ];
  test.each(allowed)('%s', (_fact, files) => {
    expect(violationsIn(new Map(Object.entries(files)))).toEqual([]);
  });
});

describe('the import extractor', () => {
  test('finds every way to import, and tells types from values', () => {
    const source = `
      import a, { type B } from './1.ts';
      import type { C } from './2.ts';
      import './3.ts';
      export * from './4.ts';
      export type { D } from './5.ts';
      export { e } from './6.ts';
      const f = () => { if (true) return import(\`./7.ts\`); };
      type G = typeof import('./8.ts');
      import h = require('./9.ts');
      const i = require('./10.ts');
      const j = import(\`./\${a}.ts\`);
      export const k = 1;
      export { k as l };
      import data from './11.json' with { type: 'json' };
      import { type M } from './12.ts';
      export type * from './13.ts';
    `;
    const found = readSource('x.ts', source).imports.map(({ specifier, kind, line }) => [line - 1, specifier, kind]);
    expect(found).toEqual([
      [1, './1.ts', 'value'],
      [2, './2.ts', 'type'],
      [3, './3.ts', 'value'],
      [4, './4.ts', 'value'],
      [5, './5.ts', 'type'],
      [6, './6.ts', 'value'],
      [7, './7.ts', 'value'],
      [8, './8.ts', 'type'],
      [9, './9.ts', 'value'],
      [10, './10.ts', 'value'],
      [11, undefined, 'value'],
      [14, './11.json', 'value'],
      [15, './12.ts', 'value'],
      [16, './13.ts', 'type'],
    ]);
  });

  test('takes no import from comments, strings, templates and regular expressions', () => {
    const source = `
      // import './no.ts';
      /* export * from './no.ts'; import('./no.ts') */
      const a = "import './no.ts'; process.env";
      const b = \`import('./no.ts')\`;
      const c = /import '.\\/no.ts'/;
      const d = { import: 1, require: (x: string) => x };
      d.require('./no.ts');
    `;
    expect(readSource('x.ts', source)).toEqual({ imports: [], environmentReads: [] });
  });

  test('refuses a file it cannot parse', () => {
    expect(() => readSource('x.ts', 'import from from;;; {')).toThrow();
  });
});

function sourceFiles(): Map<string, string> {
  const files = new Map<string, string>();
  for (const { name } of readdirSync(join(root, 'packages'), { withFileTypes: true })) {
    for (const folder of ['src', 'testing']) {
      for (const path of sourcePaths(join(root, 'packages', name, folder))) {
        files.set(relative(root, path).split(sep).join('/'), readFileSync(path, 'utf8'));
      }
    }
  }
  return files;
}

/** The source files in a folder and below; none when there is no such folder. */
function sourcePaths(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** The lines of the source files whose path matches. */
function linesOf(path: RegExp): { readonly file: string; readonly text: string }[] {
  return [...sourceFiles()]
    .filter(([file]) => path.test(file))
    .flatMap(([file, source]) => source.split('\n').map((text) => ({ file, text })));
}
