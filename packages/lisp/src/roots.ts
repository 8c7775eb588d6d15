import { fileURLToPath } from 'node:url';
import type { RequestContext } from '@hawser/mcp';
import type { Sessions } from './sessions.ts';

const ROOTS_TIMEOUT_MS = 2000;

/** Asks the agent for its roots, once for each connection, and makes ASDF find the systems there. */
export class Roots {
  readonly #sessions: Sessions;
  readonly #asked = new WeakMap<object, Promise<void>>();

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  /** Settles when the roots are known, or the agent did not send them in time; undefined if it has none. Never rejects. */
  refresh(context: RequestContext): Promise<void> | undefined {
    if (context.clientCapabilities.roots === undefined || context.revision.stateless) return undefined;
    const known = this.#asked.get(context.session);
    if (known !== undefined) return known;
    const asking = this.#ask(context);
    this.#asked.set(context.session, asking);
    return asking;
  }

  async #ask(context: RequestContext): Promise<void> {
    try {
      const roots = await context.listRoots({ signal: AbortSignal.timeout(ROOTS_TIMEOUT_MS) });
      this.#sessions.addProjects(roots.map(({ uri }) => uri).flatMap(folderOf));
    } catch {
      // The agent does not answer; its working directory is known anyway.
    }
  }
}

function folderOf(uri: string): string[] {
  try {
    return [fileURLToPath(uri)];
  } catch {
    return [];
  }
}
