import { ErrorCode, RpcError } from '@hawser/mcp';
import { objectOrEmpty } from '@hawser/unknown-values/objects';
import type { Range } from '../editor.ts';
import type { Decision, HunkMark, Note } from '../review/proposal.ts';

/** The parameters of a request, checked. */
export class Arguments {
  readonly #given: { readonly [name: string]: unknown };

  constructor(given: unknown) {
    if (given !== undefined && (typeof given !== 'object' || given === null || Array.isArray(given))) {
      throw invalid('params must be an object');
    }
    this.#given = { ...given };
  }

  text(name: string): string {
    const value = this.#given[name];
    if (typeof value !== 'string') throw invalid(`${name} must be a string`);
    return value;
  }

  /** Checked by who reads it. */
  value(name: string): unknown {
    return this.#given[name];
  }

  optionalText(name: string): string | undefined {
    return this.#given[name] === undefined ? undefined : this.text(name);
  }

  /** A list of at most `most` texts. */
  texts(name: string, most: number): readonly string[] {
    const value = this.#given[name];
    const isList = Array.isArray(value) && value.length <= most && value.every((each) => typeof each === 'string');
    if (!isList) throw invalid(`${name} must be at most ${most} strings`);
    return value;
  }

  optionalIndex(name: string): number | undefined {
    const value = this.#given[name];
    if (value === undefined) return undefined;
    if (!isIndex(value)) throw invalid(`${name} must be a whole number from 0`);
    return value;
  }

  range(name: string): Range {
    const { start, end } = objectOrEmpty(this.#given[name]);
    const positions = [start, end].map((each) => {
      const { line, character } = objectOrEmpty(each);
      if (!isIndex(line) || !isIndex(character)) throw invalid(`${name} must have a start and an end`);
      return { line, character };
    });
    const [from, to] = positions as [Range['start'], Range['end']];
    return { start: from, end: to };
  }

  decision(name: string): Decision {
    const { kind, hunks, text, notes, marks } = objectOrEmpty(this.#given[name]);
    if (kind !== 'accepted' && kind !== 'rejected' && kind !== 'changesRequested') {
      throw invalid(`${name}.kind must be accepted, rejected or changesRequested`);
    }
    if (text !== undefined && typeof text !== 'string') throw invalid(`${name}.text must be a string`);
    const noted = notes === undefined ? {} : { notes: notesIn(notes, `${name}.notes`) };
    const typed = text === undefined ? {} : { text };
    if (kind === 'rejected') return { kind, ...typed, ...noted };
    if (kind === 'changesRequested') {
      return { kind, ...typed, ...noted, ...(marks !== undefined && { marks: marksIn(marks) }) };
    }
    if (hunks !== undefined) {
      if (!Array.isArray(hunks) || !hunks.every(isIndex)) throw invalid(`${name}.hunks must be whole numbers from 0`);
      return { kind, hunks, ...noted };
    }
    return { kind, ...typed, ...noted };
  }
}

/** More than a user writes about one change. */
const MAX_NOTES = 1000;
const MAX_NOTE_CHARACTERS = 100_000;

function notesIn(value: unknown, name: string): readonly Note[] {
  if (!Array.isArray(value) || value.length > MAX_NOTES) throw invalid(`${name} must be at most ${MAX_NOTES} notes`);
  return value.map((each) => {
    const { text, lines } = objectOrEmpty(each);
    if (typeof text !== 'string' || text.length > MAX_NOTE_CHARACTERS) throw invalid(`${name} must have texts`);
    if (lines === undefined) return { text };
    const { side, first, count } = objectOrEmpty(lines);
    if ((side !== 'old' && side !== 'new') || !isIndex(first) || !isIndex(count)) {
      throw invalid(`The lines of ${name} must have a side, old or new, a first line from 0, and a count`);
    }
    return { text, lines: { side, first, count } };
  });
}

function marksIn(value: unknown): readonly HunkMark[] {
  if (!Array.isArray(value)) throw invalid('marks must be a list');
  return value.map((mark) => (mark === 'accepted' || mark === 'rejected' ? mark : 'undecided'));
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function invalid(message: string): RpcError {
  return new RpcError(ErrorCode.InvalidParams, `Invalid arguments: ${message}`);
}
