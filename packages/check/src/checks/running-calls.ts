import { isList, type Members, memberAt, objectOrEmpty } from '@hawser/unknown-values/objects';
import { type Check, type Finding, NotApplicable } from '../check.ts';
import { shown } from '../in-words.ts';
import type { Session } from '../session.ts';
import type { Subject } from '../subject.ts';
import { needing, type Row } from './builders.ts';
import { answersIn, countOf, expectAlive, expectAnswer, expectOneEach, expectThat, isOneOf } from './expectations.ts';
import { harmlessTool } from './tool-calls.ts';

const CALLING = '2025-11-25 Tools §Calling Tools';
const CANCELLING = '2025-11-25 Cancellation §Behavior Requirements';
const TASK_ERRORS = '2025-11-25 Tasks §Protocol Errors';

const CALL_IDS = Array.from({ length: 10 }, (_, index) => `call-${index}`);

const call = (id: unknown, name: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {} },
});

const nameOf = async (subject: Subject) => String((await harmlessTool(subject)).name);

const cancellation = (requestId: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});

/** A rule for what follows calls of a harmless tool that are sent at once, on a connection of their own. */
function afterCalls({
  ids,
  look,
  ...facts
}: Row<{ ids: readonly unknown[]; look: (session: Session) => Promise<Finding | undefined> }>): Check {
  return {
    ...facts,
    callsTools: true,
    run: async (subject) => {
      const name = await nameOf(subject);
      const session = await subject.fresh();
      for (const id of ids) session.wire.send(call(id, name));
      return await look(session);
    },
  };
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
      await session.addAnswersTo(ids, answers);
      return expectOneEach(ids, answers, 'lists');
    },
  },
  afterCalls({
    id: 'calls-concurrent',
    title: 'Each of 10 calls at once is answered, exactly once',
    severity: 'error',
    spec: CALLING,
    ids: CALL_IDS,
    look: async (session) => {
      const answers: Members[] = [];
      await session.addAnswersTo(CALL_IDS, answers);
      answers.push(...answersIn(await session.settle()));
      return expectOneEach(CALL_IDS, answers, 'calls');
    },
  }),
  afterCalls({
    id: 'call-cancelled',
    title: 'A cancelled call gets one answer at most, and the connection lives on',
    severity: 'error',
    spec: CANCELLING,
    ids: ['cancelled'],
    look: async (session) => {
      session.wire.send(cancellation('cancelled'));
      const probe = await session.settle();
      const count = countOf(answersIn(probe), 'cancelled');
      return count > 1 ? { seen: `${count} answers`, expected: 'none, or one' } : expectAlive(probe);
    },
  }),
  afterCalls({
    id: 'call-cancel-other',
    title: 'The cancellation of one call leaves the others running',
    severity: 'error',
    spec: CANCELLING,
    ids: ['one', 'two'],
    look: async (session) => {
      session.wire.send(cancellation('one'));
      return expectAnswer(await session.answerTo('two'), 'an answer to the other call');
    },
  }),
  afterCalls({
    id: 'call-ping-during',
    title: 'ping is answered while a call runs',
    severity: 'warning',
    spec: '2025-11-25 Ping §Behavior Requirements',
    ids: ['long'],
    look: async (session) => expectAlive(await session.settle()),
  }),
  afterCalls({
    id: 'call-id-zero',
    title: 'A call with the id 0 is answered',
    severity: 'error',
    spec: '2025-11-25 Base Protocol §Result Responses',
    ids: [0],
    look: async (session) => expectAnswer(await session.answerTo(0), 'an answer with the id 0'),
  }),
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
