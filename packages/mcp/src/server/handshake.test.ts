import { describe, expect, it } from 'vitest';
import { openMemory, request } from '../../testing/raw-wire.ts';
import { makeServer } from '../../testing/server-session.ts';

const initialize = (members: object) => request('initialize', { protocolVersion: '2025-11-25', ...members });

describe('initialize', () => {
  it.each([
    ['no clientInfo', {}, 'clientInfo must be an object'],
    ['a clientInfo of null', { clientInfo: null }, 'clientInfo must be an object'],
    ['a clientInfo that is an array', { clientInfo: [] }, 'clientInfo must be an object'],
    ['no name', { clientInfo: { version: '1' } }, 'clientInfo.name must be a string'],
    ['a name that is a number', { clientInfo: { name: 5, version: '1' } }, 'clientInfo.name must be a string'],
    ['no version', { clientInfo: { name: 'x' } }, 'clientInfo.version must be a string'],
    ['a version of null', { clientInfo: { name: 'x', version: null } }, 'clientInfo.version must be a string'],
  ])('with %s is refused with -32602, and may be sent again', async (_, members, problem) => {
    const wire = openMemory(makeServer());
    const { error } = await wire.responseTo(initialize({ capabilities: {}, ...members }));
    expect(error).toEqual({ code: -32602, message: `Invalid params for initialize: ${problem}` });
    const { result } = await wire.responseTo(initialize({ capabilities: {}, clientInfo: { name: 'x', version: '1' } }));
    expect(result.protocolVersion).toBe('2025-11-25');
  });

  it('without clientInfo is accepted by a server that admits anonymous clients', async () => {
    const server = makeServer({ admitAnonymousClients: true });
    const { result } = await openMemory(server).responseTo(initialize({}));
    expect(result.protocolVersion).toBe('2025-11-25');
    const { error } = await openMemory(server).responseTo(initialize({ clientInfo: { name: 'x' } }));
    expect(error.message).toContain('clientInfo.version must be a string');
  });

  it.each([
    [
      'Claude Code',
      { name: 'claude-code', title: 'Claude Code', version: '2.1.325', description: 'd', websiteUrl: 'w' },
    ],
    ['Gemini CLI and Qwen Code', { name: 'streamable-http-client', version: '0.61.0' }],
    ['opencode', { name: 'opencode', version: '0.0.0' }],
  ])('of %s is accepted', async (_, clientInfo) => {
    const { result } = await openMemory(makeServer()).responseTo(initialize({ capabilities: {}, clientInfo }));
    expect(result.serverInfo.name).toBe('test');
  });

  it('that would make a session keep more than 64 KiB is refused', async () => {
    const clientInfo = { name: 'x', version: '1' };
    const padding = (length: number) => ({ experimental: { padding: { text: 'x'.repeat(length) } } });
    const kept = await openMemory(makeServer()).responseTo(initialize({ clientInfo, capabilities: padding(65_000) }));
    expect(kept.result).toBeDefined();
    const { error } = await openMemory(makeServer()).responseTo(
      initialize({ clientInfo, capabilities: padding(65_536) }),
    );
    expect(error.code).toBe(-32602);
    expect(error.message).toMatch(/clientInfo and capabilities take \d+ bytes; at most 65536 are accepted/);
  });

  it('that would make a session keep more than 1000 values is refused, however short its text', async () => {
    const clientInfo = { name: 'x', version: '1' };
    // An empty object counts twice. The rest of what is kept counts as 6.
    const items = (count: number) => ({ experimental: { items: Array(count).fill({}) } });
    const kept = await openMemory(makeServer()).responseTo(initialize({ clientInfo, capabilities: items(497) }));
    expect(kept.result).toBeDefined();
    const { error } = await openMemory(makeServer()).responseTo(initialize({ clientInfo, capabilities: items(498) }));
    const message = 'Invalid params for initialize: clientInfo and capabilities hold more than 1000 values';
    expect(error).toEqual({ code: -32602, message });
  });
});
