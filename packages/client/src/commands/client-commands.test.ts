import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ALL_VERSIONS } from '@hawser/mcp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Household, type Outcome, PROGRAM, type ServedBridge } from '../../../bridge/testing/program.ts';
import { REVISIONS } from './target-options.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const ours = (name: string) => `node ${join(root, 'packages', 'client', 'testing', name)}`;
const official = (name: string) =>
  `node ${join(root, 'node_modules', '@modelcontextprotocol', name, 'dist', 'index.js')}`;
const TRIVIAL = ours('trivial-server.mjs');
const ASKING = ours('asking-server.mjs');
const EVERYTHING = official('server-everything');

let house: Household;
let bridge: ServedBridge;

beforeAll(async () => {
  house = new Household();
  writeFileSync(join(house.workspace, 'a.txt'), 'hello\n');
  bridge = await house.serve('--agents', 'claude-code,mcp');
});
afterAll(() => house.dispose());

const run = (...args: string[]): Promise<Outcome> => house.run(...args);
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out);

describe('what a server offers', () => {
  it('is listed in tables', async () => {
    const [info, tools, none] = await Promise.all([
      run('info', '--stdio', ASKING),
      run('tools', '--stdio', ASKING),
      run('prompts', '--stdio', ASKING),
    ]);
    expect(info).toEqual({
      code: 0,
      out: `server    asking 1.0.0\ntarget    ${ASKING}\nprotocol  2025-06-18\noffers    tools (listChanged)\n`,
      err: '',
    });
    expect(tools).toEqual({
      code: 0,
      out: [
        'TOOL      ARGUMENTS    DESCRIPTION',
        'book                   Asks who wants a table',
        'wait      mode? loud?  Reports progress and never ends',
        'announce               Sends notifications',
        '',
      ].join('\n'),
      err: '',
    });
    expect(none).toEqual({ code: 0, out: 'The server has no prompts.\n', err: '' });
  });

  it('is listed although the server prints to stdout; stderr names the lines, the first three of them', async () => {
    const noisy = join(house.workspace, 'noisy.mjs');
    const lines = ['Server running', '{"a":1}', 'three', 'four', 'five'];
    const [, trivial = ''] = TRIVIAL.split(' ');
    writeFileSync(
      noisy,
      `for (const line of ${JSON.stringify(lines)}) console.log(line);\nawait import(${JSON.stringify(trivial)});\n`,
    );
    const { code, out, err } = await run('tools', '--stdio', `node ${noisy}`);
    expect([code, out.split('\n')[0]]).toEqual([0, expect.stringMatching(/^TOOL/)]);
    // This server also answers the errors that it gets for them.
    expect(err.split('\n').filter((line) => line.includes('not a message'))).toEqual([
      expect.stringMatching(/^hawser: The server sent something that is not a message: Parse error: .*Server/),
      expect.stringMatching(/^hawser: The server sent something that is not a message: Invalid request: /),
      expect.stringMatching(/^hawser: The server sent something that is not a message: Parse error: .*three/),
      'hawser: The server sends more that is not a message. A server on stdio must log to stderr, not to stdout.',
    ]);
  });

  it('is the same as JSON, as the server sent it', async () => {
    const [info, tools, resources, prompts] = await Promise.all([
      json('info', '--stdio', EVERYTHING),
      json('tools', '--stdio', EVERYTHING),
      json('resources', '--stdio', EVERYTHING),
      json('prompts', '--stdio', EVERYTHING),
    ]);
    expect(info).toMatchObject({
      target: EVERYTHING,
      protocolVersion: '2025-11-25',
      isStateless: false,
      serverInfo: { name: 'mcp-servers/everything' },
      capabilities: { tools: { listChanged: true } },
      instructions: expect.any(String),
    });
    expect(Object.keys(tools)).toEqual(['tools']);
    expect(tools.tools).toContainEqual(expect.objectContaining({ name: 'get-sum', inputSchema: expect.any(Object) }));
    expect(Object.keys(resources)).toEqual(['resources', 'resourceTemplates']);
    expect(resources.resources[0]).toMatchObject({ uri: expect.stringContaining('://'), name: expect.any(String) });
    expect(resources.resourceTemplates[0]).toMatchObject({ uriTemplate: expect.any(String) });
    expect(prompts.prompts).toContainEqual(expect.objectContaining({ name: 'args-prompt' }));
  });

  it('is known of a server without sessions, too, and in the revision that is asked for', async () => {
    const showcase = `node ${join(root, 'test', 'sdk', 'fixtures', 'hawser-stdio.mjs')}`;
    const [newest, older] = await Promise.all([
      json('info', '--stdio', showcase),
      json('info', '--protocol', '2025-03-26', '--stdio', showcase),
    ]);
    expect(newest).toMatchObject({ protocolVersion: '2026-07-28', isStateless: true });
    expect(older).toMatchObject({ protocolVersion: '2025-03-26', isStateless: false });
  });

  it('is not asked for in a revision that does not exist', async () => {
    expect([...REVISIONS].sort()).toEqual([...ALL_VERSIONS].sort());
    const { code, err } = await run('info', '--protocol', '2025-99-99', '--stdio', 'node -v');
    expect(code).toBe(2);
    expect(err).toContain('2025-06-18, 2025-11-25, 2026-07-28');
  });

  it('is found over HTTP, and in a configuration file', async () => {
    const port = await freePort();
    house.moreEnv.PORT = String(port);
    const config = { mcpServers: { far: { type: 'http', url: `http://127.0.0.1:${port}/mcp` } } };
    writeFileSync(join(house.workspace, '.mcp.json'), JSON.stringify(config));
    const server = house.startNode([EVERYTHING.slice('node '.length), 'streamableHttp']);
    const ready = new Promise<void>((resolve) => {
      server.stderr?.on('data', (data) => String(data).includes('listening on port') && resolve());
    });
    await ready;
    const [direct, named] = await Promise.all([
      json('info', '--url', `http://127.0.0.1:${port}/mcp`),
      json('info', '--server', 'far'),
    ]);
    expect(direct.serverInfo).toMatchObject({ name: 'mcp-servers/everything' });
    expect(named).toEqual(direct);
    server.kill();
  });
});

describe('the editor of this folder', () => {
  it('is the server if none is named, by its richest connection', async () => {
    const inside = join(house.workspace, 'deep');
    mkdirSync(inside);
    const { out, code } = await house.runIn(inside, 'tools', '--json');
    expect(code).toBe(0);
    const { tools } = JSON.parse(out);
    expect(tools).toContainEqual(expect.objectContaining({ name: 'propose_edit' }));
  });

  it('is reached by its lock file, too', async () => {
    const [, lock = ''] = /lock (\S+)/.exec(bridge.line) ?? [];
    const [{ tools }, { out, code }] = await Promise.all([
      json('tools', '--lock', lock),
      run('call', 'getWorkspaceFolders', '--lock', lock),
    ]);
    expect(tools).toContainEqual(expect.objectContaining({ name: 'openDiff' }));
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ rootPath: house.workspace });
  });

  it('is listed with its files; a stale file is named, and removed when the user says so', async () => {
    const { pid } = bridge.child;
    const stale = join(house.home, '.claude', 'ide', '1.lock');
    const lock = { pid: 4_194_305, workspaceFolders: ['/gone'], ideName: 'Old editor' };
    writeFileSync(stale, JSON.stringify(lock));
    const [words, report] = await Promise.all([run('editors'), json('editors')]);
    expect(words.out).toBe(
      [
        'EDITOR      PID      STATE                             AGENTS           WORKSPACE',
        `Hawser      ${String(pid).padEnd(7)}  alive                             mcp,claude-code  ${house.workspace}`,
        'Old editor  4194305  stale: process 4194305 has ended  claude-code      /gone',
        '',
      ].join('\n'),
    );
    const url = expect.stringMatching(/^(http|ws):\/\/127\.0\.0\.1:\d+/);
    expect(report).toEqual({
      editors: [
        {
          name: 'Hawser',
          pid,
          workspaceFolders: [house.workspace],
          state: 'alive',
          files: [
            { agent: 'mcp', path: expect.any(String), url },
            { agent: 'claude-code', path: expect.any(String), url },
          ],
        },
        {
          name: 'Old editor',
          pid: 4_194_305,
          workspaceFolders: ['/gone'],
          state: 'stale',
          reason: 'process 4194305 has ended',
          files: [{ agent: 'claude-code', path: stale, url: 'ws://127.0.0.1:1' }],
        },
      ],
      unreadableFiles: [],
    });
    expect(await run('editors', '--sweep')).toMatchObject({ code: 2, err: expect.stringContaining('add --yes') });
    expect(existsSync(stale)).toBe(true);
    expect(await run('editors', '--sweep', '--yes')).toEqual({ code: 0, out: `removed ${stale}\n`, err: '' });
    expect(existsSync(stale)).toBe(false);
    expect(await run('editors', '--sweep', '--yes')).toMatchObject({ out: 'No file is stale.\n' });
  });
});

describe('a call', () => {
  it('has the types of the schema, and prints what people want', async () => {
    const [sum, structured, image] = await Promise.all([
      run('call', 'get-sum', 'a=2', 'b=3.5', '--stdio', EVERYTHING),
      run('call', '--stdio', EVERYTHING, 'get-structured-content', '--args', '{"location":"New York"}'),
      run('call', 'get-tiny-image', '--stdio', EVERYTHING, '--save', 'images'),
    ]);
    expect(sum).toEqual({ code: 0, out: 'The sum of 2 and 3.5 is 5.5.\n', err: '' });
    expect(JSON.parse(structured.out)).toMatchObject({ temperature: 33 });
    expect(structured.out).toContain('{\n  "temperature"');
    const path = join(house.workspace, 'images', 'get-tiny-image.png');
    expect(image.out).toContain(`image/png saved to ${path}\n`);
    expect(readFileSync(path).subarray(1, 4).toString()).toBe('PNG');
  });

  it('of a file server works on files; a refusal is an error and exit code 1', async () => {
    const files = `${official('server-filesystem')} ${house.workspace}`;
    const path = join(house.workspace, 'a.txt');
    writeFileSync(join(house.workspace, 'args.json'), JSON.stringify({ path }));
    const [read, outside, raw] = await Promise.all([
      run('call', 'read_text_file', '--args', '@args.json', '--stdio', files),
      run('call', 'read_text_file', 'path=/etc/passwd', '--stdio', files),
      run('call', 'read_text_file', 'path=/etc/passwd', '--json', '--stdio', files),
    ]);
    expect(read).toMatchObject({ code: 0, out: expect.stringContaining('hello') });
    expect(outside).toMatchObject({ code: 1, out: '', err: expect.stringContaining('Access denied') });
    expect(raw.code).toBe(1);
    expect(JSON.parse(raw.out)).toMatchObject({ isError: true, content: [{ type: 'text' }] });
  });

  it.each([
    [['ehco'], 'hawser: The server has no tool ehco. Did you mean echo?\n'],
    [
      ['echo', 'times=x', 'c=1'],
      "hawser: The arguments of echo don't fit:\n  times: expected integer, got x\n  There is no argument c.\n  Missing: text (string)\n",
    ],
    [['echo', '--args', '[1]'], 'hawser: --args is not a JSON object, such as \'{"path":"a.ts"}\'.\n'],
    [['echo', '--args', '@none.json'], "hawser: none.json can't be read: ENOENT"],
  ])('that is wrong is explained, and not made: %j', async (args, message) => {
    const { code, out, err } = await run('call', ...args, '--stdio', TRIVIAL);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err.startsWith(message)).toBe(true);
  });

  it('can be described instead', async () => {
    const { out } = await run('call', 'wait', '--describe', '--stdio', ASKING);
    expect(out).toBe('wait\nReports progress and never ends\n  mode?  "slow" | "slower"\n  loud?  boolean\n');
  });

  it('declines questions of the server if there is no terminal', async () => {
    expect(await run('call', 'book', '--stdio', ASKING)).toEqual({
      code: 0,
      out: '{"action":"decline"}\n',
      err: 'The server asks: A table?\nhawser: Declined, because there is no terminal to ask in.\n',
    });
  });

  it('is cancelled on the server by a signal, and exits as shells expect', async () => {
    const log = join(house.home, 'cancelled.log');
    const child = house.start(['call', 'wait', '--verbose', '--stdio', `${ASKING} ${log}`]);
    await new Promise<void>((resolve) => {
      child.stderr?.on('data', (data) => String(data).includes('waiting') && resolve());
    });
    const closed = once(child, 'close');
    child.kill('SIGINT');
    expect(await closed).toEqual([130, null]);
    const last = readFileSync(log, 'utf8').trim().split('\n').at(-1) ?? '';
    expect(JSON.parse(last)).toMatchObject({
      method: 'notifications/cancelled',
      params: { reason: 'The user cancelled it' },
    });
  });
});

describe('a server', () => {
  it('is watched', async () => {
    const lines = await run('watch', '--count', '1', '--json', '--stdio', ASKING);
    const [line = ''] = lines.out.split('\n');
    expect(JSON.parse(line)).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      method: 'custom/ready',
      params: { at: 'once' },
    });
    expect((await run('watch', '--count', '1', '--stdio', ASKING)).out).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} {2}custom\/ready {2}\{"at":"once"\}\n$/,
    );
  });

  it('is watched until the reader of the output is gone', async () => {
    const child = house.start(['watch', '--stdio', `${ASKING} ${join(house.home, 'chatter.log')} chatter`]);
    let err = '';
    child.stderr?.on('data', (data) => {
      err += data;
    });
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    child.stdout?.destroy();
    expect(await once(child, 'exit')).toEqual([141, null]);
    expect(err).toBe('');
  });

  it('is pinged', async () => {
    const report = await json('ping', '--count', '3', '--stdio', TRIVIAL);
    expect(Object.keys(report)).toEqual(['roundTripsMs', 'minMs', 'medianMs', 'maxMs']);
    expect(report.roundTripsMs).toHaveLength(3);
    expect((await run('ping', '--count', '1', '--stdio', TRIVIAL)).out).toMatch(
      /^1: \d+\.\d\d ms\nmin \d+\.\d\d ms, median \d+\.\d\d ms, max \d+\.\d\d ms\n$/,
    );
  });

  it('is healthy, or the step that failed is named', async () => {
    const [well, gone, report] = await Promise.all([
      run('health', '--stdio', TRIVIAL),
      run('health', '--stdio', 'node -e process.exit(3)'),
      json('health', '--stdio', 'no-such-command'),
    ]);
    expect(well.code).toBe(0);
    expect(well.out.replace(/\d+ ms */g, 'N ms  ')).toBe(
      [
        'connect    ok       N ms  trivial 1.0.0, MCP 2025-06-18',
        'tools      ok       N ms  2',
        'resources  skipped  N ms  not offered',
        'prompts    skipped  N ms  not offered',
        'ping       ok       N ms  \n',
      ].join('\n'),
    );
    expect(gone).toMatchObject({ code: 10, out: expect.stringContaining('node exited with code 3') });
    expect(gone.out).toContain('use --protocol 2025-11-25');
    expect(gone.out).not.toContain('the option negotiation');
    expect(report).toEqual({
      target: 'no-such-command',
      status: 'failed',
      steps: [{ name: 'connect', status: 'failed', ms: expect.any(Number), detail: expect.stringContaining('ENOENT') }],
    });
  });

  it('that can not be reached gives exit code 10, and a wrong name of one 2', async () => {
    const [refused, none, both] = await Promise.all([
      run('tools', '--url', `http://127.0.0.1:${await freePort()}/mcp`),
      run('tools', '--server', 'nowhere'),
      run('tools', '--stdio', 'a', '--url', 'http://b'),
    ]);
    expect(refused).toMatchObject({ code: 10, err: expect.stringContaining('ECONNREFUSED') });
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining('has a server nowhere.') });
    expect(both).toMatchObject({ code: 2, err: 'hawser: Use one of --stdio and --url.\n' });
  });
});

describe('a transcript', () => {
  it('is recorded between a client and a server, and replayed', async () => {
    const file = join(house.workspace, 'deep', 's.transcript');
    mkdirSync(dirname(file), { recursive: true });
    const recorded = (server: string) => `node ${PROGRAM} record -o ${file} -- ${server}`;
    expect(await run('call', 'echo', 'text=hi', '--stdio', recorded(TRIVIAL))).toMatchObject({
      out: '{"text":"hi"}\n',
    });
    await run('call', 'get-sum', 'a=1', 'b=2', '--stdio', recorded(EVERYTHING));
    const text = readFileSync(file, 'utf8');
    expect(text.match(/^== .*/gm)).toEqual([
      expect.stringContaining(`== ${TRIVIAL}, 20`),
      expect.stringContaining(`== ${EVERYTHING}, 20`),
    ]);
    expect(text).toContain(
      '← {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"{\\"text\\":\\"hi\\"}"}]}}',
    );
    const report = await json('replay', file, '--stdio', TRIVIAL, '--timeout', '1');
    expect(report).toMatchObject({
      target: TRIVIAL,
      status: 'different',
      sessions: [
        { title: expect.stringContaining(TRIVIAL), status: 'same', differences: [] },
        { title: expect.stringContaining(EVERYTHING), status: 'different' },
      ],
    });
    expect(report.sessions[1].differences).toContainEqual({
      line: expect.any(Number),
      message: 'result.serverInfo.name should be "mcp-servers/everything", is "trivial"',
    });
    const [first = ''] = text.split(/^(?=== .*everything)/m);
    writeFileSync(file, first);
    expect(await run('replay', file, '--stdio', TRIVIAL)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^same/),
    });
  });
});

it('the doctor reports as JSON', async () => {
  const report = await json('doctor');
  expect(Object.keys(report)).toEqual(['version', 'status', 'findings']);
  const node = { id: 'node', title: 'Node.js', status: 'ok', detail: process.versions.node };
  expect(report.findings).toContainEqual(node);
  for (const { id, title, status, detail } of report.findings) {
    expect([typeof id, typeof title, typeof detail]).toEqual(['string', 'string', 'string']);
    expect(['ok', 'off', 'missing', 'warning', 'problem']).toContain(status);
  }
});

it('lines piped to the shell are run one by one', async () => {
  const child = house.start(['shell', '--stdio', TRIVIAL]);
  let [out, err] = ['', ''];
  child.stdout?.on('data', (data) => {
    out += data;
  });
  child.stderr?.on('data', (data) => {
    err += data;
  });
  child.stdin?.end('echo text="a b"\n:raw {"jsonrpc":"2.0","id":"x","method":"ping"}\n\nfail\n:nope\n:quit\n');
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(out).toBe('{"text":"a b"}\n{"jsonrpc":"2.0","id":"x","result":{}}\n');
  expect(err).toBe('It failed\nhawser: There is no :nope. :help lists what there is.\n');
});

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
