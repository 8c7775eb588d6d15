import { expect, it } from 'vitest';
import { join, makeServer } from '../../testing/server-session.ts';

it('a preset sets the limits of a server, and a limit that is given wins', async () => {
  const uri = `test://${'x'.repeat(3000)}`;
  const read = async (limits: object) => {
    const server = makeServer({ limits });
    server.resource({ uri: 'test://a', name: 'a' }, () => '');
    const [session] = await join(server);
    return session.request('resources/read', { uri }).catch(({ message }: Error) => message);
  };
  expect(await read({ preset: 'public' })).toContain('at most 2048 are accepted');
  expect(await read({ preset: 'public', maxUriLength: 5000 })).toContain('Resource not found');
  expect(await read({ preset: 'local' })).toContain('Resource not found');
  expect(() => makeServer({ limits: { preset: 'huge' as never } })).toThrow('limits.preset');
});
