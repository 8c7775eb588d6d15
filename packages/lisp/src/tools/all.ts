import { configureLimits } from './configure-limits.ts';
import { debuggerTool } from './debugger.ts';
import { evaluateLisp } from './evaluate-lisp.ts';
import { formTools } from './form-tools.ts';
import type { Tool, ToolContext } from './lisp-tool.ts';
import { lookupTools } from './lookup-tools.ts';
import { sessionTools } from './session-tools.ts';
import { systemTools } from './system-tools.ts';
import { validateSyntax } from './validate-syntax.ts';

const TOOLS: readonly Tool[] = [
  evaluateLisp,
  debuggerTool,
  ...systemTools,
  ...lookupTools,
  ...formTools,
  validateSyntax,
  ...sessionTools,
  configureLimits,
];

/** The tools that a model needs daily, in the order in which they are listed. */
const CORE: readonly string[] = [
  'evaluate-lisp',
  'debugger',
  'load-system',
  'test-system',
  'load-file',
  'describe-symbol',
  'find-definition',
  'find-references',
  'list-definitions',
  'apropos-search',
  'macroexpand-form',
  'compile-form',
  'inspect',
  'validate-syntax',
  'interrupt',
  'list-sessions',
  'reset-session',
  'close-session',
  'configure-limits',
];

export const TOOL_NAMES: readonly string[] = [
  ...CORE,
  'complete-symbol',
  'disassemble-form',
  'trace',
  'untrace',
  'profile',
  'undefine',
];

/** Which tools to offer: a set, or names. */
export type ToolChoice = 'core' | 'all' | readonly string[];

export function addTools(context: ToolContext, choice: ToolChoice): void {
  const chosen = choice === 'core' ? CORE : choice === 'all' ? TOOL_NAMES : choice;
  for (const name of chosen) {
    const tool = TOOLS.find((each) => each.name === name);
    if (tool === undefined) throw new Error(`There is no tool ${name}`);
    tool.add(context);
  }
}
