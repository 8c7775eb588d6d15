import { addAproposSearch } from './apropos-search.ts';
import { addCloseSession } from './close-session.ts';
import { addCompileForm } from './compile-form.ts';
import { addCompleteSymbol } from './complete-symbol.ts';
import { addConfigureLimits } from './configure-limits.ts';
import { addDebugger } from './debugger.ts';
import { addDescribeSymbol } from './describe-symbol.ts';
import { addDisassembleForm } from './disassemble-form.ts';
import { addEvaluateLisp } from './evaluate-lisp.ts';
import { addFindDefinition } from './find-definition.ts';
import { addFindReferences } from './find-references.ts';
import { addInspect } from './inspect.ts';
import { addInterrupt } from './interrupt.ts';
import type { ToolContext } from './lisp-tool.ts';
import { addListDefinitions } from './list-definitions.ts';
import { addListSessions } from './list-sessions.ts';
import { addLoadFile } from './load-file.ts';
import { addLoadSystem } from './load-system.ts';
import { addMacroexpandForm } from './macroexpand-form.ts';
import { addProfile } from './profile.ts';
import { addResetSession } from './reset-session.ts';
import { addTestSystem } from './test-system.ts';
import { addTrace } from './trace.ts';
import { addUndefine } from './undefine.ts';
import { addUntrace } from './untrace.ts';
import { addValidateSyntax } from './validate-syntax.ts';

type AddTool = (context: ToolContext) => void;

/** The tools that a model needs daily, in the order in which they are listed. */
const CORE: Readonly<Record<string, AddTool>> = {
  'evaluate-lisp': addEvaluateLisp,
  debugger: addDebugger,
  'load-system': addLoadSystem,
  'test-system': addTestSystem,
  'load-file': addLoadFile,
  'describe-symbol': addDescribeSymbol,
  'find-definition': addFindDefinition,
  'find-references': addFindReferences,
  'list-definitions': addListDefinitions,
  'apropos-search': addAproposSearch,
  'macroexpand-form': addMacroexpandForm,
  'compile-form': addCompileForm,
  inspect: addInspect,
  'validate-syntax': addValidateSyntax,
  interrupt: addInterrupt,
  'list-sessions': addListSessions,
  'reset-session': addResetSession,
  'close-session': addCloseSession,
  'configure-limits': addConfigureLimits,
};

const ALL: Readonly<Record<string, AddTool>> = {
  ...CORE,
  'complete-symbol': addCompleteSymbol,
  'disassemble-form': addDisassembleForm,
  trace: addTrace,
  untrace: addUntrace,
  profile: addProfile,
  undefine: addUndefine,
};

export const TOOL_NAMES: readonly string[] = Object.keys(ALL);

/** Which tools to offer: a set, or names. */
export type ToolChoice = 'core' | 'all' | readonly string[];

export function addTools(context: ToolContext, choice: ToolChoice): void {
  const chosen = choice === 'core' ? Object.keys(CORE) : choice === 'all' ? TOOL_NAMES : choice;
  for (const name of chosen) ALL[name]?.(context);
}
