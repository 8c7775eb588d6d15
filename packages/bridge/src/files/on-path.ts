import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Whether one of these folders, as in PATH, has a program of that name. */
export function isOnPath(program: string, searchPath: string): boolean {
  return searchPath.split(delimiter).some((folder) => folder !== '' && isExecutable(join(folder, program)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
