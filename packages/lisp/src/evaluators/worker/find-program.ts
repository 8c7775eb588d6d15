import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** The absolute path of a program, found as a shell would; undefined when there is none. */
export function findProgram(name: string, searchPath: string | undefined): string | undefined {
  if (isAbsolute(name) || name.includes('/')) return isExecutable(resolve(name)) ? resolve(name) : undefined;
  return (searchPath ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
