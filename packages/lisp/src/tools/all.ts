import type { Server } from '@hawser/mcp';
import type { Sessions } from '../sessions.ts';
import { addAproposSearch } from './apropos-search.ts';
import { addCloseSession } from './close-session.ts';
import { addCompileForm } from './compile-form.ts';
import { addConfigureLimits } from './configure-limits.ts';
import { addDebugger } from './debugger.ts';
import { addDescribeSymbol } from './describe-symbol.ts';
import { addEvaluateLisp } from './evaluate-lisp.ts';
import { addInspect } from './inspect.ts';
import { addInterrupt } from './interrupt.ts';
import { addListDefinitions } from './list-definitions.ts';
import { addListSessions } from './list-sessions.ts';
import { addLoadFile } from './load-file.ts';
import { addLoadSystem } from './load-system.ts';
import { addMacroexpandForm } from './macroexpand-form.ts';
import { addResetSession } from './reset-session.ts';
import { addValidateSyntax } from './validate-syntax.ts';
import { addXref } from './xref.ts';

/** Offers every tool, in the order in which they are listed. */
export function addTools(server: Server, sessions: Sessions): void {
  addEvaluateLisp(server, sessions);
  addDebugger(server, sessions);
  addInterrupt(server, sessions);
  addListSessions(server, sessions);
  addResetSession(server, sessions);
  addCloseSession(server, sessions);
  addConfigureLimits(server, sessions);
  addLoadSystem(server, sessions);
  addLoadFile(server, sessions);
  addListDefinitions(server, sessions);
  addDescribeSymbol(server, sessions);
  addAproposSearch(server, sessions);
  addMacroexpandForm(server, sessions);
  addCompileForm(server, sessions);
  addXref(server, sessions);
  addInspect(server, sessions);
  addValidateSyntax(server);
}
