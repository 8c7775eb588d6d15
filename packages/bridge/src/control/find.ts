import { join } from 'node:path';
import { namesIn } from '@hawser/user-files/private-file';
import { checkSocketFolder } from '../discovery/socket-folder.ts';
import type { Status } from './calls.ts';
import { connectControl } from './connect.ts';
import type { ControlClient } from './control-client.ts';
import { type ControlHome, controlFolder, pidOfSocket } from './place.ts';

export interface FoundBridge {
  /** Of its socket. */
  readonly path: string;
  readonly client: ControlClient;
  readonly status: Status;
}

export interface FoundBridges {
  readonly bridges: readonly FoundBridge[];
  /** Why others could not be asked. */
  readonly problems: readonly Error[];
}

/** Long: a bridge on a busy machine that is taken for none gets a second one beside it. */
const ANSWER_TIMEOUT_MS = 10_000;

/** All running bridges of this user, or the one of this process. The caller closes the clients. */
export async function findBridges(
  home: ControlHome,
  { pid: wanted, answerMs = ANSWER_TIMEOUT_MS }: { readonly pid?: number | undefined; readonly answerMs?: number } = {},
): Promise<FoundBridges> {
  const folder = controlFolder(home);
  checkSocketFolder(folder);
  const names = namesIn(folder).filter((name) => {
    const pid = pidOfSocket(name);
    return pid !== undefined && (wanted === undefined || pid === wanted);
  });
  const found = await Promise.all(
    names.map((name) => ask(join(folder, name), answerMs).catch((error: Error) => error)),
  );
  return {
    bridges: found.filter((each) => each !== undefined && !(each instanceof Error)) as FoundBridge[],
    problems: found.filter((each) => each instanceof Error),
  };
}

async function ask(path: string, answerMs: number): Promise<FoundBridge | undefined> {
  const client = await connectControl(path);
  if (client === undefined) return undefined;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const expired = () => reject(new Error(`The bridge at ${path} does not answer`));
    timer = setTimeout(expired, answerMs);
  });
  try {
    return { path, client, status: await Promise.race([client.status(), timeout]) };
  } catch (error) {
    await client.close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
