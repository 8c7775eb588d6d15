import { spawn } from 'node:child_process';

export interface BrowserPlace {
  readonly platform: NodeJS.Platform;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/**
 * Opens a URL in the user's browser, without a shell. Resolves to whether a program for that was started. Without a
 * graphical session none is: xdg-open would start a browser in the terminal.
 */
export async function openBrowser(url: string, place: BrowserPlace): Promise<boolean> {
  const command = openCommand(url, place);
  if (command === undefined) return false;
  const [program, ...args] = command;
  const child = spawn(program, args, { stdio: 'ignore', detached: true });
  child.unref();
  return await new Promise((resolve) => {
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
  });
}

/** The program that opens a URL, and its arguments; undefined if there is none. */
export function openCommand(url: string, { platform, variables }: BrowserPlace): [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['open', url];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  const isGraphical = [variables.DISPLAY, variables.WAYLAND_DISPLAY, variables.BROWSER].some(Boolean);
  return isGraphical ? ['xdg-open', url] : undefined;
}
