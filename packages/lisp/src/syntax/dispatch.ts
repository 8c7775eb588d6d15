import { judgeCharacterName } from './character-names.ts';
import { arrayFlaw, arrayNode, isReal, type Node, OTHER, pair, UNKNOWN } from './node.ts';
import type { Reader } from './reader.ts';
import { isWhitespace, radixFlaw } from './token.ts';

const MAX_COUNTED = 1_000_000;

/** Reads what begins with the # at `start`. */
export function readDispatch(reader: Reader, start: number) {
  const [digits = ''] = /^\d*/.exec(reader.text.slice(reader.at, reader.at + 40)) ?? [];
  reader.at += digits.length;
  const number = digits === '' ? undefined : Number(digits);
  const sub = reader.text.charAt(reader.at);
  reader.at += 1;
  const written = reader.text.slice(start, reader.at);
  const { depth, skipping } = reader.mode;
  switch (sub.toLowerCase()) {
    case '':
      return reader.unfinished(start, 'A character is wanted after #');
    case '(':
      return reader.openList(start, 'vector', count(reader, start, number));
    case '|':
      return readComment(reader, start);
    case '\\':
      return readCharacter(reader, start);
    case "'":
      return reader.prefix(start, "#'", (node) => pair(node));
    case '.':
      return reader.prefix(start, '#.', () => UNKNOWN, { floor: depth });
    case ':':
      return readUninterned(reader, start);
    case '*':
      return readBits(reader, start, count(reader, start, number));
    case 'b':
      return radix(reader, start, written, 2);
    case 'o':
      return radix(reader, start, written, 8);
    case 'x':
      return radix(reader, start, written, 16);
    case 'r':
      return radix(reader, start, written, number);
    case 'c':
      return reader.prefix(start, written, (node) => complexNumber(reader, start, node));
    case 'a':
      return reader.prefix(start, written, (node) => array(reader, start, number, node), { floor: depth });
    case 's':
      return reader.prefix(start, written, (node) => structure(reader, start, node), { floor: depth });
    case 'p':
      return reader.prefix(start, written, (node) => pathname(reader, start, node));
    case '=':
      return label(reader, start, number);
    case '#':
      return reference(reader, start, number);
    case '+':
    case '-':
      return reader.openGuard(start, sub === '+' ? 'present' : 'absent');
    default:
      if (sub === '<') return reader.error(start, 'What is printed as #<…> cannot be read back');
      if (sub === ')' || isWhitespace(sub))
        return reader.error(start, `Nothing readable begins with # before ${say(sub)}`);
      if (!skipping) reader.error(start, `Nothing in standard syntax begins with #${say(sub)}`);
  }
}

function count(reader: Reader, start: number, number: number | undefined): number | undefined {
  if (number === undefined || number <= MAX_COUNTED) return number;
  if (!reader.mode.skipping) reader.error(start, `${number} elements are more than this check believes in`);
  return undefined;
}

function readComment(reader: Reader, start: number) {
  let level = 1;
  for (; reader.at < reader.text.length; reader.at += 1) {
    if (reader.text.startsWith('|#', reader.at)) level -= 1;
    else if (reader.text.startsWith('#|', reader.at)) level += 1;
    else continue;
    reader.at += 1;
    if (level > 0) continue;
    reader.at += 1;
    return;
  }
  reader.unfinished(start, `This comment is not closed: ${level === 1 ? '|# is' : `${level} times |# are`} missing`);
}

function readCharacter(reader: Reader, start: number) {
  if (reader.at >= reader.text.length) return reader.unfinished(start, 'A character is wanted after #\\');
  const token = reader.readToken(reader.at, 'literally');
  if (token === undefined) return;
  if (!reader.mode.skipping) {
    const verdict = judgeCharacterName(token.name);
    if (verdict === 'unknown') reader.error(start, `There is no character named ${say(token.name)}`);
    if (verdict === 'perhaps') {
      reader.warning(start, `${say(token.name)} is no standard name of a character; the Lisp may not know it`);
    }
  }
  reader.deliver(OTHER);
}

function readUninterned(reader: Reader, start: number) {
  const token = reader.readToken(reader.at);
  if (token === undefined) return;
  if (!reader.mode.skipping) {
    if (token.colons.length > 0) reader.error(start, 'The symbol after #: cannot have a package');
    else if (token.type === 'integer' && !token.name.endsWith('.'))
      reader.error(start, `${token.name} is a number, and #: wants a symbol`);
  }
  // Not the symbol of that name: `#:nil` is no NIL.
  reader.deliver({ kind: 'token', token: { ...token, name: `#:${token.name}`, type: 'symbol' } });
}

function readBits(reader: Reader, start: number, length: number | undefined) {
  const token = reader.readToken(reader.at);
  if (token === undefined) return;
  const { name, escaped } = token;
  if (!reader.mode.skipping) {
    if (escaped || /[^01]/.test(name))
      reader.error(start, `A bit vector has the digits 0 and 1 only, not ${say(name)}`);
    else if (length !== undefined && name.length > length) reader.error(start, `More bits are given than ${length}`);
    else if (length !== undefined && length > 0 && name === '') {
      reader.error(start, `Of ${length} bits at least one has to be given`);
    }
  }
  reader.deliver({ kind: 'text', of: 'bits', length: length ?? name.length });
}

function radix(reader: Reader, start: number, written: string, radix: number | undefined) {
  if (reader.mode.skipping) {
    const token = reader.readToken(reader.at);
    if (token !== undefined) reader.deliver({ kind: 'token', token });
    return;
  }
  if (radix === undefined) reader.error(start, '#r wants its radix before the r, as in #36rZZ');
  else if (radix < 2 || radix > 36) reader.error(start, `A radix is from 2 to 36, not ${radix}`);
  const base = Math.min(Math.max(radix ?? 36, 2), 36);
  reader.prefix(
    start,
    written,
    (node) => {
      const flaw =
        node.kind === 'token'
          ? radixFlaw(node.token, base)
          : node.kind === 'rational' || node.kind === 'unknown'
            ? undefined
            : 'this is no number';
      if (flaw !== undefined) reader.error(start, `${written} wants a rational number: ${flaw}`);
      return { kind: 'rational' };
    },
    { inRadix: true },
  );
}

function complexNumber(reader: Reader, start: number, node: Node): Node {
  const isComplex = node.kind === 'list' && !node.dotted && node.items.length === 2 && node.items.every(isReal);
  if (!isComplex && node.kind !== 'unknown') reader.error(start, '#C wants a list of two real numbers: #C(1 2)');
  return OTHER;
}

function array(reader: Reader, start: number, rank: number | undefined, node: Node): Node {
  if (rank === undefined) {
    const isLong = node.kind === 'unknown' || (node.kind === 'list' && node.items.length >= 2);
    if (!isLong) reader.error(start, '#A wants its rank before the A, as in #2A((1 2) (3 4))');
    return UNKNOWN;
  }
  const flaw = rank > 128 ? 'its rank is too large' : arrayFlaw(node, rank);
  if (flaw !== undefined) reader.error(start, `These cannot be the contents of an array of rank ${rank}: ${flaw}`);
  return arrayNode(node, rank);
}

function structure(reader: Reader, start: number, node: Node): Node {
  const head = node.kind === 'list' ? node.items[0] : undefined;
  const isNamed = head?.kind === 'token' && head.token.type === 'symbol';
  if (!isNamed && node.kind !== 'unknown') {
    reader.error(start, '#S wants a list that begins with the name of a structure: #S(point :x 1)');
  }
  return OTHER;
}

function pathname(reader: Reader, start: number, node: Node): Node {
  const names = node.kind === 'pathname' || node.kind === 'unknown' || (node.kind === 'text' && node.of === 'string');
  if (!names) reader.error(start, '#P wants a string: #P"/tmp/"');
  return { kind: 'pathname' };
}

function label(reader: Reader, start: number, label: number | undefined) {
  const { skipping } = reader.mode;
  if (label === undefined) {
    if (!skipping) reader.error(start, '#= wants a number before the =, as in #1=');
    return reader.prefix(start, '#=', (node) => node);
  }
  if (skipping) return reader.prefix(start, `#${label}=`, (node) => node);
  if (reader.labels.has(label)) reader.error(start, `The label #${label}= is there twice in one form`);
  reader.labels.set(label, 'open');
  reader.prefix(start, `#${label}=`, (node) => {
    if (node.kind === 'reference' && node.label === label) {
      reader.error(start, `#${label}= labels nothing but itself`);
    }
    reader.labels.set(label, node);
    return node;
  });
}

function reference(reader: Reader, start: number, label: number | undefined) {
  if (reader.mode.skipping) return reader.deliver(UNKNOWN);
  const known = label === undefined ? undefined : reader.labels.get(label);
  if (label === undefined) reader.error(start, '## wants a number between its signs, as in #1#');
  else if (known === undefined) reader.error(start, `There is no label #${label}= before this`);
  reader.deliver(known === 'open' && label !== undefined ? { kind: 'reference', label } : ((known as Node) ?? UNKNOWN));
}

function say(text: string): string {
  return /^[!-~]+$/.test(text) ? text : JSON.stringify(text);
}
