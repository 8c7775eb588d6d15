import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readOwnFile } from '@hawser/user-files/private-file';
import { parseRules, type Rule } from './rules.ts';

export interface RulesPlaces {
  readonly home: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** The user's own, not the project's: a project that somebody else wrote must not accept changes. */
export function rulesPath({ home, variables }: RulesPlaces): string {
  return join(variables.XDG_CONFIG_HOME || join(home, '.config'), 'hawser', 'rules');
}

/** None if there is no file. Throws an Error that names the file if it can't be read, or is not as it should be. */
export function readRules(places: RulesPlaces): readonly Rule[] {
  const path = rulesPath(places);
  const text = readOwnFile(path);
  if (text === undefined) return [];
  if (text instanceof Error) throw text;
  if ((statSync(path).mode & 0o022) !== 0) throw new Error(`Other users can write to ${path}. Run: chmod go-w ${path}`);
  try {
    return parseRules(text, places.home);
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
  }
}
