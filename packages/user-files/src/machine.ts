import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { hashedName } from './names.ts';

/**
 * Identifies this machine together with its process numbers. Home folders are shared between machines and containers,
 * and a process number from one of them says nothing in another.
 */
export function machineName(): string {
  known ??= nameNow();
  return known;
}

/** It never changes while a process runs. */
let known: string | undefined;

function nameNow(): string {
  const parts = [hostname(), orNothing(() => readFileSync('/etc/machine-id', 'utf8')), pidNamespace()];
  return hashedName(parts.join('\n')).slice(0, 12);
}

/** Empty on systems that have none. */
function pidNamespace(): string {
  return orNothing(() => readlinkSync('/proc/self/ns/pid'));
}

function orNothing(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
