import { readFileSync } from 'node:fs';
import type { Json } from '../../mcp/testing/json.ts';
import { type Agent, connectAgent, type Dialect } from './agent.ts';
import { connectHttpAgent, type HttpTarget } from './http-agent.ts';

/** What an agent learns about the end of its proposal. */
export type ProposalAnswer =
  /** Without a text if the protocol can't carry one: the agent writes what it proposed. */
  { readonly kind: 'accepted'; readonly text?: string } | { readonly kind: 'rejected' };

export interface ToolCall {
  readonly name: string;
  readonly arguments: { readonly [name: string]: unknown };
}

type Lock = { readonly [name: string]: unknown };

/** How the agents of one adapter connect and propose changes, and what their protocol can express. */
export interface AgentDriver {
  /** Of agents that send HTTP requests. */
  readonly target?: (address: string, lock: Lock) => HttpTarget;
  connect(address: string, lock: Lock): Promise<Agent>;
  tokenIn(lock: Lock): string;
  readonly diff: (path: string, contents: string, tabName: string) => ToolCall;
  /** Reads what became of a proposal. Rejects if it was answered with an error. */
  outcome(agent: Agent, diff: ToolCall, answer: Promise<Json>): Promise<ProposalAnswer>;
  /** Absent if an agent can withdraw a proposal only by cancelling its request. */
  readonly closeDiff?: (path: string, tabName: string) => ToolCall;
  /** Which of the two writes what was accepted. */
  readonly writer: 'agent' | 'bridge';
  /** When the request that proposes is answered. */
  readonly answers: 'when decided' | 'at once';
  /** What an agent learns when it closes a proposal itself. */
  readonly closing: 'rejected' | 'nothing';
  /** Whether a text that the user changed reaches the agent; else it is rejected. */
  readonly edits: 'carried' | 'rejected';
  /** How a proposal that the bridge refuses is answered: with `isError`, or as if it were shown. */
  readonly refusals: 'errors' | 'silent';
  /** Proposals have names, there is one for each file, or each stands for itself. */
  readonly names: 'given' | 'paths' | 'none';
  /** How a selection is sent; absent if agents ask for it. */
  readonly selectionChanged?: string;
  /** The end of a selection that was sent, from 0. */
  selectionEnd(params: Json): { readonly line: number; readonly character: number } | undefined;
}

const blockTexts = ({ content }: Json): string[] => content.map(({ text }: { text: string }) => text);

function webSocketDriver(dialect: Dialect, selectionChanged: string): AgentDriver {
  return {
    connect: (address, lock) => connectAgent(address, lock.authToken as string, dialect),
    tokenIn: ({ authToken }) => authToken as string,
    diff: (path, contents, tab_name) => {
      const paths = dialect === 'claude-code' ? { new_file_path: path } : {};
      return { name: 'openDiff', arguments: { old_file_path: path, ...paths, new_file_contents: contents, tab_name } };
    },
    outcome: async (_agent, _diff, answer) => {
      const [word, text, ...rest] = blockTexts(await answer);
      if (word === 'DIFF_REJECTED') return { kind: 'rejected' };
      if (word !== 'FILE_SAVED' || text === undefined || rest.length > 0) throw new Error(`Unknown answer: ${word}`);
      return { kind: 'accepted', text };
    },
    closeDiff: (_path, tab_name) => ({ name: 'close_tab', arguments: { tab_name } }),
    writer: 'agent',
    answers: 'when decided',
    closing: 'rejected',
    edits: 'carried',
    refusals: 'errors',
    names: 'given',
    selectionChanged,
    selectionEnd: ({ range, selection }) => (range ?? selection)?.end,
  };
}

function companionDriver(dialect: Dialect, refusals: AgentDriver['refusals']): AgentDriver {
  const tokenIn = ({ authToken }: Lock) => authToken as string;
  const target = (address: string, lock: Lock) => ({
    port: Number(new URL(address).port),
    authorization: `Bearer ${tokenIn(lock)}`,
  });
  return {
    target,
    connect: async (address, lock) => connectHttpAgent(target(address, lock), dialect),
    tokenIn,
    diff: (path, contents) => ({ name: 'openDiff', arguments: { filePath: path, newContent: contents } }),
    outcome: async (agent, { arguments: { filePath } }, answer) => {
      const isOurs = (params: Json) => params.filePath === filePath;
      const accepted = agent.notification('ide/diffAccepted', isOurs);
      const rejected = agent.notification('ide/diffRejected', isOurs);
      const { content, isError } = await answer;
      if (isError || content.length > 0) throw new Error(`Refused: ${blockTexts({ content })}`);
      return await Promise.race([
        accepted.then(({ content }): ProposalAnswer => ({ kind: 'accepted', text: content })),
        rejected.then((): ProposalAnswer => ({ kind: 'rejected' })),
      ]);
    },
    closeDiff: (path) => ({ name: 'closeDiff', arguments: { filePath: path, suppressNotification: true } }),
    writer: 'agent',
    answers: 'at once',
    closing: 'nothing',
    edits: 'carried',
    refusals,
    names: 'paths',
    selectionChanged: 'ide/contextUpdate',
    selectionEnd: ({ workspaceState }) => {
      const [file] = workspaceState.openFiles;
      return file?.cursor && { line: file.cursor.line - 1, character: file.cursor.character - 1 };
    },
  };
}

const mcpTarget = (address: string, { authToken }: Lock): HttpTarget => ({
  port: Number(new URL(address).port),
  authorization: `Bearer ${authToken}`,
});

const mcpDriver: AgentDriver = {
  target: mcpTarget,
  connect: async (address, lock) => connectHttpAgent(mcpTarget(address, lock), 'mcp'),
  tokenIn: ({ authToken }) => authToken as string,
  diff: (path, contents) => ({ name: 'propose_edit', arguments: { path, new_text: contents } }),
  outcome: async (_agent, { arguments: { path } }, answer) => {
    const { structuredContent, isError, content } = await answer;
    if (isError) throw new Error(blockTexts({ content }).join());
    if (structuredContent.files[0].outcome === 'rejected') return { kind: 'rejected' };
    return { kind: 'accepted', text: readFileSync(path as string, 'utf8') };
  },
  writer: 'bridge',
  answers: 'when decided',
  closing: 'nothing',
  edits: 'carried',
  refusals: 'errors',
  names: 'none',
  selectionEnd: () => undefined,
};

const copilotDriver: AgentDriver = {
  target: (_address, lock) => socketTarget(lock),
  connect: async (_address, lock) => connectHttpAgent(socketTarget(lock), 'copilot-cli'),
  tokenIn: ({ headers }) => (headers as { Authorization: string }).Authorization.replace('Nonce ', ''),
  diff: (path, contents, tab_name) => ({
    name: 'open_diff',
    arguments: { original_file_path: path, new_file_contents: contents, tab_name },
  }),
  outcome: async (_agent, { arguments: { tab_name } }, answer) => {
    const [text = ''] = blockTexts(await answer);
    const verdict = JSON.parse(text);
    if (verdict.success !== true || verdict.tab_name !== tab_name) throw new Error(`Unknown answer: ${text}`);
    if (typeof verdict.message !== 'string' || typeof verdict.trigger !== 'string') throw new Error(text);
    if (verdict.result !== 'SAVED' && verdict.result !== 'REJECTED') throw new Error(text);
    return { kind: verdict.result === 'SAVED' ? 'accepted' : 'rejected' };
  },
  closeDiff: (_path, tab_name) => ({ name: 'close_diff', arguments: { tab_name } }),
  writer: 'agent',
  answers: 'when decided',
  closing: 'rejected',
  edits: 'rejected',
  refusals: 'errors',
  names: 'given',
  selectionChanged: 'selection_changed',
  selectionEnd: ({ filePath, selection }) => (filePath === '' ? undefined : selection.end),
};

function socketTarget({ socketPath, headers }: Lock): HttpTarget {
  return {
    socketPath: socketPath as string,
    authorization: (headers as { Authorization: string }).Authorization,
  };
}

export const drivers: { readonly [dialect in Dialect]: AgentDriver } = {
  'claude-code': webSocketDriver('claude-code', 'selection_changed'),
  opencode: webSocketDriver('opencode', 'selection_changed'),
  jetbrains: webSocketDriver('jetbrains', 'notifications/selection_changed'),
  'copilot-cli': copilotDriver,
  mcp: mcpDriver,
  'gemini-cli': companionDriver('gemini-cli', 'silent'),
  'qwen-code': companionDriver('qwen-code', 'errors'),
};
