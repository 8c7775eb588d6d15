import { parseObject } from '@hawser/unknown-values/objects';
import type { Members } from './format.ts';

/** What a lock file says, whatever its dialect. */
export interface Lock {
  /** Undefined in a dialect that names a socket. */
  readonly port: number | undefined;
  /** Undefined in a dialect that does not say. */
  readonly pid: number | undefined;
  readonly token: string | undefined;
  readonly folders: readonly string[];
}

/** Parses a file by its name and text. `undefined`: no lock of this format has such a name. An Error says what is wrong in it. */
export type ReadLock = (name: string, text: string) => Lock | Error | undefined;

/** Reads the text of a file whose name was understood. */
export function lockIn(text: string, read: (members: Members) => Lock | Error): Lock | Error {
  const members = parseObject(text);
  return members === undefined ? new Error('It holds no JSON object') : read(members);
}

/** What most dialects say in the same members. */
export function ownerIn({ pid, authToken, workspaceFolders }: Members): Omit<Lock, 'port'> | Error {
  if (!Number.isSafeInteger(pid) || Number(pid) < 1) return new Error('It names no process');
  const folders = Array.isArray(workspaceFolders) ? workspaceFolders : [];
  return {
    pid: Number(pid),
    token: textOrNone(authToken),
    folders: folders.filter((each) => typeof each === 'string'),
  };
}

export function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function portIn(name: string, extension: string): number | undefined {
  const digits = name.endsWith(extension) ? name.slice(0, -extension.length) : '';
  const port = /^[1-9]\d{0,4}$/.test(digits) ? Number(digits) : 0;
  return isPort(port) ? port : undefined;
}

export function isPort(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535;
}
