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
import { Columns } from './columns.ts';
import {
  actionsIn,
  editsIn,
  hoverTextIn,
  kindOf,
  locationsIn,
  type RawEdits,
  type RawRange,
  type RawSymbol,
  symbolsIn,
} from './language-answers.ts';
import type { NeovimLink } from './link.ts';
import { wireRange } from './wire.ts';

/** How long a language server may take. */
const PATIENCE_MS = 20_000;

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
    const { result, columns } = await this.#askOne('textDocument/hover', queryAt(path, position), options);
    const text = hoverTextIn(result);
    if (text === undefined) return undefined;
    const { range } = result as { range?: RawRange };
    return { text, ...(range && { range: await columns.range(path, range) }) };
  }

  async documentSymbols(path: string, options?: WaitOptions): Promise<readonly DocumentSymbol[]> {
    const query = { path: absolute(path) };
    const { result, columns } = await this.#askOne('textDocument/documentSymbol', query, options);
    const convert = async (symbol: RawSymbol): Promise<DocumentSymbol> => ({
      name: symbol.name,
      kind: kindOf(symbol.kind),
      ...(typeof symbol.detail === 'string' && symbol.detail !== '' && { detail: symbol.detail }),
      range: await columns.range(path, symbol.range),
      selectionRange: await columns.range(path, symbol.selectionRange),
      children: await Promise.all(symbol.children.map(convert)),
    });
    return await Promise.all(symbolsIn(result).map(convert));
  }

  async workspaceSymbols(query: string, options?: WaitOptions): Promise<readonly WorkspaceSymbol[]> {
    const answers = await this.#ask('workspace/symbol', { text: query }, options);
    const found = answers.map(async ({ result, columns }) =>
      Promise.all(
        symbolsIn(result).flatMap((symbol) => {
          const { path, name, kind, range, containerName } = symbol;
          if (path === undefined) return [];
          return columns.range(path, range).then((converted) => ({
            name,
            kind: kindOf(kind),
            location: { path, range: converted },
            ...(typeof containerName === 'string' && containerName !== '' && { containerName }),
          }));
        }),
      ),
    );
    return (await Promise.all(found)).flat();
  }

  async rename({ path, position }: TextPosition, newName: string, options?: WaitOptions) {
    const query = { ...queryAt(path, position), name: newName };
    const { result, columns } = await this.#askOne('textDocument/rename', query, options);
    const edits = editsIn(result);
    if (edits === undefined) {
      throw new Error(
        'The language server wants to create, move or delete files for this rename; only edits can be used',
      );
    }
    if (edits.length === 0) throw new Error('Nothing at this position can be renamed');
    return await convertEdits(edits, columns);
  }

  async codeActions(path: string, range: Range, options: CodeActionOptions = {}): Promise<readonly CodeAction[]> {
    const { kinds } = options;
    const query = { path: absolute(path), range: wireRange(range), ...(kinds && { kinds }) };
    const answers = await this.#ask('textDocument/codeAction', query, options);
    const found = answers.map(async ({ result, columns }) =>
      Promise.all(
        actionsIn(result).map(async ({ title, kind, isPreferred, edits }) => ({
          title,
          ...(kind !== undefined && { kind }),
          isPreferred,
          edits: await convertEdits(edits, columns),
        })),
      ),
    );
    return (await Promise.all(found)).flat();
  }

  async #locations(method: string, { path, position }: TextPosition, options?: WaitOptions) {
    const { result, columns } = await this.#askOne(method, queryAt(path, position), options);
    return await Promise.all(
      locationsIn(result).map(async ({ path, range }) => ({ path, range: await columns.range(path, range) })),
    );
  }

  async #askOne(method: string, query: Query, options?: WaitOptions) {
    const [answer] = await this.#ask(method, query, options);
    if (answer === undefined) throw new Error(`No language server has answered ${method}`);
    return answer;
  }

  /** The answers of the servers that gave one. Rejects with the first problem when none did. */
  async #ask(method: string, query: Query, { signal }: WaitOptions = {}) {
    this.#lastToken += 1;
    const token = this.#lastToken;
    const deadline = AbortSignal.timeout(PATIENCE_MS);
    const ending = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
    ending.throwIfAborted();
    const answered = new Promise<readonly Answer[]>((resolve, reject) => {
      this.#waiting.set(token, resolve);
      ending.addEventListener('abort', () => reject(reasonOf(ending, method)), { once: true });
    });
    try {
      answered.catch(() => undefined);
      await this.#link.call('ask_language', [token, method, query], { signal: ending });
      const answers = await this.#link.orEnd(answered);
      const good = answers.filter(({ problem }) => problem === undefined);
      if (good.length === 0 && answers[0]?.problem !== undefined) throw new Error(answers[0].problem);
      return good.map(({ encoding = 'utf-16', result }) => ({ result, columns: new Columns(encoding, this.#link) }));
    } catch (error) {
      if (ending.aborted && !this.#link.hasEnded) {
        this.#link.call('cancel_language', [token]).catch(() => undefined);
        throw reasonOf(ending, method);
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

async function convertEdits(edits: readonly RawEdits[], columns: Columns): Promise<readonly FileEdits[]> {
  return await Promise.all(
    edits.map(async ({ path, edits }) => ({
      path,
      edits: await Promise.all(
        edits.map(async ({ range, newText }) => ({ range: await columns.range(path, range), newText })),
      ),
    })),
  );
}

function reasonOf(ending: AbortSignal, method: string): unknown {
  const isLate = (ending.reason as Error | undefined)?.name === 'TimeoutError';
  return isLate ? new Error(`The language server did not answer ${method} in time`) : ending.reason;
}
