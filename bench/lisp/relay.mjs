// The least that a server in Node can do: it passes code on to SBCL's own loop, and the answer back, and checks nothing.
import { barePipe } from './contenders.mjs';

const lisp = await barePipe();
process.once('exit', () => lisp.close());
process.stdin.once('end', () => process.exit());
process.stdin.setEncoding('utf8');
process.stdin.on('data', async (text) => {
  for (const line of String(text).trimEnd().split('\n')) {
    const { id, params } = JSON.parse(line);
    if (id === undefined) continue;
    const code = params.arguments?.code;
    const result = code === undefined ? {} : { content: [{ type: 'text', text: await lisp.evaluate(code) }] };
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  }
});
