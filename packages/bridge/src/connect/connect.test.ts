import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { AGENTS, agentCalled, calledName } from '../agents/agents.ts';
import { configured, snippetOf } from './config-change.ts';
import type { ConfigFile, GuidePlaces } from './guide.ts';
import { readChange, writeChange } from './write-config.ts';

const PLACES: GuidePlaces = {
  workspace: '/project',
  home: '/home/me',
  hawser: ['hawser'],
  variables: {},
  exists: () => false,
};
// Filled in by the editor.
const WORKSPACE_FOLDER = `$${'{workspaceFolder}'}`;
const fileOf = (name: string, places: Partial<GuidePlaces> = {}) => {
  const guide = agentCalled(name)?.guide?.({ ...PLACES, ...places });
  if (guide === undefined) throw new Error(`No guide for ${name}`);
  return guide.file;
};
const json = (text: string) => parseJsonc(text, [], { allowTrailingComma: true });

describe('the configuration of each agent', () => {
  it.each([
    ['claude', '/project/.mcp.json', { mcpServers: { hawser: { command: 'hawser', args: ['mcp'] } } }],
    [
      'codex',
      '/home/me/.codex/config.toml',
      { mcp_servers: { hawser: { command: 'hawser', args: ['mcp'], tool_timeout_sec: 3600 } } },
    ],
    [
      'copilot',
      '/home/me/.copilot/mcp-config.json',
      { mcpServers: { hawser: { type: 'local', command: 'hawser', args: ['mcp'], tools: ['*'] } } },
    ],
    [
      'cursor',
      '/project/.cursor/mcp.json',
      { mcpServers: { hawser: { command: 'hawser', args: ['mcp', '--workspace', WORKSPACE_FOLDER] } } },
    ],
    [
      'gemini',
      '/project/.gemini/settings.json',
      { ide: { enabled: true }, mcpServers: { hawser: { command: 'hawser', args: ['mcp'], timeout: 3_600_000 } } },
    ],
    [
      'opencode',
      '/project/opencode.json',
      { mcp: { hawser: { type: 'local', command: ['hawser', 'mcp'], enabled: true } } },
    ],
    [
      'qwen',
      '/project/.qwen/settings.json',
      { ide: { enabled: true }, mcpServers: { hawser: { command: 'hawser', args: ['mcp'], timeout: 3_600_000 } } },
    ],
    [
      'vscode',
      '/project/.vscode/mcp.json',
      { servers: { hawser: { type: 'stdio', command: 'hawser', args: ['mcp'], cwd: WORKSPACE_FOLDER } } },
    ],
    [
      'zed',
      '/home/me/.config/zed/settings.json',
      { context_servers: { hawser: { command: 'hawser', args: ['mcp'] } } },
    ],
  ] as const)('%s: where it is and what it says', (name, path, expected) => {
    const file = fileOf(name);
    expect(file.path).toBe(path);
    expect((file.format === 'toml' ? parseToml : json)(snippetOf(file))).toEqual(expected);
  });

  it('follows the folders that the user chose', () => {
    expect(fileOf('codex', { variables: { CODEX_HOME: '/c' } }).path).toBe('/c/config.toml');
    expect(fileOf('copilot', { variables: { COPILOT_HOME: '/c' } }).path).toBe('/c/mcp-config.json');
    expect(fileOf('zed', { variables: { XDG_CONFIG_HOME: '/c' } }).path).toBe('/c/zed/settings.json');
    expect(fileOf('opencode', { exists: (path) => path.endsWith('.jsonc') }).path).toBe('/project/opencode.jsonc');
  });

  it('names the program by its path where agents do not find it', () => {
    const hawser = ['/usr/bin/node', '/opt/hawser.cjs'] as const;
    expect(json(snippetOf(fileOf('zed', { hawser }))).context_servers.hawser).toEqual({
      command: '/usr/bin/node',
      args: ['/opt/hawser.cjs', 'mcp'],
    });
    expect(json(snippetOf(fileOf('opencode', { hawser }))).mcp.hawser.command).toEqual([...hawser, 'mcp']);
  });

  it.each(AGENTS.filter(({ guide }) => guide !== undefined).map(calledName))(
    '%s: a second time changes nothing',
    (name) => {
      const once = configured(undefined, fileOf(name));
      expect(configured(once, fileOf(name))).toBe(once);
    },
  );
});

describe('a JSON file', () => {
  const gemini = fileOf('gemini');

  it('keeps comments, order, indentation, line ends and members that are not known', () => {
    const text = [
      '// mine',
      '{',
      '\t"theme": "dark", // why',
      '\t"mcpServers": {',
      '\t\t"other": { "command": "x" }, /* keep */',
      '\t},',
      '\t"last": [1,2 ,3]',
      '}',
    ].join('\r\n');
    const edited = configured(text, gemini);
    expect(edited.split('\r\n')).toEqual([
      '// mine',
      '{',
      '\t"theme": "dark", // why',
      '\t"mcpServers": {',
      '\t\t"other": { "command": "x" },',
      '\t\t"hawser": {',
      '\t\t\t"command": "hawser",',
      '\t\t\t"args": ["mcp"],',
      '\t\t\t"timeout": 3600000',
      '\t\t}, /* keep */',
      '\t},',
      '\t"last": [1,2 ,3],',
      '\t"ide": {',
      '\t\t"enabled": true',
      '\t}',
      '}',
    ]);
    expect(configured(edited, gemini)).toBe(edited);
  });

  it('with an older entry gets new values, and keeps what the user added to it', () => {
    const text =
      '{"mcpServers":{"hawser":{"command":"/old/hawser","env":{"A":"1"},"args":["mcp"]}},"ide":{"enabled":false,"x":1}}';
    const edited = configured(text, gemini);
    expect(edited).not.toContain('\n');
    expect(json(edited)).toEqual({
      mcpServers: { hawser: { command: 'hawser', env: { A: '1' }, args: ['mcp'], timeout: 3_600_000 } },
      ide: { enabled: true, x: 1 },
    });
  });

  it('with an empty object gets it on lines of its own, a comment in it included', () => {
    const text = '{ // mine\n  "ide": {},\n  "mcpServers": { /* none */ }\n}\n';
    const edited = configured(text, gemini);
    expect(edited).toBe(
      '{ // mine\n  "ide": {\n    "enabled": true\n  },\n  "mcpServers": {\n    "hawser": {\n      "command": "hawser",\n' +
        '      "args": ["mcp"],\n      "timeout": 3600000\n    }\n   /* none */ }\n}\n',
    );
  });

  it('that is empty or begins with a byte order mark is taken', () => {
    expect(json(configured(' \n', gemini))).toEqual(json(configured(undefined, gemini)));
    const marked = configured('\ufeff{\n    "a": 1\n}\n', gemini);
    expect(marked.startsWith('\ufeff{\n    "a": 1,\n    "ide": {\n        "enabled"')).toBe(true);
    expect(configured(marked, gemini)).toBe(marked);
  });

  it.each([
    ['{"a": 1\n"b": 2}', 'line 2 is not valid JSON (CommaExpected)'],
    ['[1]', 'it does not contain a JSON object'],
    ['{"mcpServers": []}', 'mcpServers is not an object'],
    ['{"ide": "yes"}', 'ide is not an object'],
    ['null', 'it does not contain a JSON object'],
  ])('that can not be understood is refused: %s', (text, reason) => {
    expect(() => configured(text, gemini)).toThrow(reason);
  });
});

describe('a TOML file', () => {
  const codex = fileOf('codex');
  const wanted = { command: 'hawser', args: ['mcp'], tool_timeout_sec: 3600 };

  it('keeps everything it has, byte for byte, and gets the table at its end', () => {
    const text =
      'model = "o3" # mine\n\n[mcp_servers.other]\ncommand = "x"\n[[profiles]]\nname = """\n[mcp_servers]\n"""';
    const edited = configured(text, codex);
    expect(edited.startsWith(`${text}\n\n[mcp_servers.hawser]\ncommand = "hawser"\n`)).toBe(true);
    expect(parseToml(edited)).toEqual({ ...parseToml(text), mcp_servers: { other: { command: 'x' }, hawser: wanted } });
    expect(configured(edited, codex)).toBe(edited);
  });

  it.each([
    [
      '[mcp_servers.hawser]\ncommand = "/old/$& path" # why\nargs = [\n  "serve", # two lines\n  "x"\n]\nenv = { A = "1" }\n\n[next]\na = 1\n',
    ],
    ['[next]\na = 1\n\n  [ mcp_servers . "hawser" ] # mine\nenv = { A = "1" }'],
    ['[next]\r\na = 1\r\n[mcp_servers.hawser]\r\nargs = []\r\n[mcp_servers.hawser.env]\r\nA = "1"\r\n'],
  ])('with an older table gets new values there, and keeps the rest', (text) => {
    const edited = configured(text, codex);
    expect(parseToml(edited)).toEqual({ next: { a: 1 }, mcp_servers: { hawser: { ...wanted, env: { A: '1' } } } });
    expect(edited.includes('\r\n')).toBe(text.includes('\r\n'));
    for (const comment of text.match(/# (why|mine)/g) ?? []) expect(edited).toContain(comment);
    expect(configured(edited, codex)).toBe(edited);
  });

  it.each([
    ['a = ', 'it is not valid TOML'],
    ['mcp_servers = 1', 'mcp_servers is not a table'],
    ['mcp_servers = { hawser = { command = "x" } }', "is written in a form that can't be changed here"],
    ['mcp_servers.hawser.command = "x"', "is written in a form that can't be changed here"],
  ])('that can not be changed safely is refused: %s', (text, reason) => {
    expect(() => configured(text, codex)).toThrow(reason);
  });
});

describe('the file on disk', () => {
  let folder: string;
  let file: ConfigFile;

  beforeEach(() => {
    folder = temporaryFolder();
    file = fileOf('gemini', { workspace: folder });
  });

  it('is made with its folder, and then left alone', () => {
    writeChange(file.path, readChange(file));
    expect(json(readFileSync(file.path, 'utf8')).ide).toEqual({ enabled: true });
    const { before, after } = readChange(file);
    expect(before).toBe(after);
    expect(readdirSync(join(folder, '.gemini'))).toEqual(['settings.json']);
  });

  it('keeps its mode and the link that leads to it', () => {
    const real = join(folder, 'dotfiles.json');
    writeFileSync(real, '{}');
    chmodSync(real, 0o600);
    const link = join(folder, 'link.json');
    symlinkSync(real, link);
    writeChange(link, readChange({ ...file, path: link }));
    expect(statSync(real).mode & 0o777).toBe(0o600);
    expect(json(readFileSync(real, 'utf8')).ide).toEqual({ enabled: true });
  });

  it('that changed since it was read is not written', () => {
    const path = join(folder, 'settings.json');
    writeFileSync(path, '{}');
    const change = readChange({ ...file, path });
    writeFileSync(path, '{"new": 1}');
    expect(() => writeChange(path, change)).toThrow(/^it has changed meanwhile; try again/);
    expect(readFileSync(path, 'utf8')).toBe('{"new": 1}');
    expect(readdirSync(folder)).toEqual(['settings.json']);
  });

  it('that is no UTF-8 text or no regular file is left as it is', () => {
    const path = join(folder, 'settings.json');
    writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d]));
    expect(() => readChange({ ...file, path })).toThrow('it is not UTF-8 text');
    expect(() => readChange({ ...file, path: folder })).toThrow('it is not a regular file');
    expect(existsSync(file.path)).toBe(false);
  });
});
