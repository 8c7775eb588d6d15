import { realpathSync } from 'node:fs';
import nodePath from 'node:path';
import { ignoreRules } from './glob.ts';
import { relativeIn } from './paths.ts';

/** Where keys, passwords and tokens usually are. */
export const DENIED_BY_DEFAULT: readonly string[] = [
  '.env',
  '.env.*',
  // Keys and certificates.
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  '*.jks',
  '*.keystore',
  '*.kdbx',
  '*.ppk',
  'id_rsa*',
  'id_dsa*',
  'id_ecdsa*',
  'id_ed25519*',
  '.ssh/',
  '.gnupg/',
  // Logins of programs.
  '.netrc',
  '_netrc',
  '.npmrc',
  '.pypirc',
  '.git-credentials',
  '.pgpass',
  '.htpasswd',
  '.vault-token',
  '.dockercfg',
  '.s3cfg',
  '.boto',
  'rclone.conf',
  'client_secret*.json',
  '.aws/',
  '.azure/',
  '**/.docker/config.json',
  '**/.kube/config',
  '**/.cargo/credentials*',
  '**/.gem/credentials',
  '**/.config/gcloud/**',
  // It has the passwords of what it describes.
  '*.tfstate',
  '*.tfstate.*',
];

/** Whether the text of this file must never be sent. `folders` and `homes` are real paths. */
export type IsDenied = (path: string, places: { folders: readonly string[]; homes: readonly string[] }) => boolean;

/**
 * Patterns as in `.gitignore`, after the defaults: `!.env.example` shares that file. `/a` is in a workspace folder or at
 * the file system root, `~/a` in the home folder. Throws if one is not valid.
 */
export function makeDenyList(deny: readonly string[]): IsDenied {
  const patterns = [...DENIED_BY_DEFAULT, ...deny.map(withSlashes)];
  const isMatched = ignoreRules(patterns.flatMap((pattern) => [pattern, ...withRealStart(pattern)]));
  return (path, { folders, homes }) => {
    const inFolders = folders.flatMap((folder) => relativeIn(folder, path) ?? []);
    const inHome = homes.flatMap((folder) => relativeIn(folder, path) ?? []).map((relative) => `~${relative}`);
    return isMatched([path, ...inFolders, ...inHome].map(withSlashes));
  };
}

/** `/tmp/a/**` with the links in its fixed start resolved. */
function withRealStart(pattern: string): string[] {
  const [, not = '', start, rest] = /^(!?)(\/[^*?]+)(\/.*)$/.exec(pattern) ?? [];
  if (start === undefined || rest === undefined) return [];
  const real = withSlashes(realStart(start));
  return real === start || /[*?[\]{}]/.test(real) ? [] : [not + real + rest];
}

/** Once per pattern, when the list is made. */
function realStart(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = nodePath.dirname(path);
    return parent === path ? path : nodePath.join(realStart(parent), nodePath.basename(path));
  }
}

function withSlashes(path: string): string {
  return path.replaceAll(nodePath.sep, '/');
}
