// @ts-check
import { spawn } from 'node:child_process';

/**
 * How a program ended. `code` is undefined when it was ended from here: at its deadline, or when it was no longer
 * wanted.
 * @typedef {{ code: number | undefined, stdout: string, stderr: string }} Ended
 */

/**
 * Runs a program to its end, or to its deadline. Then it is ended with everything it started: it leads a process group
 * of its own.
 * @param {readonly string[]} args for Node
 * @param {{ deadline: number, signal?: AbortSignal | undefined, echo?: NodeJS.WritableStream | undefined }} options
 * `deadline` in milliseconds; `echo` gets its output while it runs
 * @returns {Promise<Ended>}
 */
export function runNode(args, { deadline, signal, echo }) {
  signal?.throwIfAborted();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const output = { stdout: '', stderr: '' };
  for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
    child[name].setEncoding('utf8').on('data', (text) => {
      output[name] += text;
      echo?.write(text);
    });
  }
  let ended = false;
  const end = () => {
    ended = true;
    endGroup(child);
  };
  const timer = setTimeout(end, deadline);
  signal?.addEventListener('abort', end);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    // A grandchild that holds the output open is ended with the group.
    child.once('exit', () => endGroup(child));
    child.once('close', (code) => resolve({ code: ended ? undefined : (code ?? 1), ...output }));
  }).finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  });
}

/**
 * Starts a server that prints its URL when it listens. It ends by itself when this process does.
 * @param {string} script
 * @param {{ deadline: number, env?: Record<string, string> }} options `deadline` in milliseconds, for its start
 * @returns {Promise<{ url: string, close(): Promise<void> }>}
 */
export async function startServer(script, { deadline, env = {} }) {
  const child = spawn(process.execPath, [script], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const close = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  try {
    const url = await new Promise((resolve, reject) => {
      let printed = '';
      const timer = setTimeout(() => reject(new Error(`${script} printed no URL within ${deadline} ms`)), deadline);
      child.once('error', reject);
      child.once('exit', (code) => {
        clearTimeout(timer);
        reject(new Error(`${script} ended with exit code ${code}`));
      });
      child.stdout?.setEncoding('utf8').on('data', (text) => {
        printed += text;
        const line = /^(http\S+)\n/m.exec(printed);
        if (!line) return;
        clearTimeout(timer);
        resolve(line[1]);
      });
    });
    return { url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param {import('node:child_process').ChildProcess} child */
function endGroup(child) {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
  } catch {
    // All of it has ended already.
  }
}
