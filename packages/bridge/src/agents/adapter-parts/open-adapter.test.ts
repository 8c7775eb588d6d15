import { readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { makeAccess } from '../../access/access.ts';
import { type Bridge, openBridge } from '../../bridge.ts';
import { isListening } from '../../discovery/listening.ts';
import { workspaceEditor } from '../../editors/workspace/workspace-editor.ts';
import { type AdapterOptions, endpointAdapter } from './open-adapter.ts';

vi.mock('node:fs', { spy: true });

let home: string;

beforeEach(() => {
  home = temporaryFolder();
});

afterEach(() => {
  vi.mocked(unlinkSync).mockReset();
});

const lockIn = (name: string): AdapterOptions['locks'][number] => ({
  folderFor: () => join(home, 'locks'),
  nameFor: () => name,
  contentFor: ({ token }) => token,
  read: () => undefined,
});

/** A bridge whose log throws at what is said of lock files. */
async function open(options: Partial<AdapterOptions>): Promise<Bridge> {
  const adapter = endpointAdapter('one', () => ({
    stateFolder: join(home, 'state'),
    locks: [lockIn('a.lock'), lockIn('b.lock')],
    urlOf: ({ port }) => String(port),
    serve: () => Promise.reject(new Error('No agent connects')),
    ...options,
  }));
  const log = (event: string) => {
    if (event === 'lock') throw new Error('The log is full');
  };
  return await openBridge({
    editor: workspaceEditor({ folders: [home] }),
    access: makeAccess({ folders: [home], home }),
    agents: [adapter],
    noticing: 'off',
    identity: { name: 'Hawser', version: '0', pid: process.pid },
    log: { info: log, error: log },
  });
}

const listens = (bridge: Bridge) => isListening({ port: Number(bridge.agents[0]?.endpoints[0]) });

it('an adapter whose own end throws closes its endpoint nevertheless', async () => {
  const bridge = await open({
    onClose: () => {
      throw new Error('The feed does not end');
    },
  });
  expect(await listens(bridge)).toBe(true);
  await expect(bridge.agents[0]?.close()).rejects.toThrow('The feed does not end');
  expect(await listens(bridge)).toBe(false);
  await bridge.close().catch(() => {});
});

it('a lock file that cannot be removed leaves neither the others nor the listener', async () => {
  const bridge = await open({});
  expect(readdirSync(join(home, 'locks'))).toEqual(['a.lock', 'b.lock']);
  vi.mocked(unlinkSync).mockImplementationOnce(() => {
    throw new Error('EBUSY');
  });
  await expect(bridge.agents[0]?.close()).rejects.toThrow('The log is full');
  expect(readdirSync(join(home, 'locks'))).toEqual(['a.lock']);
  expect(await listens(bridge)).toBe(false);
  await bridge.close().catch(() => {});
});
