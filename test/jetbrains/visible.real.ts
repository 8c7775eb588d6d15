import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { logInStatus } from '../../packages/bridge/testing/log-in.ts';
import { type Household, PROGRAM, temporaryHousehold } from '../../packages/bridge/testing/program.ts';
import { parseTranscript } from '../../packages/client/src/transcript.ts';
import { claudeCode } from '../agents/agents/claude-code.ts';
import { install } from '../agents/install.ts';
import { LINES, TEXT } from '../agents/lines.ts';
import { ScriptedModel } from '../agents/scripted-model.ts';
import { play, type Wire } from '../transcript-player.ts';
import { socketWire } from '../transcript-wires.ts';
import { IdeProject } from './ide-project.ts';

// What a user does in the IDE, with the whole of Hawser behind it. Set HAWSER_PICTURES to make the pictures of the docs anew.

const EDITOR = [process.execPath, PROGRAM, 'editor', '--agents', 'claude-code,mcp,jetbrains'];
const CHANGED = LINES.with(1, 'TWO').with(10, 'ELEVEN');
const textOf = (lines: readonly string[]) => `${lines.join('\n')}\n`;

describe('the IDE on a screen', () => {
  let house: Household;
  let path: string;
  let ide: IdeProject;

  beforeEach(async () => {
    house = temporaryHousehold();
    house.moreEnv.PATH = `${house.home}${delimiter}${house.env.PATH}`;
    house.moreEnv.DISPLAY = process.env.DISPLAY ?? '';
    path = join(house.workspace, 'main.ts');
    writeFileSync(path, TEXT);
    ide = await IdeProject.open(house.workspace, EDITOR, house.env);
    await until(async () => (await house.run('status', '--json')).code === 0);
  });

  afterEach(() => ide.close());

  const picture = async (name: string) => {
    const folder = process.env.HAWSER_PICTURES;
    if (folder !== undefined) await ide.act('picture', { file: join(folder, name) });
  };

  it('a change of the real Claude Code is accepted in part, and the agent writes that part', async () => {
    await ide.act('show', { path });
    const { ended, model } = await gatedClaude(house, path);
    const { title } = await ide.window();
    expect(title).toContain('main.ts');
    expect(readFileSync(path, 'utf8')).toBe(TEXT);
    await ide.act('toolWindow');
    await picture('jetbrains-review.png');
    await ide.act('closeWindow'); // decides nothing
    await picture('jetbrains-editor.png');
    await ide.act('press', { button: 'Review' });
    await ide.act('edit', { text: textOf(LINES.with(10, 'ELEVEN')) });
    await ide.act('press', { button: 'Accept' });
    await ended;
    await model.close();
    expect(readFileSync(path, 'utf8')).toBe(textOf(LINES.with(10, 'ELEVEN')));
    await until(async () => (await ide.act('text', { path })).text === readFileSync(path, 'utf8'));
  });

  it('the user asks for changes, and the model reads the note', async () => {
    const { ended, model } = await gatedClaude(house, path);
    await ide.window();
    await ide.act('note', { text: 'in French, please' });
    await ide.act('press', { button: 'Ask for Changes' });
    await ended;
    expect([readFileSync(path, 'utf8'), model.received.at(-1)]).toEqual([
      TEXT,
      expect.stringContaining('in French, please'),
    ]);
    await model.close();
  });

  it('a decision in a terminal closes the window', async () => {
    const { ended, model } = await gatedClaude(house, path);
    await ide.window();
    const [{ id }] = JSON.parse((await house.run('review', '--list', '--json')).out);
    expect(await house.run('review', '--reject', id)).toMatchObject({ code: 0 });
    await ended;
    await until(async () => (await ide.act('window')).title === undefined);
    await model.close();
  });

  it('Review in Browser starts a browser with a link that logs it in', async () => {
    const started = join(house.home, 'link');
    writeFileSync(join(house.home, 'xdg-open'), `#!/bin/sh\nprintf %s "$1" > '${started}'\n`, { mode: 0o700 });
    await ide.act('action', { id: 'Hawser.ReviewInBrowser' });
    await until(async () => existsSync(started) && readFileSync(started, 'utf8') !== '');
    expect(await logInStatus(readFileSync(started, 'utf8'))).toBe(200);
  });

  it('Start Agent says that there is no terminal, and has the command in the clipboard', async () => {
    await ide.act('action', { id: 'Hawser.StartAgent' });
    await until(() => pressed(ide, 'OK'));
    await until(async () => (await ide.act('clipboard')).text === 'hawser run claude');
    const words = 'Type this in one, in the folder of the project (it is in the clipboard): hawser run claude';
    await until(async () => JSON.stringify(await ide.act('said')).includes(`This IDE has no terminal. ${words}`));
  });

  for (const title of ['the example session', 'a rejected diff is answered with DIFF_REJECTED']) {
    it(`${title} of the document, with the IDE behind it`, async () => {
      writeFileSync(path, 'let a = 1;\nlet b = foo;\n');
      const wire = await jetbrainsWire(house);
      const transcript = readFileSync(new URL('../agent-transcripts/jetbrains.transcript', import.meta.url), 'utf8');
      const session = parseTranscript(transcript).find((each) => each.title === title);
      if (session === undefined) throw new Error(`The transcript has no ${title}`);
      const press = (button: string) => async () => {
        await ide.window();
        await ide.act('press', { button });
      };
      await play(session, 'client', wire, {
        'the user accepts the diff': press('Accept'),
        'the user rejects the diff': press('Reject'),
      });
    });
  }

  it('the tools of the document see and move what the IDE shows', async () => {
    writeFileSync(path, 'let a = 1;\nlet b = foo;\n');
    const wire = await jetbrainsWire(house);
    const call = await calling(wire);
    expect(await call('open_file', { file_path: path })).not.toHaveProperty('isError');
    const range = { start: { line: 1, character: 8 }, end: { line: 1, character: 11 } };
    await call('set_selection', { file_path: path, range });
    expect(JSON.stringify(await call('get_selection', {}))).toContain('foo');
    await call('set_cursor_position', { file_path: path, line: 0, character: 4 });
    expect(JSON.stringify(await call('get_cursor_position', {}))).toMatch(/line\D+0\D+character\D+4/);
    expect(JSON.stringify(await call('list_opened_files', {}))).toContain('main.ts');
    await call('close_tab', { tab_name: path });
    expect(JSON.stringify(await call('list_opened_files', {}))).not.toContain('main.ts');
  });

  it('the tools of the document have the problems that the IDE finds, and what its formatter makes', async () => {
    const [broken, loose] = ['broken.json', 'loose.json'].map((name) => join(house.workspace, name)) as [
      string,
      string,
    ];
    writeFileSync(broken, '{"a":}\n');
    writeFileSync(loose, '{"a":1}\n');
    const call = await calling(await jetbrainsWire(house));
    await call('open_file', { file_path: broken });
    const problems = async () => JSON.stringify(await call('get_diagnostics', { file_path: broken }));
    await until(async () => (await problems()).includes('ERROR'));
    expect(await problems()).toMatch(/value.* expected/);
    const formatting = call('reformat_file', { file_path: loose });
    await ide.window();
    await ide.act('press', { button: 'Accept' });
    expect(await formatting).not.toHaveProperty('isError');
    expect(readFileSync(loose, 'utf8')).toBe('{\n  "a": 1\n}\n');
  });
});

/** Claude Code in the mode that asks for nothing, with its gate, and a model that changes the second and the eleventh line. */
async function gatedClaude(
  house: Household,
  file_path: string,
): Promise<{ ended: Promise<unknown>; model: ScriptedModel }> {
  const program = await install(claudeCode);
  const model = await ScriptedModel.open();
  const [from, to] = [LINES, CHANGED].map((lines) => lines.slice(1, 11).join('\n'));
  model.script([
    { use: 'Read', input: { file_path } },
    { use: 'Edit', input: { file_path, old_string: from, new_string: to } },
    { say: 'That was all.' },
  ]);
  expect(await house.run('gate', 'on', 'claude', '--yes')).toMatchObject({ code: 0 });
  const own = claudeCode.start({ home: house.home, workspace: house.workspace, modelUrl: model.url });
  const env = { ...house.env, ...own.env, IS_SANDBOX: '1', HTTPS_PROXY: model.url, NO_PROXY: 'localhost,127.0.0.1' };
  const args = ['--permission-mode', 'bypassPermissions', '-p', 'please go on'];
  const agent: ChildProcess = spawn(program, args, { cwd: house.workspace, env, stdio: 'ignore' });
  return { ended: once(agent, 'exit'), model };
}

/** Whether the button is there yet: a screen sends no events. */
async function pressed(ide: IdeProject, button: string): Promise<boolean> {
  return await ide.act('press', { button }).then(
    () => true,
    () => false,
  );
}

/** The document's client: a WebSocket by the lock file, on which the workspace is called $WORK. */
async function jetbrainsWire(house: Household): Promise<Wire> {
  const { agents } = JSON.parse((await house.run('status', '--json')).out);
  const { endpoints, discoveryFiles } = agents.find(({ name }: { name: string }) => name === 'jetbrains');
  const { authToken } = JSON.parse(readFileSync(discoveryFiles[0], 'utf8'));
  const socket = new WebSocket(endpoints[0], 'mcp', { headers: { 'X-Claude-Code-Ide-Authorization': authToken } });
  const wire = socketWire(socket, async () => {});
  await once(socket, 'open');
  const { version } = JSON.parse(readFileSync(join(dirname(PROGRAM), '..', 'package.json'), 'utf8'));
  const read = (text: string) =>
    text
      .replaceAll(house.workspace, '$WORK')
      .replaceAll(`"name":"Hawser","version":"${version}"`, '"name":"Hawser","version":"0.0.0"');
  return {
    send: (text) => wire.send(text.replaceAll('$WORK', house.workspace)),
    receive: async () => JSON.parse(read(JSON.stringify(await wire.receive()))),
    close: () => wire.close(),
  };
}

async function calling(wire: Wire) {
  let id = 0;
  const request = async (method: string, params: object) => {
    id += 1;
    wire.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    for (;;) {
      const message = (await wire.receive()) as { id?: number; result?: object };
      if (message.id === id) return message.result ?? message;
    }
  };
  const clientInfo = { name: 'Claude Code JetBrains Plugin', version: '0.1.11-beta' };
  await request('initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo });
  wire.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized', params: {} }));
  return (name: string, args: object) => request('tools/call', { name, arguments: args });
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition()));
}
