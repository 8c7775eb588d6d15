import { once } from 'node:events';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Household, PROGRAM, temporaryHousehold } from '../../testing/program.ts';
import { shellLine } from '../../testing/tmux.ts';

let house: Household;

/** A browser at the address of a link, as the bridge sees it. */
class LinkedBrowser {
  readonly #origin: string;
  readonly #secret: string;
  #cookie = '';
  #proof = 'page.none';

  constructor(link: string) {
    const { origin, hash } = new URL(link);
    [this.#origin, this.#secret] = [origin, hash.slice(1)];
  }

  /** The status of the response. */
  async logIn(): Promise<number> {
    const headers = { Origin: this.#origin };
    const response = await fetch(`${this.#origin}/login`, { method: 'POST', body: this.#secret, headers });
    const text = await response.text();
    if (!response.ok) return response.status;
    this.#cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
    this.#proof = `page.${text}`;
    return response.status;
  }

  async connect(): Promise<WebSocket> {
    const headers = { Origin: this.#origin, Cookie: this.#cookie };
    const socket = new WebSocket(`${this.#origin.replace('http', 'ws')}/channel`, ['hawser-review', this.#proof], {
      headers,
    });
    await once(socket, 'open');
    return socket;
  }

  /** The code with which the bridge closes a new connection. */
  async refusal(): Promise<number> {
    const [code] = await once(await this.connect(), 'close');
    return code;
  }
}

it('hawser review --web prints a link, and how to reach it over ssh', async () => {
  house = temporaryHousehold();
  await house.serve();
  const { out } = await house.run('review', '--web', '--no-open');
  const { port } = new URL(/^http:\S+$/m.exec(out)?.[0] ?? '');
  expect(out).toContain(`From another machine: ssh -L ${port}:127.0.0.1:${port} `);
});

it('hawser review --web --host shows its link as a QR code in a terminal, and only there', async () => {
  house = temporaryHousehold();
  await house.serve();
  const words = ['review', '--web', '--host', '127.0.0.1'];
  expect((await house.run(...words)).out).not.toContain('█');
  const terminal = await house.screen(shellLine([process.execPath, PROGRAM, ...words]), { columns: 120, rows: 50 });
  expect(await terminal.shows('ended 0')).toMatch(/█[▀▄█ ]{20,}█[\s\S]*http:/);
});

it('hawser review --web --host lets in who has the link, once, until hawser tokens revokes it', async () => {
  house = temporaryHousehold();
  await house.serve();
  const { out } = await house.run('review', '--web', '--host', '127.0.0.1');
  expect(out).toContain('Warning: nothing is encrypted');
  const [link = ''] = /^http:\S+$/m.exec(out) ?? [];
  const browser = new LinkedBrowser(link);
  expect(await browser.refusal()).toBe(1008);
  expect(await browser.logIn()).toBe(200);
  expect(await new LinkedBrowser(link).logIn()).toBe(401);
  const socket = await browser.connect();
  expect((await house.run('status')).out).toContain(`page       ${new URL('/', link)} (1 open, `);

  const [, id = ''] = /^(\w{8}) {2}.* at 127\.0\.0\.1 /m.exec((await house.run('tokens')).out) ?? [];
  const closed = once(socket, 'close');
  expect((await house.run('tokens', '--revoke', id)).out).toContain('logged out');
  await closed;
  expect(await browser.refusal()).toBe(1008);

  await house.run('review', '--web-off');
  await expect(fetch(link)).rejects.toThrow('fetch failed');
  expect((await house.run('status')).out).not.toContain('page  ');
});
