import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export function loginFolder(stateFolder: string): string {
  return join(stateFolder, 'logins');
}

/** How the names of the files of a server's logins begin. */
export function hostPart(resource: string): string {
  const host = URL.canParse(resource) ? new URL(resource).host : '';
  return `${host.replace(/[^a-z0-9.]/g, '_').replace(/^\./, '_') || '_'}-`;
}

/** Whether there may be a login at the host of a URL. It reads no file, because every command with a URL asks. */
export function mayHaveLogin(stateFolder: string, url: string): boolean {
  try {
    return readdirSync(loginFolder(stateFolder)).some((name) => name.startsWith(hostPart(url)));
  } catch {
    return false;
  }
}
