import type { Check } from '../check.ts';
import { shown } from '../in-words.ts';
import { needing, survives } from './builders.ts';
import { answersIn, expectAlive, expectThat, probeInWords } from './expectations.ts';

const REQUESTS = '2025-11-25 Base Protocol §Requests';
const RESPONSES = '2025-11-25 Base Protocol §Responses';
const MESSAGES = '2025-11-25 Base Protocol §Messages';

/** An id that must come back exactly as it was sent. */
function idCheck(id: string, title: string, value: unknown): Check {
  return {
    id,
    title,
    severity: 'error',
    spec: RESPONSES,
    run: async (subject) => {
      const probe = await (await subject.shared()).probe({ jsonrpc: '2.0', id: value, method: 'ping' });
      return expectThat(
        answersIn(probe).some((answer) => answer.id === value && answer.result !== undefined),
        () => probe.dead ?? probeInWords(probe),
        `a result with the id ${JSON.stringify(value)}`,
      );
    },
  };
}

/** A message with an id that is not allowed. Servers may drop it or refuse it. */
function badIdCheck(id: string, title: string, value: string): Check {
  return {
    id,
    title,
    severity: 'warning',
    spec: REQUESTS,
    run: async (subject) => {
      const probe = await (await subject.shared()).probe(`{"jsonrpc":"2.0","id":${value},"method":"ping"}`);
      const isAnswered = answersIn(probe).some((answer) => answer.result !== undefined);
      if (isAnswered) return { seen: probeInWords(probe), expected: 'an error with code -32600, not a result' };
      return expectAlive(probe);
    },
  };
}

const NEEDS = ['sessions'] as const;

export const idChecks = needing(NEEDS, [
  badIdCheck('id-null', 'A request with the id null is not carried out', 'null'),
  badIdCheck('id-object', 'A request whose id is an object is not carried out', '{}'),
  badIdCheck('id-boolean', 'A request with the id true is not carried out', 'true'),
  idCheck('id-zero', 'A request with the id 0 is answered', 0),
  idCheck('id-negative', 'A request with a negative id is answered', -1),
  idCheck('id-large', 'A request with the id 2^53-1 is answered with that id', Number.MAX_SAFE_INTEGER),
  idCheck('id-empty-string', 'A request with an empty string as id is answered', ''),
  idCheck('id-digits', 'An id that is a string of digits stays a string', '7'),
  idCheck('id-unicode', 'Text outside ASCII is kept', 'ä😀\u2028'),
  idCheck('id-newline', 'A line end inside a string is kept, and escaped on the wire', 'a\nb'),
  { ...badIdCheck('id-fraction', 'A request with the id 1.5 is not carried out', '1.5'), severity: 'info' },
  badIdCheck('id-array', 'A request whose id is an array is not carried out', '[]'),
  idCheck('id-long', 'A request with an id of 4096 characters is answered', 'i'.repeat(4096)),
  idCheck('id-control-characters', 'Control characters in an id are kept', '\u0000\u001f\u007f'),
  idCheck('id-prototype', 'A request with the id __proto__ is answered', '__proto__'),
  {
    id: 'id-above-2-53',
    title: 'A request with an id above 2^53 is answered with that id, or refused',
    severity: 'info',
    spec: '2025-11-25 Base Protocol §Result Responses',
    run: async (subject) => {
      const id = '9007199254740993';
      const probe = await (await subject.shared()).probe(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
      const wrong = probe.received.find(
        (item) => item.kind === 'message' && item.message.result !== undefined && !item.text.includes(id),
      );
      if (wrong?.kind === 'message') return { seen: shown(wrong.text), expected: `the id ${id}, or an error` };
      return expectAlive(probe);
    },
  },
  survives({
    id: 'id-lone-surrogate',
    title: 'The connection survives a string that is half of a character',
    severity: 'warning',
    spec: MESSAGES,
    message: '{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}',
  }),
  {
    id: 'id-types-distinct',
    title: 'The ids 1 and "1" at the same time are two requests',
    severity: 'error',
    spec: '2025-11-25 Base Protocol §Result Responses',
    run: async (subject) => {
      const session = await subject.shared();
      for (const id of [1, '1']) session.wire.send({ jsonrpc: '2.0', id, method: 'ping' });
      const probe = await session.settle();
      const ids = answersIn(probe).map(({ id }) => id);
      return expectThat(
        ids.filter((id) => id === 1).length === 1 && ids.filter((id) => id === '1').length === 1,
        () => probe.dead ?? probeInWords(probe),
        'one answer with the id 1, one with the id "1"',
      );
    },
  },
  {
    id: 'id-duplicate',
    title: 'Two requests at once with the same id get two answers at most',
    severity: 'info',
    spec: '2025-11-25 Base Protocol §Requests',
    run: async (subject) => {
      const session = await subject.shared();
      for (const method of ['ping', 'ping']) session.wire.send({ jsonrpc: '2.0', id: 'twin', method });
      const probe = await session.settle();
      const count = answersIn(probe).filter(({ id }) => id === 'twin').length;
      if (count === 1 || count === 2) return expectAlive(probe);
      return {
        seen: probe.dead ?? `${count} answers`,
        expected: 'one or two answers: results, or an error with -32600',
      };
    },
  },
]);
