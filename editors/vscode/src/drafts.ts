import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Draft } from './proposals.ts';

const WRITE_MS = 200;
/** Those of proposals that ended while no window was open. */
const FORGET_MS = 30 * 24 * 60 * 60 * 1000;

/** What the user typed in proposals, in files: it survives a closed tab, a reload and a crash. */
export class Drafts {
  readonly #folder: string;
  readonly #due = new Map<string, Draft>();
  #timer: NodeJS.Timeout | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  find(id: string): Draft | undefined {
    const due = this.#due.get(id);
    if (due !== undefined) return due;
    try {
      return JSON.parse(readFileSync(this.#fileOf(id), 'utf8')) as Draft;
    } catch {
      // The user has typed nothing there.
      return undefined;
    }
  }

  /** Written soon. */
  keep(id: string, draft: Draft): void {
    this.#due.set(id, draft);
    this.#timer ??= setTimeout(() => this.flush(), WRITE_MS);
  }

  drop(id: string): void {
    this.#due.delete(id);
    rmSync(this.#fileOf(id), { force: true });
  }

  /** The text of a proposal that has ended otherwise, as a file for the user. */
  rescue({ path, text = '' }: Draft): string {
    const folder = join(this.#folder, 'kept');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, `${randomUUID()}-${basename(decodeURIComponent(path))}`);
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
    return file;
  }

  /** Writes what is due, now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#due.size === 0) return;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    for (const [id, draft] of this.#due) {
      const file = this.#fileOf(id);
      writeFileSync(`${file}.new`, JSON.stringify(draft), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    }
    this.#due.clear();
  }

  /** Turns drafts of long ago into files for the user, besides those of open proposals. */
  sweep(isOpen: (id: string) => boolean): string[] {
    const names = namesIn(this.#folder).filter((name) => name.endsWith('.json'));
    return names.flatMap((name) => {
      const id = basename(name, '.json');
      const isOld = Date.now() - statSync(this.#fileOf(id)).mtimeMs > FORGET_MS;
      if (isOpen(id) || !isOld) return [];
      const draft = this.find(id);
      const kept = draft?.text === undefined ? [] : [this.rescue(draft)];
      this.drop(id);
      return kept;
    });
  }

  #fileOf(id: string): string {
    return join(this.#folder, `${id.replace(/[^\w-]/g, '_')}.json`);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
