// Lists what an MCP server offers, and calls one of its tools:
//   node client.mjs TOOL '{"argument": 1}' -- COMMAND ARGUMENTS…
import { Client } from '@hawser/mcp/client';
import { connectStdio } from '@hawser/mcp/stdio';

const end = process.argv.indexOf('--');
const [tool, json = '{}'] = process.argv.slice(2, end);
const [command, ...args] = process.argv.slice(end + 1);
if (end === -1 || tool === undefined || command === undefined) {
  console.error("Usage: node client.mjs TOOL '{…}' -- COMMAND ARGUMENTS…");
  process.exit(2);
}

const session = await new Client({ name: 'example-client', version: '1.0.0' }).connect(connectStdio({ command, args }));
try {
  for (const { name, description = '' } of await session.listTools()) console.log(`${name}\t${description}`);
  /** @param {{ progress: number, total?: number }} step */
  const onProgress = ({ progress, total }) => console.error(`${progress} of ${total ?? 'an unknown number'}`);
  const { content, isError } = await session.callTool(tool, JSON.parse(json), { onProgress });
  for (const block of content) console.log(block.type === 'text' ? block.text : `(${block.type})`);
  if (isError) process.exitCode = 1;
} finally {
  await session.close();
}
