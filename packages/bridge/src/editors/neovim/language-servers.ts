import type { Range } from '../../editor.ts';
import type {
  CodeAction,
  CodeActionOptions,
  DocumentSymbol,
  FileEdits,
  Hover,
  LanguageFeatures,
  Location,
  TextPosition,
  WaitOptions,
  WorkspaceSymbol,
} from '../../language-features.ts';
import { absolute } from '../absolute-path.ts';
import {
  answerDeadline,
  type ConvertRange,
  toCodeActions,
  toDocumentSymbols,
  toHover,
  toLocations,
  toRename,
  toWorkspaceSymbols,
} from '../language-results.ts';
import { Columns } from './columns.ts';
import type { NeovimLink } from './link.ts';
import { wireRange } from './wire.ts';

interface Answer {
  readonly encoding?: string;
  readonly result?: unknown;
  readonly problem?: string;
}

interface Query {
  readonly path?: string;
  readonly position?: readonly [line: number, character: number];
  readonly range?: readonly number[];
  readonly name?: string;
  readonly text?: string;
  readonly kinds?: readonly string[];
}

/** The language servers that Neovim runs. Requests never block Neovim: their answers arrive as events. */
export class LanguageServers implements Required<LanguageFeatures> {
  readonly #link: NeovimLink;
  readonly #waiting = new Map<number, (answers: readonly Answer[]) => void>();
  #lastToken = 0;

  constructor(link: NeovimLink) {
    this.#link = link;
  }

  /** Call with each `language` event. */
  receive(token: unknown, answers: unknown): void {
    this.#waiting.get(Number(token))?.(Array.isArray(answers) ? answers : []);
  }

  async definition(at: TextPosition, options?: WaitOptions): Promise<readonly Location[]> {
    return await this.#locations('textDocument/definition', at, options);
  }

  async references(at: TextPosition, options?: WaitOptions): Promise<readonly Location[]> {
    return await this.#locations('textDocument/references', at, options);
  }

  async hover({ path, position }: TextPosition, options?: WaitOptions): Promise<Hover | undefined> {
    const { result, convert } = await this.#askOne('textDocument/hover', queryAt(path, position), options);
    return await toHover(result, path, convert);
  }

  async documentSymbols(path: string, options?: WaitOptions): Promise<readonly DocumentSymbol[]> {
    const query = { path: absolute(path) };
    const { result, convert } = await this.#askOne('textDocument/documentSymbol', query, options);
    return await toDocumentSymbols(result, path, convert);
  }

  async workspaceSymbols(query: string, options?: WaitOptions): Promise<readonly WorkspaceSymbol[]> {
    const answers = await this.#ask('workspace/symbol', { text: query }, options);
    const found = await Promise.all(answers.map(({ result, convert }) => toWorkspaceSymbols(result, convert)));
    return found.flat();
  }

  async rename(
    { path, position }: TextPosition,
    newName: string,
    options?: WaitOptions,
  ): Promise<readonly FileEdits[]> {
    const query = { ...queryAt(path, position), name: newName };
    const { result, convert } = await this.#askOne('textDocument/rename', query, options);
    return await toRename(result, convert);
  }

  async codeActions(path: string, range: Range, options: CodeActionOptions = {}): Promise<readonly CodeAction[]> {
    const { kinds } = options;
    const query = { path: absolute(path), range: wireRange(range), ...(kinds && { kinds }) };
    const answers = await this.#ask('textDocument/codeAction', query, options);
    const found = await Promise.all(answers.map(({ result, convert }) => toCodeActions(result, convert)));
    return found.flat();
  }

  async #locations(method: string, { path, position }: TextPosition, options?: WaitOptions) {
    const { result, convert } = await this.#askOne(method, queryAt(path, position), options);
    return await toLocations(result, convert);
  }

  async #askOne(method: string, query: Query, options?: WaitOptions) {
    const [answer] = await this.#ask(method, query, options);
    if (answer === undefined) throw new Error(`No language server has answered ${method}`);
    return answer;
  }

  /** The answers of the servers that gave one. Rejects with the first problem when none did. */
  async #ask(method: string, query: Query, options?: WaitOptions) {
    this.#lastToken += 1;
    const token = this.#lastToken;
    const ending = answerDeadline(method, options);
    const answered = new Promise<readonly Answer[]>((resolve, reject) => {
      this.#waiting.set(token, resolve);
      ending.addEventListener('abort', () => reject(ending.reason), { once: true });
    });
    try {
      answered.catch(() => undefined);
      await this.#link.call('ask_language', [token, method, query], { signal: ending });
      const answers = await this.#link.orEnd(answered);
      const good = answers.filter(({ problem }) => problem === undefined);
      if (good.length === 0 && answers[0]?.problem !== undefined) throw new Error(answers[0].problem);
      return good.map(({ encoding = 'utf-16', result }) => {
        const columns = new Columns(encoding, this.#link);
        const convert: ConvertRange = (path, range) => columns.range(path, range);
        return { result, convert };
      });
    } catch (error) {
      if (ending.aborted && !this.#link.hasEnded) {
        this.#link.call('cancel_language', [token]).catch(() => undefined);
        throw ending.reason;
      }
      throw error;
    } finally {
      this.#waiting.delete(token);
    }
  }
}

function queryAt(path: string, { line, character }: { readonly line: number; readonly character: number }): Query {
  return { path: absolute(path), position: [line, character] };
}
