import type { Command } from '@hawser/command-line/command';
import { toPort } from '@hawser/command-line/to-port';
import { CONNECTING_AGENTS, DEFAULT_AGENTS } from '../agents/agents.ts';
import type { Environment } from '../command-line/environment.ts';
import type { NeovimOptions } from '../serving/serve-neovim.ts';
import type { ServeOptions } from '../serving/serve-workspace.ts';

const AGENT_NAMES = CONNECTING_AGENTS.map(({ name }) => name);

export const serveCommand: Command<Environment> = {
  name: 'serve',
  description: 'serve a workspace to coding agents (also without a command)',
  options: [
    { name: 'workspace', short: 'w', value: 'dir', description: 'the folder to serve', default: '.' },
    {
      name: 'editor',
      value: 'name',
      description: 'the editor to serve; neovim is for its plugin, which starts this itself',
      choices: ['workspace', 'neovim'],
      default: 'workspace',
    },
    {
      name: 'port',
      short: 'p',
      value: 'n',
      description: 'the port to listen on (default: the one from last time, or any)',
      parse: toPort,
    },
    {
      name: 'agents',
      value: 'names',
      description: `which kinds of agents can connect: ${AGENT_NAMES.join(', ')}`,
      default: DEFAULT_AGENTS.join(','),
      parse: toAgents,
    },
    { name: 'headless', description: 'no view, even in a terminal' },
    {
      name: 'review',
      value: 'policy',
      description: 'what to do with proposals',
      choices: ['ask', 'accept', 'reject'],
      default: 'ask',
    },
    {
      name: 'language-servers',
      value: 'where',
      description: 'find language servers in the workspace and on PATH, on PATH only, or not at all',
      choices: ['auto', 'path', 'off'],
      default: 'auto',
    },
    {
      name: 'trust',
      description: 'run language servers that are part of the workspace this time (hawser trust: from now on)',
    },
    {
      name: 'diagnostics',
      value: 'command',
      description: 'a command that reports problems instead, such as "tsc --noEmit"',
    },
    {
      name: 'matcher',
      value: 'form',
      description: 'how that command reports them',
      choices: ['tsc', 'gcc', 'eslint-json'],
      default: 'tsc',
    },
    {
      name: 'format',
      value: 'command',
      description: 'a command that formats {file}, instead of language servers',
    },
    {
      name: 'noticing',
      value: 'what',
      description: 'whether changes that agents make without asking are noticed and shown',
      choices: ['on', 'off'],
      default: 'on',
    },
    {
      name: 'history',
      value: 'what',
      description: 'whether decisions are kept for hawser log and hawser undo',
      choices: ['kept', 'off'],
      default: 'kept',
    },
    {
      name: 'deny',
      value: 'glob',
      description: 'files whose text no agent gets, besides .env, keys and the like',
      isList: true,
    },
    {
      name: 'idle-exit',
      value: 'seconds',
      description: 'exit when no editor and no agent has been connected for this long',
      parse: toSeconds,
    },
    {
      name: 'execute-code',
      value: 'command',
      description: 'an MCP server on stdio that runs code for agents, such as hawser-lisp',
    },
    { name: 'execute-tool', value: 'name', description: 'the tool of that server', default: 'evaluate-lisp' },
    { name: 'log-file', value: 'path', description: 'where to log instead of stderr' },
    {
      name: 'log-level',
      value: 'level',
      description: 'what to log: everything, or problems only',
      choices: ['info', 'error'],
      default: 'info',
    },
    { name: 'json', description: 'log as JSON, an object a line' },
  ],
  run: async (given, environment) => {
    // The options say which flags there are.
    const flags = given as unknown as ServeOptions & NeovimOptions;
    if (given.editor === 'neovim') {
      const { runServeNeovim } = await import('../serving/serve-neovim.ts');
      return await runServeNeovim(flags, environment);
    }
    if (given.headless || environment.terminal === undefined) {
      const { runServe } = await import('../serving/serve-workspace.ts');
      return await runServe(flags, environment);
    }
    const { runServeInTerminal } = await import('../serving/serve-in-terminal.ts');
    await runServeInTerminal(flags, environment);
  },
};

function toSeconds(text: string): number {
  const seconds = Number(text);
  if (!/^\d{1,6}$/.test(text) || seconds === 0) throw new Error(`Not a number of seconds: ${text}`);
  return seconds;
}

function toAgents(text: string): string[] {
  return text.split(',').map((given) => {
    const name = given.trim();
    if (!AGENT_NAMES.includes(name)) throw new Error(`Unknown agent: ${given}. Known are ${AGENT_NAMES.join(', ')}.`);
    return name;
  });
}
