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

export function portIn(name: string, extension: string): number | undefined {
  const digits = name.endsWith(extension) ? name.slice(0, -extension.length) : '';
  const port = /^[1-9]\d{0,4}$/.test(digits) ? Number(digits) : 0;
  return isPort(port) ? port : undefined;
}

export function isPort(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535;
}
