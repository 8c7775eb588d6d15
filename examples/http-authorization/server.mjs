// An HTTP server that knows its users by their tokens, and lets them do what their scopes say:
//   TOKENS='{"secret-of-ada": {"id": "ada", "scopes": ["read", "write"]}}' node server.mjs
import { Server, serveHttp } from '@hawser/mcp/http';

const users = new Map(Object.entries(JSON.parse(process.env.TOKENS ?? '{}')));
const notes = new Map();
const server = new Server({ name: 'notes', version: '1.0.0' });

server.tool({ name: 'read_note', annotations: { readOnlyHint: true } }, (_args, { principal }) => {
  return notes.get(principal?.id) ?? 'There is no note yet.';
});

const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
server.tool({ name: 'write_note', inputSchema }, ({ text }, { principal }) => {
  if (!principal?.scopes?.includes('write')) throw new Error('You may only read.');
  notes.set(principal.id, text);
  return 'Written.';
});

const { url } = await serveHttp(server, {
  port: Number(process.env.PORT ?? 0),
  // Who sends this request? Its sessions and streams belong to this user alone.
  authorize: ({ headers }) =>
    users.get(headers.authorization?.replace(/^Bearer /, '') ?? '') ?? {
      status: 401,
      wwwAuthenticate: 'Bearer realm="notes"',
    },
});
console.log(`Listening at ${url}`);
