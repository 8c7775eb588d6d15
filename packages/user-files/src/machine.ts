import { execFileSync } from 'node:child_process';
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
  return machineNameFrom({ hostname: hostname(), machineId: machineId(), pidNamespace: pidNamespace() });
}

/** A network may give a machine another host name, so that counts only where nothing else is known. */
export function machineNameFrom(known: {
  readonly hostname: string;
  readonly machineId: string;
  readonly pidNamespace: string;
}): string {
  const { machineId: id, pidNamespace: namespace } = known;
  return hashedName([id === '' ? known.hostname : id, namespace].join('\n')).slice(0, 12);
}

/** Prints what macOS knows of its machine. */
const HARDWARE = ['/usr/sbin/ioreg', '-rd1', '-c', 'IOPlatformExpertDevice'] as const;

function machineId(): string {
  if (process.platform !== 'darwin') return orNothing(() => readFileSync('/etc/machine-id', 'utf8')).trim();
  const [program, ...args] = HARDWARE;
  const said = orNothing(() => execFileSync(program, args, { encoding: 'utf8', timeout: 2000 }));
  return /"IOPlatformUUID" = "([^"]+)"/.exec(said)?.[1] ?? '';
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
