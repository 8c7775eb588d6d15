import { describe, expect, it } from 'vitest';
import { AuthorizationHttp } from './authorization-http.ts';
import { isPrivateAddress } from './private-address.ts';

describe('an address is private', () => {
  it.each([
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '127.0.0.1',
    '169.254.169.254',
    '0.0.0.0',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '[::1]',
    '[::]',
    '[fd00::1]',
    '[fe80::1]',
    '[::ffff:10.0.0.1]',
    '::ffff:7f00:1',
    '[64:ff9b::a00:1]',
    'fe80::1%eth0',
    'localhost',
    'a.localhost',
    'metadata.google.internal',
    'printer.local',
  ])('%s', (address) => expect(isPrivateAddress(address)).toBe(true));

  it.each([
    '9.255.255.255',
    '11.0.0.0',
    '172.15.0.1',
    '172.32.0.1',
    '192.167.1.1',
    '8.8.8.8',
    '100.63.0.1',
    '100.128.0.1',
    '[2606:4700::1111]',
    '[::ffff:8.8.8.8]',
    'example.com',
    'localhost.example.com',
    'local.example',
  ])('not %s', (address) => expect(isPrivateAddress(address)).toBe(false));
});

describe('a server on the internet cannot send the client to', () => {
  const signal = new AbortController().signal;
  const asked: string[] = [];
  const request = (async (url: string) => {
    asked.push(url);
    return new Response('{}');
  }) as typeof fetch;
  const http = (more: object = {}) =>
    new AuthorizationHttp(new URL('https://mcp.example/mcp'), { fetch: request, timeout: 1000, ...more });
  const lookup = async (name: string) =>
    name === 'rebound.example' ? ['93.184.216.34', '10.0.0.8'] : ['93.184.216.34'];

  it.each(['https://10.0.0.1/', 'https://0x7f000001/', 'https://[::1]/', 'https://localhost:8443/'])(
    'the private address %s',
    async (address) => {
      await expect(http().request(address, {}, signal)).rejects.toThrow(
        `The authorization server is at the private address ${new URL(address).hostname}. ` +
          'If you trust the MCP server to name it, set allowPrivateAddresses',
      );
    },
  );

  it('a name of a private address', async () => {
    await expect(http({ lookup }).request('https://rebound.example/token', {}, signal)).rejects.toThrow(
      'The authorization server is at the private address rebound.example (10.0.0.8)',
    );
    expect(asked).toEqual([]);
  });

  it('another place than one on the internet or of its own, unless that is allowed', async () => {
    await http({ lookup }).request('https://auth.example/token', {}, signal);
    await http({ lookup: async () => ['10.0.0.8'] }).request('https://mcp.example/.well-known/x', {}, signal);
    await http({ allowPrivateAddresses: true }).request('https://10.0.0.1/', {}, signal);
    expect(asked.splice(0)).toEqual([
      'https://auth.example/token',
      'https://mcp.example/.well-known/x',
      'https://10.0.0.1/',
    ]);
  });
});
