import { isList, isObject, type Members, memberAt } from '@hawser/unknown-values/objects';
import { type Check, NotApplicable } from '../check.ts';
import { inWords, shown } from '../in-words.ts';
import { statelessParams } from '../params.ts';
import type { Answer } from '../session.ts';
import type { Subject } from '../subject.ts';
import type { Row } from './builders.ts';
import { expectThat, isOneOf } from './expectations.ts';
import { askStateless } from './stateless.ts';
import { harmlessTools } from './tool-calls.ts';

const ROUNDS = '2026-07-28 Multi Round-Trip Requests §Server Requirements (Basic Workflow)';

interface Call {
  readonly tool: Members;
  readonly answer: Answer;
}

/** Calls each harmless tool without a session, as a client that declares nothing. */
function calls(subject: Subject): Promise<readonly Call[]> {
  return subject.once('stateless calls', async () => {
    const made: Call[] = [];
    for (const tool of await harmlessTools(subject)) {
      const answer = await askStateless(subject, 'tools/call', statelessParams({ name: tool.name, arguments: {} }));
      made.push({ tool, answer });
    }
    return made;
  });
}

/** A rule for each answer. `flawOf` says what is wrong with one. */
function eachCall({
  expected,
  flawOf,
  ...facts
}: Row<{ expected: string; flawOf: (answer: Answer) => string | undefined }>): Check {
  return {
    needs: ['stateless', 'tools'],
    callsTools: true,
    ...facts,
    run: async (subject) => {
      for (const { tool, answer } of await calls(subject)) {
        const flaw = flawOf(answer);
        if (flaw !== undefined) return { seen: `${tool.name}: ${flaw}`, expected };
      }
      return undefined;
    },
  };
}

export const statelessCallChecks: readonly Check[] = [
  eachCall({
    id: 'stateless-call-result-type',
    title: 'The result of a tool has a resultType',
    severity: 'error',
    spec: '2026-07-28 Base Protocol §ResultType',
    expected: '"resultType" of complete or input_required',
    flawOf: (answer) =>
      answer.kind === 'result' && !isOneOf(['complete', 'input_required', 'task'], answer.result.resultType)
        ? inWords(answer)
        : undefined,
  }),
  eachCall({
    id: 'stateless-call-content',
    title: 'The complete result of a tool has content',
    severity: 'error',
    spec: '2026-07-28 Tools §Tool Result',
    expected: 'an array "content"',
    flawOf: (answer) =>
      answer.kind === 'result' && answer.result.resultType === 'complete' && !isList(answer.result.content)
        ? inWords(answer)
        : undefined,
  }),
  eachCall({
    id: 'stateless-input-undeclared',
    title: 'A client that declares no capability is asked nothing',
    severity: 'error',
    spec: ROUNDS,
    expected: 'no inputRequests, but an error with code -32021',
    flawOf: (answer) =>
      answer.kind === 'result' && isObject(answer.result.inputRequests) && Object.keys(answer.result.inputRequests)[0]
        ? inWords(answer)
        : undefined,
  }),
  eachCall({
    id: 'stateless-input-empty',
    title: 'A result that asks for input has inputRequests or a requestState',
    severity: 'error',
    spec: ROUNDS,
    expected: '"inputRequests" or "requestState"',
    flawOf: (answer) =>
      answer.kind === 'result' &&
      answer.result.resultType === 'input_required' &&
      answer.result.inputRequests === undefined &&
      answer.result.requestState === undefined
        ? inWords(answer)
        : undefined,
  }),
  eachCall({
    id: 'stateless-task-undeclared',
    title: 'A client that does not declare tasks gets none',
    severity: 'error',
    spec: 'MCP Tasks §Capability Negotiation',
    expected: 'a result, or an error with code -32021',
    flawOf: (answer) => (answer.kind === 'result' && answer.result.resultType === 'task' ? inWords(answer) : undefined),
  }),
  eachCall({
    id: 'stateless-missing-capability',
    title: 'The error for a missing capability says which are required',
    severity: 'error',
    spec: '2026-07-28 Schema Reference §MissingRequiredClientCapabilityError',
    expected: 'an object as data.requiredCapabilities',
    flawOf: (answer) =>
      answer.kind === 'error' &&
      answer.code === -32021 &&
      !isObject(memberAt(answer.error, 'data', 'requiredCapabilities'))
        ? shown(answer.error)
        : undefined,
  }),
  eachCall({
    id: 'stateless-error-codes',
    title: 'No error has a code that 2026-07-28 reserves',
    severity: 'error',
    spec: '2026-07-28 Base Protocol §Error Codes',
    expected: 'of the codes from -32020 to -32099 only -32020, -32021 and -32022',
    flawOf: (answer) => {
      const code = answer.kind === 'error' ? Number(answer.code) : 0;
      return code <= -32023 && code >= -32099 ? shown(answer) : undefined;
    },
  }),
  {
    id: 'stateless-input-unexpected',
    title: 'Input responses that the server did not ask for are ignored',
    severity: 'warning',
    spec: '2026-07-28 Multi Round-Trip Requests §Error Handling',
    needs: ['stateless', 'tools'],
    callsTools: true,
    run: async (subject) => {
      const done = (await calls(subject)).find(
        ({ answer }) => answer.kind === 'result' && answer.result.resultType === 'complete',
      );
      if (done === undefined) throw new NotApplicable('No read-only tool gave a result.');
      const inputResponses = { 'hawser-unasked': { action: 'decline' } };
      const params = statelessParams({ name: done.tool.name, arguments: {}, inputResponses });
      const answer = await askStateless(subject, 'tools/call', params);
      return expectThat(answer.kind === 'result', () => inWords(answer), 'a result, as without them');
    },
  },
];
