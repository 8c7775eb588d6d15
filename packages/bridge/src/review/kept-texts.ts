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

  /** In place of the version of this member that was kept before. */
  keep(member: Member): void {
    const [text, path] = [ownText(member), member.proposal?.path];
    this.release(member);
    if (text === undefined || path === undefined) return;
    try {
      member.kept = this.#texts?.keep(path, text);
    } catch (error) {
      this.#report(`The accepted version of ${path} can't be kept`, error);
    }
  }

  release(member: Member): void {
    if (member.kept !== undefined) this.#texts?.release(member.kept);
    member.kept = undefined;
  }
}
