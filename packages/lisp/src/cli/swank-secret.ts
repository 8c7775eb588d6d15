import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ImageAddress, SECRET_FILES } from '../evaluators/attached/attachment.ts';
import { UsageError } from './usage-error.ts';

/** The secret that SLIME sends when it connects: the first line of ~/.slime-secret. Makes the file if there is none. */
export function swankSecretIn(home: string, report: (line: string) => void): string {
  const file = join(home, '.slime-secret');
  const status = statSync(file, { throwIfNoEntry: false });
  if (status === undefined) {
    writeFileSync(file, `${randomSecret()}\n`, { mode: 0o600, flag: 'wx' });
    report(`hawser-lisp: made ${file}, which SLIME reads when it connects`);
  } else if ((status.mode & 0o077) !== 0) {
    throw new UsageError(`--swank: others can read ${file}. Call chmod 600 on it.`);
  }
  const [secret = ''] = readFileSync(file, 'utf8').split('\n');
  if (secret.length < 16) throw new UsageError(`--swank: the first line of ${file} has fewer than 16 characters`);
  return secret;
}

function randomSecret(): string {
  return process.getBuiltinModule('node:crypto').randomBytes(24).toString('base64url');
}

/** The secret for a server that the user has started; undefined if there is none. */
export function knownSecret(server: ImageAddress['server'], home: string): string | undefined {
  try {
    return readFileSync(SECRET_FILES[server].replace('~', home), 'utf8').split('\n')[0];
  } catch {
    return undefined;
  }
}
