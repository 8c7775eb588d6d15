import { type Member, ownText } from './open-set.ts';

/** Keeps texts of the user in files. */
export interface KeptTexts {
  /** Returns the file. Throws if it can't be written. */
  keep(path: string, text: string): string;
  /** The text is where it belongs: the file goes. */
  release(file: string): void;
}

/** What users typed is in files until it is where it belongs. */
export class KeptVersions {
  readonly #texts: KeptTexts | undefined;
  readonly #report: (message: string, error: unknown) => void;

  constructor(texts: KeptTexts | undefined, report: (message: string, error: unknown) => void) {
    this.#texts = texts;
    this.#report = report;
  }

  /** In place of an older version of this member. */
  keep(member: Member): void {
    const [text, path] = [ownText(member), member.proposal?.path];
    if (text === undefined || path === undefined || text === member.kept?.text) return;
    const before = member.kept;
    try {
      const file = this.#texts?.keep(path, text);
      if (file !== undefined) member.kept = { file, text };
    } catch (error) {
      this.#report(`Your version of ${path} can't be kept`, error);
      return;
    }
    if (before !== undefined) this.#texts?.release(before.file);
  }

  /** The member was accepted and written. Another version than that stays. */
  written(member: Member): void {
    if (member.kept === undefined || member.kept.text !== ownText(member)) return;
    this.#texts?.release(member.kept.file);
    member.kept = undefined;
  }
}
