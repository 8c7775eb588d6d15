import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LIBRARY = import.meta.resolve('../../mcp/dist/index.js');
const STDIO = import.meta.resolve('../../mcp/dist/stdio.js');

/** Keeps a variable from one call to the next, fails, waits, ends or takes its time to end, depending on the code. */
const SERVER = `
import { writeFileSync } from 'node:fs';
import { Server } from '${LIBRARY}';
import { serveStdio } from '${STDIO}';
const server = new Server({ name: 'code', version: '1' });
let kept = 'nothing';
const inputSchema = { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] };
server.tool({ name: 'evaluate-lisp', inputSchema }, ({ code }, { signal }) => {
  if (code === 'pid') return String(process.pid);
  if (code === 'folder') return process.cwd();
  if (code === 'linger') {
    process.once('beforeExit', () => setTimeout(() => {}, 300));
    return String(process.pid);
  }
  if (code === 'end') process.exit(7);
  if (code === 'fail') return { content: [{ type: 'text', text: 'DIVISION-BY-ZERO' }], isError: true };
  if (code === 'wait') {
    signal.addEventListener('abort', () => writeFileSync('aborted', 'yes'));
    writeFileSync('waiting', 'yes');
    return new Promise(() => {});
  }
  const before = kept;
  kept = code;
  return before + ' -> ' + code;
});
server.tool({ name: 'shout', inputSchema }, ({ code }) => code.toUpperCase());
serveStdio(server);
`;

/** Writes an MCP server that runs code, and gives the words of the command that starts it. */
export function writeCodeServer(folder: string): readonly string[] {
  const program = join(folder, 'code.mjs');
  writeFileSync(program, SERVER);
  return [process.execPath, program];
}
