import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCommand } from '@hawser/client/open-browser';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../bridge/testing/temporary-folder.ts';
import { CallParams } from './call-params.ts';
import { readAnswer, readCompletion, readTargetChoice } from './call-readers.ts';
import { listTargets } from './target-list.ts';

describe('the parameters of a call', () => {
  it.each([
    [
      () => readTargetChoice(new CallParams({ kind: 'other' })),
      'kind must be one of given, last, stdio, url, lock, server',
    ],
    [() => readTargetChoice(new CallParams({ kind: 'stdio', command: 'x', env: { A: 1 } })), 'env.A must be a string'],
    [() => readTargetChoice(new CallParams({ kind: 'url', url: 'x', headers: [1] })), 'headers must be strings'],
    [() => readTargetChoice(new CallParams({ kind: 'url', url: 'x', headers: {} })), 'headers must be an array'],
    [() => new CallParams([]), 'params must be an object'],
    [() => new CallParams({ a: null }).params('a'), 'a must be an object'],
    [
      () => readAnswer(new CallParams({ id: '1', answer: { kind: 'elicitation', result: { action: 'x' } } })),
      'answer.result.action must be one of accept, decline, cancel',
    ],
    [
      () => readCompletion(new CallParams({ ref: { type: 'ref/prompt', name: 'p' }, argument: {} })),
      'argument.name must be a string',
    ],
  ])('are refused if they are wrong: %#', (read, message) => {
    expect(read).toThrow(`Invalid params: ${message}`);
  });
});

describe('a browser', () => {
  it('is opened without a shell, and only where there is a screen', () => {
    const url = 'http://127.0.0.1:1/#a;b&c';
    expect(openCommand(url, { platform: 'linux', variables: { DISPLAY: ':0' } })).toEqual(['xdg-open', url]);
    expect(openCommand(url, { platform: 'linux', variables: {} })).toBeUndefined();
    expect(openCommand(url, { platform: 'darwin', variables: {} })).toEqual(['open', url]);
    expect(openCommand(url, { platform: 'win32', variables: {} })).toEqual([
      'rundll32',
      'url.dll,FileProtocolHandler',
      url,
    ]);
  });
});

describe('the servers to choose from', () => {
  it('are those of configuration files, nearest first, and say what is wrong with an entry or a file', async () => {
    const folder = temporaryFolder();
    const stdio = { command: 'node', args: ['server.js'], env: { KEY: 'secret' } };
    const entries = {
      one: stdio,
      two: { url: 'https://user:secret@example.com/mcp' },
      three: { type: 'sse', url: 'http://x' },
    };
    writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: entries }));
    writeFileSync(
      join(folder, '.claude.json'),
      JSON.stringify({ mcpServers: { one: { command: 'hidden' }, four: {} } }),
    );
    const { editors, servers, problems } = await listTargets({
      cwd: folder,
      home: folder,
      variables: {},
    });
    expect(editors).toEqual([]);
    expect(servers.map(({ name, description, problem }) => [name, description ?? problem])).toEqual([
      ['three', 'http://x/'],
      ['two', 'https://example.com/mcp'],
      ['one', 'node server.js'],
      ['four', 'four has neither a command nor a url.'],
    ]);
    expect(JSON.stringify({ servers, problems })).not.toContain('secret');
  });
});
