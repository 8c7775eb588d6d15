// biome-ignore-all lint/suspicious/noTemplateCurlyInString: configuration files have variables in this form.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../bridge/testing/temporary-folder.ts';
import { resolveTarget } from './resolve-target.ts';
import type { TargetPlaces } from './target-places.ts';

let home: string;
let places: TargetPlaces;

beforeEach(() => {
  home = temporaryFolder();
  places = {
    home,
    cwd: join(home, 'work', 'deep'),
    variables: { TOKEN: 'secret', EMPTY: '' },
  };
  mkdirSync(places.cwd, { recursive: true });
});

function write(path: string, content: unknown): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const stdio = (command: string, args: string[] = [], env = {}) => ({
  kind: 'stdio',
  command,
  args,
  env,
  cwd: places.cwd,
});

describe('--server finds a server', () => {
  it('of Claude Code, in .mcp.json of a folder above, with variables', async () => {
    const entry = { command: 'node', args: ['${NAME:-a.js}', '${TOKEN}'], env: { KEY: '${EMPTY}', PORT: 80 } };
    write('work/.mcp.json', { mcpServers: { mine: { type: 'stdio', ...entry } } });
    const env = { KEY: '', PORT: '80' };
    const target = { ...stdio('node', ['a.js', 'secret'], env), cwd: join(home, 'work') };
    expect(await resolveTarget({ server: 'mine' }, places)).toEqual(target);
  });

  it('of Claude Code, in ~/.claude.json, of the project before that of the user', async () => {
    const project = { [join(home, 'work')]: { mcpServers: { a: { command: 'of-project' } } } };
    const user = { a: { command: 'of-user' }, b: { command: 'of-user' } };
    write('.claude.json', { projects: project, mcpServers: user });
    expect(await resolveTarget({ server: 'a' }, places)).toMatchObject({ command: 'of-project' });
    expect(await resolveTarget({ server: 'b' }, places)).toMatchObject({ command: 'of-user' });
  });

  it('of Cursor, with an address and headers', async () => {
    const entry = { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer ${env:TOKEN}' } };
    write('work/deep/.cursor/mcp.json', { mcpServers: { far: entry } });
    const headers = { Authorization: 'Bearer secret' };
    expect(await resolveTarget({ server: 'far' }, places)).toEqual({ kind: 'http', url: entry.url, headers });
  });

  it('of VS Code, with comments and trailing commas', async () => {
    const text = '{\n  // ours\n  "servers": { "x": { "command": "node", "args": ["${workspaceFolder}/x.js"], }, },\n}';
    write('work/.vscode/mcp.json', text);
    const folder = join(home, 'work');
    expect(await resolveTarget({ server: 'x' }, places)).toEqual({ ...stdio('node', [`${folder}/x.js`]), cwd: folder });
  });

  it('of Cursor, in the file of the user, for the folder that the command runs in', async () => {
    write('.cursor/mcp.json', { mcpServers: { x: { command: 'node', args: ['${workspaceFolder}'] } } });
    expect(await resolveTarget({ server: 'x' }, places)).toEqual(stdio('node', [places.cwd]));
  });

  it('of the type sse, which the client finds out by itself', async () => {
    write('.mcp.json', { mcpServers: { s: { type: 'sse', url: 'http://127.0.0.1:1/sse' } } });
    expect(await resolveTarget({ server: 's' }, places)).toMatchObject({ kind: 'http', url: 'http://127.0.0.1:1/sse' });
  });

  it('of Gemini CLI, with httpUrl', async () => {
    write('.gemini/settings.json', { theme: 'x', mcpServers: { g: { httpUrl: 'http://127.0.0.1:1/mcp' } } });
    expect(await resolveTarget({ server: 'g' }, places)).toMatchObject({ kind: 'http', url: 'http://127.0.0.1:1/mcp' });
  });

  it.each([
    ['.qwen', undefined],
    ['other', '~/other'],
  ])('of Qwen Code, in %s with QWEN_HOME=%s', async (folder, QWEN_HOME) => {
    write(join(folder, 'settings.json'), { mcpServers: { mine: { command: 'a' } } });
    const given = { ...places, variables: { QWEN_HOME } };
    expect(await resolveTarget({ server: 'mine' }, given)).toEqual(stdio('a'));
  });

  it('of Codex, in TOML, with a token in a variable', async () => {
    const text = '[mcp_servers.a]\ncommand = "npx"\nargs = ["-y", "x"]\nenv = { A = "1" }\n';
    write('.codex/config.toml', `${text}[mcp_servers.b]\nurl = "https://b"\nbearer_token_env_var = "TOKEN"\n`);
    expect(await resolveTarget({ server: 'a' }, places)).toEqual(stdio('npx', ['-y', 'x'], { A: '1' }));
    const headers = { Authorization: 'Bearer secret' };
    expect(await resolveTarget({ server: 'b' }, places)).toMatchObject({ url: 'https://b', headers });
  });

  it('of Gemini CLI, with variables in the form $NAME', async () => {
    const entry = { command: 'node', args: ['$TOKEN/a', '$$', 'a$', '$MISSING'], env: { A: '$TOKEN' } };
    write('work/.gemini/settings.json', { mcpServers: { g: entry } });
    const args = ['secret/a', '$$', 'a$', '$MISSING'];
    expect(await resolveTarget({ server: 'g' }, places)).toMatchObject({ args, env: { A: 'secret' } });
    write('work/.mcp.json', { mcpServers: { c: { command: 'node', args: ['$TOKEN'] } } });
    expect(await resolveTarget({ server: 'c' }, places)).toMatchObject({ args: ['$TOKEN'] });
  });

  it('of VS Code, with an environment file, whose variables env replaces', async () => {
    write('work/.env', '# ours\nA=1\nexport B = \'two words\' \n\nC="x\\ny"\nD=kept # comment\nE=\n');
    const entry = { command: 'node', envFile: '${workspaceFolder}/.env', env: { A: 'own' } };
    write('work/.vscode/mcp.json', { servers: { x: entry } });
    const env = { A: 'own', B: 'two words', C: 'x\ny', D: 'kept', E: '' };
    expect(await resolveTarget({ server: 'x' }, places)).toMatchObject({ env });
  });

  it('of Cursor and VS Code, with the variables for folders and separators', async () => {
    const args = ['${workspaceFolderBasename}', '${pathSeparator}', '${/}', '${userHome}'];
    write('work/.cursor/mcp.json', { mcpServers: { x: { command: 'node', args } } });
    expect(await resolveTarget({ server: 'x' }, places)).toMatchObject({ args: ['work', sep, sep, home] });
  });

  it('in a file with a byte order mark', async () => {
    write('work/.mcp.json', '\ufeff{"mcpServers":{"x":{"command":"node"}}}');
    write('.codex/config.toml', '\ufeff[mcp_servers.y]\ncommand = "node"\n');
    expect(await resolveTarget({ server: 'x' }, places)).toMatchObject({ command: 'node' });
    expect(await resolveTarget({ server: 'y' }, places)).toMatchObject({ command: 'node' });
  });

  it('with a folder that is relative to that of the project', async () => {
    write('work/.mcp.json', { mcpServers: { x: { command: 'node', cwd: 'sub' } } });
    await expect(resolveTarget({ server: 'x' }, places)).rejects.toThrow(`x: There is no folder ${home}`);
    mkdirSync(join(home, 'work', 'sub'));
    expect(await resolveTarget({ server: 'x' }, places)).toMatchObject({ cwd: join(home, 'work', 'sub') });
  });

  it('in the file that --config names', async () => {
    const config = write('other.json', { mcpServers: { o: { command: 'node server.js' } } });
    expect(await resolveTarget({ server: 'o', config }, places)).toEqual(stdio('node', ['server.js']));
  });
});

describe('what is wrong with a server is said', () => {
  it.each([
    [{ command: '${MISSING}' }, 'x: command needs the environment variable MISSING, which is not set.'],
    [{ command: '${input:key}' }, 'x: command has ${input:key}, which only the program that owns it can fill in.'],
    [{ url: 'ftp://x' }, 'ftp://x is not a URL with http:, https:, ws: or wss:.'],
    [
      { url: 'http://x', bearer_token_env_var: 'MISSING' },
      'x: bearer_token_env_var needs the environment variable MISSING, which is not set.',
    ],
    [{}, 'x has neither a command nor a url.'],
    [{ command: 3 }, 'x: command is not a text.'],
    [{ command: 'node', args: 'a.js' }, 'x: args is not a list.'],
    [{ command: 'node', args: { a: 1 } }, 'x: args is not a list.'],
    [{ command: 'node', env: ['A=1'] }, 'x: env is not an object.'],
    [{ url: 'http://x', headers: 'A: b' }, 'x: headers is not an object.'],
    [{ command: 'node', envFile: 'none.env' }, "x: envFile can't be read: ENOENT"],
  ])('%j', async (entry, message) => {
    write('work/.mcp.json', { mcpServers: { x: entry } });
    await expect(resolveTarget({ server: 'x' }, places)).rejects.toThrow(message);
  });

  it('if there is none of that name, with those that there are', async () => {
    write('work/.mcp.json', { mcpServers: { memory: { command: 'a' } } });
    write('.gemini/settings.json', { mcpServers: { files: { command: 'b' } } });
    const message =
      'No configuration file here or of this user has a server memroy. Known servers: files, memory. Did you mean memory?';
    await expect(resolveTarget({ server: 'memroy' }, places)).rejects.toThrow(message);
  });

  it('if a file cannot be read', async () => {
    const config = write('bad.json', '{ "mcpServers": {\n');
    await expect(resolveTarget({ server: 'x', config }, places)).rejects.toThrow(`${config} is not valid JSON`);
    const toml = write('bad.toml', 'a = \n');
    await expect(resolveTarget({ server: 'x', config: toml }, places)).rejects.toThrow(`${toml} is not valid TOML`);
    await expect(resolveTarget({ server: 'x', config: 'none' }, places)).rejects.toThrow("can't be read: ENOENT");
  });
});

describe('the options that name a server', () => {
  it.each([
    [{ stdio: 'a', url: 'http://b' }, 'Use one of --stdio and --url.'],
    [{ config: 'a' }, '--config needs --server.'],
    [{ stdio: 'a', header: ['A: b'] }, 'A command takes no --header.'],
    [{ stdio: ' ' }, '--stdio is empty.'],
    [{ url: 'http://a', header: ['no colon'] }, '--header no colon: write it as "Name: value".'],
    [{}, 'Name a server with --stdio, --url or --server.'],
    [{ server: 'c', header: ['A: b'] }, 'A command takes no --header.'],
  ])('are checked: %j', async (flags, message) => {
    write('work/.mcp.json', { mcpServers: { c: { command: 'node' } } });
    await expect(resolveTarget(flags, places)).rejects.toThrow(message);
  });

  it('give headers that replace those of a file', async () => {
    write('work/.mcp.json', {
      mcpServers: { x: { url: 'http://x', headers: { authorization: 'old', Other: 'kept' } } },
    });
    const header = ['Authorization: Bearer a: b '];
    expect(await resolveTarget({ server: 'x', header }, places)).toMatchObject({
      headers: { Other: 'kept', Authorization: 'Bearer a: b' },
    });
  });
});
