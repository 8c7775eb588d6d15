import { isList, type Members, memberAt, objectOrEmpty } from '@hawser/unknown-values/objects';
import { type Check, type Finding, NotApplicable } from '../check.ts';
import { shown } from '../in-words.ts';
import type { Answer } from '../session.ts';
import type { Subject } from '../subject.ts';
import { needing } from './builders.ts';
import { answersIn, expectAlive, expectThat, isOneOf } from './expectations.ts';
import { harmlessTool } from './tool-calls.ts';

const CALLING = '2025-11-25 Tools §Calling Tools';
const TASK_ERRORS = '2025-11-25 Tasks §Protocol Errors';

const call = (id: unknown, name: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {} },
});

const nameOf = async (subject: Subject) => String((await harmlessTool(subject)).name);

const counts = (answers: readonly Members[], id: unknown) => answers.filter((answer) => answer.id === id).length;

function expectOneEach(ids: readonly string[], answers: readonly Members[], what: string): Finding | undefined {
  const wrong = ids.find((id) => counts(answers, id) !== 1);
  return expectThat(
    wrong === undefined,
    `${counts(answers, wrong)} answers to one of ${ids.length} ${what}`,
    'one answer each',
  );
}

function expectAnswer(answer: Answer, expected: string): Finding | undefined {
  return answer.kind === 'silence' || answer.kind === 'end' ? { seen: shown(answer), expected } : undefined;
}

/** A rule for a request about a task that does not exist. */
function unknownTask(method: string): Check {
  return {
    id: `task-unknown-${method.replace('tasks/', '')}`,
    title: `${method} of an unknown task is answered with -32602`,
    severity: 'error',
    spec: TASK_ERRORS,
    needs: ['sessions'],
    run: async (subject) => {
      const { tasks } = subject.capabilities;
      if (tasks === undefined || (method === 'tasks/cancel' && memberAt(tasks, 'cancel') === undefined))
        throw new NotApplicable('The server does not declare this for tasks.');
      const answer = await (await subject.shared()).ask(method, { taskId: 'hawser-no-such-task' });
      const isRight = answer.kind === 'error' && answer.code === -32602;
      return expectThat(isRight, () => shown(answer), 'an error with code -32602');
    },
  };
}

const NEEDS = ['sessions', 'tools'] as const;

export const runningCallChecks = needing(NEEDS, [
  {
    id: 'lists-concurrent',
    title: 'Each of 20 lists at once is answered, exactly once',
    severity: 'error',
    spec: 'JSON-RPC 2.0 §5 Response object',
    run: async (subject) => {
      const session = await subject.fresh();
      const ids = Array.from({ length: 20 }, (_, index) => `list-${index}`);
      for (const id of ids) session.wire.send({ jsonrpc: '2.0', id, method: 'tools/list', params: {} });
      const answers = answersIn(await session.settle());
      // A server may answer ping before the lists.
      for (const id of ids.filter((each) => counts(answers, each) === 0)) {
        const answer = await session.answerTo(id);
        if (answer.kind === 'result' || answer.kind === 'error') answers.push(answer.message);
      }
      return expectOneEach(ids, answers, 'lists');
    },
  },
  {
    id: 'calls-concurrent',
    title: 'Each of 10 calls at once is answered, exactly once',
    severity: 'error',
    spec: CALLING,
    callsTools: true,
    run: async (subject) => {
      const name = await nameOf(subject);
      const session = await subject.fresh();
      const ids = Array.from({ length: 10 }, (_, index) => `call-${index}`);
      for (const id of ids) session.wire.send(call(id, name));
      const answers: Members[] = [];
      for (const id of ids) {
        if (counts(answers, id) > 0) continue;
        const answer = await session.answerTo(id, answers);
        if (answer.kind === 'result' || answer.kind === 'error') answers.push(answer.message);
      }
      answers.push(...answersIn(await session.settle()));
      return expectOneEach(ids, answers, 'calls');
    },
  },
  {
    id: 'call-cancelled',
    title: 'A cancelled call gets one answer at most, and the connection lives on',
    severity: 'error',
    spec: '2025-11-25 Cancellation §Behavior Requirements',
    callsTools: true,
    run: async (subject) => {
      const name = await nameOf(subject);
      const session = await subject.fresh();
      session.wire.send(call('cancelled', name));
      session.wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'cancelled' } });
      const probe = await session.settle();
      const count = counts(answersIn(probe), 'cancelled');
      return count > 1 ? { seen: `${count} answers`, expected: 'none, or one' } : expectAlive(probe);
    },
  },
  {
    id: 'call-cancel-other',
    title: 'The cancellation of one call leaves the others running',
    severity: 'error',
    spec: '2025-11-25 Cancellation §Behavior Requirements',
    callsTools: true,
    run: async (subject) => {
      const name = await nameOf(subject);
      const session = await subject.fresh();
      session.wire.send(call('one', name));
      session.wire.send(call('two', name));
      session.wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'one' } });
      return expectAnswer(await session.answerTo('two'), 'an answer to the other call');
    },
  },
  {
    id: 'call-ping-during',
    title: 'ping is answered while a call runs',
    severity: 'warning',
    spec: '2025-11-25 Ping §Behavior Requirements',
    callsTools: true,
    run: async (subject) => {
      const name = await nameOf(subject);
      const session = await subject.fresh();
      session.wire.send(call('long', name));
      return expectAlive(await session.settle());
    },
  },
  {
    id: 'call-id-zero',
    title: 'A call with the id 0 is answered',
    severity: 'error',
    spec: '2025-11-25 Base Protocol §Result Responses',
    callsTools: true,
    run: async (subject) => {
      const session = await subject.fresh();
      session.wire.send(call(0, await nameOf(subject)));
      return expectAnswer(await session.answerTo(0), 'an answer with the id 0');
    },
  },
  {
    id: 'call-without-arguments',
    title: 'A tool without required arguments can be called without "arguments"',
    severity: 'warning',
    spec: '2025-11-25 Schema Reference §CallToolRequestParams',
    callsTools: true,
    run: async (subject) => {
      const answer = await (await subject.shared()).ask('tools/call', { name: await nameOf(subject) });
      return expectThat(
        answer.kind === 'result' && answer.result.isError !== true,
        () => shown(answer),
        'a result, as with {}',
      );
    },
  },
  unknownTask('tasks/get'),
  unknownTask('tasks/result'),
  unknownTask('tasks/cancel'),
  {
    id: 'tasks-list',
    title: 'tasks/list has an array of tasks with an id, a status and dates',
    severity: 'error',
    spec: '2025-11-25 Tasks §Listing Tasks',
    needs: ['sessions'],
    run: async (subject) => {
      if (memberAt(subject.capabilities, 'tasks', 'list') === undefined)
        throw new NotApplicable('The server does not list tasks.');
      const answer = await (await subject.shared()).ask('tasks/list', {});
      const tasks = answer.kind === 'result' ? answer.result.tasks : undefined;
      const isRight =
        isList(tasks) &&
        tasks
          .map(objectOrEmpty)
          .every(
            ({ taskId, status, createdAt }) =>
              typeof taskId === 'string' &&
              isOneOf(['working', 'input_required', 'completed', 'failed', 'cancelled'], status) &&
              !Number.isNaN(Date.parse(String(createdAt))),
          );
      return expectThat(isRight, () => shown(answer), 'an array "tasks"');
    },
  },
]);
