// The bad server on stdio.
import { Conversation, Dead } from './conversation.mjs';

export function speakOnStdio(rule) {
  const breaks = (name) => rule === name;
  const conversation = new Conversation(rule);
  if (breaks('stdio-stdout')) console.log('Server started');
  if (breaks('stdio-terminate')) process.on('SIGTERM', () => {});
  process.stdout.on('error', () => {
    if (!breaks('stdio-stdout-closed')) process.exit(0);
  });
  let rest = '';
  let isFirst = true;
  process.stdin.setEncoding(breaks('stdio-split') ? 'latin1' : 'utf8').on('data', (text) => {
    const all = isFirst && !breaks('stdio-bom') ? text.replace(/^\ufeff/, '') : text;
    isFirst = false;
    const lines = (rest + all).split(breaks('stdio-line-separators') ? /[\n\u2028\u2029\u0085]/ : '\n');
    rest = lines.pop();
    lines.forEach(read);
  });
  process.stdin.on('end', () => {
    if (rest !== '' && !breaks('stdio-last-line')) read(rest);
    const staysOn =
      (breaks('stdio-exit') && conversation.revision !== undefined) ||
      (breaks('stdio-exit-at-once') && conversation.revision === undefined) ||
      breaks('stdio-stdout-closed');
    if (staysOn) setInterval(() => {}, 1000);
    if (breaks('stdio-exit-code')) process.exitCode = 3;
  });

  function read(line, index = 0) {
    if (breaks('stdio-joined') && line.includes('"two"') && index > 0) return;
    if (breaks('stdio-many-lines') && index > 100) return;
    if (line.trim() === '') return breaks('stdio-blank-line') ? process.exit(1) : undefined;
    if (line.endsWith('\r') && breaks('stdio-crlf')) return;
    if (line !== line.trim() && breaks('stdio-whitespace')) return;
    if (line.includes('\ufffd') && breaks('stdio-invalid-utf8')) process.exit(1);
    if (line.includes('\0') && breaks('stdio-nul')) process.exit(1);
    if (line === 'not JSON' && breaks('stdio-stdout-errors')) console.log('SyntaxError: Unexpected token');
    if (line.includes('"stdio-answers-before-exit"') && breaks('stdio-answers-before-exit')) return process.exit(0);
    try {
      for (const answer of conversation.receive(line)) process.stdout.write(`${JSON.stringify(answer)}\n`);
    } catch (error) {
      if (!(error instanceof Dead)) throw error;
      process.exit(1);
    }
  }
}
