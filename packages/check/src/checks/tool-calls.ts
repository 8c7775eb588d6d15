import { listOrEmpty, type Members, memberAt } from '@hawser/unknown-values/objects';
import { NotApplicable } from '../check.ts';
import type { Answer } from '../session.ts';
import type { Subject } from '../subject.ts';

export interface ToolCall {
  readonly tool: Members;
  readonly answer: Answer;
  /** Messages that came before the answer. */
  readonly before: readonly Members[];
  /** Messages that came after it. */
  readonly after: readonly Members[];
}

const MAX_CALLS = 10;

/** Tools that say that they change nothing, and that can be called without arguments. */
export async function harmlessTools(subject: Subject): Promise<Members[]> {
  const tools = (await subject.list('tools')).filter(
    ({ annotations, inputSchema }) =>
      memberAt(annotations, 'readOnlyHint') === true && requiredIn(inputSchema).length === 0,
  );
  if (tools.length === 0) throw new NotApplicable('No tool is read-only and needs no arguments.');
  return tools.slice(0, MAX_CALLS);
}

/** The first of them. */
export async function harmlessTool(subject: Subject): Promise<Members> {
  const [tool = {}] = await harmlessTools(subject);
  return tool;
}

/** The arguments that a schema requires. */
export function requiredIn(inputSchema: unknown): readonly unknown[] {
  return listOrEmpty(memberAt(inputSchema, 'required'));
}

/** Calls each harmless tool once, with a progress token if one is given. Those that take too long are left out. */
export function calledTools(subject: Subject, progressToken?: string | number): Promise<readonly ToolCall[]> {
  return subject.once(`calls ${typeof progressToken}`, async () => {
    const calls: ToolCall[] = [];
    for (const tool of await harmlessTools(subject)) {
      const session = await subject.shared();
      const id = `call-${tool.name}-${typeof progressToken}`;
      const params = {
        name: tool.name,
        arguments: {},
        ...(progressToken !== undefined && { _meta: { progressToken } }),
      };
      const before: Members[] = [];
      session.wire.send({ jsonrpc: '2.0', id, method: 'tools/call', params });
      const answer = await session.answerTo(id, before);
      if (answer.kind === 'silence') {
        // It still runs, and would report its progress into the next call.
        await subject.dropShared();
        continue;
      }
      const { received } = await session.settle();
      const after = received.flatMap((item) => (item.kind === 'message' ? [item.message] : []));
      calls.push({ tool, answer, before, after });
    }
    return calls;
  });
}

/** The results of the harmless tools that had one. */
export async function toolResults(subject: Subject): Promise<{ readonly tool: Members; readonly result: Members }[]> {
  const results = (await calledTools(subject)).flatMap(({ tool, answer }) =>
    answer.kind === 'result' && answer.result.resultType !== 'input_required' ? [{ tool, result: answer.result }] : [],
  );
  if (results.length === 0) throw new NotApplicable('No read-only tool gave a result.');
  return results;
}
