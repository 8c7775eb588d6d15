import { setTimeout as delay } from 'node:timers/promises';
import { NetworkError, RpcError } from '@hawser/mcp';
import { HttpError } from '@hawser/mcp/client';
import type { Json } from '../../packages/mcp/testing/json.ts';
import { RawHttp } from '../../packages/mcp/testing/raw-http.ts';
import { BrokenPromise, clientOptions, connect, repeat, SLACK_MS, textOf, type World } from './world.ts';

const VERSION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'chaos', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: {},
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
};
const POLL_MS = 100;
/** A poll, an answer and the check for dead processes, on a busy machine. */
const NOTICE_MS = 4000;

/** Tasks that our client follows by itself. */
export async function followedTasks(world: World): Promise<void> {
  const workload = 'tasks (followed by the client)';
  const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
  const elicit = () => ({ action: 'accept' as const, content: { answer: 'yes' } });
  const session = await connect(world, workload, { ...clientOptions('stateless'), capabilities, elicit });
  let count = 0;
  await repeat(world, workload, async () => {
    count += 1;
    const ms = 200 + (count % 5) * 200;
    const { dataLosses } = world.faults;
    try {
      const result = await session.callTool('work', { ms, ask: count % 2 === 0 });
      if (textOf(result) !== `Worked for ${ms} ms`) throw new BrokenPromise(`the result is ${textOf(result)}`);
      return 'ok';
    } catch (error) {
      if (isAboutLoss(error) && world.faults.dataLosses > dataLosses) return 'lost with the data of Redis';
      if (error instanceof Error && error.message.includes('The server cancelled the task')) return 'cancelled';
      throw error;
    }
  });
  await session.close();
}

/** Tasks that are started and polled by hand, so that it is known which process runs them. */
export async function polledTasks(world: World): Promise<void> {
  const workload = 'tasks (polled)';
  let count = 0;
  await repeat(world, workload, async () => {
    count += 1;
    const ms = 200 + (count % 7) * 200;
    const asks = count % 3 === 0;
    const start = performance.now();
    const { dataLosses } = world.faults;
    const { answer, process } = await ask(world.port, 'tools/call', { name: 'work', arguments: { ms, ask: asks } });
    const { taskId } = answer;
    let answered = false;
    for (;;) {
      const task = await poll(world, taskId, dataLosses);
      if (task === undefined) return 'lost with the data of Redis';
      const { status, result, error } = task;
      const now = performance.now();
      if (status === 'completed') {
        if (textOf(result) !== `Worked for ${ms} ms`) throw new BrokenPromise(`the result is ${textOf(result)}`);
        return 'ok';
      }
      const isDisturbed = world.faults.wasDisturbed(process, start - 500, now);
      if (status === 'failed') {
        if (!/process that ran this task has died/.test(error?.message)) throw new BrokenPromise(error?.message);
        if (!isDisturbed) throw new BrokenPromise(`failed although ${process} lives: ${error.message}`);
        return 'failed: its process has died';
      }
      if (status === 'cancelled' && isDisturbed) return 'cancelled: its process has ended';
      if (status === 'input_required' && !answered) answered = await answerQuestions(world, task);
      // After a fault of Redis, processes get the time of a lease to return before they are taken for dead.
      const since = Math.max(start + ms, world.faults.lastRedisFault(now));
      const limit = 2 * world.leaseMs + NOTICE_MS + (asks ? SLACK_MS : 0);
      if (now - since > limit) throw new BrokenPromise(`the task is ${status} after ${Math.round(now - start)} ms`);
      await delay(POLL_MS);
    }
  });
}

async function answerQuestions(world: World, { taskId, inputRequests }: Json): Promise<boolean> {
  const response = { action: 'accept', content: { answer: 'yes' } };
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, response]));
  try {
    await ask(world.port, 'tasks/update', { taskId, inputResponses });
    return true;
  } catch (error) {
    if (isUnreached(error) || (error instanceof RpcError && /No process works on task/.test(error.message)))
      return false;
    if (isAboutLoss(error)) return false;
    throw error;
  }
}

/** Undefined if the task was lost with the data of Redis. */
async function poll(world: World, taskId: string, dataLosses: number): Promise<Json> {
  for (let failures = 0; ; failures += 1) {
    try {
      return (await ask(world.port, 'tasks/get', { taskId })).answer;
    } catch (error) {
      if (isAboutLoss(error) && world.faults.dataLosses > dataLosses) return undefined;
      if (!isUnreached(error) || failures === 100) throw error;
      await delay(POLL_MS);
    }
  }
}

function isAboutLoss(error: unknown): boolean {
  return error instanceof RpcError && /there is no task/.test(error.message);
}

function isUnreached(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof HttpError && [502, 503, 504].includes(error.status));
}

let lastId = 0;

/** Sends a stateless request. Returns its result and the process that answered. */
export async function ask(port: number, method: string, params: Json): Promise<{ answer: Json; process: string }> {
  lastId += 1;
  const body = { jsonrpc: '2.0', id: lastId, method, params: { ...params, _meta: META } };
  const name = params.name ?? params.taskId;
  const headers = { 'MCP-Protocol-Version': VERSION, 'Mcp-Method': method, 'Mcp-Name': name };
  let answer: Json;
  let status = 0;
  let process = '';
  try {
    const response = await new RawHttp({ port }).post(body, headers);
    status = response.status;
    process = String(response.headers['x-served-by']);
    answer = response.status < 500 ? await response.outcome() : { error: { message: await response.text() } };
  } catch (error) {
    throw new NetworkError((error as Error).message);
  }
  if (answer?.error !== undefined && status < 500) throw new RpcError(answer.error.code, answer.error.message);
  if (status !== 200) throw new HttpError(status, `HTTP ${status}: ${answer?.error?.message ?? 'no reason given'}`);
  if (answer === undefined) throw new NetworkError('the stream ended before the answer');
  return { answer: answer.result, process };
}
