import { toPort } from '@hawser/command-line/to-port';
import type { ClientCommand } from '../client-environment.ts';
import type { LoginFlags } from './login.ts';
import { type ClientFlags, withUrlOptions } from './target-options.ts';

/** `hawser login` and `hawser logout`. */
export const loginCommands: readonly ClientCommand[] = [
  withUrlOptions(
    {
      name: 'login',
      description: 'log in to an MCP server with your browser',
      options: [
        {
          name: 'scope',
          value: 'scopes',
          description: 'ask for these besides what the server asks for, such as "a b"',
        },
        {
          name: 'client-id',
          value: 'id',
          description: 'the client that the authorization server knows (default: Hawser registers itself)',
        },
        { name: 'client-secret-file', value: 'file', description: 'with --client-id and --issuer: has its secret' },
        { name: 'issuer', value: 'url', description: 'with --client-id: the authorization server that knows it' },
        {
          name: 'port',
          short: 'p',
          value: 'n',
          description: 'the port that the browser returns to (default: any)',
          parse: toPort,
        },
        { name: 'no-open', description: 'open no browser, only print the address' },
        {
          name: 'allow-private-addresses',
          description: 'let the server name an authorization server in your network',
        },
        { name: 'json', description: 'what was logged in to, as JSON' },
      ],
      notes: `The other client commands use the login from then on and refresh it; hawser logout ends it. It is kept in a file that
only you can read. Without a browser on this machine, open the address elsewhere, and paste the address that the browser
shows at the end, even if its page can't be loaded.
Exit codes: 0 logged in, 1 not logged in, 2 wrong usage, 3 the port is in use.`,
      run: async (flags, _argument, environment) => {
        const { login } = await import('./login.ts');
        await login(flags as unknown as LoginFlags, environment);
      },
    },
    { timeout: 'how long the login may take (default: 300); 0 is no limit' },
  ),
  withUrlOptions(
    {
      name: 'logout',
      description: 'end the login to an MCP server, and remove it from this machine',
      options: [{ name: 'json', description: 'what was removed, as JSON' }],
      notes: `The tokens are revoked if the authorization server can do that.
Exit codes: 0 there is no login any more, 1 it was removed here, but not revoked, 2 wrong usage.`,
      run: async (flags, _argument, environment) => {
        const { logout } = await import('./logout.ts');
        await logout(flags as unknown as ClientFlags, environment);
      },
    },
    { timeout: 'how long to wait for each answer (default: 60); 0 is no limit' },
  ),
];
