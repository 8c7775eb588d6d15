import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { EditorClient } from '../../../../testing/editor-client.ts';
import { NEW, OLD, PHONE, type ReviewedWorkspace, reviewedWorkspaces } from '../../../../testing/review-page.ts';
import { ContentLengthConnection } from '../../../editors/remote/content-length-connection.ts';

const reviewed = reviewedWorkspaces();
let workspace: ReviewedWorkspace;
beforeEach(() => {
  workspace = reviewed();
});

/** An editor that has joined the bridge. */
async function openEditor(): Promise<EditorClient> {
  const child = workspace.household.start(['editor']);
  const editor = new EditorClient(new ContentLengthConnection(child.stdout as Readable, child.stdin as Writable));
  await editor.initialize(workspace.household.workspace, { proposals: {} });
  return editor;
}

describe('two browsers, a terminal and an editor', () => {
  it('show the same, and each says where the first decision was made', async () => {
    await workspace.serve();
    const [terminal, editor] = [await workspace.terminal(), await openEditor()];
    const [wide, phone] = [await workspace.open(), await workspace.open(PHONE)];
    const first = workspace.propose('a.ts', OLD, NEW);
    for (const page of [wide, phone]) await page.getByText('const line2 = 22;').waitFor();
    await terminal.shows('const line2 = 22;');
    expect(await editor.message('proposal/show')).toMatchObject({ newText: NEW });

    await phone.getByRole('button', { name: 'Accept', exact: true }).tap();
    expect((await first)[0]).toBe('FILE_SAVED');
    await wide.getByText('This change was accepted in the browser').waitFor();
    await terminal.shows('accepted in the browser');
    expect(await editor.message('proposal/close')).toMatchObject({ outcome: { kind: 'accepted', by: 'the browser' } });

    await wide.getByRole('button', { name: 'Go on' }).click();
    await terminal.press('Enter');
    const second = workspace.propose('b.ts', OLD, NEW);
    for (const page of [wide, phone]) await page.getByRole('heading', { name: 'b.ts' }).waitFor();
    await terminal.shows('b.ts');
    const { id } = await editor.message('proposal/show', (params) => JSON.stringify(params).includes('b.ts'));
    await editor.peer.request('proposal/decide', { id, revision: 0, decision: { kind: 'rejected' } });
    expect((await second)[0]).toBe('DIFF_REJECTED');
    for (const page of [wide, phone]) await page.getByText('This change was rejected in Client').waitFor();
    await terminal.shows('rejected in Client');
  });
});

describe('a page that lost its connection', () => {
  it('says so, keeps what is typed meanwhile, and comes back by itself', async () => {
    await workspace.serve();
    const sockets = `{
      globalThis.sockets = [];
      globalThis.WebSocket = new Proxy(WebSocket, {
        construct: (target, args) => { const made = new target(...args); sockets.push(made); return made; },
      });
    }`;
    const page = await workspace.open({}, undefined, sockets);
    const answer = workspace.propose('a.ts', OLD, NEW);
    await page.getByRole('heading', { name: 'a.ts' }).waitFor();
    await page.getByRole('button', { name: 'Ask for changes' }).click();
    await page.keyboard.type('as a ');
    await page.context().setOffline(true);
    await page.evaluate('sockets.at(-1).close()');
    await page.getByText('The connection to the bridge is lost.').waitFor();
    await page.keyboard.type('loop');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Not connected: your text stays here.').waitFor();
    expect(await page.getByRole('button', { name: 'Accept', exact: true, includeHidden: true }).isDisabled()).toBe(
      true,
    );
    await page.context().setOffline(false);
    await page.getByText('The connection to the bridge is lost.').waitFor({ state: 'detached' });
    expect(await page.getByRole('textbox').inputValue()).toBe('as a loop');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Accept', exact: true }).click();
    expect((await answer)[0]).toBe('FILE_SAVED');
    // The browser reports each connection that it could not make.
    workspace.problems.length = 0;
  });

  it('keeps notes and an edit when it is loaded again', async () => {
    await workspace.serve();
    const page = await workspace.open();
    const answer = workspace.propose('a.ts', OLD, NEW);
    await page.getByRole('heading', { name: 'a.ts' }).waitFor();
    await page.keyboard.press('I');
    await page.keyboard.type('on all of it');
    await page.keyboard.press('Control+Enter');
    await page.keyboard.press('e');
    await page.getByRole('textbox', { name: 'The result in a.ts' }).waitFor();
    await page.keyboard.type('// mine\n');
    await page.reload();
    await page.locator('.note').getByText('on all of it').waitFor();
    await page.keyboard.press('e');
    await page.getByRole('textbox', { name: 'The result in a.ts' }).getByText('// mine').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Accept', exact: true }).click();
    expect(await answer).toEqual(['FILE_SAVED', `// mine\n${NEW}`]);
  });
});

describe('a hostile page in another tab', () => {
  /** Everything that a page can try on another address. The tab has the cookie: ports are no sites of their own. */
  const ATTACK = `async (target) => {
    const attempt = async (act) => { try { return await act(); } catch { return 'refused'; } };
    const reading = (options) => () => fetch(target, options).then(async (response) => 'read ' + (await response.text()));
    const blind = await attempt(() => fetch(target, { mode: 'no-cors', credentials: 'include' }).then(({ type }) => type));
    const socketTo = (protocols) => () => new Promise((resolve) => {
      const socket = new WebSocket(target.replace('http', 'ws') + 'channel', protocols);
      socket.addEventListener('message', () => resolve('message'));
      socket.addEventListener('close', ({ code }) => resolve(code === 1000 ? 'open' : 'refused'));
    });
    const framed = await attempt(() => new Promise((resolve) => {
      const frame = document.createElement('iframe');
      frame.addEventListener('load', () => resolve(attemptRead(frame)));
      frame.src = target;
      document.body.append(frame);
    }));
    function attemptRead(frame) { try { return frame.contentDocument?.body ? 'read' : 'refused'; } catch { return 'refused'; } }
    const opened = window.open(target);
    return {
      read: await attempt(reading({ credentials: 'include' })),
      login: await attempt(reading({ method: 'POST', body: 'x', credentials: 'include' })),
      blind,
      socket: await attempt(socketTo(['hawser-review'])),
      guessed: await attempt(socketTo(['hawser-review', 'page.undefined'])),
      framed,
      opened: await attempt(async () => opened.document.body === null ? 'refused' : 'read'),
    };
  }`;

  it.each(['127.0.0.1', 'localhost'])('at %s reads nothing and opens no channel', async (name) => {
    await workspace.serve();
    const page = await workspace.open();
    const answer = workspace.propose('a.ts', OLD, NEW);
    await page.getByRole('heading', { name: 'a.ts' }).waitFor();
    const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<body>evil'));
    onTestFinished(() => void server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const other = await page.context().newPage();
    await other.goto(`http://${name}:${(server.address() as AddressInfo).port}/`);
    const results = await other.evaluate(`(${ATTACK})(${JSON.stringify(page.url())})`);
    expect(results).toEqual({
      ...{ read: 'refused', login: 'refused', socket: 'refused', guessed: 'refused', framed: 'refused' },
      ...{ blind: 'refused', opened: 'refused' },
    });
    expect(await page.getByRole('heading', { name: 'a.ts' }).isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Accept', exact: true }).click();
    expect((await answer)[0]).toBe('FILE_SAVED');
  });
});
