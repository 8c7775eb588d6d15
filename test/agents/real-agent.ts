import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Turn } from './turn.ts';

/** The checks that every agent goes through, and the heads of their columns. */
export const CHECKS = {
  connect: 'connects',
  selection: 'selection',
  mention: 'mention',
  accept: 'diff accepted',
  change: 'with changes',
  reject: 'rejected',
  terminal: 'decided in its terminal',
  restart: 'bridge restarted',
  mcp: '`hawser mcp`',
} as const;
export type Check = keyof typeof CHECKS;

/** One real agent from npm: how to start it, what its screen shows, and what it cannot do. */
export interface RealAgent {
  /** How it is named on the command line of the tests, and in `hawser connect`. */
  readonly name: string;
  readonly title: string;
  /** The adapter of the bridge through which it connects. */
  readonly adapter: string;
  readonly package: string;
  readonly version: string;
  readonly program: string;
  /** Writes its settings, so that it starts without questions and asks the scripted model only. */
  start(place: AgentPlace): AgentStart;
  /** On its screen when it takes a prompt. */
  readonly prompt: string | RegExp;
  /** What its user types to connect it, and to connect it again after the bridge was restarted. */
  readonly connect?: Typed;
  readonly reconnect?: Typed;
  /** It connects for each prompt, so that the bridge lists it only while it asks. */
  readonly connectsPerPrompt?: true;
  /** How two selected lines appear on its screen, if they do. */
  readonly selection?: string | RegExp;
  /** How a mention of lines 2 and 3 of a.txt appears in its prompt, and what its model gets of it. */
  readonly mention?: { readonly shows: string | RegExp; readonly received: RegExp };
  /** The turns by which its model replaces a text in a file. */
  readonly edit?: (path: string, replace: { readonly from: string; readonly to: string }) => readonly Turn[];
  /** The question in its terminal while a diff is open, and the keys that accept. */
  readonly decision?: ScreenStep;
  /** On its screen after a rejection, when it does not ask its model again. */
  readonly rejected?: string | RegExp;
  /** The same after a change that was accepted in part. */
  readonly acceptedInPart?: string | RegExp;
  readonly mcp: McpUse;
  /** What the program itself cannot do, by check. */
  readonly limits: { readonly [C in Check]?: string };
}

/** How an agent uses the MCP server `hawser`. */
export interface McpUse {
  /** With these its model needs no permission for each call. */
  readonly args: readonly string[];
  /** What its user does until the server is connected, and when it asks for permission all the same. */
  readonly steps?: readonly ScreenStep[];
  readonly permission?: ScreenStep;
  /** The turn by which its model calls a tool. */
  call(tool: string, input: object): Turn;
}

/** A text to wait for, and the keys to press then. */
export interface ScreenStep {
  readonly shows: string | RegExp;
  readonly press: readonly string[];
}

export interface Typed {
  readonly command: string;
  /** How long its user has to wait before, when nothing on the screen says so. */
  readonly afterMs?: number;
  /** On the screen when the command can be sent. */
  readonly offered: string | RegExp;
  /** On the screen when it has worked. */
  readonly shows: string | RegExp;
}

export interface AgentPlace {
  readonly home: string;
  readonly workspace: string;
  readonly modelUrl: string;
}

export interface AgentStart {
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
}

/** A file in the home of an agent; an object is written as JSON. */
export function writeSettings(home: string, path: string, settings: string | object): void {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, typeof settings === 'string' ? settings : JSON.stringify(settings));
}
